"""What users hand over (arrays, sparse matrices, data frames, records, bags of words) as blocks of features.

A block is what one part of a model sees: labels of its features and a matrix over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from plainbayes.errors import InputError, listed
from plainbayes.event import BlockEvent, CountEvent, Design, Event, Support, required
from plainbayes.evidence import Index, Label
from plainbayes.matrix import ClassWeights, Matrix, Sparse, offender
from plainbayes.numeric import Array, Integers, exact

MOST = 1e15
Missing = Literal["skip", "error"] | None


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of one part: features, cells, and whether the features come from the data."""

    event: Event
    features: Index
    X: Matrix
    open: bool = False

    def take(self, rows: Integers) -> Block:
        """Return some of the rows, with only the words that stand in them."""
        if not isinstance(self.X, Sparse):
            return Block(self.event, self.features, self.X[rows], self.open)
        X = self.X.take(rows)
        if not self.open:
            return Block(self.event, self.features, X)
        used, columns = np.unique(X.columns, return_inverse=True)
        features = Index(self.features[place] for place in used)
        return Block(self.event, features, Sparse(X.data, columns, X.starts, len(used)), True)

    def row(self, place: int) -> bytes:
        """Return what a row says, so that copies can be told."""
        if isinstance(self.X, Sparse):
            entries = slice(self.X.starts[place], self.X.starts[place + 1])
            columns, data = self.X.columns[entries], self.X.data[entries]
            order = np.argsort(columns, kind="stable")
            return bytes(columns[order].tobytes() + data[order].tobytes())
        return bytes(self.X[place].tobytes())

    def said(self, key: Label) -> list[tuple[Any, Any]]:
        """Return feature and value of everything that the one row says, in the order of its shares."""
        if isinstance(self.event, BlockEvent):
            return [(self.features[0], None)]
        if isinstance(self.X, Sparse):
            words = [self.features[column] for column in self.X.columns]
            if self.event.support == "category":
                return [(key, word) for word in words]
            return list(zip(words, self.X.data.tolist(), strict=True))
        cells = list(zip(self.features, self.X[0].tolist(), strict=True))
        return [cell for cell in cells if cell[1] != 0] if isinstance(self.event, CountEvent) else cells

    def aligned(self, known: Index) -> Matrix:
        """Return the cells by the features a model knows; unknown words fall into one last column."""
        if self.features == known:
            return self.X
        places = known.find(self.features)
        if self.open and isinstance(self.X, Sparse):
            places[places < 0] = len(known)
            return Sparse(self.X.data, places[self.X.columns], self.X.starts, len(known) + 1)
        self._check(known)
        back = np.empty(len(known), dtype=np.int64)
        back[places] = np.arange(len(places))
        if isinstance(self.X, Sparse):
            return Sparse(self.X.data, places[self.X.columns], self.X.starts, len(known))
        return self.X[:, back]

    def _check(self, known: Index) -> None:
        """Refuse rows whose columns are not those that a model knows."""
        if isinstance(self.event, BlockEvent):
            raise InputError(f"{self.event.name}: columns {known[0]!r} were expected, got {self.features[0]!r}")
        if self.features.numbered and known.numbered:
            came = f"rows with {len(known)} columns were expected, got {len(self.features)}"
            raise InputError(f"{self.event.name}: {came}")
        lacking = [label for label in known if label not in self.features]
        strange = [label for label in self.features if label not in known]
        said = [f"column {listed(lacking)} is missing"] * bool(lacking)
        said += [f"column {listed(strange)} is not known"] * bool(strange)
        if said:
            raise InputError(f"{self.event.name}: {', '.join(said)}", f"the model knows {listed(known)}")


def observe(design: Design, data: Any, missing: Missing = None) -> dict[Label, Block]:
    """Read data as the blocks that a design asks for, and refuse what does not fit its supports.

    Missing cells (NaN, None) are no evidence under "skip", refused under "error"; None: skip in tables
    with named columns, error in bare matrices. Counts are never missing.
    """
    required(missing in ("skip", "error", None), f"missing needs 'skip', 'error' or None, got {missing!r}")
    frame = _frame(design, data)
    required(isinstance(frame, _Bags) or len(frame.columns) > 0, "one column at least was expected, got none")
    skip = frame.named if missing is None else missing == "skip"
    blocks: dict[Label, Block] = {}
    for key, (event, columns) in design.split(frame.columns).items():
        lacking = [column for column in columns if column not in frame.columns]
        if lacking:
            hint = f"there are {listed(frame.columns, 20)}"
            raise InputError(f"{event.name}: column {listed(lacking)} is missing", hint)
        if event.support == "category":
            block = _categories(event, columns[0], frame.values(columns[0]), skip)
        elif isinstance(event, CountEvent):
            block = frame.counts(event, columns)
            _refuse(block, "nonnegative" if block.open else event.support, False, list(block.features))
            block = replace(block, X=event.prepare(block.X))
        else:
            labels = [tuple(columns)] if isinstance(event, BlockEvent) else columns
            block = Block(event, Index(labels), frame.cells(event, columns))
            _refuse(block, event.support, skip, columns)
        blocks[key] = block
    return blocks


class _Table:
    """Named columns of any kind."""

    named = True

    def __init__(self, columns: Mapping[Label, Any]) -> None:
        self.columns: Sequence[Label] = list(columns)
        self._values = {name: _column(values) for name, values in columns.items()}
        lengths = {len(values) for values in self._values.values()}
        required(len(lengths) == 1, f"columns of one length were expected, got lengths {listed(sorted(lengths))}")
        self._rows = lengths.pop()

    def values(self, column: Label) -> Column:
        return self._values[column]

    def cells(self, event: Event, columns: Sequence[Label]) -> Array:
        X = np.empty((self._rows, len(columns)))
        for place, column in enumerate(columns):
            X[:, place] = _numbers(event, column, self._values[column])
        return X

    def counts(self, event: Event, columns: Sequence[Label]) -> Block:
        return Block(event, Index(columns), self.cells(event, columns))


class _Cells(_Table):
    """A bare matrix of numbers; its columns are numbered."""

    named = False

    def __init__(self, X: Array) -> None:
        self.columns, self._X = range(X.shape[1]), X

    def values(self, column: Any) -> Column:
        return self._X[:, column]

    def cells(self, event: Event, columns: Sequence[Any]) -> Array:
        return self._X if columns == self.columns else self._X[:, list(columns)]


class _Entries(_Table):
    """A sparse matrix: counts, where what is not stored is zero."""

    named = False

    def __init__(self, X: Sparse) -> None:
        self.columns, self._X = range(X.width), X

    def values(self, column: Any) -> Column:
        raise InputError("categorical needs a dense array, got a sparse matrix", "pass X.toarray()")

    def cells(self, event: Event, columns: Sequence[Any]) -> Array:
        raise InputError(f"{event.name} needs a dense array, got a sparse matrix", "pass X.toarray()")

    def counts(self, event: Event, columns: Sequence[Any]) -> Block:
        required(columns == self.columns, f"{event.name}: all columns of a sparse matrix are counted together")
        return Block(event, Index(columns), self._X)


class _Bags(_Table):
    """Bags of words: a mapping from word to count for every row."""

    def __init__(self, rows: Sequence[Mapping[Label, float]]) -> None:
        # A count of zero says the same as no count: the word is not there.
        bags = [[(word, count) for word, count in row.items() if _lacking(count) or count != 0] for row in rows]
        words: dict[Label, int] = {}
        columns = [words.setdefault(word, len(words)) for bag in bags for word, _ in bag]
        data = [count for bag in bags for _, count in bag]
        starts = np.cumsum([0, *map(len, bags)])
        self.columns, self._words, self._data = (), Index(words), data
        self._entries = np.array(columns, dtype=np.int64), starts

    def counts(self, event: Event, columns: Sequence[Label]) -> Block:
        data = _numbers(event, "count", _column(self._data))
        return Block(event, self._words, Sparse(data, *self._entries, len(self._words)), True)


Column = np.ndarray[tuple[int, ...], np.dtype[Any]]


def _frame(design: Design, data: Any) -> _Table:
    if hasattr(data, "tocsr"):
        return _Entries(_sparse(data.tocsr()))
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return _Table({name: data[name] for name in data.columns})
    if isinstance(data, Mapping):
        return _Table(data)
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        if isinstance(design, CountEvent) and design.support != "category":
            return _Bags(data)
        required(bool(data), "rows were expected, got none", "pass an array of shape (0, columns) for no rows")
        names = dict.fromkeys(name for row in data for name in row)
        return _Table({name: [row.get(name) for row in data] for name in names})
    X = _matrix(data)
    if X.dtype == object:
        frame = _Table(dict(enumerate(X.T)))
        frame.columns, frame.named = range(X.shape[1]), False
        return frame
    return _Cells(X)


def _matrix(data: Any) -> Column:
    try:
        X = np.asarray(data)
    except ValueError:
        raise InputError("rows of one length were expected, got rows of different lengths") from None
    if X.ndim != 2:
        raise InputError(
            f"a table with rows and columns was expected, got {X.ndim} dimensions",
            "pass [row, row, ...], also for a single row",
        )
    if X.dtype.kind in "biu":
        return X.astype(np.float64)
    if X.dtype.kind == "f":
        return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    return X if X.dtype == object else np.array(data, dtype=object)


def _sparse(X: Any) -> Sparse:
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    data = X.data if X.data.dtype in (np.float32, np.float64) else X.data.astype(np.float64)
    columns = X.indices if X.indices.dtype in (np.int32, np.int64) else X.indices.astype(np.int64)
    return Sparse(data, columns, X.indptr.astype(np.int64), X.shape[1])


def _column(values: Any) -> Column:
    """Any sequence as a one-dimensional array, of objects where it is not all numbers."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(f"a column of values was expected, got {values!r:.60}", "pass one row as [row]")
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "biuf" else values.astype(object)
    values = list(values)
    if all(isinstance(value, int | float | np.number) for value in values):
        return np.asarray(values, dtype=None if values else np.float64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _lacking(value: Any) -> bool:
    """Whether a cell is missing: None, NaN, or another value that is not even equal to itself."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA, which is neither equal nor unequal
        return True


def _numbers(event: Event, column: Label, values: Column) -> Array:
    """Return a column as numbers with NaN for None, or say which value is none."""
    if values.dtype != object:
        return values.astype(np.float64)
    cells = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if not _lacking(value):
            try:
                cells[row] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise InputError(
                    f"{event.name} needs numbers, got {value!r} in row {row}, column {column!r}",
                    'use event="categorical" for a column of labels',
                ) from None
    return cells


def _categories(event: Event, column: Label, values: Column, skip: bool) -> Block:
    """One column of labels as rows of one word each; a missing cell is a row without words."""
    if values.dtype == object:
        there = np.array([not _lacking(value) for value in values], dtype=bool)
        try:
            labels = Index(values[there])
        except TypeError:
            raise InputError(f"{event.name} needs labels that can be compared, column {column!r} has others") from None
        codes = labels.find(values[there])
    else:
        there = ~np.isnan(values)
        distinct, codes = np.unique(values[there], return_inverse=True)
        labels = Index(distinct.tolist())
    if not (skip or there.all()):
        row = int(np.argmin(there))
        came = "None" if values[row] is None else "nan"
        raise InputError(f"{event.name} needs a category, got {came} in row {row}, column {column!r}", _HINTS["nan"])
    starts = np.concatenate([[0], np.cumsum(there)])
    return Block(event, labels, Sparse(np.ones(len(codes)), codes, starts, len(labels)), True)


_NEEDS: dict[Support, str] = {
    "binary": "0 or 1",
    "count": "whole numbers >= 0",
    "nonnegative": "finite numbers >= 0",
    "positive": "finite numbers > 0",
    "real": "finite numbers",
}
_HINTS = {
    "nan": 'pass missing="skip" to treat missing cells as no evidence',
    "counts": "replace NaN by 0: a word that is not there counts zero",
    "infinite": "replace infinite values, and scale down those beyond 1e150",
    "binary": "pass binarize=0 to count everything above 0 as 1",
    "negative": 'use event="gaussian" for values that may be negative',
    "fraction": 'use event="gaussian" or another event for continuous values',
    "zero": "use an event for values >= 0",
}


def _refuse(block: Block, support: Support, skip: bool, columns: Sequence[Label]) -> None:
    found = offender(block.X, support, skip)
    if found is None:
        return
    row, column, value = found
    if np.isnan(value):
        why = "counts" if isinstance(block.event, CountEvent) else "nan"
    elif abs(value) > 1e150:
        why = "infinite"
    elif support == "binary":
        why = "binary"
    else:
        why = "negative" if value < 0 else "zero" if value == 0 else "fraction"
    feature = f"{'word' if block.open else 'column'} {columns[column]!r}"
    raise InputError(f"{block.event.name} needs {_NEEDS[support]}, got {value:g} in row {row}, {feature}", _HINTS[why])


def labelled(y: Any, weight: Any = None) -> tuple[Index, ClassWeights]:
    """Read labels, one per row, and their weights (None: 1 each)."""
    required(not isinstance(y, str | bytes), f"one label per row was expected, got the text {y!r:.60}", "pass a list")
    array = _column(y)
    required(array.ndim == 1, f"one label per row was expected, got {array.ndim} dimensions")
    if array.dtype == object:
        for row, label in enumerate(array):
            required(not _lacking(label), f"a label was expected, got {label!r} in row {row}")
        try:
            classes = Index(array)
        except TypeError:
            raise InputError(f"labels must be text, numbers or tuples, got {array[0]!r:.60}") from None
        codes = classes.find(array)
    else:
        wrong = np.flatnonzero(np.isnan(array))
        if len(wrong):
            raise InputError(f"a label was expected, got nan in row {wrong[0]}")
        distinct, codes = np.unique(array, return_inverse=True)
        classes = Index(distinct.tolist())
    return classes, ClassWeights(codes.astype(np.int64), len(classes), weights(weight, len(array)))


def weights(given: Any, rows: int) -> Array | None:
    """Read one weight per row: a finite number >= 0; None stays None."""
    if given is None:
        return None
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"weights must be numbers, got {given!r:.60}") from None
    required(array.shape == (rows,), f"one weight for each of {rows} rows was expected, got {array.shape}")
    wrong = np.flatnonzero(~((array >= 0) & (array <= MOST)))
    if len(wrong):
        raise InputError(f"weights must be from 0 to {MOST:g}, got {array[wrong[0]]:g} in row {wrong[0]}")
    return exact(array)
