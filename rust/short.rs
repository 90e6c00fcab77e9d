//! Words of one number, which nearly all are: a hash table of buckets, each a line of the cache with some words and their
//! records, so that a word is one look at the memory.

use std::collections::HashMap;
use std::hash::Hash;

use crate::buffer::prefetch;
use crate::machine::{Machine, Plain};
use crate::sum::{Record, Sum};
use crate::table::near;
use crate::word::{Block, Word};

/// A number that is a word: 0 is none.
pub trait Number<const N: usize>: Record + Eq + Hash {
    fn block(self) -> Block;
    /// Which numbers of a bucket are this one.
    fn same<M: Machine>(self, machine: M, bucket: &[Self; N]) -> u32;
}

impl Number<4> for u64 {
    #[inline(always)]
    fn block(self) -> Block {
        Block::from(self)
    }

    #[inline(always)]
    fn same<M: Machine>(self, machine: M, bucket: &[Self; 4]) -> u32 {
        machine.same(bucket, self)
    }
}

impl Number<2> for Block {
    #[inline(always)]
    fn block(self) -> Block {
        self
    }

    #[inline(always)]
    fn same<M: Machine>(self, machine: M, bucket: &[Self; 2]) -> u32 {
        machine.same_block(bucket, self)
    }
}

/// Words of up to eight bytes, four to a line; and of up to fifteen, two to a line.
pub type Eight = Short<u64, 4>;
pub type Fifteen = Short<Block, 2>;

#[derive(Clone)]
pub struct Short<T, const N: usize> {
    buckets: Vec<Bucket<T, N>>,
    bits: u32,
    pub words: usize,
    /// What did not fit into records.
    more: HashMap<T, Sum>,
}

/// Some words and, in the same order, their records.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket<T, const N: usize> {
    words: [T; N],
    records: [T; N],
}

impl<T: Number<N>, const N: usize> Bucket<T, N> {
    fn empty() -> Self {
        Self {
            words: [T::default(); N],
            records: [T::default(); N],
        }
    }

    /// The place of a word; `N` or more if it is not there.
    #[inline(always)]
    fn find<M: Machine>(&self, machine: M, word: T) -> usize {
        word.same(machine, &self.words).trailing_zeros() as usize
    }

    #[inline(always)]
    fn room(&self) -> Option<usize> {
        Some(self.find(Plain, T::default())).filter(|&place| place < N)
    }

    fn iter(&self) -> impl Iterator<Item = (T, T)> {
        let pairs = self.words.into_iter().zip(self.records);
        pairs.filter(|(word, _)| *word != T::default())
    }
}

/// Bits of the number of buckets from which on there is room to grow: a megabyte.
const LARGE: u32 = 14;

impl<T: Number<N>, const N: usize> Short<T, N> {
    /// With room for so many words.
    pub fn with_room(words: usize) -> Self {
        Self::with_buckets(
            (FULL.1 * words)
                .div_ceil(FULL.0 * N)
                .next_power_of_two()
                .ilog2()
                .clamp(1, 31),
        )
    }

    fn with_buckets(bits: u32) -> Self {
        // Large tables may grow where they are: what is not used yet is never asked of the system.
        let mut buckets = Vec::with_capacity(if bits < LARGE { 1 << bits } else { 4 << bits });
        buckets.resize(1 << bits, Bucket::empty());
        Self {
            buckets,
            bits,
            words: 0,
            more: HashMap::new(),
        }
    }

    /// The bucket where a word is, unless that is full.
    #[inline(always)]
    fn home(&self, word: T) -> usize {
        self.bucket(Word::of(word.block()).hash())
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// Makes room for so many new words: words stay where they are until then.
    #[inline(always)]
    pub fn reserve(&mut self, words: usize) {
        while FULL.1 * (self.words + words) > FULL.0 * N * self.buckets.len() {
            self.grow();
        }
    }

    /// Asks the memory for the bucket of a word with this hash.
    #[inline(always)]
    pub fn ask(&self, hash: u64) {
        prefetch(&self.buckets, self.bucket(hash));
    }

    /// The text with this mark has these words so often once more. There is room for all.
    #[inline(always)]
    pub fn count<M: Machine>(
        &mut self,
        machine: M,
        words: impl Iterator<Item = (T, u64)>,
        mark: u32,
        amount: u32,
    ) {
        let (buckets, bits) = (&mut *self.buckets, self.bits);
        for (word, hash) in words {
            let home = (hash >> (64 - bits)) as usize;
            let bucket = &mut buckets[home];
            let place = bucket.find(machine, word);
            let record = if place < N {
                &mut bucket.records[place]
            } else {
                let (home, place) = further(buckets, &mut self.words, word, home);
                &mut buckets[home].records[place]
            };
            record.bump(mark, amount);
            if record.full() {
                empty(record, self.more.entry(word).or_default());
            }
        }
    }

    /// Forgets which text had a word last.
    pub fn unmark(&mut self) {
        for record in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.records) {
            *record = record.unmarked();
        }
    }

    /// The sum of a word, if it was ever there.
    pub fn sum(&self, word: T) -> Option<Sum> {
        let last = self.buckets.len() - 1;
        let mut bucket = self.home(word);
        loop {
            let own = &self.buckets[bucket];
            match own.find(Plain, word) {
                place if place < N => return Some(self.whole(word, own.records[place])),
                _ if own.room().is_some() => return None,
                _ => bucket = (bucket + 1) & last,
            }
        }
    }

    #[inline(always)]
    fn whole(&self, word: T, record: T) -> Sum {
        let sum = record.sum();
        if self.more.is_empty() {
            return sum;
        }
        self.more.get(&word).map_or(sum, |more| more.with(sum))
    }

    /// Changes the sum of a word, which may be new.
    pub fn change(&mut self, word: T, change: impl FnOnce(Sum) -> Sum) {
        self.reserve(1);
        let home = self.home(word);
        let (bucket, place) = further(&mut self.buckets, &mut self.words, word, home);
        let sum = change(self.whole(word, self.buckets[bucket].records[place]));
        self.more.remove(&word);
        self.buckets[bucket].records[place] = T::of(sum).unwrap_or_else(|| {
            self.more.insert(word, sum);
            T::default()
        });
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = self.buckets.len();
        if self.buckets.capacity() >= 2 * size {
            return self.spread();
        }
        let mut larger = Self::with_buckets(self.bits + 1);
        for (word, record) in self.records() {
            larger.settle(word, record);
        }
        (self.buckets, self.bits) = (larger.buckets, larger.bits);
    }

    /// Doubles the table in its place: memory that is asked for anew costs more than what is done with it. What is in its
    /// own bucket goes to one of two that are free if the last bucket goes first; the rest comes in the end.
    fn spread(&mut self) {
        let size = self.buckets.len();
        self.buckets.resize(2 * size, Bucket::empty());
        self.bits += 1;
        let mut late = Vec::new();
        for place in (0..size).rev() {
            let old = std::mem::replace(&mut self.buckets[place], Bucket::empty());
            for (word, record) in old.iter() {
                if self.home(word) / 2 == place {
                    self.settle(word, record);
                } else {
                    late.push((word, record));
                }
            }
        }
        for (word, record) in late {
            self.settle(word, record);
        }
    }

    /// Puts a word that is not there where there is room.
    #[inline(always)]
    fn settle(&mut self, word: T, record: T) {
        let last = self.buckets.len() - 1;
        let mut bucket = self.home(word);
        let place = loop {
            match self.buckets[bucket].room() {
                Some(place) => break place,
                None => bucket = (bucket + 1) & last,
            }
        };
        let own = &mut self.buckets[bucket];
        (own.words[place], own.records[place]) = (word, record);
    }

    fn records(&self) -> impl Iterator<Item = (T, T)> {
        self.buckets.iter().flat_map(Bucket::iter)
    }

    /// All words, and their sums.
    pub fn iter(&self) -> impl Iterator<Item = (T, Sum)> {
        self.records()
            .map(|(word, record)| (word, self.whole(word, record)))
    }

    /// Calls with the words of a range of hashes, and some others: those that stand where the range's would, and 0.
    #[inline(always)]
    pub fn near(&self, range: usize, ranges: usize, mut call: impl FnMut(T, Sum)) {
        for bucket in near(range, ranges, &self.buckets, |bucket| bucket.room().is_some()) {
            for (word, record) in bucket.words.into_iter().zip(bucket.records) {
                call(word, self.whole(word, record));
            }
        }
    }
}

/// How full a table may be: three of four places.
const FULL: (usize, usize) = (3, 4);

/// The bucket and the place of a word that is in no bucket before this one: there, further on, or new.
#[inline(never)]
fn further<T: Number<N>, const N: usize>(
    buckets: &mut [Bucket<T, N>],
    words: &mut usize,
    word: T,
    mut bucket: usize,
) -> (usize, usize) {
    let last = buckets.len() - 1;
    loop {
        let own = &mut buckets[bucket];
        let place = own.find(Plain, word);
        if place < N {
            return (bucket, place);
        }
        if let Some(place) = own.room() {
            own.words[place] = word;
            *words += 1;
            return (bucket, place);
        }
        bucket = (bucket + 1) & last;
    }
}

/// Puts aside the sum of a record that is full.
#[cold]
fn empty<T: Record>(record: &mut T, more: &mut Sum) {
    *more = more.with(record.sum());
    *record = record.emptied();
}
