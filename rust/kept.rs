//! Texts kept for a second look: all of them, or, when they are too many, those whose hash is small.
//!
//! Which ones are kept depends on the texts alone, not on their order or on the number of threads, and copies of a
//! text are kept or left out together.

use std::collections::HashMap;
use std::sync::Arc;

use twox_hash::XxHash3_64;

use crate::batch::{Batch, Row as BatchRow, Source, Unreadable};

/// Fewer than these are not worth a choice.
const LEAST: usize = 200;

/// A batch of them has about so many bytes.
const BATCH: usize = 1 << 20;

/// Rows with their labels.
#[derive(Default)]
pub struct Kept {
    bytes: Vec<u8>,
    rows: Vec<Row>,
    labels: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, u32>,
    /// How often the share of the hashes that are kept was halved.
    halved: u32,
    most: usize,
    most_rows: usize,
    /// So many rows are not too many, however long they are.
    least: usize,
}

#[derive(Clone, Copy)]
struct Row {
    hash: u64,
    start: usize,
    end: usize,
    label: u32,
    weight: f64,
}

/// A text, and the labels it has with their weights: copies of one text are one.
pub struct Text<'a> {
    pub bytes: &'a [u8],
    pub labels: Vec<(u32, f64)>,
}

pub fn hash(text: &[u8]) -> u64 {
    XxHash3_64::oneshot(text)
}

/// How often the share of the hashes that are kept can be halved until this text is left out.
pub fn level(text: &[u8]) -> u32 {
    hash(text).leading_zeros()
}

impl Kept {
    pub fn new(most: usize) -> Self {
        Self::halved(most, 0)
    }

    /// Of texts that stay when the share of the hashes is halved so often.
    pub fn halved(most: usize, halved: u32) -> Self {
        Self {
            most,
            most_rows: usize::MAX,
            halved,
            ..Self::default()
        }
    }

    /// At most so many bytes and rows of these.
    pub fn some(&self, most: usize, most_rows: usize) -> Self {
        let mut some = Self {
            most,
            most_rows,
            least: LEAST,
            ..Self::default()
        };
        some.merge(self);
        some
    }

    /// Keeps the rows of a batch that count.
    pub fn keep(&mut self, batch: &Batch) {
        for row in batch.rows.iter().filter(|row| row.weight != 0.0) {
            let text = batch.bytes.get(row.text.clone()).unwrap_or_default();
            let hash = hash(text);
            if self.takes(hash) {
                let label = row.label.clone().and_then(|label| batch.bytes.get(label));
                self.put(hash, text, label.unwrap_or_default(), row.weight);
            }
        }
    }

    /// Adds the texts of another.
    pub fn merge(&mut self, other: &Self) {
        while self.halved < other.halved {
            self.halve();
        }
        for row in &other.rows {
            if self.takes(row.hash) {
                let label = &other.labels[row.label as usize];
                self.put(row.hash, &other.bytes[row.start..row.end], label, row.weight);
            }
        }
    }

    /// Keeps all rows of a source until there are so many bytes; whether that was all of it.
    pub fn start(
        &mut self,
        mut next: impl FnMut() -> Result<Option<Batch>, Unreadable>,
    ) -> Result<bool, Unreadable> {
        let most = std::mem::replace(&mut self.most, usize::MAX);
        while self.bytes.len() < most {
            match next()? {
                Some(batch) => self.keep(&batch),
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// The bytes of all texts.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The number of distinct texts.
    pub fn distinct(&self) -> usize {
        let mut hashes: Vec<_> = self.rows.iter().map(|row| row.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.len()
    }

    /// The share of all texts that is kept.
    pub fn share(&self) -> f64 {
        0.5f64.powi(self.halved as i32)
    }

    pub fn labels(&self) -> impl Iterator<Item = &[u8]> {
        self.labels.iter().map(Vec::as_slice)
    }

    fn text(&self, row: &Row) -> &[u8] {
        &self.bytes[row.start..row.end]
    }

    /// The rows in the order of the hashes of their texts, with their places; copies stand together, by label.
    fn sorted(&self) -> Vec<(usize, Row)> {
        let key = |row: &Row| {
            (
                row.hash,
                self.text(row),
                self.labels[row.label as usize].as_slice(),
            )
        };
        let mut rows: Vec<_> = self.rows.iter().copied().enumerate().collect();
        rows.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)));
        rows
    }

    /// The distinct texts in the order of their hashes.
    pub fn texts(&self) -> Vec<Text<'_>> {
        let rows: Vec<_> = self.sorted().into_iter().map(|(_, row)| row).collect();
        rows.chunk_by(|a, b| self.text(a) == self.text(b))
            .map(|copies| Text {
                bytes: &self.bytes[copies[0].start..copies[0].end],
                labels: copies
                    .chunk_by(|a, b| a.label == b.label)
                    .map(|same| (same[0].label, same.iter().map(|row| row.weight).sum()))
                    .collect(),
            })
            .collect()
    }

    /// The hashes of these.
    pub fn hashes(&self) -> Vec<u64> {
        let sorted = self.sorted();
        let copies = sorted.chunk_by(|(_, a), (_, b)| self.text(a) == self.text(b));
        copies.map(|copies| copies[0].1.hash).collect()
    }

    /// For every row as it came, the place of its text among these.
    pub fn order(&self) -> Vec<u32> {
        let mut order = vec![0; self.rows.len()];
        let sorted = self.sorted();
        let copies = sorted.chunk_by(|(_, a), (_, b)| self.text(a) == self.text(b));
        for (number, copies) in (0..).zip(copies) {
            for &(place, _) in copies {
                order[place] = number;
            }
        }
        order
    }

    fn takes(&self, hash: u64) -> bool {
        hash.leading_zeros() >= self.halved
    }

    fn put(&mut self, hash: u64, text: &[u8], label: &[u8], weight: f64) {
        let label = match self.places.get(label) {
            Some(&label) => label,
            None => {
                let place = self.labels.len() as u32;
                self.labels.push(label.to_vec());
                self.places.insert(label.to_vec(), place);
                place
            }
        };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.rows.push(Row {
            hash,
            start,
            end: self.bytes.len(),
            label,
            weight,
        });
        while (self.bytes.len() > self.most || self.rows.len() > self.most_rows)
            && self.rows.len() > self.least
            && self.halved < 63
        {
            self.halve();
        }
    }

    fn halve(&mut self) {
        self.halved += 1;
        let halved = self.halved;
        self.rows.retain(|row| row.hash.leading_zeros() >= halved);
        let mut end = 0;
        for row in &mut self.rows {
            self.bytes.copy_within(row.start..row.end, end);
            (row.start, row.end) = (end, end + row.end - row.start);
            end = row.end;
        }
        self.bytes.truncate(end);
    }
}

/// Kept texts as a source, in the order in which they came.
pub struct Again {
    kept: Arc<Kept>,
    next: usize,
}

impl Again {
    pub fn new(kept: Arc<Kept>) -> Self {
        Self { kept, next: 0 }
    }
}

impl Source for Again {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        let mut batch = Batch::with_room(BATCH);
        while let Some(row) = self
            .kept
            .rows
            .get(self.next)
            .filter(|_| batch.bytes.len() < BATCH)
        {
            let start = batch.bytes.len();
            batch
                .bytes
                .extend_from_slice(&self.kept.labels[row.label as usize]);
            let middle = batch.bytes.len();
            batch
                .bytes
                .extend_from_slice(&self.kept.bytes[row.start..row.end]);
            batch.rows.push(BatchRow {
                label: Some(start..middle),
                text: middle..batch.bytes.len(),
                weight: row.weight,
            });
            self.next += 1;
        }
        Ok(Some(batch).filter(|batch| !batch.rows.is_empty()))
    }
}
