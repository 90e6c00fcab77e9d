//! The door to Python for texts: tables of counts, and judges with their answers.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView};

use crate::batch::Unreadable;
use crate::buffer::{Array, Memory, Tensor};
use crate::file::{Cell, TYPES};
use crate::form::Form;
use crate::index::{Bucket, Index};
use crate::judge::{self, Answers, Scratch, Values, Weights};
use crate::py_analyse::PyAnalyser;
use crate::py_rows::PyKept;
use crate::py_source::{PySource, input_error};
use crate::sorted::{self, Sorted};
use crate::table::{self, Arrays, Name, Refusal};
use crate::threads::{share, threads};
use crate::tokens::ROOM;
use crate::vocabulary::Vocabulary;

/// Bytes of a batch that is not worth another thread.
const SMALL: usize = 1 << 16;
/// A word of a bag takes as long as so many cells of a matrix.
const COSTLY: usize = 16;
/// How many batches a thread judges before the answers are handed over.
const AHEAD: usize = 16;

fn wrong(what: &'static str) -> PyErr {
    PyValueError::new_err(what)
}

/// The exception for a refusal; what Python raised itself while the source was read, as it is.
fn explained(py: Python<'_>, refusal: Refusal, source: Option<&PySource>) -> PyErr {
    match refusal {
        Refusal::Unreadable(wrong) => match source {
            Some(source) => source.error(py, wrong),
            None => input_error(py, wrong),
        },
        Refusal::TooMany => input_error(
            py,
            Unreadable::new("a class can have 4,294,967,295 texts, got more", ""),
        ),
        Refusal::NotLearned(label, word) => NotHeldError::new_err((readable(&label), readable(&word))),
    }
}

fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pyo3::create_exception!(
    _core,
    NotHeldError,
    PyValueError,
    "What should be taken out was never put in."
);

fn named(label: &str, weight: f64) -> Name {
    Name::new(label.as_bytes(), weight)
}

/// A bag for every label and weight: how often words stand in their texts.
#[pyclass(name = "Table", module = "plainbayes._core")]
#[derive(Default)]
pub struct PyTable {
    inner: table::Table,
}

#[pymethods]
impl PyTable {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Counts a source; returns the table, how many rows there were and how many stretches of bytes were replaced.
    #[staticmethod]
    fn count(py: Python<'_>, analyser: &PyAnalyser, source: &PySource) -> PyResult<(Self, u64, u64)> {
        let counted =
            py.detach(|| table::Table::count(&analyser.inner, threads(usize::MAX), 0, || source.take()));
        let (inner, _, report) = counted.map_err(|refusal| explained(py, refusal, Some(source)))?;
        Ok((Self { inner }, report.rows, report.replaced))
    }

    /// The same, and keeps texts for a second look.
    #[staticmethod]
    fn count_and_keep(
        py: Python<'_>,
        analyser: &PyAnalyser,
        source: &PySource,
        most: usize,
    ) -> PyResult<(Self, PyKept, u64, u64)> {
        let counted =
            py.detach(|| table::Table::count(&analyser.inner, threads(usize::MAX), most, || source.take()));
        let (inner, kept, report) = counted.map_err(|refusal| explained(py, refusal, Some(source)))?;
        Ok((
            Self { inner },
            PyKept {
                inner: Arc::new(kept),
            },
            report.rows,
            report.replaced,
        ))
    }

    /// Adds another table.
    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        py.detach(|| {
            self.inner
                .merge(other.inner.clone(), threads(COSTLY * other.inner.len()))
        })
        .map_err(|refusal| explained(py, refusal, None))
    }

    /// Takes out another table; refused, with nothing changed, if it was never put in.
    fn part(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        py.detach(|| self.inner.part(&other.inner))
            .map_err(|refusal| explained(py, refusal, None))
    }

    fn copy(&self, py: Python<'_>) -> Self {
        Self {
            inner: py.detach(|| self.inner.clone()),
        }
    }

    /// Label, weight and number of texts of every bag.
    #[getter]
    fn bags(&self) -> Vec<(String, f64, u32)> {
        let bag = |(name, bag): &(Name, crate::bag::Bag)| (readable(&name.label), name.weight(), bag.texts);
        self.inner.bags.iter().map(bag).collect()
    }

    /// The table as arrays, bags in this order, with at most so many words.
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        order: Vec<(String, f64)>,
        most: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let order: Vec<_> = order
            .iter()
            .map(|(label, weight)| named(label, *weight))
            .collect();
        let sorted = py.detach(|| {
            self.inner
                .sorted(&order, most, threads(COSTLY * self.inner.len()))
        });
        let sorted = sorted.ok_or_else(|| wrong("a bag that is not there, or more than 4 GB of words"))?;
        let Sorted {
            bytes,
            starts,
            index,
            cells,
            bags,
            counts,
            texts,
            ..
        } = sorted;
        let arrays = PyDict::new(py);
        arrays.set_item("bytes", PyBytes::new(py, &bytes))?;
        for (name, numbers) in [
            ("starts", starts),
            ("cells", cells),
            ("bags", bags),
            ("texts", texts),
        ] {
            arrays.set_item(name, lent(py, numbers)?)?;
        }
        arrays.set_item("counts", lent(py, counts)?)?;
        let Index {
            eights,
            fifteens,
            longs,
        } = index;
        for (name, buckets) in [("eights", eights), ("fifteens", fifteens), ("longs", longs)] {
            arrays.set_item(name, lent_buckets(py, buckets)?)?;
        }
        Ok(arrays)
    }

    /// The table of such arrays; bags with their labels, weights and numbers of texts.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        names: Vec<(String, f64, u32)>,
        words: (Array<u8>, Array<u32>),
        sums: (Array<u32>, Array<u32>, Array<u64>, Array<u32>),
    ) -> PyResult<Self> {
        let ((spellings, starts), (cells, bags, counts, texts)) = (words, sums);
        let names = names
            .iter()
            .map(|(label, weight, texts)| (named(label, *weight), *texts));
        let arrays = Arrays {
            bytes: spellings.slice(),
            starts: starts.slice(),
            cells: cells.slice(),
            bags: bags.slice(),
            counts: counts.slice(),
            texts: texts.slice(),
        };
        let names = names.collect();
        let inner = py.detach(|| table::Table::of(names, &arrays));
        inner
            .map(|inner| Self { inner })
            .ok_or_else(|| wrong("arrays that are none of a table"))
    }
}

/// Numbers for Python to read, without a copy: copying took a third as long as making them.
fn lent<T: Cell + Send + Sync>(py: Python<'_>, numbers: Vec<T>) -> PyResult<Bound<'_, PyMemoryView>> {
    let (count, bytes) = (numbers.len(), size_of_val(&*numbers));
    let memory = Arc::new(Memory::Made(Box::new(numbers)));
    let kind = TYPES.iter().find(|kind| kind.0 == T::TYPE);
    let tensor = kind.and_then(|kind| Tensor::new(memory, 0..bytes, (kind.1, kind.2), &[count]));
    let tensor = tensor.ok_or_else(|| wrong("numbers of a type that no file has"))?;
    PyMemoryView::from(Bound::new(py, tensor)?.as_any())
}

fn lent_buckets(py: Python<'_>, buckets: Vec<Bucket>) -> PyResult<Bound<'_, PyMemoryView>> {
    lent(py, buckets.into_flattened())
}

/// The index of words, in how many cells of the counts each has been met, and the numbers of texts in these.
#[pyfunction]
pub fn indexed<'py>(
    py: Python<'py>,
    words: (Array<u8>, Array<u32>),
    sums: (Array<u32>, Array<u32>),
) -> PyResult<[Bound<'py, PyMemoryView>; 3]> {
    let index = py.detach(|| {
        let (bytes, starts) = (words.0.slice(), words.1.slice());
        let hashes = sorted::hashed(bytes, starts)?;
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len() + ROOM, 0);
        sorted::indexed(&hashes, &bytes, starts, (sums.0.slice(), sums.1.slice()))
    });
    let index = index.ok_or_else(|| wrong("words and sums that do not agree"))?;
    Ok([
        lent_buckets(py, index.eights)?,
        lent_buckets(py, index.fifteens)?,
        lent_buckets(py, index.longs)?,
    ])
}

/// The hashes of words, which may stand in any order.
#[pyfunction]
pub fn hashes<'py>(py: Python<'py>, words: (Array<u8>, Array<u32>)) -> PyResult<Bound<'py, PyMemoryView>> {
    let found = py.detach(|| sorted::hashed(words.0.slice(), words.1.slice()));
    let found = found.ok_or_else(|| wrong("starts that are none of words"))?;
    lent(py, found)
}

/// How many words each of so many bags has, repeated ones too.
#[pyfunction]
pub fn lengths(bags: Array<u32>, counts: Array<u64>, size: usize) -> PyResult<Vec<u64>> {
    let mut lengths = vec![0; size];
    for (&bag, count) in bags.slice().iter().zip(counts.slice()) {
        *lengths
            .get_mut(bag as usize)
            .ok_or_else(|| wrong("a bag that is not there"))? += count;
    }
    Ok(lengths)
}

/// For every word and bag, log(count + alpha) - less, then the row `last`.
#[pyfunction]
pub fn log_rows<'py>(
    py: Python<'py>,
    sums: (Array<u32>, Array<u32>, Array<u64>),
    alpha: f64,
    less: Vec<f64>,
    last: Vec<f64>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    let sums = (sums.0.slice(), sums.1.slice(), sums.2.slice());
    let rows = py.detach(|| table::log_rows(sums, alpha, &less));
    let mut rows = rows.ok_or_else(|| wrong("arrays that are none of a table"))?;
    rows.extend(last);
    lent(py, rows)
}

/// For every count, log(count + alpha) - log(alpha).
#[pyfunction]
pub fn log_differences(py: Python<'_>, counts: Array<u64>, alpha: f64) -> PyResult<Bound<'_, PyMemoryView>> {
    lent(py, table::log_differences(counts.slice(), alpha))
}

/// The arrays of a vocabulary: bytes and starts of its words, and the three of their index.
#[derive(FromPyObject)]
pub struct PyVocabulary(Array<u8>, Array<u32>, Array<u64>, Array<u64>, Array<u64>);

impl PyVocabulary {
    /// The vocabulary, unless the arrays are of none.
    pub fn inner(&self) -> PyResult<Vocabulary<'_>> {
        let Self(bytes, starts, eights, fifteens, longs) = self;
        let [eights, fifteens, longs] = [eights, fifteens, longs].map(|buckets| buckets.slice().as_chunks());
        let whole = eights.1.is_empty() && fifteens.1.is_empty() && longs.1.is_empty();
        let vocabulary = Vocabulary {
            bytes: bytes.slice(),
            starts: starts.slice(),
            eights: eights.0,
            fifteens: fifteens.0,
            longs: longs.0,
        };
        (whole && !starts.slice().is_empty())
            .then_some(vocabulary)
            .ok_or_else(|| wrong("arrays that are none of a vocabulary"))
    }
}

/// Words and weights, ready to judge texts by. The arrays may be those of a mapped file.
#[pyclass(name = "Judge", module = "plainbayes._core", frozen)]
pub struct PyJudge {
    analyser: Py<PyAnalyser>,
    #[pyo3(get)]
    classes: Vec<String>,
    words: PyVocabulary,
    table: Table,
    bias: Array<f64>,
    prior: Array<f64>,
    veto: Option<(Array<f64>, Array<f64>)>,
    values: Values,
    unknown: bool,
}

#[derive(FromPyObject)]
enum Table {
    Sparse(
        Array<f64>,
        Array<f64>,
        Array<u32>,
        Array<u32>,
        Array<f64>,
        Option<Array<f64>>,
    ),
    #[pyo3(transparent)]
    Dense(Array<f64>),
}

#[pymethods]
impl PyJudge {
    /// `bias` with the prior and the prior alone; `manner`: "count", "presence" or "log" of a word, whether
    /// a text's words have length 1, and whether unknown words count.
    #[new]
    fn new(
        analyser: Py<PyAnalyser>,
        classes: Vec<String>,
        words: PyVocabulary,
        table: Table,
        bias: (Array<f64>, Array<f64>),
        veto: Option<(Array<f64>, Array<f64>)>,
        manner: (&str, bool, bool),
    ) -> PyResult<Self> {
        let ((bias, prior), (form, short, unknown)) = (bias, manner);
        let form = Form::named(form).ok_or_else(|| wrong("count, presence or log"))?;
        let (size, width) = (words.inner()?.len(), classes.len());
        let whole = Some(width * (size + 1));
        let table_fits = match &table {
            Table::Dense(table) => Some(table.slice().len()) == whole,
            Table::Sparse(background, unknown, cells, .., exponents) => {
                let (background, unknown) = (background.slice().len(), unknown.slice().len());
                let exponents = exponents.as_ref().is_none_or(|all| all.slice().len() == size);
                background == width && unknown == width && cells.slice().len() == size + 1 && exponents
            }
        };
        let veto_fits = veto
            .as_ref()
            .is_none_or(|(bias, table)| bias.slice().len() == width && Some(table.slice().len()) == whole);
        let fits = width > 0
            && bias.slice().len() == width
            && prior.slice().len() == width
            && table_fits
            && veto_fits;
        if !fits {
            return Err(wrong("arrays that are none of a judge"));
        }
        Ok(Self {
            analyser,
            classes,
            words,
            table,
            bias,
            prior,
            veto,
            values: Values { form, short },
            unknown,
        })
    }

    /// The answers to the next rows of a source, in their order; None at the end. `full` adds all scores.
    fn answers(&self, py: Python<'_>, source: &PySource, full: bool) -> PyResult<Option<PyAnswers>> {
        let analyser = &self.analyser.get().inner;
        let judge = self.inner()?;
        let judged = py.detach(|| {
            let threads = threads(usize::MAX);
            let mut left = AHEAD * threads;
            let batches = std::iter::from_fn(|| {
                left = left.checked_sub(1)?;
                let batch = source.take().transpose()?;
                // A small one is the last, or all that has come so far: whoever sent it waits for the answer.
                if batch.as_ref().map_or(true, |batch| batch.bytes.len() < SMALL) {
                    left = 0;
                }
                Some(batch)
            });
            let job = |scratch: &mut Scratch, batch: Result<_, _>| {
                Ok(judge.judge(analyser, &batch?, full, scratch))
            };
            share(threads, batches, Scratch::default, job)
                .into_iter()
                .collect::<Result<Vec<_>, _>>()
        });
        let answers = judged.map_err(|wrong| source.error(py, wrong))?;
        Ok((!answers.is_empty()).then_some(PyAnswers { answers }))
    }

    /// The scores of a text that says nothing.
    #[getter]
    fn prior(&self) -> Vec<f64> {
        self.prior.slice().to_vec()
    }

    /// The numbers of words; one past the last for the unknown.
    fn find(&self, words: Vec<String>) -> PyResult<Vec<usize>> {
        let judge = self.inner()?;
        let number = |word: &String| judge.vocabulary.number(word.as_bytes());
        Ok(words.iter().map(number).collect())
    }

    /// "label TAB probability" for every answer, a line each.
    fn lines<'py>(&self, py: Python<'py>, answers: &PyAnswers) -> PyResult<Bound<'py, PyBytes>> {
        let mut lines = Vec::new();
        for &(class, log_probability) in answers.answers.iter().flat_map(|answers| &answers.best) {
            lines.extend_from_slice(self.classes[class as usize].as_bytes());
            lines.push(b'\t');
            decimals(log_probability.exp(), &mut lines);
            lines.push(b'\n');
        }
        Ok(PyBytes::new(py, &lines))
    }
}

/// A probability with four decimals.
fn decimals(probability: f64, into: &mut Vec<u8>) {
    let whole = (probability * 10_000.0).round() as u32;
    into.push(b'0' + (whole / 10_000) as u8);
    into.push(b'.');
    for digit in [1000, 100, 10, 1] {
        into.push(b'0' + (whole / digit % 10) as u8);
    }
}

impl PyJudge {
    fn inner(&self) -> PyResult<judge::Judge<'_>> {
        Ok(judge::Judge {
            vocabulary: self.words.inner()?,
            weights: match &self.table {
                Table::Dense(table) => Weights::Dense(table.slice()),
                Table::Sparse(background, unknown, cells, classes, differences, exponents) => {
                    Weights::Sparse {
                        background: background.slice(),
                        unknown: unknown.slice(),
                        cells: cells.slice(),
                        classes: classes.slice(),
                        differences: differences.slice(),
                        exponents: exponents.as_ref().map(Array::slice),
                    }
                }
            },
            bias: self.bias.slice(),
            prior: self.prior.slice(),
            veto: self
                .veto
                .as_ref()
                .map(|(bias, table)| (bias.slice(), table.slice())),
            values: self.values,
            unknown: self.unknown,
        })
    }
}

/// The answers to some rows.
#[pyclass(name = "Answers", module = "plainbayes._core", frozen)]
pub struct PyAnswers {
    answers: Vec<Answers>,
}

#[pymethods]
impl PyAnswers {
    fn __len__(&self) -> usize {
        self.answers.iter().map(|answers| answers.best.len()).sum()
    }

    /// The place of the likeliest class of each row.
    #[getter]
    fn best(&self) -> Vec<u32> {
        self.each(|answers| answers.best.iter().map(|&(class, _)| class).collect())
    }

    /// The probability of that class.
    #[getter]
    fn probabilities(&self) -> Vec<f64> {
        self.each(|answers| answers.best.iter().map(|&(_, log)| log.exp()).collect())
    }

    /// Scores of all rows and classes; there if they were asked for.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        lent(py, self.each(|answers| answers.scores.clone()))
    }

    /// Logarithms of the probabilities of all rows and classes, likewise.
    #[getter]
    fn log_probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        lent(py, self.each(|answers| answers.log_probabilities.clone()))
    }

    /// How many stretches of bytes were no UTF-8.
    #[getter]
    fn replaced(&self) -> u64 {
        self.answers.iter().map(|answers| answers.replaced).sum()
    }
}

impl PyAnswers {
    fn each<T>(&self, part: impl Fn(&Answers) -> Vec<T>) -> Vec<T> {
        self.answers.iter().flat_map(part).collect()
    }
}
