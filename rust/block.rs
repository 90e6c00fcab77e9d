//! Sixty-four bytes of text at a time: lower-cased, and each class of bytes as the bits of a number.
//!
//! This covers ASCII, the letters of western Europe (C3), Cyrillic (D0, D1), and the spaces, dashes and quotes
//! that go with them; what else there is, is left to be read character by character.

use wide::u8x16;

pub const SIZE: usize = 64;

/// A block with the byte before and the byte after it.
pub type Window = [u8; SIZE + 2];

/// What the bytes of a block are; bit 0 is the first.
pub struct Block {
    /// How many bytes could be read, a whole number of characters.
    pub used: usize,
    /// Letters, digits and underscores, all their bytes.
    pub word: u64,
    /// First bytes of letters that take two.
    pub pair: u64,
    pub apostrophe: u64,
    /// First bytes of curly apostrophes, which take three.
    pub curly: u64,
    /// Points and commas.
    pub point: u64,
    pub sign: u64,
}

type Part = [u8x16; 4];

#[inline(always)]
fn part(window: &Window, from: usize) -> Part {
    std::array::from_fn(|k| {
        let bytes = window.get(from + 16 * k..).and_then(|rest| rest.first_chunk());
        u8x16::new(bytes.copied().unwrap_or_default())
    })
}

#[inline(always)]
fn bits(test: impl Fn(usize) -> u8x16) -> u64 {
    let half = |k| u64::from(test(k).to_bitmask() | test(k + 1).to_bitmask() << 16);
    half(0) | half(2) << 32
}

#[inline(always)]
fn is(v: u8x16, byte: u8) -> u8x16 {
    v.simd_eq(u8x16::splat(byte))
}

#[inline(always)]
fn within(v: u8x16, low: u8, high: u8) -> u8x16 {
    let above = v - u8x16::splat(low);
    above.min(u8x16::splat(high - low)).simd_eq(above)
}

/// `test` as a step of so much.
#[inline(always)]
fn step(test: u8x16, by: u8) -> u8x16 {
    test & u8x16::splat(by)
}

/// Which bytes are decimal digits of ASCII.
#[inline(always)]
pub fn digits(window: &Window) -> u64 {
    let v = part(window, 1);
    bits(|k| within(v[k], b'0', b'9'))
}

/// Classes of the bytes of a block, which begins a character, and its lower case into `lower`. The marks that
/// only `WORDS` asks for are left out for others.
#[inline(always)]
pub fn read<const WORDS: bool>(window: &Window, lower: &mut [u8; SIZE]) -> Block {
    let v = part(window, 1);
    let alpha: Part = std::array::from_fn(|k| within(v[k] | u8x16::splat(0x20), b'a', b'z'));
    let small: Part = std::array::from_fn(|k| v[k] | step(alpha[k], 0x20));
    let marks = |test: &dyn Fn(u8x16) -> u8x16| if WORDS { bits(|k| test(v[k])) } else { 0 };
    let mut block = Block {
        used: SIZE,
        word: bits(|k| alpha[k] | within(v[k], b'0', b'9') | is(v[k], b'_')),
        pair: 0,
        apostrophe: marks(&|v| is(v, b'\'')),
        curly: 0,
        point: marks(&|v| is(v & u8x16::splat(0xFD), b',')),
        sign: marks(&|v| is(v & u8x16::splat(0xFE), b'$') | is(v, b'!') | is(v, b'?')),
    };
    let high = bits(|k| v[k]);
    if high == 0 {
        store(&small, lower);
    } else {
        let before = part(window, 0);
        store(&european(&part(window, 2), &before, &v, small), lower);
        beyond::<WORDS>(&before, &v, high, &mut block);
    }
    block
}

#[inline(always)]
fn store(part: &Part, to: &mut [u8; SIZE]) {
    for (to, v) in to.chunks_exact_mut(16).zip(part) {
        to.copy_from_slice(&v.to_array());
    }
}

/// Lower case of letters of two bytes: À-Þ, and Ѐ-Я, whose first byte may change too.
#[inline(always)]
fn european(after: &Part, before: &Part, v: &Part, small: Part) -> Part {
    std::array::from_fn(|k| {
        let row = v[k] & u8x16::splat(0xF0);
        let trail = step(is(row, 0x80), 0x10) | step(is(row, 0x90), 0x20) | step(is(row, 0xA0), 0xE0);
        let lead = is(v[k], 0xD0) & is(after[k] & u8x16::splat(0x10), 0);
        let latin = is(before[k], 0xC3) & within(v[k], 0x80, 0x9E);
        let times = step(is(v[k], 0x97), 0x20);
        small[k] + (trail & is(before[k], 0xD0)) + step(lead, 1) + (step(latin, 0x20) & !times)
    })
}

/// Letters beyond ASCII, up to the first character that has to be read by itself.
#[inline(always)]
fn beyond<const WORDS: bool>(before: &Part, v: &Part, high: u64, block: &mut Block) {
    let at = |byte: u8| bits(|k| is(v[k], byte));
    let rest = bits(|k| within(v[k], 0x80, 0xBF));
    let letters = bits(|k| within(v[k], 0xD0, 0xD1) | is(v[k], 0xC3));
    let (two, three) = (letters | at(0xC2), at(0xE2));
    let expected = two << 1 | three << 1 | three << 2;
    let mut strange = high & !(rest | two | three) | rest & !expected | (expected & !rest) >> 1;
    // Old Cyrillic; the sharp s, which folds to two letters; all but no-break spaces and angle quotes.
    strange |= bits(|k| {
        let space = is(v[k], 0xA0) | is(v[k], 0xAB) | is(v[k], 0xBB);
        is(before[k], 0xD1) & within(v[k], 0xA0, 0xBF)
            | is(before[k], 0xC3) & is(v[k], 0x9F)
            | is(before[k], 0xC2) & !space
    });
    // The product and division signs stand among the letters.
    let signs = bits(|k| is(before[k], 0xC3) & (is(v[k], 0x97) | is(v[k], 0xB7)));
    block.pair = letters & !(signs >> 1);
    block.word |= block.pair | block.pair << 1;
    if three != 0 {
        // Dashes, quotes and dots.
        strange |= three << 1 & !at(0x80) | three << 2 & !bits(|k| within(v[k], 0x90, 0xA7));
        if WORDS {
            block.curly = three & at(0x99) >> 2;
        }
    }
    block.used = match strange.trailing_zeros() {
        64 => SIZE - (((two | three) >> 63) as usize).max(2 * (three >> 62 & 1) as usize),
        place => {
            let before = (!rest & u64::MAX >> (63 - place)).leading_zeros() as usize;
            63_usize.saturating_sub(before)
        }
    };
}

/// So many characters of three bytes at the most are looked for at once.
pub const RUN: usize = 10;

/// How many of the first characters are Han, kana and Hangul that count whole and stay as they are.
#[inline(always)]
pub fn ideographs(window: &Window) -> usize {
    const FIRST: u32 = 0x0924_9249;
    const ALL: u32 = (1 << (3 * RUN)) - 1;
    let (before, v) = (part(window, 0), part(window, 1));
    let bits = |test: &dyn Fn(u8x16, u8x16) -> u8x16| {
        test(before[0], v[0]).to_bitmask() | test(before[1], v[1]).to_bitmask() << 16
    };
    let at = |byte: u8| bits(&|_, v| is(v, byte));
    let first = bits(&|_, v| within(v, 0xE3, 0xED));
    let rest = bits(&|_, v| within(v, 0x80, 0xBF));
    // Han begins at E4 B8, Hangul at EA B0, and ends before ED 9E.
    let other = bits(&|before, v| {
        is(before, 0xE4) & within(v, 0x80, 0xB7)
            | is(before, 0xEA) & within(v, 0x80, 0xAF)
            | is(before, 0xED) & within(v, 0x9E, 0xBF)
    });
    let mut strange = first ^ FIRST | rest ^ (ALL & !FIRST) | other;
    let kana = at(0xE3);
    if kana != 0 {
        let (a, b, c) = (kana << 1 & at(0x81), kana << 1 & at(0x82), kana << 1 & at(0x83));
        strange |= kana << 1 & !(a | b | c)
            | a << 1 & at(0x80)
            | b << 1 & (bits(&|_, v| within(v, 0x97, 0x9C)) | at(0xA0))
            | c << 1 & at(0xBB);
    }
    (strange | !ALL).trailing_zeros() as usize / 3
}
