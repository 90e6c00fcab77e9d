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
    gets the pooled variance within classes (or, if no class has two, that of the whole column), unless
    single="zero" leaves it none but the floor.

    Parameters
    ----------
    variance
        "ml" divides the scatter by n (maximum likelihood), "unbiased" by n - 1.
    floor, scale
        floor x scale is added to every variance. scale is a belief: one number, one per column,
        None for each column's variance over all classes, or "largest" for the largest of these.
    """

    variance: Literal["ml", "unbiased"] = "ml"
    floor: float = 1e-9
    scale: float | tuple[float, ...] | Literal["largest"] | None = None
    single: Literal["pooled", "zero"] = "pooled"

    checks = True

    @property
    def support(self) -> Support:
        return "real"

    def __post_init__(self) -> None:
        kinds = self.variance in ("ml", "unbiased")
        required(kinds, f"{self.name} needs variance 'ml' or 'unbiased', got {self.variance!r}")
        kinds = self.single in ("pooled", "zero")
        required(kinds, f"{self.name} needs single 'pooled' or 'zero', got {self.single!r}")
        required(self.floor >= 0, f"{self.name} needs floor >= 0, got {self.floor!r}")

    @property
    def facts(self) -> str:
        return "moments"

    def tally(self, X: Array, Y: ClassWeights) -> Moments:
        return Moments.of(X, Y)

    def freeze(self, stats: Moments) -> Self:
        return replace(self, scale=tuple(self.scales(stats).tolist())) if self.scale in (None, "largest") else self

    def scales(self, stats: Moments) -> Array:
        """What the floor is a share of, for every column."""
        if self.scale is not None and self.scale != "largest":
            return np.broadcast_to(np.asarray(self.scale, dtype=np.float64), stats.shape[1:])
        n, _, scatter = stats.pooled()
        variance = ratio(scatter, n)
        return variance if self.scale is None else np.full_like(variance, variance.max(initial=0.0))

    def estimate(self, stats: Moments) -> Normal:
        all_n, all_mean, all_scatter = stats.pooled()
        lost = 1.0 if self.variance == "unbiased" else 0.0
        several = stats.n > 1
        within = ratio((several * stats.scatter).sum(axis=0), (several * (stats.n - lost)).sum(axis=0))
        pooled = np.where(several.any(axis=0), within, ratio(all_scatter, all_n))
        own = ratio(stats.scatter, stats.n - lost)
        variance = own if self.single == "zero" else np.where(several, own, pooled)
        # A column that nobody has seen has no mean, and says nothing.
        mean = np.where(stats.n > 0, stats.mean, np.where(all_n > 0, all_mean, np.nan))
        return Normal(mean, floored(variance, self.floor, self.scales(stats)))

    def log_density(self, theta: Normal, x: Array) -> Array:
        mean, variance = theta
        return -0.5 * ((x - mean) ** 2 / variance + np.log(2 * np.pi * variance))

    def log_prob(self, theta: Normal, X: Array) -> Array:
        return gaussian_scores(X, *theta)
