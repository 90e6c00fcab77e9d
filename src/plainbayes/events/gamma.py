"""Sums of waiting times: p(x | k, s) = x^(k - 1) e^(-x / s) / (Gamma(k) s^k) for x > 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plainbayes.event import CellEvent, required
from plainbayes.matrix import ClassWeights, class_moments
from plainbayes.numeric import Array, digamma, lgamma, log, ratio, trigamma
from plainbayes.stats import Moments


class ShapeScale(NamedTuple):
    """Shape k and scale s per class and column."""

    shape: Array
    scale: Array


@dataclass(frozen=True)
class Gamma(CellEvent):
    """Amounts and durations: positive, skewed, with a lighter tail than the log-normal.

    The statistics are the moments of x and of log x side by side; the estimate is maximum likelihood:
    log k - digamma(k) = log(mean x) - mean(log x), by Newton's method. That difference is at least
    `floor`, so that equal values do not make the shape infinite; a class with one observation takes
    the pooled one.
    """

    floor: float = 1e-9

    support = "positive"

    def __post_init__(self) -> None:
        required(self.floor > 0, f"gamma needs floor > 0, got {self.floor!r}")

    def tally(self, X: Array, Y: ClassWeights) -> Moments:
        both = np.stack([X, np.log(X, dtype=np.float64)], axis=2).reshape(len(X), 2 * X.shape[1])
        n, mean, scatter = (a.reshape(Y.classes, X.shape[1], 2) for a in class_moments(both, Y))
        return Moments(n=n, mean=mean, scatter=scatter)

    def estimate(self, stats: Moments) -> ShapeScale:
        n, mean, mean_log = stats.n[..., 0], stats.mean[..., 0], stats.mean[..., 1]
        spread = np.where(n > 0, log(mean) - mean_log, 0.0)
        several = np.where(n > 1, n, 0.0)
        within = ratio((several * spread).sum(axis=0), several.sum(axis=0))
        all_n, all_means, _ = stats.pooled()
        all_mean, all_log = np.moveaxis(np.where(all_n > 0, all_means, [1.0, 0.0]), -1, 0)
        alone = ~(n > 1).any(axis=0)
        pooled = np.where(alone, np.log(all_mean) - all_log, within)
        shape = _shape(np.maximum(np.where(n > 1, spread, pooled), self.floor))
        return ShapeScale(shape, np.where(n > 0, mean, all_mean) / shape)

    def log_density(self, theta: ShapeScale, x: Array) -> Array:
        k, s = theta
        return (k - 1) * np.log(x) - x / s - lgamma(k) - k * np.log(s)


def _shape(spread: Array) -> Array:
    """Solve log k - digamma(k) = spread; Minka's start, then Newton's steps on 1 / k."""
    k = (3 - spread + np.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread)
    for _ in range(8):
        off = np.log(k) - digamma(k) - spread
        k = 1 / (1 / k + off / (k * k * (1 / k - trigamma(k))))
    return k
