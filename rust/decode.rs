//! Bytes of any kind as UTF-8: gzip and zstd are unpacked, other charsets decoded, binary files refused.

use std::io::{self, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use flate2::bufread::MultiGzDecoder;

use crate::batch::Unreadable;

/// About so many bytes are read at once: they stay in the cache until they have been counted.
pub const BLOCK: usize = 1 << 18;
/// So many of them are looked at first: a charset shows itself soon, and to look at all of them twice, once for the
/// kind of the data, took 3% of training on 4 MB of Chinese.
const PART: usize = 1 << 16;
/// So many bytes show whether a file is text.
const GLANCE: usize = 1 << 13;
pub type Bytes = Box<dyn Read + Send>;

impl Unreadable {
    pub fn new(sentence: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            hint: hint.into(),
        }
    }
}

/// What has been read so far, for whoever watches.
#[derive(Default)]
pub struct Progress {
    pub bytes: AtomicU64,
    pub rows: AtomicU64,
    pub skipped: AtomicU64,
    pub replaced: AtomicU64,
    pub encoding: OnceLock<&'static str>,
}

impl Progress {
    pub fn add(counter: &AtomicU64, count: usize) {
        counter.fetch_add(count as u64, Ordering::Relaxed);
    }
}

struct Counted {
    bytes: Bytes,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(into)?;
        Progress::add(&self.progress.bytes, count);
        Ok(count)
    }
}

enum State {
    /// Nothing but ASCII so far; true before the first block.
    Open(bool),
    Plain,
    Other(Box<Decoder>),
}

/// A stream of UTF-8, from a file or whatever gives bytes.
pub struct Text {
    pub name: String,
    pub packed: bool,
    bytes: Bytes,
    prompt: bool,
    state: State,
    declared: Option<&'static Encoding>,
    raw: Vec<u8>,
    progress: Arc<Progress>,
}

impl Text {
    /// Opens a file.
    pub fn open(
        path: &Path,
        declared: Option<&'static Encoding>,
        progress: &Arc<Progress>,
    ) -> Result<Self, Unreadable> {
        let name = path.display().to_string();
        let failed = |error| unreadable(&name, &error);
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let mut head = Vec::with_capacity(64);
        (&mut file).take(4).read_to_end(&mut head).map_err(failed)?;
        let bytes: Bytes = match file.seek(SeekFrom::Start(0)) {
            Ok(_) => Box::new(file),
            Err(_) => Box::new(Cursor::new(head.clone()).chain(file)),
        };
        Self::unpacked(name, bytes, &head, false, declared, progress)
    }

    /// Takes bytes as they come. A prompt reader waits for no more than is there.
    pub fn stream(
        name: String,
        mut bytes: Bytes,
        prompt: bool,
        declared: Option<&'static Encoding>,
        progress: &Arc<Progress>,
    ) -> Result<Self, Unreadable> {
        let mut head = vec![0; 1 << 12];
        let mut filled = 0;
        while filled < if prompt { 1 } else { 4 } {
            match bytes.read(&mut head[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&name, &error)),
            }
        }
        head.truncate(filled);
        let bytes = Box::new(Cursor::new(head.clone()).chain(bytes));
        Self::unpacked(name, bytes, &head, prompt, declared, progress)
    }

    fn unpacked(
        name: String,
        bytes: Bytes,
        head: &[u8],
        prompt: bool,
        declared: Option<&'static Encoding>,
        progress: &Arc<Progress>,
    ) -> Result<Self, Unreadable> {
        let counted = |bytes| -> BufReader<Bytes> {
            let progress = Arc::clone(progress);
            BufReader::with_capacity(BLOCK / 8, Box::new(Counted { bytes, progress }))
        };
        let (bytes, packed): (Bytes, bool) = match head {
            [0x1f, 0x8b, ..] => (Box::new(MultiGzDecoder::new(counted(bytes))), true),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                let unpacked =
                    zstd::Decoder::with_buffer(counted(bytes)).map_err(|error| unreadable(&name, &error))?;
                (Box::new(unpacked), true)
            }
            _ => (bytes, false),
        };
        Ok(Self {
            name,
            bytes,
            packed,
            prompt,
            state: State::Open(true),
            declared,
            raw: Vec::new(),
            progress: Arc::clone(progress),
        })
    }

    /// Adds about a block of UTF-8 to `into`; false at the end.
    pub fn fill(&mut self, into: &mut Vec<u8>) -> Result<bool, Unreadable> {
        if let State::Other(_) = self.state {
            let mut raw = std::mem::take(&mut self.raw);
            raw.clear();
            let more = self.read(&mut raw, BLOCK / 2)?;
            self.decode(&raw, !more, into);
            self.raw = raw;
            return Ok(more);
        }
        let mut left = BLOCK;
        loop {
            let start = into.len();
            let part = match self.state {
                State::Open(true) => PART,
                _ => left,
            };
            let more = self.read(into, part)?;
            left -= part;
            if let State::Open(first) = self.state {
                self.look(first, into, start)?;
                if let State::Other(_) = self.state {
                    let raw = into.split_off(start);
                    self.decode(&raw, !more, into);
                    return Ok(more);
                }
            }
            if left == 0 || !more || self.prompt {
                return Ok(more);
            }
        }
    }

    /// Adds up to `most` bytes as they are; false if there are no more.
    fn read(&mut self, into: &mut Vec<u8>, most: usize) -> Result<bool, Unreadable> {
        let start = into.len();
        let (bytes, name) = (&mut self.bytes, &self.name);
        let failed = |error| unreadable(name, &error);
        if self.prompt {
            into.resize(start + BLOCK / 16, 0);
            let count = loop {
                match bytes.read(&mut into[start..]) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    other => break other.map_err(failed)?,
                }
            };
            into.truncate(start + count);
        } else {
            into.reserve(most + 64);
            bytes.take(most as u64).read_to_end(into).map_err(failed)?;
        }
        let count = into.len() - start;
        if !self.packed {
            Progress::add(&self.progress.bytes, count);
        }
        Ok(if self.prompt { count > 0 } else { count == most })
    }

    /// Decides on the charset when a block shows it.
    fn look(&mut self, first: bool, into: &mut Vec<u8>, start: usize) -> Result<(), Unreadable> {
        if first {
            let block = &into[start..];
            let told = Encoding::for_bom(block);
            let found = told.map(|(encoding, _)| encoding).or(self.declared);
            if found.is_none_or(|found| found != UTF_16LE && found != UTF_16BE) {
                self.refuse_binary(&block[..block.len().min(GLANCE)])?;
            }
            if let Some((_, mark)) = told {
                into.drain(start..start + mark);
            }
            if let Some(found) = found {
                self.settle(found);
                return Ok(());
            }
        }
        let block = &into[start..];
        self.state = State::Open(false);
        if !block.is_ascii() {
            self.settle(charset(block));
        }
        Ok(())
    }

    fn settle(&mut self, encoding: &'static Encoding) {
        // The first file that is not in UTF-8 is the one worth telling of.
        if encoding == UTF_8 {
            self.state = State::Plain;
        } else {
            self.state = State::Other(Box::new(encoding.new_decoder_without_bom_handling()));
            let _ = self.progress.encoding.set(encoding.name());
        }
    }

    fn refuse_binary(&self, head: &[u8]) -> Result<(), Unreadable> {
        let control = |&&byte: &&u8| byte < 0x20 && !matches!(byte, 0x08..=0x0d | 0x1b) || byte == 0x7f;
        let hint = match head {
            [b'P', b'A', b'R', b'1', ..] => {
                "this is a Parquet file: save it under a name that ends in .parquet, unpacked"
            }
            [b'P', b'K', 3, 4, ..] | [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', ..] => {
                "unpack it first: only gzip and zstd are read as they are"
            }
            _ if head.contains(&0) || head.iter().filter(control).count() * 16 > head.len() => {
                "if it is text in UTF-16, name that encoding"
            }
            _ => return Ok(()),
        };
        Err(Unreadable::new(
            format!("text was expected, got a binary file: {}", self.name),
            hint,
        ))
    }

    fn decode(&mut self, mut raw: &[u8], last: bool, into: &mut Vec<u8>) {
        let State::Other(decoder) = &mut self.state else {
            return;
        };
        let mut replaced = 0;
        loop {
            let start = into.len();
            let room = decoder.max_utf8_buffer_length_without_replacement(raw.len());
            into.resize(start + room.unwrap_or(BLOCK), 0);
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(raw, &mut into[start..], last);
            into.truncate(start + written);
            raw = &raw[read..];
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(_, _) => {
                    into.extend_from_slice("\u{fffd}".as_bytes());
                    replaced += 1;
                }
            }
        }
        Progress::add(&self.progress.replaced, replaced);
    }
}

/// The charset with this name, as the web and Python call it.
pub fn named(name: &str) -> Result<&'static Encoding, Unreadable> {
    let plain = name.trim().to_ascii_lowercase().replace('_', "-");
    match plain.as_str() {
        "latin-1" => return Ok(WINDOWS_1252),
        "utf-8-sig" => return Ok(UTF_8),
        "utf-16-le" => return Ok(UTF_16LE),
        "utf-16-be" => return Ok(UTF_16BE),
        "cp932" => return Ok(encoding_rs::SHIFT_JIS),
        "cp936" => return Ok(encoding_rs::GBK),
        "cp949" => return Ok(encoding_rs::EUC_KR),
        "cp950" => return Ok(encoding_rs::BIG5),
        _ => {}
    }
    [plain.as_str(), &plain.replace('-', "_"), &plain.replace('-', "")]
        .into_iter()
        .find_map(|label| Encoding::for_label(label.as_bytes()))
        .filter(|encoding| *encoding != encoding_rs::REPLACEMENT)
        .ok_or_else(|| {
            Unreadable::new(
                format!("a charset was expected, got encoding={name:?}"),
                "utf-8, utf-16, windows-1251, koi8-r, gb18030, big5, shift-jis, euc-kr, latin-1, ...",
            )
        })
}

/// The charset of a block that is not all ASCII.
fn charset(block: &[u8]) -> &'static Encoding {
    // The block may end within a character.
    match std::str::from_utf8(block) {
        Err(error) if error.error_len().is_some() => (),
        _ => return UTF_8,
    }
    let (mut good, mut bad) = (0, 0);
    for chunk in block.utf8_chunks() {
        good += chunk.valid().chars().filter(|char| !char.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    // A few broken characters do not make another charset.
    if good >= 4 * bad {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(block, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// What the system says, in a sentence.
pub fn unreadable(name: &str, error: &io::Error) -> Unreadable {
    match error.kind() {
        ErrorKind::NotFound => Unreadable::new(
            format!("a file was expected, but there is no {name}"),
            "check the path",
        ),
        ErrorKind::PermissionDenied => {
            Unreadable::new(format!("{name} may not be read"), "check its permissions")
        }
        ErrorKind::IsADirectory => Unreadable::new(format!("a file was expected, got the folder {name}"), ""),
        ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::UnexpectedEof | ErrorKind::Other => {
            Unreadable::new(format!("{name} is damaged: {error}"), "")
        }
        _ => Unreadable::new(format!("{name} cannot be read: {error}"), ""),
    }
}
