//! The door to Python: borrows arrays, checks their shapes, releases the lock, calls the loops.
//!
//! A matrix crosses as a tuple, dense `(cells, rows, columns)` or sparse `(data, columns, starts, width)`;
//! class weights as `(codes, weights or None, starts or None, classes)`. Results are written into arrays
//! that the caller has made.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::buffer::{Array, Output};
use crate::matrix::{self, Dense, Labels, Sparse, Support};

fn check(fits: bool, what: &'static str) -> PyResult<()> {
    fits.then_some(()).ok_or_else(|| PyValueError::new_err(what))
}

const SHAPES: &str = "shapes do not agree";

/// Cells of either precision.
#[derive(FromPyObject)]
enum Cells {
    Double(Array<f64>),
    Single(Array<f32>),
}

/// Column numbers of either width.
#[derive(FromPyObject)]
enum Columns {
    Short(Array<i32>),
    Long(Array<i64>),
}

#[derive(FromPyObject)]
struct DenseArrays(Cells, usize, usize);

#[derive(FromPyObject)]
struct SparseArrays(Cells, Columns, Array<i64>, usize);

#[derive(FromPyObject)]
enum Matrix {
    Dense(DenseArrays),
    Sparse(SparseArrays),
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

impl Matrix {
    fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(DenseArrays(_, rows, columns)) => (*rows, *columns),
            Self::Sparse(SparseArrays(_, _, starts, width)) => {
                (starts.slice().len().saturating_sub(1), *width)
            }
        }
    }
}

/// Runs the body with `$x` bound to the dense matrix in its true type.
macro_rules! with_dense {
    ($arrays:expr, $x:ident => $body:expr) => {{
        let DenseArrays(cells, rows, columns) = $arrays;
        macro_rules! typed {
            ($cells:expr) => {{
                let (cells, columns) = ($cells.slice(), *columns);
                check(rows.checked_mul(columns) == Some(cells.len()), SHAPES)?;
                let $x = Dense { cells, columns };
                $body
            }};
        }
        match cells {
            Cells::Double(cells) => typed!(cells),
            Cells::Single(cells) => typed!(cells),
        }
    }};
}

/// Runs the body with `$x` bound to the matrix, dense or sparse, in its true type.
macro_rules! with_rows {
    ($matrix:expr, $x:ident => $body:expr) => {
        match $matrix {
            Matrix::Dense(arrays) => with_dense!(arrays, $x => $body),
            Matrix::Sparse(SparseArrays(data, columns, starts, width)) => {
                macro_rules! typed {
                    ($data:expr, $columns:expr) => {{
                        let sparse = Sparse::new($data.slice(), $columns.slice(), starts.slice(), *width);
                        let Some($x) = sparse else {
                            return Err(PyValueError::new_err("sparse matrix with a place out of range"));
                        };
                        $body
                    }};
                }
                match (data, columns) {
                    (Cells::Double(data), Columns::Short(columns)) => typed!(data, columns),
                    (Cells::Double(data), Columns::Long(columns)) => typed!(data, columns),
                    (Cells::Single(data), Columns::Short(columns)) => typed!(data, columns),
                    (Cells::Single(data), Columns::Long(columns)) => typed!(data, columns),
                }
            }
        }
    };
}

/// Values, and rows with a value, per class and column.
#[pyfunction]
fn counts(
    py: Python<'_>,
    x: Matrix,
    labels: Weights,
    mut count: Output<f64>,
    mut present: Output<f64>,
) -> PyResult<()> {
    let (rows, width) = x.shape();
    let (count, present) = (count.slice(), present.slice());
    let shape = (labels.3, width);
    check(
        count.len() == shape.0 * shape.1 && present.len() == count.len(),
        SHAPES,
    )?;
    let labels = labels.labels(rows)?;
    with_rows!(&x, x => py.detach(|| matrix::counts(&x, &labels, shape, count, present)));
    Ok(())
}

/// Weight and sum of the cells that are there, per class and column.
#[pyfunction]
fn sums(
    py: Python<'_>,
    x: DenseArrays,
    labels: Weights,
    mut n: Output<f64>,
    mut s: Output<f64>,
) -> PyResult<()> {
    let (n, s) = (n.slice(), s.slice());
    let size = labels.3 * x.2;
    check(n.len() == size && s.len() == size, SHAPES)?;
    let labels = labels.labels(x.1)?;
    with_dense!(&x, x => py.detach(|| matrix::sums(&x, &labels, n, s)));
    Ok(())
}

/// Number, mean and scatter of the cells that are there, per class and column.
#[pyfunction]
fn moments(
    py: Python<'_>,
    x: DenseArrays,
    labels: Weights,
    mut n: Output<f64>,
    mut mean: Output<f64>,
    mut scatter: Output<f64>,
) -> PyResult<()> {
    let (n, mean, scatter) = (n.slice(), mean.slice(), scatter.slice());
    let classes = labels.3;
    let size = classes * x.2;
    check(
        n.len() == size && mean.len() == size && scatter.len() == size,
        SHAPES,
    )?;
    let labels = labels.labels(x.1)?;
    with_dense!(&x, x => py.detach(|| matrix::moments(&x, &labels, classes, n, mean, scatter)));
    Ok(())
}

/// Adds value x weight to `scores` (rows x classes); `table` is columns x classes.
#[pyfunction]
fn linear(py: Python<'_>, x: Matrix, table: Array<f64>, once: bool, mut scores: Output<f64>) -> PyResult<()> {
    let (rows, width) = x.shape();
    let (table, scores) = (table.slice(), scores.slice());
    let classes = scores.len().checked_div(rows).unwrap_or(0);
    check(scores.len() == rows * classes, SHAPES)?;
    check(rows == 0 || table.len() == width * classes, SHAPES)?;
    with_rows!(&x, x => py.detach(|| matrix::linear(&x, table, classes, once, scores)));
    Ok(())
}

/// Log densities of independent normal columns into `scores` (rows x classes); NaN cells are skipped.
#[pyfunction]
fn gaussian(
    py: Python<'_>,
    x: DenseArrays,
    mean: Array<f64>,
    half: Array<f64>,
    height: Array<f64>,
    mut scores: Output<f64>,
) -> PyResult<()> {
    let (mean, half, height, scores) = (mean.slice(), half.slice(), height.slice(), scores.slice());
    let classes = mean.len().checked_div(x.2).unwrap_or(0);
    let size = classes * x.2;
    check(
        mean.len() == size && half.len() == size && height.len() == size,
        SHAPES,
    )?;
    check(x.2 == 0 || scores.len() == x.1 * classes, SHAPES)?;
    with_dense!(&x, x => py.detach(|| matrix::gaussian(&x, mean, half, height, scores)));
    Ok(())
}

/// The place of the first cell outside the support, counted row by row, or None.
#[pyfunction]
fn offender(py: Python<'_>, cells: Cells, support: &str, missing: bool) -> PyResult<Option<usize>> {
    let Some(support) = Support::named(support) else {
        return Err(PyValueError::new_err("unknown support"));
    };
    Ok(match cells {
        Cells::Double(cells) => {
            let cells = cells.slice();
            py.detach(|| matrix::offender(cells, support, missing))
        }
        Cells::Single(cells) => {
            let cells = cells.slice();
            py.detach(|| matrix::offender(cells, support, missing))
        }
    })
}

#[pymodule]
#[pyo3(name = "_core")]
mod core {
    #[pymodule_export]
    use super::{counts, gaussian, linear, moments, offender, sums};
}
