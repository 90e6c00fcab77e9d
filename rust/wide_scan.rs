//! The walk over a text with registers of 64 bytes, where the processor has them: the blocks of `scan` and `block` in a
//! fraction of the instructions. What it leaves is theirs: other characters, and the ends of texts.
//!
//! The `unsafe` calls are of functions that need such a processor, of which `Able` says that there is one.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use bytemuck::{cast, cast_slice_mut};

use crate::block::{SIZE, Window};
use crate::scan::{Around, Scan, below, width};
use crate::tokens::Span;
use crate::unicode::Kind;
use crate::wide::Able;

impl Able {
    /// Reads on as far as it gets with blocks; false if that is nowhere.
    pub fn walk<const WORDS: bool>(self, scan: &mut Scan) -> bool {
        let start = scan.at;
        unsafe { blocks::<WORDS>(scan) };
        scan.at > start
    }

    /// Reads on as long as there are whole runs of ideographs and what parts them; false if that is nowhere.
    pub fn walk_runs(self, scan: &mut Scan) -> bool {
        let start = scan.at;
        unsafe { runs(scan) };
        scan.at > start
    }
}

/// What a character of ASCII is: bits of `CLASSES`.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const APOSTROPHE: u8 = 4;
const POINT: u8 = 8;
const SIGN: u8 = 16;

static CLASSES: [[u8; SIZE]; 2] = {
    let mut classes = [[0; SIZE]; 2];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize / SIZE][byte as usize % SIZE] = match byte {
            b'0'..=b'9' => WORD | DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => WORD,
            b'\'' => APOSTROPHE,
            b'.' | b',' => POINT,
            b'!' | b'?' | b'$' | b'%' => SIGN,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

static LOWER: [[u8; SIZE]; 2] = {
    let mut lower = [[0; SIZE]; 2];
    let mut byte = 0_u8;
    while byte < 128 {
        lower[byte as usize / SIZE][byte as usize % SIZE] = byte.to_ascii_lowercase();
        byte += 1;
    }
    lower
};

/// Numbers from this one on, each twice.
const fn twice(first: u8) -> [u8; SIZE] {
    let mut numbers = [0; SIZE];
    let mut place = 0;
    while place < SIZE {
        numbers[place] = first + place as u8 / 2;
        place += 1;
    }
    numbers
}

/// A block as `block::Block` has it, and its lower case.
struct Block {
    lower: __m512i,
    used: usize,
    word: u64,
    pair: u64,
    curly: u64,
}

/// So many places at the most are written for a block, more than count: each byte may end a token and start another.
const PLACES: usize = 2 * SIZE + 32;

#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn blocks<const WORDS: bool>(scan: &mut Scan) {
    if scan.run.is_some() {
        return;
    }
    scan.room(2 * SIZE);
    scan.slots(PLACES);
    let (text, around) = (scan.text, scan.around);
    let (mut at, mut end) = (scan.at, scan.end);
    let out = &mut *scan.tokens.bytes;
    // Starts and ends alternate, so they are one list of places; a word that goes on has only its start there.
    let places: &mut [u32] = cast_slice_mut(&mut scan.tokens.spans);
    let mut count = 2 * scan.count;
    if let Some(open) = scan.open {
        places[count] = open as u32;
        count += 1;
    }
    let mut last = scan.last;
    let (classes, small) = (CLASSES.map(cast), LOWER.map(cast));
    while at < text.len() {
        let mut padded = [0; SIZE + 2];
        let window = around.window(text, at, &mut padded);
        let Some(lower) = out.get_mut(end..).and_then(<[u8]>::first_chunk_mut::<SIZE>) else {
            break;
        };
        let v = part(window, 1);
        let high = _mm512_movepi8_mask(v);
        let class = _mm512_permutex2var_epi8(classes[0], v, classes[1]);
        let of = |kind: u8| _mm512_mask_test_epi8_mask(!high, class, _mm512_set1_epi8(kind as i8));
        let folded = _mm512_permutex2var_epi8(small[0], v, small[1]);
        let mut block = Block {
            lower: _mm512_mask_mov_epi8(folded, high, v),
            used: SIZE,
            word: of(WORD),
            pair: 0,
            curly: 0,
        };
        if high != 0 {
            beyond(window, v, high, &mut block);
        }
        let Block {
            mut used, mut word, ..
        } = block;
        let (mut digit, mut sign) = (0, 0);
        if WORDS {
            (digit, sign) = (of(DIGIT), of(SIGN));
            let (apostrophe, point) = (of(APOSTROPHE), of(POINT));
            // The next byte says whether a mark at the end is inside a word; if it does not, the mark has to wait.
            let next = window[used + 1];
            let class = CLASSES.as_flattened().get(usize::from(next)).copied();
            if class.is_none() && used > 0 {
                used -= ((apostrophe | point) >> (used - 1) & 1) as usize;
            }
            let next = |kind| u64::from(class.is_some_and(|class| class & (WORD | DIGIT) == kind)) << 63;
            let letter = word & !digit;
            let (after_letter, after_digit) =
                (u64::from(last == Kind::Letter), u64::from(last == Kind::Digit));
            word |= apostrophe & (letter << 1 | after_letter) & (letter >> 1 | next(WORD));
            word |= point & (digit << 1 | after_digit) & (digit >> 1 | next(WORD | DIGIT));
            if block.curly & below(used) != 0 {
                let inside = block.curly & (letter << 1 | after_letter) & letter >> 3;
                word |= inside | inside << 1 | inside << 2;
                let late = block.curly & !(below(used) >> 3);
                if late != 0 {
                    used = used.min(late.trailing_zeros() as usize);
                }
            }
        }
        if used == 0 {
            break;
        }
        *lower = cast(block.lower);
        let valid = below(used);
        word &= valid;
        sign &= valid;
        let from_before = word << 1 | count as u64 & 1;
        let mut starts = word & !from_before | sign;
        let mut ends = !word & from_before & valid | sign << 1;
        if !WORDS {
            // Words of one character do not count.
            let single = starts & ends >> 1;
            let pair = starts & block.pair & ends >> 2;
            starts &= !(single | pair);
            ends &= !(single << 1 | pair << 2);
            if count % 2 == 1 && ends != 0 {
                let open = places[count - 1] as usize;
                if end + ends.trailing_zeros() as usize - open <= width(out[open]) {
                    ends &= ends - 1;
                    count -= 1;
                }
            }
        }
        let Some(room) = places
            .get_mut(count..)
            .and_then(<[u32]>::first_chunk_mut::<PLACES>)
        else {
            break;
        };
        let base = _mm512_set1_epi32(end as i32);
        let first = put(ends as u32, starts as u32, const { twice(0) }, base, room);
        let rest = &mut room[first..];
        let second = put(
            (ends >> 32) as u32,
            (starts >> 32) as u32,
            const { twice(32) },
            base,
            rest,
        );
        count += first + second;
        if sign >> 63 != 0 {
            places[count] = (end + SIZE) as u32;
            count += 1;
        }
        last = match (word >> (used - 1) & 1, digit >> (used - 1) & 1) {
            (0, _) => Kind::Space,
            (_, 0) => Kind::Letter,
            _ => Kind::Digit,
        };
        let used = used.min(text.len() - at);
        at += used;
        end += used;
    }
    scan.open = (count % 2 == 1).then(|| places[count - 1] as usize);
    (scan.at, scan.end, scan.count, scan.last) = (at, end, count / 2, last);
}

/// Writes down the places of ends and starts, in their order, each plus `base`; says how many.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn put(ends: u32, starts: u32, numbers: [u8; SIZE], base: __m512i, room: &mut [u32]) -> usize {
    let both =
        _pdep_u64(ends.into(), 0x5555_5555_5555_5555) | _pdep_u64(starts.into(), 0xAAAA_AAAA_AAAA_AAAA);
    let count = both.count_ones() as usize;
    let numbers = _mm512_maskz_compress_epi8(both, cast(numbers));
    let parts = [
        _mm512_extracti32x4_epi32::<0>(numbers),
        _mm512_extracti32x4_epi32::<1>(numbers),
        _mm512_extracti32x4_epi32::<2>(numbers),
        _mm512_extracti32x4_epi32::<3>(numbers),
    ];
    // Two parts always: the processor foresees that better than their number.
    let needed = if count > 32 { 4 } else { 2 };
    for (part, room) in parts.iter().take(needed).zip(room.as_chunks_mut::<16>().0) {
        *room = cast(_mm512_add_epi32(_mm512_cvtepu8_epi32(*part), base));
    }
    count
}

#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn part(window: &Window, from: usize) -> __m512i {
    let bytes = window.get(from..).and_then(|rest| rest.first_chunk::<SIZE>());
    cast(bytes.copied().unwrap_or([0; SIZE]))
}

/// Letters beyond ASCII, up to the first character that has to be read by itself: see `block::read`.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn beyond(window: &Window, v: __m512i, high: u64, block: &mut Block) {
    let (before, after) = (part(window, 0), part(window, 2));
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let is = |v, byte| _mm512_cmpeq_epi8_mask(v, all(byte));
    let within = |v, low: u8, last: u8| _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, all(low)), all(last - low));
    let at = |byte| is(v, byte);
    // Lower case of À-Þ, and of Ѐ-Я, whose first byte may change too.
    let (old, latin) = (is(before, 0xD0), is(before, 0xC3));
    let row = _mm512_and_si512(v, all(0xF0));
    let lead = at(0xD0) & _mm512_testn_epi8_mask(after, all(0x10));
    let steps = [
        (is(row, 0x80) & old, 0x10),
        (
            is(row, 0x90) & old | latin & within(v, 0x80, 0x9E) & !at(0x97),
            0x20,
        ),
        (is(row, 0xA0) & old, 0xE0),
        (lead, 1),
    ];
    for (which, step) in steps {
        block.lower = _mm512_mask_add_epi8(block.lower, which, block.lower, all(step));
    }
    let rest = within(v, 0x80, 0xBF);
    let letters = within(v, 0xD0, 0xD1) | at(0xC3);
    let (two, three) = (letters | at(0xC2), at(0xE2));
    let expected = two << 1 | three << 1 | three << 2;
    let mut strange = high & !(rest | two | three) | rest & !expected | (expected & !rest) >> 1;
    // Old Cyrillic; the sharp s, which folds to two letters; all but no-break spaces and angle quotes.
    strange |= is(before, 0xD1) & within(v, 0xA0, 0xBF)
        | latin & at(0x9F)
        | is(before, 0xC2) & !(at(0xA0) | at(0xAB) | at(0xBB));
    // The product and division signs stand among the letters.
    block.pair = letters & !((latin & (at(0x97) | at(0xB7))) >> 1);
    block.word |= block.pair | block.pair << 1;
    if three != 0 {
        // Dashes, quotes and dots.
        strange |= three << 1 & !at(0x80) | three << 2 & !within(v, 0x90, 0xA7);
        block.curly = three & at(0x99) >> 2;
    }
    block.used = match strange.trailing_zeros() {
        64 => SIZE - (((two | three) >> 63) as usize).max(2 * (three >> 62 & 1) as usize),
        place => {
            let before = (!rest & u64::MAX >> (63 - place)).leading_zeros() as usize;
            63_usize.saturating_sub(before)
        }
    };
}

/// What parts runs of ideographs, beside ASCII: by the first two bytes, the third ones.
const GAPS: [([u8; 2], &[u8]); 3] = [
    (
        [0xE3, 0x80],
        &[
            0x80, 0x81, 0x82, 0x83, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x91,
        ],
    ),
    ([0xEF, 0xBC], &[0x88, 0x89, 0x8C, 0x9A, 0x9B]),
    ([0xE2, 0x80], &[0x94, 0x98, 0x99, 0x9C, 0x9D, 0xA6]),
];

/// Which of the `GAPS` a third byte belongs to: a bit for each.
static THIRDS: [u8; SIZE] = {
    let mut thirds = [0; SIZE];
    let mut kind = 0;
    while kind < GAPS.len() {
        let mut place = 0;
        while place < GAPS[kind].1.len() {
            thirds[GAPS[kind].1[place] as usize - 0x80] |= 1 << kind;
            place += 1;
        }
        kind += 1;
    }
    thirds
};

/// So many spans are written at a time.
const SOME: usize = 8;

/// Where ideographs that follow one another begin and end; and pairs of them.
const fn steps(length: u32) -> [Span; SOME] {
    let mut steps = [[0; 2]; SOME];
    let mut place = 0;
    while place < SOME {
        steps[place] = [3 * place as u32, 3 * place as u32 + length];
        place += 1;
    }
    steps
}

#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn runs(scan: &mut Scan) {
    let (text, Around(bytes, skip)) = (scan.text, scan.around);
    let classes = CLASSES.map(cast);
    while scan.at < text.len() {
        scan.room(2 * SIZE);
        scan.slots(2 * SIZE);
        let window = bytes.get(scan.at + skip..).and_then(<[u8]>::first_chunk::<SIZE>);
        let Some(window) = window else {
            return;
        };
        let v: __m512i = cast(*window);
        let class = _mm512_permutex2var_epi8(classes[0], v, classes[1]);
        let ascii = !_mm512_movepi8_mask(v);
        let gap = _mm512_mask_testn_epi8_mask(ascii, class, _mm512_set1_epi8((WORD | SIGN) as i8));
        let lead = ideographs(v);
        let third = parting(v);
        let known = gap | lead | lead << 1 | lead << 2 | third | third >> 1 | third >> 2;
        let mut used = (!known).trailing_zeros() as usize;
        // A run has ended where ASCII or a gap follows; what is neither may belong to it.
        let ends_here = used < SIZE && ascii >> used & 1 != 0;
        if !ends_here && used >= 3 && lead >> (used - 3) & 1 != 0 {
            let starts = lead & !(lead << 3) & below(used);
            used = 63 - starts.leading_zeros() as usize;
        }
        if used == 0 {
            return;
        }
        scan.close_word();
        scan.tokens.bytes[scan.end..][..SIZE].copy_from_slice(window);
        let lead = lead & below(used);
        let (mut starts, mut ends) = (lead & !(lead << 3), lead & !(lead >> 3));
        while starts != 0 {
            let (first, last) = (starts.trailing_zeros(), ends.trailing_zeros());
            let count = (last - first) as usize / 3 + 1;
            let long = count > SOME;
            let base = _mm512_set1_epi32((scan.end as u32 + first) as i32);
            for (count, steps) in [(count, const { steps(3) }), (count - 1, const { steps(6) })] {
                let Some(room) = scan.tokens.spans[scan.count..].first_chunk_mut::<{ 3 * SOME }>() else {
                    return;
                };
                let spans = _mm512_add_epi32(base, cast(steps));
                let further = |some: i32| _mm512_add_epi32(spans, _mm512_set1_epi32(3 * SOME as i32 * some));
                let (some, _) = room.as_chunks_mut::<SOME>();
                some[0] = cast(spans);
                if long {
                    (some[1], some[2]) = (cast(further(1)), cast(further(2)));
                }
                scan.count += count;
            }
            starts &= starts - 1;
            ends &= ends - 1;
        }
        let own = used - 1;
        scan.last = if (gap | third) >> own & 1 != 0 {
            Kind::Space
        } else {
            Kind::Ideograph
        };
        let used = used.min(text.len() - scan.at);
        scan.at += used;
        scan.end += used;
        if ends_here {
            return;
        }
    }
}

/// First bytes of Han, kana and Hangul that count whole and stay as they are: see `block::ideographs`.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn ideographs(v: __m512i) -> u64 {
    let all = |byte: u8| _mm512_set1_epi8(byte as i8);
    let is = |byte| _mm512_cmpeq_epi8_mask(v, all(byte));
    let within = |low: u8, last: u8| _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, all(low)), all(last - low));
    let rest = within(0x80, 0xBF);
    // Han begins at E4 B8, Hangul at EA B0, and ends before ED 9E.
    let second = within(0xE4, 0xED)
        & rest >> 1
        & !(is(0xE4) & within(0x80, 0xB7) >> 1)
        & !(is(0xEA) & within(0x80, 0xAF) >> 1)
        & !(is(0xED) & within(0x9E, 0xBF) >> 1);
    let kana = is(0xE3);
    let mut lead = second & rest >> 2;
    if kana != 0 {
        let (a, b, c) = (is(0x81) >> 1, is(0x82) >> 1, is(0x83) >> 1);
        let odd = a & is(0x80) >> 2 | b & (within(0x97, 0x9C) | is(0xA0)) >> 2 | c & is(0xBB) >> 2;
        lead |= kana & (a | b | c) & rest >> 2 & !odd;
    }
    lead
}

/// Third bytes of what parts runs.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn parting(v: __m512i) -> u64 {
    let is = |byte: u8| _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(byte as i8));
    let rest = _mm512_movepi8_mask(v) & !_mm512_test_epi8_mask(v, _mm512_set1_epi8(0x40));
    let kinds = _mm512_permutexvar_epi8(v, cast(THIRDS));
    let mut third = 0;
    for (kind, ([first, second], _)) in GAPS.iter().enumerate() {
        let before = is(*first) << 2 & is(*second) << 1;
        third |= before & rest & _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(1 << kind));
    }
    third
}
