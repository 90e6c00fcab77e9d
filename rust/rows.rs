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

use std::ops::Range;

use multiversion::multiversion;

use crate::analyse::Analyser;
use crate::buffer::prefetch;
use crate::form::{FORMS, Form};
use crate::judge::{Scratch, Vocabulary};
use crate::kept::{Kept, Text};
use crate::threads::{share, threads};

/// Rows go to threads in so many pieces, whatever the number of threads: sums come out the same.
const PIECES: usize = 8;
/// The memory is asked for the logarithms of a word so many entries ahead.
const AHEAD: usize = 16;
/// Numbers in a line of the cache.
const LINE: usize = 16;
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
    /// The width of rows of the tables: the number of classes, or a little more.
    width: usize,
    classes: usize,
    /// In how many texts each word stands, and its counts in each class.
    total: Vec<f32>,
    counts: Vec<f32>,
    leaning: Cells,
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

    /// The places of all cells in a table with a row for each word.
    fn places(&self, width: usize) -> impl Iterator<Item = usize> {
        let words = self.starts.windows(2).enumerate();
        words.flat_map(move |(word, ends)| {
            let classes = &self.classes[ends[0] as usize..ends[1] as usize];
            classes.iter().map(move |&class| word * width + class as usize)
        })
    }

    /// A table of leanings up to the last word that has any.
    fn table(&self, leanings: &[f32], width: usize, by: &Scoring) -> Vec<f32> {
        let last = self
            .starts
            .partition_point(|&start| (start as usize) < leanings.len());
        let mut table = vec![0.0; last * width];
        for (place, &leaning) in self.places(width).zip(leanings) {
            table[place] = if by.has(place) { leaning } else { 0.0 };
        }
        table
    }

    /// Takes the numbers of the cells out of a table, in which nothing stays.
    fn gather(&self, table: &mut [f32], width: usize, by: &Scoring) -> Vec<f32> {
        let number = |place| if by.has(place) { table[place] } else { 0.0 };
        let found = self.places(width).map(number).collect();
        table.fill(0.0);
        found
    }
}

/// What rows are scored by: counts of all texts, or of all but a fold, without the row itself.
pub struct Scoring {
    values: Vec<f32>,
    logs: Aligned,
    /// Logarithms of counts without the row: for each entry, for each of the row's parts.
    own: Vec<f32>,
    own_starts: Vec<usize>,
    /// The logarithm of a count of nothing.
    nothing: f32,
    /// Logarithms of the sums of classes without the row.
    sums: Vec<f32>,
    /// Each `folds`-th row from `fold` on is left out of the counts and of the loss.
    fold: Fold,
}

/// Numbers from the start of a line of the cache on.
struct Aligned {
    all: Vec<f32>,
    start: usize,
}

impl Aligned {
    fn new(numbers: impl ExactSizeIterator<Item = f32>) -> Self {
        let mut all: Vec<f32> = Vec::with_capacity(numbers.len() + LINE);
        let start = all.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE);
        all.resize(start, 0.0);
        all.extend(numbers);
        Self { all, start }
    }

    fn numbers(&self) -> &[f32] {
        &self.all[self.start..]
    }
}

/// One of so many, each `folds`-th row from `fold` on; none of them if there are 0.
#[derive(Clone, Copy)]
pub struct Fold {
    pub folds: usize,
    pub fold: usize,
}

impl Scoring {
    pub fn len(&self) -> usize {
        self.own_starts.len() - 1
    }

    /// Whether, without the fold, anything is left of a count.
    fn has(&self, place: usize) -> bool {
        self.logs.numbers()[place] > self.nothing
    }
}

impl Fold {
    fn holds(self, row: usize) -> bool {
        self.folds > 0 && row % self.folds == self.fold
    }
}

/// How rows are scored.
pub struct Manner<'a> {
    /// The form of values, and whether each row's words and characters have length 1.
    pub form: Form,
    pub short: bool,
    /// Whether a text counts a word once.
    pub once: bool,
    pub alpha: f64,
    /// The sums of the classes, and the number of words.
    pub sums: &'a [f64],
    pub vocabulary: f64,
    pub fold: Fold,
}

/// What a pass over the rows yields: the loss, and its gradient and curvature in the exponents and the bias.
#[derive(Default)]
pub struct Slope {
    pub loss: f64,
    pub exponents: Vec<f32>,
    pub curvature: Vec<f32>,
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
            0..=2 => 2,
            3..=4 => 4,
            more => more.next_multiple_of(8),
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
        rows
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

    /// Takes the counts of the words that take part, as cells of a class each, and in how many texts each stands.
    pub fn counted(&mut self, total: Vec<f32>, (number, class, count): (&[u32], &[u32], &[f64])) {
        self.counts = vec![0.0; total.len() * self.width];
        self.total = total;
        for ((&number, &class), &count) in number.iter().zip(class).zip(count) {
            if (number as usize) < self.total.len() && (class as usize) < self.classes {
                self.counts[number as usize * self.width + class as usize] = count as f32;
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
    pub fn scoring(&self, manner: &Manner) -> Scoring {
        let Manner {
            alpha, once, fold, ..
        } = *manner;
        let (mut counts, mut total) = (None, None);
        let (mut sums, mut vocabulary) = (manner.sums.to_vec(), manner.vocabulary);
        if fold.folds > 0 {
            let (counts, total) = (
                counts.insert(self.counts.clone()),
                total.insert(self.total.clone()),
            );
            for row in (fold.fold..self.len()).step_by(fold.folds) {
                self.leave(row, once, counts, total, &mut sums);
                vocabulary -= f64::from(self.alone[row]);
            }
            let words = total.iter().zip(&self.total);
            vocabulary -= words.filter(|(left, all)| **left <= 0.0 && **all > 0.0).count() as f64;
        }
        let (counts, total) = (
            counts.as_ref().unwrap_or(&self.counts),
            total.as_ref().unwrap_or(&self.total),
        );
        let small: Vec<f32> = (0..4096)
            .map(|count| (f64::from(count) + alpha).ln() as f32)
            .collect();
        let log = |count: f32| match small.get(count as usize) {
            Some(&log) if count.fract() == 0.0 && count >= 0.0 => log,
            _ => (f64::from(count.max(0.0)) + alpha).ln() as f32,
        };
        let mut scoring = Scoring {
            values: self.values(manner.form, manner.short),
            logs: Aligned::new(counts.iter().map(|&count| log(count))),
            own: Vec::with_capacity(self.words.len()),
            own_starts: vec![0],
            nothing: log(0.0),
            sums: Vec::with_capacity(self.len() * self.width),
            fold,
        };
        // Where nothing is left, no word is known, and nothing is multiplied with this.
        let log_sum = |sum: f64| sum.max(f64::MIN_POSITIVE).ln() as f32;
        for row in 0..self.len() {
            let parts = if fold.holds(row) { &[] } else { self.parts_of(row) };
            let weight: f32 = parts.iter().map(|part| part.1).sum();
            let mut alone = self.alone[row];
            for entry in self.entries_of(row) {
                let word = self.words[entry] as usize;
                if total[word] <= weight {
                    // With the fold gone, the word stands nowhere else.
                    scoring.values[entry] = 0.0;
                    alone += 1.0;
                }
                let counts = &counts[word * self.width..];
                let times = if once { 1.0 } else { self.times[entry] };
                let left = parts
                    .iter()
                    .map(|&(class, weight)| log(counts[class as usize] - weight * times));
                scoring.own.extend(left);
            }
            scoring.own_starts.push(scoring.own.len());
            let size = if once {
                self.distinct[row]
            } else {
                self.length[row]
            };
            let whole = alpha * (vocabulary - f64::from(alone));
            let start = scoring.sums.len();
            scoring.sums.extend(sums.iter().map(|sum| log_sum(sum + whole)));
            scoring.sums.resize(start + self.width, 0.0);
            for &(class, weight) in parts {
                let left = sums[class as usize] - f64::from(weight * size);
                scoring.sums[start + class as usize] = log_sum(left.max(0.0) + whole);
            }
        }
        scoring
    }

    /// Takes a row out of counts.
    fn leave(&self, row: usize, once: bool, counts: &mut [f32], total: &mut [f32], sums: &mut [f64]) {
        let size = if once {
            self.distinct[row]
        } else {
            self.length[row]
        };
        for &(class, weight) in self.parts_of(row) {
            sums[class as usize] -= f64::from(weight * size);
            for entry in self.entries_of(row) {
                let word = self.words[entry] as usize;
                let times = if once { 1.0 } else { self.times[entry] };
                counts[word * self.width + class as usize] -= weight * times;
                total[word] -= weight;
            }
        }
    }

    /// The value of every entry.
    fn values(&self, form: Form, short: bool) -> Vec<f32> {
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
        let job = |room: &mut Room, rows: Range<usize>| {
            let mut scores = Vec::with_capacity(rows.len() * classes);
            for row in rows {
                self.score(row, &believed, &mut room.scores);
                scores.extend_from_slice(&room.scores[..classes]);
            }
            scores
        };
        self.shared(job).concat()
    }

    /// The loss of all rows that are not left out, and its slope.
    pub fn slope(&self, exponents: &[f32], bias: &[f32], curved: bool) -> Slope {
        let (leaning, width) = (&self.rows.leaning, self.rows.width);
        let believed = self.believed(exponents, bias);
        let (words, size) = (believed.exponents.len(), believed.leanings.len());
        let job = |room: &mut Room, rows: Range<usize>| {
            let mut slope = Slope {
                loss: 0.0,
                exponents: vec![0.0; words],
                curvature: vec![0.0; if curved { words } else { 0 }],
                bias: vec![0.0; self.rows.classes],
            };
            room.slopes.resize(size, 0.0);
            room.curvatures.resize(if curved { size } else { 0 }, 0.0);
            for row in rows.filter(|&row| !self.by.fold.holds(row)) {
                self.score(row, &believed, &mut room.scores);
                self.descend(row, room, &mut slope);
            }
            if size > 0 {
                slope
                    .exponents
                    .extend(leaning.gather(&mut room.slopes, width, self.by));
            }
            if size > 0 && curved {
                slope
                    .curvature
                    .extend(leaning.gather(&mut room.curvatures, width, self.by));
            }
            slope
        };
        let slopes = self.shared(job).into_iter();
        slopes.reduce(Slope::plus).unwrap_or_default()
    }

    fn believed<'b>(&self, exponents: &'b [f32], bias: &'b [f32]) -> Believed<'b> {
        let (exponents, leanings) = exponents.split_at(self.rows.total.len());
        let leanings = self.rows.leaning.table(leanings, self.rows.width, self.by);
        Believed {
            exponents,
            leanings,
            bias,
        }
    }

    fn shared<R: Send>(&self, job: impl Fn(&mut Room, Range<usize>) -> R + Sync) -> Vec<R> {
        let (rows, cells) = (self.rows.len(), self.rows.words.len() * self.rows.width);
        let step = rows.div_ceil(PIECES).max(1);
        let pieces = (0..rows)
            .step_by(step)
            .map(|first| first..(first + step).min(rows));
        let room = || Room {
            scores: vec![0.0; self.rows.width],
            ..Room::default()
        };
        share(threads(cells), pieces.collect::<Vec<_>>(), room, job)
    }

    fn view(&self, row: usize) -> View<'_> {
        let (rows, by, width) = (self.rows, self.by, self.rows.width);
        let entries = rows.entries_of(row);
        View {
            words: &rows.words[entries.clone()],
            ahead: &rows.words[(entries.start + AHEAD).min(rows.words.len())..],
            values: &by.values[entries],
            logs: by.logs.numbers(),
            own: &by.own[by.own_starts[row]..by.own_starts[row + 1]],
            nothing: by.nothing,
            sums: &by.sums[row * width..(row + 1) * width],
            parts: if by.fold.holds(row) {
                &[]
            } else {
                rows.parts_of(row)
            },
            classes: rows.classes,
        }
    }

    fn score(&self, row: usize, believed: &Believed, scores: &mut [f32]) {
        let view = self.view(row);
        match self.rows.width {
            2 => score::<2>(&view, believed, scores),
            4 => score::<4>(&view, believed, scores),
            8 => score::<8>(&view, believed, scores),
            16 => score::<16>(&view, believed, scores),
            24 => score::<24>(&view, believed, scores),
            _ => score::<0>(&view, believed, scores),
        }
    }

    /// Turns scores into how far the probabilities are off, and adds up where to go.
    fn descend(&self, row: usize, room: &mut Room, slope: &mut Slope) {
        let view = self.view(row);
        match self.rows.width {
            2 => descend::<2>(&view, room, slope),
            4 => descend::<4>(&view, room, slope),
            8 => descend::<8>(&view, room, slope),
            16 => descend::<16>(&view, room, slope),
            24 => descend::<24>(&view, room, slope),
            _ => descend::<0>(&view, room, slope),
        }
    }
}

impl Slope {
    fn plus(mut self, more: Self) -> Self {
        self.loss += more.loss;
        add(&mut self.exponents, &more.exponents);
        add(&mut self.curvature, &more.curvature);
        add(&mut self.bias, &more.bias);
        self
    }
}

fn add<T: Copy + std::ops::AddAssign>(sums: &mut [T], more: &[T]) {
    sums.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
}

/// Exponents of words, their leanings as a table, or none, and the bias of classes.
struct Believed<'a> {
    exponents: &'a [f32],
    leanings: Vec<f32>,
    bias: &'a [f32],
}

/// What a thread writes to: the scores of a row; tables of slopes and curvatures in the leanings.
#[derive(Default)]
struct Room {
    scores: Vec<f32>,
    slopes: Vec<f32>,
    curvatures: Vec<f32>,
}

/// One row with all that it is scored by.
struct View<'a> {
    words: &'a [u32],
    /// The words that will be asked for soon.
    ahead: &'a [u32],
    values: &'a [f32],
    logs: &'a [f32],
    own: &'a [f32],
    nothing: f32,
    sums: &'a [f32],
    parts: &'a [Part],
    classes: usize,
}

impl View<'_> {
    /// The classes of the row in which, without it, nothing is left of the count of an entry.
    #[inline(always)]
    fn gone(&self, entry: usize) -> impl Iterator<Item = usize> {
        let own = &self.own[entry * self.parts.len()..][..self.parts.len()];
        let gone = own
            .iter()
            .zip(self.parts)
            .filter(|(own, _)| **own <= self.nothing);
        gone.map(|(_, part)| part.0 as usize)
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn score<const K: usize>(view: &View, believed: &Believed, scores: &mut [f32]) {
    let width = if K == 0 { view.sums.len() } else { K };
    let scores = &mut scores[..width];
    let Believed {
        exponents,
        leanings,
        bias,
    } = believed;
    scores.fill(0.0);
    scores[..view.classes].copy_from_slice(&bias[..view.classes]);
    let mut whole = 0.0;
    let mut own = [0.0f32; 1];
    let first = view.parts.first().map_or(0, |part| part.0 as usize);
    for (entry, (&word, &value)) in view.words.iter().zip(view.values).enumerate() {
        if let Some(&ahead) = view.ahead.get(entry) {
            prefetch(exponents, ahead as usize);
            for line in 0..width.div_ceil(LINE) {
                prefetch(view.logs, ahead as usize * width + line * LINE);
                prefetch(leanings, ahead as usize * width + line * LINE);
            }
        }
        let says = exponents[word as usize] * value;
        whole += says;
        let logs = &view.logs[word as usize * width..][..width];
        for (score, log) in scores.iter_mut().zip(logs) {
            *score += says * log;
        }
        if view.parts.len() == 1 {
            own[0] += says * (view.own[entry] - logs[first]);
        } else {
            for (part, &(class, _)) in view.parts.iter().enumerate() {
                let class = class as usize;
                scores[class] += says * (view.own[entry * view.parts.len() + part] - logs[class]);
            }
        }
        let place = word as usize * width;
        if let Some(leanings) = leanings.get(place..place + width) {
            for (score, leaning) in scores.iter_mut().zip(leanings) {
                *score += value * leaning;
            }
            for class in view.gone(entry) {
                scores[class] -= value * leanings[class];
            }
        }
    }
    scores[first] += own[0];
    for (score, sum) in scores.iter_mut().zip(view.sums) {
        *score -= whole * sum;
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn descend<const K: usize>(view: &View, room: &mut Room, slope: &mut Slope) {
    let width = if K == 0 { view.sums.len() } else { K };
    let scores = &mut room.scores[..width];
    let classes = view.classes;
    let best = scores[..classes]
        .iter()
        .copied()
        .fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in &mut scores[..classes] {
        *score -= best;
        sum += score.exp();
    }
    let (log_sum, weight) = (sum.ln(), view.parts.iter().map(|part| part.1).sum::<f32>());
    for &(class, weight) in view.parts {
        slope.loss -= f64::from(weight) * f64::from(scores[class as usize] - log_sum);
    }
    for score in &mut scores[..classes] {
        *score = (*score - log_sum).exp();
    }
    scores[classes..].fill(0.0);
    let curved = !slope.curvature.is_empty();
    if curved {
        // The variance of what a word says under the probabilities.
        for (entry, (&word, &value)) in view.words.iter().zip(view.values).enumerate() {
            let logs = &view.logs[word as usize * width..][..width];
            let (mut mean, mut square) = (0.0, 0.0);
            for (class, ((&p, &log), &sum)) in scores.iter().zip(logs).zip(view.sums).enumerate() {
                let own = view.parts.iter().position(|part| part.0 as usize == class);
                let log = own.map_or(log, |part| view.own[entry * view.parts.len() + part]);
                mean += p * (log - sum);
                square += p * (log - sum) * (log - sum);
            }
            slope.curvature[word as usize] += weight * value * value * (square - mean * mean).max(0.0);
            let place = word as usize * width;
            if let Some(curvatures) = room.curvatures.get_mut(place..place + width) {
                for (curvature, &p) in curvatures.iter_mut().zip(&*scores) {
                    *curvature += weight * value * value * p * (1.0 - p);
                }
            }
        }
    }
    for score in &mut scores[..classes] {
        *score *= weight;
    }
    for &(class, weight) in view.parts {
        scores[class as usize] -= weight;
    }
    for (bias, off) in slope.bias.iter_mut().zip(&*scores) {
        *bias += f64::from(*off);
    }
    let all: f32 = scores.iter().zip(view.sums).map(|(off, sum)| off * sum).sum();
    for (entry, (&word, &value)) in view.words.iter().zip(view.values).enumerate() {
        if let Some(&ahead) = view.ahead.get(entry) {
            prefetch(&slope.exponents, ahead as usize);
            for line in 0..width.div_ceil(LINE) {
                prefetch(&room.slopes, ahead as usize * width + line * LINE);
            }
        }
        let logs = &view.logs[word as usize * width..][..width];
        let mut off = -all;
        let mut dot = [0.0f32; 8];
        if K >= 8 || K == 0 {
            for (logs, scores) in logs.chunks_exact(8).zip(scores.chunks_exact(8)) {
                for lane in 0..8 {
                    dot[lane] += logs[lane] * scores[lane];
                }
            }
            off += dot.iter().sum::<f32>();
        } else {
            off += logs.iter().zip(&*scores).map(|(log, off)| log * off).sum::<f32>();
        }
        for (part, &(class, _)) in view.parts.iter().enumerate() {
            let class = class as usize;
            off += scores[class] * (view.own[entry * view.parts.len() + part] - logs[class]);
        }
        slope.exponents[word as usize] += value * off;
        let place = word as usize * width;
        if let Some(slopes) = room.slopes.get_mut(place..place + width) {
            for (slope, off) in slopes.iter_mut().zip(&*scores) {
                *slope += value * off;
            }
            for class in view.gone(entry) {
                slopes[class] -= value * scores[class];
            }
        }
    }
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
