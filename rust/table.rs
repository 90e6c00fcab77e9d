//! Texts counted by class: a bag of words for every label, and one more for every other weight a text may have.
//!
//! Bags hold whole numbers, so adding, taking out and merging are exact in any order. Words and classes may
//! appear at any time, and a class costs what its own words cost.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::analyse::Analyser;
use crate::bag::{Bag, Counter};
use crate::batch::{Batch, Unreadable};
use crate::kept::Kept;
use crate::sum::Sum;
use crate::threads::share;
use crate::tokens::Tokens;
use crate::word::{Block, Word, written};

/// Texts of this label that each weigh so much. Whole weights are amounts of the weight 1.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name {
    pub label: Vec<u8>,
    weight: u64,
}

impl Name {
    pub fn new(label: &[u8], weight: f64) -> Self {
        Self {
            label: label.to_vec(),
            weight: weight.to_bits(),
        }
    }

    pub fn weight(&self) -> f64 {
        f64::from_bits(self.weight)
    }
}

/// What cannot be done, and the table is as it was.
#[derive(Debug)]
pub enum Refusal {
    Unreadable(Unreadable),
    /// More texts of one label than can be counted.
    TooMany,
    /// What should be taken out was never put in: the label, and the word if there are texts enough.
    NotLearned(Vec<u8>, Vec<u8>),
}

/// How many rows were counted, and how many stretches of bytes in them were no UTF-8.
#[derive(Default, Clone, Copy)]
pub struct Report {
    pub rows: u64,
    pub replaced: u64,
}

#[derive(Default, Clone)]
pub struct Table {
    places: HashMap<Name, usize>,
    pub bags: Vec<(Name, Bag)>,
}

impl Table {
    /// Counts all batches, shared out to so many threads, and keeps so many bytes of the texts.
    pub fn count(
        analyser: &Analyser,
        threads: usize,
        most: usize,
        next: impl Fn() -> Result<Option<Batch>, Unreadable> + Sync,
    ) -> Result<(Self, Kept, Report), Refusal> {
        // What is one batch is not worth a second thread.
        let first: Vec<_> = [next(), next()]
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(Refusal::Unreadable)?;
        let threads = if first[1].is_none() { 1 } else { threads };
        let first = Mutex::new(first.into_iter().flatten());
        let next = || match first.lock().unwrap_or_else(PoisonError::into_inner).next() {
            Some(batch) => Ok(Some(batch)),
            None => next(),
        };
        let work = || {
            let (mut table, mut kept, mut report) = (Self::default(), Kept::new(most), Report::default());
            let mut scratch = Scratch::default();
            while let Some(batch) = next().map_err(Refusal::Unreadable)? {
                table.count_batch(analyser, &batch, &mut scratch, &mut report)?;
                if most > 0 {
                    kept.keep(&batch);
                }
            }
            Ok((table, kept, report))
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut whole = work();
            for other in others {
                let more = match other.join() {
                    Ok(more) => more,
                    Err(panic) => std::panic::resume_unwind(panic),
                };
                whole = whole.and_then(|(mut table, mut kept, mut report)| {
                    let (other, also, more) = more?;
                    table.merge(other, threads)?;
                    kept.merge(&also);
                    report.rows += more.rows;
                    report.replaced += more.replaced;
                    Ok((table, kept, report))
                });
            }
            whole
        })
    }

    /// Counts the rows of a batch, those of one bag together: a bag's words stay in the cache, all bags' would not.
    fn count_batch(
        &mut self,
        analyser: &Analyser,
        batch: &Batch,
        Scratch {
            tokens,
            counter,
            order,
        }: &mut Scratch,
        report: &mut Report,
    ) -> Result<(), Refusal> {
        report.rows += batch.rows.len() as u64;
        order.clear();
        // Places of this batch's labels: a name of its own for each row took 4% of counting short texts.
        let mut places = HashMap::new();
        for (number, row) in batch.rows.iter().enumerate().filter(|(_, row)| row.weight != 0.0) {
            let label = row.label.clone().and_then(|label| batch.bytes.get(label));
            let (label, (weight, _)) = (label.unwrap_or_default(), amount(row.weight));
            let place = places
                .entry((label, weight.to_bits()))
                .or_insert_with(|| self.place(Name::new(label, weight)));
            order.push((*place, number));
        }
        order.sort_unstable();
        for &(place, number) in &*order {
            let row = &batch.rows[number];
            let text = batch.bytes.get(row.text.clone()).unwrap_or_default();
            report.replaced += analyser.analyse(text, tokens) as u64;
            let (bag, (_, amount)) = (&mut self.bags[place].1, amount(row.weight));
            bag.texts.checked_add(amount).ok_or(Refusal::TooMany)?;
            bag.count(tokens, amount, counter);
        }
        Ok(())
    }

    /// How many words the bags have at most, all together.
    pub fn len(&self) -> usize {
        self.bags.iter().map(|(_, bag)| bag.len()).sum()
    }

    fn place(&mut self, name: Name) -> usize {
        *self.places.entry(name).or_insert_with_key(|name| {
            self.bags.push((name.clone(), Bag::default()));
            self.bags.len() - 1
        })
    }

    /// Adds another table, shared out to so many threads; if it cannot be, nothing is changed.
    pub fn merge(&mut self, other: Self, threads: usize) -> Result<(), Refusal> {
        if self.bags.is_empty() {
            *self = other;
            return Ok(());
        }
        let fits = |(name, bag): &(Name, Bag)| {
            let own = self.places.get(name).map_or(0, |&place| self.bags[place].1.texts);
            own.checked_add(bag.texts).is_some()
        };
        if !other.bags.iter().all(fits) {
            return Err(Refusal::TooMany);
        }
        let mut others: Vec<_> = (0..self.bags.len()).map(|_| None).collect();
        for (name, bag) in other.bags {
            match self.places.get(&name) {
                Some(&place) => others[place] = Some(bag),
                None => {
                    let place = self.place(name);
                    self.bags[place].1 = bag;
                }
            }
        }
        let pairs = self.bags.iter_mut().zip(others);
        let pairs: Vec<_> = pairs
            .filter_map(|((_, bag), other)| Some((bag, other?)))
            .collect();
        share(threads, pairs, || (), |(), (bag, other)| bag.merge(&other));
        Ok(())
    }

    /// Takes out another table, exactly; if it was never put in, nothing is changed.
    pub fn part(&mut self, other: &Self) -> Result<(), Refusal> {
        for (name, bag) in &other.bags {
            let own = self.places.get(name).map(|&place| &self.bags[place].1);
            if let Some(word) = own.map_or(Some(Vec::new()), |own| own.lacks(bag)) {
                return Err(Refusal::NotLearned(name.label.clone(), word));
            }
        }
        for (name, bag) in &other.bags {
            if let Some(&place) = self.places.get(name) {
                self.bags[place].1.part(bag);
            }
        }
        self.bags.retain(|(_, bag)| bag.texts > 0);
        self.places = (0..)
            .zip(&self.bags)
            .map(|(place, (name, _))| (name.clone(), place))
            .collect();
        Ok(())
    }

    /// The table as arrays; bags in the order of `order`, words in that of their hashes; at most so many words.
    pub fn sorted(&self, order: &[Name], most: usize, threads: usize) -> Option<Sorted> {
        let bags: Vec<&Bag> = order
            .iter()
            .map(|name| Some(&self.bags[*self.places.get(name)?].1))
            .collect::<Option<_>>()?;
        let cells = bags.iter().map(|bag| bag.len()).sum::<usize>();
        // So many at a time stay in the nearest cache while they are sorted.
        let ranges = (cells / FEW.max(8 * bags.len())).next_power_of_two();
        let step = ranges.div_ceil(threads);
        let parts = (0..ranges)
            .step_by(step)
            .map(|start| start..ranges.min(start + step));
        let parts = share(
            threads,
            parts,
            || (),
            |(), part| {
                let mut sorted = Sorted::with_room(cells);
                sorted.fill(&bags, part, ranges)?;
                Some(sorted)
            },
        );
        let mut sorted = parts.into_iter().reduce(|whole, part| whole?.joined(part?))??;
        sorted.end()?;
        if sorted.hashes.len() > most {
            sorted = sorted.cut(most)?;
        }
        sorted.indexed();
        Some(sorted)
    }

    /// The table of arrays; None if they are none of a table. `names` have the number of texts of each bag.
    pub fn of(names: Vec<(Name, u32)>, arrays: &Arrays) -> Option<Self> {
        let mut table = Self::default();
        let words = arrays.starts.len().checked_sub(1)?;
        for (name, texts) in names {
            let place = table.place(name);
            table.bags[place].1.texts = texts;
        }
        let mut sizes = vec![0; table.bags.len()];
        for &bag in arrays.bags {
            *sizes.get_mut(bag as usize)? += 1;
        }
        for ((_, bag), size) in table.bags.iter_mut().zip(sizes) {
            *bag = Bag::with_room(size, bag.texts);
        }
        let (mut room, mut others) = (Vec::new(), Vec::new());
        for word in 0..words {
            let range = |starts: &[u32]| Some(*starts.get(word)? as usize..*starts.get(word + 1)? as usize);
            let (hash, first) = written(arrays.bytes.get(range(arrays.starts)?)?, &mut room, &mut others);
            for cell in range(arrays.cells)? {
                let sum = Sum {
                    count: *arrays.counts.get(cell)?,
                    texts: *arrays.texts.get(cell)?,
                };
                let (_, bag) = table.bags.get_mut(*arrays.bags.get(cell)? as usize)?;
                bag.put(hash, Word { first, rest: &others }, sum);
            }
        }
        Some(table)
    }
}

/// A word of one bag.
struct Cell<'a> {
    bag: u32,
    word: Word<'a>,
    sum: Sum,
}

/// How many cells are sorted at a time, about.
const FEW: usize = 1024;

/// Sorts by the first bits of hashes, of which so many are the same before; equal ones stay in their order. What is left
/// is to put neighbours in order: comparing is what takes the time, since nobody foresees how it ends.
fn by_first_bits(keys: &[(u64, u32)], same: u32, ordered: &mut Vec<(u64, u32)>) {
    let place = |hash: u64| (hash << same >> (u64::BITS - FEW.ilog2())) as usize;
    let mut starts = [0; FEW + 1];
    for &(hash, _) in keys {
        starts[place(hash) + 1] += 1;
    }
    for place in 0..FEW {
        starts[place + 1] += starts[place];
    }
    ordered.resize(keys.len(), (0, 0));
    for &key in keys {
        let start = &mut starts[place(key.0)];
        ordered[*start] = key;
        *start += 1;
    }
}

/// Sorts what is nearly in order; equal ones stay in theirs.
fn nearly_sorted<T: Copy>(list: &mut [T], after: impl Fn(&T, &T) -> bool) {
    for end in 1..list.len() {
        let (item, mut place) = (list[end], end);
        while place > 0 && after(&list[place - 1], &item) {
            list[place] = list[place - 1];
            place -= 1;
        }
        list[place] = item;
    }
}

/// What one thread needs beside its table.
#[derive(Default)]
struct Scratch {
    tokens: Tokens,
    counter: Counter,
    /// Bag and number of each row.
    order: Vec<(usize, usize)>,
}

/// The weight of the bag for texts of this weight, and how often it counts there.
fn amount(weight: f64) -> (f64, u32) {
    if weight.fract() == 0.0 && weight <= f64::from(u32::MAX) {
        (1.0, weight as u32)
    } else {
        (weight, 1)
    }
}

/// Arrays to make a table of: those of `Sorted` that are not derived.
pub struct Arrays<'a> {
    pub bytes: &'a [u8],
    pub starts: &'a [u32],
    pub cells: &'a [u32],
    pub bags: &'a [u32],
    pub counts: &'a [u64],
    pub texts: &'a [u32],
}

/// Words in the order of their hashes, and their sums in each bag.
#[derive(Default)]
pub struct Sorted {
    /// The spelling of word w is `bytes[starts[w]..starts[w + 1]]`.
    pub bytes: Vec<u8>,
    pub starts: Vec<u32>,
    /// The first block of each word, as two numbers; and where the words begin whose hash has these first bits.
    pub keys: Vec<u64>,
    pub index: Vec<u32>,
    hashes: Vec<u64>,
    /// The sums of word w are those from `cells[w]` to `cells[w + 1]` of the other three.
    pub cells: Vec<u32>,
    pub bags: Vec<u32>,
    pub counts: Vec<u64>,
    pub texts: Vec<u32>,
}

impl Sorted {
    /// With room for so many words and cells; what is not used is never asked of the system.
    fn with_room(most: usize) -> Self {
        Self {
            hashes: Vec::with_capacity(most),
            starts: Vec::with_capacity(most + 1),
            keys: Vec::with_capacity(2 * most),
            cells: Vec::with_capacity(most + 1),
            bags: Vec::with_capacity(most),
            counts: Vec::with_capacity(most),
            texts: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    /// Appends the words of bags whose hashes are of these ranges of so many.
    fn fill(&mut self, bags: &[&Bag], some: Range<usize>, ranges: usize) -> Option<()> {
        let (mut cells, mut keys, mut ordered) = (Vec::new(), Vec::new(), Vec::new());
        for range in some {
            cells.clear();
            keys.clear();
            for (&bag, number) in bags.iter().zip(0..) {
                bag.within(range, ranges, |hash, word, sum| {
                    // Numbers of sixteen bytes are moved in less time than cells.
                    keys.push((hash, cells.len() as u32));
                    cells.push(Cell {
                        bag: number,
                        word,
                        sum,
                    });
                });
            }
            let cell = |key: &(u64, u32)| &cells[key.1 as usize];
            by_first_bits(&keys, ranges.trailing_zeros(), &mut ordered);
            // Hashes are hardly ever the same for different words.
            nearly_sorted(&mut ordered, |a, b| {
                a.0 > b.0 || a.0 == b.0 && cell(a).word != cell(b).word && cell(a).word > cell(b).word
            });
            let mut last = None;
            for key in &ordered {
                let own = cell(key);
                if last != Some((key.0, own.word)) {
                    self.push(key.0, own.word)?;
                    last = Some((key.0, own.word));
                }
                self.bags.push(own.bag);
                self.counts.push(own.sum.count);
                self.texts.push(own.sum.texts);
            }
        }
        Some(())
    }

    /// These words, and those of another behind them.
    fn joined(mut self, other: Self) -> Option<Self> {
        let (bytes, cells) = (self.bytes.len(), self.bags.len());
        let behind = |place: u32, more: usize| u32::try_from(place as usize + more).ok();
        for (&start, &cell) in other.starts.iter().zip(&other.cells) {
            self.starts.push(behind(start, bytes)?);
            self.cells.push(behind(cell, cells)?);
        }
        self.bytes.extend(other.bytes);
        self.keys.extend(other.keys);
        self.hashes.extend(other.hashes);
        self.bags.extend(other.bags);
        self.counts.extend(other.counts);
        self.texts.extend(other.texts);
        Some(self)
    }

    /// Appends a word, of which cells will follow.
    fn push(&mut self, hash: u64, word: Word) -> Option<()> {
        self.end()?;
        self.hashes.push(hash);
        self.keys.extend([word.first as u64, (word.first >> 64) as u64]);
        word.spell(&mut self.bytes);
        Some(())
    }

    /// Where the last word ends and the next may begin.
    fn end(&mut self) -> Option<()> {
        self.starts.push(self.bytes.len().try_into().ok()?);
        self.cells.push(self.bags.len().try_into().ok()?);
        Some(())
    }

    /// The words of most texts, at most so many; of equals the first by their spelling.
    fn cut(self, most: usize) -> Option<Self> {
        let range = |ends: &[u32], word: usize| ends[word] as usize..ends[word + 1] as usize;
        let mut order: Vec<_> = (0..self.hashes.len()).collect();
        order.sort_by_cached_key(|&word| {
            let texts = self.texts[range(&self.cells, word)].iter();
            let texts = texts.map(|&texts| u64::from(texts)).sum::<u64>();
            (Reverse(texts), &self.bytes[range(&self.starts, word)])
        });
        order.truncate(most);
        order.sort_unstable();
        let mut cut = Self::default();
        for word in order {
            cut.end()?;
            cut.hashes.push(self.hashes[word]);
            cut.keys.extend(&self.keys[2 * word..2 * word + 2]);
            cut.bytes.extend(&self.bytes[range(&self.starts, word)]);
            let cells = range(&self.cells, word);
            cut.bags.extend(&self.bags[cells.clone()]);
            cut.counts.extend(&self.counts[cells.clone()]);
            cut.texts.extend(&self.texts[cells]);
        }
        cut.end()?;
        Some(cut)
    }

    /// Words that stand in the order of their hashes, with keys and index; None if they do not.
    pub fn words(bytes: &[u8], starts: &[u32]) -> Option<Self> {
        let mut sorted = Self::default();
        for (hash, first) in hashed(bytes, starts)? {
            sorted.hashes.push(hash);
            sorted.keys.extend([first as u64, (first >> 64) as u64]);
        }
        sorted.indexed();
        sorted.hashes.is_sorted().then_some(sorted)
    }

    /// Makes the index: sizes of slots, then their sums up to where each begins. A word is mostly one of the first two of
    /// its slot.
    fn indexed(&mut self) {
        let slots = self.hashes.len().next_power_of_two();
        self.index = vec![0; slots + 1];
        for &hash in &self.hashes {
            self.index[slot(hash, slots) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.index {
            sum += *start;
            *start = sum;
        }
    }
}

/// Hash and first block of words, in any order; None if they are none.
pub fn hashed(bytes: &[u8], starts: &[u32]) -> Option<Vec<(u64, Block)>> {
    let (mut room, mut others) = (Vec::new(), Vec::new());
    let word = |ends: &[u32]| bytes.get(ends[0] as usize..ends[1] as usize);
    starts
        .windows(2)
        .map(|ends| Some(written(word(ends)?, &mut room, &mut others)))
        .collect()
}

/// Logarithms of counts plus a number. Most counts are small, and their logarithms are taken once.
struct Logs {
    alpha: f64,
    small: Vec<f64>,
}

impl Logs {
    fn new(alpha: f64) -> Self {
        let small = (0..1024).map(|count| (f64::from(count) + alpha).ln()).collect();
        Self { alpha, small }
    }

    fn of(&self, count: u64) -> f64 {
        let small = self.small.get(count as usize).copied();
        small.unwrap_or_else(|| (count as f64 + self.alpha).ln())
    }
}

/// For every word and bag, the logarithm of the count plus `alpha`, less the bag's own number: a row for each word;
/// None if the arrays do not agree.
pub fn log_rows(
    (cells, bags, counts): (&[u32], &[u32], &[u64]),
    alpha: f64,
    less: &[f64],
) -> Option<Vec<f64>> {
    let logs = Logs::new(alpha);
    let none: Vec<_> = less.iter().map(|less| logs.of(0) - less).collect();
    let mut rows = Vec::with_capacity(cells.len() * none.len());
    for ends in cells.windows(2) {
        let start = rows.len();
        rows.extend_from_slice(&none);
        let (row, range) = (&mut rows[start..], ends[0] as usize..ends[1] as usize);
        for (&bag, &count) in bags.get(range.clone())?.iter().zip(counts.get(range)?) {
            *row.get_mut(bag as usize)? = logs.of(count) - less[bag as usize];
        }
    }
    Some(rows)
}

/// By how much the logarithm of each count plus `alpha` differs from that of `alpha`.
pub fn log_differences(counts: &[u64], alpha: f64) -> Vec<f64> {
    let logs = Logs::new(alpha);
    counts.iter().map(|&count| logs.of(count) - logs.of(0)).collect()
}

/// The slot of a hash in an index of so many, a power of two.
#[inline(always)]
pub fn slot(hash: u64, slots: usize) -> usize {
    match slots.trailing_zeros() {
        0 => 0,
        bits => (hash >> (64 - bits)) as usize,
    }
}

/// The slots of a hash table that are taken, where words may be whose hashes are of this range of so many: those of the
/// range, and on to the first that is free.
#[inline(always)]
pub fn near<'a, T>(
    range: usize,
    ranges: usize,
    slots: &'a [T],
    free: impl Fn(&T) -> bool + Copy + 'a,
) -> impl Iterator<Item = &'a T> {
    let (start, end) = (
        range * slots.len() / ranges,
        ((range + 1) * slots.len()).div_ceil(ranges),
    );
    let inside = slots[start..end].iter().filter(move |slot| !free(slot));
    let after = slots[end..].iter().chain(&slots[..start]);
    inside.chain(after.take_while(move |slot| !free(slot)))
}
