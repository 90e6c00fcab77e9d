"""Counts that travel: cut by the words' hashes, added up anywhere, and joined to one table again.

Whole numbers are added, so it makes no difference where, in which order, or in how many pieces. Pieces of the same
words can be added up without the others: nobody has to hold all words twice. Words are shared out by the last bits of
their hashes: tables of words are ordered by the first, and with words of one range only a part of one would be used.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from plainbayes._core import Table, hashes, indexed
from plainbayes.errors import InputError
from plainbayes.evidence import Label, in_order
from plainbayes.judge import CELLS, WORDS
from plainbayes.numeric import Integers
from plainbayes.reading import NUMBERS, arrays_of

Bag = tuple[str, float, int]  # a class's name, what each of its texts weighs, and how many they are
SOME = 1 << 18
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
        """So many pieces, a power of two, each with its share of the words and with all bags."""
        arrays, last = self.arrays, _hashes(self.arrays) & np.uint64(pieces - 1)
        for place in range(pieces):
            own = _taken(arrays, np.flatnonzero(last == place))
            packed = {
                "bytes": own["bytes"],
                "lengths": narrow(np.diff(own["starts"])),
                "sizes": narrow(np.diff(own["cells"])),
                **{name: narrow(own[name]) for name in SUMS},
            }
            yield pickle.dumps((self.bags, packed, self.labels))

    @classmethod
    def of(cls, piece: bytes) -> Counted:
        """Read a piece."""
        return _joined([pickle.loads(piece)])


def table(bags: list[Bag], arrays: Mapping[str, Any]) -> Table:
    """Make the table of arrays."""
    cells, bag, counts, texts = (arrays[name] for name in CELLS)
    return Table.of(bags, (arrays["bytes"], arrays["starts"]), (cells, bag, counts, texts))


class Sum:
    """Pieces of the same words, added up as they come."""

    def __init__(self) -> None:
        self.table = Table()
        self.labels: dict[str, Label] = {}

    def add(self, piece: bytes) -> None:
        """Add a piece."""
        counted = Counted.of(piece)
        self.table.merge(counted.table)
        self.labels |= counted.labels

    def piece(self) -> bytes:
        """Return the sum, as a piece of the same words."""
        bags = sorted(self.table.bags)
        return next(Counted(bags, arrays_of(self.table, bags), self.labels).cut(1))


def joined(pieces: list[bytes]) -> Counted:
    """Join all pieces, of which none is left: words in the order of their hashes, classes sorted."""
    parts = []
    while pieces:  # each is unpacked and forgotten: of many words there is not room for all twice
        parts.append(pickle.loads(pieces.pop(0)))
    bags, arrays, labels = _joined(parts)
    order = {label: place for place, label in enumerate(in_order(labels.values()))}
    ranked = sorted(range(len(bags)), key=lambda place: (order[labels[bags[place][0]]], bags[place][1]))
    made = _taken(arrays, np.argsort(_hashes(arrays), kind="stable"))
    del arrays
    if ranked != sorted(ranked):
        # The sums of a word stand in the order of the bags.
        made["bags"] = np.argsort(ranked).astype(np.uint32)[made["bags"]]
        word = np.repeat(np.arange(len(made["cells"]) - 1), np.diff(made["cells"]))
        moved = np.lexsort((made["bags"], word))
        made |= {name: made[name][moved] for name in SUMS}
    index = indexed((made["bytes"], made["starts"]), (made["cells"], made["texts"]))
    made |= {name: np.frombuffer(one, np.uint64) for name, one in zip(WORDS[2:], index, strict=True)}
    return Counted([bags[at] for at in ranked], made, labels)


Packed = tuple[list[Bag], dict[str, Any], dict[str, Label]]


def _joined(parts: list[Packed]) -> Counted:
    """Put arrays behind one another, in the types that the core has; those of the parts are used up."""

    def whole(name: str) -> Any:
        return np.concatenate([arrays.pop(name) for _, arrays, _ in parts])

    arrays = {"bytes": whole("bytes"), "starts": _ends(whole("lengths")), "cells": _ends(whole("sizes"))}
    arrays |= {name: whole(name).astype(NUMBERS.get(name, np.uint32)) for name in SUMS}
    return Counted(parts[0][0], arrays, parts[0][2])


def _hashes(arrays: Mapping[str, Any]) -> Any:
    return np.frombuffer(hashes((arrays["bytes"], arrays["starts"])), np.uint64)


def _taken(arrays: Mapping[str, Any], words: Integers) -> dict[str, Any]:
    """These words and their sums, in this order."""
    starts, cells = arrays["starts"], arrays["cells"]
    lengths, sizes = np.diff(starts)[words], np.diff(cells)[words]
    taken = {"bytes": _stretches(arrays["bytes"], starts[words], lengths)}
    taken |= {"starts": _ends(lengths), "cells": _ends(sizes)}
    return taken | {name: _stretches(arrays[name], cells[words], sizes) for name in SUMS}


def _stretches(values: Any, starts: Integers, lengths: Integers) -> Any:
    """Stretches of values behind one another, found for some at a time: their places take more room than they do."""
    found = [values[:0]]
    for first in range(0, len(starts), SOME):
        start, length = (one[first : first + SOME].astype(np.int64) for one in (starts, lengths))
        end = np.cumsum(length)
        found.append(values[np.arange(end[-1]) + np.repeat(start - (end - length), length)])
    return np.concatenate(found)


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
