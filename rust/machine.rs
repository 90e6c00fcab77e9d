//! What is done with many words at once, in the way of whatever processor there is.

use multiversion::multiversion;

use crate::tokens::Span;
use crate::wide::Able;
use crate::word::{Block, Words};

/// A way of doing it. All ways have the same results.
pub trait Machine: Copy {
    /// Takes up the words at these places, at most `GROUP`: their first blocks and hashes, parted by length.
    fn take(self, words: &mut Words, bytes: &[u8], spans: &[Span]);
    /// Which of the numbers are the one looked for: a bit for each.
    fn same(self, numbers: &[u64; 4], number: u64) -> u32;
    /// The same of blocks.
    fn same_block(self, blocks: &[Block; 2], block: Block) -> u32;
    /// The same of a line of the cache, as eight numbers and as four blocks.
    fn same_of_eight(self, line: &[u64; 8], number: u64) -> u32;
    fn same_of_four(self, line: &[u64; 8], block: Block) -> u32;
}

/// Work that goes in any way.
pub trait Task {
    fn run<M: Machine>(self, machine: M);
}

/// Does some work, in the best way there is.
#[inline(always)]
pub fn run<T: Task>(able: Option<Able>, task: T) {
    match able {
        Some(able) => able.run(task),
        None => plainly(task),
    }
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn plainly<T: Task>(task: T) {
    task.run(Plain);
}

/// The way of any processor.
#[derive(Clone, Copy)]
pub struct Plain;

impl Machine for Plain {
    #[inline(always)]
    fn take(self, words: &mut Words, bytes: &[u8], spans: &[Span]) {
        words.take_first(bytes, spans);
    }

    /// All are compared, since nobody foresees which it is.
    #[inline(always)]
    fn same(self, numbers: &[u64; 4], number: u64) -> u32 {
        let mut same = 0;
        for (place, own) in numbers.iter().enumerate() {
            same |= u32::from(*own == number) << place;
        }
        same
    }

    #[inline(always)]
    fn same_block(self, blocks: &[Block; 2], block: Block) -> u32 {
        u32::from(blocks[0] == block) | u32::from(blocks[1] == block) << 1
    }

    #[inline(always)]
    fn same_of_eight(self, line: &[u64; 8], number: u64) -> u32 {
        let mut same = 0;
        for (place, own) in line.iter().enumerate() {
            same |= u32::from(*own == number) << place;
        }
        same
    }

    #[inline(always)]
    fn same_of_four(self, line: &[u64; 8], block: Block) -> u32 {
        let halves = [block as u64, (block >> 64) as u64];
        let mut same = 0;
        for (place, own) in line.as_chunks::<2>().0.iter().enumerate() {
            same |= u32::from(*own == halves) << place;
        }
        same
    }
}
