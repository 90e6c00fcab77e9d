//! Number, mean and scatter (sum of squared deviations) per class and column.

use std::ops::Range;

use multiversion::multiversion;

use crate::buffer::{Cells, Part};
use crate::labels::Labels;
use crate::support::Support;
use crate::threads::{pieces, share, threads};

/// Columns side by side, as many as a vector register and a cache line hold; the last ones are filled up with zeros.
pub const LANES: usize = 8;
pub type Lanes = [f64; LANES];

/// Calls with each group of sums and the cells that belong to it.
#[inline(always)]
fn each(sums: &mut [Sums], cells: &[f64], group: impl Fn(&mut Sums, &Lanes)) {
    let (whole, rest) = cells.as_chunks();
    for (sums, cells) in sums.iter_mut().zip(whole) {
        group(sums, cells);
    }
    if let Some(sums) = sums.get_mut(whole.len()) {
        let mut last = [0.0; LANES];
        for (into, &cell) in last.iter_mut().zip(rest) {
            *into = cell;
        }
        group(sums, &last);
    }
}

#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Moments {
    n: Lanes,
    mean: Lanes,
    scatter: Lanes,
}

impl Moments {
    /// Chan's formula: the moments of two groups from the moments of each; either may be empty.
    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        for lane in 0..LANES {
            let n = self.n[lane] + other.n[lane];
            let share = if n > 0.0 { other.n[lane] / n } else { 0.0 };
            let apart = other.mean[lane] - self.mean[lane];
            self.mean[lane] += apart * share;
            self.scatter[lane] += other.scatter[lane] + apart * apart * (self.n[lane] * share);
            self.n[lane] = n;
        }
    }
}

/// Sums of one class and group of columns in one block: of the weights, and of the distances from an origin.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
struct Sums {
    origin: Lanes,
    n: Lanes,
    first: Lanes,
    second: Lanes,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, cells: &Lanes, weight: f64) {
        for (lane, &x) in cells.iter().enumerate() {
            let off = x - self.origin[lane];
            self.first[lane] += weight * off;
            self.second[lane] += weight * off * off;
        }
    }

    /// The same, where a cell may be missing.
    #[inline(always)]
    fn add_there(&mut self, cells: &Lanes, weight: f64) {
        for (lane, &x) in cells.iter().enumerate() {
            let there = !x.is_nan();
            let off = if there { x - self.origin[lane] } else { 0.0 };
            self.n[lane] += if there { weight } else { 0.0 };
            self.first[lane] += weight * off;
            self.second[lane] += weight * off * off;
        }
    }

    /// Takes cells that are there and weigh more than any before for the origin; `n` is their weight.
    #[inline(always)]
    fn settle(&mut self, cells: &Lanes, weight: f64) {
        for (lane, &x) in cells.iter().enumerate() {
            let better = !x.is_nan() & (weight > self.n[lane]);
            self.n[lane] = if better { weight } else { self.n[lane] };
            self.origin[lane] = if better { x } else { self.origin[lane] };
        }
    }

    /// Whether no cell was missing or far from zero.
    #[inline(always)]
    fn near(&self) -> bool {
        (0..LANES).fold(true, |near, lane| {
            near & (self.origin[lane].abs() <= NEAR) & (self.second[lane] <= SMALL)
        })
    }

    #[inline(always)]
    fn moments(&self) -> Moments {
        let mut all = Moments {
            n: self.n,
            ..Moments::default()
        };
        for lane in 0..LANES {
            let off = if self.n[lane] > 0.0 {
                self.first[lane] / self.n[lane]
            } else {
                0.0
            };
            all.mean[lane] = self.origin[lane] + off;
            all.scatter[lane] = (self.second[lane] - off * self.first[lane]).max(0.0);
        }
        all
    }
}

/// Cells in a block: they are still in the second-level cache if a missing one asks for a second look.
const BLOCK: usize = 32 * 1024;

/// So many rows before it is needed, a row is asked for: 60 ms without, 52 ms with it for 400 MB.
const AHEAD: usize = 5;

/// While origins and squares are below these, no value is near the end of the support, whatever the weights.
const NEAR: f64 = 1e100;
const SMALL: f64 = NEAR * NEAR;

/// Weights are multiples of 2^-36; a row of less is looked at by itself.
const LIGHT: f64 = 1.0 / (1u64 << 40) as f64;

/// Writes number, mean and scatter per class and column; false if a cell is outside the support.
///
/// Blocks of rows, each in one pass: distances from an origin K and their squares are added up. K is a value of
/// the class, the one of greatest weight, so the scatter is at least w_K (K - mean)^2 and what is subtracted in
/// s2 - s1^2 / n at most n times what is left: the relative error is about n eps for n rows of the class in the
/// block, and an offset of 1e9 leaves a variance of 1 as it is. Blocks and pieces are merged in order by Chan's
/// formula. So the result depends on the rows alone.
pub fn moments(x: &Cells<f64>, labels: &Labels, real: Support, mut tables: [Vec<&mut [f64]>; 3]) -> bool {
    let (rows, width) = x.shape();
    let groups = width.div_ceil(LANES);
    let pieces = pieces(rows, rows * width, labels.classes * width);
    let found = share(
        threads(rows * width),
        pieces,
        || (),
        |(), rows| {
            let mut all = vec![Moments::default(); labels.classes * groups];
            piece(x, labels, rows, real, &mut all).then_some(all)
        },
    );
    let mut all = vec![Moments::default(); labels.classes * groups];
    for found in found {
        let Some(found) = found else { return false };
        for (all, found) in all.iter_mut().zip(&found) {
            all.merge(found);
        }
    }
    let parts: [fn(&Moments) -> &Lanes; 3] = [|m| &m.n, |m| &m.mean, |m| &m.scatter];
    for (table, part) in tables.iter_mut().zip(parts) {
        for (row, all) in table.iter_mut().zip(all.chunks_exact(groups.max(1))) {
            for (cells, moments) in row.chunks_mut(LANES).zip(all) {
                cells.copy_from_slice(&part(moments)[..cells.len()]);
            }
        }
    }
    true
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn piece(x: &Cells<f64>, labels: &Labels, rows: Range<usize>, real: Support, all: &mut [Moments]) -> bool {
    let width = x.shape().1;
    let groups = width.div_ceil(LANES);
    let step = (BLOCK / width.max(1)).max(8 * labels.classes).max(1);
    let mut scratch = Vec::new();
    let mut sums = vec![Sums::default(); labels.classes * groups];
    let mut heaviest = vec![(0.0, 0); labels.classes];
    let mut used = Vec::new();
    for start in rows.clone().step_by(step) {
        let block = start..(start + step).min(rows.end);
        let part = x.part(block.clone(), 0..width, &mut scratch);
        for row in block.clone() {
            // Of rows that weigh the same the first counts, and most are behind those of all classes.
            if used.len() == labels.classes && !labels.weighted() {
                break;
            }
            for (class, weight) in labels.of(row) {
                let most = &mut heaviest[class];
                if weight > most.0 {
                    if most.0 == 0.0 {
                        used.push(class);
                    }
                    *most = (weight, row);
                }
            }
        }
        for &class in &used {
            let sums = &mut sums[class * groups..(class + 1) * groups];
            each(sums, part.row(heaviest[class].1 - start), |sums, &origin| {
                *sums = Sums {
                    origin,
                    ..Sums::default()
                };
            });
            heaviest[class].0 = 0.0;
        }
        for row in block.clone() {
            let cells = part.row(row - start);
            let mut seen = false;
            for column in (0..width).step_by(LANES) {
                x.prefetch(row + AHEAD, column);
            }
            for (class, weight) in labels.of(row) {
                seen |= weight >= LIGHT;
                let sums = &mut sums[class * groups..(class + 1) * groups];
                heaviest[class].0 += weight;
                each(sums, cells, |sums, cells| sums.add(cells, weight));
            }
            if !seen && !real.holds_all(cells) {
                return false;
            }
        }
        let mut near = true;
        for &class in &used {
            let n = std::mem::take(&mut heaviest[class].0);
            for sums in &mut sums[class * groups..(class + 1) * groups] {
                sums.n = [n; LANES];
                near &= sums.near();
            }
        }
        if !near && !with_missing(&part, labels, block, real, &used, &mut sums) {
            return false;
        }
        for class in used.drain(..) {
            let place = class * groups..(class + 1) * groups;
            for (all, sums) in all[place.clone()].iter_mut().zip(&sums[place]) {
                all.merge(&sums.moments());
            }
        }
    }
    true
}

/// Sums of a block with missing cells, each column about an origin of its own; false if a cell is too large.
#[inline(always)]
fn with_missing(
    part: &Part<f64>,
    labels: &Labels,
    block: Range<usize>,
    real: Support,
    used: &[usize],
    sums: &mut [Sums],
) -> bool {
    let groups = sums.len() / labels.classes;
    for &class in used {
        sums[class * groups..(class + 1) * groups].fill(Sums::default());
    }
    for row in block.clone() {
        let cells = part.row(row - block.start);
        if !real.holds_all(cells) {
            return false;
        }
        for (class, weight) in labels.of(row) {
            let sums = &mut sums[class * groups..(class + 1) * groups];
            each(sums, cells, |sums, cells| sums.settle(cells, weight));
        }
    }
    for &class in used {
        for sums in &mut sums[class * groups..(class + 1) * groups] {
            sums.n = [0.0; LANES];
        }
    }
    for row in block.clone() {
        let cells = part.row(row - block.start);
        for (class, weight) in labels.of(row) {
            let sums = &mut sums[class * groups..(class + 1) * groups];
            each(sums, cells, |sums, cells| sums.add_there(cells, weight));
        }
    }
    true
}
