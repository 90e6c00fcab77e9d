//! From the bytes of a text to its tokens.
//!
//! `words` are cut by Unicode's categories and folded; `sklearn` gives what scikit-learn's CountVectorizer
//! finds with `str.lower` and `\b\w\w+\b`; `tokens` were cut by somebody else and are parted by zero bytes.
//! Then come stop words, stems, and n-grams of words or characters. All tokens are stretches of one run of
//! bytes: a pair of words is the place from the first to the second.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::mem::swap;

use snowball_stemmers_rs::Stemmer;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::tokens::{ROOM, Tokens};
use crate::unicode::{Entry, Kind, Rules, Table};

/// What is beyond this in one text is not read: places are 32 bits, and folding may treble a text.
const LONGEST: usize = 1 << 29;

/// What to do with the words once they are cut.
pub struct Settings {
    /// Sizes of the n-grams of words, from and to.
    pub ngrams: (usize, usize),
    /// Sizes of the n-grams of characters that take the place of words.
    pub characters: Option<(usize, usize)>,
    pub nfkc: bool,
    /// Take accents off letters.
    pub bare: bool,
    pub stemmer: Option<Stemmer>,
    pub stop: Vec<String>,
}

pub struct Analyser {
    /// None: the tokens come ready.
    table: Option<Table>,
    stop: HashSet<Box<[u8]>>,
    settings: Settings,
}

thread_local! {
    static SPARE: RefCell<Tokens> = RefCell::default();
}

impl Analyser {
    pub fn new(rules: Option<Rules>, mut settings: Settings) -> Self {
        let words = std::mem::take(&mut settings.stop);
        let mut analyser = Self {
            table: rules.map(Table::new),
            stop: HashSet::new(),
            settings,
        };
        // Stop words are compared with words that are folded already, so they are folded alike.
        let mut tokens = Tokens::default();
        for word in words {
            analyser.cut(word.as_bytes(), &mut tokens);
            let whole = &tokens.bytes[..tokens.bytes.len() - ROOM];
            analyser.stop.insert(whole.into());
        }
        analyser
    }

    /// Tokens of a text into `tokens`, which are cleared first and end with `ROOM` zero bytes; returns how
    /// many stretches of invalid UTF-8 were replaced.
    pub fn analyse(&self, text: &[u8], tokens: &mut Tokens) -> usize {
        let replaced = self.cut(text, tokens);
        let Settings {
            ngrams,
            characters,
            stemmer,
            ..
        } = &self.settings;
        if *ngrams != (1, 1) || characters.is_some() || stemmer.is_some() || !self.stop.is_empty() {
            SPARE.with_borrow_mut(|spare| self.finish(tokens, spare));
        }
        replaced
    }

    fn cut(&self, text: &[u8], tokens: &mut Tokens) -> usize {
        let (text, replaced) = self.normal(text);
        let text = &text[..text.len().min(LONGEST)];
        replaced
            + match &self.table {
                None => ready(text, tokens),
                Some(table) => {
                    let mut scan = Scan::new(text, table, tokens, self.settings.characters.is_some());
                    if table.python() {
                        scan.run::<false>()
                    } else {
                        scan.run::<true>()
                    }
                    scan.end()
                }
            }
    }

    /// The text in normal form and without accents, as wished.
    fn normal<'a>(&self, text: &'a [u8]) -> (Cow<'a, [u8]>, usize) {
        let Settings { nfkc, bare, .. } = self.settings;
        if !(nfkc || bare) || text.is_ascii() {
            return (text.into(), 0);
        }
        let (mut whole, replaced) = mended(text);
        if nfkc {
            whole = whole.nfkc().collect::<String>().into();
        }
        if bare {
            whole = whole
                .nfd()
                .filter(|&c| !accent(c))
                .nfc()
                .collect::<String>()
                .into();
        }
        (whole.into_owned().into_bytes().into(), replaced)
    }

    fn finish(&self, tokens: &mut Tokens, spare: &mut Tokens) {
        swap(tokens, spare);
        tokens.clear();
        // Every word stands between two spaces, so that n-grams are places.
        tokens.bytes.push(b' ');
        for word in spare.iter().filter(|word| !self.stop.contains(*word)) {
            let start = tokens.bytes.len();
            match (&self.settings.stemmer, str::from_utf8(word)) {
                (Some(stemmer), Ok(word)) => tokens.bytes.extend_from_slice(stemmer.stem(word).as_bytes()),
                _ => tokens.bytes.extend_from_slice(word),
            }
            if tokens.bytes.len() > start {
                tokens.spans.push((start as u32, tokens.bytes.len() as u32));
                tokens.bytes.push(b' ');
            }
        }
        match self.settings.characters {
            Some(sizes) => {
                swap(&mut tokens.spans, &mut spare.spans);
                character_ngrams(&tokens.bytes, &spare.spans, sizes, &mut tokens.spans);
            }
            None if self.settings.ngrams != (1, 1) => {
                swap(&mut tokens.spans, &mut spare.spans);
                word_ngrams(&spare.spans, self.settings.ngrams, &mut tokens.spans);
            }
            None => {}
        }
        tokens.bytes.extend_from_slice(&[0; ROOM]);
    }
}

/// All single words first, then all pairs, and so on.
fn word_ngrams(words: &[(u32, u32)], (low, high): (usize, usize), ngrams: &mut Vec<(u32, u32)>) {
    ngrams.clear();
    for size in low..=high.min(words.len()) {
        ngrams.extend(words.windows(size).map(|some| (some[0].0, some[size - 1].1)));
    }
}

/// N-grams inside each word and the spaces around it, as scikit-learn's `char_wb` takes them: a word that is
/// shorter than the size counts whole, once.
fn character_ngrams(
    bytes: &[u8],
    words: &[(u32, u32)],
    (low, high): (usize, usize),
    ngrams: &mut Vec<(u32, u32)>,
) {
    ngrams.clear();
    let mut cuts = Vec::new();
    for &(start, end) in words {
        cuts.clear();
        let first = |at: &u32| bytes[*at as usize] & 0xC0 != 0x80;
        cuts.extend((start - 1..end + 1).filter(first).chain([end + 1]));
        for size in low..=high {
            match cuts.len().checked_sub(size + 1) {
                Some(last) if last > 0 => ngrams.extend((0..=last).map(|at| (cuts[at], cuts[at + size]))),
                _ => {
                    ngrams.push((start - 1, end + 1));
                    break;
                }
            }
        }
    }
}

/// Accents and the points of Hebrew and Arabic, but not the vowel signs of India or the dots of kana.
fn accent(c: char) -> bool {
    matches!(canonical_combining_class(c), 1 | 10..=35 | 200..=240)
}

/// The text with invalid stretches replaced, and how many there were.
fn mended(text: &[u8]) -> (Cow<'_, str>, usize) {
    let invalid = text.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty());
    (String::from_utf8_lossy(text), invalid.count())
}

/// Tokens between zero bytes.
fn ready(text: &[u8], tokens: &mut Tokens) -> usize {
    tokens.clear();
    let (text, replaced) = mended(text);
    tokens.bytes.extend_from_slice(text.as_bytes());
    let mut start = 0;
    for token in text.split('\0') {
        let end = start + token.len();
        if !token.is_empty() {
            tokens.spans.push((start as u32, end as u32));
        }
        start = end + 1;
    }
    tokens.bytes.extend_from_slice(&[0; ROOM]);
    replaced
}

/// The character at a place and how many bytes it takes, or how many are invalid.
#[inline(always)]
fn decode(text: &[u8], at: usize) -> Result<(u32, usize), usize> {
    let part = |k: usize| match text.get(at + k) {
        Some(&byte) if byte & 0xC0 == 0x80 => Some(u32::from(byte & 0x3F)),
        _ => None,
    };
    let first = u32::from(text[at]);
    let character = match first {
        0..0x80 => return Ok((first, 1)),
        0xC2..0xE0 => part(1).map(|b| ((first & 0x1F) << 6 | b, 2)),
        0xE0..0xF0 => match (part(1), part(2)) {
            (Some(b), Some(c)) => Some(((first & 0xF) << 12 | b << 6 | c, 3))
                .filter(|&(code, _)| code >= 0x800 && !(0xD800..0xE000).contains(&code)),
            _ => None,
        },
        0xF0..0xF5 => match (part(1), part(2), part(3)) {
            (Some(b), Some(c), Some(d)) => Some(((first & 7) << 18 | b << 12 | c << 6 | d, 4))
                .filter(|&(code, _)| (0x10000..0x110000).contains(&code)),
            _ => None,
        },
        _ => None,
    };
    character.ok_or_else(|| invalid(text, at))
}

#[cold]
fn invalid(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + 4)];
    str::from_utf8(rest)
        .err()
        .and_then(|error| error.error_len())
        .unwrap_or(rest.len())
}

/// How many bytes the character that begins with this one takes.
fn width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// A walk over a text.
struct Scan<'a> {
    text: &'a [u8],
    table: &'a Table,
    tokens: &'a mut Tokens,
    /// Runs of ideographs stay whole.
    whole: bool,
    /// The next byte to read.
    at: usize,
    /// The kind of the last character that stayed.
    last: Kind,
    /// Where the word began that goes on here.
    open: Option<usize>,
    /// The token that the run of ideographs that goes on here began with.
    run: Option<usize>,
    replaced: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8], table: &'a Table, tokens: &'a mut Tokens, whole: bool) -> Self {
        tokens.clear();
        tokens.bytes.reserve(text.len() + ROOM);
        Self {
            text,
            table,
            tokens,
            whole,
            at: 0,
            last: Kind::Space,
            open: None,
            run: None,
            replaced: 0,
        }
    }

    fn run<const WORDS: bool>(&mut self) {
        while self.at < self.text.len() {
            self.character::<WORDS>();
        }
        self.close::<WORDS>();
    }

    fn end(self) -> usize {
        self.tokens.bytes.extend_from_slice(&[0; ROOM]);
        self.replaced
    }

    /// The character at a place with the number of its bytes; what is invalid is a space.
    fn look(&self, at: usize) -> Option<(&'a Entry, usize)> {
        if at >= self.text.len() {
            return None;
        }
        Some(match decode(self.text, at) {
            Ok((code, bytes)) => (self.table.entry(code), bytes),
            Err(bytes) => (self.table.entry(0xFFFD), bytes),
        })
    }

    fn put(&mut self, entry: &Entry) {
        self.tokens
            .bytes
            .extend_from_slice(&entry.bytes[..usize::from(entry.length)]);
    }

    fn here(&self) -> usize {
        self.tokens.bytes.len()
    }

    fn push(&mut self, start: usize) {
        self.tokens.spans.push((start as u32, self.here() as u32));
    }

    fn character<const WORDS: bool>(&mut self) {
        let (entry, bytes) = match decode(self.text, self.at) {
            Ok((code, bytes)) => (self.table.entry(code), bytes),
            Err(bytes) => {
                self.replaced += 1;
                (self.table.entry(0xFFFD), bytes)
            }
        };
        let place = self.at;
        self.at += bytes;
        match entry.kind {
            Kind::Space => self.close::<WORDS>(),
            Kind::Nothing => return,
            Kind::Letter | Kind::Digit => {
                self.begin::<WORDS>();
                self.put(entry);
            }
            Kind::Ideograph => {
                if self.run.is_none() {
                    self.close::<WORDS>();
                    self.run = Some(self.tokens.spans.len());
                }
                let start = self.here();
                self.put(entry);
                self.push(start);
            }
            Kind::Mark | Kind::Joiner => {
                if matches!(self.last, Kind::Letter | Kind::Digit | Kind::Ideograph) {
                    self.put(entry);
                    let end = self.here() as u32;
                    if let (Some(_), Some(span)) = (self.run, self.tokens.spans.last_mut()) {
                        span.1 = end;
                    }
                }
                return;
            }
            Kind::Sign | Kind::Flag => {
                self.close::<WORDS>();
                let start = self.here();
                self.put(entry);
                self.picture(entry.kind);
                self.push(start);
            }
            Kind::Apostrophe | Kind::Point => {
                let between = if entry.kind == Kind::Apostrophe {
                    Kind::Letter
                } else {
                    Kind::Digit
                };
                if self.last == between
                    && self
                        .after_marks(self.at)
                        .is_some_and(|(next, _)| next.kind == between)
                {
                    self.put(entry);
                } else {
                    self.close::<WORDS>();
                }
            }
            Kind::Sigma => {
                self.begin::<WORDS>();
                let last = self.ends_word(place);
                self.tokens
                    .bytes
                    .extend_from_slice(if last { "ς" } else { "σ" }.as_bytes());
            }
            Kind::DottedI => {
                self.begin::<WORDS>();
                self.tokens.bytes.push(b'i');
                self.close::<WORDS>();
            }
        }
        self.last = entry.kind;
    }

    /// A word goes on or begins here.
    fn begin<const WORDS: bool>(&mut self) {
        if self.open.is_none() {
            self.close::<WORDS>();
            self.open = Some(self.here());
        }
    }

    /// Whatever goes on ends here.
    fn close<const WORDS: bool>(&mut self) {
        if let Some(start) = self.open.take()
            && (WORDS || self.here() - start > width(self.tokens.bytes[start]))
        {
            self.push(start);
        }
        if let Some(first) = self.run.take() {
            let spans = &mut self.tokens.spans;
            let last = spans.len() - 1;
            if self.whole {
                spans[first].1 = spans[last].1;
                spans.truncate(first + 1);
            } else {
                spans.extend_from_within(first..last);
                for at in first..last {
                    spans[at - first + last + 1].1 = spans[at + 1].1;
                }
            }
        }
    }

    /// The next character that is more than a mark on nothing, with the place behind it.
    fn after_marks(&self, mut at: usize) -> Option<(&'a Entry, usize)> {
        loop {
            let (entry, bytes) = self.look(at)?;
            at += bytes;
            if !matches!(entry.kind, Kind::Mark | Kind::Joiner | Kind::Nothing) {
                return Some((entry, at));
            }
        }
    }

    /// The rest of a picture: others joined to it, or the second half of a flag.
    fn picture(&mut self, kind: Kind) {
        if kind == Kind::Flag {
            if let Some((next, at)) = self
                .after_marks(self.at)
                .filter(|(next, _)| next.kind == Kind::Flag)
            {
                self.put(next);
                self.at = at;
            }
            return;
        }
        let mut at = self.at;
        let mut joined = None;
        while let Some((entry, bytes)) = self.look(at) {
            at += bytes;
            match (entry.kind, joined) {
                (Kind::Joiner, _) => joined = Some(entry),
                (Kind::Mark | Kind::Nothing, _) => {}
                (Kind::Sign, Some(joiner)) => {
                    self.put(joiner);
                    self.put(entry);
                    self.at = at;
                    joined = None;
                }
                _ => break,
            }
        }
    }

    /// Does a sigma here end its word? Letters and nothing but what is ignorable must stand before it, and not after.
    fn ends_word(&self, at: usize) -> bool {
        let solid = |c: &char| !self.table.ignorable(*c);
        let before = backwards(&self.text[..at]).find(solid);
        let after = forwards(&self.text[at + 2..]).find(solid);
        before.is_some_and(|c| self.table.cased(c)) && !after.is_some_and(|c| self.table.cased(c))
    }
}

fn forwards(text: &[u8]) -> impl Iterator<Item = char> {
    let mut at = 0;
    std::iter::from_fn(move || {
        text.get(at)?;
        let (code, bytes) = decode(text, at).unwrap_or_else(|bytes| (0xFFFD, bytes));
        at += bytes;
        char::from_u32(code)
    })
}

fn backwards(text: &[u8]) -> impl Iterator<Item = char> {
    let mut end = text.len();
    std::iter::from_fn(move || {
        let first = (1..=end.min(4))
            .find(|back| text[end - back] & 0xC0 != 0x80)
            .unwrap_or(1);
        let start = end.checked_sub(first).filter(|_| end > 0)?;
        let (code, bytes) = decode(text, start).unwrap_or((0xFFFD, 0));
        let code = if bytes == first { code } else { 0xFFFD };
        end = start;
        char::from_u32(code)
    })
}
