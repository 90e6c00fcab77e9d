//! Columns of texts and labels as rows, from Python's own things or by Arrow.

use std::ops::Range;
use std::sync::Arc;

use crate::arrow::{Chunk, Stream};
use crate::batch::{Batch, Row, Source, Unreadable};
use crate::decode::{BLOCK, Progress};
use crate::read::Demand;

/// So many rows at most make a batch.
const ROWS: usize = 1 << 12;

/// A value of a column.
pub enum Cell {
    End,
    Null,
    At(Range<usize>),
}

/// Values one after another, of texts or labels.
pub trait Column: Send {
    /// Adds the next value to `into`.
    fn next(&mut self, into: &mut Vec<u8>) -> Result<Cell, Unreadable>;
}

/// A stream of Arrow's with the chunk that is being read.
struct Cells {
    stream: Stream,
    chunk: Option<Chunk>,
    row: usize,
}

impl Cells {
    fn new(stream: Stream) -> Self {
        Self {
            stream,
            chunk: None,
            row: 0,
        }
    }

    /// The next row: a chunk and a place in it.
    fn next(&mut self) -> Result<Option<(&Chunk, usize)>, Unreadable> {
        while self.chunk.as_ref().is_none_or(|chunk| self.row >= chunk.rows) {
            self.chunk = self.stream.next()?;
            self.row = 0;
            if self.chunk.is_none() {
                return Ok(None);
            }
        }
        self.row += 1;
        Ok(self.chunk.as_ref().map(|chunk| (chunk, self.row - 1)))
    }
}

/// A stream of one column.
pub struct ArrowColumn(Cells);

impl ArrowColumn {
    pub fn new(stream: Stream) -> Self {
        Self(Cells::new(stream))
    }
}

impl Column for ArrowColumn {
    fn next(&mut self, into: &mut Vec<u8>) -> Result<Cell, Unreadable> {
        let start = into.len();
        Ok(match self.0.next()? {
            None => Cell::End,
            Some((chunk, row)) if chunk.cell(0, row, into)? => Cell::At(start..into.len()),
            Some(_) => Cell::Null,
        })
    }
}

/// Texts, labels and weights side by side.
pub struct Columns {
    pub texts: Box<dyn Column>,
    pub labels: Option<Box<dyn Column>>,
    pub weights: Option<Box<dyn Column>>,
    pub progress: Arc<Progress>,
    pub row: usize,
}

impl Columns {
    fn side(
        column: &mut Option<Box<dyn Column>>,
        what: &str,
        (row, end): (usize, bool),
        into: &mut Vec<u8>,
    ) -> Result<Option<Range<usize>>, Unreadable> {
        let Some(column) = column else {
            return Ok(None);
        };
        let sentence = match column.next(into)? {
            Cell::At(range) if !end => return Ok(Some(range)),
            Cell::End if end => return Ok(None),
            Cell::Null => format!("a {what} was expected, got None in row {row}"),
            Cell::At(_) => format!("one {what} per row was expected, got more than {row} for {row} rows"),
            Cell::End => format!("one {what} per row was expected, got {row} for more than {row} rows"),
        };
        Err(Unreadable::new(sentence, ""))
    }
}

impl Source for Columns {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        let mut batch = Batch::with_room(BLOCK);
        while batch.rows.len() < ROWS && batch.bytes.len() < BLOCK {
            let (start, row) = (batch.bytes.len(), self.row);
            let text = self.texts.next(&mut batch.bytes)?;
            let end = matches!(text, Cell::End);
            let label = Self::side(&mut self.labels, "label", (row, end), &mut batch.bytes)?;
            let weight = Self::side(&mut self.weights, "weight", (row, end), &mut batch.bytes)?;
            self.row += usize::from(!end);
            let text = match text {
                Cell::End => break,
                // A text that is missing: it is judged as one without words, and there is nothing to learn from it.
                Cell::Null if self.labels.is_some() => {
                    Progress::add(&self.progress.skipped, 1);
                    batch.bytes.truncate(start);
                    continue;
                }
                Cell::Null => 0..0,
                Cell::At(text) => text,
            };
            let number = weight.and_then(|range| batch.bytes[range].try_into().ok());
            batch.rows.push(Row {
                label,
                text,
                weight: number.map_or(1.0, f64::from_le_bytes),
            });
        }
        Ok(Some(batch).filter(|batch| !batch.rows.is_empty()))
    }
}

/// Two columns of a table in one stream.
pub struct Table {
    cells: Cells,
    text: usize,
    label: Option<usize>,
    demand: Demand,
    progress: Arc<Progress>,
    name: String,
    row: usize,
}

impl Table {
    pub fn new(
        stream: Stream,
        (text, label): (usize, Option<usize>),
        demand: Demand,
        progress: Arc<Progress>,
        name: String,
    ) -> Self {
        Self {
            cells: Cells::new(stream),
            text,
            label,
            demand,
            progress,
            name,
            row: 0,
        }
    }
}

impl Source for Table {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        let mut batch = Batch::with_room(BLOCK);
        while batch.rows.len() < ROWS && batch.bytes.len() < BLOCK {
            let Some((chunk, row)) = self.cells.next()? else {
                break;
            };
            self.row += 1;
            let place = || format!("row {} of {}", self.row, self.name);
            let into = &mut batch.bytes;
            let start = into.len();
            let labelled = match self.label.filter(|_| self.demand.labelled) {
                Some(label) => chunk.cell(label, row, into)? && into.len() > start,
                None => !self.demand.labelled,
            };
            let middle = into.len();
            let written = chunk.cell(self.text, row, into)?;
            if !labelled || !written && self.demand.labelled {
                let what = if labelled { "text" } else { "label" };
                self.demand.skip(&self.progress, what, place)?;
                into.truncate(start);
            } else {
                let label = Some(start..middle).filter(|_| self.demand.labelled);
                let text = middle..into.len();
                batch.rows.push(Row::plain(label, text));
            }
        }
        Ok(Some(batch).filter(|batch| !batch.rows.is_empty()))
    }
}
