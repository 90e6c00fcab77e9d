//! The words of a model, and how those of a text are found among them.

use crate::buffer::prefetch;
use crate::machine::{self, Machine, Task};
use crate::table::slot;
use crate::tokens::{ROOM, Span};
use crate::word::{Block, GROUP, Word, Words, block, marked, written};

/// Words in the order of their hashes, as a model file has them: see `sorted::Sorted`. Any numbers at all are safe.
pub struct Vocabulary<'a> {
    pub bytes: &'a [u8],
    pub starts: &'a [u32],
    pub keys: &'a [u64],
    pub index: &'a [u32],
}

impl Vocabulary<'_> {
    pub fn len(&self) -> usize {
        self.keys.len() / 2
    }

    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        slot(hash, self.index.len() - 1)
    }

    /// The first words of a slot, which most words are one of.
    #[inline(always)]
    fn two(&self, place: u32) -> [Block; 2] {
        let (keys, _) = self.keys.as_chunks::<2>();
        let two = keys.get(place as usize..).and_then(<[_]>::first_chunk::<2>);
        // No word has such a key.
        bytemuck::cast(*two.unwrap_or(&[[u64::MAX; 2]; 2]))
    }

    /// The word's number.
    fn find(&self, hash: u64, word: Word) -> Option<u32> {
        let slot = self.slot(hash);
        let (keys, _) = self.keys.as_chunks::<2>();
        let (mut place, end) = (self.index[slot] as usize, self.index[slot + 1] as usize);
        while place < end.min(keys.len()) {
            if keys[place] == halves(word.first) && (word.rest.is_empty() || self.spells(place, word)) {
                return Some(place as u32);
            }
            place += 1;
        }
        None
    }

    /// The word's number, or one past the last.
    pub fn number(&self, word: &[u8]) -> usize {
        let (mut room, mut others) = (Vec::new(), Vec::new());
        let (hash, first) = written(word, &mut room, &mut others);
        let number = self.find(hash, Word { first, rest: &others });
        number.map_or(self.len(), |number| number as usize)
    }

    /// Whether a word that is longer than a block is the one of this number, whose first block it has.
    #[inline(never)]
    fn spells(&self, number: usize, word: Word) -> bool {
        let (start, end) = (self.starts[number] as usize, self.starts[number + 1] as usize);
        let starts = (start + 16..=end).step_by(16);
        end.saturating_sub(start) / 16 == word.rest.len()
            && starts
                .zip(word.rest)
                .all(|(start, &rest)| rest == self.block(start, end))
    }

    /// The block of a word from this place on; the last word has no room behind it.
    fn block(&self, start: usize, end: usize) -> Block {
        if start + ROOM <= self.bytes.len() {
            return block(self.bytes, start, end.saturating_sub(start));
        }
        let mut room = [0; ROOM];
        let rest = self.bytes.get(start..end).unwrap_or_default();
        let length = rest.len().min(ROOM);
        room[..length].copy_from_slice(&rest[..length]);
        Block::from_le_bytes(room)
    }
}

#[inline(always)]
fn halves(block: Block) -> [u64; 2] {
    [block as u64, (block >> 64) as u64]
}

/// The number of a word that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Looks up the words of texts.
#[derive(Default)]
pub struct Finder {
    words: Words,
    /// The numbers of the words that are known, in their order, and the hashes of those that are not.
    pub found: Vec<u32>,
    pub strange: Vec<u64>,
}

impl Finder {
    /// Looks up the words at these places; `ask` asks the memory for what the word of about this number leads to.
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
    /// The memory is asked for all words of a group before any is looked at. Most words are one of the first two of their
    /// slot; others and long ones come last, since a branch for them would often be mistaken.
    #[inline(always)]
    fn run<M: Machine>(self, machine: M) {
        let vocabulary = self.vocabulary;
        let Finder {
            words,
            found,
            strange,
        } = self.finder;
        let mut numbers = [0; GROUP];
        for some in self.spans.chunks(GROUP) {
            words.take(machine, self.bytes, some);
            let numbers = &mut numbers[..some.len()];
            for &hash in &words.hashes[..some.len()] {
                prefetch(vocabulary.index, vocabulary.slot(hash));
            }
            for (number, &hash) in numbers.iter_mut().zip(&words.hashes) {
                *number = vocabulary.index[vocabulary.slot(hash)];
                prefetch(vocabulary.keys, 2 * *number as usize);
                (self.ask)(*number as usize);
            }
            let mut others = words.long;
            for (place, number) in numbers.iter_mut().enumerate() {
                let same = machine.same_block(&vocabulary.two(*number), words.firsts[place]);
                *number += same >> 1;
                others |= u64::from(same == 0) << place;
            }
            let before = strange.len();
            for place in marked(others) {
                let hash = words.hashes[place];
                numbers[place] = vocabulary.find(hash, words.word(place)).unwrap_or_else(|| {
                    strange.push(hash);
                    UNKNOWN
                });
            }
            if strange.len() == before {
                found.extend_from_slice(numbers);
            } else {
                found.extend(numbers.iter().filter(|&&number| number != UNKNOWN));
            }
        }
    }
}
