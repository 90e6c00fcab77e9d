"""Words out of any language; the cutting itself is Rust (rust/analyse.rs).

The rules "words", in the spirit of Unicode's word boundaries (UAX 29):
- a word is a run of letters, digits and the marks on them, case folded; apostrophes between letters belong to it
  (don't, l'eau), as do points and commas between digits (3.14);
- scripts written without spaces, or with few (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar), yield each character
  and each pair of neighbours;
- `!`, `?`, `%`, currency signs and pictures (emoji, whole with what is joined to them) speak for themselves.

The rules "sklearn" are those of scikit-learn's CountVectorizer to the letter: str.lower, then words of two characters
or more by the tables of the Python that runs. The rules "tokens" take what somebody else has cut, parted by zero
characters; what begins with the character 1 is no token, and only tells copies of a text apart.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from plainbayes._core import Analyser
from plainbayes.errors import InputError, listed
from plainbayes.text import languages
from plainbayes.text.compiled import analyser

RULES = ("words", "sklearn", "tokens")
ACCENTS = ("keep", "fold")

Sizes = tuple[int, int]


@dataclass(frozen=True)
class Analyzer:
    r"""Cuts text into tokens.

    Parameters
    ----------
    rules
        "words", "sklearn" or "tokens".
    ngrams
        2 for words and pairs of neighbours; (2, 3) for pairs and triples only.
    characters
        (2, 5) for runs of two to five characters inside a word, spaces around it included, in place of words.
    language
        Whose stop words and stems are meant, such as "en"; plainbayes.text.languages.names() lists them.
    stem, stop
        Cut words down to their stems; drop words that only serve grammar.
    nfkc
        Take wide, narrow, superscript and joined forms of a character for the character itself.
    accents
        "fold" takes accents off letters.
    beside
        (2, 5) for runs of two to five characters beside the words, with a ~ before each.
    pairs
        With the rules "tokens", ((0, 2), ...) for the first token and the third as a pair, with a ~ before each.

    Examples
    --------
    >>> Analyzer()("Don't pay $3.50 for МОЛОКО!")
    ["don't", 'pay', '$', '3.50', 'for', 'молоко', '!']
    >>> Analyzer()("世界杯 2014")
    ['世', '界', '杯', '世界', '界杯', '2014']
    >>> Analyzer(language="en", stem=True, stop=True)("the cats were running")
    ['cat', 'run']
    >>> Analyzer(characters=(3, 3))("to be")
    [' to', 'to ', ' be', 'be ']
    >>> Analyzer(beside=(3, 3))("to be")
    ['to', 'be', '~ to', '~to ', '~ be', '~be ']
    >>> Analyzer("tokens", pairs=((0, 1),))("sex=female\0class=1st")
    ['sex=female', 'class=1st', '~sex=female&class=1st']
    """

    rules: str = "words"
    ngrams: int | Sizes = 1
    characters: Sizes | None = None
    language: str | None = None
    stem: bool = False
    stop: bool = False
    nfkc: bool = False
    accents: str = "keep"
    beside: Sizes | None = None
    pairs: tuple[Sizes, ...] = ()

    def __post_init__(self) -> None:
        _one_of(RULES, self.rules, "rules")
        _one_of(ACCENTS, self.accents, "accents")
        one = isinstance(self.ngrams, int) and not isinstance(self.ngrams, bool)
        sizes = (1, self.ngrams) if one else self.ngrams
        if one:
            _sizes(sizes, "ngrams", self.ngrams)
        else:
            object.__setattr__(self, "ngrams", _sizes(sizes, "ngrams", self.ngrams))
        for name in ("characters", "beside"):
            if (given := getattr(self, name)) is not None:
                object.__setattr__(self, name, _sizes(given, name, given))
        object.__setattr__(self, "pairs", tuple((one, other) for one, other in self.pairs))
        if self.language is None:
            if self.stem or self.stop:
                raise InputError("stems and stop words need a language", f"there are {_known()}")
        elif self.language not in languages.names():
            raise InputError(f"no language is called {self.language!r}", f"there are {_known()}")
        elif self.stem and languages.named(self.language).stemmer is None:
            raise InputError(f"there is no stemmer for {self.language!r}", "leave stem=False")

    @classmethod
    def speaking(cls, language: str | None, **settings: Any) -> Analyzer:
        """Return an analyser that takes the stems of this language for words, where there is a stemmer.

        >>> Analyzer.speaking("ru")("кошками")
        ['кошк']
        """
        plain = cls(language=language, **settings)
        stems = language is not None and languages.named(language).stemmer is not None
        return replace(plain, stem=True) if stems else plain

    def __str__(self) -> str:
        """Say what is read.

        >>> str(Analyzer(ngrams=2, beside=(2, 5)))
        'words and pairs of them, and runs of 2 to 5 characters'
        >>> str(Analyzer("sklearn", language="en", stem=True, stop=True, accents="fold"))
        "words by scikit-learn's rules, stems (en), no stop words (en), accents off"
        """
        sizes = {1: "words", 2: "words and pairs of them", 3: "words, pairs and triples of them"}
        words = sizes.get(self.ngrams) if isinstance(self.ngrams, int) else None
        words = words or f"groups of {self.ngrams} words"
        if self.characters is not None:
            words = "runs of {} to {} characters".format(*self.characters)
        return ", ".join(
            [
                words + (" by scikit-learn's rules" if self.rules == "sklearn" else ""),
                *(["and runs of {} to {} characters".format(*self.beside)] if self.beside else []),
                *([f"stems ({self.language})"] if self.stem else []),
                *([f"no stop words ({self.language})"] if self.stop else []),
                *(["NFKC"] if self.nfkc else []),
                *(["accents off"] if self.accents == "fold" else []),
            ]
        )

    @property
    def core(self) -> Analyser:
        """The compiled analyser of these settings."""
        return _core(self)

    def __call__(self, text: str) -> list[str]:
        """Return the tokens in their order."""
        return self.core(text)

    def bag(self, text: str) -> Counter[str]:
        """Return how often each token stands in the text."""
        return Counter(self(text))


@cache
def _core(settings: Analyzer) -> Analyser:
    return analyser(**vars(settings))


def _one_of(choices: tuple[str, ...], value: object, name: str) -> None:
    if value not in choices:
        raise InputError(f"{name} should be one of {listed(choices)}, got {value!r}")


def _sizes(sizes: object, name: str, given: object) -> Sizes:
    """A pair of sizes, 1 <= from <= to; lists come from JSON."""
    match sizes:
        case [int(low), int(high)] if 1 <= low <= high:
            return low, high
    raise InputError(f"{name} should be a number from 1 or a pair of them such as (1, 2), got {given!r}")


def _known() -> str:
    return listed(languages.names(), 99)
