"""Counts that travel: cut by ranges of the words' hashes, added up anywhere, and joined to one table again.

Whole numbers are added, so it makes no difference where, in which order, or in how many pieces. Pieces of one range
can be added up without the others: nobody has to hold all words twice.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from plainbayes._core import Table, indexed, ranges
from plainbayes.errors import InputError
from plainbayes.evidence import Label, in_order
from plainbayes.judge import CELLS
from plainbayes.numeric import Integers
from plainbayes.reading import NUMBERS, arrays_of

Bag = tuple[str, float, int]  # a class's name, what each of its texts weighs, and how many they are
SUMS = ("bags", "counts", "texts")
LARGEST = (1 << 32) - 1


class Counted(NamedTuple):
    """Bags of words, their arrays as the core's `table` has them, and what classes are called."""

    bags: list[Bag]
    arrays: Mapping[str, Any]
    labels: Mapping[str, Label]

    @property
    def table(self) -> Table:
        """The same as a table that can be added to."""
        return table(self.bags, self.arrays)

    def cut(self, pieces: int) -> Iterator[bytes]:
        """So many pieces, a power of two, each with the words of a range and with all bags."""
        arrays = self.arrays
        starts, cells = arrays["starts"], arrays["cells"]
        places = ranges((arrays["bytes"], starts), pieces)
        for start, end in pairwise(places):
            own, sums = starts[start : end + 1], slice(int(cells[start]), int(cells[end]))
            piece = {
                "bytes": arrays["bytes"][own[0] : own[-1]],
                "lengths": np.diff(own),
                "sizes": np.diff(cells[start : end + 1]),
                **{name: arrays[name][sums] for name in SUMS},
            }
            yield pickle.dumps((self.bags, {name: narrow(array) for name, array in piece.items()}, self.labels))

    @classmethod
    def of(cls, piece: bytes) -> Counted:
        """Read a piece."""
        return _joined([pickle.loads(piece)])


def table(bags: list[Bag], arrays: Mapping[str, Any]) -> Table:
    """Make the table of arrays."""
    cells, bag, counts, texts = (arrays[name] for name in CELLS)
    return Table.of(bags, (arrays["bytes"], arrays["starts"]), (cells, bag, counts, texts))


class Sum:
    """Pieces of one range, added up as they come."""

    def __init__(self) -> None:
        self.table = Table()
        self.labels: dict[str, Label] = {}

    def add(self, piece: bytes) -> None:
        """Add a piece."""
        counted = Counted.of(piece)
        self.table.merge(counted.table)
        self.labels |= counted.labels

    def piece(self) -> bytes:
        """Return the sum, as a piece of the same range."""
        bags = sorted(self.table.bags)
        return next(Counted(bags, arrays_of(self.table, bags), self.labels).cut(1))


def joined(pieces: list[bytes]) -> Counted:
    """Join the pieces of all ranges, in their order, of which none is left; classes are sorted."""
    parts = []
    while pieces:  # each is unpacked and forgotten: of many words there is not room for all twice
        parts.append(pickle.loads(pieces.pop(0)))
    bags, arrays, labels = _joined(parts)
    order = {label: place for place, label in enumerate(in_order(labels.values()))}
    ranked = sorted(range(len(bags)), key=lambda place: (order[labels[bags[place][0]]], bags[place][1]))
    made = dict(arrays)
    if ranked != sorted(ranked):
        # The sums of a word stand in the order of the bags.
        made["bags"] = np.argsort(ranked).astype(np.uint32)[made["bags"]]
        word = np.repeat(np.arange(len(made["cells"]) - 1), np.diff(made["cells"]))
        moved = np.lexsort((made["bags"], word))
        made |= {name: made[name][moved] for name in SUMS}
    keys, index = indexed((made["bytes"], made["starts"]))
    made |= {"keys": np.frombuffer(keys, np.uint64), "index": np.frombuffer(index, np.uint32)}
    return Counted([bags[at] for at in ranked], made, labels)


Packed = tuple[list[Bag], dict[str, Any], dict[str, Label]]


def _joined(parts: list[Packed]) -> Counted:
    """Put arrays behind one another, in the types that the core has; those of the parts are used up."""

    def whole(name: str) -> Any:
        return np.concatenate([arrays.pop(name) for _, arrays, _ in parts])

    arrays = {"bytes": whole("bytes"), "starts": _ends(whole("lengths")), "cells": _ends(whole("sizes"))}
    arrays |= {name: whole(name).astype(NUMBERS.get(name, np.uint32)) for name in SUMS}
    return Counted(parts[0][0], arrays, parts[0][2])


def narrow(numbers: Integers) -> Integers:
    """The same numbers in as few bytes as the largest of them needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _ends(lengths: Integers) -> Any:
    """Where each begins, and where the last ends."""
    ends = np.zeros(len(lengths) + 1, dtype=np.uint64)
    np.cumsum(lengths, out=ends[1:])
    if ends[-1] > LARGEST:
        raise InputError(
            "a model can have 4 GB of words, got more", "single words are fewer than groups of them: ngrams=1"
        )
    return ends.astype(np.uint32)
