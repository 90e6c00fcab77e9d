"""How well probabilities rank rows: the curves of hits against false alarms, and of precision against recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from plainbayes.evidence import Label
from plainbayes.numeric import Array, Integers, Mask
from plainbayes.posterior import Posterior


class Ranking(NamedTuple):
    """One class against the rest, at every threshold from the strictest on; rows that tie come in together."""

    label: Label
    rows: int
    recall: Array  # share of the class that is found
    alarms: Array  # share of the rest that is taken for it
    precision: Array  # share of what is taken for it that is right

    @property
    def auc(self) -> float:
        """The area under the ROC curve: how often a row of the class ranks above another; ties count half."""
        return float((np.diff(self.alarms) * (self.recall[1:] + self.recall[:-1])).sum() / 2)

    @property
    def average_precision(self) -> float:
        """Precision averaged over the recall it was gained with."""
        return float((np.diff(self.recall) * self.precision[1:]).sum())


def ranked(label: Label, scores: Array, own: Mask) -> Ranking:
    """Rank rows by their scores; both the class and the rest have rows."""
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    last = np.append(np.flatnonzero(falling[1:] != falling[:-1]), len(order) - 1)
    hits = np.concatenate([[0], np.cumsum(own[order])[last]])
    taken = np.concatenate([[0], last + 1])
    precision = np.concatenate([[1.0], hits[1:] / taken[1:]])
    return Ranking(label, int(own.sum()), hits / hits[-1], (taken - hits) / (taken - hits)[-1], precision)


def places(truths: Sequence[Label], classes: Sequence[Label]) -> Integers:
    """Return which class each truth is; -1 for one that is none of them."""
    known = {label: place for place, label in enumerate(classes)}
    return np.array([known.get(label, -1) for label in truths], dtype=np.int64)


def rankings(truths: Sequence[Label], posterior: Posterior, most: int | None = None) -> list[Ranking]:
    """Rank by the probability of each class that some rows are and some are not, the commonest first."""
    truth = places(truths, posterior.classes)
    rows = np.bincount(truth + 1, minlength=len(posterior.classes) + 1)[1:]
    common = [place for place in np.argsort(-rows, kind="stable").tolist() if 0 < rows[place] < len(truth)]
    return [
        ranked(posterior.classes[place], posterior.log_probabilities[:, place], truth == place)
        for place in common[:most]
    ]
