//! Per-class sums: values and rows with a value, of sparse and dense rows.

use std::cmp::Reverse;
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

/// A class's rows are far apart, and the processor does not guess where: so many rows ahead they are asked for.
const AHEAD: usize = 2;

/// Small whole numbers are counted in one word with the rows that have them, which stand in the last bits: half
/// of the cache lines that two tables need.
const ROWS: u32 = 24;

/// One class: its row of the tables, and the entries and the weight of each row that counts for it.
struct Task<'a> {
    rows: Vec<(Range<usize>, f64)>,
    count: &'a mut [f64],
    present: &'a mut [f64],
}

/// Adds up, per class and column, the values (`count`) and the weights of rows with a value above zero (`present`).
///
/// Class by class: one class's sums stay in the cache, all of them would not. Each class belongs to one thread.
pub fn sparse(
    x: &Sparse,
    labels: &Labels,
    support: Support,
    count: Vec<&mut [f64]>,
    present: Vec<&mut [f64]>,
) -> Result<(), Fault> {
    let tables = count.into_iter().zip(present);
    let mut tasks: Vec<_> = labels
        .by_class(|row| x.of(row))
        .into_iter()
        .zip(tables)
        .map(|(rows, (count, present))| Task { rows, count, present })
        .filter(|task| !task.rows.is_empty())
        .collect();
    tasks.sort_by_key(|task| Reverse(task.rows.len()));
    let room = || (Scratch::default(), Vec::new(), Vec::new());
    let faults = share(
        threads(x.entries().len()),
        tasks,
        room,
        |(scratch, packed, steps), task| class(x, support, task, scratch, packed, steps),
    );
    faults.into_iter().collect::<Result<(), _>>()?;
    check(x, support, labels.unlabelled())
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn class(
    x: &Sparse,
    support: Support,
    task: Task,
    scratch: &mut Scratch,
    packed: &mut Vec<u64>,
    steps: &mut Vec<u64>,
) -> Result<(), Fault> {
    let Task { rows, count, present } = task;
    // Going over all columns once more does not pay for a few rows.
    let many = rows.len() * (x.entries().len() / x.rows()) > x.width / 2;
    packed.resize(if many { x.width } else { 0 }, 0);
    let packed = packed.as_mut_slice();
    for rows in rows.chunks((1 << ROWS) - 1) {
        for (place, (entries, weight)) in rows.iter().enumerate() {
            let (columns, values) = x.row(entries.clone(), scratch);
            let next = rows.get(place + AHEAD).map_or(0, |(entries, _)| entries.start);
            let simple = many && *weight == 1.0 && support.holds_small() && ascend(columns, x.width);
            if simple && small(values, steps) {
                each(x, next, columns, steps, |column, step| packed[column] += step);
            } else {
                sound((columns, values), x.width, support)?;
                each(x, next, columns, values, |column, value| {
                    count[column] += exact(weight * value);
                    present[column] += if value > 0.0 { *weight } else { 0.0 };
                });
            }
        }
        for (packed, (count, present)) in packed.iter_mut().zip(count.iter_mut().zip(&mut *present)) {
            *count += (*packed >> ROWS) as f64;
            *present += (*packed & ((1 << ROWS) - 1)) as f64;
            *packed = 0;
        }
    }
    Ok(())
}

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

/// Whether all values are whole and from 0 to 2^16; then `steps` is what they add to a packed table.
///
/// Adding 2^52 leaves a whole number in the last bits, and drops a fraction. No early end: the loop is one of
/// vectors, and checks what a support would, for half the price.
#[inline(always)]
fn small(values: &[f64], steps: &mut Vec<u64>) -> bool {
    steps.resize(values.len(), 0);
    let mut strange = 0;
    for (step, &x) in steps.iter_mut().zip(values) {
        let lifted = x + WHOLE;
        let whole = lifted.to_bits().wrapping_sub(WHOLE.to_bits());
        strange |= (whole >> 16) | ((lifted - WHOLE).to_bits() ^ x.to_bits());
        *step = (whole << ROWS) | u64::from(whole != 0);
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
