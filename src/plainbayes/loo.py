"""Exact leave-one-out: every row judged by what was learned without it, and the choices made on that.

Beliefs that are read off the data (bin edges, variance floors) stay what they are with all rows; counts,
vocabulary and prior are as if the row, with its copies or its group, had never been learned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np

from plainbayes.event import Design, Event, required
from plainbayes.evidence import Label
from plainbayes.model import Model
from plainbayes.numeric import Integers, Mask
from plainbayes.observations import Block, Blocks, labelled
from plainbayes.posterior import Posterior

ONE_GROUP = "leave-one-out needs rows of more than one group"
ALPHAS = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01)


@dataclass(frozen=True, eq=False)
class Judged:
    """Every row's posterior without the row, and its true label.

    A row whose class stands nowhere else cannot be guessed by anybody: `alone` marks it, and the log
    loss leaves it out (accuracy counts it as the mistake that it is).
    """

    posterior: Posterior
    truth: tuple[Label, ...]
    alone: Mask

    def __repr__(self) -> str:
        return f"Judged({len(self.truth)} rows, accuracy={self.accuracy:.4g}, log_loss={self.log_loss:.4g})"

    @property
    def accuracy(self) -> float:
        """Share of rows whose most probable class is the true one."""
        return float(np.mean([a == b for a, b in zip(self.posterior.mode(), self.truth, strict=True)]))

    @property
    def log_loss(self) -> float:
        """Mean of -log P(true class); infinite where every row is alone."""
        if self.alone.all():
            return float("inf")
        return float(-self.posterior.log_prob(self.truth)[~self.alone].mean())


def leave_one_out(model: Model, X: Any, y: Any, weight: Any = None, groups: Any = None) -> Judged:
    """Judge each row of the training data by a model of the same beliefs that never saw it.

    Parameters
    ----------
    model
        What has been learned from X and y, or nothing yet: its evidence is not touched.
    groups
        One label per row: rows of a group are left out together. None: each row of a table by
        itself, in text a document with its copies.
    """
    if not isinstance(model, Model):
        own = getattr(model, "leave_one_out", None)
        required(own is not None and weight is None, f"a Model was expected, got {type(model).__name__}")
        return cast(Judged, cast(Any, own)(X, y, groups))
    classes, Y = labelled(y, weight)
    whole = Model(model.event, model.prior, model.declared, model.missing).learn(X, y, weight)
    judge = whole.frozen()
    blocks = judge.blocks(X)
    judge += judge.tally(blocks, classes, Y)
    log_probabilities = np.full((len(Y.codes), len(whole.classes)), -np.inf)
    silent, alone = np.zeros((2, len(Y.codes)), dtype=bool)
    for rows in _groups(blocks, len(Y.codes), groups):
        those = {key: block.take(rows) for key, block in blocks.items()}
        weights = None if Y.weights is None else Y.weights[rows]
        said = judge.tally(those, *labelled([classes[code] for code in Y.codes[rows]], weights))
        judge -= said
        required(len(judge.evidence.classes) > 0, ONE_GROUP)
        without = judge.judge(those)
        places = [whole.classes.index(c) for c in without.classes]
        log_probabilities[rows[:, None], places] = without.log_probabilities
        silent[rows] = without.silent
        alone[rows] = [classes[code] not in judge.evidence.classes for code in Y.codes[rows]]
        judge += said
    truth = tuple(classes[code] for code in Y.codes)
    return Judged(Posterior(whole.classes, log_probabilities, silent), truth, alone)


def _groups(blocks: Blocks, rows: int, groups: Any) -> list[Integers]:
    """Return the rows that are left out together, group by group."""
    if groups is None:
        texts = any(isinstance(block, Block) and block.open for block in blocks.values())
        groups = list(zip(*([block.row(r) for r in range(rows)] for block in blocks.values()), strict=True))
        groups = groups if texts else range(rows)
    return together(groups, rows)


def together(groups: Any, rows: int) -> list[Integers]:
    """Return the rows of each group."""
    required(len(groups) == rows, f"one group for each of {rows} rows was expected, got {len(groups)}")
    each: dict[Any, list[int]] = {}
    for row, group in enumerate(groups):
        each.setdefault(group, []).append(row)
    return [np.array(members) for members in each.values()]


@dataclass(frozen=True)
class Tried:
    """A belief and how it judged."""

    event: Design
    log_loss: float
    accuracy: float


def choose(
    model: Model, X: Any, y: Any, candidates: Iterable[Design], weight: Any = None, groups: Any = None
) -> list[Tried]:
    """Try events by leave-one-out log loss; the best comes first, ties in the order given."""
    tried = []
    for event in candidates:
        believer = Model(event, model.prior, model.declared, model.missing)
        judged = leave_one_out(believer, X, y, weight, groups)
        tried.append(Tried(event, judged.log_loss, judged.accuracy))
    return sorted(tried, key=lambda one: one.log_loss)


def smoothings(event: Event, alphas: Sequence[float] = ALPHAS) -> list[Event]:
    """Return the same event with other smoothing: every alpha, and every beta where it stands apart.

    >>> from plainbayes.events import Bernoulli
    >>> len(smoothings(Bernoulli(alpha=1, beta=1)))
    36
    """
    required(hasattr(event, "alpha"), f"{event.name} has no alpha to choose")
    apart = getattr(event, "beta", None) is not None
    names = ("alpha", "beta") if apart else ("alpha",)
    grid = product(alphas, repeat=len(names))
    return [replace(cast(Any, event), **dict(zip(names, values, strict=True))) for values in grid]
