"""Matrices and class weights as they cross into the Rust core, and the loops it runs over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

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

    def entries(self) -> tuple[Integers, Array]:
        """Columns and values of all rows together."""
        there = slice(self.starts[0], self.starts[-1])
        return self.columns[there], self.data[there]

    def sorted(self) -> Sparse:
        """Return the same rows with ascending columns, entries of the same column added up."""
        rows = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        columns, data = self.entries()
        order = np.lexsort((columns, rows))
        columns, data = columns[order], data[order]
        fresh = np.ones(len(order), dtype=bool)
        fresh[1:] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
        firsts = np.flatnonzero(fresh)
        if len(firsts):
            data = np.add.reduceat(data, firsts)
        starts = np.searchsorted(rows[firsts], np.arange(len(self.starts)))
        return Sparse(data, columns[firsts], starts, self.width)


@dataclass(frozen=True, eq=False)
class Codes:
    """Columns of categories: a cell holds the number of its category, or a negative one if it is missing.

    Of column j, sizes[j] categories are known.
    """

    cells: npt.NDArray[np.integer | np.bool_]
    sizes: Integers

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        rows, columns = self.cells.shape
        return rows, columns


Matrix = Array | Sparse
Cells = tuple[Integers, Integers, Array, Array]


class Outside(Exception):  # noqa: N818 - a sign to the caller, who makes the error
    """some cell lies outside the support; the caller finds out which with offender()"""


class Unsorted(Exception):  # noqa: N818 - no error: the caller mends it
    """some sparse row has two entries for one column; the caller joins them"""


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

    @cached_property
    def totals(self) -> Array:
        """The weight of each class."""
        if self.weights is None:
            return class_sizes(self.codes, self.classes).astype(np.float64)
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


# What the core reads as it is, whatever the order and the strides; other types are converted.
_WHOLE = frozenset(np.dtype(kind) for kind in (np.int64, np.int32, np.uint8, np.bool_))
_REAL = _WHOLE | {np.dtype(np.float64), np.dtype(np.float32)}


def _real(cells: Array) -> Array:
    return cells if cells.dtype in _REAL else cells.astype(np.float64)


def _whole(cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return cells if cells.dtype in _WHOLE else cells.astype(np.int64)


def _crossing(X: Matrix | Codes) -> Any:
    if isinstance(X, Sparse):
        return _real(X.data), X.columns, X.starts, X.width
    return (_whole(X.cells), X.sizes) if isinstance(X, Codes) else _real(X)


def class_sizes(codes: Integers, classes: int) -> Integers:
    """How often each class stands there: bincount in half the time."""
    sizes = np.zeros(classes, dtype=np.int64)
    _core.class_sizes(codes, sizes)
    return sizes


def class_counts(
    X: Matrix, Y: ClassWeights, support: str = "nonnegative", into: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """Per class and column: the sum of the values, and the rows whose value is above zero.

    They are added to the tables given, after every cell was checked; without, to new ones.
    """
    count, present = np.zeros((2, Y.classes, X.shape[1])) if into is None else into
    fault = _core.counts(_crossing(X), Y._crossing(), support, into is not None, count, present)
    if fault is not None:
        raise Outside if fault == "outside" else Unsorted
    return count, present


def class_sums(X: Array, Y: ClassWeights, support: str = "real") -> tuple[Array, Array]:
    """Per class and column: the weight of the cells that are there, and their sum."""
    n, s = np.zeros((2, Y.classes, X.shape[1]))
    if not _core.sums(_real(X), Y._crossing(), support, n, s):
        raise Outside
    return n, s


def class_moments(X: Array, Y: ClassWeights) -> tuple[Array, Array, Array]:
    """Per class and column: number, mean and scatter of the cells that are there."""
    n, mean, scatter = np.empty((3, Y.classes, X.shape[1]))
    if not _core.moments(_real(X), Y._crossing(), n, mean, scatter):
        raise Outside
    return n, mean, scatter


def category_counts(X: Codes, Y: ClassWeights) -> Array:
    """Per class and category: the weight of the cells that hold it; the columns' categories one after another."""
    table = np.zeros((Y.classes, int(X.sizes.sum())))
    if not _core.category_counts(_crossing(X), Y._crossing(), table):
        raise Outside
    return table


def category_sizes(cells: npt.NDArray[Any]) -> Integers:
    """How many categories each column needs: the greatest plus one, 0 if all are missing."""
    sizes = np.zeros(cells.shape[1], dtype=np.int64)
    _core.category_sizes(_whole(cells), sizes)
    return sizes


def class_cells(X: Array, Y: ClassWeights) -> Cells:
    """Class, column, value and weight of every cell that is there."""
    rows, classes, weights = Y.each()
    cells = np.asarray(X, dtype=np.float64)[rows]
    entry, column = np.nonzero(~np.isnan(cells))
    return classes[entry], column, cells[entry, column], weights[entry]


def linear_scores(X: Matrix | Codes, bias: Array, table: Array, once: bool, support: str = "real") -> Array:
    """Bias of each class plus the sum of value times weight; the table is columns by classes.

    For categories it has a row for each category known, column after column, and behind those of each
    column one for all that are not; a missing cell adds nothing.
    """
    scores = np.empty((X.shape[0], len(bias)))
    if not _core.linear(_crossing(X), bias, table, once, support, scores):
        raise Outside
    return scores


def likeliest(
    X: Matrix, bias: Array, table: Array, coarse: tuple[Any, float], once: bool, support: str = "real"
) -> Integers:
    """The place of each row's greatest score, as by linear_scores.

    `coarse` is the table in single precision and the largest number in it: half the memory to wait for. Rows whose
    two best scores are too near for it are scored again by the table itself.
    """
    places = np.empty(X.shape[0], dtype=np.int64)
    if not _core.likeliest(_crossing(X), bias, table, *coarse, once, support, places):
        raise Outside
    return places


def gaussian_scores(X: Array, mean: Array, variance: Array) -> Array:
    """Log density of rows whose columns are normal given the class; missing cells are skipped."""
    scores = np.empty((len(X), len(mean)))
    _core.gaussian(_real(X), mean, 0.5 / variance, 0.5 * np.log(2 * np.pi * variance), scores)
    return scores


def best(scores: Array) -> Integers:
    """The place of each row's greatest score: the first of equals; NaN is never the greatest."""
    places = np.empty(len(scores), dtype=np.int64)
    _core.best(np.ascontiguousarray(scores), scores.shape[1], places)
    return places


def offender(X: Matrix, support: str, missing: bool) -> tuple[int, int, float] | None:
    """Row, column and value of the first cell outside the support, if there is one."""
    place = _core.offender(_crossing(X), support, missing)
    if place is None:
        return None
    row, column = place
    if isinstance(X, Sparse):
        return int(np.searchsorted(X.starts, column, side="right")) - 1, int(X.columns[column]), float(X.data[column])
    return row, column, float(X[row, column])
