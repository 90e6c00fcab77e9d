//! A walk over a text that cuts it into words: by blocks where that goes, by characters where it must.

use multiversion::multiversion;

use crate::block::{self, RUN, SIZE, Window};
use crate::tokens::{ROOM, Tokens};
use crate::unicode::{Entry, Kind, Table};

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
    let error = str::from_utf8(rest).err();
    error.and_then(|error| error.error_len()).unwrap_or(rest.len())
}

/// How many bytes the character that begins with this one takes.
pub fn width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// A text, with zeros around it if it is short, and how many bytes are before it.
#[derive(Clone, Copy)]
pub struct Around<'a>(pub &'a [u8], pub usize);

impl Around<'_> {
    /// The block at a place of the text with its neighbours; before and after the text there are zeros, which are spaces.
    #[inline(always)]
    pub fn window<'b>(self, text: &[u8], at: usize, padded: &'b mut Window) -> &'b Window
    where
        Self: 'b,
    {
        let Self(bytes, skip) = self;
        if let Some(window) = (at + skip)
            .checked_sub(1)
            .and_then(|before| bytes[before..].first_chunk())
        {
            return window;
        }
        let skip = usize::from(at == 0);
        let rest = &text[at + skip - 1..];
        let length = rest.len().min(SIZE + 2 - skip);
        padded[skip..][..length].copy_from_slice(&rest[..length]);
        padded
    }
}

/// The state of the walk.
pub struct Scan<'a> {
    pub text: &'a [u8],
    pub around: Around<'a>,
    table: &'a Table,
    /// Both parts are longer than what they hold so far: `end` bytes and `count` spans.
    pub tokens: &'a mut Tokens,
    pub end: usize,
    pub count: usize,
    /// Runs of ideographs stay whole.
    whole: bool,
    /// The next byte to read.
    pub at: usize,
    /// The kind of the last character that stayed.
    pub last: Kind,
    /// Where the word began that goes on here.
    pub open: Option<usize>,
    /// The token that the run of ideographs that goes on here began with.
    pub run: Option<usize>,
    replaced: usize,
}

/// Texts up to this length are copied, so that every block of them has its neighbours.
const SHORT: usize = 448;

/// Tokens of a text into `tokens`; returns how many stretches were invalid.
pub fn cut(text: &[u8], table: &Table, whole: bool, tokens: &mut Tokens) -> usize {
    if text.len() > SHORT {
        return cut_within(text, Around(text, 0), table, whole, tokens);
    }
    let mut copy = [0; SHORT + SIZE + 2];
    copy[1..][..text.len()].copy_from_slice(text);
    cut_within(text, Around(&copy, 1), table, whole, tokens)
}

fn cut_within(text: &[u8], around: Around, table: &Table, whole: bool, tokens: &mut Tokens) -> usize {
    let mut scan = Scan {
        text,
        around,
        table,
        tokens,
        end: 0,
        count: 0,
        whole,
        at: 0,
        last: Kind::Space,
        open: None,
        run: None,
        replaced: 0,
    };
    scan.room(text.len() + 4 * SIZE);
    scan.slots(text.len() / 4 + 2 * SIZE);
    if table.python() {
        walk::<false>(&mut scan);
    } else {
        walk::<true>(&mut scan);
    }
    let Scan {
        end, count, replaced, ..
    } = scan;
    tokens.bytes.truncate(end);
    tokens.bytes.extend_from_slice(&[0; ROOM]);
    tokens.spans.truncate(count);
    replaced
}

#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn walk<const WORDS: bool>(scan: &mut Scan) {
    // Where blocks do not get far, the script is another one, and longer stretches go by characters.
    let mut far = true;
    while let Some(&byte) = scan.text.get(scan.at) {
        // What begins with other bytes is never in a block.
        if byte < 0xE0 || byte == 0xE2 {
            let start = scan.at;
            let wide = scan.table.wide.filter(|_| far);
            if !wide.is_some_and(|able| able.walk::<WORDS>(scan)) {
                scan.block::<WORDS>();
            }
            let used = scan.at - start;
            far = used >= SIZE / 4;
            if used >= SIZE {
                continue;
            }
        }
        scan.characters::<WORDS>(scan.at + if far { 1 } else { SIZE });
    }
    scan.close::<WORDS>();
}

impl<'a> Scan<'a> {
    /// Make sure of room for so many bytes more.
    #[inline(always)]
    pub fn room(&mut self, more: usize) {
        if self.tokens.bytes.len() < self.end + more {
            grow(&mut self.tokens.bytes, self.end + more);
        }
    }

    #[inline(always)]
    pub fn slots(&mut self, more: usize) {
        if self.tokens.spans.len() < self.count + more {
            grow(&mut self.tokens.spans, self.count + more);
        }
    }

    #[inline(always)]
    fn put(&mut self, entry: &Entry) {
        self.room(entry.bytes.len());
        self.tokens.bytes[self.end..][..entry.bytes.len()].copy_from_slice(&entry.bytes);
        self.end += usize::from(entry.length);
    }

    #[inline(always)]
    fn push(&mut self, start: usize) {
        self.slots(1);
        self.tokens.spans[self.count] = [start as u32, self.end as u32];
        self.count += 1;
    }

    /// Read up to 64 bytes at once; returns how many.
    #[inline(always)]
    fn block<const WORDS: bool>(&mut self) -> usize {
        let mut padded = [0; SIZE + 2];
        let window = self.around.window(self.text, self.at, &mut padded);
        self.room(2 * SIZE);
        let Some(lower) = self.tokens.bytes[self.end..].first_chunk_mut() else {
            return 0;
        };
        let block = block::read::<WORDS>(window, lower);
        let (mut used, mut word) = (block.used, block.word);
        let mut sign = 0;
        if WORDS {
            (used, word) = self.inside(window, &block);
            sign = block.sign & below(used);
        }
        if used == 0 {
            return 0;
        }
        self.close_run();
        self.slots(2 * SIZE);
        word &= below(used);
        let from_before = word << 1 | u64::from(self.open.is_some());
        let mut starts = word & !from_before;
        let mut ends = !word & from_before & below(used);
        if !WORDS {
            // Words of one character do not count.
            let single = starts & ends >> 1;
            let pair = starts & block.pair & ends >> 2;
            starts &= !(single | pair);
            ends &= !(single << 1 | pair << 2);
            if let Some(open) = self.open
                && ends != 0
                && self.end + ends.trailing_zeros() as usize - open <= width(self.tokens.bytes[open])
            {
                ends &= ends - 1;
                self.open = None;
            }
        }
        self.emit(starts | sign, ends | sign << 1);
        let goes_on = word >> (used - 1) & 1 != 0;
        self.open = match starts.leading_zeros() {
            _ if !goes_on => None,
            64 => self.open,
            clear => Some(self.end + 63 - clear as usize),
        };
        self.last = match window[used] {
            _ if !goes_on => Kind::Space,
            b'0'..=b'9' => Kind::Digit,
            _ => Kind::Letter,
        };
        let used = used.min(self.text.len() - self.at);
        self.at += used;
        self.end += used;
        used
    }

    /// How much of a block can be used, and its words with the apostrophes, points and commas inside them.
    #[inline(always)]
    fn inside(&self, window: &Window, block: &block::Block) -> (usize, u64) {
        let block::Block {
            mut used,
            mut word,
            apostrophe,
            curly,
            point,
            sign,
            ..
        } = *block;
        // The last byte has to wait if the next one decides.
        let waits = apostrophe | point | if used == SIZE { sign } else { 0 };
        let last = used.wrapping_sub(1);
        if used > 0 && waits >> last & 1 != 0 {
            used = last;
        }
        let between = word << 1 | u64::from(self.open.is_some());
        if (apostrophe | point) & between & word >> 1 != 0 {
            let digit = block::digits(window);
            let letter = word & !digit;
            let (after_letter, after_digit) = (self.last == Kind::Letter, self.last == Kind::Digit);
            word |= apostrophe & (letter << 1 | u64::from(after_letter)) & letter >> 1;
            word |= point & (digit << 1 | u64::from(after_digit)) & digit >> 1;
        }
        if curly & below(used) != 0 {
            let digit = block::digits(window);
            let letter = block.word & !digit;
            let after_letter = self.last == Kind::Letter;
            let inside = curly & (letter << 1 | u64::from(after_letter)) & letter >> 3;
            word |= inside | inside << 1 | inside << 2;
            let late = curly & !(below(used) >> 3);
            if late != 0 {
                used = used.min(late.trailing_zeros() as usize);
            }
        }
        (used, word)
    }

    /// Push the spans between starts and ends, the first of which may have begun before the block.
    #[inline(always)]
    fn emit(&mut self, mut starts: u64, mut ends: u64) {
        let base = self.end as u32;
        let mut start = match self.open {
            Some(open) => open as u32,
            None => next(&mut starts, base),
        };
        let count = ends.count_ones() as usize;
        let Some(slots) = self.tokens.spans[self.count..].first_chunk_mut::<{ 2 * SIZE }>() else {
            return;
        };
        // Eight at a time, more than there are: the processor foresees that better than their number.
        for eight in slots.as_chunks_mut::<8>().0.iter_mut().take(count.div_ceil(8)) {
            for slot in eight {
                *slot = [start, next(&mut ends, base)];
                start = next(&mut starts, base);
            }
        }
        self.count += count;
    }

    /// Are the next few bytes all ASCII?
    #[inline(always)]
    fn plain(&self) -> bool {
        let some = self.text[self.at..].first_chunk::<8>();
        some.is_some_and(|bytes| bytes.is_ascii())
    }

    /// Read characters one by one up to a place, or until blocks are better.
    #[inline(always)]
    fn characters<const WORDS: bool>(&mut self, stop: usize) {
        while self.at < stop.min(self.text.len()) {
            let maybe = matches!(self.text[self.at], 0xE3..=0xED);
            let wide = self
                .table
                .wide
                .filter(|_| WORDS && maybe && !self.whole && self.run.is_none());
            if wide.is_some_and(|able| able.walk_runs(self)) {
                return;
            }
            if !(maybe && self.ideographs::<WORDS>()) {
                self.character::<WORDS>();
            }
            if self.plain() {
                return;
            }
        }
    }

    /// Some of the usual Han, kana and Hangul, which need no table; says whether there were any.
    #[inline(always)]
    fn ideographs<const WORDS: bool>(&mut self) -> bool {
        let mut padded = [0; SIZE + 2];
        let window = self.around.window(self.text, self.at, &mut padded);
        let run = block::ideographs(window);
        if run == 0 {
            return false;
        }
        self.room(SIZE);
        self.tokens.bytes[self.end..][..SIZE / 2].copy_from_slice(&window[1..=SIZE / 2]);
        if !WORDS {
            self.begin::<WORDS>();
            self.last = Kind::Letter;
        } else if self.run.is_none() {
            self.close::<WORDS>();
            self.run = Some(self.count);
        }
        let start = self.end as u32;
        let length = 3 * run;
        self.at += length;
        self.end += length;
        if WORDS {
            self.last = Kind::Ideograph;
            self.slots(2 * RUN);
            self.row(start, run, 3);
        }
        let gap = window[1 + length..].first_chunk().and_then(gap);
        // Letters of ASCII go on with a word of scikit-learn's.
        let Some(gap) = gap.filter(|&gap| WORDS || gap > 0) else {
            return true;
        };
        self.at += gap;
        self.last = Kind::Space;
        // Pairs of characters of three bytes each need no look at the single ones.
        if WORDS && !self.whole && self.run == Some(self.count - run) {
            self.run = None;
            self.row(start, run - 1, 6);
        } else {
            self.close::<WORDS>();
        }
        true
    }

    /// Push so many spans of this length, three bytes apart; more are written than count.
    #[inline(always)]
    fn row(&mut self, start: u32, count: usize, length: u32) {
        if let Some(slots) = self.tokens.spans[self.count..].first_chunk_mut::<RUN>() {
            for (slot, k) in slots.iter_mut().zip(0..) {
                *slot = [start + 3 * k, start + 3 * k + length];
            }
            self.count += count;
        }
    }

    #[inline(always)]
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
                    self.run = Some(self.count);
                }
                let start = self.end;
                self.put(entry);
                self.push(start);
            }
            Kind::Mark | Kind::Joiner => {
                if matches!(self.last, Kind::Letter | Kind::Digit | Kind::Ideograph) {
                    self.put(entry);
                    if self.run.is_some() {
                        self.tokens.spans[self.count - 1][1] = self.end as u32;
                    }
                }
                return;
            }
            Kind::Sign | Kind::Picture | Kind::Flag => {
                self.close::<WORDS>();
                let start = self.end;
                self.put(entry);
                if entry.kind != Kind::Sign {
                    self.picture(entry.kind);
                }
                self.push(start);
            }
            Kind::Apostrophe => self.joint::<WORDS>(entry, Kind::Letter),
            Kind::Point => self.joint::<WORDS>(entry, Kind::Digit),
            Kind::Sigma => {
                self.begin::<WORDS>();
                let mut sigma = *entry;
                if self.ends_word(place) {
                    sigma.bytes[..2].copy_from_slice("ς".as_bytes());
                }
                self.put(&sigma);
            }
            Kind::DottedI => {
                self.begin::<WORDS>();
                self.put(entry);
                // The dot is no letter.
                self.end -= 2;
                self.close::<WORDS>();
            }
        }
        self.last = entry.kind;
    }

    /// A word goes on or begins here.
    #[inline(always)]
    fn begin<const WORDS: bool>(&mut self) {
        if self.open.is_none() {
            self.close_run();
            self.open = Some(self.end);
        }
    }

    /// Whatever goes on ends here.
    #[inline(always)]
    fn close<const WORDS: bool>(&mut self) {
        if let Some(start) = self.open.take()
            && (WORDS || self.end - start > width(self.tokens.bytes[start]))
        {
            self.push(start);
        }
        self.close_run();
    }

    /// A word that goes on ends here.
    pub fn close_word(&mut self) {
        self.close::<true>();
    }

    /// Pairs of neighbours follow the single ideographs.
    #[inline(always)]
    fn close_run(&mut self) {
        let Some(first) = self.run.take() else {
            return;
        };
        let pairs = self.count - first - 1;
        if self.whole {
            self.tokens.spans[first][1] = self.tokens.spans[first + pairs][1];
            self.count = first + 1;
            return;
        }
        self.slots(pairs);
        let (singles, after) = self.tokens.spans[first..].split_at_mut(pairs + 1);
        for (pair, two) in after.iter_mut().zip(singles.windows(2)) {
            *pair = [two[0][0], two[1][1]];
        }
        self.count += pairs;
    }

    /// An apostrophe or a point belongs to the word if it is between two of this kind.
    fn joint<const WORDS: bool>(&mut self, entry: &Entry, between: Kind) {
        if self.last == between && self.after_marks().is_some_and(|(next, _)| next.kind == between) {
            self.put(entry);
        } else {
            self.close::<WORDS>();
        }
    }

    /// The character at a place with the number of its bytes; what is invalid is a space.
    fn look(&self, at: usize) -> Option<(&'a Entry, usize)> {
        self.text.get(at)?;
        let (code, bytes) = decode(self.text, at).unwrap_or_else(|bytes| (0xFFFD, bytes));
        Some((self.table.entry(code), bytes))
    }

    /// The next character that is more than a mark on nothing, with the place behind it.
    fn after_marks(&self) -> Option<(&'a Entry, usize)> {
        let mut at = self.at;
        loop {
            let (entry, bytes) = self.look(at)?;
            at += bytes;
            if !matches!(entry.kind, Kind::Mark | Kind::Joiner | Kind::Nothing) {
                return Some((entry, at));
            }
        }
    }

    /// The rest of a picture: others joined to it, or the second half of a flag.
    #[inline(never)]
    fn picture(&mut self, kind: Kind) {
        if kind == Kind::Flag {
            let half = self.after_marks().filter(|(next, _)| next.kind == Kind::Flag);
            if let Some((next, at)) = half {
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
                (Kind::Picture, Some(joiner)) => {
                    self.put(joiner);
                    self.put(entry);
                    self.at = at;
                    joined = None;
                }
                _ => break,
            }
        }
    }

    /// Does a sigma here end its word? As Python sees it: a cased letter before it and none behind, whatever
    /// is ignorable in between.
    #[cold]
    fn ends_word(&self, at: usize) -> bool {
        let solid = |c: &char| !self.table.ignorable(*c);
        let cased = |c: Option<char>| c.is_some_and(|c| self.table.cased(c));
        cased(backwards(&self.text[..at]).find(solid)) && !cased(forwards(&self.text[at + 2..]).find(solid))
    }
}

/// How many bytes part a run of ideographs here from what follows: none of ASCII, which is read anew, and all
/// of a usual comma, stop, colon, bracket or quote. None where marks or more ideographs may follow.
#[inline(always)]
fn gap(next: &[u8; 3]) -> Option<usize> {
    match next {
        [0..0x80, ..] => Some(0),
        [0xEF, 0xBC, 0x8C | 0x9A | 0x9B | 0x88 | 0x89]
        | [0xE3, 0x80, 0x81 | 0x82 | 0x8A | 0x8B]
        | [0xE2, 0x80, 0x9C | 0x9D] => Some(3),
        _ => None,
    }
}

#[cold]
fn grow<T: Clone + Default>(list: &mut Vec<T>, least: usize) {
    list.resize(least.max(list.len() + list.len() / 2), T::default());
}

/// A number with that many low bits set.
#[inline(always)]
pub fn below(bits: usize) -> u64 {
    if bits < 64 { (1 << bits) - 1 } else { u64::MAX }
}

/// The place of the lowest bit, which is then cleared.
#[inline(always)]
fn next(bits: &mut u64, base: u32) -> u32 {
    let place = base + bits.trailing_zeros();
    *bits &= bits.wrapping_sub(1);
    place
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
        let first = |back: &usize| text[end - back] & 0xC0 != 0x80;
        let width = (1..=end.min(4)).find(first).unwrap_or(1);
        let start = end.checked_sub(width)?;
        let character = decode(text, start).ok().filter(|&(_, bytes)| bytes == width);
        end = start;
        character.map_or(Some(char::REPLACEMENT_CHARACTER), |(code, _)| {
            char::from_u32(code)
        })
    })
}
