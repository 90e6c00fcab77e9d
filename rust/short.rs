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

/// Bits of the number of slots from which on there is room to grow: two megabytes.
const LARGE: u32 = 16;

/// A word, or 0 if it is free: half a cache line, and never parts of two.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Slot {
    key: Block,
    record: Record,
}

impl Short {
    /// With room for so many words.
    pub fn with_room(words: usize) -> Self {
        let bits = (2 * words).next_power_of_two().ilog2().clamp(4, 32);
        // Large tables may grow where they are: what is not used yet is never asked of the system.
        let mut slots = Vec::with_capacity(if bits < LARGE { 1 << bits } else { 4 << bits });
        slots.resize(1 << bits, Slot::default());
        Self {
            slots,
            bits,
            words: 0,
        }
    }

    #[inline(always)]
    fn slot(&self, key: Block) -> usize {
        (Word::of(key).hash() >> (64 - self.bits)) as usize
    }

    /// Makes room for so many new words: the slots of words stay where they are until then.
    #[inline(always)]
    pub fn reserve(&mut self, words: usize) {
        while 8 * (self.words + words) > 5 * self.slots.len() {
            self.grow();
        }
    }

    /// The slot where a word would be first, of which the memory will be asked soon.
    #[inline(always)]
    pub fn ask(&self, key: Block) -> u32 {
        let slot = self.slot(key);
        prefetch(&self.slots, slot);
        slot as u32
    }

    /// A text has these words, with their first slots, so often once more. There is room for all.
    #[inline(always)]
    pub fn count(&mut self, words: &[(Block, u32)], text: u32, amount: u32) {
        let slots = &mut *self.slots;
        for &(key, slot) in words {
            let mut place = slot as usize;
            if slots[place].key != key {
                place = further(slots, &mut self.words, key, place);
            }
            slots[place].record.bump(text, amount);
        }
    }

    #[inline(always)]
    pub fn find_or_add(&mut self, key: Block) -> usize {
        match self.find(key) {
            Ok(place) => place,
            Err(_) => self.add(key),
        }
    }

    /// The word's slot, or the free one where it would go.
    #[inline(always)]
    pub fn find(&self, key: Block) -> Result<usize, usize> {
        find(&self.slots, key, self.slot(key))
    }

    #[cold]
    fn add(&mut self, key: Block) -> usize {
        self.reserve(1);
        let slot = self.slot(key);
        further(&mut self.slots, &mut self.words, key, slot)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = self.slots.len();
        if self.slots.capacity() >= 2 * size {
            return self.spread();
        }
        let mut more = Self::with_room(size);
        for slot in self.slots.iter().filter(|slot| slot.key != 0) {
            let place = more.find(slot.key).unwrap_or_else(|place| place);
            more.slots[place] = *slot;
        }
        (self.slots, self.bits) = (more.slots, more.bits);
    }

    /// Doubles the table in its place: memory that is asked for anew costs more than what is done with it. A word goes
    /// to about twice its slot, so neighbours go from the last to the first, and in their order: those who came early
    /// are the frequent ones, and shall be found at once. What would go over the end comes last.
    fn spread(&mut self) {
        let mut end = self.slots.len();
        self.slots.resize(2 * end, Slot::default());
        self.bits += 1;
        let (mut neighbours, mut late) = (Vec::new(), Vec::new());
        while end > 0 {
            let free = self.slots[..end].iter().rposition(|slot| slot.key == 0);
            let start = free.map_or(0, |free| free + 1);
            neighbours.extend_from_slice(&self.slots[start..end]);
            self.slots[start..end].fill(Slot::default());
            for slot in neighbours.drain(..) {
                let first = self.slot(slot.key);
                match self.slots[first..].iter_mut().find(|slot| slot.key == 0) {
                    Some(free) => *free = slot,
                    None => late.push(slot),
                }
            }
            end = start.saturating_sub(1);
        }
        for slot in late {
            let place = self.find(slot.key).unwrap_or_else(|place| place);
            self.slots[place] = slot;
        }
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

/// The word's slot, from this one on, or the free one where it would go.
#[inline(always)]
fn find(slots: &[Slot], key: Block, mut slot: usize) -> Result<usize, usize> {
    let last = slots.len() - 1;
    loop {
        match slots[slot].key {
            found if found == key => return Ok(slot),
            0 => return Err(slot),
            _ => slot = (slot + 1) & last,
        }
    }
}

/// The slot of a word that is not the first one here: behind it, or new.
#[inline(never)]
fn further(slots: &mut [Slot], words: &mut usize, key: Block, slot: usize) -> usize {
    find(slots, key, slot).unwrap_or_else(|free| {
        slots[free].key = key;
        *words += 1;
        free
    })
}
