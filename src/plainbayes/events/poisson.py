"""Rare events: p(x | rate) = rate^x e^(-rate) / x! for x = 0, 1, 2, ..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes.event import CellEvent, required
from plainbayes.matrix import ClassWeights, class_sums
from plainbayes.numeric import Array, lgamma, log, ratio
from plainbayes.stats import Sums


@dataclass(frozen=True)
class Poisson(CellEvent):
    """Counts of independent events; statistic: number n and sum s; estimate: (s + alpha) / (n + beta).

    alpha and beta are those of the conjugate gamma prior: alpha events in beta observations.
    """

    alpha: float = 1.0
    beta: float = 1.0

    support = "count"
    checks = True

    def __post_init__(self) -> None:
        given = f"alpha={self.alpha!r}, beta={self.beta!r}"
        required(0 <= self.alpha < np.inf and 0 <= self.beta < np.inf, f"poisson needs alpha, beta >= 0, got {given}")

    def tally(self, X: Array, Y: ClassWeights) -> Sums:
        n, s = class_sums(X, Y, self.support)
        return Sums(n=n, s=s)

    def estimate(self, stats: Any) -> Array:
        return ratio(stats.s + self.alpha, stats.n + self.beta)

    def log_density(self, theta: Array, x: Array) -> Array:
        # A rate of zero allows nothing but zero: 0 log 0 = 0.
        hits = np.where(x > 0, x * np.where(x > 0, log(theta), 0.0), 0.0)
        return hits - theta - lgamma(x + 1)
