"""From counts of words to weights: all of them, or with many classes only those that differ from the background."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from plainbayes.errors import InputError
from plainbayes.event import CountEvent, Linear
from plainbayes.events.complement import Complement
from plainbayes.judge import DENSE
from plainbayes.numeric import Array, Integers
from plainbayes.stats import Sums


@dataclass(frozen=True)
class Counts:
    """What was counted: the weight of each class; word, class, count and texts of every cell that is not zero."""

    documents: Array
    words: int
    word: Any
    starts: Any
    classes: Any
    count: Array
    present: Array

    @classmethod
    def of(cls, bags: Sequence[tuple[str, float, int]], names: Sequence[str], arrays: Mapping[str, Any]) -> Counts:
        """From the arrays of a table, whose bags each have a class and a weight; they stand in the order of names."""
        places = {name: place for place, name in enumerate(names)}
        classes = np.array([places[name] for name, _, _ in bags], dtype=np.uint32)
        weight = np.array([weight for _, weight, _ in bags], dtype=np.float64)
        texts = np.array([texts for _, _, texts in bags], dtype=np.float64)
        documents = np.bincount(classes, weight * texts, minlength=len(names)).astype(np.float64)
        bag, cells = arrays["bags"], arrays["cells"]
        word = np.repeat(np.arange(len(cells) - 1, dtype=np.uint32), np.diff(cells))
        one = cls(
            documents,
            len(cells) - 1,
            word,
            cells,
            classes[bag],
            weight[bag] * arrays["counts"],
            weight[bag] * arrays["texts"],
        )
        return one if len(bags) == len(names) else one.joined()

    @property
    def texts(self) -> Array:
        """In how many texts each word stands."""
        return np.bincount(self.word, self.present, minlength=self.words).astype(np.float64, copy=False)

    def joined(self) -> Counts:
        """Cells of one word and class, which come from texts of different weights, together."""
        first = np.ones(len(self.word), dtype=bool)
        first[1:] = (np.diff(self.word) != 0) | (np.diff(self.classes.astype(np.int64)) != 0)
        at = np.flatnonzero(first)
        sums = [np.add.reduceat(cells, at) if len(at) else cells for cells in (self.count, self.present)]
        starts = np.concatenate([[0], np.cumsum(first)])[self.starts].astype(np.uint32)
        return Counts(self.documents, self.words, self.word[at], starts, self.classes[at], *sums)

    def plus(self, word: Integers, classes: Integers, amount: Array) -> Counts:
        """The same with more in some cells."""
        every = np.concatenate([self.word, word]), np.concatenate([self.classes, classes])
        order = np.lexsort(every[::-1])
        word, classes = (each[order] for each in every)
        starts = np.searchsorted(word, np.arange(self.words + 1))
        sums = (np.concatenate([cells, amount])[order] for cells in (self.count, self.present))
        return Counts(self.documents, self.words, word, starts, classes.astype(np.uint32), *sums).joined()

    def dense(self) -> Sums:
        """The same as statistics with a cell for every class and word."""
        count, present = np.zeros((2, len(self.documents), self.words))
        count[self.classes, self.word], present[self.classes, self.word] = self.count, self.present
        return Sums(documents=self.documents, count=count, present=present)


@dataclass(frozen=True)
class Sparse:
    """Weights as what differs: score = bias + background times number of words + differences of the words."""

    bias: Array
    background: Array
    unknown: Array
    starts: Any
    classes: Any
    differences: Array
    exponents: Array | None = None

    def shares(self, words: Integers, counts: Array) -> tuple[Array, Array]:
        """Bias, and the share of each word of a text; classes by words."""
        known = words < len(self.starts) - 1
        exponents = np.ones(len(words))
        if self.exponents is not None:
            exponents[known] = self.exponents[words[known]]
        shares = np.where(known, self.background[:, None] * exponents, self.unknown[:, None])
        for place in np.flatnonzero(known):
            cells = slice(*self.starts[words[place] : words[place] + 2])
            shares[self.classes[cells], place] += self.differences[cells]
        return self.bias, shares * counts


def raised(theta: Linear | Sparse, exponents: Array) -> Linear | Sparse:
    """The same with the evidence of each word raised to its power."""
    if isinstance(theta, Linear):
        return replace(theta, table=theta.table * np.append(exponents, 1.0)[:, None])
    word = np.repeat(exponents, np.diff(theta.starts))
    return replace(theta, differences=theta.differences * word, exponents=exponents)


def leaning(theta: Linear | Sparse, counts: Counts, leanings: Array) -> Linear | Sparse:
    """The same with a number added to what each counted word says of a class."""
    if isinstance(theta, Sparse):
        # There may be cells that were not counted, but lent.
        classes = len(theta.bias)
        word = np.repeat(np.arange(len(theta.starts) - 1), np.diff(theta.starts))
        own, counted = word * classes + theta.classes, counts.word.astype(np.int64) * classes + counts.classes
        differences = theta.differences.copy()
        differences[np.searchsorted(own, counted)] += leanings
        return replace(theta, differences=differences)
    table = theta.table.copy()
    table[counts.word, counts.classes] += leanings
    return replace(theta, table=table)


def tensors(theta: Linear | Sparse, log_prior: Array) -> dict[str, Any]:
    """The arrays of a judge."""
    made = {"weights.bias": theta.bias + log_prior, "weights.prior": log_prior}
    if isinstance(theta, Sparse):
        made |= {
            f"weights.{name}": getattr(theta, name) for name in ("background", "unknown", "classes", "differences")
        }
        made["weights.cells"] = theta.starts
        return made if theta.exponents is None else made | {"weights.exponents": theta.exponents}
    made["weights.table"] = theta.table
    return made if theta.veto is None else made | {"veto.bias": theta.veto[0], "veto.table": theta.veto[1]}


def estimated(event: CountEvent, counts: Counts) -> Linear | Sparse:
    """What the event believes of each class."""
    if len(counts.documents) * (counts.words + 1) > DENSE:
        return differing(event, counts)
    stats = counts.dense()
    del counts  # of many words there is not room for all twice
    return event.estimate(stats)


def differing(event: CountEvent, counts: Counts) -> Sparse:
    """Class by class, for its own words and one that it lacks: all words that it lacks say the same.

    What the absence of a word says is read off by leaving out one more.
    """
    if isinstance(event, Complement) and event.alpha and not event.normalize:
        return opposed(event, counts)
    if not event.apart:
        size = f"{len(counts.documents)} classes and {counts.words} words"
        raise InputError(f"{event.name} weighs every word in every class, too many with {size}", "use multinomial")
    event = replace(event, vocabulary=event.size(counts.words))
    order = np.argsort(counts.classes, kind="stable")
    ends = np.cumsum(np.bincount(counts.classes, minlength=len(counts.documents)))
    bias, background, unknown = np.zeros((3, len(ends)))
    differences = np.empty(len(order))
    for place, cells in enumerate(np.split(order, ends[:-1])):
        lacking = counts.words - len(cells)
        one, two = (_alone(event, counts, place, cells, more) for more in (min(lacking, 1), min(lacking, 2)))
        if one.veto is not None:
            raise InputError(
                f"{event.name} without smoothing calls things impossible, too many to keep", "use alpha > 0"
            )
        background[place] = one.table[len(cells), 0] if lacking else 0.0
        unknown[place] = one.table[-1, 0]
        bias[place] = one.bias[0] + max(lacking - 1, 0) * (two.bias[0] - one.bias[0])
        differences[cells] = one.table[: len(cells), 0] - background[place]
    return Sparse(bias, background, unknown, counts.starts, counts.classes, differences)


def opposed(event: Complement, counts: Counts) -> Sparse:
    """What the other classes say, but for what is the same of all classes that lack a word: it tells none apart."""
    alpha, whole = event.smoothing(counts.words)
    lengths = np.bincount(counts.classes, counts.count, minlength=len(counts.documents))
    background, none = np.log(lengths.sum() - lengths + whole), np.zeros(len(lengths))
    unknown = background if event.unknown == "smooth" else none
    total = np.bincount(counts.word, counts.count, minlength=counts.words)[counts.word]
    differences = np.log(total + alpha) - np.log(total - counts.count + alpha)
    return Sparse(none, background, unknown, counts.starts, counts.classes, differences)


def _alone(event: CountEvent, counts: Counts, place: int, cells: Integers, more: int) -> Linear:
    """What the event believes of one class, of its own words and so many others."""
    zeros = np.zeros(more)
    count, present = (np.concatenate([all_cells[cells], zeros])[None] for all_cells in (counts.count, counts.present))
    return event.estimate(Sums(documents=counts.documents[[place]], count=count, present=present))
