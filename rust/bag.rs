//! The words of one class: how often each stands there, and in how many texts.

use multiversion::multiversion;

use crate::long::Long;
use crate::short::Short;
use crate::sum::{Record, Sum};
use crate::table::slot;
use crate::tokens::Tokens;
use crate::word::{Block, GROUP, Word, Words, first, marked};

#[derive(Clone)]
pub struct Bag {
    short: Short,
    long: Long,
    /// How many texts were counted, by the amount of each.
    pub texts: u32,
}

/// Where a word is.
#[derive(Clone, Copy)]
enum Place {
    Short(u32),
    Long(u32),
}

/// What counting a text needs: its words parted by length, some at a time.
pub struct Counter {
    /// Words of one block, with their first slots.
    short: [(Block, u32); GROUP],
    spans: [(u32, u32); GROUP],
    words: Words,
}

impl Default for Counter {
    fn default() -> Self {
        Self {
            short: [(0, 0); GROUP],
            spans: [(0, 0); GROUP],
            words: Words::default(),
        }
    }
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2"))]
fn count(bag: &mut Bag, tokens: &Tokens, amount: u32, counter: &mut Counter) {
    let Counter {
        short: shorts,
        spans,
        words,
    } = counter;
    for some in tokens.spans.chunks(GROUP) {
        bag.short.reserve(some.len());
        // All are written down, and the next one over those that are long: a branch would often be mistaken.
        let (mut short, mut longs) = (0, 0_u64);
        for &(start, end) in some {
            let length = end.wrapping_sub(start);
            let key = first(&tokens.bytes, start as usize, length as usize);
            shorts[short % GROUP] = (key, bag.short.ask(key));
            short += usize::from(length.wrapping_sub(1) < 15);
            longs = longs + longs + u64::from(length > 15);
        }
        bag.short.count(&shorts[..short], bag.texts, amount);
        if longs != 0 {
            let mut long = 0;
            for (span, place) in spans.iter_mut().zip(marked(longs, some.len())) {
                *span = some[place];
                long += 1;
            }
            bag.long
                .count(&tokens.bytes, &spans[..long], bag.texts, amount, words);
        }
    }
}

impl Default for Bag {
    fn default() -> Self {
        Self::with_room(0, 0)
    }
}

impl Bag {
    /// A bag of so many texts, with room for so many words, of which few are long.
    pub fn with_room(words: usize, texts: u32) -> Self {
        Self {
            short: Short::with_room(words),
            long: Long::with_room(0),
            texts,
        }
    }

    /// How many words there are at most.
    pub fn len(&self) -> usize {
        self.short.words + self.long.words
    }

    /// Counts a text `amount` times; the same as counting it so often. Only for a bag that was never merged or
    /// parted: the number of its texts names the text at hand.
    pub fn count(&mut self, tokens: &Tokens, amount: u32, counter: &mut Counter) {
        self.texts += amount;
        count(self, tokens, amount, counter);
    }

    fn find(&self, hash: u64, word: Word) -> Option<Place> {
        match word.short() {
            Some(key) => self.short.find(key).ok().map(|place| Place::Short(place as u32)),
            None => self
                .long
                .find(hash, word)
                .ok()
                .map(|place| Place::Long(place as u32)),
        }
    }

    fn change(&mut self, place: Place, change: impl FnOnce(&mut Record)) {
        match place {
            Place::Short(place) => change(self.short.record_mut(place as usize)),
            Place::Long(place) => self.long.change(place as usize, change),
        }
    }

    /// Where the words are that are there, with their hashes.
    fn held(&self) -> impl Iterator<Item = (Place, u64)> {
        let hash = |key| Word::of(key).hash();
        let short = self
            .short
            .iter()
            .map(move |(place, key)| (Place::Short(place as u32), hash(key)));
        let long = self
            .long
            .iter()
            .map(|(place, hash)| (Place::Long(place as u32), hash));
        short.chain(long).filter(|&(place, _)| self.sum(place).texts > 0)
    }

    /// Calls with the words that are there whose hashes are of this range of so many, a power of two.
    pub fn within<'a>(&'a self, range: usize, ranges: usize, mut call: impl FnMut(u64, Word<'a>, Sum)) {
        let mut there = |hash, word, record: Record| {
            let sum = record.sum();
            if sum.texts > 0 && slot(hash, ranges) == range {
                call(hash, word, sum);
            }
        };
        self.short.near(range, ranges, |key, record| {
            there(Word::of(key).hash(), Word::of(key), record);
        });
        self.long
            .near(range, ranges, |word, record| there(word.hash(), word, record));
    }

    /// The word at this place.
    fn word(&self, place: Place) -> Option<Word<'_>> {
        match place {
            Place::Short(place) => Some(Word::of(self.short.key(place as usize))),
            Place::Long(place) => self.long.word(place as usize),
        }
    }

    fn sum(&self, place: Place) -> Sum {
        match place {
            Place::Short(place) => self.short.record(place as usize).sum(),
            Place::Long(place) => self.long.record(place as usize).sum(),
        }
    }

    /// Words that are there, with their hashes and sums.
    fn iter(&self) -> impl Iterator<Item = (u64, Word<'_>, Sum)> {
        self.held()
            .filter_map(|(place, hash)| Some((hash, self.word(place)?, self.sum(place))))
    }

    /// Adds to the sums of a word.
    pub fn put(&mut self, hash: u64, word: Word, sum: Sum) {
        let place = match word.short() {
            Some(key) => Place::Short(self.short.find_or_add(key) as u32),
            None => Place::Long(self.long.find_or_add(hash, word) as u32),
        };
        self.change(place, |record| record.add(sum));
    }

    /// What another bag has more of than this one: a word, or no word if it is texts.
    pub fn lacks(&self, other: &Self) -> Option<Vec<u8>> {
        let Some(texts) = self.texts.checked_sub(other.texts) else {
            return Some(Vec::new());
        };
        // What is left must be possible too: in so many of the texts left, as often at least.
        let possible = |left: Sum| {
            left.count >= u64::from(left.texts) && (left.count == 0 || left.texts > 0) && left.texts <= texts
        };
        let enough = |(hash, word, less): &(u64, Word, Sum)| {
            let own = self.find(*hash, *word).map(|place| self.sum(place));
            own.and_then(|own| own.without(*less)).is_some_and(possible)
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
            if let Some(place) = self.find(hash, word) {
                self.change(place, |record| record.take(sum));
            }
        }
    }
}
