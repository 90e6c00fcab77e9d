//! A word as blocks of sixteen bytes, and its hash, which orders the words of a model file.
//!
//! The last block, and only that, ends with a zero byte: no word holds one. So a word is told from the start of
//! a longer one without its length, and most words are one comparison.

use crate::machine::Machine;
use crate::tokens::{ROOM, Span};
use crate::wide::{Able, able};

pub type Block = u128;

/// Whether another block follows.
#[inline(always)]
pub fn goes_on(block: Block) -> bool {
    block >> 120 != 0
}

/// A word: its first block, and the others.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct Word<'a> {
    pub first: Block,
    pub rest: &'a [Block],
}

/// By hand: `memcmp` of rests that are empty took 40% of ordering words.
impl PartialEq for Word<'_> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.first == other.first && (self.rest.is_empty() || self.rest == other.rest)
    }
}

impl Word<'_> {
    /// A word of one block.
    #[inline(always)]
    pub fn of(first: Block) -> Self {
        Self { first, rest: &[] }
    }

    #[inline(always)]
    pub fn hash(self) -> u64 {
        self.rest
            .iter()
            .fold(mixed(0, self.first), |hash, &block| mixed(hash, block))
    }

    /// Appends the bytes of the word.
    pub fn spell(self, into: &mut Vec<u8>) {
        for &block in [self.first].iter().chain(self.rest) {
            into.extend_from_slice(&block.to_le_bytes()[..length(block)]);
        }
    }
}

/// The kind of a word of so many bytes: up to eight, up to fifteen, more.
#[inline(always)]
pub fn kind(length: usize) -> usize {
    usize::from(length > 8) + usize::from(length > 15)
}

/// How many bytes of a block are a word's.
#[inline(always)]
pub fn length(block: Block) -> usize {
    16 - block.leading_zeros() as usize / 8
}

/// The hash of a word whose earlier blocks have this one (0: none).
///
/// Part of the file format: the words of a model stand in the order of their hashes.
#[inline(always)]
fn mixed(hash: u64, block: Block) -> u64 {
    let (low, high) = (block as u64, (block >> 64) as u64);
    let product = u128::from(low ^ hash ^ KEYS[0]) * u128::from(high ^ KEYS[1]);
    (product as u64) ^ ((product >> 64) as u64)
}

pub const KEYS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93];

/// How many words go together.
pub const GROUP: usize = 64;

/// Some words with their hashes, so that the memory can be asked for all of them before any is used.
#[repr(align(64))]
pub struct Words {
    pub firsts: [Block; GROUP],
    pub hashes: [u64; GROUP],
    /// Which of them have more than eight bytes and up to fifteen, and which have more: a bit for each.
    pub fifteen: u64,
    pub long: u64,
    /// So many have up to eight bytes: they stand here once more, with their hashes.
    pub count: usize,
    pub eights: [u64; GROUP + 8],
    pub eight_hashes: [u64; GROUP + 8],
    /// The other blocks of long words, and where those of each start.
    others: Vec<Block>,
    starts: [u32; GROUP],
    /// Whether the processor is asked to take many at once.
    pub able: Option<Able>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            firsts: [0; GROUP],
            hashes: [0; GROUP],
            fifteen: 0,
            long: 0,
            count: 0,
            eights: [0; GROUP + 8],
            eight_hashes: [0; GROUP + 8],
            others: Vec::new(),
            starts: [0; GROUP],
            able: able(),
        }
    }
}

impl Words {
    /// Takes up at most `GROUP` tokens.
    #[inline(always)]
    pub fn take<M: Machine>(&mut self, machine: M, bytes: &[u8], spans: &[Span]) {
        machine.take(self, bytes, spans);
        if self.long != 0 {
            self.take_rests(bytes, spans);
        }
    }

    /// See `Machine::take`.
    #[inline(always)]
    pub fn take_first(&mut self, bytes: &[u8], spans: &[Span]) {
        (self.count, self.fifteen, self.long) = (0, 0, 0);
        let room = self.firsts.iter_mut().zip(&mut self.hashes);
        for (place, ((first, hash), &[start, end])) in room.zip(spans).enumerate() {
            let length = end.wrapping_sub(start);
            *first = block(bytes, start as usize, length as usize);
            *hash = mixed(0, *first);
            // The next one is written over those that are longer: a branch would often be mistaken.
            self.eights[self.count % GROUP] = *first as u64;
            self.eight_hashes[self.count % GROUP] = *hash;
            self.count += usize::from(length.wrapping_sub(1) < 8);
            self.fifteen |= u64::from(length.wrapping_sub(9) < 7) << place;
            self.long |= u64::from(length > 15) << place;
        }
    }

    fn take_rests(&mut self, bytes: &[u8], spans: &[Span]) {
        self.others.clear();
        for place in marked(self.long) {
            let [start, end] = spans[place].map(|place| place as usize);
            self.starts[place] = self.others.len() as u32;
            self.hashes[place] = long(bytes, start + 16, end, self.hashes[place], &mut self.others);
        }
    }

    /// Words of up to eight bytes, and of up to fifteen, with their hashes.
    #[inline(always)]
    pub fn eights(&self) -> impl Iterator<Item = (u64, u64)> {
        let words = self.eights[..self.count.min(GROUP)].iter().copied();
        words.zip(self.eight_hashes.iter().copied())
    }

    #[inline(always)]
    pub fn fifteens(&self) -> impl Iterator<Item = (Block, u64)> {
        marked(self.fifteen).map(|place| (self.firsts[place], self.hashes[place]))
    }

    /// The word at this place.
    #[inline(always)]
    pub fn word(&self, place: usize) -> Word<'_> {
        let first = self.firsts[place];
        if !goes_on(first) {
            return Word::of(first);
        }
        let blocks = self.others.get(self.starts[place] as usize..).unwrap_or_default();
        let last = blocks.iter().position(|&block| !goes_on(block));
        Word {
            first,
            rest: &blocks[..last.map_or(0, |last| last + 1)],
        }
    }
}

/// The places of the bits that are set.
#[inline(always)]
pub fn marked(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place as usize)
    })
}

/// Appends the blocks of the rest of a long word, and returns the hash of all.
#[inline(always)]
fn long(bytes: &[u8], start: usize, end: usize, mut hash: u64, others: &mut Vec<Block>) -> u64 {
    for start in (start..=end).step_by(16) {
        let block = block(bytes, start, end - start);
        hash = mixed(hash, block);
        others.push(block);
    }
    hash
}

/// The sixteen bytes from here, or as many as belong to the word; there is `ROOM` behind it.
#[inline(always)]
pub fn block(bytes: &[u8], start: usize, length: usize) -> Block {
    sixteen(bytes, start) & MASKS[length.min(16)]
}

#[inline(always)]
fn sixteen(bytes: &[u8], start: usize) -> Block {
    let room = bytes
        .get(start..start + ROOM)
        .and_then(<[u8]>::first_chunk::<ROOM>);
    Block::from_le_bytes(*room.unwrap_or(&[0; ROOM]))
}

/// The first so many bytes of a block.
static MASKS: [Block; 17] = {
    let mut masks = [Block::MAX; 17];
    let mut length = 0;
    while length < 16 {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// A word on its own, from its bytes.
pub fn written(bytes: &[u8], room: &mut Vec<u8>, others: &mut Vec<Block>) -> (u64, Block) {
    room.clear();
    room.extend_from_slice(bytes);
    room.resize(bytes.len() + ROOM, 0);
    others.clear();
    let first = block(room, 0, bytes.len());
    let mut hash = mixed(0, first);
    if bytes.len() >= 16 {
        hash = long(room, 16, bytes.len(), hash, others);
    }
    (hash, first)
}
