"""The compiled analyser of some settings. Every cold answer comes through here: nothing is imported that takes time."""

from __future__ import annotations

from plainbayes._core import Analyser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def compiled(
    rules: str,
    ngrams: Any,
    characters: Any,
    language: str | None,
    stem: bool,
    stop: bool,
    nfkc: bool,
    accents: str,
) -> Analyser:
    """Return the core's analyser for settings that Analyzer has accepted; pairs may be lists, as in JSON."""
    stemmer: str | None = None
    words: list[str] = []
    if language is not None:
        from plainbayes.text import languages

        known = languages.named(language)
        stemmer, words = (known.stemmer if stem else None), (list(known.stop) if stop else [])
    unicode = ""
    if rules == "sklearn":
        from unicodedata import unidata_version as unicode
    sizes = (1, ngrams) if isinstance(ngrams, int) else tuple(ngrams)
    pair = None if characters is None else tuple(characters)
    return Analyser(rules, unicode, sizes, pair, nfkc, accents == "fold", stemmer, words)
