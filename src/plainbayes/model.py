"""Event + prior + evidence: observe, learn, unlearn, merge, and Bayes' rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from plainbayes import events
from plainbayes.errors import InputError, NotLearnedError, listed
from plainbayes.event import CountEvent, Design, Event, Product, required
from plainbayes.evidence import Evidence, Index, Label, Part, in_order
from plainbayes.explain import Explanation, Share
from plainbayes.losses import Loss, ZeroOne
from plainbayes.matrix import ClassWeights, best
from plainbayes.numeric import Array, Integers, difference
from plainbayes.observations import Block, Blocks, Missing, Scorer, labelled, read
from plainbayes.posterior import Posterior
from plainbayes.priors import Empirical, Prior
from plainbayes.stats import EVERY, Stats, Sums

CELLS = 1 << 20  # numbers looked at in one go: rows and their scores


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
        self._memory: dict[Any, tuple[Any, Any]] = {}
        self._of: tuple[Any, ...] = (None,)

    def __repr__(self) -> str:
        return f"Model({self.event!r}, {self.prior!r}, {self.evidence!r})"

    # Learning

    def observe(self, X: Any, y: Any, weight: Any = None) -> Evidence:
        return self.tally(self.blocks(X), *labelled(y, weight))

    def learn(self, X: Any, y: Any, weight: Any = None) -> Self:
        """Add rows; classes and words may be new."""
        return self.add(self.blocks(X), *labelled(y, weight))

    def add(self, blocks: Blocks, classes: Index, Y: ClassWeights) -> Self:
        """Learn rows that have been read already."""
        if not self._added(blocks, classes, Y):
            self.absorb(self.tally(blocks, classes, Y))
        return self

    def absorb(self, fresh: Evidence) -> None:
        """Add evidence that nobody else holds: if it is the first, its tables are not copied."""
        if self.evidence.parts or len(self.evidence.classes):
            self.evidence += fresh
        else:
            self.evidence = fresh

    def _added(self, blocks: Blocks, classes: Index, Y: ClassWeights) -> bool:
        """Add a few counts where they belong, if they fit: a table of their own would cost far more."""
        block, part = blocks.get(None), self.evidence.parts.get(None)
        if not isinstance(block, Block) or block.open or part is None or part.facts != block.event.facts:
            return False
        known = self.evidence.classes.find(classes)
        if (known < 0).any() or (Y.weights is not None and (Y.weights == 0).any()):
            return False
        required(
            len(block) == len(Y.codes), f"one label per row was expected, got {len(Y.codes)} for {len(block)} rows"
        )
        stats = cast(Sums, part.stats)
        placed = ClassWeights(known[Y.codes], stats.shape[0], Y.weights)
        if not block.add(placed, stats):
            return False
        self.evidence.weight.n[:] += placed.totals
        self.evidence.changes += 1
        return True

    def tally(self, blocks: Blocks, classes: Index, Y: ClassWeights) -> Evidence:
        """Count rows that have been read already, under any class weights."""
        evidence = Evidence(classes, Sums(n=Y.totals.copy()))
        rows = len(Y.codes) if Y.starts is None else len(Y.starts) - 1
        for block in blocks.values():
            required(len(block) == rows, f"one label per row was expected, got {rows} for {len(block)} rows")
            evidence.parts |= block.tally(Y)
        if Y.starts is not None or (Y.weights is not None and (Y.weights == 0).any()):
            evidence = evidence.copy()
            evidence.forget()  # rows and classes that weigh nothing leave no trace
        return evidence

    def blocks(self, X: Any) -> Blocks:
        """Read rows, in the order of the columns known; refuse those that do not fit what was learned before."""
        blocks = read(self.event, X, self.missing)
        parts = self.evidence.parts
        keys = [key for block in blocks.values() for key in block.keys]
        if parts and set(keys) != parts.keys():
            hint = f"the model knows {listed(parts)}"
            raise InputError(f"{len(parts)} columns were expected, got {len(keys)}: {listed(keys)}", hint)
        for key, block in blocks.items():
            known = parts[key].features if key in parts else self._columns.get(key)
            if known is not None and isinstance(block, Block) and not block.open and block.features != known:
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
        stats = {key: self.stats(part) for key, part in parts.items()}
        new = Model(self.event.frozen(stats), self.prior, self.declared, self.missing)
        new._columns = {key: part.features.copy() for key, part in parts.items() if not part.open}
        return new

    # Beliefs

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes: as declared, then those learned, sorted."""
        first = Index(self.declared or ())
        made = self.kept(
            "classes", None, lambda: (*first, *in_order(c for c in self.evidence.classes if c not in first))
        )
        return cast(tuple[Label, ...], made)

    def kept(self, what: Any, given: Any, make: Callable[[], Any]) -> Any:
        """Return what was made of the evidence, and of what is given, until either changes."""
        evidence, *of = self._of
        if evidence is not self.evidence or of != [self.evidence.changes, self.declared]:
            self._of, self._memory = (self.evidence, self.evidence.changes, self.declared), {}
        found = self._memory.get(what)
        if found is None or found[0] != given:
            found = self._memory[what] = given, make()
        return found[1]

    def stats(self, part: Part) -> Stats:
        """Return the statistics of a part, in the order of the classes."""
        rows = self.evidence.classes.find(self.classes)
        if np.array_equal(rows, np.arange(part.stats.shape[0])):
            return part.stats
        return part.stats.take(rows, np.arange(part.stats.shape[1]))

    def parameters(self, key: Label, event: Event) -> Any:
        """Return what the event believes of each class, from the evidence."""
        return self.kept(("part", key), event, lambda: self._estimated(key, event))

    def _estimated(self, key: Label, event: Event) -> Any:
        part = self.evidence.parts[key]
        required(
            part.facts == event.facts,
            f"{event.name} needs {event.facts}, but the model has learned {part.facts}",
            "learn again with this event",
        )
        return event.estimate(self.stats(part))

    @property
    def weight(self) -> Array:
        """How much was learned of each class."""
        rows = self.evidence.classes.find(self.classes)
        return self.evidence.weight.take(rows, np.zeros(0, dtype=np.int64)).n

    @property
    def log_prior(self) -> Array:
        """Log P(c) of the classes."""
        if not self.classes:
            raise NotLearnedError("the model has learned nothing yet", "learn(X, y) comes first")
        made = self.kept("prior", self.prior, lambda: self.prior.log_prior(self.classes, self.weight))
        return cast(Array, made)

    # Answers

    def posterior(self, X: Any) -> Posterior:
        """P(class | row) for every row."""
        return self.judge(self.blocks(X))

    def judge(self, blocks: Blocks) -> Posterior:
        """P(class | row) for rows that have been read already."""
        return Posterior.of(self.classes, self.joint(blocks), self.log_prior)

    def joint(self, blocks: Blocks) -> Array:
        """Log P(class) + log P(row | class) for rows that have been read already."""
        return self.log_prior + self.log_likelihood(blocks)

    def log_likelihood(self, blocks: Blocks) -> Array:
        """Log P(row | class) for rows that have been read already."""
        return _total(self._scorers(blocks), EVERY)

    def likeliest(self, blocks: Blocks) -> Integers:
        """Return the place of the most probable class of every row, a few rows at a time."""
        log_prior = self.log_prior
        if len(blocks) == 1 and isinstance(block := next(iter(blocks.values())), Block):
            found = block.likeliest(self, log_prior)
            if found is not None:
                return found
        scorers = self._scorers(blocks)
        rows = len(next(iter(blocks.values())))
        numbers = len(log_prior) + sum(block.numbers for block in blocks.values()) // max(1, rows)
        step = max(1, CELLS // numbers)
        places = np.empty(rows, dtype=np.int64)
        for start in range(0, rows, step):
            cut = slice(start, min(start + step, rows))
            joint = _total(scorers, cut)
            joint += log_prior
            places[cut] = best(joint)
            if np.isneginf(joint.min()):
                places[cut][np.isneginf(joint).all(axis=1)] = log_prior.argmax()
        return places

    def _scorers(self, blocks: Blocks) -> list[Scorer]:
        scorers = [block.scorer(self) for block in blocks.values()]
        if not any(scorers):
            raise NotLearnedError("the model has learned no row yet", "learn(X, y) comes first")
        return [scorer for scorer in scorers if scorer is not None]

    def believed(self, key: Label, event: Event) -> tuple[Index, Any] | None:
        """Return the features that are known of a part and its parameters, if anything is."""
        part = self.evidence.parts.get(key)
        return None if part is None else (part.features, self.parameters(key, event))

    def decide(self, X: Any, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every row; without a loss, the most probable class."""
        loss = chosen(loss, ZeroOne())
        if isinstance(loss, ZeroOne):
            classes = self.classes
            return [classes[place] for place in self.likeliest(self.blocks(X))]
        return loss.act(self.posterior(X))

    def explain(self, row: Any, against: Label | None = None, label: Label | None = None) -> Explanation:
        """Say why the most probable class (or `label`) is, against its strongest rival (or `against`).

        `row` is data with one row, in any form that `posterior` takes.
        """
        return self.explained(self.blocks(row), against, label)

    def explained(self, blocks: Blocks, against: Label | None = None, label: Label | None = None) -> Explanation:
        """Explain a row that has been read already."""
        posterior = self.judge(blocks)
        required(len(posterior) == 1, f"explain takes one row, got {len(posterior)}")
        said = (
            (own, shares, isinstance(block, Block) and isinstance(block.event, CountEvent))
            for block in blocks.values()
            for own, shares in block.shares(self)
        )
        return compared(posterior, self.log_prior, said, against, label)


def _total(scorers: list[Scorer], rows: slice) -> Array:
    first, *others = scorers
    total = first(rows)
    for score in others:
        total = total + score(rows)
    return total


Said = tuple[Array, Iterable[tuple[Any, Any, Array]], bool]


def compared(
    posterior: Posterior,
    log_prior: Array,
    said: Iterable[Said],
    against: Label | None = None,
    label: Label | None = None,
) -> Explanation:
    """Explain one row by what is said of it: own scores of the classes, each feature's shares, whether they count."""
    classes = posterior.classes
    required(len(classes) > 1, "an explanation needs two classes, got one")
    ranking = [classes[place] for place in np.argsort(-posterior.log_probabilities[0], kind="stable")]
    label = ranking[0] if label is None else label
    against = next(c for c in ranking if c != label) if against is None else against
    for c in (label, against):
        if c not in classes:
            raise InputError(f"no class is called {c!r}", f"there are {listed(classes)}")
    required(label != against, f"an explanation compares two classes, got {label!r} twice")
    one, two = classes.index(label), classes.index(against)
    silent = bool(posterior.silent[0])
    bias = 0.0
    shares: list[Share] = []
    for own, each, counted in said:
        bias += 0.0 if silent else float(difference(own[one], own[two]))
        for feature, value, share in each:
            nats = 0.0 if silent else float(difference(share[one], share[two]))
            shares.append(Share(feature, value, nats, counted))
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
