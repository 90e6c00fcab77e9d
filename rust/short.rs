//! Words of one block, which nearly all are: a hash table with the words and their records in its slots, so that a
//! word is one look at the memory.

use crate::buffer::prefetch;
use crate::sum::Record;
use crate::table::near;
use crate::word::{Block, Word};

#[derive(Clone)]
pub struct Short {
    slots: Vec<Slot>,
    bits: u32,
    pub words: usize,
}

/// A word, or 0 if it is free: half a cache line.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: Block,
    record: Record,
}

impl Short {
    /// With room for so many words.
    pub fn with_room(words: usize) -> Self {
        let bits = (2 * words).next_power_of_two().ilog2().clamp(4, 30);
        Self {
            slots: vec![Slot::default(); 1 << bits],
            bits,
            words: 0,
        }
    }

    #[inline(always)]
    fn slot(&self, key: Block) -> usize {
        (Word::of(key).hash() >> (64 - self.bits)) as usize
    }

    /// Says that this word will be asked for soon.
    #[inline(always)]
    pub fn prefetch(&self, key: Block) {
        prefetch(&self.slots, self.slot(key));
    }

    /// A text has these words so often once more.
    #[inline(always)]
    pub fn count(&mut self, keys: &[Block], text: u32, amount: u32) {
        for &key in keys {
            let place = self.find_or_add(key);
            self.slots[place].record.bump(text, amount);
        }
    }

    #[inline(always)]
    pub fn find_or_add(&mut self, key: Block) -> usize {
        match self.find(key) {
            Ok(place) => place,
            Err(slot) => self.add(key, slot),
        }
    }

    /// The word's slot, or the free one where it would go.
    #[inline(always)]
    pub fn find(&self, key: Block) -> Result<usize, usize> {
        let (mut slot, last) = (self.slot(key), self.slots.len() - 1);
        loop {
            match self.slots[slot].key {
                found if found == key => return Ok(slot),
                0 => return Err(slot),
                _ => slot = (slot + 1) & last,
            }
        }
    }

    #[cold]
    fn add(&mut self, key: Block, mut slot: usize) -> usize {
        if 8 * self.words >= 5 * self.slots.len() {
            self.grow();
            slot = self.find(key).unwrap_or_else(|slot| slot);
        }
        self.slots[slot].key = key;
        self.words += 1;
        slot
    }

    fn grow(&mut self) {
        let mut more = Self::with_room(self.slots.len());
        for slot in self.slots.iter().filter(|slot| slot.key != 0) {
            let place = more.find(slot.key).unwrap_or_else(|place| place);
            more.slots[place] = *slot;
        }
        (self.slots, self.bits) = (more.slots, more.bits);
    }

    /// Places and words.
    pub fn iter(&self) -> impl Iterator<Item = (usize, Block)> {
        let keys = self.slots.iter().map(|slot| slot.key).enumerate();
        keys.filter(|&(_, key)| key != 0)
    }

    /// Calls with the words of a range of hashes, and some others: those that stand where the range's would.
    pub fn near(&self, range: usize, ranges: usize, mut call: impl FnMut(Block, Record)) {
        for slot in near(range, ranges, &self.slots, |slot| slot.key == 0) {
            call(slot.key, slot.record);
        }
    }

    pub fn key(&self, place: usize) -> Block {
        self.slots[place].key
    }

    pub fn record(&self, place: usize) -> Record {
        self.slots[place].record
    }

    pub fn record_mut(&mut self, place: usize) -> &mut Record {
        &mut self.slots[place].record
    }
}
