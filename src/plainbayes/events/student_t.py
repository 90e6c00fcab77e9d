"""Heavy tails: p(x | m, s) = (1 + z^2 / df)^(-(df + 1) / 2) / (s sqrt(df) B(df / 2, 1 / 2)), z = (x - m) / s."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plainbayes.event import LocationScale, Place, required
from plainbayes.numeric import Array, lgamma, weighted_median


@dataclass(frozen=True)
class StudentT(LocationScale):
    """Continuous columns of large spread: an outlier costs little.

    The statistic is a Bag; location and spread are the maximum-likelihood estimates for `df` degrees of
    freedom (1: Cauchy; large: normal), found by EM: far observations weigh less.
    """

    df: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        required(0 < self.df < np.inf, f"student t needs a finite df > 0, got {self.df!r}")

    def fit(self, values: Array, weights: Array) -> tuple[float, float]:
        # Starting at the median and the mean distance, which a few outliers do not move far.
        location = weighted_median(values, weights)
        spread = weights @ np.abs(values - location) / weights.sum()
        least = self.floor * spread
        for _ in range(1000):
            if spread <= least:  # most observations are the same: the likelihood has no maximum above 0
                spread = 0.0
                break
            z = (values - location) / spread
            heed = weights * (self.df + 1) / (self.df + z * z)
            step = heed @ (values - location) / heed.sum()
            # Dividing by the sum of what is heeded instead of n has the same fixed point, reached sooner.
            factor = np.sqrt(heed @ (z * z) / heed.sum())
            location, spread = location + step, spread * factor
            if abs(step) <= 1e-12 * spread and abs(factor - 1) <= 1e-12:
                break
        return float(location), float(spread)

    def log_density(self, theta: Place, x: Array) -> Array:
        location, spread = theta
        df = self.df
        height = lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * np.log(df * np.pi)
        tail = (df + 1) / 2 * np.log1p(((x - location) / spread) ** 2 / df)
        return np.asarray(height - np.log(spread) - tail)
