"""Which event suits a column: the one under which each value, left out, is most likely; with the reason in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes import events
from plainbayes.errors import InputError, listed
from plainbayes.event import CellEvent, Event
from plainbayes.matrix import offender
from plainbayes.model import Model
from plainbayes.numeric import Array
from plainbayes.observations import labelled

ROWS, LEFT_OUT = 4000, 300


@dataclass(frozen=True)
class Suit:
    """An event and how likely it makes the values it has not seen: mean log density, in nats."""

    event: Event
    log_density: float
    error: float


@dataclass(frozen=True)
class Suited:
    """The event chosen, all that were tried (the best first), and why."""

    event: Event
    tried: tuple[Suit, ...]
    reason: str


def candidates(x: Array) -> list[Event]:
    """Return every event for numbers whose support holds the values: one of each file."""
    column = np.asarray(x, dtype=np.float64)[:, None]
    every = [events.named(name) for name in events.names()]
    return [e for e in every if isinstance(e, CellEvent) and offender(column, e.support, True) is None]


def suit(x: Any, y: Any = None, among: Iterable[Event] | None = None) -> Suited:
    """Choose the event for a column of numbers by exact leave-one-out likelihood p(x | class).

    Up to 4,000 rows are learned and up to 300 of them left out, evenly spread; every candidate is
    judged on the same ones. The log probability of a count and the log density of a whole number
    compare, since whole numbers lie 1 apart.

    Parameters
    ----------
    x
        The column; NaN is missing.
    y
        Class labels; None: one class.
    among
        Events to try; None: all that fit the values.

    Examples
    --------
    >>> waits = np.random.default_rng(7).exponential(3.0, 2000)
    >>> suit(waits, among=candidates(waits)).event.name in ("exponential", "gamma")
    True
    """
    x = np.asarray(x, dtype=np.float64)
    y = np.zeros(len(x), dtype=np.int64) if y is None else np.asarray(y)
    there = np.flatnonzero(~np.isnan(x))
    rows = there[np.unique(np.linspace(0, len(there) - 1, ROWS).round().astype(np.int64))] if len(there) else there
    if len(rows) < 2:
        raise InputError(f"two values at least are needed to choose an event, got {len(rows)}")
    tried = [_judged(event, x[rows], y[rows]) for event in (candidates(x) if among is None else among)]
    if not tried:
        raise InputError("no event was given to choose from", f"there are {listed(events.names(), 99)}")
    tried.sort(key=lambda one: -one.log_density)
    return Suited(tried[0].event, tuple(tried), _reason(tried, min(LEFT_OUT, len(rows))))


def _judged(event: Event, x: Array, y: Array) -> Suit:
    model = Model(event, missing="skip").learn(x[:, None], y).frozen()
    model.learn(x[:, None], y)
    said = []
    for row in np.unique(np.linspace(0, len(x) - 1, LEFT_OUT).round().astype(np.int64)):
        value, label = x[row : row + 1, None], y[row : row + 1]
        own = model.observe(value, label)
        classes, _ = labelled(label)
        model -= own
        if classes[0] in model.evidence.classes:  # else nobody could know
            blocks = model.blocks(value)
            (block,) = blocks.values()
            densities = block.event.log_prob(model.parameters(None, block.event), block.X)[0]
            said.append(densities[model.classes.index(classes[0])])
        model += own
    if not said:
        raise InputError("every class has a single row: nothing is left to judge by")
    return Suit(event, float(np.mean(said)), float(np.std(said) / np.sqrt(len(said))))


def _reason(tried: list[Suit], left_out: int) -> str:
    best = tried[0]
    said = f"{best.event.name}: {left_out} values, each judged by all the others, have a mean log density of "
    said += f"{best.log_density:.3f}"
    if len(tried) > 1:
        second = tried[1]
        said += f", against {second.log_density:.3f} for {second.event.name}"
        if best.log_density - second.log_density < max(best.error, second.error):
            said += ", which is within the error: either will do"
    return said
