//! The door to Python for model files.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyKeyError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

use crate::buffer::{Array, Tensor};
use crate::file::{self, File, Refusal};

/// An open model file. Refusals are `OSError`, or `ValueError` of what is wrong and some words about it.
#[pyclass(frozen, name = "File", module = "plainbayes._core")]
pub struct PyFile {
    pub inner: Arc<File>,
}

#[pymethods]
impl PyFile {
    /// The format that is written, and the last one that can be read.
    #[classattr]
    const FORMAT: usize = file::FORMAT;
    /// How many bytes a header may have.
    #[classattr]
    const LONGEST: usize = file::LONGEST;

    #[new]
    #[pyo3(signature = (path, verify=None))]
    fn new(py: Python<'_>, path: PathBuf, verify: Option<bool>) -> PyResult<Self> {
        match py.detach(|| File::open(&path, verify)) {
            Ok(file) => Ok(Self {
                inner: Arc::new(file),
            }),
            Err(Refusal::Unreadable(error)) => match error.raw_os_error() {
                Some(number) => Err(PyOSError::new_err((number, error.to_string(), path))),
                None => Err(PyOSError::new_err(error.to_string())),
            },
            Err(Refusal::Foreign(what)) => Err(PyValueError::new_err(("foreign", what))),
            Err(Refusal::Newer(format, version)) => Err(PyValueError::new_err(("newer", format, version))),
            Err(Refusal::Damaged(what)) => Err(PyValueError::new_err(("damaged", what))),
        }
    }

    /// Settings and all else that is known, as JSON.
    #[getter]
    fn metadata(&self) -> &str {
        &self.inner.metadata
    }

    #[getter]
    fn names(&self) -> Vec<&str> {
        self.inner.tables.keys().map(String::as_str).collect()
    }

    /// Bytes of the whole file.
    #[getter]
    fn size(&self) -> usize {
        self.inner.memory.bytes().len()
    }

    /// A table to read, without a copy.
    fn tensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyMemoryView>> {
        let tensor = self.inner.tables.get(name).and_then(|table| {
            let kind = (table.kind.1, table.kind.2);
            Tensor::new(
                Arc::clone(&self.inner.memory),
                table.range.clone(),
                kind,
                &table.shape,
            )
        });
        let tensor = tensor.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        PyMemoryView::from(Bound::new(py, tensor)?.as_any())
    }
}

/// The hash of parts of a file, in 16 digits.
#[pyfunction]
pub fn checksum(py: Python<'_>, parts: Vec<Array<u8>>) -> String {
    let parts: Vec<&[u8]> = parts.iter().map(Array::slice).collect();
    file::written(py.detach(|| file::checksum(&parts)))
}
