"""Each word there or not: P(word i in d | c) = (N_ic + alpha) / (D_c + alpha + beta); absent words count 1 - p."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plainbayes.event import CountEvent, Linear, Proper, Support, required
from plainbayes.matrix import ClassWeights, Matrix, Sparse, class_counts
from plainbayes.numeric import Array, Integers, Mask, log_ratio
from plainbayes.stats import Sums


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

    @property
    def checks(self) -> bool:
        return self.binarize == 0

    def _ones(self, X: Matrix) -> Matrix:
        """Cells above the threshold as 1, others as 0."""
        if self.binarize is None:
            return X
        if isinstance(X, Sparse):
            required(
                self.binarize >= 0,
                f"bernoulli needs binarize >= 0 for sparse rows, got {self.binarize!r}",
                "below 0 every zero becomes a one: pass a dense array",
            )
            return replace(X, data=(X.data > self.binarize).astype(np.float64))
        return (X > self.binarize).astype(np.float64)

    def tally(self, X: Matrix, Y: ClassWeights) -> Sums:
        if self.binarize != 0:
            return super().tally(self._ones(X), Y)
        # The loops count what is above zero anyway: a copy of the cells as ones took as long as counting.
        _, present = class_counts(X, Y, "real")
        return Sums(documents=Y.totals.copy(), count=present.copy(), present=present)

    def add(self, X: Matrix, Y: ClassWeights, stats: Sums) -> None:
        super().add(self._ones(X), Y, stats)

    def log_prob(self, theta: Linear, X: Matrix) -> Array:
        return theta.score(X, True) if self.binarize == 0 else super().log_prob(theta, self._ones(X))

    def likeliest(self, theta: Linear, X: Matrix, log_prior: Array) -> Integers | None:
        return theta.likeliest(X, log_prior, True) if self.binarize == 0 else None

    def said(self, counts: Array) -> Mask:
        return counts > (self.binarize or 0.0)

    def weights(self, stats: Any) -> tuple[Array, Array]:
        alpha, total = self._smoothed(stats)
        return log_ratio(stats.present + alpha, total), log_ratio(alpha.mean(), total.mean(axis=1))

    def _smoothed(self, stats: Any) -> tuple[Array, Array]:
        """Alpha, and the number of documents with all that is added."""
        alpha, _ = self.smoothing(stats.shape[1])
        beta = alpha if self.beta is None else self.beta
        return alpha, stats.documents[:, None] + alpha + beta

    def estimate(self, stats: Any) -> Linear:
        present = self.with_unknown(*self.weights(stats))
        if not self.absence:
            return Linear.of(present)
        alpha, total = self._smoothed(stats)
        beta = alpha if self.beta is None else self.beta
        absent = log_ratio((stats.documents[:, None] - stats.present) + beta, total)
        return Linear.of(present, np.column_stack([absent, np.zeros(len(absent))]))
