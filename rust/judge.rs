//! Texts judged by a table of weights: score = bias + sum over words of weight, for every class.

use multiversion::multiversion;

use crate::analyse::Analyser;
use crate::batch::Batch;
use crate::buffer::prefetch;
use crate::table::slot;
use crate::tokens::Tokens;
use crate::word::{GROUP, Word, Words, goes_on, written};

/// Words in the order of their hashes, as a model file has them: see `table::Sorted`. Any numbers at all are safe.
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

    /// The word's number.
    #[inline(always)]
    fn find(&self, hash: u64, word: Word) -> Option<usize> {
        let slot = self.slot(hash);
        let (keys, _) = self.keys.as_chunks::<2>();
        let key = [word.first as u64, (word.first >> 64) as u64];
        let (mut place, end) = (self.index[slot] as usize, self.index[slot + 1] as usize);
        while place < end.min(keys.len()) {
            if keys[place] == key && (word.rest.is_empty() || self.spells(place, word)) {
                return Some(place);
            }
            place += 1;
        }
        None
    }

    /// The word's number, or one past the last.
    pub fn number(&self, word: &[u8]) -> usize {
        let (mut room, mut others) = (Vec::new(), Vec::new());
        let (hash, first) = written(word, &mut room, &mut others);
        self.find(hash, Word { first, rest: &others })
            .unwrap_or(self.len())
    }

    /// Whether a word that is longer than a block is the one of this number, whose first block it has.
    #[inline(never)]
    fn spells(&self, number: usize, word: Word) -> bool {
        let (start, end) = (self.starts[number] as usize, self.starts[number + 1] as usize);
        let spelling = self.bytes.get(start..end).unwrap_or_default();
        let parts = spelling
            .chunks(16)
            .skip(1)
            .chain(spelling.len().is_multiple_of(16).then_some(&[][..]));
        spelling.len() / 16 == word.rest.len()
            && parts.zip(word.rest).all(|(part, block)| {
                block.to_le_bytes().starts_with(part) && goes_on(*block) == (part.len() == 16)
            })
    }
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
    },
}

/// Everything a text is judged by.
pub struct Judge<'a> {
    pub vocabulary: Vocabulary<'a>,
    pub weights: Weights<'a>,
    /// The score of a text without words, prior included; and the prior alone.
    pub bias: &'a [f64],
    pub prior: &'a [f64],
    /// Weights and bias of what is impossible: above zero for a class that cannot have the text.
    pub veto: Option<(&'a [f64], &'a [f64])>,
    /// Whether a word that stands twice counts once; and whether unknown words count at all.
    pub once: bool,
    pub unknown: bool,
}

/// What one thread needs.
#[derive(Default)]
pub struct Scratch {
    tokens: Tokens,
    words: Words,
    found: Vec<u32>,
    strange: Vec<u64>,
    vetoes: Vec<f64>,
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
            self.look_up(scratch);
            self.score(scratch, &mut scores);
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
        look_up(self, &scratch.tokens, &mut scratch.words, found, strange);
        if self.once {
            found.sort_unstable();
            found.dedup();
            strange.sort_unstable();
            strange.dedup();
        }
        if self.unknown {
            found.extend(strange.iter().map(|_| unknown));
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
            } => {
                let size = self.vocabulary.len() as u32;
                let known = scratch.found.iter().filter(|&&word| word < size).count();
                let (words, others) = (known as f64, (scratch.found.len() - known) as f64);
                for (score, (background, unknown)) in scores.iter_mut().zip(background.iter().zip(unknown)) {
                    *score += words * background + others * unknown;
                }
                for &word in &scratch.found {
                    let ends = cells.get(word as usize..word as usize + 2).unwrap_or(&[0, 0]);
                    let range = ends[0] as usize..ends[1] as usize;
                    let classes = classes.get(range.clone()).unwrap_or_default();
                    for (&class, difference) in classes.iter().zip(differences.get(range).unwrap_or_default())
                    {
                        if let Some(score) = scores.get_mut(class as usize) {
                            *score += difference;
                        }
                    }
                }
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

/// The numbers of the words that are known, and the hashes of those that are not.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2"))]
fn look_up(judge: &Judge, tokens: &Tokens, words: &mut Words, found: &mut Vec<u32>, strange: &mut Vec<u64>) {
    let vocabulary = &judge.vocabulary;
    for spans in tokens.spans.chunks(GROUP) {
        words.take(&tokens.bytes, spans, |hash| {
            prefetch(vocabulary.index, vocabulary.slot(hash));
        });
        for &hash in words.hashes() {
            let first = vocabulary.index[vocabulary.slot(hash)];
            prefetch(vocabulary.keys, 2 * first as usize);
            if let Weights::Dense(table) = judge.weights {
                prefetch(table, judge.bias.len() * first as usize);
            }
        }
        words.each(|_, hash, word| match vocabulary.find(hash, word) {
            Some(word) => found.push(word as u32),
            None => strange.push(hash),
        });
    }
}

/// Adds rows of a table to sums.
#[inline(always)]
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
