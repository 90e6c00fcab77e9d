//! Texts on their way from a source to the table: rows of a batch of bytes.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// One text with what is known of it; ranges of the batch's bytes.
pub struct Row {
    pub label: Option<Range<usize>>,
    pub text: Range<usize>,
    pub weight: f64,
}

impl Row {
    /// A row that counts once.
    pub fn plain(label: Option<Range<usize>>, text: Range<usize>) -> Self {
        Self {
            label,
            text,
            weight: 1.0,
        }
    }
}

/// Some rows, about a megabyte of them unless one row alone is longer.
///
/// Its memory is used again by batches to come: asking the system for pages took 40% of reading a file.
#[derive(Default)]
pub struct Batch {
    pub bytes: Vec<u8>,
    pub rows: Vec<Row>,
}

/// Memory of batches that are done with.
static SPARE: Mutex<Vec<(Vec<u8>, Vec<Row>)>> = Mutex::new(Vec::new());
/// So many are kept, and none that is larger than so many bytes.
const KEPT: usize = 8;
const LARGE: usize = 4 << 20;

impl Batch {
    /// A batch to be filled.
    pub fn with_room(bytes: usize) -> Self {
        let (bytes, rows) = Self::room(bytes);
        Self { bytes, rows }
    }

    /// Room for bytes and rows.
    pub fn room(bytes: usize) -> (Vec<u8>, Vec<Row>) {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let (mut room, rows) = spare.unwrap_or_default();
        room.reserve(bytes);
        (room, rows)
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let (mut bytes, mut rows) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.rows));
        if (1..LARGE).contains(&bytes.capacity()) && rows.capacity() * size_of::<Row>() < LARGE {
            bytes.clear();
            rows.clear();
            let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
            if spare.len() < KEPT {
                spare.push((bytes, rows));
            }
        }
    }
}

/// What can go wrong while reading, as a sentence for the user and, if there is one, a hint.
#[derive(Debug)]
pub struct Unreadable {
    pub sentence: String,
    pub hint: String,
}

/// Where batches come from: a file, a stream, a frame, a list.
pub trait Source: Send {
    /// The next rows, in order; None at the end.
    fn next(&mut self) -> Result<Option<Batch>, Unreadable>;
}
