//! Columns of other libraries by Arrow's C interface, without a copy of the whole.
//!
//! The second file with `unsafe`. Why it is sound: structures are moved out of their capsules, as the interface
//! demands, and released once, when they are dropped. Every pointer is checked for null before it is followed,
//! every length and offset for its sign and against the length the producer states; cells are read aligned or
//! not. What cannot be checked is that a buffer is as long as the producer's own lengths and offsets imply: as
//! for every consumer of this interface, that is the producer's promise.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::batch::Unreadable;

/// A structure of Arrow's that somebody else has made and that has to be released.
trait Released {
    fn empty() -> Self;
    fn release(&mut self);
    fn forget(&mut self);
}

macro_rules! structure {
    ($name:ident { $($field:ident: $type:ty,)* }) => {
        #[repr(C)]
        struct $name {
            $($field: $type,)*
            release: Option<unsafe extern "C" fn(*mut $name)>,
            private: *mut c_void,
        }

        impl Released for $name {
            fn empty() -> Self {
                // Numbers, pointers and functions that may be missing: all zero is "released already".
                unsafe { std::mem::zeroed() }
            }

            fn release(&mut self) {
                if let Some(release) = self.release {
                    unsafe { release(self) };
                    self.release = None;
                }
            }

            fn forget(&mut self) {
                self.release = None;
            }
        }

        // The interface lets a structure be used by any one thread at a time.
        unsafe impl Send for $name {}
    };
}

structure!(Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
});

structure!(Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
});

structure!(ArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrayStream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrayStream) -> *const c_char>,
});

struct Owned<T: Released>(T);

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl<T: Released> Owned<T> {
    /// Moves a structure out of its capsule.
    fn taken(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
        let place = capsule
            .cast::<PyCapsule>()?
            .pointer_checked(Some(name))?
            .cast::<T>();
        // The name says what is in it; a capsule that was emptied before holds a structure without release.
        unsafe {
            let taken = Self(place.read());
            (*place.as_ptr()).forget();
            Ok(taken)
        }
    }
}

fn broken(what: &str) -> Unreadable {
    Unreadable::new(
        format!("a column in Arrow's format was expected, got one with {what}"),
        "",
    )
}

/// # Safety
/// `text` is null or a string that ends with a zero.
unsafe fn string(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    }
}

/// What the cells of a column are.
enum Kind {
    Nothing,
    /// Text with offsets of 4 or 8 bytes, or with views.
    Small,
    Large,
    View,
    Truth,
    Signed(usize),
    Unsigned(usize),
    Real(usize),
    /// Places in another column: their kind and the kind of what they stand for.
    Dictionary(Box<Kind>, Box<Kind>),
}

impl Kind {
    /// The kind of a column; None if it is none that we read.
    fn of(schema: &Schema) -> Option<Self> {
        let kind = match unsafe { string(schema.format) }.as_str() {
            "n" => Self::Nothing,
            "u" | "z" => Self::Small,
            "U" | "Z" => Self::Large,
            "vu" | "vz" => Self::View,
            "b" => Self::Truth,
            "c" => Self::Signed(1),
            "s" => Self::Signed(2),
            "i" => Self::Signed(4),
            "l" => Self::Signed(8),
            "C" => Self::Unsigned(1),
            "S" => Self::Unsigned(2),
            "I" => Self::Unsigned(4),
            "L" => Self::Unsigned(8),
            "f" => Self::Real(4),
            "g" => Self::Real(8),
            _ => return None,
        };
        match (unsafe { schema.dictionary.as_ref() }, kind) {
            (None, kind) => Some(kind),
            (Some(values), place @ (Self::Signed(_) | Self::Unsigned(_))) => {
                Some(Self::Dictionary(Box::new(place), Box::new(Self::of(values)?)))
            }
            _ => None,
        }
    }

    fn is_text(&self) -> bool {
        match self {
            Self::Small | Self::Large | Self::View => true,
            Self::Dictionary(_, values) => values.is_text(),
            _ => false,
        }
    }
}

/// A column of a stream: its name and the kind of its cells, None if it is none that we read.
pub struct Field {
    pub name: String,
    kind: Option<Kind>,
}

impl Field {
    pub fn is_text(&self) -> bool {
        self.kind.as_ref().is_some_and(Kind::is_text)
    }

    pub fn is_known(&self) -> bool {
        self.kind.is_some()
    }
}

enum Origin {
    Stream(Owned<ArrayStream>),
    Once(Option<Owned<Array>>),
}

/// Chunks of columns that another library gives.
pub struct Stream {
    origin: Origin,
    /// Whether a chunk is a table, whose columns are the fields, or the one column itself.
    table: bool,
    pub fields: Arc<[Field]>,
    /// What has to stay alive while it is read.
    _owner: Py<PyAny>,
}

impl Stream {
    /// Takes what an object with `__arrow_c_stream__` or `__arrow_c_array__` gives; None if it has neither.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let (origin, schema) = if object.hasattr("__arrow_c_stream__")? {
            let capsule = object.call_method0("__arrow_c_stream__")?;
            let mut stream = Owned::<ArrayStream>::taken(&capsule, c"arrow_array_stream")?;
            let mut schema = Owned(Schema::empty());
            let get = stream.0.get_schema.filter(|_| stream.0.release.is_some());
            let get = get.ok_or_else(|| PyTypeError::new_err("this Arrow stream has been read already"))?;
            if unsafe { get(&mut stream.0, &mut schema.0) } != 0 {
                return Err(PyTypeError::new_err(last_error(&mut stream.0)));
            }
            (Origin::Stream(stream), schema)
        } else if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let schema = Owned::<Schema>::taken(&pair.get_item(0)?, c"arrow_schema")?;
            let array = Owned::<Array>::taken(&pair.get_item(1)?, c"arrow_array")?;
            (Origin::Once(Some(array)), schema)
        } else {
            return Ok(None);
        };
        let table = unsafe { string(schema.0.format) } == "+s";
        let field = |schema: &Schema| Field {
            name: unsafe { string(schema.name) },
            kind: Kind::of(schema),
        };
        let fields = match table {
            false => Some(vec![field(&schema.0)]),
            true => unsafe { pointers(schema.0.children, schema.0.n_children) }.and_then(|children| {
                let children = children.iter().map(|child| unsafe { child.as_ref() });
                children.map(|child| child.map(field)).collect()
            }),
        };
        let fields = fields.ok_or_else(|| PyTypeError::new_err("a column of this Arrow table is missing"))?;
        Ok(Some(Self {
            origin,
            table,
            fields: fields.into(),
            _owner: object.clone().unbind(),
        }))
    }

    /// The next rows; None at the end.
    pub fn next(&mut self) -> Result<Option<Chunk>, Unreadable> {
        let array = match &mut self.origin {
            Origin::Once(array) => array.take(),
            Origin::Stream(stream) => {
                let mut array = Owned(Array::empty());
                let get = stream.0.get_next.ok_or_else(|| broken("no rows"))?;
                if unsafe { get(&mut stream.0, &mut array.0) } != 0 {
                    return Err(Unreadable::new(last_error(&mut stream.0), ""));
                }
                Some(array)
            }
        };
        let Some(array) = array.filter(|array| array.0.release.is_some()) else {
            return Ok(None);
        };
        let rows = whole(array.0.length)?;
        let columns = match self.table {
            false => 1,
            true => whole(array.0.n_children)?,
        };
        if columns != self.fields.len() {
            return Err(broken("other columns than it told"));
        }
        Ok(Some(Chunk {
            rows,
            table: self.table,
            fields: Arc::clone(&self.fields),
            array,
        }))
    }
}

fn last_error(stream: &mut ArrayStream) -> String {
    let told = match stream.get_last_error {
        Some(get) => unsafe { string(get(stream)) },
        None => String::new(),
    };
    match told.is_empty() {
        true => "rows could not be read from this Arrow stream".to_owned(),
        false => sentence(&told),
    }
}

/// A message in one line, without what DuckDB quotes and advises.
fn sentence(message: &str) -> String {
    let lines = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Possible"));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("Original Line"));
    lines.collect::<Vec<_>>().join(", ")
}

fn whole(number: i64) -> Result<usize, Unreadable> {
    usize::try_from(number).map_err(|_| broken("a negative length"))
}

/// # Safety
/// Unless null, there are `count` pointers at `first`.
unsafe fn pointers<'a, T>(first: *const T, count: i64) -> Option<&'a [T]> {
    match (first.is_null(), usize::try_from(count).ok()?) {
        (_, 0) => Some(&[]),
        (true, _) => None,
        (false, count) => Some(unsafe { slice::from_raw_parts(first, count) }),
    }
}

/// Some rows.
pub struct Chunk {
    pub rows: usize,
    table: bool,
    fields: Arc<[Field]>,
    array: Owned<Array>,
}

impl Chunk {
    /// Adds the value in a row of a column to `into`; false if it is null.
    pub fn cell(&self, column: usize, row: usize, into: &mut Vec<u8>) -> Result<bool, Unreadable> {
        let kind = self.fields.get(column).and_then(|field| field.kind.as_ref());
        let kind = kind.ok_or_else(|| broken("cells of an unknown type"))?;
        let array = &self.array.0;
        if !self.table {
            return array.value(kind, row, into);
        }
        let children = unsafe { pointers(array.children, array.n_children) };
        let child = children.and_then(|children| children.get(column));
        let child = child.and_then(|child| unsafe { child.as_ref() });
        let child = child.ok_or_else(|| broken("a column missing"))?;
        child.value(kind, row + whole(array.offset)?, into)
    }
}

impl Array {
    /// A buffer, null if there is none.
    fn buffer(&self, place: usize) -> *const u8 {
        let buffers = unsafe { pointers(self.buffers, self.n_buffers) };
        let buffer = buffers.and_then(|buffers| buffers.get(place));
        buffer.copied().unwrap_or(ptr::null()).cast()
    }

    /// The `index`th of the numbers in a buffer.
    fn read<T: Copy>(&self, buffer: usize, index: usize) -> Result<T, Unreadable> {
        let first = self.buffer(buffer).cast::<T>();
        match first.is_null() {
            true => Err(broken("a buffer missing")),
            // `value` has checked that the row is within the column.
            false => Ok(unsafe { first.add(index).read_unaligned() }),
        }
    }

    /// Adds a stretch of a buffer to `into`.
    fn copy(&self, buffer: usize, start: i64, end: i64, into: &mut Vec<u8>) -> Result<(), Unreadable> {
        let (start, size) = (whole(start)?, whole(end.saturating_sub(start))?);
        let first = self.buffer(buffer);
        match (size, first.is_null()) {
            (0, _) => Ok(()),
            (_, true) => Err(broken("a buffer missing")),
            (size, false) => {
                into.extend_from_slice(unsafe { slice::from_raw_parts(first.add(start), size) });
                Ok(())
            }
        }
    }

    fn value(&self, kind: &Kind, row: usize, into: &mut Vec<u8>) -> Result<bool, Unreadable> {
        if row >= whole(self.length)? {
            return Err(broken("fewer rows than it told"));
        }
        let at = row
            .checked_add(whole(self.offset)?)
            .ok_or_else(|| broken("a huge offset"))?;
        let valid = self.buffer(0);
        let null = self.null_count != 0
            && !valid.is_null()
            && unsafe { valid.add(at / 8).read() } >> (at % 8) & 1 == 0;
        if null || matches!(kind, Kind::Nothing) {
            return Ok(false);
        }
        match kind {
            Kind::Nothing => {}
            Kind::Small => {
                let (start, end) = (self.read::<i32>(1, at)?, self.read::<i32>(1, at + 1)?);
                self.copy(2, start.into(), end.into(), into)?;
            }
            Kind::Large => self.copy(2, self.read(1, at)?, self.read(1, at + 1)?, into)?,
            Kind::View => self.view(at, into)?,
            Kind::Truth => {
                let byte: u8 = self.read(1, at / 8)?;
                let word: &[u8] = if byte >> (at % 8) & 1 == 1 {
                    b"true"
                } else {
                    b"false"
                };
                into.extend_from_slice(word);
            }
            Kind::Signed(_) | Kind::Unsigned(_) => {
                into.extend_from_slice(self.number(kind, at)?.to_string().as_bytes());
            }
            Kind::Real(width) => {
                let number = match width {
                    4 => self.read::<f32>(1, at)?.into(),
                    _ => self.read::<f64>(1, at)?,
                };
                into.extend_from_slice(format!("{number:?}").as_bytes());
            }
            Kind::Dictionary(place, values) => {
                let place = self.number(place, at)?;
                let place = usize::try_from(place).map_err(|_| broken("a negative place in a dictionary"))?;
                let dictionary = unsafe { self.dictionary.as_ref() };
                let dictionary = dictionary.ok_or_else(|| broken("a dictionary missing"))?;
                return dictionary.value(values, place, into);
            }
        }
        Ok(true)
    }

    fn number(&self, kind: &Kind, at: usize) -> Result<i128, Unreadable> {
        Ok(match kind {
            Kind::Signed(1) => self.read::<i8>(1, at)?.into(),
            Kind::Signed(2) => self.read::<i16>(1, at)?.into(),
            Kind::Signed(4) => self.read::<i32>(1, at)?.into(),
            Kind::Signed(_) => self.read::<i64>(1, at)?.into(),
            Kind::Unsigned(1) => self.read::<u8>(1, at)?.into(),
            Kind::Unsigned(2) => self.read::<u16>(1, at)?.into(),
            Kind::Unsigned(4) => self.read::<u32>(1, at)?.into(),
            _ => self.read::<u64>(1, at)?.into(),
        })
    }

    /// Adds a text of at most 12 bytes from within its view, a longer one from the buffer that it names.
    fn view(&self, at: usize, into: &mut Vec<u8>) -> Result<(), Unreadable> {
        let view: [i32; 4] = self.read(1, at)?;
        let size = whole(view[0].into())?;
        if size <= 12 {
            let bytes: [u8; 16] = self.read(1, at)?;
            into.extend_from_slice(&bytes[4..4 + size]);
            return Ok(());
        }
        let (buffer, start) = (whole(view[2].into())?, i64::from(view[3]));
        // The last buffer holds the sizes of those between it and the views.
        let last = whole(self.n_buffers)?.saturating_sub(1);
        if buffer + 2 >= last {
            return Err(broken("a view of no buffer"));
        }
        let end = start + i64::from(view[0]);
        if end > self.read::<i64>(last, buffer)? {
            return Err(broken("a view beyond its buffer"));
        }
        self.copy(2 + buffer, start, end, into)
    }
}
