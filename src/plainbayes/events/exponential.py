"""Waiting times: p(x | rate) = rate e^(-rate x) for x >= 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from plainbayes.event import CellEvent, required
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array
from plainbayes.stats import Moments


@dataclass(frozen=True)
class Exponential(CellEvent):
    """Times until something happens; statistic: number n and mean; estimate: (n + alpha) / (n mean + beta).

    alpha and beta are those of the conjugate gamma prior: alpha waits that took beta together. beta
    has a unit, so None takes it from the column: alpha waits as long as the average over all classes.
    """

    alpha: float = 1.0
    beta: float | tuple[float, ...] | None = None

    support = "nonnegative"

    def __post_init__(self) -> None:
        required(0 < self.alpha < np.inf, f"exponential needs alpha > 0, got {self.alpha!r}")
        positive = self.beta is None or bool((np.asarray(self.beta) > 0).all())
        required(positive, f"exponential needs beta > 0, got {self.beta!r}")

    @property
    def facts(self) -> str:
        return "moments"

    def tally(self, X: Array, Y: ClassWeights) -> Moments:
        return Moments.of(X, Y)

    def freeze(self, stats: Moments) -> Self:
        return self if self.beta is not None else replace(self, beta=tuple(self._beta(stats).tolist()))

    def _beta(self, stats: Moments) -> Array:
        if self.beta is not None:
            return np.asarray(self.beta, dtype=np.float64)
        _, average, _ = stats.pooled()
        return self.alpha * np.where(average > 0, average, 1.0)

    def estimate(self, stats: Moments) -> Array:
        return np.asarray((stats.n + self.alpha) / (stats.n * stats.mean + self._beta(stats)))

    def log_density(self, theta: Array, x: Array) -> Array:
        return np.log(theta) - theta * x
