//! Texts counted by class: a bag of words for every label, and one more for every other weight a text may have.
//!
//! Bags hold whole numbers, so adding, taking out and merging are exact in any order. Words and classes may
//! appear at any time, and a class costs what its own words cost.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::analyse::Analyser;
use crate::bag::Bag;
use crate::batch::{Batch, Unreadable};
use crate::kept::Kept;
use crate::sorted::Sorted;
use crate::sum::Sum;
use crate::threads::share;
use crate::tokens::Tokens;
use crate::word::{Word, Words, kind, written};

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
        Scratch { tokens, words, order }: &mut Scratch,
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
            bag.count(tokens, amount, words);
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
        share(threads, pairs, || (), |(), (bag, other)| bag.merge(&other, 1));
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
        Sorted::of(&bags, most, threads)
    }

    /// The table of arrays; None if they are none of a table. `names` have the number of texts of each bag.
    pub fn of(names: Vec<(Name, u32)>, arrays: &Arrays) -> Option<Self> {
        let mut table = Self::default();
        let words = arrays.starts.len().checked_sub(1)?;
        for (name, texts) in names {
            let place = table.place(name);
            table.bags[place].1.texts = texts;
        }
        let range =
            |starts: &[u32], word: usize| Some(*starts.get(word)? as usize..*starts.get(word + 1)? as usize);
        let mut sizes = vec![[0; 3]; table.bags.len()];
        for word in 0..words {
            let kind = kind(range(arrays.starts, word)?.len());
            for &bag in arrays.bags.get(range(arrays.cells, word)?)? {
                sizes.get_mut(bag as usize)?[kind] += 1;
            }
        }
        for ((_, bag), size) in table.bags.iter_mut().zip(sizes) {
            *bag = Bag::with_room(size, bag.texts);
        }
        let (mut room, mut others) = (Vec::new(), Vec::new());
        for word in 0..words {
            let spelling = arrays.bytes.get(range(arrays.starts, word)?)?;
            let (hash, first) = written(spelling, &mut room, &mut others);
            for cell in range(arrays.cells, word)? {
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

/// What one thread needs beside its table.
#[derive(Default)]
struct Scratch {
    tokens: Tokens,
    words: Words,
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
    (hash >> 1 >> (63 - slots.trailing_zeros())) as usize
}

/// The buckets of a hash table where words may be whose hashes are of this range of so many: those of the range, and on to
/// the first that has room.
#[inline(always)]
pub fn near<'a, T>(
    range: usize,
    ranges: usize,
    buckets: &'a [T],
    room: impl Fn(&T) -> bool + 'a,
) -> impl Iterator<Item = &'a T> {
    let (start, end) = (
        range * buckets.len() / ranges,
        ((range + 1) * buckets.len()).div_ceil(ranges),
    );
    let mut full = !room(&buckets[end - 1]);
    let after = buckets[end..].iter().chain(&buckets[..start]);
    let after = after.take_while(move |bucket| std::mem::replace(&mut full, !room(bucket)));
    buckets[start..end].iter().chain(after)
}
