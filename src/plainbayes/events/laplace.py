"""Two exponentials back to back: p(x | m, b) = exp(-|x - m| / b) / (2 b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plainbayes.event import LocationScale, Place
from plainbayes.numeric import Array, weighted_median


@dataclass(frozen=True)
class Laplace(LocationScale):
    """Continuous columns with tails heavier than normal, and sharp in the middle.

    The statistic is a Bag, since a median is no sum; the estimate is maximum likelihood: m is the median,
    b the mean distance from it.
    """

    def fit(self, values: Array, weights: Array) -> tuple[float, float]:
        median = weighted_median(values, weights)
        return median, float(weights @ np.abs(values - median) / weights.sum())

    def log_density(self, theta: Place, x: Array) -> Array:
        median, b = theta
        return -np.abs(x - median) / b - np.log(2 * b)
