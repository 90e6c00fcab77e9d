//! How much each row counts for each class.

/// Without `starts`, row r has the one entry r; with it, the entries `starts[r]..starts[r + 1]`.
/// Without `weights` every entry weighs 1.
pub struct Labels<'a> {
    codes: &'a [i64],
    weights: Option<&'a [f64]>,
    starts: Option<&'a [i64]>,
    pub classes: usize,
}

impl<'a> Labels<'a> {
    /// None when a code, a start or a length is out of range.
    pub fn new(
        codes: &'a [i64],
        weights: Option<&'a [f64]>,
        starts: Option<&'a [i64]>,
        classes: usize,
    ) -> Option<Self> {
        let unknown = codes
            .iter()
            .fold(false, |bad, &code| bad | (code as u64 >= classes as u64));
        let weighted = weights.is_none_or(|w| w.len() == codes.len());
        let started = starts.is_none_or(|s| {
            s.first() == Some(&0) && s.last() == Some(&(codes.len() as i64)) && s.is_sorted()
        });
        (!unknown && weighted && started).then_some(Self {
            codes,
            weights,
            starts,
            classes,
        })
    }

    pub fn rows(&self) -> usize {
        self.starts.map_or(self.codes.len(), |s| s.len() - 1)
    }

    pub fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The classes of a row and its weight for each.
    #[inline(always)]
    pub fn of(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let entries = match self.starts {
            None => row..row + 1,
            Some(starts) => starts[row] as usize..starts[row + 1] as usize,
        };
        entries.map(|e| (self.codes[e] as usize, self.weights.map_or(1.0, |w| w[e])))
    }

    /// Rows that count for no class.
    pub fn unlabelled(&self) -> impl Iterator<Item = usize> {
        let starts = self.starts.unwrap_or_default();
        starts
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0] == pair[1])
            .map(|(row, _)| row)
    }

    /// Entries of each class.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes];
        count(self.codes, &mut sizes);
        sizes.into_iter().map(|size| size as usize).collect()
    }
}

/// How often each code stands there; false if one is out of range.
///
/// Four counts for each code: equal codes one after another need not wait for each other.
pub fn count(codes: &[i64], sizes: &mut [i64]) -> bool {
    let mut counts = vec![[0; 4]; sizes.len()];
    let (fours, rest) = codes.as_chunks::<4>();
    for four in fours.iter().map(|four| four.as_slice()).chain([rest]) {
        for (lane, &code) in four.iter().enumerate() {
            let Some(counts) = counts.get_mut(code as usize) else {
                return false;
            };
            counts[lane] += 1;
        }
    }
    for (size, counts) in sizes.iter_mut().zip(counts) {
        *size = counts.iter().sum();
    }
    true
}
