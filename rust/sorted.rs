//! Words in the order of their hashes, which is that of model files: the same bytes whatever the number of threads, and
//! merging two of them is walking along both.

use std::cmp::Reverse;
use std::ops::Range;

use multiversion::multiversion;

use crate::bag::Bag;
use crate::index::Index;
use crate::sum::Sum;
use crate::table::slot;
use crate::threads::share;
use crate::tokens::ROOM;
use crate::word::{Block, Word, length, written};

/// A word of one bag.
#[derive(Clone, Copy)]
struct Cell<'a> {
    hash: u64,
    bag: u32,
    word: Word<'a>,
    sum: Sum,
}

/// How many cells are sorted at a time, about: so many stay in the nearest cache.
const FEW: usize = 1024;

/// The words of one range of hashes, of all bags.
pub struct Heap<'a> {
    /// Which range of how many, a power of two, it is.
    pub range: usize,
    pub ranges: usize,
    /// The bag whose words come now.
    bag: u32,
    /// More than there are, which are so many.
    cells: Vec<Cell<'a>>,
    count: usize,
    /// How many blocks their words have beside the first ones, at most.
    rests: usize,
    /// Hashes and places of cells.
    order: Vec<(u64, u32)>,
}

impl<'a> Heap<'a> {
    fn new(ranges: usize) -> Self {
        Self {
            range: 0,
            ranges,
            bag: 0,
            cells: Vec::new(),
            count: 0,
            rests: 0,
            order: Vec::new(),
        }
    }

    /// Takes a word if it is one, is there, and belongs to the range. All are written down, and the next one over those
    /// that are not wanted: a branch would often be mistaken.
    #[inline(always)]
    pub fn put(&mut self, word: Word<'a>, sum: Sum) {
        let (hash, bag) = (word.hash(), self.bag);
        let wanted = word.first != 0 && sum.texts > 0 && slot(hash, self.ranges) == self.range;
        let cell = Cell { hash, bag, word, sum };
        match self.cells.get_mut(self.count) {
            Some(room) => *room = cell,
            None => self.cells.push(cell),
        }
        self.count += usize::from(wanted);
        self.rests += word.rest.len();
    }

    /// Takes the words of bags in a range.
    fn fill(&mut self, bags: &[&'a Bag], range: usize) {
        (self.range, self.count, self.rests) = (range, 0, 0);
        for (&bag, number) in bags.iter().zip(0..) {
            self.bag = number;
            bag.near(self);
        }
    }

    /// Puts them in order: by the first bits of their hashes that may differ, then among neighbours, since comparing is what
    /// takes the time: nobody foresees how it ends. Words of the same hash, which hardly ever are different ones, stand
    /// in their own order.
    fn sort(&mut self) {
        let (cells, order) = (&self.cells[..self.count], &mut self.order);
        let same = self.ranges.trailing_zeros();
        let place = |hash: u64| (hash << same >> (u64::BITS - FEW.ilog2())) as usize;
        let mut starts = [0_u32; FEW + 1];
        for cell in cells {
            starts[place(cell.hash) + 1] += 1;
        }
        for place in 0..FEW {
            starts[place + 1] += starts[place];
        }
        order.resize(cells.len(), (0, 0));
        for (cell, number) in cells.iter().zip(0..) {
            let start = &mut starts[place(cell.hash)];
            order[*start as usize] = (cell.hash, number);
            *start += 1;
        }
        let word = |key: (u64, u32)| cells[key.1 as usize].word;
        for end in 1..order.len() {
            let (own, mut place) = (order[end], end);
            while place > 0 {
                let other = order[place - 1];
                let behind = other.0 > own.0 || other.0 == own.0 && word(other) > word(own);
                if !behind {
                    break;
                }
                order[place] = other;
                place -= 1;
            }
            order[place] = own;
        }
    }
}

/// A word on its way into `Sorted`.
#[derive(Clone, Copy, Default)]
struct Row {
    hash: u64,
    start: usize,
    cell: usize,
}

/// Words in the order of their hashes, and their sums in each bag.
#[derive(Default)]
pub struct Sorted {
    /// The spelling of word w is `bytes[starts[w]..starts[w + 1]]`.
    pub bytes: Vec<u8>,
    pub starts: Vec<u32>,
    pub index: Index,
    hashes: Vec<u64>,
    /// The sums of word w are those from `cells[w]` to `cells[w + 1]` of the other three.
    pub cells: Vec<u32>,
    pub bags: Vec<u32>,
    pub counts: Vec<u64>,
    pub texts: Vec<u32>,
}

impl Sorted {
    /// All words of bags, or the most frequent, at most so many; None if that is more than 4 GB.
    pub fn of(bags: &[&Bag], most: usize, threads: usize) -> Option<Self> {
        let cells = bags.iter().map(|bag| bag.len()).sum::<usize>();
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
                let mut sorted = Self::with_room(cells);
                fill(&mut sorted, bags, part, ranges);
                Some(sorted)
            },
        );
        let mut sorted = parts.into_iter().reduce(|whole, part| whole?.joined(part?))??;
        sorted.end()?;
        if sorted.hashes.len() > most {
            sorted = sorted.cut(most)?;
        }
        let Self {
            bytes,
            starts,
            index,
            hashes,
            cells,
            texts,
            ..
        } = &mut sorted;
        let end = bytes.len();
        bytes.resize(end + ROOM, 0);
        *index = indexed(hashes, bytes, starts, (cells, texts))?;
        bytes.truncate(end);
        Some(sorted)
    }

    /// With room for so many words and cells; what is not used is never asked of the system.
    fn with_room(most: usize) -> Self {
        Self {
            hashes: Vec::with_capacity(most),
            starts: Vec::with_capacity(most + 1),
            cells: Vec::with_capacity(most + 1),
            bags: Vec::with_capacity(most),
            counts: Vec::with_capacity(most),
            texts: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    /// Appends the words of a range. Each cell is written down as if it began a word, and the next one over it if it does
    /// not, since nobody foresees which do.
    #[inline(always)]
    fn write(&mut self, heap: &Heap, rows: &mut Vec<Row>) {
        let (cells, order) = (&heap.cells, &heap.order);
        rows.resize(rows.len().max(order.len()), Row::default());
        let (mut words, mut end) = (0, self.bytes.len());
        self.bytes.resize(end + 16 * (order.len() + heap.rests), 0);
        let mut last = Word::of(0);
        for &(hash, place) in order {
            let Cell { bag, word, sum, .. } = cells[place as usize];
            rows[words] = Row {
                hash,
                start: end,
                cell: self.bags.len(),
            };
            self.bags.push(bag);
            self.counts.push(sum.count);
            self.texts.push(sum.texts);
            let new = word != last;
            put(&mut self.bytes, end, word.first);
            words += usize::from(new);
            end += if new { length(word.first) } else { 0 };
            if new {
                for &block in word.rest {
                    put(&mut self.bytes, end, block);
                    end += length(block);
                }
            }
            last = word;
        }
        self.bytes.truncate(end);
        for row in &rows[..words] {
            self.hashes.push(row.hash);
            self.starts.push(row.start as u32);
            self.cells.push(row.cell as u32);
        }
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
        self.hashes.extend(other.hashes);
        self.bags.extend(other.bags);
        self.counts.extend(other.counts);
        self.texts.extend(other.texts);
        Some(self)
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
            cut.bytes.extend(&self.bytes[range(&self.starts, word)]);
            let cells = range(&self.cells, word);
            cut.bags.extend(&self.bags[cells.clone()]);
            cut.counts.extend(&self.counts[cells.clone()]);
            cut.texts.extend(&self.texts[cells]);
        }
        cut.end()?;
        Some(cut)
    }
}

/// Writes a block to a place.
#[inline(always)]
fn put(bytes: &mut [u8], place: usize, block: Block) {
    if let Some(room) = bytes.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
        *room = block.to_le_bytes();
    }
}

/// Appends the words of bags whose hashes are of these ranges of so many.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt"))]
fn fill(sorted: &mut Sorted, bags: &[&Bag], some: Range<usize>, ranges: usize) {
    let (mut heap, mut rows) = (Heap::new(ranges), Vec::new());
    for range in some {
        heap.fill(bags, range);
        heap.sort();
        sorted.write(&heap, &mut rows);
    }
}

/// The index of words with these hashes, which are in order, spellings, behind which there is `ROOM`, and sums; None if
/// they do not agree.
pub fn indexed(
    hashes: &[u64],
    bytes: &[u8],
    starts: &[u32],
    (cells, texts): (&[u32], &[u32]),
) -> Option<Index> {
    let range = |word: usize| cells[word] as usize..cells[word + 1] as usize;
    let sum = |word| {
        texts
            .get(range(word))
            .unwrap_or_default()
            .iter()
            .map(|&texts| u64::from(texts))
            .sum()
    };
    let words = hashes.len() + 1;
    let agree = cells.len() == words && starts.len() == words && starts.is_sorted() && hashes.is_sorted();
    agree.then(|| Index::of(hashes, bytes, starts, sum))
}

/// The hashes of words, in any order; None if they are none.
pub fn hashed(bytes: &[u8], starts: &[u32]) -> Option<Vec<u64>> {
    let (mut room, mut others) = (Vec::new(), Vec::new());
    let word = |ends: &[u32]| bytes.get(ends[0] as usize..ends[1] as usize);
    starts
        .windows(2)
        .map(|ends| Some(written(word(ends)?, &mut room, &mut others).0))
        .collect()
}
