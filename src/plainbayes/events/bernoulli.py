"""Each word there or not: P(word i in d | c) = (N_ic + alpha) / (D_c + alpha + beta); absent words count 1 - p."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes.event import CountEvent, Linear, Proper, Support, required
from plainbayes.matrix import Matrix, Sparse
from plainbayes.numeric import Array, log_ratio


@dataclass(frozen=True)
class Bernoulli(CountEvent):
    """In how many documents of each class each word stands; for short text and yes/no columns.

    The statistic is the number N of documents with the word and the number D of documents; the
    estimate the posterior mean under a Beta prior, never divided by |V|. Absence is summed up once
    per class, so that scoring costs what a document contains.

    Parameters
    ----------
    beta
        Added to the count of absences; None: the same as alpha.
    absence
        False: only the words present are multiplied (the classic spam filter), which is a score.
    binarize
        Cells of a matrix above this are 1; None: cells must be 0 or 1. Words in text are there or not.
    """

    beta: float | None = None
    absence: bool = True
    binarize: float | None = None

    once = True

    def __post_init__(self) -> None:
        super().__post_init__()
        required(self.beta is None or self.beta >= 0, f"bernoulli needs beta >= 0, got {self.beta!r}")

    @property
    def support(self) -> Support:
        return "binary" if self.binarize is None else "real"

    @property
    def proper(self) -> Proper:
        return "presence" if self.absence else None

    @property
    def facts(self) -> str:
        return "counts" if self.binarize is None else f"ones above {self.binarize:g}"

    def prepare(self, X: Matrix) -> Matrix:
        if self.binarize is None:
            return X
        if isinstance(X, Sparse):
            required(
                self.binarize >= 0,
                f"bernoulli needs binarize >= 0 for sparse rows, got {self.binarize!r}",
                "below 0 every zero becomes a one: pass a dense array",
            )
            return Sparse((X.data > self.binarize).astype(np.float64), X.columns, X.starts, X.width)
        return np.where(np.isnan(X), X, X > self.binarize)

    def estimate(self, stats: Any) -> Linear:
        beta = self.alpha if self.beta is None else self.beta
        total = stats.documents + self.alpha + beta
        present = log_ratio(stats.present + self.alpha, total[:, None])
        unknown = log_ratio(self.alpha, total)
        absent: Array | None = None
        if self.absence:
            absent = log_ratio((stats.documents[:, None] - stats.present) + beta, total[:, None])
            absent = np.column_stack([absent, np.zeros(len(absent))])
        return Linear.of(self.with_unknown(present, unknown), absent)
