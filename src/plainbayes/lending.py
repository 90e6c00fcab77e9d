"""What events lend to the ranges of a table's numbers: as if more rows had been seen, distributed as the event says.

The counts of ranges say what any distribution looks like, but of few rows they say it roughly. So each column has the
event under which its values, each left out, are likeliest. Fitted to the counts themselves, it says what share of each
range's rows belongs to which class, and that is added to the counts, for as many rows as predict best. The counts stay
what they are, to be learned, unlearned and merged: what is lent follows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from plainbayes import choice, events
from plainbayes._core import places
from plainbayes.columns import NUMBERS, Cells, Column, Layout
from plainbayes.errors import InputError
from plainbayes.event import CellEvent, Event
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array, Integers, exact, log, log_normalised
from plainbayes.weights import Counts

TOGETHER = 256  # cells that are left out at once
LEFT_OUT = 100  # numbers of a column that judge its events


def suited(layout: Layout, table: Mapping[str, Cells], truth: Integers) -> Layout:
    """The same with the event that suits each column of numbers best, of those that are sums."""
    columns = (_suited(column, table[column.name], truth) for column in layout.columns)
    return replace(layout, columns=tuple(columns))


def sums(values: Array) -> list[Event]:
    """Return the events for these numbers that add up a few sums, and keep no number."""
    every = choice.candidates(values)
    return [event for event in every if isinstance(event, CellEvent) and not choice.keeps_all(event)]


def _suited(column: Column, cells: Cells, truth: Integers) -> Column:
    if column.kind not in NUMBERS or not column.edges:
        return column
    # In their order, so that it makes no difference in which one they come.
    order = np.lexsort((truth, cells))
    values, classes = cells[order], truth[order]
    there = values[~np.isnan(values)]
    try:
        event = choice.suit(values, classes, sums(there), LEFT_OUT).event
    except InputError:  # every class has a single row
        return column
    ends = np.searchsorted(there, column.edges)
    middles = (np.concatenate([[0], ends]) + np.append(ends, len(there))) // 2
    return replace(column, event=event.name.replace(" ", "_"), middles=tuple(there[middles].tolist()))


def lent(layout: Layout, words: Sequence[Array], counts: Counts) -> Counts:
    """The counts of a vocabulary with what the events of columns lend them."""
    more = [_lent(layout.unit, column, words, counts) for column in layout.columns if layout.lent and column.event]
    if not more:
        return counts
    word, classes, shares = (np.concatenate(each) for each in zip(*more, strict=True))
    return counts.plus(word, classes, exact(layout.lent * layout.unit * shares))


def _lent(unit: float, column: Column, words: Sequence[Array], counts: Counts) -> tuple[Integers, Integers, Array]:
    """Words, classes and shares: in each class they add up to 1."""
    middles = np.array(column.middles)
    ranges, _ = column.codes(middles)
    texts = [text.encode() for text in ranges]
    spelled = np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)]).astype(np.uint32)
    word = np.frombuffer(places(spelled, tuple(words)), np.uint32).astype(np.int64)
    known = word < counts.words
    word, middles = word[known], middles[known]
    seen = np.zeros((len(word), len(counts.documents)))
    for place, cells in enumerate(slice(*counts.starts[each : each + 2]) for each in word.tolist()):
        seen[place, counts.classes[cells]] = counts.present[cells]
    shares = expected(cast(CellEvent, events.named(column.event)), middles, seen, unit)
    at, classes = np.nonzero(shares)
    return word[at], classes, shares[at, classes]


def expected(event: CellEvent, values: Array, seen: Array, unit: float = 1.0) -> Array:
    """Shares (values, classes) of how often an event, fitted to what was seen, expects each class at each value.

    Where a class was seen, it is what the event would expect if one row of it, which weighs `unit`, had not been there:
    otherwise rows that are left out one by one would still speak for themselves.

    >>> from plainbayes.events.gaussian import Gaussian
    >>> expected(Gaussian(), np.array([1.0, 2.0, 3.0]), np.array([[5.0, 1.0], [3.0, 3.0], [1.0, 5.0]])).round(2)
    array([[0.65, 0.  ],
           [0.35, 0.35],
           [0.  , 0.65]])
    """
    value, classes = np.nonzero(seen)
    here = np.arange(seen.shape[1]) == classes[:, None]
    one = np.minimum(seen[value, classes], unit)
    rest = np.flatnonzero(seen[value, classes] > one)
    # One row of each cell, and behind them all others.
    every = np.append(np.arange(len(value)), rest)
    x, weight = values[value[every]], np.append(one, (seen[value, classes] - one)[rest])
    Y = ClassWeights(classes[every], seen.shape[1], weight)
    believed = event.estimate(event.tally(x[:, None], Y))
    shares = np.exp(log_normalised(log(Y.totals) + _densities(event, believed, values[:, None])[:, :, 0]))
    for some in np.array_split(np.arange(len(value)), 1 + len(value) // TOGETHER):
        repeated, theta = choice.without(event, x, Y, some)
        said = _densities(repeated, theta, x[None, some])[0].T
        left = log(Y.totals - one[some, None] * here[some])
        shares[value[some], classes[some]] = np.exp(log_normalised(left + said))[here[some]]
    shares *= seen.sum(axis=1, keepdims=True)
    return np.asarray(shares / np.maximum(shares.sum(axis=0), np.finfo(np.float64).tiny))


def _densities(event: CellEvent, theta: Any, x: Array) -> Array:
    """Log densities (rows, classes, columns); a class that nobody has seen there has no parameters."""
    said = event.log_density(theta, x[:, None])
    return np.asarray(np.where(np.isnan(said), -np.inf, said))
