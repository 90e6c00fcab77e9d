//! The analyser as Python sees it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use snowball_stemmers_rs::{Algorithm, Stemmer};

use crate::analyse::{Analyser, Settings};
use crate::tokens::Tokens;
use crate::unicode::Rules;

/// Cuts texts into tokens; made and kept by `plainbayes.text.analyzer.Analyzer`.
#[pyclass(name = "Analyser", module = "plainbayes._core", frozen)]
pub struct PyAnalyser {
    pub inner: Analyser,
}

#[pymethods]
impl PyAnalyser {
    /// `unicode` is the version of Python's own tables, by which the rules "sklearn" go.
    #[new]
    #[pyo3(signature = (rules, unicode, ngrams, characters, nfkc, bare, stemmer, stop, beside=None, pairs=Vec::new()))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        rules: &str,
        unicode: String,
        ngrams: (usize, usize),
        characters: Option<(usize, usize)>,
        nfkc: bool,
        bare: bool,
        stemmer: Option<&str>,
        stop: Vec<String>,
        beside: Option<(usize, usize)>,
        pairs: Vec<(usize, usize)>,
    ) -> PyResult<Self> {
        let rules = match rules {
            "words" => Some(Rules::Words),
            "sklearn" => Some(Rules::Python(unicode)),
            "tokens" => None,
            _ => return Err(PyValueError::new_err("unknown rules")),
        };
        let settings = Settings {
            ngrams,
            characters,
            beside,
            pairs,
            nfkc,
            bare,
            stemmer: stemmer.map(named).transpose()?,
            stop,
        };
        let sizes = [Some(ngrams), characters, beside];
        if sizes.iter().flatten().any(|(low, high)| *low == 0 || high < low) {
            return Err(PyValueError::new_err("sizes of n-grams from 1 up"));
        }
        Ok(Self {
            inner: Analyser::new(rules, settings),
        })
    }

    /// The tokens of a text.
    fn __call__(&self, py: Python<'_>, text: &Bound<'_, PyString>) -> Vec<String> {
        self.read(py, text.to_string_lossy().as_bytes()).0
    }

    /// The tokens of a text in UTF-8, and how many stretches of it were invalid.
    fn read(&self, py: Python<'_>, text: &[u8]) -> (Vec<String>, usize) {
        py.detach(|| {
            let mut tokens = Tokens::default();
            let replaced = self.inner.analyse(text, &mut tokens);
            let strings = tokens
                .iter()
                .map(|token| String::from_utf8_lossy(token).into_owned());
            (strings.collect(), replaced)
        })
    }
}

fn named(stemmer: &str) -> PyResult<Stemmer> {
    let algorithm = match stemmer {
        "arabic" => Algorithm::Arabic,
        "armenian" => Algorithm::Armenian,
        "basque" => Algorithm::Basque,
        "catalan" => Algorithm::Catalan,
        "czech" => Algorithm::Czech,
        "danish" => Algorithm::Danish,
        "dutch" => Algorithm::Dutch,
        "english" => Algorithm::English,
        "estonian" => Algorithm::Estonian,
        "finnish" => Algorithm::Finnish,
        "french" => Algorithm::French,
        "german" => Algorithm::German,
        "greek" => Algorithm::Greek,
        "hindi" => Algorithm::Hindi,
        "hungarian" => Algorithm::Hungarian,
        "indonesian" => Algorithm::Indonesian,
        "irish" => Algorithm::Irish,
        "italian" => Algorithm::Italian,
        "lithuanian" => Algorithm::Lithuanian,
        "nepali" => Algorithm::Nepali,
        "norwegian" => Algorithm::Norwegian,
        "persian" => Algorithm::Persian,
        "polish" => Algorithm::Polish,
        "portuguese" => Algorithm::Portuguese,
        "romanian" => Algorithm::Romanian,
        "russian" => Algorithm::Russian,
        "serbian" => Algorithm::Serbian,
        "spanish" => Algorithm::Spanish,
        "swedish" => Algorithm::Swedish,
        "tamil" => Algorithm::Tamil,
        "turkish" => Algorithm::Turkish,
        "ukrainian" => Algorithm::Ukrainian,
        "yiddish" => Algorithm::Yiddish,
        _ => return Err(PyValueError::new_err("unknown stemmer")),
    };
    Ok(Stemmer::create(algorithm))
}
