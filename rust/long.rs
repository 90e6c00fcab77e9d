//! Words of several blocks: a hash table of places in an arena of records. A record is one block with what is
//! known of the word, then the blocks of the word.

use crate::buffer::prefetch;
use crate::sum::{Record, Sum};
use crate::table::near;
use crate::word::{Block, Word, Words, goes_on, marked};

#[derive(Clone)]
pub struct Long {
    /// Places of records, under some more bits of the hash; 0 is free.
    index: Vec<u32>,
    bits: u32,
    /// The first is of no word.
    records: Vec<Block>,
    pub words: usize,
}

impl Long {
    /// With room for so many words.
    pub fn with_room(words: usize) -> Self {
        let bits = (2 * words).next_power_of_two().ilog2().clamp(4, 28);
        Self {
            index: vec![0; 1 << bits],
            bits,
            records: vec![0, 0],
            words: 0,
        }
    }

    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize
    }

    /// The bits of an entry that are the place of a record; those above are of the hash.
    #[inline(always)]
    fn below(&self) -> u32 {
        (4 << self.bits) - 1
    }

    #[inline(always)]
    fn place(&self, entry: u32) -> usize {
        (entry & self.below()) as usize
    }

    /// Asks the memory for the slots of the long words of a group.
    #[inline(always)]
    pub fn ask(&self, words: &Words) {
        for place in marked(words.long) {
            prefetch(&self.index, self.slot(words.hashes[place]));
        }
    }

    /// The text with this mark has the long words of a group so often once more.
    #[inline(always)]
    pub fn count(&mut self, words: &Words, mark: u32, amount: u32) {
        for place in marked(words.long) {
            let slot = self.slot(words.hashes[place]);
            prefetch(&self.records, self.place(self.index[slot]));
        }
        for place in marked(words.long) {
            let record = self.find_or_add(words.hashes[place], words.word(place));
            self.records[record].bump(mark, amount);
        }
    }

    #[inline(always)]
    fn find_or_add(&mut self, hash: u64, word: Word) -> usize {
        match self.find(hash, word) {
            Ok(place) => place,
            Err(slot) => self.add(hash, word, slot),
        }
    }

    /// The place of the word's record, or the slot where it would go.
    #[inline(always)]
    fn find(&self, hash: u64, word: Word) -> Result<usize, usize> {
        let (mut slot, last, above) = (self.slot(hash), self.index.len() - 1, !self.below());
        loop {
            let entry = self.index[slot];
            // A free slot leads to the record of no word.
            if (entry ^ hash as u32) & above == 0 && self.is_at(self.place(entry), word) {
                return Ok(self.place(entry));
            }
            if entry == 0 {
                return Err(slot);
            }
            slot = (slot + 1) & last;
        }
    }

    /// Whether the record at this place is of this word; mostly that is one block or two, and `memcmp` takes its time.
    #[inline(always)]
    fn is_at(&self, place: usize, word: Word) -> bool {
        self.records[place + 1] == word.first
            && match word.rest {
                [] => true,
                [rest] => self.records.get(place + 2) == Some(rest),
                rest => self.records[place + 2..].starts_with(rest),
            }
    }

    #[cold]
    fn add(&mut self, hash: u64, word: Word, mut slot: usize) -> usize {
        let place = self.records.len();
        if 2 * self.words >= self.index.len() || place > self.below() as usize {
            self.grow();
            slot = self.find(hash, word).unwrap_or_else(|slot| slot);
        }
        self.index[slot] = hash as u32 & !self.below() | place as u32;
        self.records.extend([0, word.first]);
        self.records.extend_from_slice(word.rest);
        self.words += 1;
        place
    }

    fn grow(&mut self) {
        self.bits = (self.bits + 2).min(29);
        let mut index = vec![0; 1 << self.bits];
        let last = index.len() - 1;
        for (place, word) in self.places() {
            let hash = word.hash();
            let mut slot = self.slot(hash);
            while index[slot] != 0 {
                slot = (slot + 1) & last;
            }
            index[slot] = hash as u32 & !self.below() | place as u32;
        }
        self.index = index;
    }

    /// Where the records are, and their words.
    fn places(&self) -> impl Iterator<Item = (usize, Word<'_>)> {
        let mut next = 2;
        std::iter::from_fn(move || {
            let place = next;
            let word = self.word(place)?;
            next += 2 + word.rest.len();
            Some((place, word))
        })
    }

    /// All words, and their sums.
    pub fn iter(&self) -> impl Iterator<Item = (Word<'_>, Sum)> {
        self.places()
            .map(|(place, word)| (word, self.records[place].sum()))
    }

    /// Calls with the words of a range of hashes, and some others: those that stand where the range's would.
    pub fn near<'a>(&'a self, range: usize, ranges: usize, mut call: impl FnMut(Word<'a>, Sum)) {
        for &entry in near(range, ranges, &self.index, |&entry| entry == 0) {
            let place = self.place(entry);
            if let Some(word) = self.word(place).filter(|_| entry != 0) {
                call(word, self.records[place].sum());
            }
        }
    }

    /// The word of the record at this place.
    fn word(&self, place: usize) -> Option<Word<'_>> {
        let (&first, rest) = self.records.get(place + 1..)?.split_first()?;
        let long = if goes_on(first) {
            rest.iter().position(|&block| !goes_on(block))? + 1
        } else {
            0
        };
        Some(Word {
            first,
            rest: &rest[..long],
        })
    }

    /// Forgets which text had a word last.
    pub fn unmark(&mut self) {
        let places: Vec<_> = self.places().map(|(place, _)| place).collect();
        for place in places {
            self.records[place] = self.records[place].unmarked();
        }
    }

    /// The sum of a word, if it was ever there.
    pub fn sum(&self, hash: u64, word: Word) -> Option<Sum> {
        let place = self.find(hash, word).ok()?;
        Some(self.records[place].sum())
    }

    /// Changes the sum of a word, which may be new.
    pub fn change(&mut self, hash: u64, word: Word, change: impl FnOnce(Sum) -> Sum) {
        let place = self.find_or_add(hash, word);
        let record = &mut self.records[place];
        *record = Block::of(change(record.sum())).unwrap_or_default();
    }
}
