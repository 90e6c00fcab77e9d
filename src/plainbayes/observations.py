"""What users hand over (arrays, sparse matrices, data frames, records, bags of words) as blocks of features.

A block is what one part of a model sees: labels of its features and a matrix over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, cast

import numpy as np

from plainbayes.errors import InputError, listed, shown
from plainbayes.event import BlockEvent, CountEvent, Design, Event, Linear, Support, required
from plainbayes.evidence import Index, Label, Part, in_order
from plainbayes.matrix import (
    ClassWeights,
    Codes,
    Matrix,
    Outside,
    Sparse,
    Unsorted,
    category_counts,
    category_sizes,
    class_sizes,
    offender,
)
from plainbayes.numeric import Array, Integers, Mask, exact
from plainbayes.stats import EVERY, Stats, Sums

MOST = 1e15
Missing = Literal["skip", "error"] | None
# Scores a range of rows under every class.
Scorer = Callable[[slice], Array]
# Of one part of one row: what all rows have, per class; feature, value and share of everything it says.
Said = tuple[Array, list[tuple[Any, Any, Array]]]


class Believer(Protocol):
    """What rows are scored by: a Model."""

    def believed(self, key: Label, event: Event) -> tuple[Index, Any] | None:
        """Return the features that are known of a part and its parameters, if anything is."""

    def kept(self, what: Any, given: Any, make: Callable[[], Any]) -> Any:
        """Return what was made before, or make it."""


@dataclass(frozen=True, eq=False)
class Block:
    """The rows of one part: features, cells, and whether the features come from the data.

    Cells outside the support are refused when the rows are counted or scored.
    """

    event: Event
    features: Index
    X: Matrix
    open: bool = False
    key: Label = None
    skip: bool = False

    @property
    def keys(self) -> tuple[Label, ...]:
        """The parts that the rows speak of."""
        return (self.key,)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def numbers(self) -> int:
        """How many numbers the rows hold."""
        return len(self.X.data) if isinstance(self.X, Sparse) else int(self.X.size)

    def take(self, rows: Integers) -> Block:
        """Return some of the rows, with only the words that stand in them."""
        if not isinstance(self.X, Sparse):
            return replace(self, X=self.X[rows])
        X = self.X.take(rows)
        if not self.open:
            return replace(self, X=X)
        used, columns = np.unique(X.columns, return_inverse=True)
        features = Index(self.features[place] for place in used)
        return replace(self, features=features, X=Sparse(X.data, columns, X.starts, len(used)))

    def row(self, place: int) -> bytes:
        """Return what a row says, so that copies can be told."""
        if isinstance(self.X, Sparse):
            entries = slice(self.X.starts[place], self.X.starts[place + 1])
            columns, data = self.X.columns[entries], self.X.data[entries]
            order = np.argsort(columns, kind="stable")
            return bytes(columns[order].tobytes() + data[order].tobytes())
        return bytes(self.X[place].tobytes())

    # Learning and scoring

    def tally(self, Y: ClassWeights) -> dict[Label, Part]:
        """Count the rows; where the event's loops check the cells, they are read once."""
        if not self.event.checks:
            self.check()
        try:
            with self._named(self.X, self.features, 0):
                stats = self.event.tally(self.X, Y)
        except Unsorted:
            return replace(self, X=cast(Sparse, self.X).sorted()).tally(Y)
        if self.event.checks and not self.skip and _lacks(stats, Y):
            self.check()
        return {self.key: Part(self.features, stats, self.open, self.event.facts)}

    def add(self, Y: ClassWeights, stats: Sums) -> bool:
        """Add counts to those that exist already, if the rows hold fewer numbers than the table."""
        if not isinstance(self.event, CountEvent) or self.numbers > stats.shape[0] * stats.shape[1]:
            return False
        self.check()
        try:
            self.event.add(self.X, Y, stats)
        except Unsorted:
            self.event.add(cast(Sparse, self.X).sorted(), Y, stats)
        return True

    def scorer(self, model: Believer) -> Scorer | None:
        """Return what scores a range of rows; None where nothing was learned to score by."""
        known = model.believed(self.key, self.event)
        if known is None:
            return None
        features, theta = known
        X = self.aligned(features)
        checks = self.event.checks and isinstance(self.event, CountEvent)

        def score(rows: slice) -> Array:
            cut = X if rows == EVERY else _cut(X, rows)
            if not checks:
                self._check(cut, features, rows.start or 0)
            with self._named(cut, features, rows.start or 0):
                return self.event.log_prob(theta, cut)

        return score

    def likeliest(self, model: Believer, log_prior: Array) -> Integers | None:
        """Return the place of each row's best class, if the event can tell without all scores."""
        known = model.believed(self.key, self.event)
        if known is None or not isinstance(self.event, CountEvent):
            return None
        X = self.aligned(known[0])
        with self._named(X, known[0], 0):
            return self.event.likeliest(known[1], X, log_prior)

    def shares(self, model: Believer) -> list[Said]:
        """Say what each feature of the one row contributes."""
        known = model.believed(self.key, self.event)
        if known is None:
            return []
        self.check()
        own, shares = self.event.shares(known[1], self.aligned(known[0]))
        return [(own, [(*said, share) for said, share in zip(self._values(), shares.T, strict=True)])]

    def _values(self) -> list[tuple[Any, Any]]:
        """Feature and value of everything that the one row says, in the order of its shares."""
        if isinstance(self.event, BlockEvent):
            return [(self.features[0], None)]
        columns, cells = self.X.entries() if isinstance(self.X, Sparse) else (range(self.X.shape[1]), self.X[0])
        said = self.event.said(cells) if isinstance(self.event, CountEvent) else np.ones(len(cells), dtype=bool)
        values = zip(columns, cells.tolist(), said, strict=True)
        return [(self.features[column], value) for column, value, counts in values if counts]

    # What must hold

    def aligned(self, known: Index) -> Matrix:
        """Return the cells by the features a model knows; unknown words fall into one last column."""
        if self.features == known:
            return self.X
        places = known.find(self.features)
        if self.open and isinstance(self.X, Sparse):
            places[places < 0] = len(known)
            return Sparse(self.X.data, places[self.X.columns], self.X.starts, len(known) + 1)
        self._match(known)
        back = np.empty(len(known), dtype=np.int64)
        back[places] = np.arange(len(places))
        if isinstance(self.X, Sparse):
            return Sparse(self.X.data, places[self.X.columns], self.X.starts, len(known))
        return self.X[:, back]

    def _match(self, known: Index) -> None:
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

    @contextmanager
    def _named(self, X: Matrix, features: Index, first: int) -> Iterator[None]:
        """Where a loop says that some cell is outside, say which."""
        try:
            yield
        except Outside:
            self._check(X, features, first)
            raise

    def check(self) -> None:
        """Refuse cells outside the support."""
        self._check(self.X, self.features, 0)

    def _check(self, X: Matrix, features: Index, first: int) -> None:
        counted = isinstance(self.event, CountEvent)
        support: Support = "nonnegative" if self.open else self.event.support
        found = offender(X, support, self.skip and not counted)
        if found is None:
            return
        row, column, value = found
        if np.isnan(value):
            why = "counts" if counted else "nan"
        elif abs(value) > 1e150:
            why = "infinite"
        elif support == "binary":
            why = "binary"
        else:
            why = "negative" if value < 0 else "zero" if value == 0 else "fraction"
        columns: Any = features[0] if isinstance(self.event, BlockEvent) else features
        feature = f"{'word' if self.open else 'column'} {columns[column]!r}"
        came = f"got {shown(value)} in row {first + row}, {feature}"
        raise InputError(f"{self.event.name} needs {_NEEDS[support]}, {came}", _HINTS[why])


def _cut(X: Matrix, rows: slice) -> Matrix:
    """Return a range of rows, without a copy of the cells."""
    if not isinstance(X, Sparse):
        return X[rows]
    return Sparse(X.data, X.columns, X.starts[rows.start : rows.stop + 1], X.width)


def _lacks(stats: Stats, Y: ClassWeights) -> bool:
    """Whether some cells of the rows were missing."""
    n = getattr(stats, "n", None)
    return n is not None and not np.array_equal(n, np.broadcast_to(Y.totals[:, None], n.shape))


@dataclass(frozen=True, eq=False)
class Categories:
    """Columns of categories, read together; every column is a part of its own.

    A cell holds the place of its category among the `labels` of its column, -1 where it is missing.
    Without labels the categories are whole numbers >= 0, counted as they came.
    """

    events: Mapping[Label, Event]
    cells: Integers
    labels: Sequence[Sequence[Label]] | None = None

    # A larger whole number is looked up like any other label: a table up to it might be huge.
    LARGEST = 1 << 12

    @property
    def keys(self) -> tuple[Label, ...]:
        """The parts that the rows speak of."""
        return tuple(self.events)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def numbers(self) -> int:
        """How many numbers the rows hold."""
        return int(self.cells.size)

    def take(self, rows: Integers) -> Categories:
        """Return some of the rows."""
        return replace(self, cells=self.cells[rows])

    def row(self, place: int) -> bytes:
        """Return what a row says, so that copies can be told."""
        return bytes(self.cells[place].tobytes())

    def labelled(self) -> Categories:
        """Return the same rows with the categories of every column looked up."""
        columns = [distinct(column) for column in self.cells.T]
        cells = np.column_stack([codes for _, codes in columns])
        return replace(self, cells=cells, labels=[values.tolist() for values, _ in columns])

    def tally(self, Y: ClassWeights) -> dict[Label, Part]:
        """Count the categories of every column per class."""
        labels = self.labels
        if labels is None:
            # The first rows say how large the numbers are; if they do not, all are measured.
            sizes = category_sizes(self.cells[:1000])
            counts = self._counted(sizes, Y)
            if counts is None:
                sizes = category_sizes(self.cells)
                counts = self._counted(sizes, Y)
            # Fewer counted than there are: some numbers were negative.
            if counts is None or (counts.sum() < len(sizes) * Y.totals.sum() and (self.cells < 0).any()):
                return self.labelled().tally(Y)
            labels = [range(size) for size in sizes.tolist()]
        else:
            sizes = np.array([len(values) for values in labels])
            counts = category_counts(Codes(self.cells, sizes), Y)
        parts = {}
        columns = np.split(counts, np.cumsum(sizes)[:-1], axis=1)
        for (key, event), values, count in zip(self.events.items(), labels, columns, strict=True):
            there = np.flatnonzero(count.any(axis=0))
            count = np.take(count, there, axis=1)
            sums = Sums(documents=Y.totals.copy(), count=count, present=count.copy())
            parts[key] = Part(Index(values[place] for place in there.tolist()), sums, True, event.facts)
        return parts

    def _counted(self, sizes: Integers, Y: ClassWeights) -> Array | None:
        """Count whole numbers below these sizes, if they are all."""
        if sizes.max() > self.LARGEST:
            return None
        try:
            return category_counts(Codes(self.cells, sizes), Y)
        except Outside:
            return None

    def scorer(self, model: Believer) -> Scorer | None:
        """Return what scores a range of rows; None where nothing was learned to score by."""
        if self.labels is None:
            # Which numbers are known, and their table, is the same for all rows.
            what = ("numbers", *self.keys)
            table = model.kept(what, list(self.events.values()), lambda: self._table(model, None))
            if max(table[1], default=0) > self.LARGEST or (len(self) and self.cells.min() < 0):
                return self.labelled().scorer(model)
        else:
            table = self._table(model, self.labels)
        columns, sizes, theta = table
        if theta is None:
            return None
        cells = self.cells if len(columns) == len(self.events) else self.cells[:, columns]
        return lambda rows: theta.score(Codes(cells[rows], sizes), False)

    def _table(
        self, model: Believer, labels: Sequence[Sequence[Label]] | None
    ) -> tuple[list[int], Integers, Linear | None]:
        """Columns that something is known of, how many categories each has, and the parameters of all."""
        known = [model.believed(key, event) for key, event in self.events.items()]
        columns = [column for column, one in enumerate(known) if one is not None]
        each = [cast(tuple[Index, Linear], known[column]) for column in columns]
        if labels is None:
            sizes = [1 + max((int(cast(int, c)) for c in index if _whole(c)), default=-1) for index, _ in each]
            sizes = [min(size, self.LARGEST + 1) for size in sizes]  # then the numbers are looked up
            spelled: list[Sequence[Label]] = [range(size if size <= self.LARGEST else 0) for size in sizes]
        else:
            spelled = [labels[column] for column in columns]
            sizes = [len(values) for values in spelled]
        places = [index.find([*values, _NOWHERE]) for (index, _), values in zip(each, spelled, strict=True)]
        theta = Linear.beside([theta for _, theta in each], places) if each else None
        return columns, np.array(sizes, dtype=np.int64), theta

    def shares(self, model: Believer) -> list[Said]:
        """Say what each category of the one row contributes."""
        rows = self.labelled() if self.labels is None else self
        said: list[Said] = []
        for (key, event), code, values in zip(rows.events.items(), rows.cells[0], rows.labels or (), strict=True):
            known = model.believed(key, event)
            if known is not None:
                index, theta = known
                label = [values[code]] if code >= 0 else []
                own, shares = theta.shares(index.find(label), np.ones(len(label)))
                said.append((own, [(key, value, share) for value, share in zip(label, shares.T, strict=True)]))
        return said


_NOWHERE = object()


def _whole(label: Label) -> bool:
    return (isinstance(label, int) and label >= 0) or (isinstance(label, float) and label >= 0 and label.is_integer())


Blocks = dict[Label, Block | Categories]


def read(design: Design, data: Any, missing: Missing = None) -> Blocks:
    """Read data as the blocks that a design asks for.

    Missing cells (NaN, None) are no evidence under "skip", refused under "error"; None: skip in tables
    with named columns, error in bare matrices. Counts are never missing.
    """
    required(missing in ("skip", "error", None), f"missing needs 'skip', 'error' or None, got {missing!r}")
    frame = _frame(design, data)
    required(isinstance(frame, _Bags) or len(frame.columns) > 0, "one column at least was expected, got none")
    skip = frame.named if missing is None else missing == "skip"
    blocks: Blocks = {}
    nominal: dict[Label, tuple[Event, Label]] = {}
    for key, (event, columns) in design.split(frame.columns).items():
        if columns is not frame.columns:
            lacking = [column for column in columns if column not in frame.columns]
            if lacking:
                hint = f"there are {listed(frame.columns, 20)}"
                raise InputError(f"{event.name}: column {listed(lacking)} is missing", hint)
        if event.support == "category":
            nominal[key] = event, columns[0]
        elif isinstance(event, CountEvent):
            blocks[key] = replace(frame.counts(event, columns), key=key)
        else:
            labels = [tuple(columns)] if isinstance(event, BlockEvent) else columns
            blocks[key] = Block(event, Index(labels), frame.cells(event, columns), key=key, skip=skip)
    if nominal:
        blocks[tuple(nominal)] = frame.categories(nominal, skip)
    return blocks


def columns(data: Any) -> dict[Label, Column]:
    """Read a table as its columns: numbers, NaN where they are missing, or objects where there is anything else."""
    frame = _frame(None, data)
    return {column: _with_gaps(frame.values(column)) for column in frame.columns}


def _with_gaps(values: Column) -> Column:
    """A column of objects as numbers, if all that are not missing are."""
    if values.dtype != object or not all(_lacking(value) or _real(value) for value in values):
        return values
    return np.array([np.nan if _lacking(value) else value for value in values], dtype=np.float64)


def _real(value: Any) -> bool:
    return isinstance(value, float | np.floating | int | np.integer) and not 1e300 < abs(cast(float, value)) < np.inf


def observe(design: Design, data: Any, missing: Missing = None) -> Blocks:
    """Read data as the blocks that a design asks for, and refuse what does not fit its supports."""
    blocks = read(design, data, missing)
    for block in blocks.values():
        if isinstance(block, Block):
            block.check()
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

    def categories(self, nominal: Mapping[Label, tuple[Event, Label]], skip: bool) -> Categories:
        columns = [_looked_up(event, column, self.values(column), skip) for event, column in nominal.values()]
        cells = np.column_stack([codes for _, codes in columns])
        return Categories({key: event for key, (event, _) in nominal.items()}, cells, [labels for labels, _ in columns])


class _Cells(_Table):
    """A bare matrix of numbers; its columns are numbered."""

    named = False

    def __init__(self, X: Array) -> None:
        self.columns, self._X = range(X.shape[1]), X

    def values(self, column: Any) -> Column:
        return self._X[:, column]

    def cells(self, event: Event, columns: Sequence[Any]) -> Array:
        return self._of(columns)

    def _of(self, columns: Sequence[Any]) -> Array:
        every = columns == self.columns or list(columns) == list(self.columns)
        return self._X if every else self._X[:, list(columns)]

    def categories(self, nominal: Mapping[Label, tuple[Event, Any]], skip: bool) -> Categories:
        if self._X.dtype.kind == "f":
            return super().categories(nominal, skip)
        cells = cast(Any, self._of([column for _, column in nominal.values()]))
        return Categories({key: event for key, (event, _) in nominal.items()}, cells)


class _Entries(_Table):
    """A sparse matrix: counts, where what is not stored is zero."""

    named = False

    def __init__(self, csr: Any) -> None:
        self.columns, self._csr = range(csr.shape[1]), csr

    def values(self, column: Any) -> Column:
        raise InputError("categorical needs a dense array, got a sparse matrix", "pass X.toarray()")

    def cells(self, event: Event, columns: Sequence[Any]) -> Array:
        raise InputError(f"{event.name} needs a dense array, got a sparse matrix", "pass X.toarray()")

    def counts(self, event: Event, columns: Sequence[Any]) -> Block:
        required(columns == self.columns, f"{event.name}: all columns of a sparse matrix are counted together")
        csr = self._csr
        data = csr.data if csr.data.dtype in _NUMBERS else csr.data.astype(np.float64)
        indices = csr.indices if csr.indices.dtype in (np.int32, np.int64) else csr.indices.astype(np.int64)
        X = Sparse(data, indices, csr.indptr.astype(np.int64), csr.shape[1])
        # A word that stands twice in a row counts once where presence is scored.
        apart = isinstance(event, CountEvent) and event.once and not csr.has_canonical_format
        return Block(event, Index(columns), X.sorted() if apart else X)


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


def _frame(design: Design | None, data: Any) -> _Table:
    if hasattr(data, "tocsr"):
        required(data.ndim == 2, f"a table with rows and columns was expected, got {data.ndim} dimensions")
        return _Entries(data.tocsr())
    if hasattr(data, "column_names"):  # Arrow's tables
        return _Table({name: data[name] for name in data.column_names})
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
    if X.dtype.kind in "biuf":
        if X.dtype in _NUMBERS:
            return X
        return X.view(np.uint8) if X.dtype == bool else X.astype(np.int64 if X.dtype.kind == "i" else np.float64)
    return X if X.dtype == object else np.array(data, dtype=object)


# Numbers that the loops read as they are.
_NUMBERS = tuple(map(np.dtype, ("float64", "float32", "int64", "int32", "uint8")))


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


def _looked_up(event: Event, column: Label, values: Column, skip: bool) -> tuple[list[Label], Integers]:
    """The categories of one column, and the place of each cell's among them, -1 where it is missing."""
    codes = np.full(len(values), -1)
    if values.dtype == object:
        there = np.array([not _lacking(value) for value in values], dtype=bool)
        try:
            index = Index(values[there])
        except TypeError:
            raise InputError(f"{event.name} needs labels that can be compared, column {column!r} has others") from None
        codes[there], labels = index.find(values[there]), list(index)
    else:
        there = ~np.isnan(values)
        different, codes[there] = distinct(values[there])
        labels = different.tolist()
    if not (skip or there.all()):
        row = int(np.argmin(there))
        came = "None" if values[row] is None else "NaN"
        raise InputError(f"{event.name} needs a category, got {came} in row {row}, column {column!r}", _HINTS["nan"])
    return labels, codes


def distinct(values: Column) -> tuple[Column, Integers]:
    """Different values, sorted, and the place of each among them."""
    if values.dtype.kind in "biu" and len(values):
        # Numbers close together are told apart by a table: sorting a million labels took ten times as long.
        low, shifted, there = _within(values)
        if there is not None:
            codes = shifted if there.all() else (np.cumsum(there) - 1)[shifted]
            return (np.flatnonzero(there) + low).astype(values.dtype), codes
    if values.dtype.kind in "OSU":
        # Text is looked up, not sorted: for 200,000 labels that takes a fifth of the time.
        labels = values.tolist()
        places = {label: place for place, label in enumerate(in_order(set(labels)))}
        text = all(isinstance(label, str) for label in places)
        words = np.empty(len(places), dtype=np.array(list(places)).dtype if text else values.dtype)
        words[:] = list(places)
        return words, np.fromiter(map(places.__getitem__, labels), dtype=np.int64, count=len(labels))
    different, codes = np.unique(values, return_inverse=True)
    return different, codes


def _within(values: Column) -> tuple[int, Integers, Mask | None]:
    """The least of whole numbers, how far above it each is, and which are there; None if they are far apart."""
    if values.dtype == np.int64:
        # Most labels are small numbers, and one look at them tells.
        whole = np.ascontiguousarray(values)
        with suppress(ValueError):
            sizes = class_sizes(whole, SMALL)
            return 0, whole, sizes[: int(np.flatnonzero(sizes)[-1]) + 1] > 0
    low, high = int(values.min()), int(values.max())
    if high - low >= 4 * len(values) + 1000 or high >= 1 << 63:
        return low, values, None
    shifted = np.ascontiguousarray(values, dtype=np.int64)
    shifted = shifted - low if low else shifted
    return low, shifted, class_sizes(shifted, high - low + 1) > 0


SMALL = 256
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


def labelled(y: Any, weight: Any = None) -> tuple[Index, ClassWeights]:
    """Read labels, one per row, and their weights (None: 1 each)."""
    if isinstance(y, str | bytes):
        raise InputError(f"one label per row was expected, got the text {y!r:.60}", "pass a list")
    array = _column(y)
    required(array.ndim == 1, f"one label per row was expected, got {array.ndim} dimensions")
    if array.dtype == object:
        for row, label in enumerate(array):
            if _lacking(label):
                came = shown(label) if isinstance(label, float) else repr(label)
                raise InputError(f"a label was expected, got {came} in row {row}")
        try:
            classes = Index(array)
        except TypeError:
            raise InputError(f"labels must be text, numbers or tuples, got {array[0]!r:.60}") from None
        codes = classes.find(array)
    else:
        wrong = np.flatnonzero(np.isnan(array)) if array.dtype.kind == "f" else np.zeros(0)
        if len(wrong):
            raise InputError(f"a label was expected, got NaN in row {wrong[0]}")
        different, codes = distinct(array)
        classes = Index(different.tolist())
    return classes, ClassWeights(codes, len(classes), weights(weight, len(array)))


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
        raise InputError(f"weights must be from 0 to {MOST:g}, got {shown(array[wrong[0]])} in row {wrong[0]}")
    rounded = exact(array)
    lost = np.flatnonzero((rounded == 0) & (array > 0))
    if len(lost):
        message = (
            f"weights are multiples of 2^-36, but {shown(array[lost[0]])} in row {lost[0]} is less than half of that"
        )
        raise InputError(message, "multiply all weights by the same large number")
    return rounded
