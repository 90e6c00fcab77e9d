//! Per-class sums: values and rows with a value, of sparse and dense rows.

use std::ops::Range;

use multiversion::multiversion;

use crate::buffer::Cells;
use crate::labels::Labels;
use crate::sparse::{Scratch, Sparse};
use crate::support::{BLOCK, Support};
use crate::threads::{pieces, share, threads};

/// Why rows cannot be counted.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    /// A cell is outside the support.
    Outside,
    /// A row has two entries for one column.
    Twice,
    /// A column is outside the matrix.
    Beyond,
}

const UNIT: f64 = (1u64 << 36) as f64;
const WHOLE: f64 = (1u64 << 52) as f64;

/// Rounds to a multiple of 2^-36, so that sums come out the same in any order, as sums of integers do.
///
/// Adding and subtracting 2^52 rounds without the function call that `round` costs on plain x86-64.
#[inline(always)]
fn exact(value: f64) -> f64 {
    let scaled = value * UNIT;
    let whole = WHOLE.copysign(scaled);
    let rounded = ((scaled + whole) - whole) / UNIT;
    if scaled.abs() < WHOLE { rounded } else { value }
}

/// Small whole numbers are added up in the upper half of a cell, the rows that have them in the lower one: a quarter
/// of the cache that a word takes. A half whose first bit is set is carried over before it is full.
const HALF: u32 = 8;
const FULL: u16 = 0x8080;

/// So many entries of a class wait and are then added together: rows are read in the order of the memory, and yet
/// the cells of one class at a time are in the cache (38 ms instead of 48 for one class after another).
const WAIT: usize = 12 << 10;

/// So many cells of all classes are in the cache together, and nothing waits.
const NEAR: usize = 1 << 17;

/// So many entries before they are needed, rows are asked for.
const AHEAD: usize = 1024;

/// Classes that one task counts side by side, unless that makes too many tasks: each goes over all labels.
const TOGETHER: usize = 32;
const TASKS: usize = 64;

/// Adds up, per class and column, the values (`count`) and the weights of rows with a value above zero (`present`).
///
/// Each class belongs to one thread, and what happens to it depends on its own rows alone.
pub fn sparse(
    x: &Sparse,
    labels: &Labels,
    support: Support,
    count: Vec<&mut [f64]>,
    present: Vec<&mut [f64]>,
) -> Result<(), Fault> {
    let threads = threads(x.entries().len());
    let sizes = labels.sizes();
    let most = sizes.iter().sum::<usize>() / threads.max(labels.classes.div_ceil(TOGETHER).min(TASKS));
    let mut tasks: Vec<(usize, Vec<Sums>)> = Vec::new();
    let mut held = usize::MAX;
    for (class, ((count, present), size)) in count.into_iter().zip(present).zip(sizes).enumerate() {
        if held.saturating_add(size / 2) > most {
            tasks.push((class, Vec::new()));
            held = 0;
        }
        held += size;
        if let Some((_, sums)) = tasks.last_mut() {
            sums.push(Sums::new(size, count, present));
        }
    }
    let faults = share(threads, tasks, Scratch::default, |scratch, (first, mut sums)| {
        together(x, labels, support, first, &mut sums, scratch)
    });
    faults.into_iter().collect::<Result<(), _>>()?;
    check(x, support, labels.unlabelled())
}

/// One class: its row of the tables, its cells, the entries that wait to be added to them, and the rows that come
/// last: those that weigh more or less than 1 or hold other numbers, and what has too few rows for cells.
struct Sums<'a> {
    size: usize,
    count: &'a mut [f64],
    present: &'a mut [f64],
    cells: Vec<u16>,
    columns: Vec<i32>,
    steps: Vec<u16>,
    waiting: usize,
    taken: usize,
    last: Vec<(usize, f64)>,
}

impl<'a> Sums<'a> {
    fn new(size: usize, count: &'a mut [f64], present: &'a mut [f64]) -> Self {
        Self {
            size,
            count,
            present,
            cells: Vec::new(),
            columns: Vec::new(),
            steps: Vec::new(),
            waiting: 0,
            taken: 0,
            last: Vec::new(),
        }
    }

    /// Whether a row of this weight is likely to be taken: where most were not, no more are tried.
    #[inline(always)]
    fn hopes(&self, weight: f64) -> bool {
        weight == 1.0 && !self.cells.is_empty() && self.last.len() < self.taken + 8
    }

    /// Lets a row wait if its values are small; otherwise it is not taken.
    #[inline(always)]
    fn take(&mut self, columns: &[i32], values: &[f64]) -> bool {
        let place = self.waiting..self.waiting + columns.len();
        if place.end > self.steps.len() {
            self.columns.resize(2 * place.end, 0);
            self.steps.resize(2 * place.end, 0);
        }
        self.columns[place.clone()].copy_from_slice(columns);
        let taken = small(values, &mut self.steps[place.clone()]);
        self.waiting = if taken { place.end } else { place.start };
        self.taken += usize::from(taken);
        taken
    }

    /// Adds what waits.
    #[inline(always)]
    fn add(&mut self) {
        let (cells, count, present) = (&mut *self.cells, &mut *self.count, &mut *self.present);
        let waiting = std::mem::take(&mut self.waiting);
        for (&column, &step) in self.columns[..waiting].iter().zip(&self.steps[..waiting]) {
            let column = column as u32 as usize;
            let cell = &mut cells[column];
            *cell += step;
            if *cell & FULL != 0 {
                carry(cell, &mut count[column], &mut present[column]);
            }
        }
    }

    /// Adds what is left.
    #[inline(always)]
    fn finish(&mut self, x: &Sparse, support: Support, scratch: &mut Scratch) -> Result<(), Fault> {
        self.add();
        let (count, present) = (&mut *self.count, &mut *self.present);
        for (cell, (count, present)) in self.cells.iter_mut().zip(count.iter_mut().zip(&mut *present)) {
            carry(cell, count, present);
        }
        for (place, &(row, weight)) in self.last.iter().enumerate() {
            let (columns, values) = x.row(x.of(row), scratch);
            sound((columns, values), x.width, support)?;
            let next = self
                .last
                .get(place + APART)
                .map_or(0, |&(row, _)| x.of(row).start);
            each(x, next, columns, values, |column, value| {
                count[column] += exact(weight * value);
                present[column] += if value > 0.0 { weight } else { 0.0 };
            });
        }
        Ok(())
    }
}

#[inline(always)]
fn carry(cell: &mut u16, count: &mut f64, present: &mut f64) {
    *count += f64::from(*cell >> HALF);
    *present += f64::from(*cell & ((1 << HALF) - 1));
    *cell = 0;
}

/// Counts the rows of some classes, from `first` on.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn together(
    x: &Sparse,
    labels: &Labels,
    support: Support,
    first: usize,
    sums: &mut [Sums],
    scratch: &mut Scratch,
) -> Result<(), Fault> {
    let mean = x.entries().len() / x.rows().max(1);
    for sums in &mut *sums {
        // Going over all columns once more does not pay for a few rows.
        let many = support.holds_small() && sums.size * mean > x.width / 2;
        sums.cells = vec![0; if many { x.width } else { 0 }];
    }
    let wait = if labels.classes * x.width > NEAR { WAIT } else { 0 };
    let ahead = AHEAD / mean.max(1) + 1;
    for row in 0..x.rows() {
        let next = row + ahead;
        let hopes = |(class, weight)| {
            sums.get(usize::wrapping_sub(class, first))
                .is_some_and(|s| s.hopes(weight))
        };
        if next < x.rows() && labels.of(next).any(hopes) {
            x.of(next).step_by(8).for_each(|entry| x.prefetch(entry));
        }
        for (class, weight) in labels.of(row) {
            let Some(sums) = sums.get_mut(class.wrapping_sub(first)) else {
                continue;
            };
            if sums.hopes(weight) {
                let (columns, values) = x.row(x.of(row), scratch);
                if ascend(columns, x.width) && sums.take(columns, values) {
                    if sums.waiting > wait {
                        sums.add();
                    }
                    continue;
                }
            }
            sums.last.push((row, weight));
        }
    }
    sums.iter_mut()
        .try_for_each(|sums| sums.finish(x, support, scratch))
}

/// The last rows of a class are far apart, and the processor does not guess where: so many rows ahead they are
/// asked for.
const APART: usize = 2;

/// Calls with each entry, and between them asks for the entries from `next` on.
#[inline(always)]
fn each<T: Copy>(x: &Sparse, next: usize, columns: &[i32], values: &[T], mut entry: impl FnMut(usize, T)) {
    let ((columns, last), (values, last_values)) = (columns.as_chunks::<8>(), values.as_chunks::<8>());
    for (group, (columns, values)) in columns.iter().zip(values).enumerate() {
        x.prefetch(next + 8 * group);
        for (&column, &value) in columns.iter().zip(values) {
            entry(column as u32 as usize, value);
        }
    }
    x.prefetch(next + 8 * columns.len());
    for (&column, &value) in last.iter().zip(last_values) {
        entry(column as u32 as usize, value);
    }
}

/// Whether all values are whole and from 0 to 127; then `steps` is what they add to cells.
///
/// Adding 2^52 leaves a whole number in the last bits, and drops a fraction. No early end: the loop is one of
/// vectors, and checks what a support would, for half the price.
#[inline(always)]
fn small(values: &[f64], steps: &mut [u16]) -> bool {
    let mut strange = 0;
    for (step, &x) in steps.iter_mut().zip(values) {
        let lifted = x + WHOLE;
        let whole = lifted.to_bits().wrapping_sub(WHOLE.to_bits());
        strange |= (whole >> (HALF - 1)) | ((lifted - WHOLE).to_bits() ^ x.to_bits());
        *step = ((whole << HALF) | u64::from(whole != 0)) as u16;
    }
    strange == 0
}

/// Whether a row's columns are inside the matrix, each there once, and its values inside the support.
#[inline(always)]
fn sound((columns, values): (&[i32], &[f64]), width: usize, support: Support) -> Result<(), Fault> {
    if !ascend(columns, width) {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        if !ascend(&sorted, width) {
            let inside = columns.iter().all(|&column| (column as u32 as usize) < width);
            return Err(if inside { Fault::Twice } else { Fault::Beyond });
        }
    }
    if support.holds_all(values) {
        Ok(())
    } else {
        Err(Fault::Outside)
    }
}

/// Whether columns ascend inside the matrix, which a row's columns do as a rule.
#[inline(always)]
fn ascend(columns: &[i32], width: usize) -> bool {
    let (Some(&first), Some(&last)) = (columns.first(), columns.last()) else {
        return true;
    };
    let pairs = columns.iter().zip(&columns[1..]);
    let falls = pairs.fold(0, |falls, (a, b)| falls | i32::from(a >= b));
    falls == 0 && first >= 0 && (last as usize) < width
}

/// Whether these rows can be counted.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn check(x: &Sparse, support: Support, rows: impl Iterator<Item = usize>) -> Result<(), Fault> {
    let mut scratch = Scratch::default();
    for row in rows {
        sound(x.row(x.of(row), &mut scratch), x.width, support)?;
    }
    Ok(())
}

/// Adds up, per class and column, the weights of cells and their values; false if the support misses one.
///
/// `COUNT` takes the weights of the cells above zero, otherwise those of all that are there.
pub fn dense<const COUNT: bool>(
    x: &Cells<f64>,
    labels: &Labels,
    support: Support,
    mut weights: Vec<&mut [f64]>,
    mut totals: Vec<&mut [f64]>,
) -> bool {
    let (rows, width) = x.shape();
    let (size, cells) = (labels.classes * width, rows * width);
    let pieces = pieces(rows, cells, size);
    if pieces.len() == 1 {
        return piece::<COUNT>(x, labels, support, 0..rows, &mut weights, &mut totals);
    }
    let tables = share(
        threads(cells),
        pieces,
        || (),
        |(), rows| {
            let (mut n, mut s) = (vec![0.0; size], vec![0.0; size]);
            let (mut weights, mut totals): (Vec<_>, Vec<_>) =
                n.chunks_exact_mut(width).zip(s.chunks_exact_mut(width)).unzip();
            piece::<COUNT>(x, labels, support, rows, &mut weights, &mut totals).then_some((n, s))
        },
    );
    let Some(tables) = tables.into_iter().collect::<Option<Vec<_>>>() else {
        return false;
    };
    for (n, s) in tables {
        add_up(&mut weights, &n);
        add_up(&mut totals, &s);
    }
    true
}

/// Adds a table to another.
pub fn add_up(table: &mut [&mut [f64]], other: &[f64]) {
    let width = table.first().map_or(1, |row| row.len()).max(1);
    for (row, other) in table.iter_mut().zip(other.chunks_exact(width)) {
        for (sum, other) in row.iter_mut().zip(other) {
            *sum += other;
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn piece<const COUNT: bool>(
    x: &Cells<f64>,
    labels: &Labels,
    support: Support,
    rows: Range<usize>,
    weights: &mut [&mut [f64]],
    totals: &mut [&mut [f64]],
) -> bool {
    let width = x.shape().1;
    let step = (BLOCK / width.max(1)).max(8);
    let mut scratch = Vec::new();
    for start in rows.clone().step_by(step) {
        let block = start..(start + step).min(rows.end);
        let part = x.part(block.clone(), 0..width, &mut scratch);
        for row in block {
            let cells = part.row(row - start);
            if !support.holds_all(cells) {
                return false;
            }
            for (class, weight) in labels.of(row) {
                let sums = weights[class].iter_mut().zip(totals[class].iter_mut());
                for ((n, s), &x) in sums.zip(cells) {
                    let counts = if COUNT { x > 0.0 } else { !x.is_nan() };
                    *n += if counts { weight } else { 0.0 };
                    *s += if x.is_nan() { 0.0 } else { exact(weight * x) };
                }
            }
        }
    }
    true
}
