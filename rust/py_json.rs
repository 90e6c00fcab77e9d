//! JSON from and to Python, for the settings in a file: importing Python's own takes longer than opening a model.
//!
//! What is odd (halves of characters, other types, deep nesting) is refused here and left to Python's own.

use std::fmt::Write;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::header::Json;

/// What is nested deeper is no setting.
const DEEPEST: usize = 100;

/// The value that a JSON text says.
#[pyfunction]
pub fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let mut json = Json::new(text.as_bytes());
    let value = read(py, &mut json, DEEPEST).filter(|_| json.ends());
    value.ok_or_else(|| PyValueError::new_err(format!("no JSON at byte {}", json.place)))
}

fn read<'py>(py: Python<'py>, json: &mut Json, deeper: usize) -> Option<Bound<'py, PyAny>> {
    let deeper = deeper.checked_sub(1)?;
    match json.peek()? {
        b'"' => Some(PyString::new(py, &json.string()?).into_any()),
        b'{' => {
            let dict = PyDict::new(py);
            json.list(b'{', b'}', usize::MAX, |json| {
                dict.set_item(json.key()?, read(py, json, deeper)?).ok()
            })?;
            Some(dict.into_any())
        }
        b'[' => {
            let list = PyList::empty(py);
            json.list(b'[', b']', usize::MAX, |json| {
                list.append(read(py, json, deeper)?).ok()
            })?;
            Some(list.into_any())
        }
        _ => match json.bare()? {
            "null" => Some(py.None().into_bound(py)),
            "true" => Some(PyBool::new(py, true).to_owned().into_any()),
            "false" => Some(PyBool::new(py, false).to_owned().into_any()),
            whole if !whole.contains(['.', 'e', 'E']) => py.get_type::<PyInt>().call1((whole,)).ok(),
            real => Some(PyFloat::new(py, real.parse().ok()?).into_any()),
        },
    }
}

/// A value as JSON in ASCII, without spaces, as Python's own writes it.
#[pyfunction]
pub fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = String::new();
    write(value, &mut text, DEEPEST)?;
    Ok(text)
}

fn write(value: &Bound<'_, PyAny>, text: &mut String, deeper: usize) -> PyResult<()> {
    let deeper = deeper
        .checked_sub(1)
        .ok_or_else(|| PyValueError::new_err("nested too deep"))?;
    if let Ok(string) = value.cast::<PyString>() {
        quote(string.to_str()?, text);
    } else if value.is_none() {
        text.push_str("null");
    } else if let Ok(truth) = value.cast::<PyBool>() {
        text.push_str(if truth.is_true() { "true" } else { "false" });
    } else if value.is_exact_instance_of::<PyInt>() || finite(value) {
        text.push_str(value.repr()?.to_str()?);
    } else if let Ok(dict) = value.cast::<PyDict>() {
        text.push('{');
        for (key, value) in dict {
            quote(key.cast::<PyString>()?.to_str()?, text);
            text.push(':');
            write(&value, text, deeper)?;
            text.push(',');
        }
        close(text, '{', '}');
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        text.push('[');
        for value in value.try_iter()? {
            write(&value?, text, deeper)?;
            text.push(',');
        }
        close(text, '[', ']');
    } else {
        return Err(PyTypeError::new_err("nothing that JSON can say plainly"));
    }
    Ok(())
}

/// Whether it is a number that JSON can say.
fn finite(value: &Bound<'_, PyAny>) -> bool {
    let real = value.cast_exact::<PyFloat>();
    real.is_ok_and(|real| real.value().is_finite())
}

/// Puts the bracket in the place of the last comma.
fn close(text: &mut String, open: char, close: char) {
    if !text.ends_with(open) {
        text.pop();
    }
    text.push(close);
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            ' '..='~' => text.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(text, "\\u{unit:04x}");
                }
            }
        }
    }
    text.push('"');
}
