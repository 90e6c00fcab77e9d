"""How texts are best read: which words, pairs and runs of characters, and how much to believe them.

Every candidate learns some of the texts, chosen by their hashes, and is judged on texts that took no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from plainbayes import trust
from plainbayes._core import Kept, Table
from plainbayes.judge import WORDS
from plainbayes.plain import EVERY_WORD
from plainbayes.text.analyzer import Analyzer
from plainbayes.trust import Fit, Manner, Sample, Start
from plainbayes.weights import Counts

NUMBERS = {"bytes": np.uint8, "keys": np.uint64, "counts": np.uint64}
# What a candidate is judged by: so many texts that took no part, after so many steps.
ENOUGH, STEPS = 2000, 8
MIDDLE = 3.0  # the strength to begin with
# Bytes of a text from which on its words say what runs of characters could, for a tenth of the time.
LONG = 1000
# The more texts there are, the more triples say: of so many times the texts tried, they may seem worse by so much.
TIMES, WORSE = 4, 1.02


@dataclass(frozen=True)
class Effort:
    """How much is tried, and on how much of the texts."""

    bytes: int
    rows: int
    long: tuple[int, ...]  # groups of words in long texts
    dense: float  # words in a byte of long texts above which they are characters, whose triples cost too much
    values: tuple[str, ...]
    strengths: tuple[float, ...]
    leanings: tuple[float, ...]


EFFORTS = {
    "quick": Effort(
        bytes=4 << 20,
        rows=6000,
        long=(2, 3),
        dense=0.5,
        values=("presence",),
        strengths=(0.1, 0.3, 1.0, 3.0, 10.0),
        leanings=(10.0, 3.0, 1.0, 0.3),
    ),
    "best": Effort(
        bytes=16 << 20,
        rows=20000,
        long=(2, 3),
        dense=np.inf,
        values=("presence", "log", "count"),
        strengths=(0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
        leanings=(30.0, 10.0, 3.0, 1.0, 0.3, 0.1),
    ),
}


@dataclass(frozen=True)
class Candidate:
    """A way to read texts, a way to believe them, and how surprising the truth was under both."""

    analyzer: Analyzer
    manner: Manner
    loss: float


def arrays_of(table: Table, bags: Sequence[tuple[str, float, int]], most: int = EVERY_WORD) -> dict[str, Any]:
    """The arrays of a table, by name."""
    arrays = table.arrays([bag[:2] for bag in bags], most)
    return {name: np.frombuffer(array, NUMBERS.get(name, np.uint32)) for name, array in arrays.items()}


Lending = Callable[[Sequence[Any], Counts], Counts]


def sample_of(
    kept: Kept, analyzer: Analyzer, unit: float = 1.0, lent: Lending = lambda words, counts: counts
) -> Sample:
    """Count texts on their own, each of which weighs `unit`; `lent` adds to the counts of words."""
    table, _, _ = Table.count(analyzer.core, kept.again())
    bags = sorted(table.bags)
    names = sorted({name for name, _, _ in bags})
    arrays = arrays_of(table, bags)
    words, counts = [arrays[name] for name in WORDS], Counts.of(bags, names, arrays)
    return Sample(kept, analyzer.core, words, counts, names, unit, lent(words, counts))


def choose(
    kept: Kept, plain: Analyzer, free: bool, effort: str, told: Callable[[str], None] = lambda _: None
) -> Candidate:
    """Choose how to read texts, unless the analyser is given, and how to believe them."""
    some = EFFORTS[effort]
    tried = kept.some(some.bytes, some.rows)

    best: tuple[Candidate, Sample] | None = None

    @cache
    def smoothed(sample: Sample, values: str, rare: bool) -> tuple[Manner, Start]:
        first = trust.ALPHAS[0] if best is None else best[0].manner.alpha
        return trust.smoothed(sample, Manner(values, rare=rare), first)

    fits: dict[tuple[Sample, str, bool], Sequence[Fit | None]] = {}

    @cache
    def judged(
        sample: Sample, values: str, rare: bool, strength: float, leaning: float | None = None
    ) -> tuple[Manner, float]:
        manner, origin = smoothed(sample, values, rare)
        manner = replace(manner, strength=strength, leaning=leaning)
        # The fit of one strength is near that of the next: from there it takes half the steps.
        near = fits.get((sample, values, rare), (None,) * trust.FOLDS)
        scores, fits[sample, values, rare] = trust.cross_fitted(sample, manner, origin, ENOUGH, STEPS, near)
        return manner, trust.estimate(sample, scores).log_loss

    long = tried.size >= LONG * len(tried)
    for change in readings(not long, some.long) if free else [{}]:
        analyzer = replace(plain if best is None else best[0].analyzer, **change)
        if best is not None and long and best[1].counts.count.sum() > some.dense * tried.size:
            break
        told(f"reading {said(analyzer)}")
        sample = sample_of(tried, analyzer)
        manner, loss = judged(sample, "presence", False, MIDDLE)
        worse = WORSE if long and len(kept) >= TIMES * len(tried) else 1.0
        if best is None or loss < best[0].loss * worse:
            best = Candidate(analyzer, manner, loss), sample
    assert best is not None
    candidate, sample = best
    for values, rare in product(some.values, (False, True)):
        at = partial(judged, sample, values, rare)
        for manner, lost in strengths(at, candidate.manner.strength, some.strengths):
            told("weighing words")
            if lost < candidate.loss:
                candidate = replace(candidate, manner=manner, loss=lost)
    chosen = candidate.manner
    told("weighing words")
    for manner, lost in leanings(
        partial(judged, sample, chosen.values, chosen.rare, chosen.strength), candidate.loss, some.leanings
    ):
        told("weighing words")
        candidate = replace(candidate, manner=manner, loss=lost)
    return candidate


def strengths(
    judged: Callable[[float], tuple[Manner, float]], first: float, strengths: Sequence[float]
) -> Iterator[tuple[Manner, float]]:
    """Judge a strength, then weaker ones as long as that helps, and stronger ones if none of them did."""
    place = strengths.index(first)
    yield (best := judged(first))
    for others in (strengths[:place][::-1], strengths[place + 1 :]):
        for strength in others:
            yield (found := judged(strength))
            if found[1] >= best[1]:
                break
            best = found
        if best[0].strength != first:
            return


def leanings(
    judged: Callable[[float], tuple[Manner, float]], loss: float, leanings: Sequence[float]
) -> Iterator[tuple[Manner, float]]:
    """Judge ever weaker pulls on leanings as long as each is better than the one before, or than none."""
    for leaning in leanings:
        found = judged(leaning)
        if found[1] >= loss:
            return
        yield found
        loss = found[1]


def readings(short: bool, long: Sequence[int]) -> list[dict[str, Any]]:
    """What may be read, each tried with those before it that helped: pairs of words, runs of characters, triples."""
    if short:
        return [{"ngrams": 2}, {"beside": (2, 5)}, {"beside": (3, 5)}, {"ngrams": 3}]
    return [{"ngrams": size} for size in long]


def said(analyzer: Analyzer) -> str:
    """Say in words what is read."""
    sizes = {1: "words", 2: "words and pairs of them", 3: "words, pairs and triples of them"}
    ngrams = analyzer.ngrams if isinstance(analyzer.ngrams, int) else 0
    words = sizes.get(ngrams, f"groups of {analyzer.ngrams} words")
    if analyzer.characters is not None:
        words = "runs of {} to {} characters".format(*analyzer.characters)
    beside = "" if analyzer.beside is None else ", and runs of {} to {} characters".format(*analyzer.beside)
    return words + beside
