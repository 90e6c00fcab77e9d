"""Matrices and class weights as they cross into the Rust core, and the loops it runs over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plainbayes import _core
from plainbayes.numeric import Array, Integers, exact


@dataclass(frozen=True, eq=False)
class Sparse:
    """Rows that store only what is not zero: entries starts[r] to starts[r + 1] belong to row r."""

    data: Array
    columns: Integers
    starts: Integers
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.starts) - 1, self.width

    def take(self, rows: Integers) -> Sparse:
        """Return the rows asked for, in that order."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(starts[-1]) - np.repeat(starts[:-1] - self.starts[rows], lengths)
        return Sparse(self.data[entries], self.columns[entries], starts, self.width)


Matrix = Array | Sparse
Cells = tuple[Integers, Integers, Array, Array]


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """How much each row counts for each class: the Y of every tally.

    Without starts, row r has the one entry r (hard labels, the fast path); with starts it has the
    entries starts[r] to starts[r + 1] (soft labels). Weights are rounded once, by exact().
    """

    codes: Integers
    classes: int
    weights: Array | None = None
    starts: Integers | None = None

    @classmethod
    def soft(cls, table: Array) -> ClassWeights:
        """Class weights from a table of rows by classes."""
        weights = exact(table)
        rows, codes = np.nonzero(weights)
        starts = np.searchsorted(rows, np.arange(len(table) + 1))
        return cls(np.ascontiguousarray(codes), table.shape[1], weights[rows, codes], starts)

    @property
    def totals(self) -> Array:
        """The weight of each class."""
        return np.bincount(self.codes, self.weights, self.classes).astype(np.float64)

    def each(self) -> tuple[Integers, Integers, Array]:
        """Row, class and weight of every entry."""
        rows = np.arange(len(self.codes))
        if self.starts is not None:
            rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        weights = np.ones(len(rows)) if self.weights is None else self.weights
        return rows, self.codes, weights

    def _crossing(self) -> tuple[Integers, Array | None, Integers | None, int]:
        return self.codes, self.weights, self.starts, self.classes


def _dense(X: Array) -> tuple[Array, int, int]:
    return np.ascontiguousarray(X), *X.shape


def _crossing(X: Matrix) -> tuple[object, ...]:
    return (X.data, X.columns, X.starts, X.width) if isinstance(X, Sparse) else _dense(X)


def class_counts(X: Matrix, Y: ClassWeights) -> tuple[Array, Array]:
    """Per class and column: the sum of the values, and the rows whose value is above zero."""
    count, present = np.zeros((2, Y.classes, X.shape[1]))
    _core.counts(_crossing(X), Y._crossing(), count, present)
    return count, present


def class_sums(X: Array, Y: ClassWeights) -> tuple[Array, Array]:
    """Per class and column: the weight of the cells that are there, and their sum."""
    n, s = np.zeros((2, Y.classes, X.shape[1]))
    _core.sums(_dense(X), Y._crossing(), n, s)
    return n, s


def class_moments(X: Array, Y: ClassWeights) -> tuple[Array, Array, Array]:
    """Per class and column: number, mean and scatter of the cells that are there."""
    n, mean, scatter = np.zeros((3, Y.classes, X.shape[1]))
    _core.moments(_dense(X), Y._crossing(), n, mean, scatter)
    return n, mean, scatter


def class_cells(X: Array, Y: ClassWeights) -> Cells:
    """Class, column, value and weight of every cell that is there."""
    rows, classes, weights = Y.each()
    cells = np.asarray(X, dtype=np.float64)[rows]
    entry, column = np.nonzero(~np.isnan(cells))
    return classes[entry], column, cells[entry, column], weights[entry]


def linear_scores(X: Matrix, bias: Array, table: Array, once: bool) -> Array:
    """Bias of each class plus the sum of value times weight; the table is columns by classes."""
    scores = np.tile(bias, (X.shape[0], 1))
    _core.linear(_crossing(X), table[: X.shape[1]], once, scores)
    return scores


def gaussian_scores(X: Array, mean: Array, variance: Array) -> Array:
    """Log density of rows whose columns are normal given the class; missing cells are skipped."""
    scores = np.zeros((len(X), len(mean)))
    _core.gaussian(_dense(X), mean, 0.5 / variance, 0.5 * np.log(2 * np.pi * variance), scores)
    return scores


def offender(X: Matrix, support: str, missing: bool) -> tuple[int, int, float] | None:
    """Row, column and value of the first cell outside the support, if there is one."""
    cells = X.data if isinstance(X, Sparse) else np.ascontiguousarray(X)
    place = _core.offender(cells, support, missing)
    if place is None:
        return None
    if isinstance(X, Sparse):
        row = int(np.searchsorted(X.starts, place, side="right")) - 1
        return row, int(X.columns[place]), float(cells[place])
    row, column = divmod(place, X.shape[1])
    return row, column, float(cells[row, column])
