//! Python arrays as slices, without a copy.
//!
//! The one file with `unsafe`. Why it is sound: a `PyBuffer` keeps the memory alive and in place until
//! it is dropped; type, contiguity and writability are checked before a slice is made; PyO3 checks the
//! alignment. What it cannot check is another Python thread writing to the same array meanwhile: as
//! with NumPy itself, that is the caller's mistake. Outputs are arrays that `plainbayes` has just made,
//! so they never overlap the inputs.
#![allow(unsafe_code)]

use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// A borrowed, C-contiguous array of `T`.
pub struct Array<T>(PyBuffer<T>);

// A buffer is released under the interpreter lock by PyO3; reading the memory needs no lock.
unsafe impl<T: Sync> Sync for Array<T> {}

impl<T: Element> FromPyObject<'_, '_> for Array<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = PyBuffer::<T>::get(&object)
            .map_err(|error| PyTypeError::new_err(format!("array of another type: {error}")))?;
        if !buffer.is_c_contiguous() {
            return Err(PyValueError::new_err("array is not C-contiguous"));
        }
        Ok(Self(buffer))
    }
}

impl<T: Element> Array<T> {
    pub fn slice(&self) -> &[T] {
        match self.0.item_count() {
            0 => &[],
            count => unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast::<T>(), count) },
        }
    }
}

/// A borrowed, C-contiguous array of `T` to write into.
pub struct Output<T>(Array<T>);

impl<T: Element> FromPyObject<'_, '_> for Output<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let array = Array::extract(object)?;
        if array.0.readonly() {
            return Err(PyValueError::new_err("output array is read-only"));
        }
        Ok(Self(array))
    }
}

impl<T: Element> Output<T> {
    pub fn slice(&mut self) -> &mut [T] {
        match self.0.0.item_count() {
            0 => &mut [],
            count => unsafe { std::slice::from_raw_parts_mut(self.0.0.buf_ptr().cast::<T>(), count) },
        }
    }
}
