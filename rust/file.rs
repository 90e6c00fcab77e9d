//! The model file: named tables of numbers behind a header of JSON, in the safetensors format.
//!
//! Eight bytes say how long the header is; it names each table's type, shape and bytes. Ours begins with its
//! format, so that whatever a later one changes, it is told apart. Nothing in a file is believed: what does not
//! fit is refused in words, and no more memory is asked for than there are bytes.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::hash::Hasher;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::str;
use std::sync::Arc;

use bytemuck::Pod;
use twox_hash::XxHash3_64;

use crate::buffer::Memory;
use crate::header::Json;
use crate::threads;

/// The format that is written, and the last one that can be read.
pub const FORMAT: usize = 2;
/// No header is longer, so that Python's JSON of it stays below half a gigabyte.
pub const LONGEST: usize = 16 << 20;
/// Files up to this size are checked whole when they are opened.
const CHECKED: usize = 64 << 20;
/// Bytes whose hash is one task for a thread; part of the format, for hashes of blocks are hashed again.
const BLOCK: usize = 4 << 20;
/// How many digits of the checksum are left blank while it is made: those of the header.
const DIGITS: usize = 16;
const SIGNATURE: &[u8] = b"{\"__metadata__\":{\"format\":\"plainbayes ";

/// Why a file is not opened.
pub enum Refusal {
    Unreadable(io::Error),
    /// What it is, instead of a model.
    Foreign(&'static str),
    /// The format, and the version that wrote it.
    Newer(usize, Option<String>),
    Damaged(String),
}

use Refusal::{Damaged, Foreign, Newer, Unreadable};

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Unreadable(error)
    }
}

/// A type of numbers: its name in the file, its format in Python's buffers, its bytes.
pub struct Type(pub &'static str, pub &'static CStr, pub usize);

pub static TYPES: [Type; 10] = [
    Type("U8", c"B", 1),
    Type("I8", c"b", 1),
    Type("U16", c"H", 2),
    Type("I16", c"h", 2),
    Type("U32", c"I", 4),
    Type("I32", c"i", 4),
    Type("U64", c"Q", 8),
    Type("I64", c"q", 8),
    Type("F32", c"f", 4),
    Type("F64", c"d", 8),
];

/// A number that a table may be borrowed as.
pub trait Cell: Pod {
    const TYPE: &'static str;
}

macro_rules! cells {
    ($($cell:ty: $name:literal),*) => { $(impl Cell for $cell { const TYPE: &'static str = $name; })* };
}
cells!(u8: "U8", i16: "I16", u16: "U16", i32: "I32", u32: "U32", i64: "I64", u64: "U64", f32: "F32", f64: "F64");

/// Where a table lies in the file, and what it holds.
pub struct Table {
    pub kind: &'static Type,
    pub shape: Vec<usize>,
    pub range: Range<usize>,
}

/// A model file that has been found in order.
pub struct File {
    pub memory: Arc<Memory>,
    pub tables: BTreeMap<String, Table>,
    /// All that is known besides the tables, as JSON.
    pub metadata: String,
}

impl File {
    /// Opens and checks a file; its bytes' checksum too if `verify` says so, or nobody says and it is not large.
    pub fn open(path: &Path, verify: Option<bool>) -> Result<Self, Refusal> {
        if cfg!(target_endian = "big") {
            let sentence = "models are read on little-endian machines only";
            return Err(Unreadable(io::Error::new(io::ErrorKind::Unsupported, sentence)));
        }
        let file = fs::File::open(path)?;
        let facts = file.metadata()?;
        if facts.is_dir() {
            return Err(Foreign("a folder"));
        }
        let read = Memory::Read(Vec::new(), 0);
        let mut memory = match facts.is_file() {
            true => Memory::map(&file).unwrap_or(read),
            false => read,
        };
        memory.fill(&file, 512)?;
        let start = beginning(memory.bytes())?;
        memory.fill(&file, start)?;
        let header = memory.bytes().get(8..start);
        let header = Header::read(header.ok_or_else(|| short(start, memory.bytes()))?)?;
        let tables = arrange(header.tables, start)?;
        let end = tables
            .values()
            .map(|table| table.range.end)
            .max()
            .unwrap_or(start);
        memory.fill(&file, end.saturating_add(1))?;
        let bytes = memory.bytes();
        if bytes.len() < end {
            return Err(short(end, bytes));
        }
        if bytes.len() > end {
            return Err(Damaged(format!("there is something behind its {end} bytes")));
        }
        let (first, second) = bytes[header.checksum.clone()].split_at(DIGITS);
        let mut blank = bytes[..start].to_vec();
        blank[header.checksum.start..][..DIGITS].fill(b'0');
        if first != written(checksum(&[&blank])).as_bytes() {
            return Err(Damaged("its header has changed since it was written".into()));
        }
        if verify.unwrap_or(bytes.len() <= CHECKED) {
            let mut parts: Vec<_> = tables.values().map(|table| table.range.clone()).collect();
            parts.sort_unstable_by_key(|part| (part.start, part.end));
            let parts: Vec<_> = parts.into_iter().map(|part| &bytes[part]).collect();
            if second[1..] != *written(checksum(&parts)).as_bytes() {
                return Err(Damaged("its numbers have changed since it was written".into()));
            }
        }
        Ok(Self {
            memory: Arc::new(memory),
            tables,
            metadata: header.metadata,
        })
    }

    /// A table's type, shape and bytes.
    pub fn bytes(&self, name: &str) -> Option<(&'static str, &[usize], &[u8])> {
        let table = self.tables.get(name)?;
        let bytes = self.memory.bytes().get(table.range.clone())?;
        Some((table.kind.0, &table.shape, bytes))
    }

    /// A table's numbers, row after row, if they are of this type.
    pub fn slice<T: Cell>(&self, name: &str) -> Option<&[T]> {
        let (kind, _, bytes) = self.bytes(name)?;
        (kind == T::TYPE)
            .then(|| bytemuck::try_cast_slice(bytes).ok())
            .flatten()
    }
}

/// A hash of the parts' blocks' hashes: XXH3 with 64 bits, on all threads if there is enough to do.
pub fn checksum(parts: &[&[u8]]) -> u64 {
    let blocks: Vec<&[u8]> = parts.iter().flat_map(|part| part.chunks(BLOCK)).collect();
    let bytes = blocks.iter().map(|block| block.len()).sum();
    let threads = threads::threads(bytes);
    let mut all = XxHash3_64::new();
    for hash in threads::share(threads, blocks, || (), |(), block| XxHash3_64::oneshot(block)) {
        all.write(&hash.to_le_bytes());
    }
    all.finish()
}

/// A checksum as it stands in the file.
pub fn written(hash: u64) -> String {
    format!("{hash:0DIGITS$x}")
}

fn short(expected: usize, bytes: &[u8]) -> Refusal {
    let length = bytes.len();
    Damaged(format!(
        "it breaks off after {length} of at least {expected} bytes"
    ))
}

/// Where the header ends, if this begins like a model that we can read.
fn beginning(bytes: &[u8]) -> Result<usize, Refusal> {
    let (length, header) = match bytes.split_first_chunk() {
        Some((length, header)) => (u64::from_le_bytes(*length), header),
        None => (u64::MAX, bytes),
    };
    let known = header.len().min(SIGNATURE.len());
    if length > LONGEST as u64 || known == 0 || header[..known] != SIGNATURE[..known] {
        return Err(Foreign(guess(bytes, length, header)));
    }
    let rest = &header[known..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = str::from_utf8(&rest[..digits]).unwrap_or_default();
    match number.parse() {
        Ok(1..=FORMAT) => (),
        Ok(format) if format > FORMAT => return Err(Newer(format, version(&rest[digits..]))),
        // As many nines as you like are newer, too.
        Err(_) if digits > 9 => return Err(Newer(usize::MAX, None)),
        _ if header.len() <= known => (),
        _ => return Err(Damaged("it does not say which format it has".into())),
    }
    // Numbers of eight bytes lie at multiples of eight if what is before them is one.
    match length % 8 {
        0 => Ok(length as usize + 8),
        _ => Err(Damaged("its header has an odd length".into())),
    }
}

/// The version that wrote a file of a later format, which stands behind the format.
fn version(rest: &[u8]) -> Option<String> {
    let rest = rest.strip_prefix(b"\",\"version\":\"")?;
    let end = rest.iter().take(32).position(|&byte| byte == b'"')?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b".+-".contains(byte);
    rest[..end]
        .iter()
        .all(plain)
        .then(|| String::from_utf8_lossy(&rest[..end]).into_owned())
}

/// What a file may be that is no model, for the sentence that refuses it.
fn guess(bytes: &[u8], length: u64, header: &[u8]) -> &'static str {
    let text = |bytes: &[u8]| {
        let bytes = &bytes[..bytes.len().min(512)];
        let whole = match str::from_utf8(bytes) {
            Ok(_) => true,
            // The last character may be cut off.
            Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
        };
        whole
            && !bytes
                .iter()
                .any(|&byte| byte < 32 && !b"\t\n\r\x0c".contains(&byte))
    };
    match bytes {
        [] => "an empty file",
        [0x80, 2..=5, ..] => "a pickle",
        [b'P', b'K', 3, 4, ..] => "a zip archive",
        [0x1f, 0x8b, ..] => "a gzip file",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "a zstd file",
        _ if length <= 100_000_000 && header.starts_with(b"{") => "a safetensors file of another program",
        _ if text(bytes) => "text",
        _ => "something else",
    }
}

/// A header as it was read: nothing is known yet of whether its tables fit the file.
struct Header {
    /// The digits of the checksum, as a place in the file.
    checksum: Range<usize>,
    metadata: String,
    tables: BTreeMap<String, Entry>,
}

/// What a header says of a table.
#[derive(Default)]
struct Entry {
    kind: Option<String>,
    shape: Option<Vec<usize>>,
    range: Option<Vec<usize>>,
}

impl Entry {
    fn read(json: &mut Json) -> Option<Self> {
        let mut entry = Self::default();
        json.list(b'{', b'}', 3, |json| {
            let first = match json.key()?.as_str() {
                "dtype" => entry.kind.replace(json.string()?).is_none(),
                "shape" => entry.shape.replace(json.numbers()?).is_none(),
                "data_offsets" => entry.range.replace(json.numbers()?).is_none(),
                _ => false,
            };
            first.then_some(())
        })?;
        Some(entry)
    }
}

impl Header {
    fn read(text: &[u8]) -> Result<Self, Refusal> {
        let mut json = Json::new(text);
        let (mut checksum, mut metadata) = (None, None);
        let mut tables = BTreeMap::new();
        let mut twice = None;
        json.list(b'{', b'}', usize::MAX, |json| {
            let name = json.key()?;
            if name == "__metadata__" {
                return json.list(b'{', b'}', usize::MAX, |json| {
                    let key = json.key()?;
                    json.space();
                    let start = json.place;
                    let value = json.string()?;
                    let fits = match key.as_str() {
                        "plainbayes" => metadata.replace(value).is_none(),
                        // Written plainly, so that the digits stand where they stand in the file.
                        "checksum" => {
                            let place = start + 9..json.place + 7;
                            value.len() == 2 * DIGITS + 1
                                && place.len() == value.len()
                                && checksum.replace(place).is_none()
                        }
                        _ => true,
                    };
                    fits.then_some(())
                });
            }
            match tables.insert(name.clone(), Entry::read(json)?) {
                None => Some(()),
                Some(_) => {
                    twice = Some(name);
                    None
                }
            }
        })
        .filter(|()| json.ends())
        .ok_or_else(|| match &twice {
            Some(name) => Damaged(format!("it has two tables {}", shown(name))),
            None => Damaged(format!(
                "its header makes no sense at byte {}",
                8 + json.place.min(text.len())
            )),
        })?;
        match (checksum, metadata) {
            (Some(checksum), Some(metadata)) => Ok(Self {
                checksum,
                metadata,
                tables,
            }),
            _ => Err(Damaged("its header has no checksum or no settings".into())),
        }
    }
}

/// A name for a sentence, whatever it is.
fn shown(name: &str) -> String {
    format!("{:?}", name.chars().take(40).collect::<String>())
}

/// Tables as they lie in the file, one after another from `start`, if they do.
fn arrange(entries: BTreeMap<String, Entry>, start: usize) -> Result<BTreeMap<String, Table>, Refusal> {
    let wrong = |name: &str, what: &str| Damaged(format!("its table {} {what}", shown(name)));
    let mut tables = BTreeMap::new();
    for (name, entry) in entries {
        let (Some(kind), Some(shape), Some(range)) = (entry.kind, entry.shape, entry.range) else {
            return Err(wrong(&name, "lacks its type, shape or place"));
        };
        let kind = TYPES.iter().find(|known| known.0 == kind);
        let kind = kind.ok_or_else(|| wrong(&name, "has numbers of an unknown type"))?;
        // Lengths count as one at least: so strides fit as well, even if there is nothing to stride over.
        let most = shape.iter().try_fold(kind.2, |size, &length| {
            let size = size.checked_mul(length.max(1));
            size.filter(|&size| isize::try_from(size).is_ok())
        });
        let most = most.ok_or_else(|| wrong(&name, "has a shape larger than any memory"))?;
        let size = if shape.contains(&0) { 0 } else { most };
        let place = |offset: usize| start.checked_add(offset);
        let range = match range[..] {
            [first, end] if end.checked_sub(first) == Some(size) => place(first).zip(place(end)),
            _ => None,
        };
        let range = range.ok_or_else(|| wrong(&name, "does not fit its place"))?;
        if range.0 % kind.2 != 0 {
            return Err(wrong(&name, "lies where its numbers cannot be read"));
        }
        let range = range.0..range.1;
        tables.insert(name, Table { kind, shape, range });
    }
    let mut places: Vec<_> = tables.iter().map(|(name, table)| (&table.range, name)).collect();
    places.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    let mut end = start;
    for (range, name) in places {
        if range.start != end {
            return Err(wrong(name, "overlaps another, or leaves a gap"));
        }
        end = range.end;
    }
    Ok(tables)
}
