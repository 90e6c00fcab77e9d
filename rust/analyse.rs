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

use crate::scan;
use crate::tokens::{ROOM, Span, Tokens};
use crate::unicode::{Rules, Table};

/// What is beyond this in one text is not read: places are 32 bits, and folding may treble a text.
const LONGEST: usize = 1 << 29;
/// What stands before n-grams of characters that are counted beside words, and in no word.
pub const MARK: u8 = b'~';
/// What stands between the two of a pair.
const JOIN: u8 = b'&';

/// What to do with the words once they are cut.
pub struct Settings {
    /// Sizes of the n-grams of words, from and to.
    pub ngrams: (usize, usize),
    /// Sizes of the n-grams of characters that take the place of words.
    pub characters: Option<(usize, usize)>,
    /// Sizes of the n-grams of characters that come after the words, each behind a `MARK`.
    pub beside: Option<(usize, usize)>,
    /// Tokens that come ready, by their places, of which pairs come after the others, each behind a `MARK`.
    pub pairs: Vec<(usize, usize)>,
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
        tokens.first = tokens.spans.len();
        if let Some(sizes) = self.settings.beside {
            SPARE.with_borrow_mut(|spare| self.look_again(text, sizes, tokens, spare));
        }
        if !self.settings.pairs.is_empty() {
            self.pair_up(text, tokens);
        }
        replaced
    }

    /// Appends pairs of the tokens of a text, which are between zero bytes; one that is empty has none.
    fn pair_up(&self, text: &[u8], tokens: &mut Tokens) {
        let (text, _) = mended(text);
        let cells: Vec<_> = text.split('\0').map(str::as_bytes).collect();
        tokens.bytes.truncate(tokens.bytes.len() - ROOM);
        for &(one, other) in &self.settings.pairs {
            if let (Some(&[_, ..]), Some(&[_, ..])) = (cells.get(one), cells.get(other)) {
                let start = tokens.bytes.len() as u32;
                tokens.bytes.push(MARK);
                tokens.bytes.extend_from_slice(cells[one]);
                tokens.bytes.push(JOIN);
                tokens.bytes.extend_from_slice(cells[other]);
                tokens.spans.push([start, tokens.bytes.len() as u32]);
            }
        }
        tokens.bytes.extend_from_slice(&[0; ROOM]);
    }

    /// Appends the n-grams of characters.
    fn look_again(&self, text: &[u8], sizes: (usize, usize), tokens: &mut Tokens, spare: &mut Tokens) {
        self.cut_whole(text, true, spare);
        let mut spaced = Tokens::default();
        spaced.bytes.push(b' ');
        for word in spare.iter() {
            let start = spaced.bytes.len();
            spaced.bytes.extend_from_slice(word);
            spaced.spans.push([start as u32, spaced.bytes.len() as u32]);
            spaced.bytes.push(b' ');
        }
        character_ngrams(&spaced.bytes, &spaced.spans, sizes, &mut spare.spans);
        tokens.bytes.truncate(tokens.bytes.len() - ROOM);
        for &[start, end] in &spare.spans {
            let from = tokens.bytes.len();
            tokens.bytes.push(MARK);
            tokens
                .bytes
                .extend_from_slice(&spaced.bytes[start as usize..end as usize]);
            tokens.spans.push([from as u32, tokens.bytes.len() as u32]);
        }
        tokens.bytes.extend_from_slice(&[0; ROOM]);
    }

    fn cut(&self, text: &[u8], tokens: &mut Tokens) -> usize {
        self.cut_whole(text, self.settings.characters.is_some(), tokens)
    }

    /// With `whole`, scripts without spaces are not cut.
    fn cut_whole(&self, text: &[u8], whole: bool, tokens: &mut Tokens) -> usize {
        let (text, replaced) = self.normal(text);
        let text = &text[..text.len().min(LONGEST)];
        replaced
            + match &self.table {
                None => ready(text, tokens),
                Some(table) => scan::cut(text, table, whole, tokens),
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
                tokens.spans.push([start as u32, tokens.bytes.len() as u32]);
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
fn word_ngrams(words: &[Span], (low, high): (usize, usize), ngrams: &mut Vec<Span>) {
    ngrams.clear();
    for size in low..=high.min(words.len()) {
        ngrams.extend(words.windows(size).map(|some| [some[0][0], some[size - 1][1]]));
    }
}

/// N-grams inside each word and the spaces around it, as scikit-learn's `char_wb` takes them: a word that is
/// shorter than the size counts whole, once.
fn character_ngrams(bytes: &[u8], words: &[Span], (low, high): (usize, usize), ngrams: &mut Vec<Span>) {
    ngrams.clear();
    let mut cuts = Vec::new();
    for &[start, end] in words {
        cuts.clear();
        let first = |at: &u32| bytes[*at as usize] & 0xC0 != 0x80;
        cuts.extend((start - 1..end + 1).filter(first).chain([end + 1]));
        for size in low..=high {
            match cuts.len().checked_sub(size + 1) {
                Some(last) if last > 0 => ngrams.extend((0..=last).map(|at| [cuts[at], cuts[at + size]])),
                _ => {
                    ngrams.push([start - 1, end + 1]);
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

/// Tokens between zero bytes; what begins with a one only tells texts apart.
fn ready(text: &[u8], tokens: &mut Tokens) -> usize {
    tokens.clear();
    let (text, replaced) = mended(text);
    tokens.bytes.extend_from_slice(text.as_bytes());
    let mut start = 0;
    for token in text.split('\0') {
        let end = start + token.len();
        if !token.is_empty() && !token.starts_with('\x01') {
            tokens.spans.push([start as u32, end as u32]);
        }
        start = end + 1;
    }
    tokens.bytes.extend_from_slice(&[0; ROOM]);
    replaced
}
