//! The words of a model, and how those of a text are found among them.

use crate::buffer::prefetch;
use crate::index::{Bucket, Entry, find, home, number, trace};
use crate::machine::{self, Machine, Task};
use crate::tokens::Span;
use crate::word::{Block, GROUP, Words, kind, marked, written};

/// Words with their index, as a model file has them. Any numbers at all are safe.
pub struct Vocabulary<'a> {
    pub bytes: &'a [u8],
    pub starts: &'a [u32],
    /// See `Index`.
    pub eights: &'a [Bucket],
    pub fifteens: &'a [Bucket],
    pub longs: &'a [Bucket],
}

impl Vocabulary<'_> {
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of a word with this hash and first block.
    fn find(&self, hash: u64, first: Block, word: &[u8]) -> Option<u32> {
        let any = |number| (number as usize) < self.len();
        match kind(word.len()) {
            0 => find(self.eights, hash, first as u64, any),
            1 => find(self.fifteens, hash, first, any),
            _ => find(self.longs, hash, trace(hash), |number| self.spells(number, word)),
        }
    }

    /// The word's number, or one past the last.
    pub fn number(&self, word: &[u8]) -> usize {
        let (mut room, mut others) = (Vec::new(), Vec::new());
        let (hash, first) = written(word, &mut room, &mut others);
        let number = self.find(hash, first, word).filter(|_| !word.is_empty());
        number.map_or(self.len(), |number| number as usize)
    }

    /// Whether this is the word of this number.
    #[inline(always)]
    fn spells(&self, number: u32, word: &[u8]) -> bool {
        let number = number as usize;
        let ends = (self.starts.get(number), self.starts.get(number + 1));
        let (Some(&start), Some(&end)) = ends else {
            return false;
        };
        let own = self.bytes.get(start as usize..end as usize);
        own.is_some_and(|own| same(own, word))
    }
}

/// Whether two words of sixteen bytes or more are the same; mostly that is two blocks, and `memcmp` takes its time.
#[inline(always)]
fn same(one: &[u8], other: &[u8]) -> bool {
    let ends = |word: &[u8]| Some((*word.first_chunk::<16>()?, *word.last_chunk::<16>()?));
    one.len() == other.len() && ends(one) == ends(other) && (one.len() <= 32 || one == other)
}

/// Looks up the words of texts.
#[derive(Default)]
pub struct Finder {
    words: Words,
    /// The numbers of the words that are known, those of a group by their kinds, and the hashes of those that are not.
    pub found: Vec<u32>,
    pub strange: Vec<u64>,
}

impl Finder {
    /// Looks up the words at these places; `ask` asks the memory for what the word of this number leads to.
    pub fn find(&mut self, vocabulary: &Vocabulary, bytes: &[u8], spans: &[Span], ask: impl Fn(usize)) {
        self.found.clear();
        self.strange.clear();
        let able = self.words.able;
        let find = Find {
            finder: self,
            vocabulary,
            bytes,
            spans,
            ask,
        };
        machine::run(able, find);
    }
}

struct Find<'a, F> {
    finder: &'a mut Finder,
    vocabulary: &'a Vocabulary<'a>,
    bytes: &'a [u8],
    spans: &'a [Span],
    ask: F,
}

impl<F: Fn(usize)> Task for Find<'_, F> {
    /// The memory is asked for all words of a group before any is looked at.
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let vocabulary = self.vocabulary;
        let Finder {
            words,
            found,
            strange,
        } = self.finder;
        let Vocabulary {
            eights,
            fifteens,
            longs,
            ..
        } = *vocabulary;
        for some in self.spans.chunks(GROUP) {
            words.take(machine, self.bytes, some);
            let mut homes = [0; GROUP + 8];
            for (place, &hash) in homes.iter_mut().zip(&words.eight_hashes) {
                *place = home(hash, eights.len());
            }
            for &home in homes.iter().take(words.count) {
                prefetch(eights, home);
            }
            for (_, hash) in words.fifteens() {
                prefetch(fifteens, home(hash, fifteens.len()));
            }
            for place in marked(words.long) {
                prefetch(longs, home(words.hashes[place], longs.len()));
            }
            let (mut numbers, mut count) = ([0; GROUP], 0);
            let mut put = |number: Option<u32>, hash: u64| match number {
                Some(number) => {
                    (self.ask)(number as usize);
                    numbers[count % GROUP] = number;
                    count += 1;
                }
                None => strange.push(hash),
            };
            for ((word, hash), &home) in words.eights().zip(&homes) {
                put(look(machine, eights, home, hash, word), hash);
            }
            for (word, hash) in words.fifteens() {
                put(
                    look(machine, fifteens, home(hash, fifteens.len()), hash, word),
                    hash,
                );
            }
            for place in marked(words.long) {
                let (hash, [start, end]) = (words.hashes[place], some[place]);
                let word = &self.bytes[start as usize..end as usize];
                put(vocabulary.find(hash, words.firsts[place], word), hash);
            }
            found.extend_from_slice(&numbers[..count.min(GROUP)]);
        }
    }
}

/// The number of a word of up to fifteen bytes; most are in the bucket where they are looked for first.
#[inline(always)]
fn look<M: Machine, E: Entry>(
    machine: M,
    buckets: &[Bucket],
    home: usize,
    hash: u64,
    word: E,
) -> Option<u32> {
    let bucket = buckets.get(home)?;
    match word.same(machine, bucket) {
        0 => further(buckets, hash, word),
        same => Some(number::<E>(bucket, same.trailing_zeros())),
    }
}

#[inline(never)]
fn further<E: Entry>(buckets: &[Bucket], hash: u64, word: E) -> Option<u32> {
    find(buckets, hash, word, |_| true)
}
