//! What a character is to the analyser and what becomes of it: pages of 256 characters, each made when the
//! first of its characters turns up, so that starting costs nothing.

use std::iter::once;
use std::sync::OnceLock;

use caseless::Caseless;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use crate::wide::{Able, able};

/// What a character does to the word before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Ends a word and is dropped.
    Space,
    /// Is dropped, as if it were not there: soft hyphens, directions, variants of a picture.
    Nothing,
    Letter,
    Digit,
    /// A character of a script without spaces, or with few: words of one and two characters.
    Ideograph,
    /// Belongs to the character before it.
    Mark,
    /// Joins pictures; a mark on letters.
    Joiner,
    /// A token of its own.
    Sign,
    /// The same, and others may be joined to it.
    Picture,
    /// Half of a flag.
    Flag,
    /// Inside a word between two letters.
    Apostrophe,
    /// Inside a number between two digits.
    Point,
    /// The capital sigma, whose lower case depends on its place.
    Sigma,
    /// The dotted capital I: in lower case a letter and a dot that is none.
    DottedI,
}

/// The bytes a character is written as, and its kind.
#[derive(Clone, Copy)]
pub struct Entry {
    pub bytes: [u8; 6],
    pub length: u8,
    pub kind: Kind,
}

pub type Page = [Entry; 256];

/// Whose words: those of Unicode, or those of Python's `str.lower` and `\w` with this Unicode version.
#[derive(Clone, PartialEq, Eq)]
pub enum Rules {
    Words,
    Python(String),
}

/// The characters under one set of rules.
pub struct Table {
    rules: Rules,
    pages: Vec<OnceLock<Box<Page>>>,
    known: OnceLock<Known>,
    /// Whether texts are read with wide registers.
    pub wide: Option<Able>,
}

/// The sets of characters that the rules speak of.
struct Known {
    letters: ClassUnicode,
    connectors: ClassUnicode,
    numbers: ClassUnicode,
    marks: ClassUnicode,
    formats: ClassUnicode,
    currencies: ClassUnicode,
    pictures: ClassUnicode,
    cased: ClassUnicode,
    ignorable: ClassUnicode,
    assigned: ClassUnicode,
}

/// Han and kana, all of whose places count, given out or not.
const IDEOGRAPHS: [u32; 24] = [
    0x3005, 0x3007, 0x3041, 0x3096, 0x309D, 0x309F, 0x30A1, 0x30FA, 0x30FC, 0x30FF, 0x31F0, 0x31FF, 0x3400,
    0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFAFF, 0xFF66, 0xFF9F, 0x1B000, 0x1B16F, 0x20000, 0x3FFFD,
];

/// Thai and Lao, Myanmar, Khmer, Hangul: the letters here are like ideographs.
const UNSPACED: [u32; 20] = [
    0x0E00, 0x0EFF, 0x1000, 0x109F, 0x1100, 0x115F, 0x1780, 0x17FF, 0x3130, 0x318F, 0xA960, 0xA97F, 0xA9E0,
    0xA9FF, 0xAA60, 0xAA7F, 0xAC00, 0xD7A3, 0xFFA0, 0xFFDC,
];

/// Vowels and finals of Hangul syllables written in parts.
const JAMO: [u32; 4] = [0x1160, 0x11FF, 0xD7B0, 0xD7FF];

/// Variation selectors and the colours of skins.
const VARIANTS: [u32; 10] = [
    0x180B, 0x180D, 0x180F, 0x180F, 0xFE00, 0xFE0F, 0x1F3FB, 0x1F3FF, 0xE0100, 0xE01EF,
];

/// Is the code between two neighbours of the list, firsts and lasts of ranges?
fn within(bounds: &[u32], code: u32) -> bool {
    let ranges = bounds.as_chunks().0;
    ranges.iter().any(|&[first, last]| (first..=last).contains(&code))
}

/// The characters with a property; none if this version of the tables does not know it.
fn property(name: &str) -> Option<ClassUnicode> {
    match regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?.into_kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class),
        _ => None,
    }
}

fn has(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= c);
    after > 0 && c <= ranges[after - 1].end()
}

impl Known {
    fn new(rules: &Rules) -> Self {
        let class = |name| property(name).unwrap_or_else(ClassUnicode::empty);
        // "15.1.0" is called 15.1; a version newer than the tables knows all that they know.
        let assigned = match rules {
            Rules::Words => None,
            Rules::Python(version) => {
                let short = version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
                property(&format!("age={short}"))
            }
        };
        let mut ignorable = class("Case_Ignorable");
        // Unicode 16 moved one mark among those that take room.
        if matches!(rules, Rules::Python(version) if version.as_str() < "16") {
            ignorable.push(ClassUnicodeRange::new('\u{1171E}', '\u{1171E}'));
        }
        Self {
            letters: class("L"),
            connectors: class("Pc"),
            numbers: class("N"),
            marks: class("M"),
            formats: class("Cf"),
            currencies: class("Sc"),
            pictures: class("So"),
            cased: class("Cased"),
            ignorable,
            assigned: assigned.unwrap_or_else(|| class("Assigned")),
        }
    }

    fn kind(&self, c: char) -> Kind {
        match (c, c as u32) {
            ('\u{FFFD}' | '\u{200B}', _) => Kind::Space,
            ('\u{200C}', _) => Kind::Mark,
            ('\u{200D}', _) => Kind::Joiner,
            ('\u{1F1E6}'..='\u{1F1FF}', _) => Kind::Flag,
            ('\'' | '’', _) => Kind::Apostrophe,
            ('.' | ',', _) => Kind::Point,
            ('!' | '?' | '%' | '！' | '？' | '％' | '؟' | '٪', _) => Kind::Sign,
            (_, code) if within(&IDEOGRAPHS, code) => Kind::Ideograph,
            (_, code) if within(&VARIANTS, code) => Kind::Nothing,
            (_, code) if within(&JAMO, code) => Kind::Mark,
            _ if has(&self.formats, c) => Kind::Nothing,
            _ if has(&self.marks, c) => Kind::Mark,
            (_, code) if has(&self.letters, c) && within(&UNSPACED, code) => Kind::Ideograph,
            _ if has(&self.letters, c) || has(&self.connectors, c) => Kind::Letter,
            _ if has(&self.numbers, c) => Kind::Digit,
            _ if has(&self.currencies, c) => Kind::Sign,
            _ if has(&self.pictures, c) => Kind::Picture,
            _ => Kind::Space,
        }
    }

    /// Kind and lower case as Python has them; a character newer than its tables is nothing to it.
    fn lower(&self, c: char) -> (Kind, String) {
        let word = |c| c == '_' || has(&self.letters, c) || has(&self.numbers, c);
        let kind = match c {
            'Σ' => Kind::Sigma,
            'İ' => Kind::DottedI,
            _ if has(&self.assigned, c) && word(c) => Kind::Letter,
            _ => Kind::Space,
        };
        match kind {
            Kind::Space => (kind, c.into()),
            _ => (kind, c.to_lowercase().collect()),
        }
    }

    fn entry(&self, code: u32, rules: &Rules) -> Entry {
        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let (kind, text) = match rules {
            Rules::Words => {
                let text: String = once(c).default_case_fold().collect();
                (self.kind(text.chars().next().unwrap_or(c)), text)
            }
            Rules::Python(_) => self.lower(c),
        };
        let mut entry = Entry {
            bytes: [0; 6],
            length: text.len().min(6) as u8,
            kind,
        };
        entry
            .bytes
            .iter_mut()
            .zip(text.bytes())
            .for_each(|(to, from)| *to = from);
        entry
    }
}

impl Table {
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            pages: (0..0x1100).map(|_| OnceLock::new()).collect(),
            known: OnceLock::new(),
            wide: able(),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| Known::new(&self.rules))
    }

    /// Do the rules of Python hold?
    pub fn python(&self) -> bool {
        matches!(self.rules, Rules::Python(_))
    }

    #[inline]
    pub fn entry(&self, code: u32) -> &Entry {
        let code = code as usize;
        let page = self.pages[code >> 8].get_or_init(|| self.page(code >> 8));
        &page[code & 255]
    }

    #[cold]
    fn page(&self, number: usize) -> Box<Page> {
        let known = self.known();
        Box::new(std::array::from_fn(|at| {
            known.entry((number << 8 | at) as u32, &self.rules)
        }))
    }

    /// Does Python look past this character when it asks whether a sigma ends its word?
    pub fn ignorable(&self, c: char) -> bool {
        let known = self.known();
        has(&known.ignorable, c) && has(&known.assigned, c)
    }

    pub fn cased(&self, c: char) -> bool {
        let known = self.known();
        has(&known.cased, c) && has(&known.assigned, c)
    }
}
