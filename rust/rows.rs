//! Texts as rows of numbered words, scored again and again, each as if it had never been learned.
//!
//! The score of class c, with exponents t and values x of the words i of a text d:
//!
//!   S_dc = b_c + sum_i x_di (t_i (log(W_ic - w_di,c + a) - log(L_c - n_dc + a (V - h_d))) + l_ic)
//!
//! where w and n are what the text itself put into the counts W and their sums L, and h_d is the number of words
//! that stand nowhere else. Those are unknown once the text is left out, so they have no entry here. The leaning l_ic
//! of a word towards a class goes with its count: it is gone where nothing is left of W_ic. Leanings stand behind the
//! exponents, or there are none.
//!
//! That is the multinomial. Of other events, where N are texts with a word, D all texts of a class, and T and M the sums of
//! N and L over all classes, a word says in place of the difference of logarithms
//!
//!   Bernoulli:   log(N_ic - w_di,c + a) - log(D_c - N_ic + a), the odds of its presence: a text that has the word leaves
//!                the absences as they are. What the absence of all words says is not among it: it is the same for every
//!                text, and the bias, which is fitted, stands for it.
//!   complement: -log(T_i - N_ic - (w_di - w_di,c) + a) + log(M - L_c - (n_d - n_dc) + a (V - h_d)): a text that is left
//!                out is missed by all classes but its own.
//!
//! Scores are added up row by row, from one table of t_i log(W_ic + a) + l_ic; what the text itself put in is set right
//! entry by entry. For complement the table lacks one text, and what is set right is the text's own class; all classes
//! are, if the text is not one of weight 1. Slopes are added up word by word, from a table of how far each row's
//! probabilities are off: both tables are read where they are, no sum is written by two, and a leaning costs nothing
//! more. Behind the columns of the classes stands one more: 1 in the logarithms, so t_i among the weights and the sum
//! of x t among the scores.

use std::ops::Range;
use std::sync::Arc;

use memmap2::MmapMut;
use multiversion::multiversion;

use crate::analyse::Analyser;
use crate::buffer::prefetch;
use crate::form::{FORMS, Form};
use crate::judge::Scratch;
use crate::kept::{Kept, Text};
use crate::threads::{share, threads};
use crate::vocabulary::Vocabulary;

/// Rows go to threads in so many pieces, whatever the number of threads: sums come out the same.
const PIECES: usize = 8;
/// The memory is asked for the logarithms of a word so many entries ahead.
const AHEAD: usize = 16;
/// Numbers in a line of the cache.
const LINE: usize = 16;
/// Numbers from which on a table is worth large pages.
const HUGE: usize = 1 << 20;
/// A class of a row, how much the row weighs there.
pub type Part = (u32, f32);

#[derive(Default)]
pub struct Rows {
    /// The entries of row r are those from `starts[r]` to `starts[r + 1]`.
    starts: Vec<usize>,
    words: Vec<u32>,
    times: Vec<f32>,
    /// Entries of each row that are words; n-grams of characters follow.
    firsts: Vec<u32>,
    /// All words of each row, repeated or not, and those that stand nowhere else.
    length: Vec<f32>,
    distinct: Vec<f32>,
    alone: Vec<f32>,
    /// The lengths of each row's words and characters as vectors, in each form.
    norms: Vec<[[f32; 2]; 3]>,
    /// The classes of row r are those from `part_starts[r]` on.
    parts: Vec<Part>,
    part_starts: Vec<usize>,
    /// The rows that have word w are those from `turned_starts[w]` to `turned_starts[w + 1]`.
    turned: Vec<u32>,
    turned_starts: Vec<usize>,
    /// The width of rows of the tables: one more than the number of classes, or a little wider.
    width: usize,
    classes: usize,
    /// In how many texts each word stands, and its counts in each class.
    total: Vec<f32>,
    counts: Wide,
    leaning: Cells,
    /// The fold that each row belongs to, if they were dealt.
    folds: Vec<u8>,
    /// The values of entries in the form that was asked for last.
    values: Option<Arc<Values>>,
}

/// The value of every entry, and the same in the order of `turned`.
struct Values {
    form: (Form, bool),
    rows: Vec<f32>,
    turned: Vec<f32>,
}

/// The classes that each word may lean to: those of word w from `starts[w]` to `starts[w + 1]`.
#[derive(Default)]
struct Cells {
    starts: Vec<u32>,
    classes: Vec<u32>,
}

impl Cells {
    fn words(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn of(&self, word: usize) -> Range<usize> {
        match self.starts.get(word..word + 2) {
            Some(ends) => ends[0] as usize..ends[1] as usize,
            None => 0..0,
        }
    }

    fn find(&self, word: usize, class: u32) -> Option<usize> {
        self.of(word).find(|&cell| self.classes[cell] == class)
    }
}

/// What rows are scored by: counts of all texts, or of all but a fold, without the row itself.
pub struct Scoring {
    values: Arc<Values>,
    /// Words that stand in a single row, the fold being gone: without the row they are unknown.
    silent: Vec<bool>,
    logs: Wide,
    /// What is to be added to these without the row: for each entry, for each of the row's classes that are mended.
    own: Vec<f32>,
    own_starts: Vec<usize>,
    mended: Vec<u32>,
    mended_starts: Vec<usize>,
    /// Leanings that are gone without a row.
    gone: Vec<Gone>,
    gone_starts: Vec<usize>,
    /// Whether, without the fold, anything is left of the count that each leaning goes with, and its word is known.
    held: Vec<bool>,
    /// What a word of value 1 takes from the score of each class: logarithms of sums without the row.
    sums: Vec<f32>,
    /// The fold whose rows are left out of the counts and of the loss.
    fold: Option<u8>,
}

/// A leaning, and the entry of a row and the class that it would have spoken for.
#[derive(Clone, Copy)]
struct Gone {
    entry: u32,
    class: u32,
    cell: u32,
}

/// A large table, in pages as large as the system has: looking up addresses took longer than reading.
enum Wide {
    Few(Vec<f32>),
    Many(MmapMut),
}

impl Wide {
    /// So many zeros.
    fn new(size: usize) -> Self {
        let many = (size > HUGE).then(|| MmapMut::map_anon(size * size_of::<f32>()));
        match many {
            Some(Ok(map)) => {
                // Where it is refused, small pages do.
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage);
                Self::Many(map)
            }
            _ => Self::Few(vec![0.0; size]),
        }
    }

    fn numbers(&self) -> &[f32] {
        match self {
            Self::Few(few) => few,
            Self::Many(many) => bytemuck::cast_slice(many),
        }
    }

    fn numbers_mut(&mut self) -> &mut [f32] {
        match self {
            Self::Few(few) => few,
            Self::Many(many) => bytemuck::cast_slice_mut(many),
        }
    }
}

impl Default for Wide {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Clone for Wide {
    fn clone(&self) -> Self {
        let mut new = Self::new(self.numbers().len());
        new.numbers_mut().copy_from_slice(self.numbers());
        new
    }
}

/// How a class speaks of a word.
#[derive(Clone, Copy, PartialEq)]
pub enum Event {
    Multinomial,
    Bernoulli,
    Complement,
}

impl Event {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "multinomial" => Some(Self::Multinomial),
            "bernoulli" => Some(Self::Bernoulli),
            "complement" => Some(Self::Complement),
            _ => None,
        }
    }
}

impl Scoring {
    pub fn len(&self) -> usize {
        self.own_starts.len() - 1
    }

    /// How many leanings it knows of.
    pub fn leanings(&self) -> usize {
        self.held.len()
    }
}

/// How rows are scored.
pub struct Manner<'a> {
    /// The form of values, and whether each row's words and characters have length 1.
    pub form: Form,
    pub short: bool,
    pub event: Event,
    /// Whether a text counts a word once; only the multinomial need not.
    pub once: bool,
    pub alpha: f64,
    /// The sums of the classes, or for Bernoulli their texts, and the number of words.
    pub sums: &'a [f64],
    pub vocabulary: f64,
    /// The fold that is left out, and whether its own rows are to be scored, in place of the others.
    pub fold: Option<u8>,
    pub inside: bool,
}

/// The loss, and its slope in exponents and leanings and in the bias.
pub struct Slope {
    pub loss: f64,
    pub exponents: Vec<f32>,
    pub bias: Vec<f64>,
}

/// One text on its way into the rows.
struct Read {
    entries: Vec<(u32, f32)>,
    first: usize,
    length: f32,
    distinct: f32,
    alone: f32,
    norms: [[f32; 2]; 3],
}

impl Rows {
    /// `numbers` of the words that take part, any others above them; `total`, in how many texts each word stands;
    /// `class`, the place of each of the kept labels.
    pub fn read(
        kept: &Kept,
        analyser: &Analyser,
        vocabulary: &Vocabulary,
        (numbers, total): (&[u32], &[f64]),
        class: &[u32],
        classes: usize,
    ) -> Self {
        let texts = kept.texts();
        let step = texts.len().div_ceil(64).max(1);
        let read = |scratch: &mut Scratch, texts: &[Text]| -> Vec<Read> {
            texts
                .iter()
                .map(|text| read(text, analyser, vocabulary, (numbers, total), scratch))
                .collect()
        };
        let tasks: Vec<_> = texts.chunks(step).collect();
        let done = share(threads(usize::MAX), tasks, Scratch::default, read);
        let width = match classes {
            0..=3 => 4,
            more => (more + 1).next_multiple_of(8),
        };
        let mut rows = Self {
            starts: vec![0],
            part_starts: vec![0],
            width,
            classes,
            ..Self::default()
        };
        for (text, one) in texts.iter().zip(done.into_iter().flatten()) {
            rows.words.extend(one.entries.iter().map(|entry| entry.0));
            rows.times.extend(one.entries.iter().map(|entry| entry.1));
            rows.starts.push(rows.words.len());
            rows.firsts.push(one.first as u32);
            rows.length.push(one.length);
            rows.distinct.push(one.distinct);
            rows.alone.push(one.alone);
            rows.norms.push(one.norms);
            let parts = text
                .labels
                .iter()
                .map(|&(label, weight)| (class[label as usize], weight as f32));
            rows.parts.extend(parts);
            rows.part_starts.push(rows.parts.len());
        }
        let used = numbers.iter().filter(|&&number| number != u32::MAX);
        rows.turn(used.max().map_or(0, |&last| last as usize + 1));
        rows
    }

    /// Finds the rows of each word.
    fn turn(&mut self, words: usize) {
        let mut starts = vec![0; words + 1];
        for &word in &self.words {
            starts[word as usize + 1] += 1;
        }
        for word in 0..words {
            starts[word + 1] += starts[word];
        }
        let mut next = starts.clone();
        self.turned = vec![0; self.words.len()];
        for row in 0..self.len() {
            for &word in &self.words[self.entries_of(row)] {
                let word = word as usize;
                self.turned[next[word]] = row as u32;
                next[word] += 1;
            }
        }
        self.turned_starts = starts;
    }

    pub fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The number of words that take part, and of classes.
    pub fn size(&self) -> (usize, usize) {
        (self.total.len(), self.classes)
    }

    /// The number of words that may lean, and of their leanings.
    pub fn leanings(&self) -> (usize, usize) {
        (self.leaning.words(), self.leaning.classes.len())
    }

    /// Row, class and weight of every part.
    pub fn parts(&self) -> Vec<(u32, u32, f32)> {
        (0..self.len())
            .flat_map(|row| {
                self.parts_of(row)
                    .iter()
                    .map(move |part| (row as u32, part.0, part.1))
            })
            .collect()
    }

    fn parts_of(&self, row: usize) -> &[Part] {
        &self.parts[self.part_starts[row]..self.part_starts[row + 1]]
    }

    fn entries_of(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Takes the fold of each row; false if they are not so many.
    pub fn deal(&mut self, folds: &[u8]) -> bool {
        self.folds = folds.to_vec();
        self.folds.len() == self.len()
    }

    /// Whether a row is left out with a fold.
    fn out(&self, row: usize, fold: Option<u8>) -> bool {
        fold.is_some() && self.folds.get(row).copied() == fold
    }

    /// Takes the counts of the words that take part, as cells of a class each, and in how many texts each stands.
    pub fn counted(&mut self, total: Vec<f32>, (number, class, count): (&[u32], &[u32], &[f64])) {
        self.counts = Wide::new(total.len() * self.width);
        let counts = self.counts.numbers_mut();
        self.total = total;
        for ((&number, &class), &count) in number.iter().zip(class).zip(count) {
            if (number as usize) < self.total.len() && (class as usize) < self.classes {
                counts[number as usize * self.width + class as usize] = count as f32;
            }
        }
    }

    /// Takes the classes that each word may lean to; false if they are none.
    pub fn lean(&mut self, starts: &[u32], classes: &[u32]) -> bool {
        let fits = starts.first() == Some(&0)
            && starts.is_sorted()
            && starts.last() == Some(&(classes.len() as u32))
            && classes.iter().all(|&class| (class as usize) < self.classes);
        if fits {
            self.leaning = Cells {
                starts: starts.to_vec(),
                classes: classes.to_vec(),
            };
        }
        fits
    }

    /// Prepares to score.
    pub fn scoring(&mut self, manner: &Manner) -> Scoring {
        let values = self.valued(manner.form, manner.short);
        let Manner {
            event,
            alpha,
            once,
            fold,
            inside,
            ..
        } = *manner;
        let (mut counts, mut total) = (None, None);
        let (mut sums, mut vocabulary) = (manner.sums.to_vec(), manner.vocabulary);
        if fold.is_some() {
            let (counts, total) = (
                counts.insert(self.counts.clone()),
                total.insert(self.total.clone()),
            );
            for row in (0..self.len()).filter(|&row| self.out(row, fold)) {
                self.leave(row, manner, counts.numbers_mut(), total, &mut sums);
                vocabulary -= f64::from(self.alone[row]);
            }
            let words = total.iter().zip(&self.total);
            vocabulary -= words.filter(|(left, all)| **left <= 0.0 && **all > 0.0).count() as f64;
        }
        let (counts, total) = (
            counts.as_ref().unwrap_or(&self.counts).numbers(),
            total.as_ref().unwrap_or(&self.total),
        );
        let small: Vec<f32> = (0..4096)
            .map(|count| (f64::from(count) + alpha).ln() as f32)
            .collect();
        let log = |count: f32| match small.get(count as usize) {
            Some(&log) if count.fract() == 0.0 && count >= 0.0 => log,
            _ => (f64::from(count.max(0.0)) + alpha).ln() as f32,
        };
        let says = |count: f32, class: usize, total: f32| match event {
            Event::Multinomial => log(count),
            Event::Bernoulli => log(count) - log((sums[class] - f64::from(count)) as f32),
            Event::Complement => -log(total - count - 1.0),
        };
        let mut logs = Wide::new(counts.len());
        let rows = logs.numbers_mut().chunks_exact_mut(self.width);
        for ((logs, counts), &total) in rows.zip(counts.chunks_exact(self.width)).zip(total) {
            for (class, (into, &count)) in logs.iter_mut().zip(counts).take(self.classes).enumerate() {
                *into = says(count, class, total);
            }
            logs[self.classes] = 1.0;
        }
        let mut scoring = Scoring {
            values,
            silent: vec![false; total.len()],
            logs,
            own: Vec::with_capacity(self.words.len()),
            own_starts: vec![0],
            mended: Vec::with_capacity(self.parts.len()),
            mended_starts: vec![0],
            gone: Vec::new(),
            gone_starts: vec![0],
            held: Vec::new(),
            sums: Vec::with_capacity(self.len() * self.width),
            fold,
        };
        let mut all = Vec::new();
        for row in 0..self.len() {
            let out = self.out(row, fold);
            let parts = if out { &[] } else { self.parts_of(row) };
            let weight: f32 = parts.iter().map(|part| part.1).sum();
            let mended = if event == Event::Complement && (parts.len() != 1 || weight != 1.0) {
                all.clear();
                all.extend((0..self.classes as u32).map(|class| (class, weight_in(parts, class))));
                &all[..]
            } else {
                parts
            };
            scoring.mended.extend(mended.iter().map(|part| part.0));
            scoring.mended_starts.push(scoring.mended.len());
            let mut alone = self.alone[row];
            for entry in self.entries_of(row) {
                if let Some(&ahead) = self.words.get(entry + AHEAD) {
                    let first = parts.first().map_or(0, |part| part.0 as usize);
                    prefetch(counts, ahead as usize * self.width + first);
                }
                let word = self.words[entry] as usize;
                if total[word] <= weight {
                    scoring.silent[word] |= out == inside;
                    alone += 1.0;
                }
                let counts = &counts[word * self.width..];
                let times = if once { 1.0 } else { self.times[entry] };
                for &(class, own) in mended {
                    let count = counts[class as usize];
                    let others = total[word] - count;
                    scoring.own.push(match event {
                        Event::Complement => log(others - 1.0) - log(others - (weight - own)),
                        _ => log(count - own * times) - log(count),
                    });
                }
                for &(class, weight) in parts {
                    let lost = counts[class as usize] - weight * times <= 0.0 && !scoring.silent[word];
                    let found = lost.then(|| self.leaning.find(word, class));
                    if let Some(cell) = found.flatten() {
                        let entry = (entry - self.starts[row]) as u32;
                        let cell = cell as u32;
                        scoring.gone.push(Gone { entry, class, cell });
                    }
                }
            }
            scoring.gone_starts.push(scoring.gone.len());
            scoring.own_starts.push(scoring.own.len());
            // Words of the fold alone are gone with it.
            let whole = alpha * (vocabulary - if out { 0.0 } else { f64::from(alone) });
            let start = scoring.sums.len();
            scoring.sums.resize(start + self.width, 0.0);
            let put = parts
                .iter()
                .map(|&(class, weight)| (class as usize, f64::from(weight * self.size_of(row, manner))));
            without(event, &sums, put, whole, &mut scoring.sums[start..]);
        }
        for word in 0..self.leaning.words().min(total.len()) {
            let known = !scoring.silent[word];
            let has = |cell: usize| counts[word * self.width + self.leaning.classes[cell] as usize] > 0.0;
            scoring
                .held
                .extend(self.leaning.of(word).map(|cell| known && has(cell)));
        }
        scoring
    }

    fn valued(&mut self, form: Form, short: bool) -> Arc<Values> {
        if let Some(values) = self.values.as_ref().filter(|values| values.form == (form, short)) {
            return Arc::clone(values);
        }
        let rows = self.row_values(form, short);
        let (mut next, mut turned) = (self.turned_starts.clone(), vec![0.0; rows.len()]);
        for (&word, &value) in self.words.iter().zip(&rows) {
            turned[next[word as usize]] = value;
            next[word as usize] += 1;
        }
        let form = (form, short);
        Arc::clone(self.values.insert(Arc::new(Values { form, rows, turned })))
    }

    /// How much a row of weight 1 put into the sum of its class.
    fn size_of(&self, row: usize, manner: &Manner) -> f32 {
        match manner.event {
            Event::Bernoulli => 1.0,
            _ if manner.once => self.distinct[row],
            _ => self.length[row],
        }
    }

    /// Takes a row out of counts.
    fn leave(&self, row: usize, manner: &Manner, counts: &mut [f32], total: &mut [f32], sums: &mut [f64]) {
        let size = self.size_of(row, manner);
        for &(class, weight) in self.parts_of(row) {
            sums[class as usize] -= f64::from(weight * size);
            for entry in self.entries_of(row) {
                let word = self.words[entry] as usize;
                let times = if manner.once { 1.0 } else { self.times[entry] };
                counts[word * self.width + class as usize] -= weight * times;
                total[word] -= weight;
            }
        }
    }

    /// The value of every entry.
    fn row_values(&self, form: Form, short: bool) -> Vec<f32> {
        let mut values: Vec<_> = self
            .times
            .iter()
            .map(|&times| form.value(f64::from(times)) as f32)
            .collect();
        for row in (0..self.len()).filter(|_| short) {
            let range = self.entries_of(row);
            let (words, characters) = values[range].split_at_mut(self.firsts[row] as usize);
            let [first, second] = self.norms[row][form as usize];
            words.iter_mut().for_each(|value| *value /= first);
            characters.iter_mut().for_each(|value| *value /= second);
        }
        values
    }
}

/// The weight of a row in a class.
fn weight_in(parts: &[Part], class: u32) -> f32 {
    let own = parts.iter().filter(|part| part.0 == class);
    own.map(|part| part.1).sum()
}

/// What a word of value 1 takes from the score of each class, given the `sums` of the classes, what the row itself `put`
/// into them, and what is added to a `whole` sum.
fn without(
    event: Event,
    sums: &[f64],
    put: impl Iterator<Item = (usize, f64)> + Clone,
    whole: f64,
    into: &mut [f32],
) {
    // Where nothing is left, no word is known, and nothing is multiplied with this.
    let log = |sum: f64| (sum.max(0.0) + whole).max(f64::MIN_POSITIVE).ln() as f32;
    match event {
        Event::Bernoulli => {}
        Event::Multinomial => {
            into.iter_mut()
                .zip(sums)
                .for_each(|(into, &sum)| *into = log(sum));
            put.for_each(|(class, put)| into[class] = log(sums[class] - put));
        }
        Event::Complement => {
            let left = sums.iter().sum::<f64>() - put.clone().map(|(_, put)| put).sum::<f64>();
            into.iter_mut()
                .zip(sums)
                .for_each(|(into, &sum)| *into = -log(left - sum));
            put.for_each(|(class, put)| into[class] = -log(left - sums[class] + put));
        }
    }
}

/// Rows and what they are scored by.
pub struct Scored<'a> {
    pub rows: &'a Rows,
    pub by: &'a Scoring,
}

impl Scored<'_> {
    /// The scores of all rows.
    pub fn scores(&self, exponents: &[f32], bias: &[f32]) -> Vec<f32> {
        let classes = self.rows.classes;
        let believed = self.believed(exponents, bias);
        let job = |room: &mut Vec<f32>, rows: Range<usize>| {
            let mut scores = Vec::with_capacity(rows.len() * classes);
            for row in rows {
                self.score(row, &believed, room);
                scores.extend_from_slice(&room[..classes]);
            }
            scores
        };
        self.shared(job).concat()
    }

    /// The loss of all rows that are not left out, and its slope.
    pub fn slope(&self, exponents: &[f32], bias: &[f32]) -> Slope {
        let believed = self.believed(exponents, bias);
        let pieces = self.off(&believed, false);
        let table: Vec<f32> = pieces.iter().flat_map(|piece| &piece.off).copied().collect();
        let mut found = self.turned(&table, false, exponents.len());
        let mut slope = Slope {
            loss: 0.0,
            exponents: Vec::new(),
            bias: vec![0.0; self.rows.classes],
        };
        for piece in &pieces {
            slope.loss += piece.loss;
            add(&mut slope.bias, &piece.bias);
            add(&mut found, &piece.own);
            for &(cell, off) in piece.gone.iter().filter(|_| !believed.leanings.is_empty()) {
                found[self.rows.total.len() + cell as usize] -= off;
            }
        }
        let words = found.iter_mut().zip(&self.by.silent);
        words
            .filter(|(_, silent)| **silent)
            .for_each(|(slope, _)| *slope = 0.0);
        slope.exponents = found;
        slope
    }

    /// About how much the loss bends in each exponent and leaning.
    pub fn curvature(&self, exponents: &[f32], bias: &[f32]) -> Vec<f32> {
        let pieces = self.off(&self.believed(exponents, bias), true);
        let table: Vec<f32> = pieces.iter().flat_map(|piece| &piece.off).copied().collect();
        self.turned(&table, true, exponents.len())
    }

    /// How far the probabilities of each row are off, or how much they vary.
    fn off(&self, believed: &Believed, curved: bool) -> Vec<Piece> {
        let rows = self.rows;
        let job = |room: &mut Vec<f32>, some: Range<usize>| {
            let mut piece = Piece {
                off: vec![0.0; some.len() * rows.width],
                own: vec![0.0; rows.total.len()],
                bias: vec![0.0; rows.classes],
                ..Piece::default()
            };
            let first = some.start;
            for row in some.filter(|&row| !rows.out(row, self.by.fold)) {
                self.score(row, believed, room);
                self.descend(row, first, room, &mut piece, curved);
            }
            piece
        };
        self.shared(job)
    }

    /// Sums over the rows of each word, in exponents and, if there are so many numbers, leanings.
    fn turned(&self, off: &[f32], curved: bool, size: usize) -> Vec<f32> {
        let (rows, words) = (self.rows, self.rows.total.len());
        let step = rows.words.len().div_ceil(64).max(1);
        let mut ends: Vec<_> = (0..=64)
            .map(|piece| {
                rows.turned_starts
                    .partition_point(|&start| start < piece * step)
                    .min(words)
            })
            .collect();
        ends.push(words);
        ends[0] = 0;
        let mean = self.mean_sums();
        let turned = Turned {
            off,
            mean: &mean,
            curved,
            leaning: size > words,
        };
        let job = |(): &mut (), ends: &[usize]| {
            let words = ends[0]..ends[1];
            match rows.width {
                4 => add_up::<4, 1>(self, &turned, words),
                8 => add_up::<8, 1>(self, &turned, words),
                16 => add_up::<8, 2>(self, &turned, words),
                24 => add_up::<8, 3>(self, &turned, words),
                _ => add_up::<8, 0>(self, &turned, words),
            }
        };
        let done = share(
            threads(rows.words.len() * rows.width),
            ends.windows(2),
            || (),
            job,
        );
        let (exponents, leanings): (Vec<_>, Vec<_>) = done.into_iter().unzip();
        let mut found = exponents.concat();
        found.extend(leanings.into_iter().flatten());
        found
    }

    /// The mean of the logarithms of the sums of each class.
    fn mean_sums(&self) -> Vec<f32> {
        let mut mean = vec![0.0; self.rows.width];
        for sums in self.by.sums.chunks_exact(self.rows.width) {
            add(&mut mean, sums);
        }
        let rows = self.rows.len().max(1) as f32;
        mean.iter().map(|sum| sum / rows).collect()
    }

    fn believed<'b>(&self, exponents: &'b [f32], bias: &'b [f32]) -> Believed<'b> {
        let (rows, width) = (self.rows, self.rows.width);
        let (exponents, leanings) = exponents.split_at(rows.total.len());
        let logs = self.by.logs.numbers();
        let mut table = Wide::new(logs.len());
        let numbers = table.numbers_mut();
        let words = numbers.chunks_exact_mut(width).zip(logs.chunks_exact(width));
        for ((says, logs), (&exponent, &silent)) in words.zip(exponents.iter().zip(&self.by.silent)) {
            let exponent = if silent { 0.0 } else { exponent };
            says.iter_mut()
                .zip(logs)
                .for_each(|(says, log)| *says = exponent * log);
        }
        for word in (0..rows.leaning.words()).filter(|_| !leanings.is_empty()) {
            for cell in rows.leaning.of(word) {
                if self.by.held[cell] {
                    numbers[word * width + rows.leaning.classes[cell] as usize] += leanings[cell];
                }
            }
        }
        Believed {
            table,
            leanings,
            bias,
        }
    }

    fn shared<R: Send>(&self, job: impl Fn(&mut Vec<f32>, Range<usize>) -> R + Sync) -> Vec<R> {
        let (rows, cells) = (self.rows.len(), self.rows.words.len() * self.rows.width);
        let step = rows.div_ceil(PIECES).max(1);
        let pieces = (0..rows)
            .step_by(step)
            .map(|first| first..(first + step).min(rows));
        let room = || vec![0.0; self.rows.width];
        share(threads(cells), pieces.collect::<Vec<_>>(), room, job)
    }

    fn view(&self, row: usize) -> View<'_> {
        let (rows, by, width) = (self.rows, self.by, self.rows.width);
        let entries = rows.entries_of(row);
        View {
            words: &rows.words[entries.clone()],
            ahead: &rows.words[(entries.start + AHEAD).min(rows.words.len())..],
            values: &by.values.rows[entries],
            own: &by.own[by.own_starts[row]..by.own_starts[row + 1]],
            gone: &by.gone[by.gone_starts[row]..by.gone_starts[row + 1]],
            sums: &by.sums[row * width..(row + 1) * width],
            parts: if rows.out(row, by.fold) {
                &[]
            } else {
                rows.parts_of(row)
            },
            mended: &by.mended[by.mended_starts[row]..by.mended_starts[row + 1]],
            classes: rows.classes,
        }
    }

    fn score(&self, row: usize, believed: &Believed, scores: &mut [f32]) {
        let view = self.view(row);
        match self.rows.width {
            4 => score::<4, 1>(&view, believed, scores),
            8 => score::<8, 1>(&view, believed, scores),
            16 => score::<8, 2>(&view, believed, scores),
            24 => score::<8, 3>(&view, believed, scores),
            _ => score::<8, 0>(&view, believed, scores),
        }
    }

    /// Turns scores into how far the probabilities are off, or how much they vary, for a piece from row `first` on.
    fn descend(&self, row: usize, first: usize, scores: &mut [f32], piece: &mut Piece, curved: bool) {
        let (view, width) = (self.view(row), self.rows.width);
        let scores = &mut scores[..width];
        likely(&mut scores[..view.classes]);
        let weight = view.parts.iter().map(|part| part.1).sum::<f32>();
        let off = &mut piece.off[(row - first) * width..][..width];
        for (off, &p) in off.iter_mut().zip(&scores[..view.classes]) {
            *off = weight * p.exp() * if curved { 1.0 - p.exp() } else { 1.0 };
        }
        if curved {
            return;
        }
        for &(class, weight) in view.parts {
            off[class as usize] -= weight;
            piece.loss -= f64::from(weight) * f64::from(scores[class as usize]);
        }
        for (bias, off) in piece.bias.iter_mut().zip(&*off) {
            *bias += f64::from(*off);
        }
        off[view.classes] = -dot(off, view.sums);
        for (place, &class) in view.mended.iter().enumerate() {
            let off = off[class as usize];
            let own = view.own.iter().skip(place).step_by(view.mended.len());
            for ((&word, &value), own) in view.words.iter().zip(view.values).zip(own) {
                piece.own[word as usize] += value * off * own;
            }
        }
        let gone = view.gone.iter();
        piece.gone.extend(gone.map(|gone| {
            (
                gone.cell,
                view.values[gone.entry as usize] * off[gone.class as usize],
            )
        }));
    }
}

/// What a piece of the rows yields: their loss, how far they are off, and what follows from that for the bias, for
/// exponents by what rows put into counts themselves, and for leanings that are gone without them.
#[derive(Default)]
struct Piece {
    loss: f64,
    off: Vec<f32>,
    bias: Vec<f64>,
    own: Vec<f32>,
    gone: Vec<(u32, f32)>,
}

/// What is added up word by word.
struct Turned<'a> {
    off: &'a [f32],
    mean: &'a [f32],
    curved: bool,
    leaning: bool,
}

fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], more: &[T]) {
    sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
}

/// The sum of products, in lanes whose order is fixed.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 4];
    for (a, b) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
        for lane in 0..4 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum()
}

/// Turns scores into logarithms of probabilities.
fn likely(scores: &mut [f32]) {
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - best).exp()).sum();
    let whole = best + sum.ln();
    scores.iter_mut().for_each(|score| *score -= whole);
}

/// One table of what words say of classes, exponents and leanings together; leanings, or none; the bias of classes.
struct Believed<'a> {
    table: Wide,
    leanings: &'a [f32],
    bias: &'a [f32],
}

/// One row with all that it is scored by.
struct View<'a> {
    words: &'a [u32],
    /// The words that will be asked for soon.
    ahead: &'a [u32],
    values: &'a [f32],
    own: &'a [f32],
    /// The classes to which `own` is added.
    mended: &'a [u32],
    gone: &'a [Gone],
    sums: &'a [f32],
    parts: &'a [Part],
    classes: usize,
}

/// Adds a multiple of numbers that stand one after another, in lanes.
#[inline(always)]
fn take<const L: usize>(sums: &mut [[f32; L]], value: f32, numbers: &[f32]) {
    for (sums, numbers) in sums.iter_mut().zip(numbers.as_chunks::<L>().0) {
        for lane in 0..L {
            sums[lane] += value * numbers[lane];
        }
    }
}

/// Scores one row; columns are B times L, any number of them if B is 0.
#[multiversion(targets("x86_64+avx2+fma"))]
fn score<const L: usize, const B: usize>(view: &View, believed: &Believed, scores: &mut [f32]) {
    let width = if B == 0 { view.sums.len() } else { L * B };
    let (scores, classes) = (&mut scores[..width], view.classes);
    let Believed {
        table,
        leanings,
        bias,
    } = believed;
    let table = table.numbers();
    scores.fill(0.0);
    let (mut few, mut own) = ([[0.0f32; L]; B], 0.0);
    let alone = view.mended.len() == 1;
    for (entry, (&word, &value)) in view.words.iter().zip(view.values).enumerate() {
        if let Some(&ahead) = view.ahead.get(entry) {
            for line in 0..width.div_ceil(LINE) {
                prefetch(table, ahead as usize * width + line * LINE);
            }
        }
        let says = &table[word as usize * width..][..width];
        if B == 0 {
            take(scores.as_chunks_mut::<L>().0, value, says);
        } else {
            take(&mut few, value, says);
        }
        if alone {
            own += value * says[classes] * view.own[entry];
        }
    }
    for (scores, few) in scores.as_chunks_mut::<L>().0.iter_mut().zip(few) {
        *scores = few;
    }
    for (place, &class) in view.mended.iter().enumerate() {
        if alone {
            scores[class as usize] += own;
            break;
        }
        for (entry, (&word, &value)) in view.words.iter().zip(view.values).enumerate() {
            let exponent = table[word as usize * width + classes];
            scores[class as usize] += value * exponent * view.own[entry * view.mended.len() + place];
        }
    }
    for gone in view.gone.iter().filter(|_| !leanings.is_empty()) {
        scores[gone.class as usize] -= view.values[gone.entry as usize] * leanings[gone.cell as usize];
    }
    let whole = scores[classes];
    for ((score, sum), bias) in scores.iter_mut().zip(view.sums).zip(*bias) {
        *score += bias - whole * sum;
    }
}

/// Slopes, or curvatures, of some words and of their leanings; columns are B times L, any number of them if B is 0.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_up<const L: usize, const B: usize>(
    scored: &Scored,
    turned: &Turned,
    words: Range<usize>,
) -> (Vec<f32>, Vec<f32>) {
    let (rows, by) = (scored.rows, scored.by);
    let width = if B == 0 { rows.width } else { L * B };
    let (mut exponents, mut leanings) = (Vec::with_capacity(words.len()), Vec::new());
    let mut sums = vec![0.0f32; width];
    let sums = &mut sums[..width];
    for word in words {
        sums.fill(0.0);
        let mut few = [[0.0f32; L]; B];
        let entries = rows.turned_starts[word]..rows.turned_starts[word + 1];
        for (&row, &value) in rows.turned[entries.clone()]
            .iter()
            .zip(&by.values.turned[entries])
        {
            let value = if turned.curved { value * value } else { value };
            let off = &turned.off[row as usize * width..][..width];
            if B == 0 {
                take(sums.as_chunks_mut::<L>().0, value, off);
            } else {
                take(&mut few, value, off);
            }
        }
        for (sums, few) in sums.as_chunks_mut::<L>().0.iter_mut().zip(few) {
            *sums = few;
        }
        let logs = &by.logs.numbers()[word * width..][..width];
        exponents.push(if turned.curved {
            bent(&sums[..rows.classes], logs, turned.mean)
        } else {
            dot(logs, sums)
        });
        for cell in rows.leaning.of(word).filter(|_| turned.leaning) {
            let class = rows.leaning.classes[cell] as usize;
            leanings.push(if by.held[cell] { sums[class] } else { 0.0 });
        }
    }
    (exponents, leanings)
}

/// About how much a word's evidence varies, given how much the probability of each class does: exact for two classes.
fn bent(vary: &[f32], logs: &[f32], sums: &[f32]) -> f32 {
    let classes = vary.len() as f32;
    let says = || logs.iter().zip(sums).take(vary.len()).map(|(log, sum)| log - sum);
    let mean = says().sum::<f32>() / classes;
    let whole: f32 = vary
        .iter()
        .zip(says())
        .map(|(vary, says)| vary * (says - mean).powi(2))
        .sum();
    whole * classes / (classes - 1.0).max(1.0)
}

fn read(
    text: &Text,
    analyser: &Analyser,
    vocabulary: &Vocabulary,
    (numbers, total): (&[u32], &[f64]),
    scratch: &mut Scratch,
) -> Read {
    let weight: f64 = text.labels.iter().map(|label| label.1).sum();
    let limit = numbers.len() as u32;
    let mut read = Read {
        entries: Vec::new(),
        first: 0,
        length: 0.0,
        distinct: 0.0,
        alone: 0.0,
        norms: [[0.0; 2]; 3],
    };
    let views = scratch.times(analyser, vocabulary, text.bytes);
    for (view, words) in views.iter().enumerate() {
        for &(word, times) in words {
            let times = times as f32;
            for (norm, form) in read.norms.iter_mut().zip(FORMS) {
                norm[view] += form.value(f64::from(times)).powi(2) as f32;
            }
            if word >= limit {
                continue;
            }
            read.length += times;
            read.distinct += 1.0;
            if total[word as usize] <= weight {
                read.alone += 1.0;
            } else if numbers[word as usize] != u32::MAX {
                read.entries.push((numbers[word as usize], times));
            }
        }
        if view == 0 {
            read.first = read.entries.len();
        }
    }
    for norm in read.norms.iter_mut().flatten() {
        *norm = norm.sqrt().max(1.0);
    }
    read
}
