//! Columns of categories, coded as whole numbers: a negative code is a missing cell.

use std::ops::Range;

use multiversion::multiversion;

use crate::buffer::Cells;
use crate::count::add_up;
use crate::labels::Labels;
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

    /// Calls with the number of each row and the places of its cells that are there; false if one is unknown and
    /// that is not allowed. An unknown category has the place behind the known ones of its column.
    ///
    /// A block of rows is one long row here, with sizes and starts repeated: so vectors are full.
    #[inline(always)]
    pub fn visit(&self, rows: Range<usize>, unknown: bool, mut row: impl FnMut(usize, &[i32])) -> bool {
        let width = self.sizes.len();
        let step = (BLOCK / width.max(1)).clamp(1, rows.len().max(1));
        let (sizes, starts) = (self.sizes.repeat(step), self.starts[..width].repeat(step));
        let (mut scratch, mut places) = (Vec::new(), vec![0; step * width]);
        for start in rows.clone().step_by(step) {
            let block = start..(start + step).min(rows.end);
            let cells = self.cells.flat(block.clone(), &mut scratch);
            let (mut missing, mut beyond) = (0, 0);
            let columns = cells.iter().zip(&sizes).zip(&starts);
            for (place, ((&code, &size), &start)) in places.iter_mut().zip(columns) {
                missing |= code;
                beyond |= i32::from(code >= size);
                *place = start + code.min(size);
            }
            if beyond != 0 && !unknown {
                return false;
            }
            for number in block {
                // The next block comes from memory while this one is counted.
                for column in (0..width).step_by(8) {
                    self.cells.prefetch(number + step, column);
                }
                let place = (number - start) * width..(number - start + 1) * width;
                let places = &mut places[place.clone()];
                let mut count = width;
                if missing < 0 {
                    count = 0;
                    for (column, &code) in cells[place].iter().enumerate() {
                        places[count] = places[column];
                        count += usize::from(code >= 0);
                    }
                }
                row(number, &places[..count]);
            }
        }
        true
    }
}

/// Cells in a block: few, so that the memory is asked for the next ones while these are counted.
const BLOCK: usize = 1024;

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
            if labels.weighted() {
                let mut table = vec![0.0; size];
                return piece(x, labels, rows, &mut table, |sum, weight| *sum += weight).then_some(table);
            }
            let mut table = vec![0u32; size];
            let known = piece(x, labels, rows, &mut table, |sum, _| *sum += 1);
            known.then(|| table.into_iter().map(f64::from).collect())
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
fn piece<T, F: Fn(&mut T, f64)>(
    x: &Categories,
    labels: &Labels,
    rows: Range<usize>,
    table: &mut [T],
    add: F,
) -> bool {
    let size = x.places();
    let mut add_all = |row: usize, places: &[i32]| {
        for (class, weight) in labels.of(row) {
            let sums = &mut table[class * size..(class + 1) * size];
            // By fours, so that the loop itself costs little.
            let (fours, rest) = places.as_chunks::<4>();
            for four in fours {
                four.iter()
                    .for_each(|&place| add(&mut sums[place as usize], weight));
            }
            rest.iter()
                .for_each(|&place| add(&mut sums[place as usize], weight));
        }
    };
    x.visit(rows, false, &mut add_all)
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
