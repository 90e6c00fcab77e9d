//! A word as blocks of sixteen bytes, and its hash, which orders the words of a model file.
//!
//! The last block, and only that, ends with a zero byte: no word holds one. So a word is told from the start of
//! a longer one without its length, and most words are one comparison.

use crate::tokens::{ROOM, Span};

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
    let product = u128::from(low ^ hash ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
    (product as u64) ^ ((product >> 64) as u64)
}

/// How many words go together.
pub const GROUP: usize = 64;

/// Some words with their hashes, so that the memory can be asked for all of them before any is used.
pub struct Words {
    count: usize,
    hashes: [u64; GROUP],
    firsts: [Block; GROUP],
    /// Where the other blocks of long words start.
    starts: [u32; GROUP],
    others: Vec<Block>,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            count: 0,
            hashes: [0; GROUP],
            firsts: [0; GROUP],
            starts: [0; GROUP],
            others: Vec::new(),
        }
    }
}

impl Words {
    /// Takes up at most `GROUP` tokens, and calls with the hash of each.
    #[inline(always)]
    pub fn take(&mut self, bytes: &[u8], spans: &[Span], mut each: impl FnMut(u64)) {
        self.others.clear();
        self.count = spans.len().min(GROUP);
        let room = self.hashes.iter_mut().zip(&mut self.firsts).zip(&mut self.starts);
        for (&[start, end], ((hash, first), others)) in spans.iter().zip(room) {
            let (start, end) = (start as usize, end as usize);
            *first = block(bytes, start, end - start);
            *hash = mixed(0, *first);
            if end - start >= 16 {
                *others = self.others.len() as u32;
                *hash = long(bytes, start + 16, end, *hash, &mut self.others);
            }
            each(*hash);
        }
    }

    #[inline(always)]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes[..self.count]
    }

    /// Calls with every word, in order; long ones in another way, so that the usual one is straight.
    #[inline(always)]
    pub fn each(&self, mut call: impl FnMut(usize, u64, Word)) {
        for (number, (&hash, &first)) in self.hashes().iter().zip(&self.firsts).enumerate() {
            if goes_on(first) {
                call(number, hash, self.word(number));
            } else {
                call(number, hash, Word { first, rest: &[] });
            }
        }
    }

    /// The word of this number.
    #[inline(always)]
    pub fn word(&self, number: usize) -> Word<'_> {
        let first = self.firsts[number];
        let blocks = self
            .others
            .get(self.starts[number] as usize..)
            .unwrap_or_default();
        let last = blocks.iter().position(|&block| !goes_on(block));
        let long = if goes_on(first) {
            last.map_or(0, |last| last + 1)
        } else {
            0
        };
        Word {
            first,
            rest: &blocks[..long],
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
    let room = bytes
        .get(start..start + ROOM)
        .and_then(<[u8]>::first_chunk::<ROOM>);
    Block::from_le_bytes(*room.unwrap_or(&[0; ROOM])) & MASKS[length.min(16)]
}

/// A word of up to eight bytes; 0 for a longer one.
#[inline(always)]
pub fn eight(bytes: &[u8], start: usize, length: usize) -> u64 {
    let room = bytes.get(start..start + 8).and_then(<[u8]>::first_chunk);
    u64::from_le_bytes(*room.unwrap_or(&[0; 8])) & EIGHT[length.min(9)]
}

static EIGHT: [u64; 10] = {
    let mut masks = [0; 10];
    let mut length = 0;
    while length <= 8 {
        masks[length] = MASKS[length] as u64;
        length += 1;
    }
    masks
};

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
