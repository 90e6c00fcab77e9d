//! Files of texts as rows: lines of several formats, and folders with a text in each file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encoding_rs::Encoding;
use memchr::{memchr, memrchr};

use crate::batch::{Batch, Row, Source, Unreadable};
use crate::decode::{BLOCK, Progress, Text};
use crate::json;

/// So much of the first file is shown to whoever has to recognise its format.
const HEAD: usize = 1 << 16;
/// So many small files at most make a batch.
const FILES: usize = 1 << 12;
const LABEL: &[u8] = b"__label__";

/// How a line is written.
pub enum Format {
    /// A text, without label.
    Lines,
    /// A label, a tab, a text.
    Tabbed,
    /// Labels that begin with `__label__`, then the text. The first label counts.
    FastText,
    /// An object with these keys.
    Json(json::Keys),
}

/// What to do about labels: to look for them, and to insist on them.
#[derive(Clone, Copy)]
pub struct Demand {
    pub labelled: bool,
    pub strict: bool,
}

impl Demand {
    /// Counts a row that lacks something; `place` says which.
    pub fn skip(
        self,
        progress: &Progress,
        what: &str,
        place: impl FnOnce() -> String,
    ) -> Result<(), Unreadable> {
        if self.strict {
            let sentence = format!("a {what} was expected, got none in {}", place());
            return Err(Unreadable::new(
                sentence,
                "without --strict (strict=True), such rows are skipped",
            ));
        }
        Progress::add(&progress.skipped, 1);
        Ok(())
    }
}

/// The bytes of one file after another, in blocks that end with a line.
pub struct Blocks {
    paths: VecDeque<PathBuf>,
    text: Option<Text>,
    declared: Option<&'static Encoding>,
    pub progress: Arc<Progress>,
    /// Read but not given yet: a line that goes on, or the first block.
    ahead: Vec<u8>,
    /// Whether nothing of this file has been given, and whether all has been read.
    fresh: bool,
    ended: bool,
}

impl Blocks {
    pub fn files(paths: Vec<PathBuf>, declared: Option<&'static Encoding>, progress: Arc<Progress>) -> Self {
        Self {
            paths: paths.into(),
            text: None,
            declared,
            progress,
            ahead: Vec::new(),
            fresh: true,
            ended: false,
        }
    }

    pub fn stream(text: Text, progress: Arc<Progress>) -> Self {
        Self {
            text: Some(text),
            ..Self::files(Vec::new(), None, progress)
        }
    }

    /// Reads on to the end: whether all of it is UTF-8 as it lies there; `unpacked` if packed files do.
    pub fn is_plain(&mut self, unpacked: bool) -> Result<bool, Unreadable> {
        while let Some((block, first)) = self.next()? {
            let packed = self.text.as_ref().is_some_and(|text| text.packed);
            // A mark at the beginning has been left out; other charsets have been decoded.
            let other = packed != unpacked || self.progress.encoding.get().is_some();
            if first && other || std::str::from_utf8(&block.bytes).is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads on to the end and writes all of it in UTF-8.
    pub fn copy(&mut self, path: &Path) -> Result<(), Unreadable> {
        let failed = |error: io::Error| {
            let sentence = format!("{} cannot be written: {error}", path.display());
            Unreadable::new(sentence, "the folder for temporary files needs room for a copy")
        };
        let mut file = File::create(path).map_err(failed)?;
        while let Some((block, _)) = self.next()? {
            for chunk in block.bytes.utf8_chunks() {
                file.write_all(chunk.valid().as_bytes()).map_err(failed)?;
                if !chunk.invalid().is_empty() {
                    file.write_all("\u{fffd}".as_bytes()).map_err(failed)?;
                    Progress::add(&self.progress.replaced, 1);
                }
            }
        }
        Ok(())
    }

    pub fn name(&self) -> &str {
        self.text.as_ref().map_or("", |text| &text.name)
    }

    /// The first lines; empty if there are none in any file.
    pub fn head(&mut self) -> Result<&[u8], Unreadable> {
        while self.ahead.is_empty() && self.open()? {
            self.more()?;
        }
        let whole = &self.ahead;
        let end = match whole.len() {
            0..=HEAD => whole.len(),
            // Lines that are whole, or the first one if that is long.
            _ => memrchr(b'\n', &whole[..HEAD])
                .or_else(|| memchr(b'\n', whole))
                .map_or(whole.len(), |end| end + 1),
        };
        Ok(&whole[..end])
    }

    /// Goes on to the next file if there is nothing more to read in this one; false at the end.
    fn open(&mut self) -> Result<bool, Unreadable> {
        while self.text.is_none() || self.ended && self.ahead.is_empty() {
            let Some(path) = self.paths.pop_front() else {
                return Ok(false);
            };
            self.text = Some(Text::open(&path, self.declared, &self.progress)?);
            (self.fresh, self.ended) = (true, false);
        }
        Ok(true)
    }

    fn more(&mut self) -> Result<(), Unreadable> {
        if let Some(text) = &mut self.text {
            self.ended = !text.fill(&mut self.ahead)?;
        }
        Ok(())
    }

    /// The next block, whole lines of one file, as a batch without rows yet, and whether it is the file's first.
    pub fn next(&mut self) -> Result<Option<(Batch, bool)>, Unreadable> {
        while self.open()? {
            let mut seen = 0;
            let end = loop {
                let line = memrchr(b'\n', &self.ahead[seen..]);
                match line {
                    _ if self.ended => break self.ahead.len(),
                    Some(place) => break seen + place + 1,
                    None => seen = self.ahead.len(),
                }
                self.more()?;
            };
            if end > 0 {
                let rest = &self.ahead[end..];
                // Room for the next block: reading into it must not move it.
                let (mut next, rows) = Batch::room(rest.len() + BLOCK + 64);
                next.extend_from_slice(rest);
                let mut bytes = std::mem::replace(&mut self.ahead, next);
                bytes.truncate(end);
                let block = Batch { bytes, rows };
                return Ok(Some((block, std::mem::replace(&mut self.fresh, false))));
            }
        }
        Ok(None)
    }
}

/// Rows from lines.
pub struct Lines {
    pub blocks: Blocks,
    pub format: Format,
    pub demand: Demand,
    /// Whether the first line of each file holds names of columns.
    pub header: bool,
    /// Number of lines of this file that have been given.
    pub line: usize,
}

impl Source for Lines {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        while let Some((mut batch, first)) = self.blocks.next()? {
            if first {
                self.line = 0;
            }
            let (mut start, size) = (0, batch.bytes.len());
            while start < size {
                let end = memchr(b'\n', &batch.bytes[start..]).map_or(size, |place| start + place);
                let line = start..end - usize::from(end > start && batch.bytes[end - 1] == b'\r');
                start = end + 1;
                self.line += 1;
                if !(self.header && self.line == 1) {
                    self.row(&mut batch, line)?;
                }
            }
            if !batch.rows.is_empty() {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

impl Lines {
    #[inline]
    fn row(&mut self, batch: &mut Batch, line: Range<usize>) -> Result<(), Unreadable> {
        let bytes = &batch.bytes[line.clone()];
        // A line without an object is no row; one without a text is, where texts are lines.
        let skips = self.demand.labelled || matches!(self.format, Format::Json(_));
        if skips && bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        let (label, text) = match &self.format {
            Format::Lines => (None, line),
            Format::Tabbed => match memchr(b'\t', bytes) {
                Some(tab) => (Some(line.start..line.start + tab), line.start + tab + 1..line.end),
                None => (None, line),
            },
            Format::FastText => fasttext(bytes, line),
            Format::Json(keys) => {
                let (label, text) = keys.find(bytes).map_err(|wrong| {
                    let sentence = format!("{} {wrong}", self.place());
                    Unreadable::new(sentence, "JSONL has one object a line")
                })?;
                let label = label.map(|label| label.place(line.start, &mut batch.bytes));
                match text {
                    Some(text) => (label, text.place(line.start, &mut batch.bytes)),
                    None if self.demand.labelled => return self.skip("text"),
                    None => (label, line.end..line.end),
                }
            }
        };
        if !self.demand.labelled {
            batch.rows.push(Row::plain(None, text));
            return Ok(());
        }
        let label = label.map(|label| trimmed(&batch.bytes, label));
        match label {
            Some(label) if !label.is_empty() => batch.rows.push(Row::plain(Some(label), text)),
            _ => self.skip("label")?,
        }
        Ok(())
    }

    fn place(&self) -> String {
        format!("line {} of {}", self.line, self.blocks.name())
    }

    #[cold]
    fn skip(&self, what: &str) -> Result<(), Unreadable> {
        self.demand.skip(&self.blocks.progress, what, || self.place())
    }
}

fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let start = range.start + (range.len() - bytes[range.clone()].trim_ascii_start().len());
    start..start + bytes[range].trim_ascii().len()
}

/// Label and text of a line of fastText's.
fn fasttext(bytes: &[u8], line: Range<usize>) -> (Option<Range<usize>>, Range<usize>) {
    let mut label = None;
    let mut rest = bytes.trim_ascii_start();
    while rest.starts_with(LABEL) {
        let start = line.end - rest.len() + LABEL.len();
        let end = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        label = label.or(Some(start..line.end - rest.len() + end));
        rest = rest[end..].trim_ascii_start();
    }
    (label, line.end - rest.len()..line.end)
}

/// A text in each file.
pub struct Folder {
    files: VecDeque<(Option<String>, PathBuf)>,
    declared: Option<&'static Encoding>,
    demand: Demand,
    progress: Arc<Progress>,
}

impl Folder {
    pub fn new(
        files: Vec<(Option<String>, PathBuf)>,
        declared: Option<&'static Encoding>,
        demand: Demand,
        progress: Arc<Progress>,
    ) -> Self {
        Self {
            files: files.into(),
            declared,
            demand,
            progress,
        }
    }
}

impl Source for Folder {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        let mut batch = Batch::default();
        while batch.bytes.len() < BLOCK && batch.rows.len() < FILES {
            let Some((label, path)) = self.files.pop_front() else {
                break;
            };
            if self.demand.labelled && label.is_none() {
                self.demand
                    .skip(&self.progress, "label", || path.display().to_string())?;
                continue;
            }
            let start = batch.bytes.len();
            let label = label.filter(|_| self.demand.labelled).map(|label| {
                batch.bytes.extend_from_slice(label.as_bytes());
                start..batch.bytes.len()
            });
            let start = batch.bytes.len();
            let mut text = Text::open(&path, self.declared, &self.progress)?;
            while text.fill(&mut batch.bytes)? {}
            let text = start..batch.bytes.len();
            batch.rows.push(Row::plain(label, text));
        }
        Ok(Some(batch).filter(|batch| !batch.rows.is_empty()))
    }
}

/// One source after another.
pub struct Chain(pub VecDeque<Box<dyn Source>>);

impl Source for Chain {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        while let Some(source) = self.0.front_mut() {
            match source.next()? {
                Some(batch) => return Ok(Some(batch)),
                None => self.0.pop_front(),
            };
        }
        Ok(None)
    }
}
