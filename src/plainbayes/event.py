"""What an event model is: observations become statistics, statistics parameters, parameters log probabilities.

An event is a frozen dataclass of hyperparameters (beliefs) with three pure verbs: `tally`, `estimate`,
`log_prob`. Three kinds differ in what a feature is:

- `CountEvent`: a word or column and how often it stands in the row; the score is linear in the counts.
- `CellEvent`: a column with a number, each column independent given the class; NaN is missing.
- `BlockEvent`: several columns of numbers modelled together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from plainbayes.errors import InputError
from plainbayes.evidence import Label, in_order
from plainbayes.matrix import ClassWeights, Codes, Matrix, Sparse, class_counts, likeliest, linear_scores
from plainbayes.numeric import Array, Integers, Mask, floored, ratio
from plainbayes.stats import Bag, Stats, Sums

Support = Literal["binary", "category", "count", "nonnegative", "positive", "real"]
Proper = Literal["values", "range", "draws", "presence"] | None


class Event(ABC):
    """How a class speaks: one distribution, or score, per class.

    Its probabilities sum to one over the "values" of a cell, the "range" of its edges, the
    "draws" of one word, or the "presence" vectors of all words; `proper` is None for a mere score.
    """

    @property
    @abstractmethod
    def support(self) -> Support:
        """What a cell may hold."""

    @property
    def proper(self) -> Proper:
        """Over what the probabilities sum to one."""
        return "values"

    @property
    def name(self) -> str:
        """The name of the event: that of its file."""
        return type(self).__module__.rpartition(".")[2].replace("_", " ")

    @property
    def checks(self) -> bool:
        """Whether the loops that count (and score counts) refuse cells outside the support by themselves."""
        return False

    @property
    def facts(self) -> str:
        """What is tallied, in words: evidence of the same facts serves every event that needs them."""
        return f"statistics of {self.name}"

    def split(self, columns: Sequence[Label]) -> dict[Label, tuple[Event, Sequence[Label]]]:
        """Say which columns are modelled by which event, as parts; here all by this one."""
        return {None: (self, columns)}

    @abstractmethod
    def tally(self, X: Any, Y: ClassWeights) -> Stats:
        """Add rows up per class; linear in Y."""

    @abstractmethod
    def estimate(self, stats: Any) -> Any:
        """Parameters from statistics; smoothing happens here only."""

    @abstractmethod
    def log_prob(self, theta: Any, X: Any) -> Array:
        """Log probability of each row under each class."""

    @abstractmethod
    def shares(self, theta: Any, X: Any) -> tuple[Array, Array]:
        """Of one row's log probability: what all rows have, per class, and each feature's share.

        For counts the shares stand in the order of the row's entries, for cells in that of the columns.
        """

    def freeze(self, stats: Any) -> Self:
        """Return this event with beliefs that are read off the data fixed at what they are now."""
        return self

    def frozen(self, stats: Mapping[Label, Stats]) -> Self:
        """Return this event frozen by the statistics of its parts."""
        return self.freeze(stats[None]) if None in stats else self


@dataclass(frozen=True)
class Linear:
    """Parameters of a count event: score = bias + sum of count times weight.

    The table is columns by classes, with one more row for unknown words. `veto` is the same for
    impossible things: a class with a positive veto has probability zero. It is kept apart since
    minus infinity times zero, or minus minus infinity, is no number.
    """

    bias: Array
    table: Array
    veto: tuple[Array, Array] | None

    @classmethod
    def of(cls, present: Array, absent: Array | None = None) -> Linear:
        """From log probabilities of presence (and absence), classes by columns, unknown words last."""
        without = np.zeros(len(present)) if absent is None else absent.sum(axis=1)
        if np.isfinite(present.min(initial=0.0)) and np.isfinite(without).all():
            return cls(without, np.ascontiguousarray((present if absent is None else present - absent).T), None)
        absent = np.zeros_like(present) if absent is None else absent
        never, always = np.isneginf(present), np.isneginf(absent)
        possible = np.where(always, 0.0, absent)
        table = np.where(never, 0.0, present) - possible
        forced = never.astype(np.float64) - always
        veto = always.sum(axis=1).astype(np.float64), np.ascontiguousarray(forced.T)
        return cls(possible.sum(axis=1), np.ascontiguousarray(table.T), veto)

    @classmethod
    def beside(cls, each: Sequence[Linear], places: Sequence[Integers]) -> Linear:
        """Columns side by side: these rows of each table, one table after another."""
        bias = np.sum([one.bias for one in each], axis=0)
        table = np.concatenate([one.table[at] for one, at in zip(each, places, strict=True)])
        if all(one.veto is None for one in each):
            return cls(bias, table, None)
        vetoes = [one.veto or (np.zeros_like(one.bias), np.zeros_like(one.table)) for one in each]
        lacking = np.sum([veto[0] for veto in vetoes], axis=0)
        forced = np.concatenate([veto[1][at] for veto, at in zip(vetoes, places, strict=True)])
        return cls(bias, table, (lacking, forced))

    def score(self, X: Matrix | Codes, once: bool, support: Support = "real") -> Array:
        """Score of every row under every class; cells outside the support are refused with Outside."""
        scores = linear_scores(X, self.bias, self.table, once, support)
        if self.veto is not None:
            scores[linear_scores(X, *self.veto, once) > 0] = -np.inf
        return scores

    @cached_property
    def coarse(self) -> tuple[Any, float]:
        """The table in single precision, and the largest number in it."""
        return self.table.astype(np.float32), float(np.abs(self.table).max(initial=0.0))

    def likeliest(self, X: Matrix, log_prior: Array, once: bool, support: Support = "real") -> Integers | None:
        """Return the place of each row's best class, or None where some are impossible."""
        if self.veto is not None:
            return None
        return likeliest(X, self.bias + log_prior, self.table, self.coarse, once, support)

    def shares(self, columns: Integers, counts: Array) -> tuple[Array, Array]:
        """Bias, and the share of each entry of one row; classes by entries."""
        shares, bias = (self.table[columns] * counts[:, None]).T, self.bias
        if self.veto is not None:
            lacking, forced = self.veto[0], self.veto[1][columns].T
            shares = np.where(forced > 0, -np.inf, shares)
            bias = np.where(lacking + np.minimum(forced, 0).sum(axis=1) > 0, -np.inf, bias)
        return bias, shares


@dataclass(frozen=True)
class CountEvent(Event):
    """Words and how often they stand in a document, or columns of counts.

    Every count event keeps the same facts, so evidence learned for one serves the others.

    Parameters
    ----------
    alpha
        Smoothing: added to every count. One number, or one per column of a matrix.
    vocabulary
        |V|: None for all columns of a matrix and all words seen, "open" for one more (room for
        the unknown), or a declared number.
    unknown
        What a word that was never learned says: nothing ("ignore") or what a count of zero
        says ("smooth").
    """

    alpha: float | tuple[float, ...] = 1.0
    vocabulary: int | Literal["open"] | None = None
    unknown: Literal["ignore", "smooth"] = "ignore"

    @property
    def support(self) -> Support:
        return "nonnegative"

    @property
    def once(self) -> bool:
        """Whether a word counts as one however often it stands in the document."""
        return False

    @property
    def apart(self) -> bool:
        """Whether what is believed of a class depends on no other class."""
        return True

    def __post_init__(self) -> None:
        try:
            alphas = np.asarray(self.alpha, dtype=np.float64)
        except (TypeError, ValueError):
            alphas = np.full(1, np.nan)
        fit = alphas.ndim < 2 and bool(np.all((alphas >= 0) & (alphas < np.inf)))
        required(fit, f"{self.name} needs a finite alpha >= 0, got {self.alpha!r}")
        object.__setattr__(self, "alpha", tuple(alphas.tolist()) if alphas.ndim else self.alpha)
        sizes = self.vocabulary in (None, "open") or (isinstance(self.vocabulary, int) and self.vocabulary > 0)
        required(sizes, f"{self.name} needs vocabulary None, 'open' or a number > 0, got {self.vocabulary!r}")
        known = self.unknown in ("ignore", "smooth")
        required(known, f"{self.name} needs unknown 'ignore' or 'smooth', got {self.unknown!r}")

    @property
    def facts(self) -> str:
        return "counts"

    @property
    def checks(self) -> bool:
        return True

    def tally(self, X: Matrix, Y: ClassWeights) -> Sums:
        count, present = class_counts(X, Y)
        return Sums(documents=Y.totals.copy(), count=count, present=present)

    def add(self, X: Matrix, Y: ClassWeights, stats: Sums) -> None:
        """Tally into statistics that exist already; costs what the rows hold."""
        class_counts(X, Y, into=(stats.count, stats.present))
        stats.documents[:] += Y.totals

    @abstractmethod
    def weights(self, stats: Any) -> tuple[Array, Array]:
        """What one more of each word adds to the score of each class (classes by words), and one unknown word."""

    def estimate(self, stats: Any) -> Linear:
        return Linear.of(self.with_unknown(*self.weights(stats)))

    def log_prob(self, theta: Linear, X: Matrix) -> Array:
        return theta.score(X, self.once, "nonnegative")

    def likeliest(self, theta: Linear, X: Matrix, log_prior: Array) -> Integers | None:
        """Return the place of each row's best class, or None where all scores are needed to tell."""
        return theta.likeliest(X, log_prior, self.once, "nonnegative") if self.checks else None

    def shares(self, theta: Linear, X: Matrix) -> tuple[Array, Array]:
        columns, counts = X.entries() if isinstance(X, Sparse) else (np.arange(X.shape[1]), X[0])
        said = self.said(counts)
        columns, counts = columns[said], counts[said]
        return theta.shares(columns, np.ones_like(counts) if self.once else counts)

    def said(self, counts: Array) -> Mask:
        """Which counts of a row say anything."""
        return np.not_equal(counts, 0.0)

    def smoothing(self, features: int) -> tuple[Array, float]:
        """Alpha of each feature, and of the whole vocabulary together."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if not alpha.ndim:
            return alpha, float(alpha * self.size(features))
        fit = len(alpha) == features and self.vocabulary is None
        required(fit, f"{self.name} has an alpha for each of {len(alpha)} columns, but {features} were learned")
        return alpha, float(alpha.sum())

    def size(self, features: int) -> int:
        """|V| as believed, when so many features were seen."""
        if self.vocabulary is None:
            return features
        if self.vocabulary == "open":
            return features + 1
        required(
            self.vocabulary >= features,
            f"{self.name} declares a vocabulary of {self.vocabulary}, but {features} words were learned",
        )
        return self.vocabulary

    def with_unknown(self, known: Array, zero: Array) -> Array:
        """Append the column of unknown words: nothing, or what a count of zero says."""
        last = zero if self.unknown == "smooth" else np.zeros_like(zero)
        return np.column_stack([known, last])


class CellEvent(Event):
    """Columns of numbers, independent given the class; every column has its own parameters."""

    @abstractmethod
    def log_density(self, theta: Any, x: Array) -> Array:
        """Log density of cells: x is (rows, 1, columns), parameters are (classes, columns)."""

    def log_prob(self, theta: Any, X: Array) -> Array:
        return np.concatenate([self._cells(theta, block).sum(axis=2) for block in blocks(X)])

    def shares(self, theta: Any, X: Array) -> tuple[Array, Array]:
        shares = self._cells(theta, X)[0]
        return np.zeros(len(shares)), shares

    def _cells(self, theta: Any, X: Array) -> Array:
        x = np.asarray(X, dtype=np.float64)[:, None, :]
        missing = np.isnan(x)
        # A missing cell says nothing. Any value will do for it that is in every support.
        said = self.log_density(theta, np.where(missing, 1.0, x))
        # Nor does a column that nobody has seen: its parameters are NaN.
        return np.where(missing | np.isnan(said), 0.0, said)


class Place(NamedTuple):
    """Location and spread per class and column."""

    location: Array
    spread: Array


@dataclass(frozen=True)
class LocationScale(CellEvent):
    """A family with a centre and a spread that are no sums: it keeps the observations in a Bag.

    One observation has no spread of its own: the class gets the average spread within classes (or, if
    no class has two, that of the whole column). floor x scale is added to every spread; scale is a
    belief: the spread of each column over all classes, unless frozen.
    """

    floor: float = 1e-9
    scale: tuple[float, ...] | None = None

    support = "real"

    def __post_init__(self) -> None:
        required(self.floor > 0, f"{self.name} needs floor > 0, got {self.floor!r}")

    @abstractmethod
    def fit(self, values: Array, weights: Array) -> tuple[float, float]:
        """Location and spread of sorted values."""

    @property
    def facts(self) -> str:
        return "observations"

    def tally(self, X: Array, Y: ClassWeights) -> Bag:
        return Bag.of(X, Y)

    def freeze(self, stats: Bag) -> Self:
        return self if self.scale is not None else replace(self, scale=tuple(self._whole(stats)[1].tolist()))

    def _whole(self, stats: Bag) -> Array:
        """Location and spread of each column over all classes."""
        together = Bag((1, stats.shape[1]), (np.zeros_like(stats.cells[0]), *stats.cells[1:]))
        _, location, spread = self._each(together)
        return np.vstack([location, spread])

    def _each(self, stats: Bag) -> Array:
        """Weight, location and spread of each class and column; NaN, 0 where there is nothing."""
        fitted = np.zeros((3, *stats.shape))
        fitted[1] = np.nan
        for row, column, values, weights in stats.groups():
            fitted[:, row, column] = weights.sum(), *self.fit(values, weights)
        return fitted

    def estimate(self, stats: Bag) -> Place:
        n, location, spread = self._each(stats)
        whole, scale = self._whole(stats)
        shared = np.where(n > 1, n, 0.0)
        within = ratio((shared * spread).sum(axis=0), shared.sum(axis=0))
        pooled = np.where((n > 1).any(axis=0), within, scale)
        spread = floored(
            np.where(n > 1, spread, pooled), self.floor, scale if self.scale is None else np.array(self.scale)
        )
        return Place(np.where(n > 0, location, whole), spread)


class BlockEvent(Event):
    """Several columns of numbers modelled together: one feature, one share in an explanation."""

    def split(self, columns: Sequence[Label]) -> dict[Label, tuple[Event, Sequence[Label]]]:
        # Always in the same order, since the columns of a block cannot be told apart later.
        return {None: (self, tuple(in_order(columns)))}

    def shares(self, theta: Any, X: Array) -> tuple[Array, Array]:
        share = self.log_prob(theta, X)
        return np.zeros(share.shape[1]), share.T


CELLS = 1 << 18


def blocks(X: Array) -> list[Array]:
    """Cut rows into blocks that fit the cache; one empty block if there are none."""
    step = max(1, CELLS // max(1, X.shape[1]))
    return [X[start : start + step] for start in range(0, max(1, len(X)), step)]


class Product:
    """Columns of different kinds side by side: a mapping from a column, or several, to its event.

    >>> from plainbayes.events import Categorical, Gaussian
    >>> Product({"city": Categorical(), ("height", "weight"): Gaussian()})
    Product({'city': Categorical(...), ('height', 'weight'): Gaussian(...)})
    """

    def __init__(self, events: Mapping[Any, Event]) -> None:
        required(bool(events), "a product needs at least one column")
        for key, event in events.items():
            if not isinstance(event, Event):
                hint = "make it, as in Product({'age': Gaussian()})"
                raise InputError(f"a product needs an event for {key!r}, got {event!r}", hint)
        self.events = dict(events)

    def __repr__(self) -> str:
        inside = ", ".join(f"{columns!r}: {type(event).__name__}(...)" for columns, event in self.events.items())
        return f"Product({{{inside}}})"

    def split(self, columns: Sequence[Label]) -> dict[Label, tuple[Event, Sequence[Label]]]:
        """Say which columns are modelled by which event, as parts."""
        parts: dict[Label, tuple[Event, Sequence[Label]]] = {}
        for key, event in self.events.items():
            named = _named(key)
            for part, (inner, chosen) in event.split(named).items():
                parts[named if part is None else part] = (inner, chosen)
        return parts

    def frozen(self, stats: Mapping[Label, Stats]) -> Product:
        """Return the same product with every event frozen by the statistics of its part."""
        return Product(
            {
                key: event.freeze(stats[_named(key)]) if _named(key) in stats else event
                for key, event in self.events.items()
            }
        )


def _named(key: Any) -> tuple[Label, ...]:
    return key if isinstance(key, tuple) else (key,)


Design = Event | Product


def required(holds: bool, message: str, hint: str | None = None) -> None:
    """Raise an InputError unless it holds."""
    if not holds:
        raise InputError(message, hint)
