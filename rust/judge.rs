//! Texts judged by a table of weights: score = bias + sum over words of weight, for every class.

use multiversion::multiversion;

use crate::analyse::Analyser;
use crate::batch::Batch;
use crate::buffer::prefetch;
use crate::form::Form;
use crate::table::slot;
use crate::tokens::{ROOM, Span, Tokens};
use crate::word::{Block, GROUP, Word, Words, block, marked, written};

/// Words in the order of their hashes, as a model file has them: see `sorted::Sorted`. Any numbers at all are safe.
pub struct Vocabulary<'a> {
    pub bytes: &'a [u8],
    pub starts: &'a [u32],
    pub keys: &'a [u64],
    pub index: &'a [u32],
}

impl Vocabulary<'_> {
    pub fn len(&self) -> usize {
        self.keys.len() / 2
    }

    #[inline(always)]
    fn slot(&self, hash: u64) -> usize {
        slot(hash, self.index.len() - 1)
    }

    /// The first words of a slot, which most words are one of.
    #[inline(always)]
    fn two(&self, place: u32) -> [[u64; 2]; 2] {
        let (keys, _) = self.keys.as_chunks::<2>();
        let two = keys.get(place as usize..).and_then(<[_]>::first_chunk);
        // No word has such a key.
        *two.unwrap_or(&[[u64::MAX; 2]; 2])
    }

    /// The word's number.
    fn find(&self, hash: u64, word: Word) -> Option<u32> {
        let slot = self.slot(hash);
        let (keys, _) = self.keys.as_chunks::<2>();
        let (mut place, end) = (self.index[slot] as usize, self.index[slot + 1] as usize);
        while place < end.min(keys.len()) {
            if keys[place] == halves(word.first) && (word.rest.is_empty() || self.spells(place, word)) {
                return Some(place as u32);
            }
            place += 1;
        }
        None
    }

    /// The word's number, or one past the last.
    pub fn number(&self, word: &[u8]) -> usize {
        let (mut room, mut others) = (Vec::new(), Vec::new());
        let (hash, first) = written(word, &mut room, &mut others);
        let number = self.find(hash, Word { first, rest: &others });
        number.map_or(self.len(), |number| number as usize)
    }

    /// Whether a word that is longer than a block is the one of this number, whose first block it has.
    #[inline(never)]
    fn spells(&self, number: usize, word: Word) -> bool {
        let (start, end) = (self.starts[number] as usize, self.starts[number + 1] as usize);
        let starts = (start + 16..=end).step_by(16);
        end.saturating_sub(start) / 16 == word.rest.len()
            && starts
                .zip(word.rest)
                .all(|(start, &rest)| rest == self.block(start, end))
    }

    /// The block of a word from this place on; the last word has no room behind it.
    fn block(&self, start: usize, end: usize) -> Block {
        if start + ROOM <= self.bytes.len() {
            return block(self.bytes, start, end.saturating_sub(start));
        }
        let mut room = [0; ROOM];
        let rest = self.bytes.get(start..end).unwrap_or_default();
        let length = rest.len().min(ROOM);
        room[..length].copy_from_slice(&rest[..length]);
        Block::from_le_bytes(room)
    }
}

#[inline(always)]
fn halves(block: Block) -> [u64; 2] {
    [block as u64, (block >> 64) as u64]
}

/// What words say: a row of weights each, and one more for the unknown; or only what differs from the background.
pub enum Weights<'a> {
    Dense(&'a [f64]),
    /// The differences of word w are those from `cells[w]` to `cells[w + 1]`.
    Sparse {
        background: &'a [f64],
        unknown: &'a [f64],
        cells: &'a [u32],
        classes: &'a [u32],
        differences: &'a [f64],
        /// What the background of each word is multiplied with; 1 if there are none.
        exponents: Option<&'a [f64]>,
    },
}

/// The memory is asked for the differences of a word so many words before.
const SOON: usize = 8;

/// Everything a text is judged by.
pub struct Judge<'a> {
    pub vocabulary: Vocabulary<'a>,
    pub weights: Weights<'a>,
    /// The score of a text without words, prior included; and the prior alone.
    pub bias: &'a [f64],
    pub prior: &'a [f64],
    /// Weights and bias of what is impossible: above zero for a class that cannot have the text.
    pub veto: Option<(&'a [f64], &'a [f64])>,
    /// What a word's number of times is worth; and whether unknown words count at all.
    pub values: Values,
    pub unknown: bool,
}

/// The form of values, and whether the words of a text, and the n-grams of characters beside them, have length 1.
#[derive(Clone, Copy)]
pub struct Values {
    pub form: Form,
    pub short: bool,
}

/// What one thread needs.
#[derive(Default)]
pub struct Scratch {
    tokens: Tokens,
    finder: Finder,
    found: Vec<u32>,
    strange: Vec<u64>,
    vetoes: Vec<f64>,
    weighed: Vec<(u32, f64)>,
}

impl Scratch {
    /// The words of a text, and the n-grams of characters beside them: their numbers, ascending, and how often each
    /// stands there. Unknown ones have numbers past the last of the vocabulary.
    pub fn times(
        &mut self,
        analyser: &Analyser,
        vocabulary: &Vocabulary,
        text: &[u8],
    ) -> [Vec<(u32, u32)>; 2] {
        analyser.analyse(text, &mut self.tokens);
        self.counted(vocabulary)
    }

    fn counted(&mut self, vocabulary: &Vocabulary) -> [Vec<(u32, u32)>; 2] {
        let size = vocabulary.len() as u32;
        let (words, characters) = self.tokens.spans.split_at(self.tokens.first);
        [words, characters].map(|spans| {
            self.found.clear();
            self.strange.clear();
            let (finder, tokens) = (&mut self.finder, (&*self.tokens.bytes, spans));
            find(
                vocabulary,
                |_| (),
                tokens,
                finder,
                &mut self.found,
                &mut self.strange,
            );
            self.found.sort_unstable();
            self.strange.sort_unstable();
            let known = self.found.chunk_by(|a, b| a == b);
            let unknown = (size..).zip(self.strange.chunk_by(|a, b| a == b));
            known
                .map(|same| (same[0], same.len() as u32))
                .chain(unknown.map(|(number, same)| (number, same.len() as u32)))
                .collect()
        })
    }
}

/// The answers to a batch.
#[derive(Default)]
pub struct Answers {
    /// The likeliest class of each row and the logarithm of its probability.
    pub best: Vec<(u32, f64)>,
    /// If asked for: scores, and logarithms of probabilities, of every row and class.
    pub scores: Vec<f64>,
    pub log_probabilities: Vec<f64>,
    pub replaced: u64,
}

impl Judge<'_> {
    /// Judges the rows of a batch.
    pub fn judge(&self, analyser: &Analyser, batch: &Batch, full: bool, scratch: &mut Scratch) -> Answers {
        let mut answers = Answers::default();
        let mut scores = vec![0.0; self.bias.len()];
        for row in &batch.rows {
            let text = batch.bytes.get(row.text.clone()).unwrap_or_default();
            answers.replaced += analyser.analyse(text, &mut scratch.tokens) as u64;
            if self.values.short || self.values.form == Form::Log {
                self.weigh(scratch);
                self.score_weighed(scratch, &mut scores);
            } else {
                self.look_up(scratch);
                self.score(scratch, &mut scores);
            }
            // If every class calls it impossible, the text says nothing and the prior decides.
            let silent = scores.iter().all(|&score| score == f64::NEG_INFINITY);
            let joint = if silent { self.prior } else { &scores };
            let best = first_best(joint);
            let sum: f64 = joint.iter().map(|score| (score - joint[best]).exp()).sum();
            answers.best.push((best as u32, -sum.ln()));
            if full {
                answers.scores.extend_from_slice(&scores);
                let whole = joint[best] + sum.ln();
                answers
                    .log_probabilities
                    .extend(joint.iter().map(|score| score - whole));
            }
        }
        answers
    }

    /// The rows of the words of a text, and one past the last for each unknown word that counts.
    fn look_up(&self, scratch: &mut Scratch) {
        let (found, strange) = (&mut scratch.found, &mut scratch.strange);
        let unknown = self.vocabulary.len() as u32;
        found.clear();
        strange.clear();
        let (finder, vocabulary) = (&mut scratch.finder, &self.vocabulary);
        let tokens = (&*scratch.tokens.bytes, &*scratch.tokens.spans);
        // Their weights will be wanted next: a row of so many, or cells.
        match self.weights {
            Weights::Dense(table) => {
                let ask = |word| prefetch(table, self.bias.len() * word);
                find(vocabulary, ask, tokens, finder, found, strange);
            }
            Weights::Sparse { cells, .. } => {
                let ask = |word| prefetch(cells, word);
                find(vocabulary, ask, tokens, finder, found, strange);
            }
        }
        if self.values.form == Form::Presence {
            found.sort_unstable();
            found.dedup();
            strange.sort_unstable();
            strange.dedup();
        }
        if self.unknown {
            found.extend(strange.iter().map(|_| unknown));
        }
    }

    /// The words of a text with their values.
    fn weigh(&self, scratch: &mut Scratch) {
        let Values { form, short } = self.values;
        let size = self.vocabulary.len() as u32;
        let views = scratch.counted(&self.vocabulary);
        scratch.weighed.clear();
        for words in views {
            let values = words.iter().map(|&(_, times)| form.value(f64::from(times)));
            let length = if short {
                values.map(|value| value * value).sum::<f64>().sqrt()
            } else {
                1.0
            };
            let known = words.iter().filter(|&&(word, _)| word < size || self.unknown);
            let weighed = known.map(|&(word, times)| (word.min(size), form.value(f64::from(times)) / length));
            scratch.weighed.extend(weighed);
        }
    }

    fn score_weighed(&self, scratch: &Scratch, scores: &mut [f64]) {
        scores.copy_from_slice(self.bias);
        let (size, width) = (self.vocabulary.len() as u32, scores.len());
        match self.weights {
            Weights::Dense(table) => {
                for &(word, value) in &scratch.weighed {
                    let start = word as usize * width;
                    let weights = table.get(start..start + width).unwrap_or_default();
                    for (score, weight) in scores.iter_mut().zip(weights) {
                        *score += value * weight;
                    }
                }
            }
            Weights::Sparse {
                background,
                unknown,
                cells,
                classes,
                differences,
                exponents,
            } => {
                let (mut known, mut strange) = (0.0, 0.0);
                for &(word, value) in &scratch.weighed {
                    if word == size {
                        strange += value;
                        continue;
                    }
                    let exponent = exponents.and_then(|all| all.get(word as usize));
                    known += value * exponent.copied().unwrap_or(1.0);
                    let ends = cells.get(word as usize..word as usize + 2).unwrap_or(&[0, 0]);
                    let range = ends[0] as usize..ends[1] as usize;
                    let classes = classes.get(range.clone()).unwrap_or_default();
                    for (&class, difference) in classes.iter().zip(differences.get(range).unwrap_or_default())
                    {
                        if let Some(score) = scores.get_mut(class as usize) {
                            *score += value * difference;
                        }
                    }
                }
                for (score, (background, unknown)) in scores.iter_mut().zip(background.iter().zip(unknown)) {
                    *score += known * background + strange * unknown;
                }
            }
        }
    }

    fn score(&self, scratch: &mut Scratch, scores: &mut [f64]) {
        scores.copy_from_slice(self.bias);
        match self.weights {
            Weights::Dense(table) => add_rows(table, &scratch.found, scores),
            Weights::Sparse {
                background,
                unknown,
                cells,
                classes,
                differences,
                ..
            } => {
                let size = self.vocabulary.len() as u32;
                let known = scratch.found.iter().filter(|&&word| word < size).count();
                let (words, others) = (known as f64, (scratch.found.len() - known) as f64);
                for (score, (background, unknown)) in scores.iter_mut().zip(background.iter().zip(unknown)) {
                    *score += words * background + others * unknown;
                }
                add_differences((cells, classes, differences), &scratch.found, scores);
            }
        }
        if let Some((bias, table)) = self.veto {
            let vetoes = &mut scratch.vetoes;
            vetoes.clear();
            vetoes.extend_from_slice(bias);
            add_rows(table, &scratch.found, vetoes);
            for (score, veto) in scores.iter_mut().zip(vetoes) {
                if *veto > 0.0 {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
    }
}

/// What looking up words needs, some at a time.
struct Finder {
    firsts: [Block; GROUP],
    slots: [usize; GROUP],
    numbers: [u32; GROUP],
    /// Those that are longer than a block.
    spans: [Span; GROUP],
    words: Words,
}

impl Default for Finder {
    fn default() -> Self {
        Self {
            firsts: [0; GROUP],
            slots: [0; GROUP],
            numbers: [0; GROUP],
            spans: [[0; 2]; GROUP],
            words: Words::default(),
        }
    }
}

/// The number of a word that is not known.
const UNKNOWN: u32 = u32::MAX;

/// The numbers of the words that are known, and the hashes of those that are not. The memory is asked for a group of
/// words before any is looked at, and `ask` asks for what the word of about this number leads to. Most words are one
/// of the first two of their slot; others and long ones come last, in a loop of their own, since a branch for them
/// would often be mistaken.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2"))]
fn find<F: Fn(usize)>(
    vocabulary: &Vocabulary,
    ask: F,
    (bytes, spans): (&[u8], &[Span]),
    finder: &mut Finder,
    found: &mut Vec<u32>,
    strange: &mut Vec<u64>,
) {
    let Finder {
        firsts,
        slots,
        numbers,
        spans: own,
        words,
    } = finder;
    for some in spans.chunks(GROUP) {
        let mut longest = 0;
        for (&[start, end], (key, slot)) in some.iter().zip(firsts.iter_mut().zip(&mut *slots)) {
            let length = end.wrapping_sub(start);
            *key = block(bytes, start as usize, length as usize);
            *slot = vocabulary.slot(Word::of(*key).hash());
            prefetch(vocabulary.index, *slot);
            longest = length.max(longest);
        }
        let mut longs = 0_u64;
        if longest > 15 {
            let mut long = 0;
            for (place, &[start, end]) in some.iter().enumerate() {
                own[long % GROUP] = [start, end];
                long += usize::from(end.wrapping_sub(start) > 15);
                longs |= u64::from(end.wrapping_sub(start) > 15) << place;
            }
            words.take(bytes, &own[..long], |hash| {
                prefetch(vocabulary.index, vocabulary.slot(hash));
            });
            for (&hash, place) in words.hashes().iter().zip(marked(longs)) {
                slots[place] = vocabulary.slot(hash);
            }
        }
        for (slot, number) in slots[..some.len()].iter().zip(&mut *numbers) {
            *number = vocabulary.index[*slot];
            prefetch(vocabulary.keys, 2 * *number as usize);
            ask(*number as usize);
        }
        let mut misses = 0;
        for (place, (&key, number)) in firsts[..some.len()].iter().zip(&mut *numbers).enumerate() {
            let [one, two] = vocabulary.two(*number).map(|word| word == halves(key));
            *number += u32::from(two);
            misses |= u64::from(!(one || two)) << place;
        }
        let (mut long, before) = (0, strange.len());
        for place in marked(misses | longs) {
            let (hash, word) = if longs >> place & 1 == 0 {
                let word = Word::of(firsts[place]);
                (word.hash(), word)
            } else {
                long += 1;
                (words.hashes()[long - 1], words.word(long - 1))
            };
            numbers[place] = vocabulary.find(hash, word).unwrap_or_else(|| {
                strange.push(hash);
                UNKNOWN
            });
        }
        if strange.len() == before {
            found.extend_from_slice(&numbers[..some.len()]);
        } else {
            found.extend(numbers[..some.len()].iter().filter(|&&number| number != UNKNOWN));
        }
    }
}

/// Adds the differences of words to the scores of their classes.
#[multiversion(targets("x86_64+avx2"))]
fn add_differences(
    (cells, classes, differences): (&[u32], &[u32], &[f64]),
    words: &[u32],
    scores: &mut [f64],
) {
    let range = |word: u32| {
        let ends = cells.get(word as usize..word as usize + 2).unwrap_or(&[0, 0]);
        ends[0] as usize..ends[1] as usize
    };
    for (place, &word) in words.iter().enumerate() {
        if let Some(&soon) = words.get(place + SOON) {
            let start = range(soon).start;
            prefetch(classes, start);
            prefetch(differences, start);
        }
        let range = range(word);
        let differences = differences.get(range.clone()).unwrap_or_default();
        if range.len() == scores.len() {
            // What most words of a text are: known to all classes, which stand in their order.
            for (score, difference) in scores.iter_mut().zip(differences) {
                *score += difference;
            }
            continue;
        }
        for (&class, difference) in classes.get(range).unwrap_or_default().iter().zip(differences) {
            if let Some(score) = scores.get_mut(class as usize) {
                *score += difference;
            }
        }
    }
}

/// Adds rows of a table to sums.
#[multiversion(targets("x86_64+avx2"))]
fn add_rows(table: &[f64], rows: &[u32], sums: &mut [f64]) {
    match sums {
        // Two sums in registers: most filters have two classes.
        [first, second] => {
            let (table, _) = table.as_chunks::<2>();
            let (mut one, mut two) = (*first, *second);
            for &row in rows {
                let [a, b] = table.get(row as usize).copied().unwrap_or_default();
                one += a;
                two += b;
            }
            (*first, *second) = (one, two);
        }
        _ => {
            for &row in rows {
                let start = row as usize * sums.len();
                let weights = table.get(start..start + sums.len()).unwrap_or_default();
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight;
                }
            }
        }
    }
}

/// The place of the greatest number, the first of equals.
fn first_best(numbers: &[f64]) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = place;
        }
    }
    best
}
