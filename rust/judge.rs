//! Texts judged by a table of weights: score = bias + sum over words of weight, for every class.

use multiversion::multiversion;

use crate::analyse::Analyser;
use crate::batch::Batch;
use crate::buffer::prefetch;
use crate::form::Form;
use crate::tokens::Tokens;
use crate::vocabulary::{Finder, Vocabulary};

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
            self.finder.find(vocabulary, &self.tokens.bytes, spans, |_| ());
            let Finder { found, strange, .. } = &mut self.finder;
            found.sort_unstable();
            strange.sort_unstable();
            let known = found.chunk_by(|a, b| a == b);
            let unknown = (size..).zip(strange.chunk_by(|a, b| a == b));
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
        let (finder, vocabulary) = (&mut scratch.finder, &self.vocabulary);
        let (bytes, spans) = (&scratch.tokens.bytes, &scratch.tokens.spans);
        // Their weights will be wanted next: a row of so many, or cells.
        match self.weights {
            Weights::Dense(table) => {
                finder.find(vocabulary, bytes, spans, |word| {
                    prefetch(table, self.bias.len() * word)
                });
            }
            Weights::Sparse { cells, .. } => {
                finder.find(vocabulary, bytes, spans, |word| prefetch(cells, word))
            }
        }
        let Finder { found, strange, .. } = finder;
        if self.values.form == Form::Presence {
            found.sort_unstable();
            found.dedup();
            strange.sort_unstable();
            strange.dedup();
        }
        if self.unknown {
            found.extend(strange.iter().map(|_| vocabulary.len() as u32));
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
            Weights::Dense(table) => add_rows(table, &scratch.finder.found, scores),
            Weights::Sparse {
                background,
                unknown,
                cells,
                classes,
                differences,
                ..
            } => {
                let size = self.vocabulary.len() as u32;
                let known = scratch.finder.found.iter().filter(|&&word| word < size).count();
                let (words, others) = (known as f64, (scratch.finder.found.len() - known) as f64);
                for (score, (background, unknown)) in scores.iter_mut().zip(background.iter().zip(unknown)) {
                    *score += words * background + others * unknown;
                }
                add_differences((cells, classes, differences), &scratch.finder.found, scores);
            }
        }
        if let Some((bias, table)) = self.veto {
            let vetoes = &mut scratch.vetoes;
            vetoes.clear();
            vetoes.extend_from_slice(bias);
            add_rows(table, &scratch.finder.found, vetoes);
            for (score, veto) in scores.iter_mut().zip(vetoes) {
                if *veto > 0.0 {
                    *score = f64::NEG_INFINITY;
                }
            }
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
