//! Sources as Python sees them, and Python's own things as sources.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use encoding_rs::Encoding;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyString};

use crate::arrow::{Field, Stream};
use crate::batch::{Batch, Source, Unreadable};
use crate::columns::{ArrowColumn, Cell, Column, Columns, Table};
use crate::decode::{self, Progress, Text};
use crate::json;
use crate::read::{Blocks, Chain, Demand, Folder, Format, Lines};

/// So many rows of Python's are taken at once.
const SLICE: usize = 1 << 10;
/// A batch of them holds about so many bytes.
const BATCH: usize = 1 << 20;

/// Label, text and weight of a row.
type Triple = (Option<Py<PyAny>>, Py<PyAny>, f64);

/// What Python raised while it was read from; told to whoever asks for the reason.
type Failure = Arc<Mutex<Option<PyErr>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep(failure: &Failure, error: PyErr) -> Unreadable {
    let sentence = error.to_string();
    *locked(failure) = Some(error);
    Unreadable::new(sentence, "")
}

/// What could not be read, as plainbayes.InputError.
pub fn input_error(py: Python<'_>, wrong: Unreadable) -> PyErr {
    let hint = Some(wrong.hint).filter(|hint| !hint.is_empty());
    let made = py
        .import(intern!(py, "plainbayes.errors"))
        .and_then(|errors| errors.getattr(intern!(py, "InputError")))
        .and_then(|error| error.call1((wrong.sentence, hint)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Rows of texts on their way into a model. Iterating gives (label, text, weight); what has been taken is gone.
#[pyclass(frozen, name = "Source", module = "plainbayes._core")]
pub struct PySource {
    inner: Mutex<Option<Box<dyn Source>>>,
    progress: Arc<Progress>,
    total: Option<u64>,
    failure: Failure,
    /// Labels that are not their own name, by the name they have in a batch.
    labels: Py<PyDict>,
    /// What iteration has taken and not given yet.
    open: Mutex<(Batch, usize)>,
}

impl PySource {
    fn new(
        py: Python<'_>,
        source: impl Source + 'static,
        progress: Arc<Progress>,
        total: Option<u64>,
    ) -> Self {
        Self {
            inner: Mutex::new(Some(Box::new(source))),
            progress,
            total,
            failure: Failure::default(),
            labels: PyDict::new(py).unbind(),
            open: Mutex::default(),
        }
    }

    /// What is in memory already.
    pub fn of(py: Python<'_>, source: impl Source + 'static) -> Self {
        Self::new(py, source, Arc::default(), None)
    }

    /// The next batch, for any thread that does not hold the interpreter lock.
    pub fn take(&self) -> Result<Option<Batch>, Unreadable> {
        let mut inner = locked(&self.inner);
        let Some(source) = inner.as_mut() else {
            return Ok(None);
        };
        let batch = source.next();
        match &batch {
            Ok(Some(batch)) => Progress::add(&self.progress.rows, batch.rows.len()),
            // Nothing comes after the end or a mistake.
            _ => *inner = None,
        }
        batch
    }

    /// The exception for what `take` said: Python's own if there was one.
    pub fn error(&self, py: Python<'_>, wrong: Unreadable) -> PyErr {
        let raised = locked(&self.failure).take();
        raised.unwrap_or_else(|| input_error(py, wrong))
    }
}

#[pymethods]
impl PySource {
    /// Rows without label that were left out so far.
    #[getter]
    fn skipped(&self) -> u64 {
        self.progress.skipped.load(Ordering::Relaxed)
    }

    /// Rows given so far.
    #[getter]
    fn rows(&self) -> u64 {
        self.progress.rows.load(Ordering::Relaxed)
    }

    /// Characters that could not be decoded so far, where a charset other than UTF-8 was.
    #[getter]
    fn replaced(&self) -> u64 {
        self.progress.replaced.load(Ordering::Relaxed)
    }

    /// Bytes of the files read so far, as they are on disk.
    #[getter]
    fn bytes_read(&self) -> u64 {
        self.progress.bytes.load(Ordering::Relaxed)
    }

    /// Bytes there are to read, None if that is unknown.
    #[getter]
    fn total_bytes(&self) -> Option<u64> {
        self.total
    }

    /// The charset, declared or found.
    #[getter]
    fn encoding(&self) -> String {
        self.progress
            .encoding
            .get()
            .map_or_else(|| "utf-8".to_owned(), |name| name.to_ascii_lowercase())
    }

    /// Labels that are not their own name in a batch (those that are no text), by that name.
    #[getter]
    fn labels(&self, py: Python<'_>) -> Py<PyDict> {
        self.labels.clone_ref(py)
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Triple>> {
        let taken = py.detach(|| {
            let mut open = locked(&self.open);
            while open.1 == open.0.rows.len() {
                match self.take()? {
                    Some(batch) => *open = (batch, 0),
                    None => return Ok(None),
                }
            }
            open.1 += 1;
            let row = &open.0.rows[open.1 - 1];
            let bytes = |range: &Range<usize>| open.0.bytes[range.clone()].to_vec();
            Ok(Some((
                row.label.as_ref().map(bytes),
                bytes(&row.text),
                row.weight,
            )))
        });
        let Some((label, text, weight)) = taken.map_err(|wrong| self.error(py, wrong))? else {
            return Ok(None);
        };
        let string = |bytes: Vec<u8>| PyString::new(py, &String::from_utf8_lossy(&bytes));
        let label = label.map(string).map(|name| -> PyResult<_> {
            let other = self.labels.bind(py).get_item(&name)?;
            Ok(other.unwrap_or_else(|| name.into_any()).unbind())
        });
        Ok(Some((
            label.transpose()?,
            string(text).into_any().unbind(),
            weight,
        )))
    }

    /// One source after another.
    #[staticmethod]
    fn chain(py: Python<'_>, sources: Vec<Py<Self>>) -> Self {
        let mut total = Some(0);
        let whole = Self::new(py, Chain(VecDeque::new()), Arc::default(), None);
        let parts = sources.into_iter().map(|source| {
            let size = source.get().total;
            total = total.zip(size).map(|(total, size)| total + size);
            Box::new(Part {
                source,
                progress: Arc::clone(&whole.progress),
                failure: Arc::clone(&whole.failure),
                told: [0; 3],
            }) as Box<dyn Source>
        });
        let chain = Chain(parts.collect());
        Self {
            inner: Mutex::new(Some(Box::new(chain))),
            total,
            ..whole
        }
    }

    /// A text in each file, with its label.
    #[staticmethod]
    #[pyo3(signature = (files, encoding, labelled, strict))]
    fn folder(
        py: Python<'_>,
        files: Vec<(Option<String>, PathBuf)>,
        encoding: Option<&str>,
        labelled: bool,
        strict: bool,
    ) -> PyResult<Self> {
        let declared = declared(py, encoding)?;
        let progress = Arc::default();
        let demand = Demand { labelled, strict };
        let total = sizes(py, files.iter().map(|(_, path)| path))?;
        let folder = Folder::new(files, declared, demand, Arc::clone(&progress));
        Ok(Self::new(py, folder, progress, Some(total)))
    }

    /// Two columns of a table that another library holds, by Arrow; the reader is the one that has seen the file.
    #[staticmethod]
    fn table(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        keys: (String, Option<String>),
        labelled: bool,
        strict: bool,
        name: String,
        reader: Option<&Reader>,
    ) -> PyResult<Self> {
        let stream = Stream::of(table)?.ok_or_else(|| PyTypeError::new_err("no Arrow table"))?;
        let find = |column: &str, fits: fn(&Field) -> bool, what: &str| {
            let found = stream.fields.iter().position(|field| field.name == column);
            found.filter(|&place| fits(&stream.fields[place])).ok_or_else(|| {
                let sentence = format!("a column of {what} was expected, got {column:?} of {name}");
                input_error(py, Unreadable::new(sentence, ""))
            })
        };
        let text = find(&keys.0, Field::is_text, "texts")?;
        let label = keys.1.map(|label| find(&label, Field::is_known, "labels"));
        let label = label.transpose()?;
        let progress = reader.map_or_else(Arc::default, |reader| Arc::clone(&reader.progress));
        let demand = Demand { labelled, strict };
        let table = Table::new(stream, (text, label), demand, Arc::clone(&progress), name);
        Ok(Self::new(py, table, progress, None))
    }

    /// Texts, labels and weights that Python has, as they come: by Arrow if they are text that another library
    /// holds, else what `items` makes of them. `name` says what a label that is no text is called.
    #[staticmethod]
    fn columns(
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        labels: Option<&Bound<'_, PyAny>>,
        weights: Option<&Bound<'_, PyAny>>,
        items: &Bound<'_, PyAny>,
        name: Py<PyAny>,
    ) -> PyResult<Self> {
        let failure = Failure::default();
        let names = PyDict::new(py).unbind();
        let column = |things: &Bound<'_, PyAny>, kind| -> PyResult<Box<dyn Column>> {
            // What cannot be had by Arrow (a mixed column, a library missing) is read one by one.
            if !matches!(kind, Kind::Weight)
                && let Ok(Some(stream)) = Stream::of(things)
                && stream.fields.len() == 1
                && stream.fields[0].is_text()
            {
                return Ok(Box::new(ArrowColumn::new(stream)));
            }
            Ok(Box::new(PyColumn {
                items: items.call1((things,))?.try_iter()?.unbind(),
                kind,
                bytes: Vec::new(),
                cells: VecDeque::new(),
                row: 0,
                ended: false,
                failure: Arc::clone(&failure),
            }))
        };
        let kind = Kind::Label {
            name,
            known: PyDict::new(py).unbind(),
            labels: names.clone_ref(py),
        };
        let progress = Arc::<Progress>::default();
        let columns = Columns {
            texts: column(texts, Kind::Text)?,
            labels: labels.map(|labels| column(labels, kind)).transpose()?,
            weights: weights.map(|weights| column(weights, Kind::Weight)).transpose()?,
            progress: Arc::clone(&progress),
            row: 0,
        };
        Ok(Self {
            labels: names,
            failure,
            ..Self::new(py, columns, progress, None)
        })
    }
}

/// A source that Python has, as part of another.
struct Part {
    source: Py<PySource>,
    progress: Arc<Progress>,
    failure: Failure,
    /// What of its counts has been added to the whole.
    told: [u64; 3],
}

impl Source for Part {
    fn next(&mut self) -> Result<Option<Batch>, Unreadable> {
        let part = self.source.get();
        let batch = part.take();
        let (mine, whole) = (&part.progress, &self.progress);
        for (told, (mine, whole)) in self.told.iter_mut().zip([
            (&mine.bytes, &whole.bytes),
            (&mine.skipped, &whole.skipped),
            (&mine.replaced, &whole.replaced),
        ]) {
            let now = mine.load(Ordering::Relaxed);
            whole.fetch_add(now - *told, Ordering::Relaxed);
            *told = now;
        }
        if let Some(encoding) = mine.encoding.get() {
            let _ = whole.encoding.set(encoding);
        }
        if batch.is_err() {
            *locked(&self.failure) = locked(&part.failure).take();
        }
        batch
    }
}

fn declared(py: Python<'_>, encoding: Option<&str>) -> PyResult<Option<&'static Encoding>> {
    encoding
        .map(decode::named)
        .transpose()
        .map_err(|wrong| input_error(py, wrong))
}

/// The size of all files; one that is not there is refused before anything is read.
fn sizes<'a>(py: Python<'_>, paths: impl Iterator<Item = &'a PathBuf>) -> PyResult<u64> {
    let mut total = 0;
    for path in paths {
        let known = path
            .metadata()
            .map_err(|error| decode::unreadable(&path.display().to_string(), &error));
        total += known.map_err(|wrong| input_error(py, wrong))?.len();
    }
    Ok(total)
}

/// Files or a stream whose first lines can be seen before their format is decided on.
#[pyclass(frozen, module = "plainbayes._core")]
pub struct Reader {
    blocks: Mutex<Option<Blocks>>,
    progress: Arc<Progress>,
    failure: Failure,
    total: Option<u64>,
}

const TAKEN: &str = "this reader has given away its bytes";

#[pymethods]
impl Reader {
    /// Opens files, one after another.
    #[new]
    #[pyo3(signature = (paths, encoding=None))]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, encoding: Option<&str>) -> PyResult<Self> {
        let declared = declared(py, encoding)?;
        let progress = Arc::default();
        let total = sizes(py, paths.iter())?;
        Ok(Self {
            blocks: Mutex::new(Some(Blocks::files(paths, declared, Arc::clone(&progress)))),
            progress,
            failure: Failure::default(),
            total: Some(total),
        })
    }

    /// Reads what `read(n)` gives, bytes or text. If prompt, every piece is passed on as it comes.
    #[staticmethod]
    fn stream(
        py: Python<'_>,
        read: Py<PyAny>,
        name: String,
        prompt: bool,
        encoding: Option<&str>,
    ) -> PyResult<Self> {
        let declared = declared(py, encoding)?;
        let (progress, failure) = (Arc::default(), Failure::default());
        let bytes = PyRead {
            read,
            failure: Arc::clone(&failure),
            left: io::Cursor::default(),
        };
        let text = py.detach(|| Text::stream(name, Box::new(bytes), prompt, declared, &progress));
        let reader = Self {
            blocks: Mutex::new(None),
            progress,
            failure,
            total: None,
        };
        let text = text.map_err(|wrong| reader.error(py, wrong))?;
        *locked(&reader.blocks) = Some(Blocks::stream(text, Arc::clone(&reader.progress)));
        Ok(reader)
    }

    /// The first lines in UTF-8; empty if the files are.
    #[getter]
    fn head<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let head = py.detach(|| match locked(&self.blocks).as_mut() {
            Some(blocks) => blocks.head().map(<[u8]>::to_vec),
            None => Ok(Vec::new()),
        });
        head.map(|head| PyBytes::new(py, &head))
            .map_err(|wrong| self.error(py, wrong))
    }

    /// Whether all of it is UTF-8 as it lies there or, if that is asked, within packed files. It is read for that.
    fn is_plain(&self, py: Python<'_>, unpacked: bool) -> PyResult<bool> {
        self.taken(py, |blocks| blocks.is_plain(unpacked))
    }

    /// Writes all of it, unpacked and in UTF-8.
    fn copy(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.taken(py, |blocks| blocks.copy(&path))
    }

    /// The rows, read as "lines", "tabbed", "fasttext" or, with the keys of text and label, "jsonl".
    #[pyo3(signature = (form, keys=None, *, labelled=true, strict=false, header=false))]
    fn rows(
        &self,
        py: Python<'_>,
        form: &str,
        keys: Option<(String, Option<String>)>,
        labelled: bool,
        strict: bool,
        header: bool,
    ) -> PyResult<PySource> {
        let format = match (form, keys) {
            ("lines", _) => Format::Lines,
            ("tabbed", _) => Format::Tabbed,
            ("fasttext", _) => Format::FastText,
            ("jsonl", Some((text, label))) => Format::Json(json::Keys { text, label }),
            _ => return Err(PyValueError::new_err(format!("no format of lines: {form}"))),
        };
        let blocks = py.detach(|| locked(&self.blocks).take());
        let lines = Lines {
            blocks: blocks.ok_or_else(|| PyValueError::new_err(TAKEN))?,
            format,
            demand: Demand { labelled, strict },
            header,
            line: 0,
        };
        Ok(PySource {
            failure: Arc::clone(&self.failure),
            ..PySource::new(py, lines, Arc::clone(&self.progress), self.total)
        })
    }
}

impl Reader {
    fn taken<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Blocks) -> Result<T, Unreadable> + Send,
    ) -> PyResult<T> {
        let blocks = py.detach(|| locked(&self.blocks).take());
        let mut blocks = blocks.ok_or_else(|| PyValueError::new_err(TAKEN))?;
        py.detach(|| work(&mut blocks))
            .map_err(|wrong| self.error(py, wrong))
    }

    fn error(&self, py: Python<'_>, wrong: Unreadable) -> PyErr {
        let raised = locked(&self.failure).take();
        raised.unwrap_or_else(|| input_error(py, wrong))
    }
}

/// Bytes from a Python object.
struct PyRead {
    read: Py<PyAny>,
    failure: Failure,
    left: io::Cursor<Vec<u8>>,
}

impl Read for PyRead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.left.read(into)?;
        if count > 0 || into.is_empty() {
            return Ok(count);
        }
        let mut got = Vec::new();
        let read = Python::attach(|py| -> PyResult<()> {
            let piece = self.read.bind(py).call1((into.len(),))?;
            match (piece.cast::<PyString>(), piece.cast::<PyBytes>()) {
                (Ok(text), _) => utf8(text, &mut got)?,
                (_, Ok(bytes)) => got.extend_from_slice(bytes.as_bytes()),
                _ => return Err(PyTypeError::new_err("read() gave neither bytes nor text")),
            }
            Ok(())
        });
        read.map_err(|error| io::Error::other(keep(&self.failure, error).sentence))?;
        self.left = io::Cursor::new(got);
        self.left.read(into)
    }
}

/// Adds the bytes of a string. Half of a surrogate pair has none in UTF-8: it is passed on to be replaced.
fn utf8(text: &Bound<'_, PyString>, into: &mut Vec<u8>) -> PyResult<()> {
    match text.encode_utf8() {
        Ok(bytes) => into.extend_from_slice(bytes.as_bytes()),
        Err(_) => {
            let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
            into.extend_from_slice(bytes.cast::<PyBytes>()?.as_bytes());
        }
    }
    Ok(())
}

enum Kind {
    Text,
    Weight,
    Label {
        name: Py<PyAny>,
        known: Py<PyDict>,
        labels: Py<PyDict>,
    },
}

/// What a Python iterator gives.
struct PyColumn {
    items: Py<PyIterator>,
    kind: Kind,
    /// Taken from Python and not given yet.
    bytes: Vec<u8>,
    cells: VecDeque<Range<usize>>,
    row: usize,
    ended: bool,
    failure: Failure,
}

impl PyColumn {
    fn more(&mut self, py: Python<'_>) -> PyResult<()> {
        self.bytes.clear();
        let mut items = self.items.bind(py).clone();
        while self.cells.len() < SLICE && self.bytes.len() < BATCH {
            let Some(item) = items.next() else {
                self.ended = true;
                break;
            };
            let item = item?;
            let start = self.bytes.len();
            match (&self.kind, item.cast::<PyString>()) {
                (Kind::Text, Ok(text)) => utf8(text, &mut self.bytes)?,
                (Kind::Text, Err(_)) => return Err(self.wrong(&item, "text")),
                (Kind::Weight, _) => match item.extract::<f64>() {
                    Ok(weight) => self.bytes.extend_from_slice(&weight.to_le_bytes()),
                    Err(_) => return Err(self.wrong(&item, "weight")),
                },
                (Kind::Label { name, known, labels }, _) => {
                    let known = known.bind(py);
                    let found = match known.get_item(&item) {
                        Ok(Some(found)) => found,
                        Ok(None) => {
                            let found = name.bind(py).call1((&item, self.row))?;
                            known.set_item(&item, &found)?;
                            if !found.eq(&item)? {
                                labels.bind(py).set_item(&found, &item)?;
                            }
                            found
                        }
                        // Not hashable: `name` says so in words.
                        Err(_) => name.bind(py).call1((&item, self.row))?,
                    };
                    utf8(found.cast::<PyString>()?, &mut self.bytes)?;
                }
            }
            self.cells.push_back(start..self.bytes.len());
            self.row += 1;
        }
        Ok(())
    }

    fn wrong(&self, item: &Bound<'_, PyAny>, what: &str) -> PyErr {
        let shown: String = match item.repr() {
            Ok(shown) => shown.to_string_lossy().chars().take(60).collect(),
            Err(_) => "something".to_owned(),
        };
        let hint = match item.is_instance_of::<PyBytes>() {
            true => "decode it first: text.decode()",
            false => "",
        };
        let sentence = format!("a {what} was expected, got {shown} in row {}", self.row);
        input_error(item.py(), Unreadable::new(sentence, hint))
    }
}

impl Column for PyColumn {
    fn next(&mut self, into: &mut Vec<u8>) -> Result<Cell, Unreadable> {
        if self.cells.is_empty() && !self.ended {
            Python::attach(|py| self.more(py)).map_err(|error| keep(&self.failure, error))?;
        }
        let Some(cell) = self.cells.pop_front() else {
            return Ok(Cell::End);
        };
        let start = into.len();
        into.extend_from_slice(&self.bytes[cell]);
        Ok(Cell::At(start..into.len()))
    }
}
