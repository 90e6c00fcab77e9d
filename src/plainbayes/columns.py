"""What the columns of a table hold, and how their cells become words: `sex=female`, `age=30..35`.

A row is a text whose words are its cells. Numbers are cut into ranges of about as many rows each, but a value that
many rows share has a range of its own. Beside the ranges that make pairs with other columns there are coarser ones,
whose pairs have many rows each, and finer ones, which speak alone. A cell that is missing is no word, or one of its own
where that tells something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, cast, get_args

import numpy as np

from plainbayes.errors import InputError, listed
from plainbayes.event import required
from plainbayes.numeric import Array, Integers, Mask
from plainbayes.text.analyzer import Analyzer

Kind = Literal["category", "count", "nonnegative", "real", "date", "text", "identifier", "constant"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NUMBERS = ("count", "nonnegative", "real")
UNUSED = ("identifier", "constant")

FEW = 12  # whole numbers that are so few different ones are categories
SAME = 0.95  # of texts that are all different, or nearly, each names its row
PROSE = 25  # letters of a text from which on, on average, it is read word by word
LOOKED_AT = 20_000
FINE = 64  # ranges that speak alone
COARSE = 5  # ranges whose pairs have many rows
MISSING = "?"
PARTS = ("month", "weekday", "hour")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# What stands for a cell that is missing in files made by hand.
BLANK = frozenset({"", "?", "na", "n/a", "nan", "null", "none", "-"})

Cells = np.ndarray[Any, np.dtype[Any]]  # numbers with NaN, days since 1970 with NaN, or texts with None


@dataclass(frozen=True)
class Column:
    """What a column holds; `missing` if a missing cell is a word of its own; `edges` where its ranges begin.

    `fine` is where finer ranges begin and `coarse` where coarser ones do, if there are any. Of a date, `part` is what
    is looked at: its month, weekday or hour; None: when it is. `textual` if its cells are texts, even where some rows
    have only numbers.
    """

    name: str
    kind: Kind
    edges: tuple[float, ...] = ()
    fine: tuple[float, ...] = ()
    missing: bool = False
    part: str | None = None
    textual: bool = False
    coarse: tuple[float, ...] = ()
    event: str = ""
    middles: tuple[float, ...] = ()

    @property
    def ranged(self) -> bool:
        """Whether its values are cut into ranges."""
        return self.kind in NUMBERS or (self.kind == "date" and self.part is None)

    @property
    def label(self) -> str:
        """What stands before its values."""
        return self.name if self.part is None else f"{self.name} {self.part}"

    def codes(self, cells: Cells) -> tuple[list[str], Integers]:
        """Return the words of this column and which of them each cell is; -1 where it is missing.

        >>> Column("age", "count", (20.0, 30.0)).codes(np.array([25.0, 12.0, np.nan]))
        (['age<20', 'age=20..30', 'age>=30'], array([ 1,  0, -1]))
        """
        if self.ranged:
            words = self._ranges()
            codes = np.searchsorted(np.array(self.edges), cells, side="right")
            gone = np.isnan(cells)
        else:
            values, gone = self._values(cells)
            # Looked up, not sorted: np.unique takes ten times as long for texts.
            different = sorted(set(values))
            places = {value: place for place, value in enumerate(different)}
            codes = np.fromiter(map(places.__getitem__, values), dtype=np.int64, count=len(values))
            words = [f"{self.label}={value}" for value in different]
        codes = np.where(gone, -1, codes)
        if self.missing and gone.any():
            codes[gone], words = len(words), [*words, f"{self.label}={MISSING}"]
        return words, codes.astype(np.int64)

    def _ranges(self) -> list[str]:
        shown = [self._shown(edge) for edge in self.edges]
        if not shown:
            return [f"{self.label}=any"]
        between = [f"{self.label}={low}..{high}" for low, high in pairwise(shown)]
        return [f"{self.label}<{shown[0]}", *between, f"{self.label}>={shown[-1]}"]

    def _shown(self, edge: float) -> str:
        if self.kind == "date":
            return str(np.datetime64(0, "s") + np.timedelta64(round(edge * 86400), "s")).removesuffix("T00:00:00")
        return f"{edge:.6g}"

    def _values(self, cells: Cells) -> tuple[list[str], Mask]:
        """The cells as texts, and which are missing."""
        if self.kind == "date":
            gone = np.isnan(cells)
            days = np.where(gone, 0.0, cells)
            whole = np.floor(days).astype("datetime64[D]")
            match self.part:
                case "month":
                    values = whole.astype("datetime64[M]").astype(np.int64) % 12 + 1
                case "weekday":
                    values = np.array(WEEKDAYS)[(whole.astype(np.int64) + 3) % 7]
                case _:
                    values = np.floor((days - np.floor(days)) * 24 + 1e-6).astype(np.int64)
            return values.astype(str).tolist(), gone
        if cells.dtype.kind == "f":
            gone = np.isnan(cells)
            return [f"{cell:.15g}" for cell in np.where(gone, 0.0, cells).tolist()], gone
        texts = cells.tolist()
        gone = np.fromiter((text is None for text in texts), dtype=bool, count=len(texts))
        return [text or "" for text in texts], gone

    def cut(self, cells: Array, ranges: int) -> Column:
        """The same with its values cut into about so many ranges, and into finer ones."""
        if not self.ranged:
            return self
        edges, fine = (tuple(evenly(cells, most).tolist()) for most in (ranges, max(FINE, ranges)))
        return replace(self, edges=edges, fine=fine if len(fine) > len(edges) else ())

    def coarser(self, cells: Array) -> Column:
        """The same with coarser ranges beside its own, if there can be any."""
        edges = tuple(evenly(cells, COARSE).tolist()) if self.ranged else ()
        return replace(self, coarse=edges if len(edges) < len(self.edges) else ())

    def words(self, cells: Cells) -> tuple[list[str], list[str] | None, list[str] | None]:
        """Return the word of every cell, "" where it is missing; and the coarser and finer ones, if there are any."""
        words, codes = self.codes(cells)
        own, finer = _said(words, codes), None
        coarser = _said(*replace(self, edges=self.coarse).codes(cells)) if self.coarse else None
        if self.fine:
            ranges, places = replace(self, edges=self.fine, missing=False).codes(cells)
            # No range is said twice. A coarser one may be: it has to be there for its pairs, and counts once.
            finer = _said(["" if word in words else word for word in ranges], places)
        return own, coarser, finer


def _said(words: list[str], codes: Integers) -> list[str]:
    """The word of every cell. The last stands for what is missing: -1 is its place from the end."""
    said: list[str] = np.array([*words, ""], dtype=object)[codes].tolist()
    return said


def evenly(values: Array, ranges: int) -> Array:
    """Where ranges begin that hold about as many values each; a value that fills one is alone in its range.

    >>> evenly(np.array([0.0] * 8 + [1.0, 2.0, 3.0, 4.0]), 4)
    array([1., 3.])
    """
    different, sizes = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(different) <= ranges:
        return different[1:]
    heavy = sizes * ranges >= sizes.sum()
    light = sizes[~heavy].sum()
    full = light / max(2, ranges - int(heavy.sum()))
    edges, held = [], 0
    for place in range(1, len(different)):
        held += 0 if heavy[place - 1] else int(sizes[place - 1])
        if heavy[place] or heavy[place - 1] or held >= full:
            edges.append(different[place])
            held = 0
    return np.array(edges)


def read(cells: Any, name: str, textual: bool = False) -> Cells:
    """A column in one of its three forms, whatever it came as: numbers, days, or texts.

    Texts that are all numbers are numbers, and those that are all dates as ISO 8601 writes them are dates, unless they
    are known to be texts.
    """
    cells = np.ma.filled(cells.astype(object), None) if isinstance(cells, np.ma.MaskedArray) else np.asarray(cells)
    if cells.dtype.kind == "M":
        return _days(cells)
    if cells.dtype.kind in "biuf":
        return _finite(cells.astype(np.float64), name)
    values = _each(_plain, cells.tolist())
    there = [value for value in values if value is not None]
    if there and not any(isinstance(value, str) for value in there):
        if all(isinstance(value, int | float) for value in there):
            return _finite(np.array([np.nan if value is None else value for value in values], dtype=np.float64), name)
        try:
            return _days(np.array([np.datetime64(value or "NaT", "us") for value in values]))
        except (TypeError, ValueError):
            pass
    texts = _each(lambda value: None if value is None else str(value).replace("\0", " "), values)
    for form in () if textual else (_numbers, _dates):
        if (read := form(texts)) is not None:
            return read
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _each(form: Callable[[Any], Any], cells: list[Any]) -> list[Any]:
    """The form of every cell, found once for each different one."""
    try:
        forms = {cell: form(cell) for cell in set(cells)}
    except TypeError:  # what cannot be looked up
        return list(map(form, cells))
    return [forms[cell] for cell in cells]


def _finite(cells: Array, name: str) -> Array:
    wrong = np.flatnonzero(np.isinf(cells))
    if len(wrong):
        raise InputError(f"finite numbers were expected, got inf in row {wrong[0]}, column {name!r}")
    return cells


def _plain(cell: Any) -> Any:
    """A cell as Python has it, None if it is missing."""
    cell = cell.item() if isinstance(cell, np.generic) else cell
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in BLANK):
        return None
    try:
        return None if cell != cell else cell  # NaN, NaT
    except TypeError:  # pandas.NA, which is neither equal nor unequal
        return None


def _numbers(texts: Sequence[str | None]) -> Array | None:
    """Texts as numbers, if all of them are; one with a zero before it is a code."""
    there = {text for text in texts if text is not None}
    coded = any(len(text) > 1 and text[0] == "0" and text.isdecimal() for text in there)
    if not there or coded:
        return None
    try:
        numbers: dict[str | None, float] = {text: float(text) for text in there}
    except ValueError:
        return None
    cells = np.array([numbers.get(text, np.nan) for text in texts])
    return cells if np.isfinite(cells[~np.isnan(cells)]).all() else None


def _dates(texts: Sequence[str | None]) -> Array | None:
    there = [text for text in texts if text is not None]
    if not there or not all(len(text) >= 8 and text[:4].isdecimal() and text[4] in "-/" for text in there[:50]):
        return None
    try:
        times = [np.datetime64("NaT" if text is None else text.replace("/", "-").rstrip("Z"), "us") for text in texts]
    except ValueError:
        return None
    return _days(np.array(times, dtype="datetime64[us]"))


def _days(times: Cells) -> Array:
    """Days since 1970, NaN where there is none."""
    whole = times.astype("datetime64[us]")
    return np.where(np.isnat(whole), np.nan, whole.astype(np.int64) / 86_400e6)


def is_date(cells: Any) -> bool:
    """Whether a column that was not read yet holds dates."""
    cells = np.asarray(cells)
    if cells.dtype.kind == "M":
        return True
    if cells.dtype.kind != "O":
        return False
    some = [value for value in _each(_plain, cells[:LOOKED_AT].tolist()) if value is not None]
    if some and all(isinstance(value, str) for value in some):
        return _numbers(some) is None and _dates(some) is not None
    return bool(some) and all(hasattr(value, "isoformat") for value in some)


def seen(cells: Cells, date: bool = False) -> Kind:
    """Say what a column holds, by looking at it."""
    if cells.dtype.kind == "f":
        # In their order, so that it makes no difference in which one they come.
        some = np.sort(cells)[:: max(1, len(cells) // LOOKED_AT)]
        there = some[~np.isnan(some)]
        different = np.unique(there)
        if len(different) < 2:
            return "constant"
        if date:
            return "date"
        whole = bool((there == np.floor(there)).all())
        if whole and len(different) == len(there) > FEW and different[-1] - different[0] < 2 * len(there):
            return "identifier"
        if whole and len(different) <= FEW:
            return "category"
        if different[0] < 0:
            return "real"
        return "count" if whole else "nonnegative"
    texts = [text for text in cells.tolist() if text is not None]
    different_texts = set(texts)
    if len(different_texts) < 2:
        return "constant"
    spaced = sum(" " in text for text in texts) > len(texts) / 2
    if spaced and sum(map(len, texts)) >= PROSE * len(texts) and 2 * len(different_texts) > len(texts):
        return "text"
    return "identifier" if len(texts) > FEW and len(different_texts) > SAME * len(texts) else "category"


@dataclass(frozen=True)
class Layout:
    """The columns of a table that speak, in their order, and which pairs of them speak together.

    Columns of numbers are lent so many rows by their events, a row weighs `unit`: see lending.py.
    """

    columns: tuple[Column, ...]
    pairs: tuple[tuple[int, int], ...] = ()
    lent: float = 0.0
    unit: float = 1.0

    @property
    def names(self) -> list[str]:
        """The columns of the table, each once."""
        return list(dict.fromkeys(column.name for column in self.columns))

    @property
    def used(self) -> list[Column]:
        """The columns whose cells are words; they come first in every text, and pairs are pairs of them."""
        return [column for column in self.columns if column.kind not in (*UNUSED, "text")]

    @property
    def prose(self) -> list[Column]:
        """The columns that are read word by word."""
        return [column for column in self.columns if column.kind == "text"]

    @property
    def analyzer(self) -> Analyzer:
        """What makes words of a row that is written as a text."""
        return Analyzer("tokens", pairs=(*self.pairs, *self._coarse_pairs()))

    def _coarse_pairs(self) -> Iterator[tuple[int, int]]:
        """The same pairs between coarser ranges, which stand behind the columns' own."""
        coarse = [place for place, column in enumerate(self.used) if column.coarse]
        places = {place: len(self.used) + number for number, place in enumerate(coarse)}
        for one, other in self.pairs:
            if one in places or other in places:
                yield places.get(one, one), places.get(other, other)

    def cut(self, table: Mapping[str, Cells], ranges: int) -> Layout:
        """The same with numbers cut into about so many ranges."""
        return replace(self, columns=tuple(column.cut(table[column.name], ranges) for column in self.columns))

    def coarser(self, table: Mapping[str, Cells]) -> Layout:
        """The same with coarser ranges of numbers, which make the same pairs once more."""
        return replace(self, columns=tuple(column.coarser(table[column.name]) for column in self.columns))

    def alone(self) -> Layout:
        """The same with one range for each number, neither finer nor coarser ones, and no pairs."""
        return replace(self, columns=tuple(replace(column, fine=(), coarse=()) for column in self.columns), pairs=())

    def paired(self, pairs: Sequence[tuple[int, int]]) -> Layout:
        """The same with these pairs; columns that are in none need no coarser ranges."""
        some = {self.used[place] for pair in pairs for place in pair}
        columns = [column if column in some else replace(column, coarse=()) for column in self.columns]
        return replace(self, columns=tuple(columns), pairs=tuple(pairs))

    @property
    def textual(self) -> set[str]:
        """The columns whose cells are texts."""
        return {column.name for column in self.columns if column.textual}

    def coded(self, table: Mapping[str, Cells]) -> list[tuple[list[str], Integers]]:
        """The words of each column that is used, and which of them each cell is."""
        return [column.codes(table[column.name]) for column in self.used]

    def texts(self, table: Mapping[str, Cells]) -> list[str]:
        """Every row as a text of its cells, parted by zero characters; one that is missing leaves its place empty."""
        rows = len(next(iter(table.values()))) if table else 0
        words = [column.words(table[column.name]) for column in self.used]
        prose = [[prefixed(column.name, text) for text in table[column.name].tolist()] for column in self.prose]
        cells = [each[place] for place in range(3) for each in words if each[place] is not None] + prose
        return ["\0".join(row) for row in zip(*cells, strict=True)] if cells else [""] * rows

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        columns = [vars(column) for column in self.columns]
        pairs = [list(pair) for pair in self.pairs]
        return {"columns": columns, "pairs": pairs, "lent": self.lent, "unit": self.unit}

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Layout:
        """Read it again."""
        columns = tuple(_column(**column) for column in written["columns"])
        pairs = tuple((one, other) for one, other in written["pairs"])
        return cls(**{**written, "columns": columns, "pairs": pairs})


def _column(**written: Any) -> Column:
    columns: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in written.items()}
    return Column(**columns)


PROSE_WORDS = Analyzer(ngrams=2)


def prefixed(name: str, text: str | None) -> str:
    """The words of a cell that is read word by word, each behind the name of its column."""
    return "" if text is None else "\0".join(f"{name}:{word}" for word in dict.fromkeys(PROSE_WORDS(str(text))))


def look(table: Mapping[str, Cells], dates: set[str], given: Mapping[str, str] | None = None) -> Layout:
    """Find out what the columns hold, but for what is given."""
    given = dict(given or {})
    for name, wished in given.items():
        required(name in table, f"no column is called {name!r}", f"there are {listed(table, 20)}")
        required(wished in KINDS, f"a kind of column was expected for {name!r}, got {wished!r}", listed(KINDS, 9))
    columns: list[Column] = []
    for name, cells in table.items():
        kind = cast(Kind, given.get(name) or seen(cells, name in dates))
        numbers = cells.dtype.kind == "f"
        fits = numbers if kind in (*NUMBERS, "date") else not numbers or kind != "text"
        required(fits, f"column {name!r} cannot be read as {kind}", f"it looks like {seen(cells, name in dates)}")
        columns.append(Column(name, kind, textual=not numbers))
        if kind == "date":
            columns += [Column(name, kind, part=part) for part in PARTS if _varies(cells, name, part)]
    return Layout(tuple(columns))


def _varies(cells: Array, name: str, part: str) -> bool:
    _, codes = Column(name, "date", part=part).codes(cells)
    return len(np.unique(codes[codes >= 0])) > 1


def checked(table: Mapping[str, Any], layout: Layout) -> tuple[dict[str, Cells], list[str]]:
    """The columns that a layout speaks of, in the form that it knows, and what there is to say about them."""
    said, read_again = [], {}
    for name in layout.names:
        kind = next(column.kind for column in layout.columns if column.name == name)
        if name not in table:
            required(kind in UNUSED, f"column {name!r} was expected, but it is missing", f"there are {listed(table)}")
            continue
        cells = table[name]
        if kind in (*NUMBERS, "date") and cells.dtype.kind != "f":
            cells = _as_far_as(cells, kind)
            said.append(f"column {name!r} has cells that are no {'date' if kind == 'date' else 'number'}: no evidence")
        elif kind == "text" and cells.dtype.kind == "f":
            cells = np.array([None if np.isnan(cell) else f"{cell:.15g}" for cell in cells], dtype=object)
        read_again[name] = cells
    extra = [name for name in table if name not in layout.names]
    if extra:
        said.append(f"{'column' if len(extra) == 1 else 'columns'} {listed(extra)} not known to the model: left out")
    return read_again, said


def _as_far_as(cells: Cells, kind: str) -> Array:
    """Texts as numbers or dates where they are, NaN where they are not."""
    form = _dates if kind == "date" else _numbers
    each = (form([cell]) for cell in cells.tolist())
    return np.array([np.nan if one is None else one[0] for one in each])


def pairs_of(columns: int) -> Iterator[tuple[int, int]]:
    """All pairs of so many columns."""
    return ((one, other) for one in range(columns) for other in range(one + 1, columns))
