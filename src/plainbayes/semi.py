"""Learning from rows without labels, by expectation and maximisation on soft labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainbayes.event import required
from plainbayes.evidence import Index
from plainbayes.matrix import ClassWeights
from plainbayes.model import Model
from plainbayes.numeric import Array, log, log_normalised
from plainbayes.observations import MOST
from plainbayes.posterior import Posterior

SETTLED = 1e-9  # shares that move by less have been found


def learn_unlabelled(model: Model, X: Any, weight: float = 1.0, rounds: int = 100, tolerance: float = 1e-6) -> Model:
    """Return a model that has learned unlabelled rows too, as evidence like any other.

    Each round, the rows are labelled softly by the posterior of what is known so far, and counted
    with those labels beside what was learned before; until no probability changes by more than
    the tolerance.

    Parameters
    ----------
    model
        What has been learned with labels; it is not changed.
    weight
        What an unlabelled row weighs against a labelled one.

    Examples
    --------
    >>> model = Model("gaussian").learn([[0.0], [10.0]], ["low", "high"])
    >>> more = learn_unlabelled(model, [[1.0], [2.0], [9.0], [9.5]])
    >>> more.evidence
    Evidence(6 observations, 2 classes, 1 features)
    """
    required(0 <= weight <= MOST, f"unlabelled rows need a weight from 0 to {MOST:g}, got {weight!r}")
    blocks = model.blocks(X)
    new, before = model, model.judge(blocks).probabilities
    for _ in range(rounds):
        soft = model.tally(blocks, Index(model.classes), ClassWeights.soft(weight * before))
        new = model + soft
        after = new.judge(blocks).probabilities[:, [new.classes.index(c) for c in model.classes]]
        if np.abs(after - before).max(initial=0.0) <= tolerance:
            break
        before = after
    return new


def proportions(posterior: Posterior, log_prior: Array, rounds: int = 1000) -> Array:
    """Estimate how often each class stands among rows without labels, where that differs from the training data.

    Expectation maximisation (Saerens, Latinne and Decaestecker, 2002): the mean of the posterior is the next prior, and
    the posterior under another prior is the old one times their ratio. It needs a posterior that is calibrated. One
    more row, of all classes as the training data were, keeps few rows from saying that a class does not exist.
    """
    shares = prior = np.exp(log_prior)
    for _ in range(rounds):
        under = log_normalised(posterior.log_probabilities + (log(shares) - log_prior))
        moved = np.asarray((np.exp(under).sum(axis=0) + prior) / (len(posterior) + 1))
        if np.abs(moved - shares).max() < SETTLED:
            return moved
        shares = moved
    return shares
