//! What is known of a word in a bag: how often it stands there, in how many texts, and which text had it last.

use std::hint::select_unpredictable;

/// How often a word stands in a bag, and in how many texts.
#[derive(Clone, Copy, Default)]
pub struct Sum {
    pub count: u64,
    pub texts: u32,
}

impl Sum {
    pub fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            texts: self.texts + other.texts,
        }
    }

    pub fn times(self, times: u32) -> Self {
        Self {
            count: self.count * u64::from(times),
            texts: self.texts * times,
        }
    }

    /// What is left without another; None if there is less.
    pub fn without(self, other: Self) -> Option<Self> {
        Some(Self {
            count: self.count.checked_sub(other.count)?,
            texts: self.texts.checked_sub(other.texts)?,
        })
    }
}

/// Marks are numbers of texts below this one; 0 is of none.
pub const MARKS: u32 = 1 << 20;
/// Texts that count so often at once are counted in another way.
pub const OFTEN: u32 = 1 << 19;

/// A number that holds a sum and a mark, so that a record is a whole part of a cache line.
pub trait Record: Copy + Default {
    /// The text with this mark has the word so often (below `OFTEN`) once more. Without a branch: whether a word stands
    /// in a text for the first time is anybody's guess.
    fn bump(&mut self, mark: u32, amount: u32);
    /// Whether it has to be emptied before it is bumped again.
    fn full(self) -> bool;
    fn sum(self) -> Sum;
    /// A record of this sum without a mark; None if it does not fit.
    fn of(sum: Sum) -> Option<Self>;
    /// The same without its mark, and with nothing else.
    fn unmarked(self) -> Self;
    fn emptied(self) -> Self;
}

/// From the lowest bit: count, texts, mark. The highest bits of count and texts are set only in a record that is full.
macro_rules! record {
    ($number:ty, $count:literal, $texts:literal) => {
        impl Record for $number {
            #[inline(always)]
            fn bump(&mut self, mark: u32, amount: u32) {
                let again = Self::from(amount);
                let first = again | again << $count | Self::from(mark) << ($count + $texts);
                let same = (*self >> ($count + $texts)) as u32 == mark;
                *self = select_unpredictable(same, *self + again, self.unmarked() + first);
            }

            #[inline(always)]
            fn full(self) -> bool {
                self & (1 << ($count - 1) | 1 << ($count + $texts - 1)) != 0
            }

            #[inline(always)]
            fn sum(self) -> Sum {
                Sum {
                    count: (self & ((1 << $count) - 1)) as u64,
                    texts: (self.unmarked() >> $count) as u32,
                }
            }

            fn of(sum: Sum) -> Option<Self> {
                let fits = sum.count >> ($count - 1) == 0 && u64::from(sum.texts) >> ($texts - 1) == 0;
                fits.then(|| Self::from(sum.count) | Self::from(sum.texts) << $count)
            }

            #[inline(always)]
            fn unmarked(self) -> Self {
                self & ((1 << ($count + $texts)) - 1)
            }

            fn emptied(self) -> Self {
                self - self.unmarked()
            }
        }
    };
}

record!(u64, 24, 20);
record!(u128, 64, 33);
