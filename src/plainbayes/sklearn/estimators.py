"""Estimators of our own: columns of any kind side by side, decisions by cost, regression from p(y | x)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import check_array
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from plainbayes import events
from plainbayes.choice import design
from plainbayes.errors import InputError
from plainbayes.event import CountEvent, Design, Event, Product
from plainbayes.events.kernel import Kernel
from plainbayes.events.poisson import Poisson
from plainbayes.evidence import Index
from plainbayes.losses import Loss, Squared
from plainbayes.model import Model
from plainbayes.observations import Missing
from plainbayes.priors import Prior
from plainbayes.regression import Regressor
from plainbayes.sklearn.classifier import Classifier, all_or_nothing, together


def checked(estimator: Any, X: Any, first: bool) -> Any:
    """Return rows fit to be read: frames and records as they are, other data as an array."""
    records = isinstance(X, Mapping) or (isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping))
    if not records and not hasattr(X, "columns"):
        X = check_array(
            X, accept_sparse="csr", dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X"
        )
    if not records:
        validate_data(estimator, X, reset=first, skip_check_array=True)
    return X


class NaiveBayesClassifier(Classifier):
    """Naive Bayes over columns of any kind, in arrays, sparse matrices, data frames or records.

    Parameters
    ----------
    event
        An event or its name for all columns; a mapping from a column, or a tuple of columns, to its event; or "auto":
        every column's event is chosen by its kind and by leave-one-out likelihood.
    prior
        Empirical(), Smoothed(), Uniform() or Given({...}); None: empirical.
    loss
        What a wrong answer costs; `predict` then gives the answer of least expected cost. None: the likeliest class.
    missing
        What missing cells are: "skip" (no evidence), "error", or None: skip in tables with named columns.

    Attributes
    ----------
    event_
        The events that were chosen or given.

    Examples
    --------
    >>> rows = [{"city": "Riga", "age": 31.0}, {"city": "Riga", "age": 35.0}, {"city": "Lima", "age": None}]
    >>> model = NaiveBayesClassifier({"city": "categorical", "age": "gaussian"}).fit(rows, ["a", "a", "b"])
    >>> model.predict([{"city": "Lima", "age": 40.0}])
    array(['b'], dtype='<U1')
    """

    def __init__(
        self,
        event: Design | str | Mapping[Any, Event | str] = "auto",
        *,
        prior: Prior | None = None,
        loss: Loss | None = None,
        missing: Missing = None,
    ) -> None:
        self.event = event
        self.prior = prior
        self.loss = loss
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "skip"
        event = getattr(self, "event", None)
        event = events.named(event) if event in events.names() else event
        tags.input_tags.sparse = event == "auto" or (isinstance(event, CountEvent) and event.support != "category")
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rows, and forget what was learned before."""
        return self._learn(X, y, sample_weight, True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; classes may be new, and need not be named before."""
        return self._learn(X, y, sample_weight, not self.__sklearn_is_fitted__(), classes)

    def _learn(self, X: Any, y: Any, sample_weight: Any, first: bool, classes: Any = None) -> Self:
        with all_or_nothing(self):
            X, y = self._read(X, y, first)
            seen, Y = self._labelled(y, sample_weight)
            model = Model(self._design(X, y), self.prior, missing=self.missing) if first else self._model
            known = together(*([] if first else [self.classes_]), seen, *([] if classes is None else [classes]))
            model.add(model.blocks(X), Index(seen.tolist()), Y)
            model.declared = tuple(known.tolist())
            self.classes_, self._model, self.event_ = known, model, model.event
        return self

    def _design(self, X: Any, y: Any) -> Design:
        """Return the events that `event` asks for."""
        return designed(self.event, X, y)

    def _read(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = checked(self, X, first), _check_y(y, multi_output=False)
        if not len(y):
            raise InputError("rows were expected, got none")
        if not isinstance(X, Mapping):
            check_consistent_length(X, y)
        return X, y

    def _checked(self, X: Any) -> Any:
        return checked(self, X, False)

    def predict(self, X: Any) -> Any:
        """Return the likeliest class of every row or, with a loss, the answer of least expected cost."""
        return super().predict(X) if self.loss is None else self.decide(X, self.loss)


def designed(event: Any, X: Any, y: Any) -> Design:
    """Return the events for these columns: as given, by name, or chosen."""
    if isinstance(event, Mapping):
        return Product({key: events.named(e) if isinstance(e, str) else e for key, e in event.items()})
    if isinstance(event, str):
        return design(X, y) if event == "auto" else events.named(event)
    if not isinstance(event, Event | Product):
        raise InputError(f"an event, its name, 'auto' or a mapping was expected, got {event!r}")
    return event


class PoissonNB(NaiveBayesClassifier):
    """Columns of whole numbers >= 0: NaiveBayesClassifier(Poisson(alpha, beta)).

    Examples
    --------
    >>> PoissonNB().fit([[0], [1], [7], [9]], ["few", "few", "many", "many"]).predict([[2], [6]])
    array(['few', 'many'], dtype='<U4')
    """

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        *,
        prior: Prior | None = None,
        loss: Loss | None = None,
        missing: Missing = None,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.prior = prior
        self.loss = loss
        self.missing = missing

    def _design(self, X: Any, y: Any) -> Design:
        return Poisson(self.alpha, self.beta)


class KernelNB(NaiveBayesClassifier):
    """Columns of any shape, a bump around every value seen: NaiveBayesClassifier(Kernel(bandwidth)).

    Examples
    --------
    >>> KernelNB().fit([[1.0], [9.0], [4.0], [5.0]], ["out", "out", "in", "in"]).predict([[4.4], [8.8]])
    array(['in', 'out'], dtype='<U3')
    """

    def __init__(
        self,
        bandwidth: Any = "silverman",
        *,
        prior: Prior | None = None,
        loss: Loss | None = None,
        missing: Missing = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.prior = prior
        self.loss = loss
        self.missing = missing

    def _design(self, X: Any, y: Any) -> Design:
        return Kernel(self.bandwidth)


class MixedNB(NaiveBayesClassifier):
    """Columns of different kinds: another name of NaiveBayesClassifier."""


class NaiveBayesRegressor(RegressorMixin, BaseEstimator):
    """Regression from p(y | x): the mean, the median, any quantile, and how sure they are.

    Parameters
    ----------
    event
        As for NaiveBayesClassifier.
    loss
        What `predict` makes least: Squared() (the mean), Absolute() (the median), Pinball(q); None: squared.
    edges, width
        The cells that y is cut into, and how far a row's weight spreads over them; None: chosen. Models can be
        merged that have the same ones.
    missing
        What missing cells are: "skip" (no evidence), "error", or None: skip in tables with named columns.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 300)[:, None]
    >>> model = NaiveBayesRegressor("kernel").fit(x, 3 * x[:, 0])
    >>> low, high = model.predict_interval([[1.0]])
    >>> bool(low[0] < 3.0 < high[0])
    True
    """

    def __init__(
        self,
        event: Design | str | Mapping[Any, Event | str] = "auto",
        *,
        loss: Loss | None = None,
        edges: Any = None,
        width: float | None = None,
        missing: Missing = None,
    ) -> None:
        self.event = event
        self.loss = loss
        self.edges = edges
        self.width = width
        self.missing = missing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "skip"
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rows, and forget what was learned before."""
        with all_or_nothing(self):
            X, y, weight = self._read(X, y, sample_weight, True)
            # Columns are judged by what they say of y in five parts of equal share.
            cells = np.searchsorted(np.quantile(y, (0.2, 0.4, 0.6, 0.8)), y)
            chosen = designed(self.event, X, cells)
            regressor = Regressor(chosen, self.edges, self.width, self.missing).fit(X, y, weight)
            self.regressor_, self.event_ = regressor, regressor.model.event
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any, first: bool) -> tuple[Any, Any, Any]:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = checked(self, X, first), _check_y(y, multi_output=False, y_numeric=True)
        if not isinstance(X, Mapping):
            check_consistent_length(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        return X, y, sample_weight

    def _fitted(self) -> Regressor:
        check_is_fitted(self)
        return self.regressor_

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more rows; the first call chooses the cells of y, as `fit` does."""
        if not hasattr(self, "regressor_"):
            return self.fit(X, y, sample_weight)
        self.regressor_.learn(*self._read(X, y, sample_weight, False))
        return self

    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows away again; refused, with nothing changed, if they cannot have been learned."""
        self._fitted().unlearn(*self._read(X, y, sample_weight, False))
        return self

    def __add__(self, other: Self) -> Self:
        if type(other) is not type(self):
            raise InputError(f"a fitted {type(self).__name__} was expected, got {other!r:.60}")
        new: Self = clone(self)
        new.__dict__.update(vars(self))
        new.regressor_ = self._fitted() + other._fitted()
        return new

    def predict(self, X: Any) -> Any:
        """Return the answer of least expected cost for every row: the mean, unless `loss` says otherwise."""
        return self.decide(X, Squared() if self.loss is None else self.loss)

    def decide(self, X: Any, loss: Loss) -> Any:
        """Return the answer of least expected cost for every row."""
        regressor = self._fitted()
        return regressor.predict(checked(self, X, False), loss)

    def predict_quantile(self, X: Any, q: float) -> Any:
        """Return the value that y does not exceed with probability q."""
        regressor = self._fitted()
        return regressor.posterior(checked(self, X, False)).quantile(q)

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """Return bounds between which y lies with this probability."""
        return self.predict_quantile(X, (1 - level) / 2), self.predict_quantile(X, (1 + level) / 2)
