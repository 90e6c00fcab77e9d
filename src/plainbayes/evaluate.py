"""How good answers are, truths known: sums over rows, so that evaluations of parts add up to that of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plainbayes.errors import InputError
from plainbayes.evidence import Label
from plainbayes.losses import Choice, Loss
from plainbayes.numeric import Array, Integers, ratio
from plainbayes.posterior import Posterior

BINS = 15


class ClassScore(NamedTuple):
    """How one class fared: of what was called so, of what was so, the harmonic mean of both, and its rows."""

    precision: float
    recall: float
    f1: float
    rows: int


class Bin(NamedTuple):
    """Rows whose top probability lies in (low, high]: how many, its mean, and the share that was right."""

    low: float
    high: float
    rows: int
    expected: float
    right: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What became of rows whose truth is known.

    >>> posterior = Posterior(("ham", "spam"), np.log([[0.9, 0.1], [0.4, 0.6]]), np.zeros(2, bool))
    >>> result = evaluate(["ham", "ham"], posterior)
    >>> result.accuracy, round(result.log_loss, 3), round(result.brier, 3), round(result.ece, 3)
    (0.5, 0.511, 0.37, 0.35)
    >>> result.pairs
    Counter({('ham', 'ham'): 1, ('ham', 'spam'): 1})
    """

    classes: tuple[Label, ...]
    pairs: Counter[tuple[Label, Label]]  # how often each truth got each answer
    surprise: float  # summed -log P(truth)
    squares: float  # summed squared distance of the probabilities from the truth
    bins: Array  # for each bin of the top probability: rows, their summed top probability, right answers
    costs: Array | None = None  # summed: cost of the cheapest answers, of the most probable classes; answers no class

    def __add__(self, other: Evaluation) -> Evaluation:
        if self.classes != other.classes or (self.costs is None) != (other.costs is None):
            raise InputError("evaluations of one model under one loss add up, got those of two")
        return Evaluation(
            self.classes,
            self.pairs + other.pairs,
            self.surprise + other.surprise,
            self.squares + other.squares,
            self.bins + other.bins,
            None if self.costs is None or other.costs is None else self.costs + other.costs,
        )

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.pairs.total()

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, and after them the truths that are none of them."""
        known = set(self.classes)
        return self.classes + tuple(sorted({truth for truth, _ in self.pairs if truth not in known}, key=str))

    @property
    def confusion(self) -> Integers:
        """How often each truth (row) got each answer (column), by `labels`."""
        places = {label: place for place, label in enumerate(self.labels)}
        matrix = np.zeros((len(places), len(places)), dtype=np.int64)
        for (truth, answer), count in self.pairs.items():
            matrix[places[truth], places[answer]] = count
        return matrix

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return sum(count for (truth, answer), count in self.pairs.items() if truth == answer) / self.rows

    @property
    def log_loss(self) -> float:
        """Mean of -log P(truth), in nats; infinite only if some truth was called impossible."""
        return self.surprise / self.rows

    @property
    def brier(self) -> float:
        """Mean over rows of the squared error summed over classes: 0 is perfect, 2 the worst."""
        return self.squares / self.rows

    @property
    def ece(self) -> float:
        """Expected calibration error: how far the top probability is from the share of right answers, over 15 bins."""
        return float(np.abs(self.bins[:, 1] - self.bins[:, 2]).sum() / self.rows)

    @property
    def reliability(self) -> list[Bin]:
        """How sure the answers were, and how often right, by bins of the top probability that have rows."""
        filled = [(place, *each) for place, each in enumerate(self.bins.tolist()) if each[0]]
        return [
            Bin(place / BINS, (place + 1) / BINS, int(rows), sure / rows, right / rows)
            for place, rows, sure, right in filled
        ]

    @property
    def by_class(self) -> dict[Label, ClassScore]:
        """Precision, recall and F1 of every label; 0 where there is nothing to divide by."""
        so, called, right = Counter[Label](), Counter[Label](), Counter[Label]()
        for (truth, answer), count in self.pairs.items():
            so[truth] += count
            called[answer] += count
            right[truth] += count if truth == answer else 0
        return {
            label: ClassScore(
                float(ratio(right[label], called[label])),
                float(ratio(right[label], so[label])),
                float(ratio(2 * right[label], so[label] + called[label])),
                so[label],
            )
            for label in self.labels
        }

    def macro(self) -> ClassScore:
        """Mean over all classes that are a truth or an answer here."""
        met = {label for pair in self.pairs for label in pair}
        scores = np.array([score[:3] for label, score in self.by_class.items() if label in met])
        precision, recall, f1 = scores.mean(axis=0).tolist()
        return ClassScore(precision, recall, f1, self.rows)

    @property
    def macro_f1(self) -> float:
        """Mean F1 over all classes that are a truth or an answer here."""
        return self.macro().f1

    @property
    def mean_cost(self) -> float | None:
        """Mean cost of the answers of least expected cost; None without a loss."""
        return None if self.costs is None else float(self.costs[0]) / self.rows

    @property
    def mean_cost_of_labels(self) -> float | None:
        """Mean cost had the most probable class been the answer; None without a loss."""
        return None if self.costs is None else float(self.costs[1]) / self.rows

    @property
    def cost_saved(self) -> float | None:
        """What deciding by cost saves a row, against always answering the most probable class; None without a loss."""
        return None if self.costs is None else float(self.costs[1] - self.costs[0]) / self.rows

    @property
    def asked(self) -> float | None:
        """The share of answers that are no class, such as 'ask'; None without a loss."""
        return None if self.costs is None else float(self.costs[2]) / self.rows

    def as_dict(self) -> dict[str, Any]:
        """Return all figures under plain names, for JSON."""
        figures = {
            "rows": self.rows,
            "accuracy": self.accuracy,
            "macro_precision": self.macro().precision,
            "macro_recall": self.macro().recall,
            "macro_f1": self.macro_f1,
            "log_loss": self.log_loss,
            "brier": self.brier,
            "ece": self.ece,
            "reliability": [each._asdict() for each in self.reliability],
            "mean_cost": self.mean_cost,
            "mean_cost_of_labels": self.mean_cost_of_labels,
            "cost_saved": self.cost_saved,
            "asked": self.asked,
            "classes": {str(label): score._asdict() for label, score in self.by_class.items()},
            "confusion": {"labels": [str(label) for label in self.labels], "matrix": self.confusion.tolist()},
        }
        return {name: figure for name, figure in figures.items() if figure is not None}

    def __str__(self) -> str:
        figures = [
            ("rows", f"{self.rows}", ""),
            ("accuracy", f"{self.accuracy:.4f}", ""),
            ("macro F1", f"{self.macro_f1:.4f}", ""),
            ("log loss", f"{self.log_loss:.4f}", "nats a row"),
            ("Brier", f"{self.brier:.4f}", "0 is perfect, 2 the worst"),
            ("calibration", f"{self.ece:.4f}", "expected error of the top probability"),
        ]
        if self.mean_cost is not None:
            figures.append(("mean cost", f"{self.mean_cost:.4f}", f"{self.mean_cost_of_labels:.4f} without deciding"))
            figures.append(("cost saved", f"{self.cost_saved:.4f}", "a row, against the most probable class"))
            figures.append(("asked", f"{self.asked:.4f}", "share of answers that are no class"))
        lines = [f"{name:<12} {value:>10}  {note}".rstrip() for name, value, note in figures]
        scores = self.by_class
        width = max(len("class"), *(len(str(label)) for label in scores))
        lines += ["", f"{'class':<{width}}  precision  recall      f1    rows"]
        lines += [
            f"{label!s:<{width}}  {score.precision:9.4f}  {score.recall:6.4f}  {score.f1:6.4f}  {score.rows:6}"
            for label, score in scores.items()
        ]
        lines += ["", "how sure    rows  right"]
        for each in self.reliability:
            bar = "█" * round(20 * each.right)
            lines.append(f"{each.expected:8.4f}  {each.rows:6}  {each.right:.4f}  {bar}")
        wrong = [(count, pair) for pair, count in self.pairs.items() if pair[0] != pair[1]]
        if wrong:
            lines += ["", "mistaken most often (truth > answer)"]
            for count, (truth, answer) in sorted(wrong, key=lambda each: (-each[0], str(each[1])))[:10]:
                lines.append(f"{count:6}  {truth} > {answer}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from plainbayes.report import page

        return page.evaluation(self)


def evaluate(truths: Sequence[Label], posterior: Posterior, loss: Loss | None = None) -> Evaluation:
    """Compare the posterior of some rows with their truths; with a loss, also what deciding by it would cost."""
    if len(truths) != len(posterior):
        raise InputError(f"every row needs its truth, got {len(truths)} truths for {len(posterior)} rows")
    if not len(truths):
        raise InputError("nothing to evaluate: no rows")
    answers = posterior.mode()
    places = {label: place for place, label in enumerate(posterior.classes)}
    place = np.array([places.get(truth, -1) for truth in truths])
    probabilities = posterior.probabilities
    top = probabilities.max(axis=1)
    right = np.array([truth == answer for truth, answer in zip(truths, answers, strict=True)])
    known = place >= 0
    distance = probabilities.copy()
    distance[np.flatnonzero(known), place[known]] -= 1
    number = np.clip(np.ceil(top * BINS).astype(np.int64) - 1, 0, BINS - 1)  # (lower, upper], as in Guo et al. 2017
    table = [np.bincount(number, weight, BINS) for weight in (np.ones(len(top)), top, right)]
    return Evaluation(
        posterior.classes,
        Counter(zip(truths, answers, strict=True)),
        # Minus zero is nothing to be surprised about either.
        float(-posterior.log_prob(truths).sum()) + 0.0,
        float((distance**2).sum() + (~known).sum()),  # a class nobody knows had probability 0
        np.stack(table, axis=1).astype(np.float64),
        None if loss is None else _costs(truths, posterior, loss),
    )


def _costs(truths: Sequence[Label], posterior: Posterior, loss: Loss) -> Array:
    decided = loss.act(posterior)
    classes = set(posterior.classes)
    asked = sum(answer not in classes for answer in decided) if isinstance(loss, Choice) else 0
    costs = [len(truths) * loss.mean(truths, answers) for answers in (decided, posterior.mode())]
    return np.array([*costs, asked])
