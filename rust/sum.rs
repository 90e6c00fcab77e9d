//! What is known of a word in a bag: how often it stands there, in how many texts, and which text had it last.

use std::hint::select_unpredictable;

/// Count, texts and last text in one number, so that a record is a whole part of a cache line.
#[derive(Clone, Copy, Default)]
pub struct Record(u128);

/// The two that count.
#[derive(Clone, Copy)]
pub struct Sum {
    pub count: u64,
    pub texts: u32,
}

impl Record {
    #[inline(always)]
    pub fn sum(self) -> Sum {
        Sum {
            count: self.0 as u64,
            texts: (self.0 >> 64) as u32,
        }
    }

    /// The text of this number has the word so often once more. Without a branch: whether a word stands in a text for
    /// the first time is anybody's guess.
    #[inline(always)]
    pub fn bump(&mut self, text: u32, amount: u32) {
        let (count, rest) = (self.0 as u64, (self.0 >> 64) as u64);
        let fresh = select_unpredictable((rest >> 32) as u32 == text, 0, amount);
        let texts = rest as u32 + fresh;
        let rest = u64::from(text) << 32 | u64::from(texts);
        self.0 = u128::from(count + u64::from(amount)) | u128::from(rest) << 64;
    }

    pub fn add(&mut self, sum: Sum) {
        self.0 += sum.number();
    }

    /// Takes out what must be there.
    pub fn take(&mut self, sum: Sum) {
        self.0 -= sum.number();
    }

    /// As a number, and back.
    pub fn number(self) -> u128 {
        self.0
    }

    pub fn of(number: u128) -> Self {
        Self(number)
    }
}

impl Sum {
    fn number(self) -> u128 {
        u128::from(self.count) | u128::from(self.texts) << 64
    }

    /// What is left without another; None if there is less.
    pub fn without(self, other: Self) -> Option<Self> {
        Some(Self {
            count: self.count.checked_sub(other.count)?,
            texts: self.texts.checked_sub(other.texts)?,
        })
    }
}
