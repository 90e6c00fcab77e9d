"""Event + prior + evidence: observe, learn, unlearn, merge, and Bayes' rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from plainbayes import events
from plainbayes.errors import InputError, NotLearnedError, listed
from plainbayes.event import CountEvent, Design, Event, Product, required
from plainbayes.evidence import Evidence, Index, Label, Part, in_order
from plainbayes.explain import Explanation, Share
from plainbayes.losses import Loss, ZeroOne
from plainbayes.matrix import ClassWeights
from plainbayes.numeric import Array, difference
from plainbayes.observations import Block, Missing, labelled, observe
from plainbayes.posterior import Posterior
from plainbayes.priors import Empirical, Prior
from plainbayes.stats import Stats, Sums


class Learner(ABC):
    """Whatever can read evidence off rows can learn and unlearn them."""

    evidence: Evidence

    @abstractmethod
    def observe(self, X: Any, y: Any, weight: Any = None) -> Evidence:
        """Return what these rows say, as evidence; nothing is learned yet."""

    def learn(self, X: Any, y: Any, weight: Any = None) -> Self:
        """Add rows; classes and words may be new."""
        self.evidence += self.observe(X, y, weight)
        return self

    def unlearn(self, X: Any, y: Any, weight: Any = None) -> Self:
        """Take rows away again, exactly; refused, with nothing changed, if they cannot have been learned."""
        self.evidence -= self.observe(X, y, weight)
        return self


class Model(Learner):
    """Naive Bayes over any event model.

    Parameters
    ----------
    event
        An event, its name, or a Product of events for columns of different kinds.
    prior
        Empirical(), Smoothed(), Uniform() or Given({...}).
    classes
        Declared classes, in the order of ties; None: the classes learned, sorted.
    missing
        What missing cells are: "skip" (no evidence), "error", or None: skip in tables with named
        columns, error in bare matrices.

    Examples
    --------
    >>> model = Model("gaussian").learn([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> model.decide([[3.0], [7.0]])
    ['low', 'high']
    >>> model.unlearn([[9.0]], ["high"]).evidence
    Evidence(3 observations, 2 classes, 1 features)
    """

    def __init__(
        self,
        event: Design | str,
        prior: Prior | None = None,
        classes: Sequence[Label] | None = None,
        missing: Missing = None,
    ) -> None:
        self.event = events.named(event) if isinstance(event, str) else event
        kinds = isinstance(self.event, Event | Product)
        required(kinds, f"an event, its name or a Product was expected, got {event!r}", "as in Model(Gaussian())")
        self.prior = Empirical() if prior is None else prior
        required(isinstance(self.prior, Prior), f"a prior was expected, got {prior!r}", "as in Uniform()")
        self.declared = None if classes is None else tuple(dict.fromkeys(classes))
        self.missing: Missing = missing
        self.evidence = Evidence()
        self._columns: dict[Label, Index] = {}
        self._parameters: dict[Label, tuple[Any, ...]] = {}

    def __repr__(self) -> str:
        return f"Model({self.event!r}, {self.prior!r}, {self.evidence!r})"

    # Learning

    def observe(self, X: Any, y: Any, weight: Any = None) -> Evidence:
        return self.tally(self.blocks(X), *labelled(y, weight))

    def tally(self, blocks: dict[Label, Block], classes: Index, Y: ClassWeights) -> Evidence:
        """Count rows that have been read already, under any class weights."""
        evidence = Evidence(classes, Sums(n=Y.totals))
        rows = len(Y.codes) if Y.starts is None else len(Y.starts) - 1
        for key, block in blocks.items():
            required(
                block.X.shape[0] == rows,
                f"one label per row was expected, got {rows} for {block.X.shape[0]} rows",
            )
            tallied = block.event.tally(block.X, Y)
            evidence.parts[key] = Part(block.features, tallied, block.open, block.event.facts)
        if Y.starts is not None or (Y.weights is not None and (Y.weights == 0).any()):
            evidence = evidence.copy()
            evidence.forget()  # rows and classes that weigh nothing leave no trace
        return evidence

    def blocks(self, X: Any) -> dict[Label, Block]:
        """Read rows, in the order of the columns known; refuse those that do not fit what was learned before."""
        blocks = observe(self.event, X, self.missing)
        parts = self.evidence.parts
        if parts and blocks.keys() != parts.keys():
            hint = f"the model knows {listed(parts)}"
            raise InputError(f"{len(parts)} columns were expected, got {len(blocks)}: {listed(blocks)}", hint)
        for key, block in blocks.items():
            known = parts[key].features if key in parts else self._columns.get(key)
            if known is not None and not block.open:
                blocks[key] = replace(block, features=known, X=block.aligned(known))
        return blocks

    def __isub__(self, other: Model | Evidence) -> Self:
        self.evidence -= _evidence(other)
        return self

    def __iadd__(self, other: Model | Evidence) -> Self:
        self.evidence += _evidence(other)
        return self

    def __add__(self, other: Model | Evidence) -> Model:
        new = self.with_beliefs()
        new += other
        return new

    def with_beliefs(self, event: Design | None = None, prior: Prior | None = None) -> Model:
        """Return a model with other beliefs and a copy of the evidence: nothing is learned again."""
        new = Model(event or self.event, prior or self.prior, self.declared, self.missing)
        new.evidence, new._columns = self.evidence.copy(), self._columns
        return new

    def frozen(self) -> Model:
        """Return a model, with nothing learned, whose beliefs are those that this one reads off its data.

        Beliefs about columns stand in the order of the columns, so that order stays too.
        """
        parts = self.evidence.parts
        stats = {key: self._stats(part) for key, part in parts.items()}
        new = Model(self.event.frozen(stats), self.prior, self.declared, self.missing)
        new._columns = {key: part.features.copy() for key, part in parts.items() if not part.open}
        return new

    # Beliefs

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes: as declared, then those learned, sorted."""
        declared = self.declared or ()
        return (*declared, *in_order(c for c in self.evidence.classes if c not in declared))

    def _stats(self, part: Part) -> Stats:
        rows = self.evidence.classes.find(self.classes)
        if np.array_equal(rows, np.arange(part.stats.shape[0])):
            return part.stats
        return part.stats.take(rows, np.arange(part.stats.shape[1]))

    def parameters(self, key: Label, event: Event) -> Any:
        """Return what the event believes of each class, from the evidence; kept until the evidence changes."""
        known = (event, self.evidence, self.evidence.changes, self.declared)
        kept = self._parameters.get(key)
        if kept is None or kept[0] != event or kept[1] is not self.evidence or kept[2:4] != known[2:]:
            part = self.evidence.parts[key]
            required(
                part.facts == event.facts,
                f"{event.name} needs {event.facts}, but the model has learned {part.facts}",
                "learn again with this event",
            )
            kept = self._parameters[key] = (*known, event.estimate(self._stats(part)))
        return kept[4]

    @property
    def log_prior(self) -> Array:
        """Log P(c) of the classes."""
        if not self.classes:
            raise NotLearnedError("the model has learned nothing yet", "learn(X, y) comes first")
        rows = self.evidence.classes.find(self.classes)
        weight = self.evidence.weight.take(rows, np.zeros(0, dtype=np.int64)).n
        return self.prior.log_prior(self.classes, weight)

    # Answers

    def posterior(self, X: Any) -> Posterior:
        """P(class | row) for every row."""
        return self.judge(self.blocks(X))

    def judge(self, blocks: dict[Label, Block]) -> Posterior:
        """P(class | row) for rows that have been read already."""
        log_prior = self.log_prior
        joint = log_prior
        for key, block in blocks.items():
            if key in self.evidence.parts:
                X = block.aligned(self.evidence.parts[key].features)
                joint = joint + block.event.log_prob(self.parameters(key, block.event), X)
        if joint.ndim == 1:
            raise NotLearnedError("the model has learned no row yet", "learn(X, y) comes first")
        return Posterior.of(self.classes, joint, log_prior)

    def decide(self, X: Any, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every row; without a loss, the most probable class."""
        return chosen(loss, ZeroOne()).act(self.posterior(X))

    def explain(self, row: Any, against: Label | None = None, label: Label | None = None) -> Explanation:
        """Say why the most probable class (or `label`) is, against its strongest rival (or `against`).

        `row` is data with one row, in any form that `posterior` takes.
        """
        blocks = self.blocks(row)
        posterior = self.judge(blocks)
        required(len(posterior) == 1, f"explain takes one row, got {len(posterior)}")
        required(len(posterior.classes) > 1, "an explanation needs two classes, got one")
        ranking = [posterior.classes[place] for place in np.argsort(-posterior.log_probabilities[0], kind="stable")]
        label = ranking[0] if label is None else label
        against = next(c for c in ranking if c != label) if against is None else against
        for c in (label, against):
            if c not in self.classes:
                raise InputError(f"no class is called {c!r}", f"there are {listed(self.classes)}")
        required(label != against, f"an explanation compares two classes, got {label!r} twice")
        one, two = self.classes.index(label), self.classes.index(against)
        log_prior, silent = self.log_prior, bool(posterior.silent[0])
        bias = 0.0
        shares: list[Share] = []
        for key, block in blocks.items():
            X = block.aligned(self.evidence.parts[key].features)
            own, parts = block.event.shares(self.parameters(key, block.event), X)
            bias += 0.0 if silent else float(difference(own[one], own[two]))
            nats = np.zeros(parts.shape[1]) if silent else difference(parts[one], parts[two])
            counted = isinstance(block.event, CountEvent) and block.event.support != "category"
            said = zip(block.said(key), nats.tolist(), strict=True)
            shares += [Share(feature, value, nat, counted) for (feature, value), nat in said]
        shares.sort(key=lambda share: -abs(share.nats))
        return Explanation(
            label,
            against,
            float(posterior.probabilities[0, one]),
            float(difference(log_prior[one], log_prior[two])),
            bias,
            tuple(shares),
            silent,
        )


def chosen(loss: Loss | None, default: Loss) -> Loss:
    """Return the loss given, or the default."""
    required(loss is None or isinstance(loss, Loss), f"a loss was expected, got {loss!r}", "as in Reject(0.2)")
    return default if loss is None else loss


def _evidence(other: Model | Evidence) -> Evidence:
    evidence = getattr(other, "evidence", other)
    required(isinstance(evidence, Evidence), f"a model or evidence was expected, got {other!r:.60}")
    return cast(Evidence, evidence)
