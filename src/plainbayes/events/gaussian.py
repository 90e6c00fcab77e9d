"""The bell curve: p(x | mean, variance) = exp(-(x - mean)^2 / (2 variance)) / sqrt(2 pi variance)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from plainbayes.event import CellEvent, Support, required
from plainbayes.matrix import ClassWeights, gaussian_scores
from plainbayes.numeric import Array, floored, ratio
from plainbayes.stats import Moments


class Normal(NamedTuple):
    """Mean and variance per class and column."""

    mean: Array
    variance: Array


@dataclass(frozen=True)
class Gaussian(CellEvent):
    """Mean and variance of each column in each class; for continuous columns of small spread.

    The statistic is number, mean and scatter. One observation has no variance of its own: the class
    gets the pooled variance within classes (or, if no class has two, that of the whole column).

    Parameters
    ----------
    variance
        "ml" divides the scatter by n (maximum likelihood), "unbiased" by n - 1.
    floor, scale
        floor x scale is added to every variance. scale is a belief: one number, one per column, or
        None for each column's variance over all classes.
    """

    variance: Literal["ml", "unbiased"] = "ml"
    floor: float = 1e-9
    scale: float | tuple[float, ...] | None = None

    @property
    def support(self) -> Support:
        return "real"

    def __post_init__(self) -> None:
        kinds = self.variance in ("ml", "unbiased")
        required(kinds, f"{self.name} needs variance 'ml' or 'unbiased', got {self.variance!r}")
        required(self.floor > 0, f"{self.name} needs floor > 0, got {self.floor!r}")

    @property
    def facts(self) -> str:
        return "moments"

    def tally(self, X: Array, Y: ClassWeights) -> Moments:
        return Moments.of(X, Y)

    def freeze(self, stats: Moments) -> Self:
        return self if self.scale is not None else replace(self, scale=tuple(self._scale(stats).tolist()))

    def _scale(self, stats: Moments) -> Array:
        if self.scale is not None:
            return np.asarray(self.scale, dtype=np.float64)
        n, _, scatter = stats.pooled()
        return ratio(scatter, n)

    def estimate(self, stats: Moments) -> Normal:
        all_n, all_mean, all_scatter = stats.pooled()
        lost = 1.0 if self.variance == "unbiased" else 0.0
        several = stats.n > 1
        within = ratio((several * stats.scatter).sum(axis=0), (several * (stats.n - lost)).sum(axis=0))
        pooled = np.where(several.any(axis=0), within, ratio(all_scatter, all_n))
        variance = np.where(stats.n > 1, ratio(stats.scatter, stats.n - lost), pooled)
        # A column that nobody has seen has no mean, and says nothing.
        mean = np.where(stats.n > 0, stats.mean, np.where(all_n > 0, all_mean, np.nan))
        return Normal(mean, floored(variance, self.floor, self._scale(stats)))

    def log_density(self, theta: Normal, x: Array) -> Array:
        mean, variance = theta
        return -0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance))

    def log_prob(self, theta: Normal, X: Array) -> Array:
        return gaussian_scores(X, *theta)
