"""A small bell on every observation: p(x | c) = sum_i w_i normal((x - x_i) / h) / (h sum_i w_i)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from plainbayes.event import CellEvent, required
from plainbayes.events.gaussian import Gaussian
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array, Integers
from plainbayes.stats import Bag, Moments


class Bells(NamedTuple):
    """Bandwidths (classes, columns); centres and weights for each class and column that has any."""

    bandwidth: Array
    centres: dict[tuple[int, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Kernel(CellEvent):
    """Columns of any shape: several peaks, gaps, skew.

    The statistic is a Bag. The bandwidth of a class follows from its standard deviation by a rule, times
    `factor`. Observations are joined in bins of a fortieth of the bandwidth, only those that have a part in
    the sum are added up, and for many cells that is done on a grid of forty points a bandwidth. So a cell
    costs the same however many rows were learned; z bandwidths away from the nearest observation the
    error is below (z^2 + 1) / 5,000 nats. exact=True adds up all of them.

    Parameters
    ----------
    bandwidth
        "silverman" or "scott" (the rules of scipy's gaussian_kde), or "loo": Silverman's times the factor
        with the greatest leave-one-out likelihood, one for each column.
    factor
        The factor as a frozen belief, one for each column; None: 1, or by leave-one-out.
    """

    bandwidth: Literal["silverman", "scott", "loo"] = "silverman"
    factor: tuple[float, ...] | None = None
    exact: bool = False

    support = "real"

    def __post_init__(self) -> None:
        rules = self.bandwidth in ("silverman", "scott", "loo")
        positive = self.factor is None or all(0 < factor < np.inf for factor in self.factor)
        required(positive, f"kernel needs factors > 0, got {self.factor!r}")
        required(rules, f"kernel needs bandwidth 'silverman', 'scott' or 'loo', got {self.bandwidth!r}")

    @property
    def facts(self) -> str:
        return "observations"

    def tally(self, X: Array, Y: ClassWeights) -> Bag:
        return Bag.of(X, Y)

    def freeze(self, stats: Bag) -> Self:
        return replace(self, factor=tuple(self._factors(stats).tolist()))

    def _factors(self, stats: Bag) -> Array:
        if self.factor is not None:
            return np.array(self.factor)
        if self.bandwidth != "loo":
            return np.ones(stats.shape[1])
        rule = self._rule(stats)
        likelihood = np.zeros((len(FACTORS), stats.shape[1]))
        for row, column, values, weights in stats.groups():
            if weights.sum() > 1:
                some = np.unique(np.linspace(0, len(values) - 1, JUDGED).round().astype(np.int64))
                for place, factor in enumerate(FACTORS):
                    said = _left_out(values, weights, some, rule[row, column] * factor, self.exact)
                    likelihood[place, column] += weights[some] @ said
        return np.asarray(FACTORS[likelihood.argmax(axis=0)])

    def _rule(self, stats: Bag) -> Array:
        """Standard deviation of each class and column times the power of n that the rule says."""
        moments = _moments(stats)
        spread = np.sqrt(Gaussian("unbiased").estimate(moments).variance)
        n = np.maximum(moments.n, 1.0) * (1.0 if self.bandwidth == "scott" else 0.75)
        return np.asarray(spread * np.power(n, -0.2))

    def estimate(self, stats: Bag) -> Bells:
        bandwidth = self._rule(stats) * self._factors(stats)
        centres = {}
        for row, column, values, weights in stats.groups():
            h = bandwidth[row, column]
            centres[row, column] = (values, weights) if self.exact else _joined(values, weights, h / GRID)
        for column in set(stats.cells[1].tolist()):
            # A class without an observation here is believed to be like all the others together.
            for row in range(stats.shape[0]):
                if (row, column) not in centres:
                    here = stats.cells[1] == column
                    h = bandwidth[row, column]
                    centres[row, column] = _joined(*_sorted(stats.cells[2][here], stats.cells[3][here]), h / GRID)
        return Bells(bandwidth, centres)

    def log_density(self, theta: Bells, x: Array) -> Array:
        said = np.full((len(x), *theta.bandwidth.shape), np.nan)
        for (row, column), (centres, weights) in theta.centres.items():
            h = theta.bandwidth[row, column]
            said[:, row, column] = _log_sum(x[:, 0, column], centres, weights, h, self.exact)
            said[:, row, column] -= np.log(h * weights.sum())
        return said


FACTORS = 2.0 ** np.arange(-5, 2.5, 0.5)
REACH = 8.0
GRID = 40
JUDGED = 200


def _log_sum(x: Array, centres: Array, weights: Array, h: float, exact: bool) -> Array:
    """Log of the sum of w normal((x - centre) / h) at every x; centres sorted."""
    if exact:
        return _near(x, centres, weights, h, np.inf)
    low, high = x.min(initial=centres[0]), x.max(initial=centres[-1])
    points = (high - low) / h * GRID
    if points < len(x):  # many cells: on a grid, and between its points by a line
        grid = np.linspace(low, high, int(points) + 2)
        return np.interp(x, grid, _near(grid, centres, weights, h, REACH))
    return _near(x, centres, weights, h, REACH)


def _near(x: Array, centres: Array, weights: Array, h: float, reach: float) -> Array:
    """The same by the centres within reach of x; far out, of the nearest one: those beyond have no part in the sum."""
    after = np.searchsorted(centres, x).clip(1, len(centres) - 1) if len(centres) > 1 else np.zeros(len(x), np.int64)
    nearest = np.minimum(np.abs(x - centres[after - 1]), np.abs(x - centres[after]))
    within = np.hypot(nearest, reach * h)
    low, high = np.searchsorted(centres, x - within), np.searchsorted(centres, x + within, side="right")
    result = np.empty(len(x))
    step = max(1, (1 << 18) // max(1, int((high - low).max(initial=1))))
    log_weights = np.log(weights)
    for start in range(0, len(x), step):
        rows = slice(start, start + step)
        near = low[rows, None] + np.arange((high - low)[rows].max(initial=1))
        inside = near < high[rows, None]
        near = np.minimum(near, len(centres) - 1)
        terms = log_weights[near] - 0.5 * ((x[rows, None] - centres[near]) / h) ** 2
        terms = np.where(inside, terms, -np.inf)
        top = terms.max(axis=1)
        result[rows] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return np.asarray(result - 0.5 * np.log(2 * np.pi))


def _left_out(values: Array, weights: Array, some: Integers, h: float, exact: bool) -> Array:
    """Log density at some of the values, each without one observation of it (or what it weighs, if less)."""
    bells = (values, weights) if exact else _joined(values, weights, h / GRID)
    own = np.minimum(weights[some], 1.0)
    whole = np.exp(_log_sum(values[some], *bells, h, exact))
    # Where nothing else is near enough to be a number, the smallest number stands for it.
    others = np.maximum(whole - own / np.sqrt(2 * np.pi), np.finfo(np.float64).tiny)
    return np.asarray(np.log(others) - np.log(h * (weights.sum() - own)))


def _joined(values: Array, weights: Array, width: float) -> tuple[Array, Array]:
    """Sorted values joined in bins, each at its own mean."""
    bins = np.floor((values - values[0]) / width)
    starts = np.flatnonzero(np.diff(bins, prepend=-1.0))
    joined = np.add.reduceat(weights, starts)
    firsts = values[starts]
    away = values - np.repeat(firsts, np.diff(starts, append=len(values)))
    return firsts + np.add.reduceat(weights * away, starts) / joined, joined


def _sorted(values: Array, weights: Array) -> tuple[Array, Array]:
    order = np.argsort(values)
    return values[order], weights[order]


def _moments(stats: Bag) -> Moments:
    """Number, mean and scatter of what is in the bag."""
    n, mean, scatter = np.zeros((3, *stats.shape))
    for row, column, values, weights in stats.groups():
        total = weights.sum()
        centre = values[0] + weights @ (values - values[0]) / total
        n[row, column], mean[row, column] = total, centre
        scatter[row, column] = weights @ (values - centre) ** 2
    return Moments(n=n, mean=mean, scatter=scatter)
