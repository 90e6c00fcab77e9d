//! The door to Python: borrows arrays, checks their shapes, releases the lock, calls the loops.
//!
//! A dense matrix crosses as the array it is, a sparse one as `(data, columns, starts, width)`, categories as
//! `(cells, sizes)`, class weights as `(codes, weights or None, starts or None, classes)`. Results are written
//! into arrays that the caller has made; what is returned is what is wrong with the cells, or whether all are
//! inside the support.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::buffer::{Array, Cells, Output};
use crate::category::{self, Categories};
use crate::count::{self, Fault};
use crate::labels::{self, Labels};
use crate::moment;
use crate::score::{self, Coarse};
use crate::sparse::Sparse;
use crate::support::{self, Support};

fn check(fits: bool, what: &'static str) -> PyResult<()> {
    fits.then_some(()).ok_or_else(|| PyValueError::new_err(what))
}

const SHAPES: &str = "shapes do not agree";
const RANGE: &str = "sparse matrix with a place out of range";

#[derive(FromPyObject)]
struct SparseArrays(Cells<f64>, Cells<i32>, Array<i64>, usize);

impl SparseArrays {
    fn sparse(&self) -> PyResult<Sparse<'_>> {
        let Self(data, columns, starts, width) = self;
        Sparse::new(data, columns, starts.slice(), *width).ok_or_else(|| PyValueError::new_err(RANGE))
    }
}

#[derive(FromPyObject)]
struct Codes(Cells<i32>, Array<i64>);

impl Codes {
    fn categories(&self, more: i32) -> PyResult<Categories<'_>> {
        let sizes = PyValueError::new_err("sizes of categories do not agree");
        Categories::new(&self.0, self.1.slice(), more).ok_or(sizes)
    }
}

enum Matrix {
    Dense(Cells<f64>),
    Sparse(SparseArrays),
    Codes(Codes),
}

impl FromPyObject<'_, '_> for Matrix {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyTuple>() {
            Err(_) => Ok(Self::Dense(object.extract()?)),
            Ok(parts) if parts.len() == 2 => Ok(Self::Codes(parts.extract()?)),
            Ok(parts) => Ok(Self::Sparse(parts.extract()?)),
        }
    }
}

#[derive(FromPyObject)]
struct Weights(Array<i64>, Option<Array<f64>>, Option<Array<i64>>, usize);

impl Weights {
    fn labels(&self, rows: usize) -> PyResult<Labels<'_>> {
        let Self(codes, weights, starts, classes) = self;
        let (weights, starts) = (weights.as_ref(), starts.as_ref());
        Labels::new(
            codes.slice(),
            weights.map(Array::slice),
            starts.map(Array::slice),
            *classes,
        )
        .filter(|labels| labels.rows() == rows)
        .ok_or_else(|| PyValueError::new_err("class codes, weights and rows do not agree"))
    }
}

/// The rows of tables of this shape.
fn tables<const N: usize>(
    outputs: &mut [Output<f64>; N],
    (classes, width): (usize, usize),
) -> PyResult<[Vec<&mut [f64]>; N]> {
    let tables = outputs.each_mut().map(Output::rows);
    let fit = |table: &Vec<&mut [f64]>| table.len() == classes && table.iter().all(|row| row.len() == width);
    check(tables.iter().all(fit), SHAPES)?;
    Ok(tables)
}

fn named(support: &str, missing: bool) -> PyResult<Support> {
    Support::named(support, missing).ok_or_else(|| PyValueError::new_err("unknown support"))
}

/// Values, and rows with a value, per class and column; `first` checks all cells before it adds any.
#[pyfunction]
fn counts(
    py: Python<'_>,
    x: Matrix,
    labels: Weights,
    support: &str,
    first: bool,
    count: Output<f64>,
    present: Output<f64>,
) -> PyResult<Option<&'static str>> {
    let support = named(support, false)?;
    let mut outputs = [count, present];
    let fault = match &x {
        Matrix::Dense(x) => {
            let (rows, width) = x.shape();
            let [count, present] = tables(&mut outputs, (labels.3, width))?;
            let labels = labels.labels(rows)?;
            let inside = py.detach(|| {
                (!first || support::offender(x, support).is_none())
                    && count::dense::<true>(x, &labels, support, present, count)
            });
            if inside { Ok(()) } else { Err(Fault::Outside) }
        }
        Matrix::Sparse(x) => {
            let x = x.sparse()?;
            let [count, present] = tables(&mut outputs, (labels.3, x.width))?;
            let labels = labels.labels(x.rows())?;
            py.detach(|| {
                if first {
                    count::check(&x, support, 0..x.rows())?;
                }
                count::sparse(&x, &labels, support, count, present)
            })
        }
        Matrix::Codes(_) => return Err(PyValueError::new_err("categories are counted by category_counts")),
    };
    match fault {
        Ok(()) => Ok(None),
        Err(Fault::Outside) => Ok(Some("outside")),
        Err(Fault::Twice) => Ok(Some("twice")),
        Err(Fault::Beyond) => Err(PyValueError::new_err(RANGE)),
    }
}

/// Weight and sum of the cells that are there, per class and column.
#[pyfunction]
fn sums(
    py: Python<'_>,
    x: Cells<f64>,
    labels: Weights,
    support: &str,
    n: Output<f64>,
    s: Output<f64>,
) -> PyResult<bool> {
    let support = named(support, true)?;
    let mut outputs = [n, s];
    let [n, s] = tables(&mut outputs, (labels.3, x.shape().1))?;
    let labels = labels.labels(x.shape().0)?;
    Ok(py.detach(|| count::dense::<false>(&x, &labels, support, n, s)))
}

/// Number, mean and scatter of the cells that are there, per class and column.
#[pyfunction]
fn moments(
    py: Python<'_>,
    x: Cells<f64>,
    labels: Weights,
    n: Output<f64>,
    mean: Output<f64>,
    scatter: Output<f64>,
) -> PyResult<bool> {
    let real = named("real", true)?;
    let mut outputs = [n, mean, scatter];
    let tables = tables(&mut outputs, (labels.3, x.shape().1))?;
    let labels = labels.labels(x.shape().0)?;
    Ok(py.detach(|| moment::moments(&x, &labels, real, tables)))
}

/// Weights per class and category, the columns' categories one after another.
#[pyfunction]
fn category_counts(py: Python<'_>, x: Codes, labels: Weights, table: Output<f64>) -> PyResult<bool> {
    let x = x.categories(0)?;
    let mut outputs = [table];
    let [table] = tables(&mut outputs, (labels.3, x.places()))?;
    let labels = labels.labels(x.cells.shape().0)?;
    Ok(py.detach(|| category::counts(&x, &labels, table)))
}

/// How often each code stands there, into `sizes`.
#[pyfunction]
fn class_sizes(py: Python<'_>, codes: Array<i64>, mut sizes: Output<i64>) -> PyResult<()> {
    let (codes, sizes) = (codes.slice(), sizes.slice()?);
    check(
        py.detach(|| labels::count(codes, sizes)),
        "class code out of range",
    )
}

/// The greatest code of each column plus one, into `sizes`.
#[pyfunction]
fn category_sizes(py: Python<'_>, cells: Cells<i32>, mut sizes: Output<i64>) -> PyResult<()> {
    let sizes = sizes.slice()?;
    check(sizes.len() == cells.shape().1, SHAPES)?;
    py.detach(|| category::sizes(&cells, sizes));
    Ok(())
}

/// Sum of value x weight plus bias into `scores` (rows x classes); `table` is columns x classes.
#[pyfunction]
fn linear(
    py: Python<'_>,
    x: Matrix,
    bias: Array<f64>,
    table: Array<f64>,
    once: bool,
    support: &str,
    mut scores: Output<f64>,
) -> PyResult<bool> {
    let support = named(support, false)?;
    let (bias, table, scores) = (bias.slice(), table.slice(), scores.slice()?);
    let fits = |rows: usize, places: usize| {
        check(
            scores.len() == rows * bias.len() && table.len() >= places * bias.len(),
            SHAPES,
        )
    };
    let done = match &x {
        Matrix::Dense(x) => {
            fits(x.shape().0, x.shape().1)?;
            py.detach(|| score::linear(x, bias, table, once, support, scores))
        }
        Matrix::Sparse(x) => {
            let x = x.sparse()?;
            fits(x.rows(), x.width)?;
            let table = &table[..x.width * bias.len()];
            py.detach(|| score::linear(&x, bias, table, once, support, scores))
        }
        Matrix::Codes(x) => {
            let x = x.categories(1)?;
            fits(x.cells.shape().0, x.places())?;
            py.detach(|| score::linear(&x, bias, table, true, support, scores))
        }
    };
    check(done != Err(Fault::Beyond), RANGE)?;
    Ok(done.is_ok())
}

/// The place of each row's greatest score, into `places`; `coarse` is the table in single precision.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn likeliest(
    py: Python<'_>,
    x: Matrix,
    bias: Array<f64>,
    table: Array<f64>,
    coarse: Array<f32>,
    largest: f64,
    once: bool,
    support: &str,
    mut places: Output<i64>,
) -> PyResult<bool> {
    let support = named(support, false)?;
    let (bias, table, places) = (bias.slice(), table.slice(), places.slice()?);
    let (rows, width) = match &x {
        Matrix::Dense(x) => x.shape(),
        Matrix::Sparse(x) => (x.sparse()?.rows(), x.3),
        Matrix::Codes(_) => return Err(PyValueError::new_err("categories are scored by linear")),
    };
    let size = width * bias.len();
    let fit = places.len() == rows && table.len() >= size && coarse.slice().len() >= size;
    check(fit && !bias.is_empty(), SHAPES)?;
    let (table, coarse) = (
        &table[..size],
        &Coarse {
            table: &coarse.slice()[..size],
            largest,
        },
    );
    let done = match &x {
        Matrix::Dense(x) => py.detach(|| score::likeliest(x, bias, table, coarse, once, support, places)),
        Matrix::Sparse(x) => {
            let x = x.sparse()?;
            py.detach(|| score::likeliest(&x, bias, table, coarse, once, support, places))
        }
        Matrix::Codes(_) => Ok(()),
    };
    check(done != Err(Fault::Beyond), RANGE)?;
    Ok(done.is_ok())
}

/// Log densities of independent normal columns into `scores` (rows x classes); NaN cells are skipped.
#[pyfunction]
fn gaussian(
    py: Python<'_>,
    x: Cells<f64>,
    mean: Array<f64>,
    half: Array<f64>,
    height: Array<f64>,
    mut scores: Output<f64>,
) -> PyResult<()> {
    let (mean, half, height, scores) = (mean.slice(), half.slice(), height.slice(), scores.slice()?);
    let (rows, width) = x.shape();
    let classes = mean.len().checked_div(width).unwrap_or(0);
    let size = classes * width;
    check(
        mean.len() == size && half.len() == size && height.len() == size,
        SHAPES,
    )?;
    check(width == 0 || scores.len() == rows * classes, SHAPES)?;
    py.detach(|| score::gaussian(&x, mean, half, height, scores));
    Ok(())
}

/// The place of each row's greatest score, into `places`.
#[pyfunction]
fn best(py: Python<'_>, scores: Array<f64>, classes: usize, mut places: Output<i64>) -> PyResult<()> {
    let (scores, places) = (scores.slice(), places.slice()?);
    check(classes > 0 && scores.len() == places.len() * classes, SHAPES)?;
    py.detach(|| score::best(scores, classes, places));
    Ok(())
}

/// Row and column of the first cell outside the support or None; of a sparse matrix, 0 and the entry.
#[pyfunction]
fn offender(py: Python<'_>, x: Matrix, support: &str, missing: bool) -> PyResult<Option<(usize, usize)>> {
    let support = named(support, missing)?;
    match &x {
        Matrix::Dense(x) => Ok(py.detach(|| support::offender(x, support))),
        Matrix::Sparse(x) => {
            let x = x.sparse()?;
            Ok(py
                .detach(|| support::offending_entry(&x, support))
                .map(|entry| (0, entry)))
        }
        Matrix::Codes(_) => Err(PyValueError::new_err("categories have no support")),
    }
}

#[pymodule]
#[pyo3(name = "_core")]
mod core {
    #[pymodule_export]
    use crate::py_file::{PyFile, checksum};

    #[pymodule_export]
    use super::{
        best, category_counts, category_sizes, class_sizes, counts, gaussian, likeliest, linear, moments,
        offender, sums,
    };
    #[pymodule_export]
    use crate::py_analyse::PyAnalyser;
    #[pymodule_export]
    use crate::py_json::{dumps, loads};
    #[pymodule_export]
    use crate::py_rows::{PyKept, PyRows, PyScoring, labelled_hashes, levels, places};
    #[pymodule_export]
    use crate::py_source::{PySource, Reader};
    #[pymodule_export]
    use crate::py_table::{
        NotHeldError, PyAnswers, PyJudge, PyTable, hashes, indexed, lengths, log_differences, log_rows,
    };
}
