//! Scores of rows under each class, and the best of them.

use std::ops::Range;

use multiversion::multiversion;

use crate::buffer::{Cells, prefetch};
use crate::category::Categories;
use crate::count::Fault;
use crate::moment::{LANES, Lanes};
use crate::sparse::{Scratch, Sparse};
use crate::support::{BLOCK, Support};
use crate::threads::{share, threads};

/// So many entries before it is needed, a row of a large table is asked for: 155 ms without, 116 ms with it for a
/// table of 8 MB and 14 million entries.
const AHEAD: usize = 32;

/// Numbers in a table that the second-level cache holds, more or less: asking for those costs 60 ms instead of 37.
const CACHED: usize = 1 << 18;

/// Rows as the places of a table and how often each is taken.
pub trait Entries: Sync {
    /// Entries of all rows, about.
    fn work(&self) -> usize;
    /// Calls with the places of each row, how often each is taken, and, if they are far apart, places to come.
    fn visit(&self, rows: Range<usize>, row: impl FnMut(&[i32], &[f64], &[i32]));
}

impl Entries for Sparse<'_> {
    fn work(&self) -> usize {
        self.entries().len()
    }

    #[inline(always)]
    fn visit(&self, rows: Range<usize>, mut row: impl FnMut(&[i32], &[f64], &[i32])) {
        let (mut scratch, mut more, end) = (Scratch::default(), Vec::new(), self.entries().end);
        for place in rows {
            let entries = self.of(place);
            let ahead = (entries.start + AHEAD).min(end)..(entries.end + AHEAD).min(end);
            let (columns, values) = self.row(entries, &mut scratch);
            row(columns, values, self.columns(ahead, &mut more));
        }
    }
}

impl Entries for Cells<f64> {
    fn work(&self) -> usize {
        self.shape().0 * self.shape().1
    }

    /// Cells other than zero; sixteen zeros are passed over in one go.
    #[inline(always)]
    fn visit(&self, rows: Range<usize>, mut row: impl FnMut(&[i32], &[f64], &[i32])) {
        let width = self.shape().1;
        let step = (BLOCK / width.max(1)).max(8);
        let mut scratch = Vec::new();
        let (mut columns, mut values) = (vec![0; width], vec![0.0; width]);
        for start in rows.clone().step_by(step) {
            let block = start..(start + step).min(rows.end);
            let part = self.part(block.clone(), 0..width, &mut scratch);
            for place in 0..block.len() {
                let mut count = 0;
                for (group, cells) in part.row(place).chunks(16).enumerate() {
                    if cells.iter().fold(0, |any, &x| any | u64::from(x != 0.0)) == 0 {
                        continue;
                    }
                    for (column, &x) in cells.iter().enumerate() {
                        columns[count] = (16 * group + column) as i32;
                        values[count] = x;
                        count += usize::from(x != 0.0);
                    }
                }
                row(&columns[..count], &values[..count], &[]);
            }
        }
    }
}

impl Entries for Categories<'_> {
    fn work(&self) -> usize {
        self.cells.shape().0 * self.cells.shape().1
    }

    #[inline(always)]
    fn visit(&self, rows: Range<usize>, mut row: impl FnMut(&[i32], &[f64], &[i32])) {
        let ones = vec![1.0; self.cells.shape().1];
        self.visit(rows, true, |_, places| row(places, &ones, &[]));
    }
}

/// Rows of a table of scores cut for the threads, each with the number of its first row.
fn cut<T>(scores: &mut [T], per_row: usize, threads: usize) -> Vec<(usize, &mut [T])> {
    let rows = scores.len() / per_row;
    let step = if threads == 1 {
        rows
    } else {
        rows.div_ceil(4 * threads)
    }
    .max(1);
    scores
        .chunks_mut(step * per_row)
        .enumerate()
        .map(|(piece, scores)| (piece * step, scores))
        .collect()
}

/// Writes each row's score of each class: the sum of value times weight in the order of the entries, plus the bias.
///
/// `table` is places by classes; `once` takes every value above zero as 1 and no other.
pub fn linear(
    x: &impl Entries,
    bias: &[f64],
    table: &[f64],
    once: bool,
    support: Support,
    scores: &mut [f64],
) -> Result<(), Fault> {
    if bias.is_empty() {
        return Ok(());
    }
    let threads = threads(x.work());
    let tasks = cut(scores, bias.len(), threads);
    let done = share(
        threads,
        tasks,
        || (),
        |(), (first, scores)| linear_piece(x, bias, table, once, support, first, scores),
    );
    done.into_iter().collect()
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn linear_piece<X: Entries>(
    x: &X,
    bias: &[f64],
    table: &[f64],
    once: bool,
    support: Support,
    first: usize,
    scores: &mut [f64],
) -> Result<(), Fault> {
    let classes = bias.len();
    let rows = first..first + scores.len() / classes;
    let mut scores = scores.chunks_exact_mut(classes);
    let (mut there, mut inside) = (true, true);
    x.visit(rows, |places, values, ahead| {
        let Some(scores) = scores.next() else { return };
        inside &= support.holds_all(values);
        there &= row((places, values, once), bias, table, ahead, scores);
    });
    verdict(there, inside)
}

fn verdict(there: bool, inside: bool) -> Result<(), Fault> {
    match (there, inside) {
        (false, _) => Err(Fault::Beyond),
        (_, false) => Err(Fault::Outside),
        _ => Ok(()),
    }
}

/// Writes the score of one row for each class; false if a place is not there.
#[inline(always)]
fn row<W: Copy + Into<f64>>(
    entries: (&[i32], &[f64], bool),
    bias: &[f64],
    table: &[W],
    ahead: &[i32],
    scores: &mut [f64],
) -> bool {
    let classes = bias.len();
    let ahead = if table.len() > CACHED { ahead } else { &[] };
    let (mut there, mut at) = (true, 0);
    while at < classes {
        let sums = &mut scores[at..];
        let (taken, fits) = match classes - at {
            1 => (1, group::<1, W>(entries, table, classes, at, ahead, sums)),
            2 => (2, group::<2, W>(entries, table, classes, at, ahead, sums)),
            3 => (3, group::<3, W>(entries, table, classes, at, ahead, sums)),
            4 => (4, group::<4, W>(entries, table, classes, at, ahead, sums)),
            5 => (5, group::<5, W>(entries, table, classes, at, ahead, sums)),
            6 => (6, group::<6, W>(entries, table, classes, at, ahead, sums)),
            7 => (7, group::<7, W>(entries, table, classes, at, ahead, sums)),
            8..12 => (8, group::<8, W>(entries, table, classes, at, ahead, sums)),
            12..16 => (12, group::<12, W>(entries, table, classes, at, ahead, sums)),
            20..24 => (20, group::<20, W>(entries, table, classes, at, ahead, sums)),
            _ => (16, group::<16, W>(entries, table, classes, at, ahead, sums)),
        };
        there &= fits;
        at += taken;
    }
    for (score, bias) in scores.iter_mut().zip(bias) {
        *score += bias;
    }
    there
}

/// The sums of `L` classes, kept in registers.
#[inline(always)]
fn group<const L: usize, W: Copy + Into<f64>>(
    (places, values, once): (&[i32], &[f64], bool),
    table: &[W],
    classes: usize,
    at: usize,
    ahead: &[i32],
    scores: &mut [f64],
) -> bool {
    let mut sums = [0.0; L];
    for (entry, (&place, &value)) in places.iter().zip(values).enumerate() {
        if let Some(&place) = ahead.get(entry) {
            // The last one too: where the table starts inside a cache line, so does the next row.
            for lane in (0..L).step_by(64 / size_of::<W>()).chain([L - 1]) {
                prefetch(table, place as u32 as usize * classes + at + lane);
            }
        }
        let start = place as u32 as usize * classes + at;
        let Some(weights) = table
            .get(start..start + L)
            .and_then(|weights| weights.first_chunk::<L>())
        else {
            return false;
        };
        if value == 0.0 || (once && value < 0.0) {
            continue;
        }
        let value = if once { 1.0 } else { value };
        for lane in 0..L {
            sums[lane] += value * weights[lane].into();
        }
    }
    scores[..L].copy_from_slice(&sums);
    true
}

/// Lanes that are one cache line: loads that cross two cost twice as much.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line(Lanes);

/// Parameters of the columns of each class, in groups of lanes.
struct Normal {
    mean: Vec<Line>,
    half: Vec<Line>,
    height: Vec<Line>,
    /// The heights of a class's columns together.
    total: Vec<f64>,
}

impl Normal {
    /// A column without a mean says nothing.
    fn new(width: usize, mean: &[f64], half: &[f64], height: &[f64]) -> Self {
        let lanes = |table: &[f64]| {
            let rows = table.chunks_exact(width).zip(mean.chunks_exact(width));
            let groups = rows.flat_map(|(row, mean)| row.chunks(LANES).zip(mean.chunks(LANES)));
            let padded = groups.map(|(cells, mean)| {
                Line(std::array::from_fn(|lane| match mean.get(lane) {
                    Some(mean) if !mean.is_nan() => cells[lane],
                    _ => 0.0,
                }))
            });
            padded.collect::<Vec<Line>>()
        };
        let height = lanes(height);
        let total = height
            .chunks_exact(width.div_ceil(LANES))
            .map(|h| h.iter().flat_map(|h| h.0).sum())
            .collect();
        Self {
            mean: lanes(mean),
            half: lanes(half),
            height,
            total,
        }
    }
}

/// Writes each row's log density under each class: columns normal and independent given the class.
///
/// `half` is 1 / (2 variance), `height` is log(2 pi variance) / 2; missing cells are left out of both.
pub fn gaussian(x: &Cells<f64>, mean: &[f64], half: &[f64], height: &[f64], scores: &mut [f64]) {
    let width = x.shape().1;
    let classes = mean.len().checked_div(width).unwrap_or(0);
    if classes == 0 {
        scores.fill(0.0);
        return;
    }
    let normal = Normal::new(width, mean, half, height);
    let threads = threads(scores.len() * width);
    let tasks = cut(scores, classes, threads);
    share(
        threads,
        tasks,
        || (),
        |(), (first, scores)| gaussian_piece(x, &normal, first, scores),
    );
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn gaussian_piece(x: &Cells<f64>, normal: &Normal, first: usize, scores: &mut [f64]) {
    let (width, classes) = (x.shape().1, normal.total.len());
    let groups = width.div_ceil(LANES);
    let rows = first..first + scores.len() / classes;
    let step = (BLOCK / width).max(8);
    let mut scratch = Vec::new();
    let mut x_row = vec![Line::default(); groups];
    let mut blocks = scores.chunks_mut(step * classes);
    for start in rows.clone().step_by(step) {
        let block = start..(start + step).min(rows.end);
        let part = x.part(block.clone(), 0..width, &mut scratch);
        let Some(scores) = blocks.next() else { return };
        for (row, scores) in scores.chunks_exact_mut(classes).enumerate() {
            for (group, cells) in x_row.iter_mut().zip(part.row(row).chunks(LANES)) {
                group.0[..cells.len()].copy_from_slice(cells);
            }
            for (class, score) in scores.iter_mut().enumerate() {
                let place = class * groups..(class + 1) * groups;
                let columns = x_row
                    .iter()
                    .zip(&normal.mean[place.clone()])
                    .zip(&normal.half[place.clone()]);
                let mut sums = [0.0; LANES];
                for ((x, mean), half) in columns.clone() {
                    for (lane, sum) in sums.iter_mut().enumerate() {
                        let off = x.0[lane] - mean.0[lane];
                        *sum += off * off * half.0[lane];
                    }
                }
                let mut sum = total(sums) + normal.total[class];
                if sum.is_nan() {
                    sums = [0.0; LANES];
                    for (((x, mean), half), height) in columns.zip(&normal.height[place]) {
                        for (lane, sum) in sums.iter_mut().enumerate() {
                            let off = x.0[lane] - mean.0[lane];
                            let said = off * off * half.0[lane] + height.0[lane];
                            *sum += if said.is_nan() { 0.0 } else { said };
                        }
                    }
                    sum = total(sums);
                }
                *score = -sum;
            }
        }
    }
}

/// The sum of all lanes, by halves.
#[inline(always)]
fn total(s: Lanes) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// A table in half the memory, and the largest number in it; its numbers are wrong by less than 2^-24 of that.
pub struct Coarse<'a> {
    pub table: &'a [f32],
    pub largest: f64,
}

/// Writes the place of the greatest score of each row.
///
/// What takes the time is waiting for the table, so rows are scored by the coarse one first. Only where the two best
/// are nearer to one another than its errors can be, as rarely happens, the row is scored again.
pub fn likeliest(
    x: &impl Entries,
    bias: &[f64],
    table: &[f64],
    coarse: &Coarse,
    once: bool,
    support: Support,
    places: &mut [i64],
) -> Result<(), Fault> {
    let threads = threads(x.work());
    let tasks = cut(places, 1, threads);
    let done = share(
        threads,
        tasks,
        || (),
        |(), (first, places)| likeliest_piece(x, bias, table, coarse, once, support, first, places),
    );
    done.into_iter().collect()
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(clippy::too_many_arguments)]
fn likeliest_piece<X: Entries>(
    x: &X,
    bias: &[f64],
    table: &[f64],
    coarse: &Coarse,
    once: bool,
    support: Support,
    first: usize,
    best: &mut [i64],
) -> Result<(), Fault> {
    let rows = first..first + best.len();
    let (mut best, mut scores) = (best.iter_mut(), vec![0.0; bias.len()]);
    let (mut there, mut inside) = (true, true);
    x.visit(rows, |places, values, ahead| {
        let Some(best) = best.next() else { return };
        inside &= support.holds_all(values);
        let entries = (places, values, once);
        if table.len() > CACHED {
            there &= row(entries, bias, coarse.table, ahead, &mut scores);
            let (place, lead) = greatest(&scores);
            *best = place as i64;
            // Four times what the two best can be wrong by; rounding of the sums is far less.
            let largest = if once { 1.0 } else { utmost(values) };
            let sure = lead > values.len() as f64 * largest * coarse.largest / f64::from(1 << 21);
            if sure || !there {
                return;
            }
        }
        there &= row(entries, bias, table, &[], &mut scores);
        *best = greatest(&scores).0 as i64;
    });
    verdict(there, inside)
}

/// The greatest of the values, whatever their signs.
#[inline(always)]
fn utmost(values: &[f64]) -> f64 {
    let (whole, rest) = values.as_chunks::<LANES>();
    let mut most = [0.0; LANES];
    for values in whole {
        for lane in 0..LANES {
            most[lane] = if values[lane].abs() > most[lane] {
                values[lane].abs()
            } else {
                most[lane]
            };
        }
    }
    most.iter()
        .chain(rest)
        .fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// The place of the greatest score (the first of equals; NaN is never the greatest) and its lead over the next.
#[inline(always)]
fn greatest(scores: &[f64]) -> (usize, f64) {
    let (mut place, mut top, mut next) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (class, &score) in scores.iter().enumerate() {
        let better = score > top;
        next = if better { top } else { next.max(score) };
        place = if better { class } else { place };
        top = if better { score } else { top };
    }
    (place, top - next)
}

/// Writes the place of the greatest score of each row: the first of equals; NaN is never the greatest.
pub fn best(scores: &[f64], classes: usize, best: &mut [i64]) {
    let threads = threads(scores.len());
    let tasks = cut(best, 1, threads);
    share(
        threads,
        tasks,
        || (),
        |(), (first, best)| {
            let rows = scores[first * classes..].chunks_exact(classes);
            for (best, row) in best.iter_mut().zip(rows) {
                *best = greatest(row).0 as i64;
            }
        },
    );
}
