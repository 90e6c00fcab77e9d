//! The words of one class: how often each stands there, and in how many texts.
//!
//! An open hash table of places in an arena of records. A record is one block with the count, the number of texts
//! and the text that had the word last, then the blocks of the word: for a short word half a cache line.

use multiversion::multiversion;

use crate::buffer::prefetch;
use crate::tokens::Tokens;
use crate::word::{Block, GROUP, Word, Words, goes_on};

#[derive(Clone)]
pub struct Bag {
    /// Places of records, under some more bits of the hash; 0 is free.
    index: Vec<u32>,
    bits: u32,
    /// The first is of no word.
    records: Vec<Block>,
    words: usize,
    /// How many texts were counted, by the amount of each.
    pub texts: u32,
}

/// What is known of a word.
#[derive(Clone, Copy)]
pub struct Sum {
    pub count: u64,
    pub texts: u32,
}

impl Sum {
    #[inline(always)]
    fn of(record: Block) -> Self {
        Self {
            count: record as u64,
            texts: (record >> 64) as u32,
        }
    }

    /// As a record that no text has touched yet.
    fn record(self) -> Block {
        Block::from(self.count) | Block::from(self.texts) << 64
    }
}

/// The record of a word after a text with this number has it so often once more; without a branch, since whether a
/// word stands in a text for the first time is anybody's guess.
#[inline(always)]
fn bumped(record: Block, text: u32, amount: u32) -> Block {
    let (count, rest) = (record as u64, (record >> 64) as u64);
    let fresh = u32::from((rest >> 32) as u32 != text);
    let texts = rest as u32 + amount * fresh;
    let rest = u64::from(text) << 32 | u64::from(texts);
    Block::from(count + u64::from(amount)) | Block::from(rest) << 64
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2"))]
fn count(bag: &mut Bag, tokens: &Tokens, amount: u32, words: &mut Words) {
    for spans in tokens.spans.chunks(GROUP) {
        let places = bag.places_of(&tokens.bytes, spans, words);
        for &place in &places[..spans.len()] {
            let record = &mut bag.records[place as usize];
            *record = bumped(*record, bag.texts, amount);
        }
    }
}

impl Default for Bag {
    fn default() -> Self {
        Self::with_room(0, 0)
    }
}

impl Bag {
    /// A bag of so many texts, with room for so many words.
    pub fn with_room(words: usize, texts: u32) -> Self {
        let bits = (2 * words).next_power_of_two().ilog2().clamp(6, 29);
        Self {
            index: vec![0; 1 << bits],
            bits,
            records: vec![0, 0],
            words: 0,
            texts,
        }
    }

    /// How many words there are at most.
    pub fn len(&self) -> usize {
        self.words
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

    /// Counts a text `amount` times; the same as counting it so often. Only for a bag that was never merged or
    /// parted: the number of its texts names the text at hand.
    pub fn count(&mut self, tokens: &Tokens, amount: u32, words: &mut Words) {
        self.texts += amount;
        count(self, tokens, amount, words);
    }

    /// Where the records of some words are, the new ones among them too.
    #[inline(always)]
    fn places_of(&mut self, bytes: &[u8], spans: &[(u32, u32)], words: &mut Words) -> [u32; GROUP] {
        words.take(bytes, spans, |hash| prefetch(&self.index, self.slot(hash)));
        for &hash in words.hashes() {
            prefetch(&self.records, self.place(self.index[self.slot(hash)]));
        }
        let (mut places, mut new, mut count) = ([0; GROUP], [0; GROUP], 0);
        words.each(|number, hash, word| {
            let place = self.find(hash, word).unwrap_or(0);
            places[number] = place as u32;
            new[count % GROUP] = number;
            count += usize::from(place == 0);
        });
        for &number in &new[..count] {
            places[number] = self.find_or_add(words.hashes()[number], words.word(number)) as u32;
        }
        places
    }

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

    /// Whether the record at this place is of this word; mostly that is one block.
    #[inline(always)]
    fn is_at(&self, place: usize, word: Word) -> bool {
        self.records[place + 1] == word.first
            && (word.rest.is_empty() || self.goes_on_at(place + 2, word.rest))
    }

    #[inline(never)]
    fn goes_on_at(&self, place: usize, rest: &[Block]) -> bool {
        self.records[place..].starts_with(rest)
    }

    #[cold]
    fn add(&mut self, hash: u64, word: Word, slot: usize) -> usize {
        let (place, room) = (self.records.len(), self.below() as usize);
        let slot = if 2 * self.words < self.index.len() && place <= room {
            slot
        } else {
            self.grow();
            match self.find(hash, word) {
                Ok(place) => return place,
                Err(slot) => slot,
            }
        };
        self.index[slot] = hash as u32 & !self.below() | place as u32;
        self.records.extend([0, word.first]);
        self.records.extend_from_slice(word.rest);
        self.words += 1;
        place
    }

    fn grow(&mut self) {
        self.bits += 2;
        let mut index = vec![0; 1 << self.bits];
        let last = index.len() - 1;
        for (place, hash) in self.places() {
            let mut slot = self.slot(hash);
            while index[slot] != 0 {
                slot = (slot + 1) & last;
            }
            index[slot] = hash as u32 & !self.below() | place as u32;
        }
        self.index = index;
    }

    /// Where the records are, with the hashes of their words.
    fn places(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut next = 2;
        std::iter::from_fn(move || {
            let place = next;
            let word = self.word(place)?;
            next += 2 + word.rest.len();
            Some((place, word.hash()))
        })
    }

    /// The word of the record at this place.
    pub fn word(&self, place: usize) -> Option<Word<'_>> {
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

    pub fn sum(&self, place: usize) -> Sum {
        Sum::of(self.records[place])
    }

    /// Where the words are that are there, with their hashes.
    pub fn held(&self) -> impl Iterator<Item = (usize, u64)> {
        self.places().filter(|&(place, _)| self.sum(place).texts > 0)
    }

    /// Words that are there, with their hashes and sums.
    fn iter(&self) -> impl Iterator<Item = (u64, Word<'_>, Sum)> {
        self.held()
            .filter_map(|(place, hash)| Some((hash, self.word(place)?, self.sum(place))))
    }

    /// Adds to the sums of a word.
    pub fn put(&mut self, hash: u64, word: Word, sum: Sum) {
        let place = self.find_or_add(hash, word);
        self.records[place] += sum.record();
    }

    /// What another bag has more of than this one: a word, or no word if it is texts.
    pub fn lacks(&self, other: &Self) -> Option<Vec<u8>> {
        if self.texts < other.texts {
            return Some(Vec::new());
        }
        let enough = |(hash, word, less): &(u64, Word, Sum)| {
            self.find(*hash, *word).is_ok_and(|place| {
                let sum = self.sum(place);
                let count = sum.count.checked_sub(less.count);
                let texts = sum.texts.checked_sub(less.texts);
                // What is left must be possible too: in so many of the texts left, as often at least.
                count.zip(texts).is_some_and(|(count, texts)| {
                    count >= u64::from(texts)
                        && (count == 0 || texts > 0)
                        && texts <= self.texts - other.texts
                })
            })
        };
        let (_, word, _) = other.iter().find(|cell| !enough(cell))?;
        let mut spelling = Vec::new();
        word.spell(&mut spelling);
        Some(spelling)
    }

    /// Adds another bag.
    pub fn merge(&mut self, other: &Self) {
        self.texts += other.texts;
        for (hash, word, sum) in other.iter() {
            self.put(hash, word, sum);
        }
    }

    /// Takes out another bag, of which this one lacks nothing.
    pub fn part(&mut self, other: &Self) {
        self.texts -= other.texts;
        for (hash, word, sum) in other.iter() {
            if let Ok(place) = self.find(hash, word) {
                self.records[place] -= sum.record();
            }
        }
    }
}
