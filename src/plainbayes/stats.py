"""What training adds up: Sums, Moments and Bags that add and subtract. Knows arrays, not labels.

Every statistic is a table with a row per class and a column per feature. Adding or subtracting a
smaller table names the rows and columns it belongs to and costs what it touches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import Self

import numpy as np

from plainbayes.matrix import Cells, ClassWeights, class_cells, class_moments
from plainbayes.numeric import Array, Integers, Mask, ratio, remainder, settled, taken_away

Places = slice | Integers
EVERY = slice(None)


def _at(rows: Places, columns: Places) -> tuple[Places, Places]:
    if isinstance(rows, slice) or isinstance(columns, slice):
        return rows, columns
    return rows[:, None], columns


class Stats(ABC):
    """Statistics of `shape` (classes, features)."""

    shape: tuple[int, int]

    @abstractmethod
    def resize(self, classes: int, features: int) -> None:
        """Grow, with nothing in the new places."""

    @abstractmethod
    def add(self, other: Self, rows: Places, columns: Places) -> None:
        """Add other's rows and columns to the ones named."""

    @abstractmethod
    def subtract(self, other: Self, rows: Places, columns: Places) -> None:
        """Take other away from the rows and columns named; `holds` has been asked before."""

    @abstractmethod
    def holds(self, other: Self, rows: Places, columns: Places) -> bool:
        """Whether other can be subtracted without any count becoming negative."""

    @abstractmethod
    def take(self, rows: Integers, columns: Integers) -> Self:
        """Return a new table of the rows and columns named; -1 stands for an empty one."""

    @abstractmethod
    def nothing(self, columns: Places) -> Mask:
        """Which of these columns hold nothing for any class."""

    @abstractmethod
    def same(self, other: Self, tolerance: float = 0.0) -> bool:
        """Whether both hold the same; with a tolerance, absolute or relative, for what is not a count."""

    def like(self, other: Stats) -> bool:
        """Whether other is of the same kind, so that the two can be added."""
        return type(self) is type(other)

    def empty(self) -> Self:
        """Return the same kind of statistics with no class and no feature."""
        none = np.zeros(0, dtype=np.int64)
        return self.take(none, none)

    def copy(self) -> Self:
        """Return a copy that shares nothing."""
        return self.take(*map(np.arange, self.shape))

    def drop(self, axis: int, holes: Integers, fillers: Integers, size: int) -> None:
        """Remove classes (axis 0) or features (axis 1): the last ones fill the holes."""
        moved = [np.arange(length) for length in self.shape]
        moved[axis][holes] = fillers
        moved[axis] = moved[axis][:size]
        kept = self.take(*moved)
        self.__dict__.update(kept.__dict__)


class Table(Stats):
    """Named arrays whose first axis is classes and whose second, if any, is features."""

    def __init__(self, **arrays: Array) -> None:
        first = next(iter(arrays.values()))
        features = next((a.shape[1] for a in arrays.values() if a.ndim > 1), 0)
        self.shape = (len(first), features)
        self._room = arrays

    def __getattr__(self, name: str) -> Array:
        room = self.__dict__.get("_room", {})
        if name not in room:
            raise AttributeError(name)
        return self._view(room[name])

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays by name."""
        return {name: self._view(room) for name, room in self._room.items()}

    def _view(self, room: Array) -> Array:
        classes, features = self.shape
        return room[:classes] if room.ndim == 1 else room[:classes, :features]

    def resize(self, classes: int, features: int) -> None:
        old, self.shape = self.arrays, (classes, features)
        for name, room in self._room.items():
            wanted = self.shape[: room.ndim]
            if any(have < want for have, want in zip(room.shape, wanted, strict=False)):
                # Half as much again, so that growing one by one costs no more than a few copies.
                grown = [
                    have if have >= want else max(want, have + have // 2)
                    for have, want in zip(room.shape, wanted, strict=False)
                ]
                self._room[name] = np.zeros((*grown, *room.shape[len(grown) :]))
                part = tuple(slice(length) for length in old[name].shape)
                self._room[name][part] = old[name]

    def like(self, other: Stats) -> bool:
        return (
            isinstance(other, Table)
            and super().like(other)
            and {n: a.shape[2:] for n, a in self._room.items()} == {n: a.shape[2:] for n, a in other._room.items()}
        )

    def take(self, rows: Integers, columns: Integers) -> Self:
        new = type(self).__new__(type(self))
        new.shape = (len(rows), len(columns))
        new._room = {}
        for name, array in self.arrays.items():
            at = (rows,) if array.ndim == 1 else _at(rows, columns)
            if array.size:
                new._room[name] = array[at]
            else:
                new._room[name] = np.zeros((*new.shape[: array.ndim], *array.shape[2:]))
            new._room[name][rows < 0] = 0
            if array.ndim > 1:
                new._room[name][:, columns < 0] = 0
        return new

    def drop(self, axis: int, holes: Integers, fillers: Integers, size: int) -> None:
        for array in self.arrays.values():
            if array.ndim > axis:
                lines = np.moveaxis(array, axis, 0)
                lines[holes] = lines[fillers]
                lines[size:] = 0
        self.shape = (size, self.shape[1]) if axis == 0 else (self.shape[0], size)

    def nothing(self, columns: Places) -> Mask:
        left = [a[:, columns] != 0 for a in self.arrays.values() if a.ndim > 1]
        held = [cells.any(axis=(0, *range(2, cells.ndim))) for cells in left]
        return np.asarray(~np.logical_or.reduce(held))

    def same(self, other: Self, tolerance: float = 0.0) -> bool:
        if not self.like(other) or self.shape != other.shape:
            return False
        return all(np.array_equal(a, other.arrays[name]) for name, a in self.arrays.items())


class Sums(Table):
    """Plain sums: counts, document counts, totals. Exact, so that order never matters."""

    def add(self, other: Self, rows: Places, columns: Places) -> None:
        for name, array in self.arrays.items():
            array[rows if array.ndim == 1 else _at(rows, columns)] += other.arrays[name]

    def subtract(self, other: Self, rows: Places, columns: Places) -> None:
        for name, array in self.arrays.items():
            at = rows if array.ndim == 1 else _at(rows, columns)
            array[at] = taken_away(array[at], other.arrays[name])

    def holds(self, other: Self, rows: Places, columns: Places) -> bool:
        return all(
            bool((taken_away(array[rows if array.ndim == 1 else _at(rows, columns)], other.arrays[name]) >= 0).all())
            for name, array in self.arrays.items()
        )


class Moments(Table):
    """Number n, mean and scatter (sum of squared deviations), merged by Chan's formula.

    With sums of squares an offset of 1e9 would turn a variance of 1 into 0. Unlearning is as exact as
    subtraction: taking a huge outlier away costs the digits that it had pushed out.
    """

    n: Array
    mean: Array
    scatter: Array

    @classmethod
    def of(cls, X: Array, Y: ClassWeights) -> Self:
        """From rows; a missing cell does not count in its column."""
        n, mean, scatter = class_moments(X, Y)
        return cls(n=n, mean=mean, scatter=scatter)

    def add(self, other: Self, rows: Places, columns: Places) -> None:
        at = _at(rows, columns)
        n, mean, scatter = self.n[at], self.mean[at], self.scatter[at]
        apart = other.mean - mean
        share = ratio(other.n, n + other.n)
        self.scatter[at] = scatter + other.scatter + (apart * share) * (apart * n)
        self.mean[at] = mean + apart * share
        self.n[at] = n + other.n

    def subtract(self, other: Self, rows: Places, columns: Places) -> None:
        at = _at(rows, columns)
        n, mean, scatter = self.n[at], self.mean[at], self.scatter[at]
        left = n - other.n
        apart = other.mean - mean
        share = ratio(other.n, left)
        there = left > 0
        taken = other.scatter + (apart * share) * (apart * n)
        # Means are rounded: what is taken is known no better than their last digit, times how far apart they are.
        blur = np.abs(apart) * share * n * (np.abs(mean) + np.abs(other.mean))
        self.scatter[at] = np.where(there, np.maximum(settled(scatter - taken, scatter + blur), 0.0), 0.0)
        back = apart * share
        self.mean[at] = np.where(there, settled(mean - back, np.abs(mean) + np.abs(back)), 0.0)
        self.n[at] = left

    def holds(self, other: Self, rows: Places, columns: Places) -> bool:
        at = _at(rows, columns)
        n, mean, scatter = self.n[at], self.mean[at], self.scatter[at]
        apart = other.mean - mean
        taken = other.scatter + (apart * ratio(other.n, n - other.n)) * (apart * n)
        # A scatter that would become clearly negative: such values cannot have been among those learned.
        room = scatter * (1 + 1e-6) + 1e-12 * n * (mean**2 + other.mean**2)
        return bool(((n > other.n) & (taken <= room) | (n == other.n)).all())

    def pooled(self) -> tuple[Array, Array, Array]:
        """Number, mean and scatter of every feature over all classes together."""
        n = self.n.sum(axis=0)
        mean = ratio((self.n * self.mean).sum(axis=0), n)
        # Deviations of class means are small even where the means are huge.
        mean = mean + ratio((self.n * (self.mean - mean)).sum(axis=0), n)
        scatter = (self.scatter + self.n * settled(self.mean - mean, np.abs(mean)) ** 2).sum(axis=0)
        return n, mean, scatter

    def same(self, other: Self, tolerance: float = 0.0) -> bool:
        if self.shape != other.shape or not np.array_equal(self.n, other.n):
            return False
        spread = 1 + np.sqrt(ratio(other.scatter, other.n)) + np.abs(other.mean)
        return bool(
            (np.abs(self.mean - other.mean) <= tolerance * spread).all()
            and (np.abs(self.scatter - other.scatter) <= tolerance * other.n * spread**2).all()
        )


class JointMoments(Table):
    """Moments of several columns together, a block of d columns being one feature.

    n, mean (d), scatter (d, d: sums of y_j y_k), third (d, d: sums of y_j^2 y_k) and fourth (d, d: sums of
    y_j^2 y_k^2), with y = x - mean. Third and fourth are what shrinkage needs to know how sure the scatter
    is. Groups are combined by moving each to a common origin, where sums add and subtract.
    """

    n: Array
    mean: Array
    scatter: Array
    third: Array
    fourth: Array

    @classmethod
    def of(cls, X: Array, Y: ClassWeights) -> Self:
        """From blocks (rows, features, d); a row with a missing cell does not count in its block."""
        shape, d = (Y.classes, X.shape[1]), X.shape[2]
        square = np.zeros((3, *shape, d, d))
        new = cls(n=np.zeros(shape), mean=np.zeros((*shape, d)), scatter=square[0], third=square[1], fourth=square[2])
        rows, classes, weights = Y.each()
        complete: Mask = ~np.any(np.isnan(X), axis=2)
        x = np.where(complete[..., None], X, 0.0)
        for c in np.unique(classes):
            here = rows[classes == c]
            w = weights[classes == c, None] * complete[here]
            n = w.sum(axis=0)[:, None]
            mean = ratio(np.einsum("rf,rfj->fj", w, x[here]), n)
            mean = mean + ratio(np.einsum("rf,rfj->fj", w, x[here] - mean), n)
            y = x[here] - mean
            new.n[c], new.mean[c] = n[:, 0], mean
            new.scatter[c] = np.einsum("rf,rfj,rfk->fjk", w, y, y)
            new.third[c] = np.einsum("rf,rfj,rfk->fjk", w, y * y, y)
            new.fourth[c] = np.einsum("rf,rfj,rfk->fjk", w, y * y, y * y)
        return new

    def add(self, other: Self, rows: Places, columns: Places) -> None:
        self._combine(other, _at(rows, columns), 1.0)

    def subtract(self, other: Self, rows: Places, columns: Places) -> None:
        self._combine(other, _at(rows, columns), -1.0)

    def _combine(self, other: Self, at: tuple[Places, Places], sign: float) -> None:
        n, mean, *sums = (array[at].copy() for array in self.arrays.values())
        their_n, their_mean, *their_sums = other.arrays.values()
        origin = np.where(n[..., None] >= their_n[..., None], mean, their_mean)
        mean, their_mean = (origin + settled(centre - origin, np.abs(origin)) for centre in (mean, their_mean))
        mine = _moved(n, np.zeros_like(mean), sums, origin - mean)
        theirs = _moved(their_n, np.zeros_like(mean), their_sums, origin - their_mean)
        total = n + sign * their_n
        first = n[..., None] * (mean - origin) + sign * their_n[..., None] * (their_mean - origin)
        shift = ratio(first, total[..., None])
        left = _moved(total, first, [a + sign * b for a, b in zip(mine, theirs, strict=True)], shift)
        # What is left of a variance below its rounding error is nothing.
        before, after = (np.einsum("...jj->...j", a[0]) for a in (mine, left))
        there: Mask = np.logical_and(remainder(before + after, before) > 0, total[..., None] > 0)
        both = there[..., :, None] & there[..., None, :]
        centre = settled(origin + shift, np.abs(origin) + np.abs(shift))
        self.n[at], self.mean[at] = total, np.where(total[..., None] > 0, centre, 0.0)
        for array, new in zip((self.scatter, self.third, self.fourth), left, strict=True):
            array[at] = np.where(both, new, 0.0)

    def holds(self, other: Self, rows: Places, columns: Places) -> bool:
        return bool((self.n[_at(rows, columns)] >= other.n).all())

    def same(self, other: Self, tolerance: float = 0.0) -> bool:
        if not self.like(other) or self.shape != other.shape or not np.array_equal(self.n, other.n):
            return False
        variance = ratio(np.einsum("...jj->...j", other.scatter), other.n[..., None])
        size = (1 + np.sqrt(variance) + np.abs(other.mean)).max(axis=-1)
        for name, power in {"mean": 1, "scatter": 2, "third": 3, "fourth": 4}.items():
            apart = np.abs(self.arrays[name] - other.arrays[name])
            if (apart.T > (tolerance * (1 + other.n) * size**power).T).any():
                return False
        return True

    def pooled(self) -> JointMoments:
        """All classes as one, merged by halves."""
        whole = self.copy()
        while whole.shape[0] > 1:
            half = whole.shape[0] // 2
            rows, columns = np.arange(whole.shape[0]), np.arange(whole.shape[1])
            rest = whole.take(rows[half:], columns)
            rest.add(whole.take(rows[:half], columns), rows[:half], EVERY)
            whole = rest
        return whole


def _moved(n: Array, first: Array, sums: list[Array], by: Array) -> list[Array]:
    """Sums of second, third and fourth order about an origin moved by so much; `first` are those of first order."""
    scatter, third, fourth = sums
    n = n[..., None, None]
    square = np.einsum("...jj->...j", scatter)
    a, g, s = (v[..., :, None] for v in (by, first, square))
    b, h, r = (v[..., None, :] for v in (by, first, square))
    return [
        scatter - a * h - g * b + n * a * b,
        third - b * s - 2 * a * scatter + 2 * a * b * g + a * a * h - n * a * a * b,
        fourth
        - 2 * b * third
        - 2 * a * np.swapaxes(third, -1, -2)
        + b * b * s
        + a * a * r
        + 4 * a * b * scatter
        - 2 * a * b * b * g
        - 2 * b * a * a * h
        + n * a * a * b * b,
    ]


class Bag(Stats):
    """The observations themselves: class, feature, value and weight of every cell.

    For families that are no sums: medians, kernels, quantiles. Memory grows with the distinct values,
    32 bytes each. Adding appends, and equal cells are joined when somebody looks; a few cells that are
    there already are found and changed in place.
    """

    FEW = 64

    def __init__(self, shape: tuple[int, int], cells: Cells) -> None:
        self.shape = shape
        self._kept = _joined(cells)
        self._added: list[Cells] = []

    @classmethod
    def of(cls, X: Array, Y: ClassWeights) -> Self:
        """From rows; a missing cell is no observation."""
        return cls((Y.classes, X.shape[1]), class_cells(X, Y))

    @property
    def cells(self) -> Cells:
        """Class, feature, value and weight, sorted by feature, class, value; equal cells joined."""
        if self._added:
            columns = zip(self._kept, *self._added, strict=True)
            classes, features, values, weights = (np.concatenate(column) for column in columns)
            self._kept, self._added = _joined((classes, features, values, weights)), []
        classes, features, values, weights = self._kept
        there = weights != 0
        return self._kept if there.all() else (classes[there], features[there], values[there], weights[there])

    def groups(self) -> Iterator[tuple[int, int, Array, Array]]:
        """Class, feature, sorted distinct values and their weights, for each pair that has any."""
        classes, features, values, weights = self.cells
        fresh = (np.diff(classes, prepend=-1) != 0) | (np.diff(features, prepend=-1) != 0)
        starts = [*np.flatnonzero(fresh).tolist(), len(values)]
        for low, high in pairwise(starts):
            yield int(classes[low]), int(features[low]), values[low:high], weights[low:high]

    def _placed(self, rows: Places, columns: Places, sign: float = 1.0) -> Cells:
        classes, features, values, weights = self.cells
        classes = classes if isinstance(rows, slice) else rows[classes]
        features = features if isinstance(columns, slice) else columns[features]
        return classes, features, values, sign * weights

    def _found(self, cells: Cells) -> list[int] | None:
        """Where a few cells stand, if all of them do."""
        if self._added or len(cells[0]) > self.FEW:
            return None
        places = []
        for cell in zip(*cells[:3], strict=True):
            low, high = 0, len(self._kept[0])
            for key, wanted in ((1, cell[1]), (0, cell[0]), (2, cell[2])):
                part = self._kept[key][low:high]
                low, high = low + np.searchsorted(part, wanted), low + np.searchsorted(part, wanted, side="right")
            if low == high:
                return None
            places.append(int(low))
        return places

    def _change(self, cells: Cells) -> None:
        places = self._found(cells)
        if places is None:
            self._added.append(cells)
        else:
            self._kept[3][places] += cells[3]

    def resize(self, classes: int, features: int) -> None:
        self.shape = (classes, features)

    def add(self, other: Self, rows: Places, columns: Places) -> None:
        self._change(other._placed(rows, columns))

    def subtract(self, other: Self, rows: Places, columns: Places) -> None:
        self._change(other._placed(rows, columns, -1.0))

    def holds(self, other: Self, rows: Places, columns: Places) -> bool:
        cells = other._placed(rows, columns, -1.0)
        places = self._found(cells)
        if places is not None:
            return bool((self._kept[3][places] + cells[3] >= 0).all())
        left = Bag(self.shape, self.cells)
        left._added.append(cells)
        return bool((left.cells[3] > 0).all())

    def take(self, rows: Integers, columns: Integers) -> Self:
        classes, features, values, weights = self.cells
        new_row, new_column = (np.full(length + 1, -1) for length in self.shape)
        new_row[rows], new_column[columns] = np.arange(len(rows)), np.arange(len(columns))
        new_row[-1] = new_column[-1] = -1
        classes, features = new_row[classes], new_column[features]
        kept = (classes >= 0) & (features >= 0)
        cells = (classes[kept], features[kept], values[kept], weights[kept])
        return type(self)((len(rows), len(columns)), cells)

    def nothing(self, columns: Places) -> Mask:
        return ~np.isin(np.arange(self.shape[1])[columns], self.cells[1])

    def same(self, other: Self, tolerance: float = 0.0) -> bool:
        return (
            self.like(other)
            and self.shape == other.shape
            and all(np.array_equal(a, b) for a, b in zip(self.cells, other.cells, strict=True))
        )


def _joined(cells: Cells) -> Cells:
    """Cells sorted by feature, class and value, with the weights of equal ones added up."""
    classes, features, values, weights = cells
    order = np.lexsort((values, classes, features))
    classes, features, values, weights = classes[order], features[order], values[order], weights[order]
    fresh = np.ones(len(values), dtype=bool)
    fresh[1:] = (np.diff(classes) != 0) | (np.diff(features) != 0) | (np.diff(values) != 0)
    firsts = np.flatnonzero(fresh)
    weights = np.add.reduceat(weights, firsts) if len(firsts) else weights
    there = weights != 0
    kept = firsts[there]
    return classes[kept], features[kept], values[kept], weights[there]
