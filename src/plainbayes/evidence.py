"""Statistics with labelled classes and features, which may appear at any time. Knows labels, not formulas.

Learning adds evidence, unlearning subtracts it, merging adds it. A class or a word that was learned and
unlearned leaves no trace.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from plainbayes.errors import InputError, NeverLearnedError, listed
from plainbayes.numeric import Integers
from plainbayes.stats import EVERY, Places, Stats, Sums

Label = Hashable


class Index:
    """Labels in a row, each found by name at once.

    >>> words = Index(["a", "b"])
    >>> words.find(["b", "c"])
    array([ 1, -1])
    """

    def __init__(self, labels: Iterable[Label] = ()) -> None:
        self._labels: list[Label] | range = labels if isinstance(labels, range) else list(dict.fromkeys(labels))
        self._places: dict[Label, int] | None = None

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels)

    def __getitem__(self, place: int) -> Label:
        return self._labels[place]

    def __contains__(self, label: Label) -> bool:
        return label in self.places

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Index) or len(self) != len(other):
            return False
        return self is other or self._labels == other._labels or list(self) == list(other)

    @property
    def places(self) -> dict[Label, int]:
        """Where each label stands."""
        if self._places is None:
            self._places = {label: place for place, label in enumerate(self._labels)}
        return self._places

    @property
    def numbered(self) -> bool:
        """Whether the labels are just column numbers."""
        return isinstance(self._labels, range)

    def find(self, labels: Iterable[Label]) -> Integers:
        """Where these labels stand, -1 for those that do not."""
        places = self.places
        return np.array([places.get(label, -1) for label in labels], dtype=np.int64)

    def add(self, other: Index) -> Places:
        """Add the labels that are not here yet, and say where all of them stand."""
        if self == other:
            return EVERY
        if not len(self):
            self._labels, self._places = other._labels if other.numbered else list(other), None
            return EVERY
        places = self.places
        fresh = [label for label in other if label not in places]
        if fresh:
            self._labels = list(self._labels) if isinstance(self._labels, range) else self._labels
            self._labels += fresh
            places.update(zip(fresh, range(len(places), len(self._labels)), strict=True))
        return self.find(other)

    def drop(self, gone: Integers) -> tuple[Integers, Integers, int]:
        """Remove the labels at these places; the last ones fill the holes: (holes, what fills them, new length)."""
        size = len(self) - len(gone)
        holes = gone[gone < size]
        fillers = np.setdiff1d(np.arange(size, len(self)), gone)
        places = self.places
        labels = self._labels = list(self._labels) if isinstance(self._labels, range) else self._labels
        for place in gone.tolist():
            del places[labels[place]]
        for hole, filler in zip(holes.tolist(), fillers.tolist(), strict=True):
            labels[hole] = labels[filler]
            places[labels[hole]] = hole
        del labels[size:]
        return holes, fillers, size

    def copy(self) -> Index:
        """Return a copy that shares nothing."""
        return Index(self._labels)


@dataclass
class Part:
    """The statistics of one group of features.

    Features are open where they come from the data (words, categories): those that nothing speaks of
    any more are forgotten. Columns of a matrix stay.
    """

    features: Index
    stats: Stats
    open: bool = False
    facts: str = ""

    def copy(self) -> Part:
        """Return a copy that shares nothing."""
        return Part(self.features.copy(), self.stats.copy(), self.open, self.facts)

    def agree(self, other: Part) -> None:
        """Refuse to be added to, or subtracted from, facts of another kind or about other columns."""
        hint = "models can be merged that use the same event for the same columns"
        if self.facts != other.facts or not self.stats.like(other.stats):
            raise InputError(f"facts of one kind were expected, got {self.facts} and {other.facts}", hint)
        closed = not (self.open and other.open)
        if closed and (self.open != other.open or set(self.features) != set(other.features)):
            mine, theirs = ("words" if part.open else listed(part.features) for part in (self, other))
            raise InputError(f"facts about the same columns were expected, got {mine} and {theirs}", hint)


class Evidence:
    """Everything learned: the weight of each class, and for each part its statistics.

    `+ - += -=` align by label; in place they cost what the other side touches. `==` compares what is
    held, whatever the order of labels.
    """

    def __init__(self, classes: Index | None = None, weight: Sums | None = None) -> None:
        self.classes = Index() if classes is None else classes
        self.weight = Sums(n=np.zeros(len(self.classes))) if weight is None else weight
        self.parts: dict[Label, Part] = {}
        self.changes = 0

    def __repr__(self) -> str:
        features = sum(len(part.features) for part in self.parts.values())
        total = self.weight.n.sum()
        return f"Evidence({total:g} observations, {len(self.classes)} classes, {features} features)"

    def copy(self) -> Evidence:
        """Return a copy that shares nothing."""
        new = Evidence(self.classes.copy(), self.weight.copy())
        new.parts = {key: part.copy() for key, part in self.parts.items()}
        return new

    def __add__(self, other: Evidence) -> Evidence:
        new = self.copy()
        new += other
        return new

    def __sub__(self, other: Evidence) -> Evidence:
        new = self.copy()
        new -= other
        return new

    def __iadd__(self, other: Evidence) -> Evidence:
        self._agree(other)
        self.changes += 1
        rows = self.classes.add(other.classes)
        classes = len(self.classes)
        self.weight.resize(classes, 0)
        self.weight.add(other.weight, rows, EVERY)
        for part in self.parts.values():
            part.stats.resize(classes, len(part.features))
        for key, part in other.parts.items():
            mine = self.parts.get(key)
            if mine is None:
                mine = self.parts[key] = Part(Index(), part.stats.empty(), part.open, part.facts)
            columns = mine.features.add(part.features)
            mine.stats.resize(classes, len(mine.features))
            mine.stats.add(part.stats, rows, columns)
        return self

    def _agree(self, other: Evidence) -> None:
        if self.parts and other.parts and self.parts.keys() != other.parts.keys():
            mine, theirs = listed(self.parts), listed(other.parts)
            raise InputError(f"facts about the same columns were expected, got {mine} and {theirs}")
        for key in self.parts.keys() & other.parts.keys():
            self.parts[key].agree(other.parts[key])

    def __isub__(self, other: Evidence) -> Evidence:
        self._agree(other)
        rows = self._locate(self.classes, other.classes, "class")
        columns: dict[Label, Places] = {}
        for key, part in other.parts.items():
            if key not in self.parts:
                raise NeverLearnedError("cannot unlearn what was never learned: nothing was")
            columns[key] = self._locate(self.parts[key].features, part.features, "feature")
        held = self.weight.holds(other.weight, rows, EVERY) and all(
            self.parts[key].stats.holds(part.stats, rows, columns[key]) for key, part in other.parts.items()
        )
        if not held:
            raise NeverLearnedError(
                f"cannot unlearn what was never learned: a count of {_among(other.classes)} would become negative",
                "unlearn exactly the rows, labels and weights that were learned",
            )
        self.changes += 1
        self.weight.subtract(other.weight, rows, EVERY)
        for key, part in other.parts.items():
            self.parts[key].stats.subtract(part.stats, rows, columns[key])
        self.forget(columns)
        return self

    def forget(self, columns: Mapping[Label, Places] | None = None) -> None:
        """Drop the classes that weigh nothing, and those words (of the columns named) that stand nowhere."""
        for key, part in self.parts.items():
            places = EVERY if columns is None else columns.get(key)
            if part.open and places is not None:
                gone = np.arange(len(part.features))[places][part.stats.nothing(places)]
                if len(gone):
                    part.stats.drop(1, *part.features.drop(gone))
        gone = np.flatnonzero(self.weight.n == 0)
        if len(gone):
            moves = self.classes.drop(gone)
            for stats in (self.weight, *(part.stats for part in self.parts.values())):
                stats.drop(0, *moves)

    @staticmethod
    def _locate(mine: Index, other: Index, what: str) -> Places:
        if mine == other:
            return EVERY
        places = mine.find(other)
        if (places < 0).any():
            strange = [label for label, place in zip(other, places, strict=True) if place < 0]
            raise NeverLearnedError(f"cannot unlearn what was never learned: no {what} {listed(strange)}")
        return places

    def same(self, other: Evidence, tolerance: float = 0.0) -> bool:
        """Whether both hold the same; the tolerance is for moments, which are no integers."""
        rows = other.classes.find(self.classes)
        if len(rows) != len(other.classes) or (rows < 0).any() or self.parts.keys() != other.parts.keys():
            return False
        if not self.weight.same(other.weight.take(rows, np.zeros(0, dtype=np.int64))):
            return False
        for key, part in self.parts.items():
            theirs = other.parts[key]
            columns = theirs.features.find(part.features)
            if len(columns) != len(theirs.features) or (columns < 0).any():
                return False
            if not part.stats.like(theirs.stats):
                return False
            if not part.stats.same(theirs.stats.take(rows, columns), tolerance):
                return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evidence) and self.same(other)


def _among(classes: Index) -> str:
    return f"class {classes[0]!r}" if len(classes) == 1 else f"classes {listed(classes)}"


def in_order(labels: Iterable[Label]) -> list[Label]:
    """Sort labels; those that cannot be compared, by the name of their type and their spelling."""
    labels = list(labels)
    try:
        return sorted(cast(list[Any], labels))
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, repr(label)))
