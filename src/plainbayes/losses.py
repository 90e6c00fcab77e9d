"""What a wrong answer costs, and the answer of least expected cost: sum over y of L(y, answer) P(y | d)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plainbayes.errors import InputError, listed
from plainbayes.evidence import Label
from plainbayes.numeric import Array
from plainbayes.posterior import Posterior, Predictive

TRIES = 4096  # probabilities under which every answer should be the cheapest once


class Loss(ABC):
    """A cost for every truth and answer."""

    @abstractmethod
    def cost(self, truth: Any, answer: Any) -> float:
        """Return what this answer costs when this is the truth."""

    @abstractmethod
    def act(self, posterior: Posterior) -> Any:
        """Return the answer of least expected cost for each row."""

    @abstractmethod
    def risk(self, posterior: Posterior, answers: Any) -> Array:
        """Expected cost of one answer per row."""

    def mean(self, truths: Sequence[Any], answers: Sequence[Any]) -> float:
        """Return the mean cost over a data set, truths known."""
        costs = [self.cost(truth, answer) for truth, answer in zip(truths, answers, strict=True)]
        return float(np.mean(costs))


class Choice(Loss):
    """A loss over a finite set of answers, which need not be classes; ties go to the one listed first."""

    @abstractmethod
    def answers(self, classes: Sequence[Label]) -> Sequence[Label]:
        """Return every possible answer."""

    def table(self, classes: Sequence[Label]) -> Array:
        """Costs as a table of truths by answers."""
        answers = self.answers(classes)
        return np.array([[self.cost(truth, answer) for answer in answers] for truth in classes], dtype=np.float64)

    def risks(self, posterior: Posterior) -> Array:
        """Expected cost of every answer (rows, answers)."""
        return posterior.probabilities @ self.table(posterior.classes)

    def useless(self, classes: Sequence[Label]) -> list[Label]:
        """Return the answers that are never the cheapest, whatever the probabilities, as far as many tries show.

        >>> Costs("ham>spam=1, spam>ham=1, ask=0.6").useless(["ham", "spam"])
        ['ask']
        """
        even = np.full((1, len(classes)), 1 / len(classes))
        tried = np.random.default_rng(0).dirichlet(np.full(len(classes), 0.5), TRIES)
        table = self.table(classes)
        best = (np.concatenate([np.eye(len(classes)), even, tried]) @ table).argmin(axis=1)
        return [answer for place, answer in enumerate(self.answers(classes)) if place not in set(best.tolist())]

    def act(self, posterior: Posterior) -> list[Label]:
        answers = self.answers(posterior.classes)
        return [answers[place] for place in self.risks(posterior).argmin(axis=1)]

    def risk(self, posterior: Posterior, answers: Sequence[Label]) -> Array:
        places = {answer: place for place, answer in enumerate(self.answers(posterior.classes))}
        strange = [answer for answer in answers if answer not in places]
        if strange:
            raise InputError(f"no answer is called {listed(strange)}", f"there are {listed(places)}")
        return self.risks(posterior)[np.arange(len(posterior)), [places[answer] for answer in answers]]


@dataclass(frozen=True)
class ZeroOne(Choice):
    """A wrong answer costs 1: the answer is the most probable class."""

    def cost(self, truth: Label, answer: Label) -> float:
        return float(truth != answer)

    def answers(self, classes: Sequence[Label]) -> Sequence[Label]:
        return classes

    def risks(self, posterior: Posterior) -> Array:
        return 1.0 - posterior.probabilities

    def act(self, posterior: Posterior) -> list[Label]:
        return posterior.mode()  # least risk, without the rounding of 1 - p


@dataclass(frozen=True)
class Reject(Choice):
    """A wrong answer costs 1, the answer `ask` costs the same whatever the truth: ask when unsure."""

    price: float
    ask: Label = "ask"

    def __post_init__(self) -> None:
        if not (isinstance(self.price, int | float) and np.isfinite(self.price)):
            raise InputError(f"asking needs a finite price, got {self.price!r}")

    def cost(self, truth: Label, answer: Label) -> float:
        return self.price if answer == self.ask else float(truth != answer)

    def answers(self, classes: Sequence[Label]) -> Sequence[Label]:
        return [*classes, self.ask]


class Costs(Choice):
    """A cost matrix by label: `{(truth, answer): cost}`, or in short form; what is not named costs 0.

    An answer that is no class has one cost for all truths. 'Spam only if P(spam) > 0.8', and a person is
    asked at the price of 0.3:

    >>> Costs("ham>spam=4, spam>ham=1, ask=0.3").cost("ham", "spam")
    4.0
    """

    def __init__(self, costs: str | Mapping[Any, float]) -> None:
        given = _parsed(costs) if isinstance(costs, str) else dict(costs)
        self.pairs: dict[tuple[Label, Label], float] = {}
        self.extra: dict[Label, float] = {}
        for key, cost in given.items():
            if not np.isfinite(cost):
                raise InputError(f"a cost must be a finite number, got {cost!r} for {key!r}")
            if isinstance(key, tuple) and len(key) == 2:
                self.pairs[key] = float(cost)
            else:
                self.extra[key] = float(cost)

    def __repr__(self) -> str:
        given = dict([*self.pairs.items(), *self.extra.items()])
        return f"Costs({given})"

    def cost(self, truth: Label, answer: Label) -> float:
        return self.extra[answer] if answer in self.extra else self.pairs.get((truth, answer), 0.0)

    def answers(self, classes: Sequence[Label]) -> Sequence[Label]:
        named = {label for pair in self.pairs for label in pair}
        strange = [label for label in named if label not in classes] + [c for c in self.extra if c in classes]
        if strange:
            raise InputError(
                f"the costs name {listed(sorted(map(str, strange)))}, but the classes are {listed(classes)}",
                "write true>answer=cost with classes on both sides, or answer=cost for an answer that is no class",
            )
        return [*classes, *self.extra]


def _parsed(text: str) -> dict[Any, float]:
    costs: dict[Any, float] = {}
    for item in filter(None, map(str.strip, text.split(","))):
        names, equals, number = item.rpartition("=")
        try:
            cost = float(number)
        except ValueError:
            equals = ""
        if not equals or not names.strip():
            raise InputError(
                f"a cost looks like true>answer=cost or answer=cost, got {item!r}",
                "for example 'ham>spam=4, spam>ham=1, ask=0.3'",
            )
        truth, arrow, answer = (name.strip() for name in names.partition(">"))
        costs[(truth, answer) if arrow else truth] = cost
    return costs


@dataclass(frozen=True)
class Custom(Choice):
    """Any function of truth and answer over a finite set of answers (None: the classes themselves)."""

    function: Callable[[Any, Any], float]
    options: Sequence[Label] | None = None

    def cost(self, truth: Any, answer: Any) -> float:
        return float(self.function(truth, answer))

    def answers(self, classes: Sequence[Label]) -> Sequence[Label]:
        return classes if self.options is None else self.options


class NumericLoss(Loss):
    """A loss between numbers; any number can be the answer."""

    def risk(self, posterior: Posterior, answers: Any) -> Array:
        answers = np.asarray(answers, dtype=np.float64)
        costs = self.costs(posterior.values, answers[:, None])
        return np.asarray((posterior.probabilities * costs).sum(axis=1))

    @abstractmethod
    def act(self, posterior: Predictive) -> Array: ...

    @abstractmethod
    def costs(self, truth: Array, answer: Array) -> Array:
        """Costs of whole arrays."""

    def cost(self, truth: float, answer: float) -> float:
        return float(self.costs(np.asarray(truth, dtype=np.float64), np.asarray(answer, dtype=np.float64)))


@dataclass(frozen=True)
class Squared(NumericLoss):
    """(y - s)^2: the answer is the conditional mean."""

    def costs(self, truth: Array, answer: Array) -> Array:
        return (truth - answer) ** 2

    def act(self, posterior: Predictive) -> Array:
        return posterior.mean()


@dataclass(frozen=True)
class Absolute(NumericLoss):
    """|y - s|: the answer is the conditional median."""

    def costs(self, truth: Array, answer: Array) -> Array:
        return np.abs(truth - answer)

    def act(self, posterior: Predictive) -> Array:
        return posterior.median()


@dataclass(frozen=True)
class Pinball(NumericLoss):
    """q (y - s) above and (1 - q) (s - y) below: the answer is the conditional q-quantile."""

    q: float

    def __post_init__(self) -> None:
        if not 0 < self.q < 1:
            raise InputError(f"pinball needs q between 0 and 1, got {self.q!r}")

    def costs(self, truth: Array, answer: Array) -> Array:
        over = truth - answer
        return np.maximum(self.q * over, (self.q - 1) * over)

    def act(self, posterior: Predictive) -> Array:
        return posterior.quantile(self.q)


@dataclass(frozen=True)
class LogLoss(Loss):
    """-log of the probability that the answer gave to the truth: the answer is the probability itself.

    An answer is a mapping from label to probability.
    """

    def cost(self, truth: Label, answer: Mapping[Label, float]) -> float:
        return -float(np.log(answer[truth])) if answer.get(truth, 0.0) > 0 else float("inf")

    def act(self, posterior: Posterior) -> list[dict[Label, float]]:
        return [dict(zip(posterior.classes, row, strict=True)) for row in posterior.probabilities.tolist()]

    def risk(self, posterior: Posterior, answers: Sequence[Mapping[Label, float]]) -> Array:
        costs = np.array([[self.cost(c, answer) for c in posterior.classes] for answer in answers])
        possible = posterior.probabilities > 0
        return np.asarray((posterior.probabilities * np.where(possible, costs, 0.0)).sum(axis=1))
