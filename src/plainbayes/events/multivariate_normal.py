"""Columns that move together: p(x | mean, C) = exp(-(x - mean)' C^-1 (x - mean) / 2) / sqrt(det(2 pi C))."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from plainbayes.event import BlockEvent, required
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array, floored, ratio
from plainbayes.stats import JointMoments


class Ellipsoids(NamedTuple):
    """Mean (classes, d) and covariance (classes, d, d)."""

    mean: Array
    covariance: Array


@dataclass(frozen=True)
class MultivariateNormal(BlockEvent):
    """Correlated columns, modelled together instead of as if independent.

    The statistics are joint moments of the complete rows; a row with missing cells is judged by the
    cells that are there (the others are integrated out).

    Parameters
    ----------
    covariance
        "full" for each class its own (quadratic discriminant), "shared" one for all (linear
        discriminant), "diagonal" for independent columns.
    variance
        "ml" divides the scatter by n, "unbiased" by n - 1 (shared: n - classes).
    shrinkage
        How far covariances are drawn towards none, 0 to 1; "auto" after Ledoit and Wolf (2004), on
        standardised columns, so that units do not matter.
    floor, scale
        floor x scale is added to every variance; scale is a belief, one for each column, None: its
        variance over all classes. So no covariance is ever singular.
    """

    covariance: Literal["full", "shared", "diagonal"] = "full"
    variance: Literal["ml", "unbiased"] = "ml"
    shrinkage: float | Literal["auto"] = "auto"
    floor: float = 1e-9
    scale: tuple[float, ...] | None = None

    support = "real"

    def __post_init__(self) -> None:
        kinds = self.covariance in ("full", "shared", "diagonal")
        required(kinds, f"{self.name} needs covariance 'full', 'shared' or 'diagonal', got {self.covariance!r}")
        required(
            self.variance in ("ml", "unbiased"), f"{self.name} needs variance 'ml' or 'unbiased', got {self.variance!r}"
        )
        share = self.shrinkage == "auto" or 0 <= self.shrinkage <= 1
        required(share, f"{self.name} needs shrinkage 'auto' or from 0 to 1, got {self.shrinkage!r}")
        required(self.floor > 0, f"{self.name} needs floor > 0, got {self.floor!r}")

    def tally(self, X: Array, Y: ClassWeights) -> JointMoments:
        x = np.asarray(X, dtype=np.float64)
        largest = np.abs(x).max(initial=0.0, where=~np.isnan(x))
        required(largest < 1e70, f"{self.name} needs numbers below 1e70, got {largest:g}", "scale the columns down")
        return JointMoments.of(x[:, None, :], Y)

    def freeze(self, stats: JointMoments) -> Self:
        return self if self.scale is not None else replace(self, scale=tuple(self._scale(stats).tolist()))

    def _scale(self, stats: JointMoments) -> Array:
        if self.scale is not None:
            return np.array(self.scale)
        whole = stats.pooled()
        return np.asarray(ratio(np.diagonal(whole.scatter[0, 0]), whole.n[0, 0]))

    def estimate(self, stats: JointMoments) -> Ellipsoids:
        n, whole = stats.n[:, 0], stats.pooled()
        lost = 1.0 if self.variance == "unbiased" else 0.0
        # One covariance for all is an estimate from all; one to lend to single rows is from those with several.
        lending = n > (0 if self.covariance == "shared" else 1)
        lent = {name: array[lending].sum(axis=0, keepdims=True) for name, array in stats.arrays.items()}
        within = JointMoments(**lent)
        spread = (n[lending] - lost).sum()
        if (n > 1).any():
            pooled = self._covariance(within, np.array([spread]))[0]
        else:
            pooled = self._covariance(whole, whole.n[:, 0])[0]
        if self.covariance == "shared":
            covariance = np.broadcast_to(pooled, (len(n), *pooled.shape)).copy()
        else:
            own = self._covariance(stats, n - lost)
            covariance = np.where((n > 1)[:, None, None], own, pooled)
        mean = np.where(n[:, None] > 0, stats.mean[:, 0], whole.mean[0, 0] if whole.n[0, 0] else np.nan)
        d = mean.shape[1]
        covariance[:, range(d), range(d)] = floored(covariance[:, range(d), range(d)], self.floor, self._scale(stats))
        return Ellipsoids(mean, covariance)

    def _covariance(self, stats: JointMoments, divisor: Array) -> Array:
        """Scatter / divisor, drawn towards its diagonal."""
        scatter = stats.scatter[:, 0]
        diagonal = scatter * np.eye(scatter.shape[-1])
        if self.covariance == "diagonal":
            share = np.ones(len(scatter))
        elif self.shrinkage == "auto":
            share = _ledoit_wolf(stats.n[:, 0], scatter, stats.fourth[:, 0])
        else:
            share = np.full(len(scatter), self.shrinkage)
        drawn = scatter + share[:, None, None] * (diagonal - scatter)
        return ratio(drawn, divisor[:, None, None])

    def log_prob(self, theta: Ellipsoids, X: Array) -> Array:
        scores = np.zeros((len(X), len(theta.mean)))
        if np.isnan(theta.mean).any():  # nobody has seen a complete row
            return scores
        X = np.asarray(X, dtype=np.float64)
        patterns, which = np.unique(np.isnan(X), axis=0, return_inverse=True)
        for number, missing in enumerate(patterns):
            rows, there = np.flatnonzero(which.ravel() == number), np.flatnonzero(~missing)
            root = np.linalg.cholesky(theta.covariance[:, there[:, None], there])
            height = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1) + len(there) / 2 * np.log(2 * np.pi)
            for c in range(len(theta.mean)):
                z = np.linalg.solve(root[c], (X[rows[:, None], there] - theta.mean[c, there]).T)
                scores[rows, c] = -0.5 * (z * z).sum(axis=0) - height[c]
        return scores


def _ledoit_wolf(n: Array, scatter: Array, fourth: Array) -> Array:
    """How much of the off-diagonal scatter of standardised columns is noise: its variance over its size."""
    variance = ratio(np.diagonal(scatter, axis1=1, axis2=2), n[:, None])
    units = variance[:, :, None] * variance[:, None, :]
    d = scatter.shape[-1]
    correlation = ratio(scatter, n[:, None, None] * np.sqrt(units))
    size = (correlation**2).sum(axis=(1, 2))
    noise = ratio(ratio(ratio(fourth, units).sum(axis=(1, 2)), n) - size, n)
    apart = size - d
    return np.where(apart > 0, np.clip(ratio(noise, apart), 0.0, 1.0), 1.0)
