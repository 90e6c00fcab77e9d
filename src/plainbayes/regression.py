"""Numbers as answers: p(y | x) is proportional to p(y) times the product of p(x_k | y), y a number.

Two routes. `Regressor` cuts y into cells and gives every row soft labels around its own y: the same
counting, the same events, a posterior that is a density. `LinearGaussian` takes every x_k to be normal
around a line in y: closed form, and a check of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self, cast

import numpy as np

from plainbayes.errors import InputError, NotLearnedError, shown
from plainbayes.event import Design, required
from plainbayes.events.gaussian import Gaussian
from plainbayes.evidence import Evidence, Index, Part
from plainbayes.losses import Loss, NumericLoss, Squared
from plainbayes.matrix import ClassWeights
from plainbayes.model import Learner, Model, chosen
from plainbayes.numeric import Array, Integers, floored, normal_cdf, ratio
from plainbayes.observations import Block, Missing, observe, weights
from plainbayes.posterior import Posterior
from plainbayes.stats import Bag, JointMoments, Moments, Sums

CELLS = (64, 32, 16, 8)
WIDTHS = (0.25, 0.5, 1.0, 2.0)
ROWS, LEFT_OUT, KEPT = 10_000, 1000, 200


@dataclass(frozen=True, eq=False)
class Density(Posterior):
    """p(y | x) for every row: a probability for each cell of y, spread evenly within the cell.

    The classes are the middles of the cells.
    """

    edges: Array

    def quantile(self, q: float) -> Array:
        """Return the value that is not exceeded with probability q."""
        required(0 <= q <= 1, f"a quantile needs q from 0 to 1, got {q!r}")
        below = np.cumsum(self.probabilities, axis=1)
        wanted = q * below[:, -1]
        cell = ((below >= wanted[:, None]) & (self.probabilities > 0)).argmax(axis=1)
        rows = np.arange(len(below))
        inside = 1 - ratio(below[rows, cell] - wanted, self.probabilities[rows, cell])
        return np.asarray(self.edges[cell] + inside * np.diff(self.edges)[cell])

    def cumulated(self, y: Any) -> Array:
        """Return the probability of everything up to one y per row."""
        cell, inside = self._cell(y)
        rows = np.arange(len(cell))
        below = np.cumsum(self.probabilities, axis=1)[rows, cell] - self.probabilities[rows, cell]
        return np.asarray(below + np.clip(inside, 0.0, 1.0) * self.probabilities[rows, cell])

    def _cell(self, y: Any) -> tuple[Integers, Array]:
        """The cell of one y per row, and how far inside of it that is."""
        y = _numbers(y)
        required(len(y) == len(self), f"one y for each of {len(self)} rows was expected, got {len(y)}")
        cell = np.clip(np.searchsorted(self.edges, y, side="right") - 1, 0, len(self.edges) - 2)
        return cell, (y - self.edges[cell]) / np.diff(self.edges)[cell]

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Return bounds between which y lies with this probability, as likely above as below."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def row(self, place: int) -> Density:
        """Return the density of one row."""
        one = slice(place, place + 1)
        return Density(self.classes, self.log_probabilities[one], self.silent[one], self.edges)

    def log_prob(self, y: Any) -> Array:
        """Log density at one y per row; -inf outside all cells."""
        cell, inside = self._cell(y)
        heights = self.log_probabilities[np.arange(len(cell)), cell] - np.log(np.diff(self.edges)[cell])
        return np.where((inside >= 0) & (inside <= 1), heights, -np.inf)


class Regressor(Learner):
    """Naive Bayes for a number: every event, missing cells, exact unlearning, a whole density as the answer.

    Parameters
    ----------
    event
        An event, its name, or a Product, as for Model.
    edges
        The cells of y as a frozen belief; None: `fit` cuts them so that each holds as many rows.
    width
        How far a row's weight spreads over neighbouring cells: the standard deviation of a normal kernel,
        in cells. None: `fit` chooses it, and the number of cells, by leave-one-out likelihood of y.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 400)[:, None]
    >>> model = Regressor("kernel").fit(x, x[:, 0] * 3)
    >>> bool(abs(model.predict([[1.0]])[0] - 3.0) < 0.3)
    True
    """

    def __init__(
        self,
        event: Design | str,
        edges: Sequence[float] | Array | None = None,
        width: float | None = None,
        missing: Missing = None,
    ) -> None:
        self.model = Model(event, missing=missing)
        self.edges = None if edges is None else np.asarray(edges, dtype=np.float64)
        if self.edges is not None:
            rising = self.edges.ndim == 1 and len(self.edges) > 2 and bool((np.diff(self.edges) > 0).all())
            finite = bool(np.isfinite(self.edges).all())
            required(rising and finite, f"a regressor needs three edges or more, finite and rising, got {edges!r}")
        required(width is None or 0 < width < np.inf, f"a regressor needs a finite width > 0, got {width!r}")
        self.width = width
        self._given = self.edges, self.width

    def fit(self, X: Any, y: Any, weight: Any = None) -> Self:
        """Forget everything, choose the beliefs that were not given, then learn."""
        values = _numbers(y)
        edges, width = self._given
        # First the cells at a middling width, then the width: 4 + 4 trials instead of 16.
        cuts = _cuts(values) if edges is None else [edges]
        cells, _ = self._best([(cut, width or WIDTHS[1]) for cut in cuts], X, values)
        best = self._best([(cells, one) for one in (WIDTHS if width is None else [width])], X, values)
        fresh = self._like(*best).learn(X, y, weight)
        self.edges, self.width, self.model = fresh.edges, fresh.width, fresh.model
        return self

    def _like(self, edges: Array | None, width: float | None) -> Regressor:
        """Return a regressor of the same kind with other cells, with nothing learned."""
        return Regressor(self.model.event, edges, width, self.model.missing)

    def _best(self, beliefs: list[tuple[Array, float]], X: Any, y: Array) -> tuple[Array, float]:
        """Return the cells and width under which each y, left out, is most likely; or sharper ones as good.

        Beliefs come sharpest first. Blur only ever widens a density, so the first that is not worse than the
        likeliest by more than a standard error is taken: without that rule, intervals of 90% covered up to 92.6%.
        """
        if len(beliefs) == 1:
            return beliefs[0]
        said = np.array([_left_out(self._like(*one), X, y) for one in beliefs])
        behind = said[said.mean(axis=1).argmax()] - said
        good = behind.mean(axis=1) <= behind.std(axis=1) / np.sqrt(said.shape[1])
        return beliefs[int(good.argmax())]

    @property
    def evidence(self) -> Evidence:
        """Everything learned, with the cells of y as classes."""
        return self.model.evidence

    @evidence.setter
    def evidence(self, evidence: Evidence) -> None:
        self.model.evidence = evidence

    def soft(self, y: Array, weight: Array | None = None) -> ClassWeights:
        """How much of each row falls into each cell: a normal kernel around its y, cut off at the ends."""
        if self.edges is None or self.width is None:
            raise NotLearnedError("the cells of y are not known yet", "call fit(X, y), or give edges and width")
        cells = len(self.edges) - 1
        place = np.interp(y, self.edges, np.arange(cells + 1))
        below = normal_cdf((np.arange(cells + 1) - place[:, None]) / self.width)
        share = np.diff(below, axis=1)
        share /= share.sum(axis=1, keepdims=True)
        return ClassWeights.soft(share if weight is None else share * weight[:, None])

    def observe(self, X: Any, y: Any, weight: Any = None) -> Evidence:
        values = _numbers(y)
        Y = self.soft(values, weights(weight, len(values)))
        return self.model.tally(self.model.blocks(X), Index(range(Y.classes)), Y)

    def __add__(self, other: Regressor) -> Regressor:
        required(isinstance(other, Regressor), f"a regressor was expected, got {other!r:.60}")
        mine, theirs = ([] if one.edges is None else one.edges.tolist() for one in (self, other))
        same = mine == theirs and self.width == other.width
        required(same, "regressors can be merged when they have the same cells of y and the same width")
        new = self._like(self.edges, self.width)
        new.model = self.model + other.model
        return new

    def posterior(self, X: Any) -> Density:
        """p(y | x) for every row."""
        return self._density(self.model.posterior(X))

    def _density(self, posterior: Posterior) -> Density:
        edges = np.zeros(1) if self.edges is None else self.edges
        every = np.full((len(posterior), len(edges) - 1), -np.inf)
        every[:, np.array(posterior.classes, dtype=np.int64)] = posterior.log_probabilities
        middles = (edges[1:] + edges[:-1]) / 2
        return Density(tuple(middles.tolist()), every, posterior.silent, edges)

    def predict(self, X: Any, loss: Loss | None = None) -> Any:
        """Return the answer of least expected cost for every row; without a loss, the mean."""
        return chosen(loss, Squared()).act(self.posterior(X))


def _numbers(y: Any) -> Array:
    try:
        values = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"regression needs numbers, got {y!r:.60}") from None
    required(values.ndim == 1, f"one y per row was expected, got {values.ndim} dimensions")
    wrong = np.flatnonzero(~(np.abs(values) <= 1e150))
    if len(wrong):
        raise InputError(f"regression needs finite numbers, got {shown(values[wrong[0]])} in row {wrong[0]}")
    return values


def _cuts(y: Array) -> list[Array]:
    """Cells of equal share, a few numbers of them; the outermost reach half a cell beyond the values."""
    different = len(np.unique(y))
    required(different > 2, f"regression needs three different values of y at least, got {different}")
    cuts = []
    for cells in CELLS:
        edges = np.unique(np.quantile(y, np.linspace(0, 1, cells + 1)))
        first, last = edges[1] - edges[0], edges[-1] - edges[-2]
        cut = np.concatenate([[edges[0] - first / 2], edges[1:-1], [edges[-1] + last / 2]])
        cuts += [cut] if len(cut) > 2 else []
    return cuts or [np.unique(y)]


def _left_out(regressor: Regressor, X: Any, y: Array) -> Array:
    """Log density of y, each judged by all the others.

    Up to 10,000 rows are learned and 1,000 of them left out (200 where observations are kept: those are
    slower). With 200 everywhere the choice was noisy: intervals of 90% covered up to 93.6%.
    """
    rows = np.unique(np.linspace(0, len(y) - 1, ROWS).round().astype(np.int64))
    model = regressor.learn(X, y).model.frozen()
    blocks = {key: block.take(rows) for key, block in model.blocks(X).items()}
    Y = regressor.soft(y[rows])
    cells = Index(range(Y.classes))
    model += model.tally(blocks, cells, Y)
    most = KEPT if any(isinstance(part.stats, Bag) for part in model.evidence.parts.values()) else LEFT_OUT
    said = []
    for row in np.unique(np.linspace(0, len(rows) - 1, most).round().astype(np.int64)):
        truth = y[rows[row : row + 1]]
        those = {key: block.take(np.array([row])) for key, block in blocks.items()}
        own = model.tally(those, cells, regressor.soft(truth))
        model -= own
        said.append(regressor._density(model.judge(those)).log_prob(truth)[0])
        model += own
    # A y that was thought impossible counts as very unlikely, so that it does not silence all others.
    return np.maximum(said, -50.0)


@dataclass(frozen=True, eq=False)
class NormalDensity:
    """p(y | x) for every row: a normal density."""

    location: Array
    spread: Array

    def __len__(self) -> int:
        return len(self.location)

    def mean(self) -> Array:
        """Return the expected value of each row."""
        return self.location

    def median(self) -> Array:
        """Return the value with half of the probability on either side."""
        return self.location

    def quantile(self, q: float) -> Array:
        """Return the value that is not exceeded with probability q."""
        required(0 < q < 1, f"a quantile of a normal density needs q between 0 and 1, got {q!r}")
        return self.location + NormalDist().inv_cdf(q) * self.spread

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """Return bounds between which y lies with this probability, as likely above as below."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def log_prob(self, y: Any) -> Array:
        """Log density at one y per row."""
        z = (np.asarray(y, dtype=np.float64) - self.location) / self.spread
        return np.asarray(-0.5 * z * z - np.log(self.spread) - 0.5 * np.log(2 * np.pi))


class LinearGaussian(Learner):
    """Every column normal around a line in y, y normal: p(y | x) in closed form.

    The statistics are joint moments of each column with y, so cells may be missing, and learning,
    unlearning and merging are those of all evidence.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 400)[:, None]
    >>> LinearGaussian().learn(x, x[:, 0] * 3 + 1).predict([[1.0]]).round(3)
    array([4.])
    """

    def __init__(self, floor: float = 1e-9, missing: Missing = None) -> None:
        required(floor > 0, f"linear gaussian needs floor > 0, got {floor!r}")
        self.floor, self.missing = floor, missing
        self.evidence = Evidence()

    def observe(self, X: Any, y: Any, weight: Any = None) -> Evidence:
        block = cast(Block, observe(Gaussian(), X, self.missing)[None])
        x, values = np.asarray(block.X), _numbers(y)
        required(len(x) == len(values), f"one y per row was expected, got {len(values)} for {len(x)} rows")
        Y = ClassWeights(np.zeros(len(values), dtype=np.int64), 1, weights(weight, len(values)))
        pairs = np.stack(np.broadcast_arrays(x, values[:, None]), axis=2)
        evidence = Evidence(Index(["all"]), Sums(n=Y.totals))
        evidence.parts["columns"] = Part(block.features, JointMoments.of(pairs, Y), facts="joint moments with y")
        evidence.parts["y"] = Part(Index(["y"]), Gaussian().tally(values[:, None], Y), facts="moments of y")
        evidence.forget()  # rows that weigh nothing leave no trace
        return evidence

    def __add__(self, other: LinearGaussian) -> LinearGaussian:
        new = LinearGaussian(self.floor, self.missing)
        new.evidence = self.evidence + other.evidence
        return new

    def posterior(self, X: Any) -> NormalDensity:
        """p(y | x) for every row."""
        if not len(self.evidence.classes):
            raise NotLearnedError("the model has learned nothing yet", "learn(X, y) comes first")
        part, target = self.evidence.parts["columns"], self.evidence.parts["y"]
        stats: Any = part.stats
        block = cast(Block, observe(Gaussian(), X, self.missing)[None])
        x = np.asarray(block.aligned(part.features))
        n, mean, scatter = stats.n[0], stats.mean[0], stats.scatter[0]
        slope = ratio(scatter[:, 0, 1], scatter[:, 1, 1])
        around = ratio(scatter[:, 0, 0] - slope * scatter[:, 0, 1], n)
        variance = floored(np.maximum(around, 0.0), self.floor, ratio(scatter[:, 0, 0], n))
        prior = Gaussian(floor=self.floor).estimate(cast(Moments, target.stats))
        centre, spread = prior.mean[0, 0], prior.variance[0, 0]
        # Each cell that is there says where y is, as surely as its line is steep.
        there = ~np.isnan(x) & (n > 0)
        sure = np.where(there, slope**2 / variance, 0.0).sum(axis=1) + 1 / spread
        pulled = np.where(there, slope / variance * (x - mean[:, 0] + slope * (mean[:, 1] - centre)), 0.0).sum(axis=1)
        return NormalDensity(centre + pulled / sure, 1 / np.sqrt(sure))

    def predict(self, X: Any, loss: NumericLoss | None = None) -> Any:
        """Return the answer of least expected cost: the mean, or what the loss asks for."""
        required(loss is None or isinstance(loss, NumericLoss), f"a loss between numbers was expected, got {loss!r}")
        return (Squared() if loss is None else loss).act(self.posterior(X))
