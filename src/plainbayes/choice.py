"""Which event suits a column: the one under which each value, left out, is most likely; with the reason in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from plainbayes import events
from plainbayes.errors import InputError, listed
from plainbayes.event import CellEvent, Design, Event, Product, required
from plainbayes.events.categorical import Categorical
from plainbayes.events.gaussian import Gaussian
from plainbayes.events.multinomial import Multinomial
from plainbayes.evidence import Label
from plainbayes.matrix import ClassWeights, offender
from plainbayes.model import Model
from plainbayes.numeric import Array, Integers, log, log_normalised
from plainbayes.observations import Column, columns, labelled, observe
from plainbayes.stats import Bag

ROWS, LEFT_OUT, FEW = 4000, 300, 20
AROUND = (np.arange(16)[:, None] + 0.5) / 16 - 0.5


@dataclass(frozen=True)
class Suit:
    """An event and how likely it makes the values it has not seen: mean log density, in nats.

    `behind` is by how much the likeliest event is better, value by value, and `error` the standard
    error of that. `keeps` says that the event keeps every observation (in a Bag).
    """

    event: Event
    log_density: float
    behind: float
    error: float
    keeps: bool


@dataclass(frozen=True)
class Suited:
    """The event chosen, all that were tried (the likeliest first), and why."""

    event: Event
    tried: tuple[Suit, ...]
    reason: str


@dataclass(frozen=True)
class Told:
    """An event, the mean log density of values it has not seen, and how much it tells of their classes, in nats."""

    event: Event
    log_density: float
    nats: float


def candidates(x: Array) -> list[Event]:
    """Return every event for numbers whose support holds the values, and categorical for few whole ones."""
    column = np.asarray(x, dtype=np.float64)[:, None]
    every = [events.named(name) for name in events.names()]
    fit: list[Event] = [e for e in every if isinstance(e, CellEvent) and offender(column, e.support, True) is None]
    few = len(np.unique(column)) <= FEW and offender(column, "count", True) is None
    return [*fit, Categorical()] if few else fit


def suit(x: Any, y: Any = None, among: Iterable[Event] | None = None, left_out: int = LEFT_OUT) -> Suited:
    """Choose the event for a column of numbers by exact leave-one-out likelihood p(x | class).

    The likeliest event wins; but one that keeps every observation has to be better by more than a
    standard error than the likeliest of those that add up a few sums.

    Up to 4,000 rows are learned and up to 300 of them left out, evenly spread; every candidate is
    judged on the same ones. In a column of whole numbers a density is judged by its mean from half
    below to half above: a kernel with a peak on every whole number is no better for it.

    Parameters
    ----------
    x
        The column; NaN is missing.
    y
        Class labels; None: one class.
    among
        Events to try; None: all that fit the values.
    left_out
        How many rows are left out, one by one.

    Examples
    --------
    >>> waits = np.random.default_rng(7).exponential(3.0, 2000)
    >>> suit(waits, among=candidates(waits)).event.name in ("exponential", "gamma")
    True
    """
    x = np.asarray(x, dtype=np.float64)
    y = np.zeros(len(x), dtype=np.int64) if y is None else np.asarray(y)
    required(x.shape == y.shape, f"one label per value was expected, got {len(y)} for {len(x)}")
    there = np.flatnonzero(~np.isnan(x))
    required(len(there) > 1, f"two values at least are needed to choose an event, got {len(there)}")
    rows = there[_spread(len(there), ROWS)]
    every = list(candidates(x) if among is None else among)
    required(bool(every), "no event was given to choose from", f"there are {listed(events.names(), 99)}")
    _, Y = labelled(y[rows])
    own = Y.codes[_some(Y, left_out)]
    said = np.array([_left_out(event, x[rows], y[rows], left_out)[np.arange(len(own)), own] for event in every])
    behind = said[said.mean(axis=1).argmax()] - said
    error = behind.std(axis=1) / np.sqrt(said.shape[1])
    keeps = list(map(keeps_all, every))
    figures = zip(every, *(f.tolist() for f in (said.mean(axis=1), behind.mean(axis=1), error)), keeps, strict=True)
    tried = sorted((Suit(*figure) for figure in figures), key=lambda one: one.behind)
    simple = next((one for one in tried if not one.keeps and one.behind <= one.error), tried[0])
    return Suited(simple.event, tuple(tried), _reason(simple, tried, said.shape[1]))


def keeps_all(event: Event) -> bool:
    """Whether an event keeps every observation, rather than add up a few sums."""
    return isinstance(event.tally(np.ones((1, 1)), ClassWeights(np.zeros(1, np.int64), 1)), Bag)


def design(X: Any, y: Any) -> Design:
    """Choose an event for every column: categorical for labels, for numbers the one that suits.

    A sparse matrix is taken for counts of words.

    >>> design({"city": ["Riga", "Lima", "Riga", "Lima"]}, [0, 1, 0, 1])
    Product({'city': Categorical(...)})
    """
    if hasattr(X, "tocsr"):
        return Multinomial()
    together: dict[Event, list[Label]] = {}
    for name, values in columns(X).items():
        together.setdefault(_chosen(values, np.asarray(y)), []).append(name)
    return Product({names[0] if len(names) == 1 else tuple(names): event for event, names in together.items()})


def _chosen(values: Column, y: Any) -> Event:
    if values.dtype == object:
        return Categorical()
    try:
        return suit(values, y, left_out=100).event
    except InputError:  # a single value, or a single row of every class: nothing to judge by
        return Gaussian()


def _spread(length: int, most: int) -> Integers:
    """Return up to so many places, evenly spread."""
    return np.unique(np.linspace(0, length - 1, most).round().astype(np.int64))


def told(x: Any, y: Any, among: Iterable[Event], left_out: int = LEFT_OUT) -> list[Told]:
    """Return events, the likeliest first, with what each tells of the class: log P(c | x) - log P(c) of rows left out.

    >>> chance = np.random.default_rng(7)
    >>> y = np.arange(2000) % 2
    >>> [one.event.name for one in told(chance.normal(3 * y), y, [Gaussian()])]
    ['gaussian']
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y)
    there = np.flatnonzero(~np.isnan(x))
    rows = there[_spread(len(there), ROWS)]
    _, Y = labelled(y[rows])
    left = _some(Y, left_out)
    own, every = Y.codes[left], np.arange(len(left))
    without = np.tile(Y.totals, (len(left), 1))
    without[every, own] -= 1
    prior = log(without / (len(rows) - 1))
    found = []
    for event in among:
        said = _left_out(event, x[rows], y[rows], left_out)
        tells = log_normalised(prior + said)[every, own] - prior[every, own]
        found.append(Told(event, float(said[every, own].mean()), float(tells.mean())))
    return sorted(found, key=lambda one: -one.log_density)


def _some(Y: ClassWeights, most: int) -> Integers:
    """Return rows to leave out, but for those that are alone in their class."""
    rows = _spread(len(Y.codes), most)
    rows = rows[Y.totals[Y.codes[rows]] > 1]
    required(len(rows) > 0, "every class has a single row: nothing is left to judge by")
    return rows


def _left_out(event: Event, x: Array, y: Any, most: int) -> Array:
    """Log density (values, classes) of some values, each without itself."""
    classes, Y = labelled(y)
    observe(event, x[:, None], "skip")
    rows = _some(Y, most)
    if not isinstance(event, CellEvent):
        return _left_out_one_by_one(event, x, [classes[code] for code in Y.codes], rows)
    whole = event.support != "count" and bool((x == np.round(x)).all())
    points = x[rows] + (AROUND if whole else 0.0)
    repeated, theta = without(event, x, Y, rows)
    least = {"real": -np.inf, "positive": np.finfo(np.float64).tiny}.get(event.support, 0.0)
    inside = np.broadcast_to(points, (len(points), len(rows))) >= least
    densities = repeated.log_density(theta, np.where(inside, points, x[rows])[:, None, :])
    mean = np.where(inside[:, None, :], np.exp(densities), 0.0).mean(axis=0).T
    return log(np.maximum(mean, np.finfo(np.float64).tiny))


def without(event: CellEvent, x: Array, Y: ClassWeights, rows: Integers) -> tuple[CellEvent, Any]:
    """The column as often as a value is left out, each time with that value missing; and what is believed of it."""
    X = np.repeat(x[:, None], len(rows), axis=1)
    X[rows, np.arange(len(rows))] = np.nan
    column: Any = event.freeze(event.tally(x[:, None], Y))
    repeated = replace(
        column, **{f.name: v * len(rows) for f in fields(column) if _is_of_columns(v := getattr(column, f.name))}
    )
    return repeated, repeated.estimate(repeated.tally(X, Y))


def _is_of_columns(belief: Any) -> bool:
    """Whether a belief names something for every column: here for one."""
    return isinstance(belief, tuple) and len(belief) == 1


def _left_out_one_by_one(event: Event, x: Array, y: Sequence[Label], rows: Integers) -> Array:
    model = Model(event, missing="skip").learn(x[:, None], y)
    said = []
    for row in rows:
        value, label = x[row : row + 1, None], [y[row]]
        model.unlearn(value, label)
        said.append(model.log_likelihood(model.blocks(value))[0])
        model.learn(value, label)
    return np.maximum(said, log(np.finfo(np.float64).tiny))


def _reason(chosen: Suit, tried: list[Suit], values: int) -> str:
    said = f"{chosen.event.name}: {values} values, each judged by all the others, have a mean log density of "
    said += f"{chosen.log_density:.3f}"
    if chosen is not tried[0]:
        rival = f"{tried[0].event.name} reaches {tried[0].log_density:.3f}"
        return f"{said}; {rival}, within the error, but keeps every observation"
    if len(tried) > 1:
        said += f", against {tried[1].log_density:.3f} for {tried[1].event.name}"
    return said
