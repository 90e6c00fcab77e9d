"""The compiled analyser of plain settings. A cold answer comes through here, so dataclasses stay out of it."""

from __future__ import annotations

from unicodedata import unidata_version

from plainbayes._core import Analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PLAIN: dict[str, Any] = {
    "rules": "words",
    "ngrams": 1,
    "characters": None,
    "language": None,
    "stem": False,
    "stop": False,
    "nfkc": False,
    "accents": "keep",
}
"""The settings of an Analyzer that nobody told anything."""


def analyser(
    rules: str,
    ngrams: int | Sequence[int],
    characters: Sequence[int] | None,
    language: str | None,
    stem: bool,
    stop: bool,
    nfkc: bool,
    accents: str,
    beside: Sequence[int] | None = None,
    pairs: Sequence[Sequence[int]] = (),
) -> Analyser:
    """Compile the settings of an Analyzer, which has checked them; pairs may be lists, as JSON has them."""
    stemmer, stops = None, []
    if language is not None:
        from plainbayes.text.languages import named

        stemmer = named(language).stemmer if stem else None
        stops = list(named(language).stop) if stop else []
    low, high = (1, ngrams) if isinstance(ngrams, int) else ngrams
    inside, second = (None if sizes is None else (sizes[0], sizes[1]) for sizes in (characters, beside))
    cells = [(one, other) for one, other in pairs]
    fold = accents == "fold"
    return Analyser(rules, unidata_version, (low, high), inside, nfkc, fold, stemmer, stops, second, cells)
