//! Loops over rows: per-class sums, moments and counts; linear and Gaussian scores.
//!
//! Tables of classes by columns are row-major slices. NaN is a missing cell and adds nothing.

/// A number as it comes in a matrix.
pub trait Number: Copy + Send + Sync {
    fn value(self) -> f64;
}

impl Number for f64 {
    fn value(self) -> f64 {
        self
    }
}

impl Number for f32 {
    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// A column number as it comes in a sparse matrix; whoever builds `Sparse` has checked its range.
pub trait Position: Copy + Send + Sync {
    fn place(self) -> usize;
}

impl Position for i32 {
    fn place(self) -> usize {
        self as usize
    }
}

impl Position for i64 {
    fn place(self) -> usize {
        self as usize
    }
}

/// How much each row counts for each class.
///
/// Without `starts`, row r has the one entry r; with it, the entries `starts[r]..starts[r + 1]`.
/// Without `weights` every entry weighs 1.
pub struct Labels<'a> {
    codes: &'a [i64],
    weights: Option<&'a [f64]>,
    starts: Option<&'a [i64]>,
}

impl<'a> Labels<'a> {
    /// None when a code, a start or a length is out of range.
    pub fn new(
        codes: &'a [i64],
        weights: Option<&'a [f64]>,
        starts: Option<&'a [i64]>,
        classes: usize,
    ) -> Option<Self> {
        let known = codes.iter().all(|&c| c >= 0 && (c as usize) < classes);
        let weighted = weights.is_none_or(|w| w.len() == codes.len());
        let started = starts.is_none_or(|s| ascend(s, codes.len()));
        (known && weighted && started).then_some(Self {
            codes,
            weights,
            starts,
        })
    }

    pub fn rows(&self) -> usize {
        self.starts.map_or(self.codes.len(), |s| s.len() - 1)
    }

    /// The classes of a row and its weight for each.
    fn of(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let entries = match self.starts {
            None => row..row + 1,
            Some(starts) => starts[row] as usize..starts[row + 1] as usize,
        };
        entries.map(|e| (self.codes[e] as usize, self.weights.map_or(1.0, |w| w[e])))
    }

    /// Class, row and weight of every entry, sorted by class (a counting sort).
    fn by_class(&self, classes: usize) -> Vec<(usize, usize, f64)> {
        let mut next = vec![0; classes + 1];
        for &code in self.codes {
            next[code as usize + 1] += 1;
        }
        for class in 0..classes {
            next[class + 1] += next[class];
        }
        let mut sorted = vec![(0, 0, 0.0); self.codes.len()];
        for row in 0..self.rows() {
            for (class, weight) in self.of(row) {
                sorted[next[class]] = (class, row, weight);
                next[class] += 1;
            }
        }
        sorted
    }
}

/// Whether `starts` ascends from 0 to `end`.
pub fn ascend(starts: &[i64], end: usize) -> bool {
    starts.first() == Some(&0)
        && starts.last() == Some(&(end as i64))
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
}

/// Rows whose cells other than zero can be visited.
pub trait Rows: Sync {
    fn rows(&self) -> usize;
    fn visit(&self, row: usize, cell: impl FnMut(usize, f64));
}

pub struct Dense<'a, T> {
    pub cells: &'a [T],
    pub columns: usize,
}

impl<T: Number> Rows for Dense<'_, T> {
    fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    fn visit(&self, row: usize, mut cell: impl FnMut(usize, f64)) {
        let start = row * self.columns;
        for (column, value) in self.cells[start..start + self.columns].iter().enumerate() {
            let value = value.value();
            if value != 0.0 {
                cell(column, value);
            }
        }
    }
}

pub struct Sparse<'a, T, I> {
    data: &'a [T],
    columns: &'a [I],
    starts: &'a [i64],
}

impl<'a, T: Number, I: Position> Sparse<'a, T, I> {
    /// None when a column or a start is out of range.
    pub fn new(data: &'a [T], columns: &'a [I], starts: &'a [i64], width: usize) -> Option<Self> {
        let inside = columns.iter().all(|c| c.place() < width);
        (inside && columns.len() == data.len() && ascend(starts, data.len())).then_some(Self {
            data,
            columns,
            starts,
        })
    }
}

impl<T: Number, I: Position> Rows for Sparse<'_, T, I> {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn visit(&self, row: usize, mut cell: impl FnMut(usize, f64)) {
        let entries = self.starts[row] as usize..self.starts[row + 1] as usize;
        for (column, value) in self.columns[entries.clone()].iter().zip(&self.data[entries]) {
            let value = value.value();
            if value != 0.0 {
                cell(column.place(), value);
            }
        }
    }
}

const UNIT: f64 = (1u64 << 36) as f64;
const WHOLE: f64 = (1u64 << 52) as f64;

/// Rounds to a multiple of 2^-36, so that sums come out the same in any order, as sums of integers do.
///
/// Adding and subtracting 2^52 rounds without the function call that `round` costs on plain x86-64.
fn exact(value: f64) -> f64 {
    let scaled = value * UNIT;
    if scaled.abs() < WHOLE {
        let whole = WHOLE.copysign(scaled);
        ((scaled + whole) - whole) / UNIT
    } else {
        value
    }
}

/// Adds up, per class and column, the values (`count`) and the rows with a value above zero (`present`).
///
/// Class by class: one class's row of the tables stays in the cache, all of them would not. With 20 classes
/// and 50,000 columns that halved the time of learning.
pub fn counts(
    rows: &impl Rows,
    labels: &Labels,
    (classes, width): (usize, usize),
    count: &mut [f64],
    present: &mut [f64],
) {
    for (class, row, weight) in labels.by_class(classes) {
        let place = class * width..(class + 1) * width;
        let (count, present) = (&mut count[place.clone()], &mut present[place]);
        rows.visit(row, |column, value| {
            count[column] += exact(weight * value);
            present[column] += if value > 0.0 { weight } else { 0.0 };
        });
    }
}

/// Adds up, per class and column, the weights of the cells that are there and their values.
pub fn sums<T: Number>(x: &Dense<'_, T>, labels: &Labels, weights: &mut [f64], totals: &mut [f64]) {
    let width = x.columns;
    for row in 0..x.rows() {
        let cells = &x.cells[row * width..(row + 1) * width];
        for (class, weight) in labels.of(row) {
            let place = class * width..(class + 1) * width;
            let (n, s) = (&mut weights[place.clone()], &mut totals[place]);
            for ((n, s), cell) in n.iter_mut().zip(s).zip(cells) {
                let value = cell.value();
                if !value.is_nan() {
                    *n += weight;
                    *s += exact(weight * value);
                }
            }
        }
    }
}

/// Number, mean and scatter (sum of squared deviations) of one cell of the table of classes by columns.
#[derive(Clone, Copy, Default)]
struct Moment {
    n: f64,
    mean: f64,
    scatter: f64,
}

impl Moment {
    /// Chan's formula: the moments of two groups from the moments of each.
    fn merge(self, other: Self) -> Self {
        if self.n == 0.0 {
            return other;
        }
        if other.n == 0.0 {
            return self;
        }
        let n = self.n + other.n;
        let apart = other.mean - self.mean;
        Self {
            n,
            mean: self.mean + apart * (other.n / n),
            scatter: self.scatter + other.scatter + apart * apart * (self.n * (other.n / n)),
        }
    }
}

/// Cells in a block: few enough to stay in the second-level cache for its two passes.
const BLOCK: usize = 16 * 1024;

/// Sums of one class in one block.
struct Group {
    class: usize,
    n: Vec<f64>,
    mean: Vec<f64>,
    scatter: Vec<f64>,
    rest: Vec<f64>,
}

impl Group {
    fn new(class: usize, width: usize) -> Self {
        let zero = || vec![0.0; width];
        Self {
            class,
            n: zero(),
            mean: zero(),
            scatter: zero(),
            rest: zero(),
        }
    }

    fn clear(&mut self, class: usize) {
        self.class = class;
        for sums in [&mut self.n, &mut self.mean, &mut self.scatter, &mut self.rest] {
            sums.fill(0.0);
        }
    }
}

/// Adds number, mean and scatter per class and column to the tables given.
///
/// Rows are taken in blocks of a fixed size; within a block the mean comes first, then the deviations
/// from it with what the mean was off by; blocks are merged in order by Chan's formula. So the result
/// depends on the rows alone, and an offset of 1e9 leaves a variance of 1 as it is.
pub fn moments<T: Number>(
    x: &Dense<'_, T>,
    labels: &Labels,
    classes: usize,
    n: &mut [f64],
    mean: &mut [f64],
    scatter: &mut [f64],
) {
    let width = x.columns;
    let step = (BLOCK / width.max(1)).max(16);
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of = vec![usize::MAX; classes];
    let rows = x.rows();
    for first in (0..rows).step_by(step) {
        let block = first..(first + step).min(rows);
        let mut used = 0;
        for row in block.clone() {
            let cells = &x.cells[row * width..(row + 1) * width];
            for (class, weight) in labels.of(row) {
                if group_of[class] == usize::MAX {
                    group_of[class] = used;
                    match groups.get_mut(used) {
                        Some(group) => group.clear(class),
                        None => groups.push(Group::new(class, width)),
                    }
                    used += 1;
                }
                let group = &mut groups[group_of[class]];
                for ((n, sum), cell) in group.n.iter_mut().zip(&mut group.mean).zip(cells) {
                    let value = cell.value();
                    let there = !value.is_nan();
                    *n += if there { weight } else { 0.0 };
                    *sum += if there { weight * value } else { 0.0 };
                }
            }
        }
        for group in &mut groups[..used] {
            for (mean, n) in group.mean.iter_mut().zip(&group.n) {
                *mean = if *n > 0.0 { *mean / n } else { 0.0 };
            }
        }
        for row in block {
            let cells = &x.cells[row * width..(row + 1) * width];
            for (class, weight) in labels.of(row) {
                let group = &mut groups[group_of[class]];
                let sums = group.scatter.iter_mut().zip(&mut group.rest);
                for (((scatter, rest), mean), cell) in sums.zip(&group.mean).zip(cells) {
                    let value = cell.value();
                    let off = if value.is_nan() { 0.0 } else { value - mean };
                    *rest += weight * off;
                    *scatter += weight * off * off;
                }
            }
        }
        for group in &groups[..used] {
            group_of[group.class] = usize::MAX;
            for column in 0..width {
                let weight = group.n[column];
                if weight == 0.0 {
                    continue;
                }
                let off = group.rest[column] / weight;
                let here = Moment {
                    n: weight,
                    mean: group.mean[column] + off,
                    scatter: (group.scatter[column] - off * group.rest[column]).max(0.0),
                };
                let at = group.class * width + column;
                let all = Moment {
                    n: n[at],
                    mean: mean[at],
                    scatter: scatter[at],
                }
                .merge(here);
                (n[at], mean[at], scatter[at]) = (all.n, all.mean, all.scatter);
            }
        }
    }
}

/// Adds, to each row's score of each class, the sum of value times weight; `table` is columns by classes.
///
/// `once` scores every column of the row that is above zero as 1.
pub fn linear(rows: &impl Rows, table: &[f64], classes: usize, once: bool, scores: &mut [f64]) {
    for (row, scores) in scores.chunks_exact_mut(classes.max(1)).enumerate() {
        rows.visit(row, |column, value| {
            let value = if once { 1.0 } else { value };
            let weights = &table[column * classes..(column + 1) * classes];
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += value * weight;
            }
        });
    }
}

/// Writes each row's log density under each class: columns normal and independent given the class.
///
/// `half` is 1 / (2 variance), `height` is log(2 pi variance) / 2; missing cells are left out of both.
pub fn gaussian<T: Number>(x: &Dense<'_, T>, mean: &[f64], half: &[f64], height: &[f64], scores: &mut [f64]) {
    let width = x.columns;
    if width == 0 {
        return;
    }
    let heights: Vec<f64> = height.chunks_exact(width).map(|h| h.iter().sum()).collect();
    let classes = heights.len().max(1);
    for (cells, scores) in x.cells.chunks_exact(width).zip(scores.chunks_exact_mut(classes)) {
        for (class, score) in scores.iter_mut().enumerate() {
            let place = class * width..(class + 1) * width;
            let (mean, half) = (&mean[place.clone()], &half[place.clone()]);
            let mut sum = heights[class];
            for ((cell, mean), half) in cells.iter().zip(mean).zip(half) {
                let off = cell.value() - mean;
                sum += off * off * half;
            }
            if sum.is_nan() {
                sum = 0.0;
                let terms = mean.iter().zip(half).zip(&height[place]);
                for (cell, ((mean, half), height)) in cells.iter().zip(terms) {
                    let off = cell.value() - mean;
                    if !off.is_nan() {
                        sum += off * off * half + height;
                    }
                }
            }
            *score = -sum;
        }
    }
}

/// Beyond this the square of a number would overflow: as good as infinite.
const LARGEST: f64 = 1e150;

/// What a cell may hold.
#[derive(Clone, Copy)]
pub enum Support {
    Binary,
    Count,
    Nonnegative,
    Positive,
    Real,
}

impl Support {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "binary" => Self::Binary,
            "count" => Self::Count,
            "nonnegative" => Self::Nonnegative,
            "positive" => Self::Positive,
            "real" => Self::Real,
            _ => return None,
        })
    }

    fn holds(self, value: f64) -> bool {
        value.abs() <= LARGEST
            && match self {
                Self::Binary => value == 0.0 || value == 1.0,
                Self::Count => value >= 0.0 && value == value.trunc(),
                Self::Nonnegative => value >= 0.0,
                Self::Positive => value > 0.0,
                Self::Real => true,
            }
    }
}

/// The place of the first cell outside the support; NaN is one unless cells may be missing.
pub fn offender<T: Number>(cells: &[T], support: Support, missing: bool) -> Option<usize> {
    cells.iter().position(|cell| {
        let value = cell.value();
        !(support.holds(value) || missing && value.is_nan())
    })
}
