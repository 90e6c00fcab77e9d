//! What a cell may hold.

use crate::buffer::Cells;
use crate::sparse::Sparse;
use multiversion::multiversion;

/// Beyond this the square of a number would overflow: as good as infinite.
pub const LARGEST: f64 = 1e150;

/// Numbers from `low` to `high`, perhaps whole, perhaps missing (NaN).
#[derive(Clone, Copy)]
pub struct Support {
    low: f64,
    high: f64,
    whole: bool,
    missing: bool,
}

impl Support {
    pub fn named(name: &str, missing: bool) -> Option<Self> {
        let (low, high, whole) = match name {
            "binary" => (0.0, 1.0, true),
            "count" => (0.0, LARGEST, true),
            "nonnegative" => (0.0, LARGEST, false),
            "positive" => (f64::from_bits(1), LARGEST, false),
            "real" => (-LARGEST, LARGEST, false),
            _ => return None,
        };
        Some(Self {
            low,
            high,
            whole,
            missing,
        })
    }

    #[inline(always)]
    fn holds(self, x: f64) -> bool {
        let whole = !self.whole | whole(x);
        ((x >= self.low) & (x <= self.high) & whole) | (self.missing & x.is_nan())
    }

    /// Whether the support holds all small whole numbers.
    pub fn holds_small(self) -> bool {
        self.holds(0.0) && self.holds(65535.0)
    }

    /// Whether the support holds every cell. No early end, so that the loop is one of vectors.
    #[inline(always)]
    pub fn holds_all(self, cells: &[f64]) -> bool {
        let outside = cells.iter().fold(0, |bad, &x| bad | u64::from(!self.holds(x)));
        outside == 0
    }
}

const WHOLE: f64 = (1u64 << 52) as f64;

/// Whether a number that is not negative is whole: adding 2^52 drops what comes after the point.
#[inline(always)]
pub fn whole(x: f64) -> bool {
    (x >= WHOLE) | ((x + WHOLE) - WHOLE == x)
}

/// The place of the first cell outside the support; looks closer only where a block has one.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn first(cells: &[f64], support: Support) -> Option<usize> {
    let block = cells.chunks(BLOCK).position(|block| !support.holds_all(block))?;
    let here = cells[block * BLOCK..].iter().position(|&x| !support.holds(x))?;
    Some(block * BLOCK + here)
}

/// Cells that are copied or looked at in one go: they stay in the first-level cache.
pub const BLOCK: usize = 4096;

/// Row and column of the first cell outside the support.
pub fn offender(x: &Cells<f64>, support: Support) -> Option<(usize, usize)> {
    let (rows, columns) = x.shape();
    let mut scratch = Vec::new();
    let step = (BLOCK / columns.max(1)).max(1);
    (0..rows).step_by(step).find_map(|start| {
        let block = x.part(start..(start + step).min(rows), 0..columns, &mut scratch);
        (start..(start + step).min(rows)).find_map(|row| Some((row, first(block.row(row - start), support)?)))
    })
}

/// The first entry outside the support.
pub fn offending_entry(x: &Sparse, support: Support) -> Option<usize> {
    let mut scratch = Vec::new();
    let entries = x.entries();
    entries.clone().step_by(BLOCK).find_map(|start| {
        let part = x
            .data
            .part(0..1, start..(start + BLOCK).min(entries.end), &mut scratch);
        Some(start + first(part.row(0), support)?)
    })
}
