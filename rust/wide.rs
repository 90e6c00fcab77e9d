//! The way of `machine` of processors that have registers of 64 bytes (AVX-512 with VBMI2).
//!
//! The `unsafe` calls are of functions that need such a processor. `Able` says that there is one, and only `able`,
//! which asks the processor, makes it.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::env;

use bytemuck::cast;

use crate::block::SIZE;
use crate::machine::{Machine, Task};
use crate::tokens::Span;
use crate::word::{Block, GROUP, KEYS, Words};

/// That the processor can do it.
#[derive(Clone, Copy)]
pub struct Able(());

pub fn able() -> Option<Able> {
    let able = env::var_os("PLAINBAYES_NARROW").is_none() // tests go both ways
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    able.then_some(Able(()))
}

impl Able {
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) {
        unsafe { inside(task, self) }
    }
}

#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
fn inside<T: Task>(task: T, able: Able) {
    task.run(able);
}

impl Machine for Able {
    #[inline(always)]
    fn take(self, words: &mut Words, bytes: &[u8], spans: &[Span]) {
        unsafe { take(words, bytes, spans) }
    }

    #[inline(always)]
    fn same(self, numbers: &[u64; 4], number: u64) -> u32 {
        unsafe { _mm256_cmpeq_epi64_mask(cast(*numbers), _mm256_set1_epi64x(number as i64)).into() }
    }

    #[inline(always)]
    fn same_block(self, blocks: &[Block; 2], block: Block) -> u32 {
        let halves =
            unsafe { _mm256_cmpeq_epi64_mask(cast(*blocks), _mm256_broadcastsi128_si256(cast(block))) };
        let both = u32::from(halves & halves >> 1);
        both & 1 | both >> 1 & 2
    }

    #[inline(always)]
    fn same_of_eight(self, line: &[u64; 8], number: u64) -> u32 {
        unsafe { _mm512_cmpeq_epi64_mask(cast(*line), _mm512_set1_epi64(number as i64)).into() }
    }

    #[inline(always)]
    fn same_of_four(self, line: &[u64; 8], block: Block) -> u32 {
        let halves = unsafe { _mm512_cmpeq_epi64_mask(cast(*line), _mm512_broadcast_i64x2(cast(block))) };
        let both = u32::from(halves & halves >> 1);
        unsafe { _pext_u32(both, 0b0101_0101) }
    }
}

/// See `Machine::take`: eight words at a time.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn take(words: &mut Words, bytes: &[u8], spans: &[Span]) {
    let all = |number: u64| _mm512_set1_epi64(number as i64);
    let mut padded = [[0; 2]; GROUP];
    let spans = spans.first_chunk().unwrap_or_else(|| {
        let count = spans.len().min(GROUP);
        padded[..count].copy_from_slice(&spans[..count]);
        &padded
    });
    let (mut count, mut fifteen, mut long) = (0, 0, 0);
    let eights = spans.as_chunks::<8>().0.iter();
    let firsts = words.firsts.as_chunks_mut::<8>().0.iter_mut();
    let hashes = words.hashes.as_chunks_mut::<8>().0.iter_mut();
    for (place, ((spans, firsts), hashes)) in eights.zip(firsts).zip(hashes).enumerate() {
        let [one, other] = [0, 4].map(|first| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|place| sixteen(bytes, spans[first + place][0]));
            let ab = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(ab, c), d)
        });
        let spans: __m512i = cast(*spans);
        let lengths = _mm512_srli_epi64::<32>(_mm512_sub_epi32(spans, _mm512_slli_epi64::<32>(spans)));
        let upto = |most| _mm512_cmple_epu64_mask(lengths, all(most));
        let bits = |mask: u8| u64::from(mask) << (8 * place);
        let (none, short, shorter) = (upto(0), upto(15), upto(8));
        fifteen |= bits(short & !shorter);
        long |= bits(!short);
        let one = ended(one, lengths, const { spread(0) });
        let other = ended(other, lengths, const { spread(4) });
        *firsts = cast([one, other]);
        let low = _mm512_permutex2var_epi64(one, cast([0_u64, 2, 4, 6, 8, 10, 12, 14]), other);
        let high = _mm512_permutex2var_epi64(one, cast([1_u64, 3, 5, 7, 9, 11, 13, 15]), other);
        let hash = folded(
            _mm512_xor_si512(low, all(KEYS[0])),
            _mm512_xor_si512(high, all(KEYS[1])),
        );
        *hashes = cast(hash);
        let which = shorter & !none;
        for (room, from) in [(&mut words.eights, low), (&mut words.eight_hashes, hash)] {
            if let Some(room) = room.get_mut(count..).and_then(<[u64]>::first_chunk_mut::<8>) {
                *room = cast(_mm512_maskz_compress_epi64(which, from));
            }
        }
        count += which.count_ones() as usize;
    }
    (words.count, words.fifteen, words.long) = (count, fifteen, long);
}

#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn sixteen(bytes: &[u8], start: u32) -> __m128i {
    let start = start as usize;
    let room = bytes.get(start..start + 16).and_then(<[u8]>::first_chunk::<16>);
    cast(*room.unwrap_or(&[0; 16]))
}

/// Four blocks, of which only as many bytes stay as their words are long.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn ended(blocks: __m512i, lengths: __m512i, spread: [u8; SIZE]) -> __m512i {
    const NUMBERS: [u8; SIZE] = numbers();
    let lengths = _mm512_min_epu64(lengths, _mm512_set1_epi64(16));
    let lengths = _mm512_permutexvar_epi8(cast(spread), lengths);
    _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(cast(NUMBERS), lengths), blocks)
}

/// From 0 to 15, and again.
const fn numbers() -> [u8; SIZE] {
    let mut numbers = [0; SIZE];
    let mut place = 0;
    while place < SIZE {
        numbers[place] = place as u8 % 16;
        place += 1;
    }
    numbers
}

/// Which byte of eight lengths is that of a block's word, from this one on.
const fn spread(first: u8) -> [u8; SIZE] {
    let mut places = [0; SIZE];
    let mut place = 0;
    while place < SIZE {
        places[place] = 8 * (first + place as u8 / 16);
        place += 1;
    }
    places
}

/// Lower and upper halves of products, folded: see `word`.
#[target_feature(enable = "avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn folded(one: __m512i, other: __m512i) -> __m512i {
    // Upper halves by a shuffle: of shifts the compiler makes scalar multiplications again.
    let up = |v| _mm512_shuffle_epi32::<0b11_11_01_01>(v);
    let add = |v, w| _mm512_add_epi64(v, w);
    let low32 = |v| _mm512_maskz_mov_epi32(0x5555, v);
    let low = _mm512_mul_epu32(one, other);
    let left = _mm512_mul_epu32(one, up(other));
    let right = _mm512_mul_epu32(up(one), other);
    let high = _mm512_mul_epu32(up(one), up(other));
    let middle = add(add(low32(up(low)), low32(left)), low32(right));
    let lower = _mm512_mask_mov_epi32(low, 0xAAAA, _mm512_slli_epi64::<32>(middle));
    let upper = add(
        add(high, low32(up(left))),
        add(low32(up(right)), low32(up(middle))),
    );
    _mm512_xor_si512(lower, upper)
}
