"""A learning curve: plain counts of a sixteenth, an eighth, ... of the rows to learn from, judged on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, islice
from random import Random

from plainbayes._core import Source
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError
from plainbayes.evaluate import Evaluation, evaluate
from plainbayes.report.curves import Learned

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
SOME = 4096  # rows learned at a time


class Learners:
    """Models of growing shares of the rows. Learning adds: each is the one before plus the rows that are new."""

    def __init__(self, model: TextClassifier, source: Source) -> None:
        plain = replace(model.analysis, ngrams=1, beside=None, pairs=())
        parts = [TextClassifier("multinomial", analyzer=plain, effort="plain") for _ in SHARES]
        chance = Random(0)
        while some := list(islice(source, SOME)):
            drawn = [chance.random() for _ in some]
            for low, high, part in zip((0.0, *SHARES), SHARES, parts, strict=False):
                own = [row for row, place in zip(some, drawn, strict=True) if low <= place < high]
                if own:
                    part.learn([text for _, text, _ in own], [str(label) for label, _, _ in own])
        grown = {_rows(one): one for one in accumulate(parts, lambda one, other: one + other)}
        self.models = {rows: one for rows, one in grown.items() if rows}
        self.results: dict[int, Evaluation] = {}
        if not self.models:
            raise InputError("no rows with a label to learn from were found in what --train names")

    def judge(self, truths: Sequence[str], texts: Sequence[str]) -> None:
        """Judge some rows by every model."""
        for rows, model in self.models.items():
            part = evaluate(truths, model.posterior(texts))
            self.results[rows] = self.results[rows] + part if rows in self.results else part

    @property
    def learned(self) -> list[Learned]:
        """How good each model was."""
        return [Learned(rows, result.accuracy) for rows, result in self.results.items()]


def _rows(model: TextClassifier) -> int:
    return round(float(model.counts.documents.sum()))
