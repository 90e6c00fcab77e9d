//! The words of one class: how often each stands there, and in how many texts.

use crate::long::Long;
use crate::machine::{self, Machine, Task};
use crate::short::{Eight, Fifteen, Short};
use crate::sorted::Heap;
use crate::sum::{MARKS, OFTEN, Sum};
use crate::tokens::Tokens;
use crate::word::{GROUP, Word, Words};

#[derive(Clone)]
pub struct Bag {
    /// Words of up to eight bytes, and of up to fifteen.
    eight: Eight,
    fifteen: Fifteen,
    long: Long,
    /// How many texts were counted, by the amount of each.
    pub texts: u32,
    /// The mark of the text that was counted last.
    mark: u32,
}

/// Counting the words of a text.
struct Count<'a> {
    bag: &'a mut Bag,
    tokens: &'a Tokens,
    amount: u32,
    words: &'a mut Words,
}

impl Task for Count<'_> {
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let Self {
            bag,
            tokens,
            amount,
            words,
        } = self;
        for some in tokens.spans.chunks(GROUP) {
            words.take(machine, &tokens.bytes, some);
            // Words stay where they are until all are counted.
            bag.eight.reserve(GROUP);
            bag.fifteen.reserve(GROUP);
            words.eights().for_each(|(_, hash)| bag.eight.ask(hash));
            words.fifteens().for_each(|(_, hash)| bag.fifteen.ask(hash));
            bag.long.ask(words);
            bag.eight.count(machine, words.eights(), bag.mark, amount);
            bag.fifteen.count(machine, words.fifteens(), bag.mark, amount);
            bag.long.count(words, bag.mark, amount);
        }
    }
}

impl Default for Bag {
    fn default() -> Self {
        Self::with_room([0; 3], 0)
    }
}

impl Bag {
    /// A bag of so many texts, with room for so many words of each kind.
    pub fn with_room([eight, fifteen, long]: [usize; 3], texts: u32) -> Self {
        Self {
            eight: Short::with_room(eight),
            fifteen: Short::with_room(fifteen),
            long: Long::with_room(long),
            texts,
            mark: 0,
        }
    }

    /// How many words there are at most.
    pub fn len(&self) -> usize {
        self.eight.words + self.fifteen.words + self.long.words
    }

    /// Counts a text `amount` times; the same as counting it so often.
    pub fn count(&mut self, tokens: &Tokens, amount: u32, words: &mut Words) {
        if amount >= OFTEN {
            let mut once = Self::default();
            once.count(tokens, 1, words);
            return self.merge(&once, amount);
        }
        self.texts += amount;
        self.mark += 1;
        if self.mark == MARKS {
            self.eight.unmark();
            self.fifteen.unmark();
            self.long.unmark();
            self.mark = 1;
        }
        let able = words.able;
        let count = Count {
            bag: self,
            tokens,
            amount,
            words,
        };
        machine::run(able, count);
    }

    fn sum(&self, hash: u64, word: Word) -> Option<Sum> {
        match (word.rest, word.first.try_into()) {
            ([], Ok(word)) => self.eight.sum(word),
            ([], Err(_)) => self.fifteen.sum(word.first),
            _ => self.long.sum(hash, word),
        }
    }

    fn change(&mut self, hash: u64, word: Word, change: impl FnOnce(Sum) -> Sum) {
        match (word.rest, word.first.try_into()) {
            ([], Ok(word)) => self.eight.change(word, change),
            ([], Err(_)) => self.fifteen.change(word.first, change),
            _ => self.long.change(hash, word, change),
        }
    }

    /// Puts the words of a range of hashes on a heap, and some others.
    #[inline(always)]
    pub fn near<'a>(&'a self, heap: &mut Heap<'a>) {
        let Heap { range, ranges, .. } = *heap;
        self.eight
            .near(range, ranges, |word, sum| heap.put(Word::of(word.into()), sum));
        self.fifteen
            .near(range, ranges, |word, sum| heap.put(Word::of(word), sum));
        self.long.near(range, ranges, |word, sum| heap.put(word, sum));
    }

    /// Words that are there, with their hashes and sums.
    fn iter(&self) -> impl Iterator<Item = (u64, Word<'_>, Sum)> {
        let eight = self.eight.iter().map(|(word, sum)| (Word::of(word.into()), sum));
        let fifteen = self.fifteen.iter().map(|(word, sum)| (Word::of(word), sum));
        let words = eight.chain(fifteen).chain(self.long.iter());
        words
            .filter(|(_, sum)| sum.texts > 0)
            .map(|(word, sum)| (word.hash(), word, sum))
    }

    /// Adds to the sums of a word.
    pub fn put(&mut self, hash: u64, word: Word, sum: Sum) {
        self.change(hash, word, |own| own.with(sum));
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
            let own = self.sum(*hash, *word);
            own.and_then(|own| own.without(*less)).is_some_and(possible)
        };
        let (_, word, _) = other.iter().find(|cell| !enough(cell))?;
        let mut spelling = Vec::new();
        word.spell(&mut spelling);
        Some(spelling)
    }

    /// Adds another bag so many times.
    pub fn merge(&mut self, other: &Self, times: u32) {
        self.texts += times * other.texts;
        for (hash, word, sum) in other.iter() {
            self.put(hash, word, sum.times(times));
        }
    }

    /// Takes out another bag, of which this one lacks nothing.
    pub fn part(&mut self, other: &Self) {
        self.texts -= other.texts;
        for (hash, word, sum) in other.iter() {
            self.change(hash, word, |own| own.without(sum).unwrap_or_default());
        }
    }
}
