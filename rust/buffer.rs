//! Python arrays as slices, and files as arrays for Python, without a copy.
//!
//! One of two files with `unsafe` (the other is `arrow`). Why it is sound: a buffer keeps the memory alive and in place until it is
//! dropped; type, shape, alignment and writability are checked before a slice is made, and cells that do not
//! lie as a slice needs them are read one by one, aligned or not. Rows to write into do not overlap. What
//! cannot be checked is another Python thread writing to the same array meanwhile: as with NumPy itself, that
//! is the caller's mistake. Outputs are arrays of `plainbayes` itself, so they never overlap the inputs.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr;
use std::slice;
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;
use multiversion::multiversion;
use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;

fn typed<T: Element>(object: Borrowed<'_, '_, PyAny>) -> PyResult<PyBuffer<T>> {
    PyBuffer::get(&object).map_err(|error| PyTypeError::new_err(format!("array of another type: {error}")))
}

/// A borrowed, C-contiguous array of `T`.
pub struct Array<T>(PyBuffer<T>);

impl<T: Element> FromPyObject<'_, '_> for Array<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = typed(object)?;
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
            count => unsafe { slice::from_raw_parts(self.0.buf_ptr().cast::<T>(), count) },
        }
    }
}

/// A borrowed table to write into, whose rows are contiguous and do not overlap.
pub struct Output<T>(PyBuffer<T>);

impl<T: Element> FromPyObject<'_, '_> for Output<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = typed::<T>(object)?;
        if buffer.readonly() {
            return Err(PyValueError::new_err("output array is read-only"));
        }
        let size = size_of::<T>() as isize;
        let apart = match (buffer.shape(), buffer.strides()) {
            _ if buffer.is_c_contiguous() => true,
            (&[_, columns], &[down, across]) => {
                across == size && down >= size * columns as isize && down % size == 0
            }
            _ => false,
        };
        match apart {
            true => Ok(Self(buffer)),
            false => Err(PyValueError::new_err(
                "rows of the output array are not contiguous",
            )),
        }
    }
}

impl<T: Element> Output<T> {
    /// The rows of a table; an array of one dimension is one row.
    pub fn rows(&mut self) -> Vec<&mut [T]> {
        let (rows, columns, down) = match (self.0.shape(), self.0.strides()) {
            (&[rows, columns], &[down, _]) => (rows, columns, down),
            _ => (1, self.0.item_count(), 0),
        };
        let first = self.0.buf_ptr().cast::<T>();
        (0..rows)
            .map(|row| match columns {
                0 => &mut [],
                _ => unsafe { slice::from_raw_parts_mut(first.byte_offset(row as isize * down), columns) },
            })
            .collect()
    }

    /// All cells, if no row has room behind it.
    pub fn slice(&mut self) -> PyResult<&mut [T]> {
        match self.0.item_count() {
            0 => Ok(&mut []),
            _ if !self.0.is_c_contiguous() => Err(PyValueError::new_err("output array is not C-contiguous")),
            count => Ok(unsafe { slice::from_raw_parts_mut(self.0.buf_ptr().cast::<T>(), count) }),
        }
    }
}

/// The types a cell may come in.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Double,
    Single,
    Long,
    Int,
    Byte,
}

/// A number the loops work with, made from a cell of any type.
pub trait Number: Copy + Default {
    const KIND: Kind;
    /// Whether a number of this type can stand for a real one; if not, real ones are refused.
    const REAL: bool;
    fn real(cell: f64) -> Self;
    fn whole(cell: i64) -> Self;
}

impl Number for f64 {
    const KIND: Kind = Kind::Double;
    const REAL: bool = true;

    #[inline(always)]
    fn real(cell: f64) -> Self {
        cell
    }

    #[inline(always)]
    fn whole(cell: i64) -> Self {
        cell as Self
    }
}

/// Places and categories. Whatever is negative means the same, and so does whatever is too large.
impl Number for i32 {
    const KIND: Kind = Kind::Int;
    const REAL: bool = false;

    #[inline(always)]
    fn real(cell: f64) -> Self {
        cell as Self
    }

    #[inline(always)]
    fn whole(cell: i64) -> Self {
        cell.clamp(-1, i64::from(Self::MAX)) as Self
    }
}

/// A borrowed matrix (or one row) of numbers of any type, order and strides.
pub struct Cells<T> {
    buffer: PyUntypedBuffer,
    kind: Kind,
    shape: (usize, usize),
    strides: (isize, isize),
    number: PhantomData<T>,
}

// A buffer is released under the interpreter lock by PyO3; reading the memory needs no lock.
unsafe impl<T> Sync for Cells<T> {}

impl<T: Number> FromPyObject<'_, '_> for Cells<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(&object)?;
        // "=" is how NumPy writes that an array is not aligned; another order of bytes has another sign.
        let format = buffer.format().to_bytes();
        let kind = match (format.strip_prefix(b"=").unwrap_or(format), buffer.item_size()) {
            (b"d", 8) if T::REAL => Kind::Double,
            (b"f", 4) if T::REAL => Kind::Single,
            (b"l" | b"q", 8) => Kind::Long,
            (b"i" | b"l", 4) => Kind::Int,
            (b"B" | b"?", 1) => Kind::Byte,
            _ => {
                let format = String::from_utf8_lossy(format);
                return Err(PyTypeError::new_err(format!("array of another type: {format}")));
            }
        };
        let (shape, strides) = match (buffer.shape(), buffer.strides()) {
            (&[columns], &[across]) => ((1, columns), (0, across)),
            (&[rows, columns], &[down, across]) => ((rows, columns), (down, across)),
            _ => return Err(PyValueError::new_err("neither a row nor a matrix")),
        };
        Ok(Self {
            buffer,
            kind,
            shape,
            strides,
            number: PhantomData,
        })
    }
}

impl<T: Number> Cells<T> {
    /// Number of rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn place(&self, row: usize, column: usize) -> *const u8 {
        let (down, across) = self.strides;
        let offset = row as isize * down + column as isize * across;
        self.buffer.buf_ptr().cast::<u8>().wrapping_offset(offset)
    }

    /// Whether each row lies in memory as a slice of `T` does.
    fn plain(&self) -> bool {
        let (size, align) = (size_of::<T>() as isize, align_of::<T>());
        let aligned = self.place(0, 0).align_offset(align) == 0 && self.strides.0 % align as isize == 0;
        self.kind == T::KIND && aligned && (self.strides.1 == size || self.shape.1 <= 1)
    }

    /// Asks the memory for the line with this cell.
    #[inline(always)]
    pub fn prefetch(&self, row: usize, column: usize) {
        hint(self.place(row, column).cast());
    }

    /// Whole rows one after another, as they are or as a copy in `scratch`.
    pub fn flat<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Vec<T>) -> &'a [T] {
        let (cells, columns) = (rows.len() * self.shape.1, self.shape.1);
        let dense = self.strides.0 == (columns * size_of::<T>()) as isize;
        let part = self.rectangle(rows, 0..columns, dense, scratch);
        Part {
            shape: (1, cells),
            ..part
        }
        .row(0)
    }

    /// Part of the rows, as they are or, if they lie otherwise, as a copy in `scratch`.
    pub fn part<'a>(
        &'a self,
        rows: Range<usize>,
        columns: Range<usize>,
        scratch: &'a mut Vec<T>,
    ) -> Part<'a, T> {
        self.rectangle(rows, columns, true, scratch)
    }

    fn rectangle<'a>(
        &'a self,
        rows: Range<usize>,
        columns: Range<usize>,
        borrow: bool,
        scratch: &'a mut Vec<T>,
    ) -> Part<'a, T> {
        assert!(rows.start <= rows.end && rows.end <= self.shape.0);
        assert!(columns.start <= columns.end && columns.end <= self.shape.1);
        let shape = (rows.len(), columns.len());
        let first = self.place(rows.start, columns.start);
        if shape.0 == 0 || shape.1 == 0 || borrow && self.plain() {
            return Part {
                first: first.cast(),
                down: self.strides.0,
                shape,
                life: PhantomData,
            };
        }
        scratch.resize(shape.0 * shape.1, T::default());
        // The rectangle is inside the array, and its cells are of this kind.
        unsafe {
            let (strides, columns) = (self.strides, shape.1);
            match self.kind {
                Kind::Double => gather(first.cast(), strides, columns, scratch, T::real),
                Kind::Single => gather(first.cast(), strides, columns, scratch, |cell: f32| {
                    T::real(cell.into())
                }),
                Kind::Long => gather(first.cast(), strides, columns, scratch, T::whole),
                Kind::Int => gather(first.cast(), strides, columns, scratch, |cell: i32| {
                    T::whole(cell.into())
                }),
                Kind::Byte => gather(first.cast(), strides, columns, scratch, |cell: u8| {
                    T::whole(cell.into())
                }),
            }
        }
        let down = (shape.1 * size_of::<T>()) as isize;
        Part {
            first: scratch.as_ptr(),
            down,
            shape,
            life: PhantomData,
        }
    }
}

/// Asks the memory for the line at this place of a slice. Only a hint: nothing is read.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], place: usize) {
    hint(slice.as_ptr().wrapping_add(place).cast());
}

#[inline(always)]
fn hint(address: *const i8) {
    // A hint cannot fault, whatever the address.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Copies a rectangle of cells with these strides into rows of `columns` numbers, along the shorter stride.
///
/// # Safety
/// All cells of the rectangle must be readable as `S`, aligned or not.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl", "x86_64+avx2"))]
unsafe fn gather<S: Copy, T, F: Fn(S) -> T>(
    first: *const S,
    (down, across): (isize, isize),
    columns: usize,
    into: &mut [T],
    convert: F,
) {
    let cell = |place: *const S| convert(unsafe { place.read_unaligned() });
    if across == size_of::<S>() as isize {
        // Rows without a gap are one long row.
        let columns = if down == across * columns as isize {
            into.len()
        } else {
            columns
        };
        for (row, into) in into.chunks_exact_mut(columns).enumerate() {
            let first = first.wrapping_byte_offset(row as isize * down);
            for (column, into) in into.iter_mut().enumerate() {
                *into = cell(first.wrapping_add(column));
            }
        }
    } else {
        for column in 0..columns {
            let first = first.wrapping_byte_offset(column as isize * across);
            for (row, into) in into[column..].iter_mut().step_by(columns).enumerate() {
                *into = cell(first.wrapping_byte_offset(row as isize * down));
            }
        }
    }
}

/// Rows whose cells lie one after another.
pub struct Part<'a, T> {
    first: *const T,
    down: isize,
    shape: (usize, usize),
    life: PhantomData<&'a [T]>,
}

impl<'a, T> Part<'a, T> {
    #[inline(always)]
    pub fn row(&self, row: usize) -> &'a [T] {
        assert!(row < self.shape.0);
        match self.shape.1 {
            0 => &[],
            // Made by `part`, which has checked that so many rows lie there, aligned, `down` bytes apart.
            columns => unsafe {
                slice::from_raw_parts(self.first.byte_offset(row as isize * self.down), columns)
            },
        }
    }
}

/// The bytes of a file, aligned for any number: mapped, or read where there is nothing to map. Or numbers made here.
pub enum Memory {
    Map(Mmap),
    Read(Vec<u64>, usize),
    Made(Box<dyn Numbers>),
}

/// A list of numbers of any type.
pub trait Numbers: Send + Sync {
    fn bytes(&self) -> &[u8];
}

impl<T: Pod + Send + Sync> Numbers for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }
}

impl Memory {
    /// Maps a file. What cannot be excluded is another program that writes into it meanwhile or cuts it short:
    /// then the bytes change, or the system ends the process (SIGBUS). Our own writer never touches a file that
    /// is there; it puts another one in its place.
    pub fn map(file: &File) -> io::Result<Self> {
        unsafe { Mmap::map(file) }.map(Self::Map)
    }

    /// Reads on until there are so many bytes, or no more; what is mapped is there already.
    pub fn fill(&mut self, mut file: &File, until: usize) -> io::Result<()> {
        /// Memory is asked for as bytes come, whatever a header promises.
        const STEP: usize = 1 << 20;
        if let Self::Read(words, length) = self {
            while *length < until {
                let end = until.min(*length + STEP);
                words.resize(end.div_ceil(8).max(words.len()), 0);
                match file.read(&mut bytemuck::cast_slice_mut(words)[*length..end]) {
                    Ok(0) => break,
                    Ok(count) => *length += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Map(map) => map,
            Self::Read(words, length) => &bytemuck::cast_slice(words)[..*length],
            Self::Made(numbers) => numbers.bytes(),
        }
    }
}

/// A table of numbers in such memory, lent to Python to read; it keeps the memory.
#[pyclass(frozen, module = "plainbayes._core")]
pub struct Tensor {
    memory: Arc<Memory>,
    range: Range<usize>,
    format: &'static CStr,
    item: usize,
    shape: Vec<isize>,
    strides: Vec<isize>,
}

impl Tensor {
    /// None if so many numbers of `item` bytes do not fill the range.
    pub fn new(
        memory: Arc<Memory>,
        range: Range<usize>,
        (format, item): (&'static CStr, usize),
        shape: &[usize],
    ) -> Option<Self> {
        let mut step = isize::try_from(item).ok()?;
        let mut strides = vec![0; shape.len()];
        for (stride, &length) in strides.iter_mut().zip(shape).rev() {
            *stride = step;
            step = step.checked_mul(isize::try_from(length.max(1)).ok()?)?;
        }
        let length = if shape.contains(&0) { 0 } else { step as usize };
        let fits = memory.bytes().get(range.clone())?.len() == length;
        fits.then(|| Self {
            memory,
            range,
            format,
            item,
            shape: shape.iter().map(|&length| length as isize).collect(),
            strides,
        })
    }
}

#[pymethods]
impl Tensor {
    /// Fills in a view as Python's own memoryview would: C-contiguous and read-only, with the parts asked for.
    ///
    /// Sound, since `new` has checked that the numbers lie in the memory, and the view holds a reference to
    /// this object, which is frozen: memory, shape and strides stay where they are until the view is released.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let asked = |what: c_int| flags & what == what;
        let this = slf.get();
        if asked(ffi::PyBUF_WRITABLE) {
            return Err(PyBufferError::new_err("a model file is read-only"));
        }
        if asked(ffi::PyBUF_F_CONTIGUOUS) && this.shape.len() > 1 {
            return Err(PyBufferError::new_err(
                "tables in a model file lie row by row, not column by column",
            ));
        }
        let bytes = &this.memory.bytes()[this.range.clone()];
        let numbers = asked(ffi::PyBUF_ND);
        let some = |what: bool, list: &[isize]| match what && !list.is_empty() {
            true => list.as_ptr().cast_mut(),
            false => ptr::null_mut(),
        };
        unsafe {
            (*view).buf = bytes.as_ptr().cast_mut().cast();
            (*view).len = bytes.len() as isize;
            (*view).readonly = 1;
            (*view).itemsize = this.item as isize;
            (*view).format = match asked(ffi::PyBUF_FORMAT) {
                true => this.format.as_ptr().cast_mut(),
                false => ptr::null_mut(),
            };
            (*view).ndim = if numbers { this.shape.len() as c_int } else { 1 };
            (*view).shape = some(numbers, &this.shape);
            (*view).strides = some(asked(ffi::PyBUF_STRIDES), &this.strides);
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }
}
