"""A learning curve: plain counts of a sixteenth, an eighth, ... of the rows to learn from, judged on other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from plainbayes._core import Source
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError
from plainbayes.evaluate import Evaluation, evaluate
from plainbayes.report.curves import Learned, Neared

if TYPE_CHECKING:
    from plainbayes.numeric import Array
    from plainbayes.tables import TableRegressor

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
SOME = 4096  # rows learned at a time


class Learners:
    """Models of growing shares of the rows. Learning adds: each is the one before plus the rows that are new."""

    def __init__(self, model: TextClassifier, source: Source) -> None:
        parts = [_plain(model) for _ in SHARES]
        chance = Random(0)
        while some := list(islice(source, SOME)):
            drawn = [chance.random() for _ in some]
            for low, high, part in zip((0.0, *SHARES), SHARES, parts, strict=False):
                own = [row for row, place in zip(some, drawn, strict=True) if low <= place < high]
                if own:
                    part.learn([text for _, text, _ in own], [str(label) for label, _, _ in own])
        self.models = _grown(parts)
        self.results: dict[int, Evaluation] = {}

    def judge(self, truths: Sequence[str], texts: Sequence[str]) -> None:
        """Judge some rows by every model."""
        for rows, model in self.models.items():
            part = evaluate(truths, model.posterior(texts))
            self.results[rows] = self.results[rows] + part if rows in self.results else part

    @property
    def learned(self) -> list[Learned]:
        """How good each model was."""
        return [Learned(rows, result.accuracy) for rows, result in self.results.items()]


class NumberLearners:
    """The same where the target is a number."""

    def __init__(self, model: TableRegressor, columns: Mapping[str, Any], values: Array) -> None:
        parts = [_plain(model.rows) for _ in SHARES]
        drawn = np.random.default_rng(0).random(len(values))
        for low, high, part in zip((0.0, *SHARES), SHARES, parts, strict=False):
            own = (low <= drawn) & (drawn < high)
            if own.any():
                part.learn_from(model.labelled({name: cells[own] for name, cells in columns.items()}, values[own]))
        self.model, self.models = model.even(), _grown(parts, model.unit)

    def judge(self, truths: Array, texts: Sequence[str]) -> list[Neared]:
        """How far off the median of each model is on average."""
        answers = {rows: self.model.density(one.posterior(texts)).median() for rows, one in self.models.items()}
        return [Neared(rows, float(np.abs(answer - truths).mean())) for rows, answer in answers.items()]


def _plain(model: TextClassifier) -> TextClassifier:
    """A model that just counts single words, read as another reads them."""
    analyzer = replace(model.analysis, ngrams=1, beside=None, pairs=())
    return TextClassifier("multinomial", analyzer=analyzer, effort="plain")


def _grown(parts: Sequence[TextClassifier], unit: float = 1.0) -> dict[int, TextClassifier]:
    """The first part, the first two, ... by how many rows they have learned."""
    grown = {_rows(one, unit): one for one in accumulate(parts, lambda one, other: one + other)}
    models = {rows: one for rows, one in grown.items() if rows}
    if not models:
        raise InputError("no rows with a label to learn from were found in what --train names")
    return models


def _rows(model: TextClassifier, unit: float) -> int:
    return round(float(model.counts.documents.sum()) / unit)
