//! Texts on their way from a source to the table: rows of a batch of bytes.

use std::ops::Range;

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

/// Some rows, a few megabytes of them at most unless one row alone is longer.
#[derive(Default)]
pub struct Batch {
    pub bytes: Vec<u8>,
    pub rows: Vec<Row>,
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
