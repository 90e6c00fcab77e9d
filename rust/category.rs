//! Columns of categories, coded as whole numbers: a negative code is a missing cell.

use std::ops::Range;

use multiversion::multiversion;

use crate::buffer::Cells;
use crate::count::add_up;
use crate::labels::Labels;
use crate::support::BLOCK;
use crate::threads::{pieces, share, threads};

/// Codes of which `sizes[j]` are known in column j.
pub struct Categories<'a> {
    pub cells: &'a Cells<i32>,
    sizes: Vec<i32>,
    /// Where each column's places begin, and where the last one's end.
    starts: Vec<i32>,
}

impl<'a> Categories<'a> {
    /// With so many places more for each column; None if a size is out of range.
    pub fn new(cells: &'a Cells<i32>, sizes: &[i64], more: i32) -> Option<Self> {
        let sizes: Vec<_> = sizes
            .iter()
            .map(|&size| i32::try_from(size).ok())
            .collect::<Option<_>>()?;
        let mut starts = vec![0i32];
        for &size in &sizes {
            let end = starts.last()?.checked_add(size)?.checked_add(more)?;
            starts.push(end);
        }
        (sizes.len() == cells.shape().1 && sizes.iter().all(|&size| size >= 0)).then_some(Self {
            cells,
            sizes,
            starts,
        })
    }

    /// Places of all columns together.
    pub fn places(&self) -> usize {
        self.starts[self.sizes.len()] as usize
    }

    /// Writes the place of each cell that is there; how many there are, and whether all are known.
    ///
    /// An unknown category has the place behind the known ones of its column.
    #[inline(always)]
    pub fn row(&self, cells: &[i32], places: &mut [i32]) -> (usize, bool) {
        let (mut missing, mut unknown) = (0, 0);
        let columns = cells.iter().zip(&self.sizes).zip(&self.starts);
        for (place, ((&code, &size), &start)) in places.iter_mut().zip(columns) {
            missing |= code;
            unknown |= i32::from(code >= size);
            *place = start + code.min(size);
        }
        let mut count = cells.len();
        if missing < 0 {
            count = 0;
            for (column, &code) in cells.iter().enumerate() {
                places[count] = places[column];
                count += usize::from(code >= 0);
            }
        }
        (count, unknown == 0)
    }
}

/// Adds up the weights per class and category; false if a category is unknown.
pub fn counts(x: &Categories, labels: &Labels, mut table: Vec<&mut [f64]>) -> bool {
    let (rows, width) = x.cells.shape();
    let size = labels.classes * x.places();
    let pieces = pieces(rows, rows * width, size);
    let tables = share(
        threads(rows * width),
        pieces,
        || (),
        |(), rows| {
            let mut table = vec![0.0; size];
            piece(x, labels, rows, &mut table).then_some(table)
        },
    );
    let Some(tables) = tables.into_iter().collect::<Option<Vec<_>>>() else {
        return false;
    };
    for other in tables {
        add_up(&mut table, &other);
    }
    true
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn piece(x: &Categories, labels: &Labels, rows: Range<usize>, table: &mut [f64]) -> bool {
    let width = x.cells.shape().1;
    let step = (BLOCK / width.max(1)).max(8);
    let mut scratch = Vec::new();
    let mut places = vec![0; width];
    let size = x.places();
    for start in rows.clone().step_by(step) {
        let block = start..(start + step).min(rows.end);
        let part = x.cells.part(block.clone(), 0..width, &mut scratch);
        for row in block {
            let (count, known) = x.row(part.row(row - start), &mut places);
            if !known {
                return false;
            }
            for (class, weight) in labels.of(row) {
                let sums = &mut table[class * size..(class + 1) * size];
                for &place in &places[..count] {
                    sums[place as usize] += weight;
                }
            }
        }
    }
    true
}

/// The greatest code of each column plus one; 0 where all cells are missing.
pub fn sizes(x: &Cells<i32>, sizes: &mut [i64]) {
    let (rows, width) = x.shape();
    let found = share(
        threads(rows * width),
        pieces(rows, rows * width, width),
        || (),
        |(), rows| greatest(x, rows),
    );
    for greatest in found {
        for (size, greatest) in sizes.iter_mut().zip(greatest) {
            *size = (*size).max(i64::from(greatest) + 1);
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
fn greatest(x: &Cells<i32>, rows: Range<usize>) -> Vec<i32> {
    let width = x.shape().1;
    let step = (BLOCK / width.max(1)).max(8);
    let mut scratch = Vec::new();
    let mut greatest = vec![-1; width];
    for start in rows.clone().step_by(step) {
        let block = start..(start + step).min(rows.end);
        let part = x.part(block.clone(), 0..width, &mut scratch);
        for row in block {
            for (greatest, &code) in greatest.iter_mut().zip(part.row(row - start)) {
                *greatest = code.max(*greatest);
            }
        }
    }
    greatest
}
