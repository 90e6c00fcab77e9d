"""Bars: p(x | c) = (n_bc + alpha) / (n_c + alpha B) / width_b for x in bin b of B."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from plainbayes.event import CellEvent, required
from plainbayes.matrix import Cells, ClassWeights, class_cells
from plainbayes.numeric import Array, Integers, log, log_ratio, ratio
from plainbayes.stats import Bag, Sums

Edges = tuple[tuple[float, ...], ...]


class Bars(NamedTuple):
    """Edges of the bins of every column, and log heights (classes, bins) for each."""

    edges: tuple[Array, ...]
    heights: tuple[Array, ...]


@dataclass(frozen=True)
class Histogram(CellEvent):
    """Shares of the bins of each column in each class; for continuous columns with plenty of rows.

    The statistic is a Bag of the observations, so that bins follow the data, or, once the edges are
    given, the plain counts of the bins. Smoothing is that of a category. Values beyond the outer edges
    belong to the outer bins.

    Parameters
    ----------
    bins, by
        How many bins, and of what kind: "width" (equal width), "quantile" (equal share of rows) or "mdlp"
        (Fayyad and Irani, 1993: as many as tell the classes apart, whatever `bins` says).
    edges
        Bin edges as a frozen belief, a tuple for each column; None: from the data.
    """

    alpha: float = 1.0
    bins: int = 16
    by: Literal["width", "quantile", "mdlp"] = "quantile"
    edges: Edges | None = None

    support = "real"
    proper = "range"

    def __post_init__(self) -> None:
        required(0 < self.alpha < np.inf, f"histogram needs alpha > 0, got {self.alpha!r}")
        rising = self.edges is None or all(len(e) > 1 and (np.diff(e) > 0).all() for e in self.edges)
        required(rising, f"histogram needs two rising edges or more for each column, got {self.edges!r}")
        required(self.bins > 0, f"histogram needs bins > 0, got {self.bins!r}")
        kinds = self.by in ("width", "quantile", "mdlp")
        required(kinds, f"histogram needs by 'width', 'quantile' or 'mdlp', got {self.by!r}")

    @property
    def facts(self) -> str:
        return "observations" if self.edges is None else f"counts of the bins {self.edges}"

    def tally(self, X: Array, Y: ClassWeights) -> Bag | Sums:
        shape, cells = (Y.classes, X.shape[1]), class_cells(X, Y)
        return Bag(shape, cells) if self.edges is None else Sums(n=binned(shape, cells, self._edges(shape[1])))

    def freeze(self, stats: Bag | Sums) -> Self:
        return replace(self, edges=tuple(tuple(cuts.tolist()) for cuts in self._cuts(stats)))

    def _cuts(self, stats: Bag | Sums) -> list[Array]:
        if self.edges is not None:
            return self._edges(stats.shape[1])
        required(isinstance(stats, Bag), "histogram needs the observations to cut bins")
        cut = {"width": equal_width, "quantile": equal_share, "mdlp": least_description}[self.by]
        classes, features, values, weights = stats.cells
        columns = (features == column for column in range(stats.shape[1]))
        return [cut(values[here], weights[here], classes[here], self.bins) for here in columns]

    def _edges(self, columns: int) -> list[Array]:
        edges = [np.asarray(cuts, dtype=np.float64) for cuts in self.edges or ()]
        required(len(edges) == columns, f"histogram has edges for {len(edges)} columns, got {columns} columns")
        return edges

    def estimate(self, stats: Bag | Sums) -> Bars:
        edges = self._cuts(stats)
        n = stats.n if isinstance(stats, Sums) else binned(stats.shape, stats.cells, edges)
        heights = []
        for column, cuts in enumerate(edges):
            counts = n[:, column, : len(cuts) - 1]
            total = counts.sum(axis=1, keepdims=True) + self.alpha * (len(cuts) - 1)
            heights.append(log_ratio(counts + self.alpha, total * np.diff(cuts)))
        return Bars(tuple(edges), tuple(heights))

    def log_density(self, theta: Bars, x: Array) -> Array:
        columns = [
            heights[:, places(edges, x[:, 0, column])].T
            for column, (edges, heights) in enumerate(zip(*theta, strict=True))
        ]
        return np.stack(columns, axis=2)


def binned(shape: tuple[int, int], cells: Cells, edges: list[Array]) -> Array:
    """How much of each class falls into each bin of each column: (classes, columns, bins)."""
    classes, features, values, weights = cells
    n = np.zeros((*shape, max((len(cuts) - 1 for cuts in edges), default=0)))
    for column, cuts in enumerate(edges):
        here = features == column
        np.add.at(n[:, column], (classes[here], places(cuts, values[here])), weights[here])
    return n


def places(edges: Array, values: Array) -> Integers:
    """The bin of each value."""
    return np.searchsorted(edges[1:-1], values, side="right")


def equal_width(values: Array, weights: Array, classes: Integers, bins: int) -> Array:
    """Edges of bins of equal width; a column with one value gets a bin of width 1 around it."""
    low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
    edges = np.unique(np.linspace(low, high, bins + 1))
    return edges if len(edges) > 1 else _around(low)


def equal_share(values: Array, weights: Array, classes: Integers, bins: int) -> Array:
    """Edges between which equal weights lie, halfway between neighbouring values."""
    distinct, inverse = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return equal_width(values, weights, classes, bins)
    below = np.cumsum(np.bincount(inverse, weights))[:-1] / weights.sum()
    halfway = distinct[:-1] + np.diff(distinct) / 2
    cuts = np.unique(np.searchsorted(below, np.arange(1, bins) / bins).clip(max=len(below) - 1))
    return _closed(distinct, halfway[cuts])


def least_description(values: Array, weights: Array, classes: Integers, bins: int) -> Array:
    """Edges that tell the classes apart: cut where entropy falls by more than the cut costs to describe."""
    distinct, inverse = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return equal_width(values, weights, classes, bins)
    table = np.zeros((len(distinct) + 1, int(classes.max()) + 1))
    np.add.at(table, (inverse + 1, classes), weights)
    below = np.cumsum(table, axis=0)
    cuts, segments = [], [(0, len(distinct))]
    while segments:
        start, end = segments.pop()
        cut = _best_cut(below[start : end + 1] - below[start])
        if cut is not None:
            cuts.append(start + cut)
            segments += [(start, start + cut), (start + cut, end)]
    places = np.sort(np.array(cuts, dtype=np.int64))
    halfway = (distinct[places - 1] + distinct[places]) / 2
    return _closed(distinct, halfway)


def _closed(distinct: Array, cuts: Array) -> Array:
    """Cuts with outer edges: half a gap beyond the outermost values, so that whole numbers have equal room."""
    first, last = (distinct[1] - distinct[0]) / 2, (distinct[-1] - distinct[-2]) / 2
    return np.unique(np.concatenate([[distinct[0] - first], cuts, [distinct[-1] + last]]))


def _best_cut(below: Array) -> int | None:
    """Where to cut a segment with these class counts below each place, if the cut pays for itself."""
    if len(below) < 3:
        return None
    whole, left = below[-1], below[1:-1]
    right = whole - left
    n, n_left, n_right = whole.sum(), left.sum(axis=1), right.sum(axis=1)
    entropy_left, entropy_right = _entropy(left), _entropy(right)
    after = (n_left * entropy_left + n_right * entropy_right) / n
    best = int(after.argmin())
    kinds, kinds_left, kinds_right = ((counts > 0).sum() for counts in (whole, left[best], right[best]))
    saved = kinds * _entropy(whole) - kinds_left * entropy_left[best] - kinds_right * entropy_right[best]
    cost = (np.log2(max(n - 1, 1.0)) + np.log2(3.0**kinds - 2) - saved) / n
    return best + 1 if _entropy(whole) - after[best] > cost else None


def _entropy(counts: Array) -> Array:
    """Entropy in bits of the classes, along the last axis."""
    p = ratio(counts, counts.sum(axis=-1, keepdims=True))
    return np.asarray(-(p * log(np.where(p > 0, p, 1.0))).sum(axis=-1) / np.log(2.0))


def _around(value: float) -> Array:
    half = 0.5 * max(1.0, np.spacing(abs(value)) * 4)
    return np.array([value - half, value + half])
