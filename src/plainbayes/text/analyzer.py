"""Plain words out of any language: Unicode words, case folded; Han and kana as characters and pairs of them.

The rules, in the spirit of Unicode's word boundaries (UAX 29):
- a word is a run of letters, digits and the marks on them; apostrophes between letters belong to it
  (don't, l'eau), as do points and commas between digits (3.14);
- Chinese and Japanese are written without spaces, so a run of such characters yields each character
  and each pair of neighbours;
- `!`, `?`, `$`, `%` and other currency signs and pictures (emoji) speak for themselves.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise

LETTER, DIGIT, IDEOGRAPH, SIGN, MARK, APOSTROPHE, POINT, SPACE = range(8)

_IDEOGRAPHS = (
    (0x3005, 0x3007),
    (0x3041, 0x3096),
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFD),
)


@cache
def _kind(character: str) -> int:
    code = ord(character)
    if any(low <= code <= high for low, high in _IDEOGRAPHS):
        return IDEOGRAPH
    category = unicodedata.category(character)
    if category[0] == "M":
        return MARK
    if category[0] == "L" or category == "Pc":
        return LETTER
    if category[0] == "N":
        return DIGIT
    if character in "'\u2019":
        return APOSTROPHE
    if character in ".,":
        return POINT
    if character in "!?%" or category in ("Sc", "So"):
        return SIGN
    return SPACE


@dataclass(frozen=True)
class Analyzer:
    """Cuts text into words; with ngrams=2, pairs of neighbouring words follow.

    >>> Analyzer()("Don't pay $3.50 for МОЛОКО!")
    ["don't", 'pay', '$', '3.50', 'for', 'молоко', '!']
    >>> Analyzer()("世界杯 2014")
    ['世', '界', '杯', '世界', '界杯', '2014']
    """

    ngrams: int = 1

    def __call__(self, text: str) -> list[str]:
        """Return the words in their order."""
        words = [word for run in _runs(text.casefold()) for word in run]
        grams = list(words)
        for size in range(2, self.ngrams + 1):
            grams += [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
        return grams

    def bag(self, text: str) -> Counter[str]:
        """Return how often each word stands in the text."""
        return Counter(self(text))


def _clusters(text: str) -> list[tuple[int, str]]:
    """Return characters with the marks on them, and their kinds; marks on anything but letters are dropped."""
    clusters: list[tuple[int, str]] = []
    for character in text:
        kind = _kind(character)
        if kind != MARK:
            clusters.append((kind, character))
        elif clusters and clusters[-1][0] in (LETTER, DIGIT, IDEOGRAPH):
            clusters[-1] = (clusters[-1][0], clusters[-1][1] + character)
    return clusters


def _runs(text: str) -> list[list[str]]:
    """Return the words of each run of characters of one kind."""
    clusters = _clusters(text)
    kinds = [kind for kind, _ in clusters]
    for at, kind in enumerate(kinds):
        if kind in (APOSTROPHE, POINT):
            between = LETTER if kind == APOSTROPHE else DIGIT
            inside = 0 < at < len(kinds) - 1 and kinds[at - 1] == kinds[at + 1] == between
            kinds[at] = between if inside else SPACE
    joined = [LETTER if kind == DIGIT else kind for kind in kinds]
    runs = []
    for kind, run in groupby(zip(joined, clusters, strict=True), key=lambda pair: pair[0]):
        characters = [character for _, (_, character) in run]
        if kind == LETTER:
            runs.append(["".join(characters)])
        elif kind == IDEOGRAPH:
            runs.append(characters + [a + b for a, b in pairwise(characters)])
        elif kind == SIGN:
            runs.append(characters)
    return runs
