"""What models have counted, as the commands show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError, listed
from plainbayes.numeric import Array
from plainbayes.telling import log_odds, telling
from plainbayes.weights import Counts


def class_called(model: TextClassifier, name: str) -> Any:
    """Return the class of this name."""
    for label in model.classes:
        if str(label) == name:
            return label
    raise InputError(f"no class is called {name!r}", f"there are {listed(map(str, model.classes))}")


def readable(word: str) -> bool:
    """Whether a word says something to a reader; runs of characters beside the words (~) say little."""
    return not word.startswith("~")


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a model, by the names of words and classes."""

    words: list[str]
    classes: list[str]
    cells: Counts

    @classmethod
    def of(cls, model: TextClassifier) -> Counted:
        """Take the counts out of a model."""
        return cls(model.vocabulary, list(map(str, model.classes)), model.counts)

    @cached_property
    def total(self) -> Array:
        """How often each word stands in all texts."""
        return self._summed(slice(None))

    def count(self, label: str) -> Array:
        """How often each word stands in the texts of a class; a class that is not there has none."""
        place = self.classes.index(label) if label in self.classes else -1
        return self._summed(self.cells.classes == place)

    def _summed(self, some: Any) -> Array:
        counts = np.bincount(self.cells.word[some], self.cells.count[some], len(self.words))
        return counts.astype(np.float64, copy=False)

    def texts(self, label: str) -> float:
        """How many texts a class has."""
        return float(self.cells.documents[self.classes.index(label)]) if label in self.classes else 0.0

    def aligned(self, label: str, places: Mapping[str, int]) -> Array:
        """The counts of a class, each word in its place."""
        counts = np.zeros(len(places))
        counts[[places[word] for word in self.words]] = self.count(label)
        return counts

    def telling(self, label: str, most: int) -> list[tuple[str, float, float]]:
        """Return the words that say most for a class, with their log ratio and their count there."""
        own = self.count(label)
        rest = self.total - own
        sizes = own.sum(), rest.sum(), len(self.words)
        strength, nats = telling(own, rest, *sizes), log_odds(own, rest, *sizes)
        strength[[not readable(word) for word in self.words]] = 0.0
        order = np.argsort(-strength, kind="stable")[:most]
        return [(self.words[at], float(nats[at]), float(own[at])) for at in order if strength[at] > 0]

    def rows(self) -> Iterator[tuple[str, str, float, float]]:
        """Return word, class, count and number of texts of every cell that is not zero; whole numbers as such."""
        cells = self.cells
        columns = (cells.word, cells.classes, cells.count, cells.present)
        for word, place, count, texts in zip(*(column.tolist() for column in columns), strict=True):
            yield self.words[word], self.classes[place], _whole(count), _whole(texts)


def _whole(number: float) -> float:
    return int(number) if number == int(number) else number
