//! The door to Python for texts that are looked at twice.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::buffer::Array;
use crate::form::Form;
use crate::kept;
use crate::py_analyse::PyAnalyser;
use crate::py_source::PySource;
use crate::py_table::PyVocabulary;
use crate::rows::{self, Event};

/// Texts with their labels, kept while they were counted.
#[pyclass(name = "Kept", module = "plainbayes._core", frozen)]
pub struct PyKept {
    pub inner: Arc<kept::Kept>,
}

#[pymethods]
impl PyKept {
    /// Keeps all rows of a source up to so many bytes; returns them and whether that was all. With `halved`, only
    /// those that stay when the share of the hashes is halved so often.
    #[staticmethod]
    #[pyo3(signature = (source, most, halved=0))]
    fn start(py: Python<'_>, source: &PySource, most: usize, halved: u32) -> PyResult<(Self, bool)> {
        let mut kept = kept::Kept::halved(most, halved);
        let whole = py.detach(|| kept.start(|| source.take()));
        let whole = whole.map_err(|wrong| source.error(py, wrong))?;
        Ok((
            Self {
                inner: Arc::new(kept),
            },
            whole,
        ))
    }

    /// The texts as a source.
    fn again(&self, py: Python<'_>) -> PySource {
        PySource::of(py, kept::Again::new(Arc::clone(&self.inner)))
    }

    /// At most so many bytes and rows of these, chosen by the hashes of the texts.
    fn some(&self, py: Python<'_>, size: usize, rows: usize) -> Self {
        let some = py.detach(|| self.inner.some(size, rows));
        Self {
            inner: Arc::new(some),
        }
    }

    /// The number of distinct texts.
    fn __len__(&self) -> usize {
        self.inner.distinct()
    }

    /// For every text as it came, the number of its row: copies are one row.
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        bytes(py, &py.detach(|| self.inner.order()))
    }

    /// The hashes of distinct texts, in the order of their rows.
    fn hashes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        bytes(py, &py.detach(|| self.inner.hashes()))
    }

    /// The bytes of all texts.
    #[getter]
    fn size(&self) -> usize {
        self.inner.size()
    }

    /// The share of all texts that was kept.
    #[getter]
    fn share(&self) -> f64 {
        self.inner.share()
    }

    /// The labels in the order in which they were met.
    #[getter]
    fn labels(&self) -> Vec<String> {
        let readable = |label| String::from_utf8_lossy(label).into_owned();
        self.inner.labels().map(readable).collect()
    }
}

/// For every row of a source, how often the share that is kept can be halved until its text is left out.
#[pyfunction]
pub fn levels<'py>(py: Python<'py>, source: &PySource) -> PyResult<Bound<'py, PyBytes>> {
    let mut all = Vec::new();
    each(py, source, |_, text| all.push(kept::level(text) as u8))?;
    Ok(bytes(py, &all))
}

/// The hash of the text of every row of a source, and the number of its label in the order in which labels were met.
#[pyfunction]
pub fn labelled_hashes<'py>(
    py: Python<'py>,
    source: &PySource,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let (mut hashes, mut labels, mut numbers) = (Vec::new(), Vec::new(), HashMap::new());
    each(py, source, |label, text| {
        hashes.push(kept::hash(text));
        let next = numbers.len() as u32;
        labels.push(*numbers.entry(label.to_vec()).or_insert(next));
    })?;
    Ok((bytes(py, &hashes), bytes(py, &labels)))
}

/// Calls with the label and the text of every row.
fn each(py: Python<'_>, source: &PySource, mut call: impl FnMut(&[u8], &[u8]) + Send) -> PyResult<()> {
    let done = py.detach(|| {
        while let Some(batch) = source.take()? {
            for row in &batch.rows {
                let label = row.label.clone().and_then(|label| batch.bytes.get(label));
                let text = batch.bytes.get(row.text.clone());
                call(label.unwrap_or_default(), text.unwrap_or_default());
            }
        }
        Ok(())
    });
    done.map_err(|wrong| source.error(py, wrong))
}

/// Texts as rows of numbered words; see the core's `rows`.
#[pyclass(name = "Rows", module = "plainbayes._core")]
pub struct PyRows {
    inner: rows::Rows,
    words: usize,
}

fn wrong(what: &'static str) -> PyErr {
    PyValueError::new_err(what)
}

fn bytes<'py, T: bytemuck::NoUninit>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}

#[pymethods]
impl PyRows {
    /// `words`: a vocabulary; `numbers` and `total` of its words; the class of each
    /// kept label.
    #[new]
    fn new(
        py: Python<'_>,
        kept: &PyKept,
        analyser: &PyAnalyser,
        words: PyVocabulary,
        numbers: Array<u32>,
        total: Array<f64>,
        places: (Vec<u32>, usize),
    ) -> PyResult<Self> {
        let vocabulary = words.inner()?;
        let (numbers, total, (class, classes)) = (numbers.slice(), total.slice(), places);
        let fits = numbers.len() == vocabulary.len()
            && total.len() == numbers.len()
            && class.len() == kept.inner.labels().count()
            && class.iter().all(|&class| (class as usize) < classes);
        if !fits {
            return Err(wrong(
                "a number and a total for each word, and a class for each label",
            ));
        }
        let used = numbers.iter().filter(|&&number| number != u32::MAX);
        let words = used.max().map_or(0, |&last| last as usize + 1);
        let inner = py.detach(|| {
            let numbers = (numbers, total);
            rows::Rows::read(
                &kept.inner,
                &analyser.inner,
                &vocabulary,
                numbers,
                &class,
                classes,
            )
        });
        Ok(Self { inner, words })
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Row, class and weight of each part, as three arrays of bytes.
    fn parts<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let parts = self.inner.parts();
        let rows: Vec<_> = parts.iter().map(|part| part.0).collect();
        let classes: Vec<_> = parts.iter().map(|part| part.1).collect();
        let weights: Vec<_> = parts.iter().map(|part| part.2).collect();
        (bytes(py, &rows), bytes(py, &classes), bytes(py, &weights))
    }

    /// Takes cells of counts: the number of a word that takes part, class and count; and in how many texts each stands.
    fn counted(
        &mut self,
        py: Python<'_>,
        total: Array<f32>,
        cells: (Array<u32>, Array<u32>, Array<f64>),
    ) -> PyResult<()> {
        let (number, class, count) = &cells;
        let cells = (number.slice(), class.slice(), count.slice());
        if total.slice().len() != self.words {
            return Err(wrong("a total for each word"));
        }
        py.detach(|| self.inner.counted(total.slice().to_vec(), cells));
        Ok(())
    }

    /// Takes the classes that each word may lean to: of word w, those from `starts[w]` to `starts[w + 1]`.
    fn lean(&mut self, starts: Array<u32>, classes: Array<u32>) -> PyResult<()> {
        let fits = starts.slice().len() == self.words + 1 && self.inner.lean(starts.slice(), classes.slice());
        fits.then_some(())
            .ok_or_else(|| wrong("a start for each word, and classes"))
    }

    /// Takes the fold of each row.
    fn deal(&mut self, folds: Array<u8>) -> PyResult<()> {
        let fits = self.inner.deal(folds.slice());
        fits.then_some(()).ok_or_else(|| wrong("a fold for each row"))
    }

    /// Prepares to score: `values` "count", "presence" or "log", of length 1 or not; `event` "multinomial", "bernoulli"
    /// or "complement", words of a text counted once or not, smoothed; `sums` of the classes (texts for Bernoulli) and the
    /// number of words; `fold`, which is left out, and whether its own rows are to be scored.
    fn scoring(
        &mut self,
        py: Python<'_>,
        values: (&str, bool),
        event: (&str, bool, f64),
        sums: (Vec<f64>, f64),
        fold: Option<(u8, bool)>,
    ) -> PyResult<PyScoring> {
        let manner = rows::Manner {
            form: Form::named(values.0).ok_or_else(|| wrong("count, presence or log"))?,
            short: values.1,
            event: Event::named(event.0).ok_or_else(|| wrong("multinomial, bernoulli or complement"))?,
            once: event.1,
            alpha: event.2,
            sums: &sums.0,
            vocabulary: sums.1,
            fold: fold.map(|fold| fold.0),
            inside: fold.is_some_and(|fold| fold.1),
        };
        if self.inner.size() != (self.words, sums.0.len()) {
            return Err(wrong("counts come first, and a sum for each class"));
        }
        let inner = py.detach(|| self.inner.scoring(&manner));
        Ok(PyScoring { inner })
    }

    /// Scores of all rows and classes, by exponents, perhaps with leanings behind them.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        by: &PyScoring,
        exponents: Array<f32>,
        bias: Array<f32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (exponents, bias) = (exponents.slice(), bias.slice());
        let scored = self.scored(by, exponents, bias)?;
        let scores = py.detach(|| scored.scores(exponents, bias));
        Ok(bytes(py, &scores))
    }

    /// Loss and gradient, in exponents, leanings and bias, of the rows that are not left out.
    fn slope<'py>(
        &self,
        py: Python<'py>,
        by: &PyScoring,
        exponents: Array<f32>,
        bias: Array<f32>,
    ) -> PyResult<(f64, Bound<'py, PyBytes>, Vec<f64>)> {
        let (exponents, bias) = (exponents.slice(), bias.slice());
        let scored = self.scored(by, exponents, bias)?;
        let slope = py.detach(|| scored.slope(exponents, bias));
        Ok((slope.loss, bytes(py, &slope.exponents), slope.bias))
    }

    /// About how much the loss bends in each exponent and leaning.
    fn curvature<'py>(
        &self,
        py: Python<'py>,
        by: &PyScoring,
        exponents: Array<f32>,
        bias: Array<f32>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (exponents, bias) = (exponents.slice(), bias.slice());
        let scored = self.scored(by, exponents, bias)?;
        Ok(bytes(py, &py.detach(|| scored.curvature(exponents, bias))))
    }
}

/// What rows are scored by.
#[pyclass(name = "Scoring", module = "plainbayes._core", frozen)]
pub struct PyScoring {
    inner: rows::Scoring,
}

impl PyRows {
    fn scored<'a>(
        &'a self,
        by: &'a PyScoring,
        exponents: &[f32],
        bias: &[f32],
    ) -> PyResult<rows::Scored<'a>> {
        let (words, leanings) = self.inner.leanings();
        let leaning =
            words == self.words && exponents.len() == words + leanings && by.inner.leanings() == leanings;
        let fits = leaning || exponents.len() == self.words;
        if fits && self.inner.size() == (self.words, bias.len()) && by.inner.len() == self.inner.len() {
            let (rows, by) = (&self.inner, &by.inner);
            Ok(rows::Scored { rows, by })
        } else {
            Err(wrong(
                "an exponent for each word, perhaps its leanings, a bias for each class, and a scoring of these rows",
            ))
        }
    }
}

/// The number that each word of one vocabulary has in another; one past the last if it is not there.
#[pyfunction]
pub fn places<'py>(
    py: Python<'py>,
    words: (Array<u8>, Array<u32>),
    others: PyVocabulary,
) -> PyResult<Bound<'py, PyBytes>> {
    let vocabulary = others.inner()?;
    let (text, starts) = (words.0.slice(), words.1.slice());
    let numbers: Vec<u32> = py.detach(|| {
        let spelled = |ends: &[u32]| text.get(ends[0] as usize..ends[1] as usize).unwrap_or_default();
        starts
            .windows(2)
            .map(|ends| vocabulary.number(spelled(ends)) as u32)
            .collect()
    });
    Ok(bytes(py, &numbers))
}
