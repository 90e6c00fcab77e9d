//! The text and the label of a JSON object, without making anything of the rest.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

/// Which keys hold the text and the label.
pub struct Keys {
    pub text: String,
    pub label: Option<String>,
}

/// A value: a stretch of the line, or, if it was escaped there, a string of its own.
pub enum Piece {
    At(Range<usize>),
    Made(String),
}

impl Piece {
    /// Where it is in a batch whose line starts at `start`, at the end if it was not there.
    pub fn place(self, start: usize, bytes: &mut Vec<u8>) -> Range<usize> {
        match self {
            Self::At(range) => start + range.start..start + range.end,
            Self::Made(text) => {
                let start = bytes.len();
                bytes.extend_from_slice(text.as_bytes());
                start..bytes.len()
            }
        }
    }

    fn of(line: &[u8], cell: Cow<'_, str>) -> Self {
        match cell {
            Cow::Borrowed(text) => {
                let start = text.as_ptr() as usize - line.as_ptr() as usize;
                Self::At(start..start + text.len())
            }
            Cow::Owned(text) => Self::Made(text),
        }
    }
}

type Found<T> = (Option<T>, Option<T>);

impl Keys {
    /// Label and text of a line, or what is wrong with it.
    pub fn find(&self, line: &[u8]) -> Result<Found<Piece>, String> {
        match self.parsed(line) {
            Ok((label, text)) => Ok((
                label.map(|cell| Piece::of(line, cell)),
                text.map(|cell| Piece::of(line, cell)),
            )),
            Err(_) if std::str::from_utf8(line).is_err() => {
                // Invalid UTF-8 is replaced wherever it comes from.
                let line = String::from_utf8_lossy(line).into_owned();
                let (label, text) = self.parsed(line.as_bytes())?;
                let made = |cell: Cow<'_, str>| Piece::Made(cell.into_owned());
                Ok((label.map(made), text.map(made)))
            }
            Err(wrong) => Err(wrong),
        }
    }

    fn parsed<'a>(&self, line: &'a [u8]) -> Result<Found<Cow<'a, str>>, String> {
        let mut json = serde_json::Deserializer::from_slice(line);
        let found = self.deserialize(&mut json);
        found
            .and_then(|found| json.end().map(|()| found))
            .map_err(|error| match error.is_data() {
                // The place within the line is all serde says of it that helps.
                true => {
                    let words = error.to_string();
                    words.split(" at line ").next().unwrap_or_default().to_owned()
                }
                false => format!("is not JSON from column {} on", error.column()),
            })
    }
}

impl<'de> DeserializeSeed<'de> for &Keys {
    type Value = Found<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &Keys {
    type Value = Found<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut label, mut text) = (None, None);
        while let Some(key) = map.next_key_seed(Cell("a name"))? {
            if key.as_deref() == Some(&self.text) {
                text = map.next_value_seed(Cell(&self.text))?;
            } else if key.is_some() && key.as_deref() == self.label.as_deref() {
                label = map.next_value_seed(Cell(key.as_deref().unwrap_or_default()))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok((label, text))
    }
}

/// A string, or a number or truth value as it is written; None for null.
struct Cell<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Cell<'_> {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Cell<'_> {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "text or a number for {:?}", self.0)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(format!("{number:?}"))))
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(truth.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
