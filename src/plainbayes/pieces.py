"""Counts that travel: cut by ranges of the words' hashes, added up anywhere, and joined to one table again.

Whole numbers are added, so it makes no difference where, in which order, or in how many pieces. Pieces of one range
can be added up without the others: nobody has to hold all words twice.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from plainbayes._core import Table, indexed, ranges
from plainbayes.errors import InputError
from plainbayes.evidence import Label, in_order
from plainbayes.judge import CELLS
from plainbayes.numeric import Integers
from plainbayes.reading import arrays_of

Bag = tuple[str, float, int]  # a class's name, what each of its texts weighs, and how many they are
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
                **{name: arrays[name][sums] for name in ("bags", "counts", "texts")},
            }
            yield pickle.dumps((self.bags, {name: narrow(array) for name, array in piece.items()}, self.labels))

    @classmethod
    def of(cls, piece: bytes) -> Counted:
        """Read a piece."""
        bags, arrays, labels = pickle.loads(piece)
        return cls(bags, _wide(arrays), labels)


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


def joined(pieces: Iterable[bytes]) -> Counted:
    """Join the pieces of all ranges, in their order; classes are sorted."""
    parts = [Counted.of(piece) for piece in pieces]
    bags, _, labels = parts[0]
    order = {label: place for place, label in enumerate(in_order(labels.values()))}
    ranked = sorted(range(len(bags)), key=lambda place: (order[labels[bags[place][0]]], bags[place][1]))
    arrays = {name: np.concatenate([part.arrays[name] for part in parts]) for name in ("bytes", "counts", "texts")}
    lengths, sizes = (_ends([np.diff(part.arrays[name]) for part in parts]) for name in ("starts", "cells"))
    place = np.argsort(ranked).astype(np.uint32)
    own = place[np.concatenate([part.arrays["bags"] for part in parts])]
    if ranked != sorted(ranked):
        # The sums of a word stand in the order of the bags.
        word = np.repeat(np.arange(len(sizes) - 1), np.diff(sizes))
        moved = np.lexsort((own, word))
        own, arrays["counts"], arrays["texts"] = own[moved], arrays["counts"][moved], arrays["texts"][moved]
    keys, index = indexed((arrays["bytes"], lengths))
    arrays |= {"starts": lengths, "cells": sizes, "bags": own}
    arrays |= {"keys": np.frombuffer(keys, np.uint64), "index": np.frombuffer(index, np.uint32)}
    return Counted([bags[at] for at in ranked], arrays, labels)


def narrow(numbers: Integers) -> Integers:
    """The same numbers in as few bytes as the largest of them needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def _wide(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "bytes": arrays["bytes"],
        "starts": _ends([arrays["lengths"]]),
        "cells": _ends([arrays["sizes"]]),
        "bags": arrays["bags"].astype(np.uint32),
        "counts": arrays["counts"].astype(np.uint64),
        "texts": arrays["texts"].astype(np.uint32),
    }


def _ends(lengths: list[Integers]) -> Any:
    """Where each begins, and where the last ends."""
    ends = np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *lengths]), dtype=np.int64)
    if ends[-1] > LARGEST:
        raise InputError(
            "a model can have 4 GB of words, got more", "single words are fewer than groups of them: ngrams=1"
        )
    return ends.astype(np.uint32)
