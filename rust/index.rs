//! The index of a vocabulary: words with their numbers in buckets, each a line of the cache, so that a word is one look
//! at the memory. A word is in the bucket of its hash or, where that is full, in the next one that has room.
//!
//! Part of the file format: words of up to eight bytes stand five to a bucket, those of up to fifteen three, with their
//! numbers behind them; longer ones stand there as their hashes, five to a bucket.

use std::cmp::Reverse;
use std::collections::VecDeque;

use bytemuck::cast_ref;

use crate::machine::{Machine, Plain};
use crate::word::{Block, block, kind};

/// A line of the cache.
pub type Bucket = [u64; 8];

/// What stands in a bucket for a word; 0 is none.
pub trait Entry: Copy + Default {
    /// How many a bucket has room for.
    const ROOM: usize;
    /// The part of a bucket where their numbers begin, two to a part.
    const NUMBERS: usize;
    /// Which of a bucket's places have this one: a bit for each.
    fn same<M: Machine>(self, machine: M, bucket: &Bucket) -> u32;
    fn put(self, bucket: &mut Bucket, place: usize);
}

impl Entry for u64 {
    const ROOM: usize = 5;
    const NUMBERS: usize = 5;

    #[inline(always)]
    fn same<M: Machine>(self, machine: M, bucket: &Bucket) -> u32 {
        machine.same_of_eight(bucket, self) & 0b1_1111
    }

    fn put(self, bucket: &mut Bucket, place: usize) {
        bucket[place] = self;
    }
}

impl Entry for Block {
    const ROOM: usize = 3;
    const NUMBERS: usize = 6;

    #[inline(always)]
    fn same<M: Machine>(self, machine: M, bucket: &Bucket) -> u32 {
        machine.same_of_four(bucket, self) & 0b111
    }

    fn put(self, bucket: &mut Bucket, place: usize) {
        [bucket[2 * place], bucket[2 * place + 1]] = [self as u64, (self >> 64) as u64];
    }
}

/// The number of the word in a place of a bucket.
#[inline(always)]
pub fn number<E: Entry>(bucket: &Bucket, place: u32) -> u32 {
    cast_ref::<_, [u32; 16]>(bucket)[(2 * E::NUMBERS + place as usize) % 16]
}

/// What stands for a word that is longer than a block.
#[inline(always)]
pub fn trace(hash: u64) -> u64 {
    hash.max(1)
}

/// The bucket, of so many, where a word is looked for first.
#[inline(always)]
pub fn home(hash: u64, buckets: usize) -> usize {
    (((hash >> 32) * buckets as u64) >> 32) as usize
}

/// The number of the word for which this stands and that is the one looked for.
pub fn find<E: Entry>(buckets: &[Bucket], hash: u64, entry: E, is: impl Fn(u32) -> bool) -> Option<u32> {
    let (before, from) = buckets.split_at(home(hash, buckets.len()));
    for bucket in from.iter().chain(before) {
        let mut same = entry.same(Plain, bucket);
        while same != 0 {
            let number = number::<E>(bucket, same.trailing_zeros());
            if is(number) {
                return Some(number);
            }
            same &= same - 1;
        }
        if E::default().same(Plain, bucket) != 0 {
            return None;
        }
    }
    None
}

/// Words of each kind, in buckets that are full to three quarters.
#[derive(Default)]
pub struct Index {
    pub eights: Vec<Bucket>,
    pub fifteens: Vec<Bucket>,
    pub longs: Vec<Bucket>,
}

impl Index {
    /// The index of words in the order of their hashes, given by their spellings, behind which there is `ROOM`, and in how
    /// many texts they stand.
    pub fn of(hashes: &[u64], bytes: &[u8], starts: &[u32], texts: impl Fn(usize) -> u64) -> Self {
        let length = |word: usize| (starts[word + 1] - starts[word]) as usize;
        let mut sizes = [0; 3];
        for word in 0..hashes.len() {
            sizes[kind(length(word))] += 1;
        }
        let mut eights = Filling::<u64>::new(sizes[0]);
        let mut fifteens = Filling::<Block>::new(sizes[1]);
        let mut longs = Filling::<u64>::new(sizes[2]);
        for (word, &hash) in hashes.iter().enumerate() {
            let (length, texts) = (length(word), texts(word));
            let block = block(bytes, starts[word] as usize, length);
            match kind(length) {
                0 => eights.put(hash, block as u64, word, texts),
                1 => fifteens.put(hash, block, word, texts),
                _ => longs.put(hash, trace(hash), word, texts),
            }
        }
        Self {
            eights: eights.end(),
            fifteens: fifteens.end(),
            longs: longs.end(),
        }
    }
}

/// Buckets that are filled one after another.
struct Filling<E> {
    buckets: Vec<Bucket>,
    /// The next to be filled, and the words whose own it is, with their numbers and how many texts they stand in.
    next: usize,
    own: Vec<(u64, E, usize)>,
    /// Words for which there was no room so far.
    late: VecDeque<(E, usize)>,
}

impl<E: Entry> Filling<E> {
    fn new(words: usize) -> Self {
        Self {
            buckets: vec![Bucket::default(); 4 * words / (3 * E::ROOM) + 1],
            next: 0,
            own: Vec::new(),
            late: VecDeque::new(),
        }
    }

    #[inline(always)]
    fn put(&mut self, hash: u64, entry: E, word: usize, texts: u64) {
        let home = home(hash, self.buckets.len());
        while self.next < home {
            self.fill();
        }
        self.own.push((texts, entry, word));
    }

    /// Fills the next bucket. Words of many texts are asked for most, and should be where they are looked for first.
    fn fill(&mut self) {
        if self.own.len() > E::ROOM {
            self.own.sort_by_key(|&(texts, _, word)| (Reverse(texts), word));
        }
        let own = self.own.drain(..).map(|(_, entry, word)| (entry, word));
        let bucket = &mut self.buckets[self.next];
        let mut place = 0;
        for (entry, word) in own {
            if place < E::ROOM {
                write(bucket, place, entry, word);
                place += 1;
            } else {
                self.late.push_back((entry, word));
            }
        }
        while place < E::ROOM
            && let Some((entry, word)) = self.late.pop_front()
        {
            write(bucket, place, entry, word);
            place += 1;
        }
        self.next += 1;
    }

    /// All buckets: those that are left, and what is late then comes to the first that have room.
    fn end(mut self) -> Vec<Bucket> {
        while self.next < self.buckets.len() {
            self.fill();
        }
        for bucket in &mut self.buckets {
            while let Some(&(entry, word)) = self.late.front() {
                let place = E::default().same(Plain, bucket).trailing_zeros() as usize;
                if place >= E::ROOM {
                    break;
                }
                write(bucket, place, entry, word);
                self.late.pop_front();
            }
        }
        self.buckets
    }
}

#[inline(always)]
fn write<E: Entry>(bucket: &mut Bucket, place: usize, entry: E, word: usize) {
    entry.put(bucket, place);
    bucket[E::NUMBERS + place / 2] |= (word as u64) << (32 * (place % 2));
}
