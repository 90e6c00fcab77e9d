//! Rows that store only what is not zero.

use std::ops::Range;

use crate::buffer::Cells;

/// Entries `starts[r]..starts[r + 1]` belong to row r; the first row need not start at 0.
pub struct Sparse<'a> {
    pub data: &'a Cells<f64>,
    columns: &'a Cells<i32>,
    starts: &'a [i64],
    pub width: usize,
}

impl<'a> Sparse<'a> {
    /// None when a start or a length is out of range; columns are looked at when they are used.
    pub fn new(
        data: &'a Cells<f64>,
        columns: &'a Cells<i32>,
        starts: &'a [i64],
        width: usize,
    ) -> Option<Self> {
        let (length, first, last) = (data.shape().1, *starts.first()?, *starts.last()?);
        let inside = first >= 0 && last as u64 <= length as u64 && starts.is_sorted();
        let agree = data.shape().0 == 1 && data.shape() == columns.shape() && width < i32::MAX as usize;
        (inside && agree).then_some(Self {
            data,
            columns,
            starts,
            width,
        })
    }

    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// All entries of these rows.
    pub fn entries(&self) -> Range<usize> {
        self.starts[0] as usize..self.starts[self.rows()] as usize
    }

    /// The entries of a row.
    #[inline(always)]
    pub fn of(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// Says that this entry and those beside it will be asked for soon.
    #[inline(always)]
    pub fn prefetch(&self, entry: usize) {
        self.columns.prefetch(0, entry);
        self.data.prefetch(0, entry);
    }

    /// The columns of entries.
    #[inline(always)]
    pub fn columns<'b>(&'b self, entries: Range<usize>, scratch: &'b mut Vec<i32>) -> &'b [i32] {
        self.columns.part(0..1, entries, scratch).row(0)
    }

    /// Columns and values of a row's entries.
    #[inline(always)]
    pub fn row<'b>(&'b self, entries: Range<usize>, scratch: &'b mut Scratch) -> (&'b [i32], &'b [f64]) {
        let columns = self.columns.part(0..1, entries.clone(), &mut scratch.columns);
        let data = self.data.part(0..1, entries, &mut scratch.data);
        (columns.row(0), data.row(0))
    }
}

/// Room for a row whose entries are of another type.
#[derive(Default)]
pub struct Scratch {
    columns: Vec<i32>,
    data: Vec<f64>,
}
