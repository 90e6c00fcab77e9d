"""scikit-learn's five classifiers: its parameters, attributes, errors and answers; our counts and loops inside."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils._array_api import _convert_to_numpy, get_namespace, get_namespace_and_device
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_non_negative, validate_data

from plainbayes.errors import InputError
from plainbayes.event import CountEvent, Design, Product
from plainbayes.events.bernoulli import Bernoulli
from plainbayes.events.categorical import Categorical
from plainbayes.events.complement import Complement
from plainbayes.events.gaussian import Gaussian
from plainbayes.events.multinomial import Multinomial
from plainbayes.evidence import Index, in_order
from plainbayes.matrix import ClassWeights
from plainbayes.model import Model
from plainbayes.numeric import Array, Integers
from plainbayes.observations import Blocks, distinct
from plainbayes.priors import Empirical, Given, Prior, Uniform
from plainbayes.sklearn.classifier import Answer, Classifier, all_or_nothing, read_only
from plainbayes.stats import EVERY, Moments, Sums


def as_numpy(array: Any) -> Any:
    """Return any array, of whatever library and device, as NumPy's."""
    xp, dispatched = get_namespace(array)
    return _convert_to_numpy(array, xp) if dispatched else np.asarray(array)


def like(array: Any, pattern: Any) -> Any:
    """Return numbers as an array of the pattern's library, device and precision."""
    xp, dispatched, device = get_namespace_and_device(pattern)
    if not dispatched:
        return array.astype(np.float32) if is_single(pattern) else array
    return xp.asarray(array.astype(np.float32) if is_single(pattern) else array, device=device)


def is_single(array: Any) -> bool:
    """Whether an array, of whatever library, is of single precision."""
    return str(getattr(array, "dtype", "")).endswith("float32")


class DropIn(Classifier):
    """fit, partial_fit and predict as scikit-learn's naive Bayes has them."""

    _reading: ClassVar[dict[str, Any]] = {"accept_sparse": "csr", "ensure_all_finite": False}
    _nonnegative = False
    _types: tuple[Any, ...] = tuple(map(np.dtype, ("float64", "float32", "int64", "int32")))

    @abstractmethod
    def _event(self) -> Design:
        """Return the event that the parameters ask for."""

    @abstractmethod
    def _prior(self) -> Prior:
        """Return the prior that the parameters ask for."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rows, and forget what was learned before."""
        return self._learn(X, y, None, sample_weight, first=True)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the first call names all classes."""
        first = not self.__sklearn_is_fitted__()
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        classes = classes if classes is None else column_or_1d(as_numpy(classes))
        if not first and classes is not None and not np.array_equal(np.sort(classes), self._known()):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        return self._learn(X, y, classes, sample_weight, first)

    def _learn(self, X: Any, y: Any, classes: Any, sample_weight: Any, first: bool) -> Self:
        with all_or_nothing(self):
            self._learned(X, y, classes, sample_weight, first)
        return self

    def _learned(self, X: Any, y: Any, classes: Any, sample_weight: Any, first: bool) -> None:
        X, y = self._read(X, y, first)
        seen, Y = self._labelled(y, sample_weight)
        known = self._known() if not first else seen if classes is None else distinct(classes)[0]
        strange = set(seen.tolist()).difference(known.tolist())
        if strange:
            raise ValueError(
                f"The target label(s) {in_order(strange)} in y do not exist in the initial classes {known}"
            )
        self.classes_ = known
        if first:
            self._model = Model(Gaussian(), None, known.tolist(), "error")
        with self._in_their_words(X):
            self._renew()
            self._add(X, Index(seen.tolist()), Y)

    def _known(self) -> Any:
        return as_numpy(self.classes_)

    def _renew(self) -> None:
        self._model.event, self._model.prior = self._event(), self._prior()

    def _add(self, X: Any, classes: Index, Y: ClassWeights) -> None:
        self._model.add(self._blocks(X), classes, Y)

    def _read(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuU" and not first and self._plain(X)
        if plain and len(y) == X.shape[0]:
            return X, y
        return tuple(validate_data(self, X, y, reset=first, **self._reading))

    def _checked(self, X: Any) -> Any:
        return X if self._plain(X) else validate_data(self, X, reset=False, **self._reading)

    def _ask(self, X: Any, question: Callable[[Model, Blocks], Answer]) -> Answer:
        model = self._fitted()
        X = self._checked(X)
        with self._in_their_words(X):
            return question(model, model.blocks(X))

    def _plain(self, X: Any) -> bool:
        """Whether rows are such that nothing needs to be checked but their cells, which the loops do."""
        sparse = "accept_sparse" in self._reading and getattr(X, "format", None) == "csr"
        cells = X if type(X) is np.ndarray else X.data if sparse else None
        return (
            cells is not None
            and cells.dtype in self._types
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        )

    @contextmanager
    def _in_their_words(self, X: Any) -> Iterator[None]:
        """Cells that we refuse are first shown to scikit-learn, so that programs see the errors they know."""
        try:
            yield
        except InputError:
            name = type(self).__name__
            assert_all_finite(X, estimator_name=name, input_name="X")
            if self._nonnegative:
                check_non_negative(X, f"{name} (input X)")
            raise

    @property
    def class_count_(self) -> Array:
        """Weight of each class."""
        return self._of_fit("class_count_").weight

    def _of_fit(self, name: str) -> Model:
        model: Model | None = vars(self).get("_model")
        if model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return model

    def _given(self, priors: Any) -> Given:
        """Return priors from outside, one for each class."""
        priors = np.asarray(priors, dtype=np.float64)
        if len(priors) != len(self.classes_):
            raise ValueError("Number of priors must match number of classes.")
        if not np.isclose(priors.sum(), 1.0):
            raise ValueError("The sum of the priors should be 1.")
        if (priors < 0).any():
            raise ValueError("Priors must be non-negative.")
        return Given(dict(zip(self.classes_.tolist(), (priors / priors.sum()).tolist(), strict=True)))


class GaussianNB(DropIn):
    """Continuous columns: every column normal given the class.

    Parameters
    ----------
    priors
        Probability of each class; None: as in the data.
    var_smoothing
        This share of the largest variance of all columns is added to every variance.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = GaussianNB().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1]])
    array([1])
    >>> model.unlearn(X[:1], [1]).class_count_
    array([2., 3.])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
    }
    _reading: ClassVar[dict[str, Any]] = {"ensure_all_finite": False}

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        return tags

    def _event(self) -> Gaussian:
        return Gaussian(floor=self.var_smoothing, scale="largest", single="zero")

    def _prior(self) -> Prior:
        return Empirical() if self.priors is None else self._given(self.priors)

    def _moments(self, name: str) -> Any:
        model = self._of_fit(name)
        return model.stats(model.evidence.parts[None])

    @property
    def class_count_(self) -> Any:
        """Weight of each class."""
        return self._like(super().class_count_)

    @property
    def class_prior_(self) -> Any:
        """P(class)."""
        return self._like(np.exp(self._of_fit("class_prior_").log_prior))

    @property
    def theta_(self) -> Any:
        """Mean of each column in each class."""
        return self._like(read_only(self._moments("theta_").mean))

    @property
    def var_(self) -> Any:
        """Variance of each column in each class, smoothed."""
        model = self._of_fit("var_")
        return self._like(model.parameters(None, cast(Gaussian, model.event)).variance)

    @property
    def epsilon_(self) -> Any:
        """What is added to every variance."""
        moments = self._moments("epsilon_")
        event = cast(Gaussian, self._model.event)
        return event.floor * event.scales(moments).max(initial=0.0)

    # Arrays of other libraries come and go as they are; in between they are NumPy's.

    def _read(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        X, y = super()._read(X, y, first)
        if first:
            self._pattern = X[:0, :], y[:0]
        return as_numpy(X), as_numpy(y)

    def _learned(self, X: Any, y: Any, classes: Any, sample_weight: Any, first: bool) -> None:
        super()._learned(X, y, classes, sample_weight, first)
        self._move()

    def __add__(self, other: Self) -> Self:
        new = super().__add__(other)
        new._move()
        return new

    def _move(self) -> None:
        """Hold the classes in the library that the labels came in."""
        xp, dispatched, device = get_namespace_and_device(self._pattern[1])
        if dispatched:
            self.classes_ = xp.asarray(self.classes_, device=device)

    def _checked(self, X: Any) -> Any:
        return as_numpy(super()._checked(X))

    def _classes(self, places: Integers) -> Any:
        xp, dispatched, device = get_namespace_and_device(self.classes_)
        return xp.asarray(self._known()[places], device=device) if dispatched else self.classes_[places]

    def _answer(self, X: Any, table: Any) -> Any:
        return like(table, X)

    def predict_log_proba(self, X: Any) -> Any:
        """Log P(class | row), for every row and class."""
        logs = self._ask(X, Model.judge).log_probabilities
        # In single precision a probability that near to 1 is 1, and its logarithm 0.
        return like(np.where(logs > -(2.0**-25), 0.0, logs) if is_single(X) else logs, X)

    def _like(self, array: Array) -> Any:
        return like(array, self._pattern[0])

    @staticmethod
    def _update_mean_variance(n_past: Any, mu: Any, var: Any, X: Any, sample_weight: Any = None) -> tuple[Any, Any]:
        """Return mean and variance after more rows, as scikit-learn's method of this name does."""
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if not weight.sum() > 0:
            return mu, var
        shape = (1, X.shape[1])
        past = Moments(
            n=np.full(shape, float(n_past)),
            mean=np.array(np.broadcast_to(mu, shape), dtype=np.float64),
            scatter=np.array(np.broadcast_to(n_past * np.asarray(var), shape), dtype=np.float64),
        )
        past.add(Moments.of(np.asarray(X), ClassWeights(np.zeros(len(X), dtype=np.int64), 1, weight)), EVERY, EVERY)
        return past.mean[0], past.scatter[0] / past.n[0]


class Discrete(DropIn):
    """What the four classes for counts share: smoothing and priors."""

    _believed_prior: Prior

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left"), "array-like"],
        "fit_prior": ["boolean"],
        "class_prior": ["array-like", None],
        "force_alpha": ["boolean"],
    }

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = "accept_sparse" in self._reading
        tags.input_tags.positive_only = self._nonnegative
        tags.classifier_tags.poor_score = True
        return tags

    def _check_alpha(self) -> Any:
        """Return alpha, checked, and raised to 1e-10 where force_alpha is off."""
        alpha: Any = self.alpha if np.ndim(self.alpha) == 0 else np.asarray(self.alpha, dtype=np.float64)
        if isinstance(alpha, np.ndarray) and alpha.ndim:
            if alpha.shape != (self.n_features_in_,):
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if alpha.min() < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        least = 1e-10
        if np.min(alpha) < least and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {least:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=2,
            )
            return np.maximum(alpha, least)
        return alpha

    def _prior(self) -> Prior:
        if self.class_prior is not None:
            return self._given(self.class_prior)
        return Empirical() if self.fit_prior else Uniform()

    @property
    def class_log_prior_(self) -> Array:
        """Log P(class)."""
        model = self._of_fit("class_log_prior_")
        return self._believed_prior.log_prior(model.classes, model.weight)

    @class_log_prior_.setter
    def class_log_prior_(self, logs: Any) -> None:
        priors = np.exp(logs)
        self._believed_prior = self._fitted().prior = self._given(priors / priors.sum())

    def _renew(self) -> None:
        super()._renew()
        self._believed_prior = self._model.prior


class Words(Discrete):
    """What the three classes for a whole table of counts share."""

    def _sums(self, name: str) -> Any:
        model = self._of_fit(name)
        return model.stats(model.evidence.parts[None])

    @property
    def feature_count_(self) -> Array:
        """How often each word stands in each class."""
        return read_only(self._sums("feature_count_").count)

    @property
    def feature_log_prob_(self) -> Any:
        """Log P(word | class)."""
        stats = self._sums("feature_log_prob_")
        event = self._model.event
        assert isinstance(event, CountEvent)
        return event.weights(stats)[0]


class MultinomialNB(Words):
    """Counts of words: every word of a document drawn from the class's words.

    Parameters
    ----------
    alpha
        Added to every count; one number, or one per column.
    force_alpha
        False: an alpha below 1e-10 becomes 1e-10.
    fit_prior
        False: every class is as likely as any other.
    class_prior
        Probability of each class; None: as in the data.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]])
    >>> model = MultinomialNB().fit(X, ["sport", "sport", "music", "music"])
    >>> model.predict([[1, 0, 1]])
    array(['sport'], dtype='<U5')
    >>> model.explain([[1, 0, 1]]).shares[0]
    Share(feature=0, value=1, nats=1.51..., counted=True)
    """

    _nonnegative = True

    def _event(self) -> Multinomial:
        return Multinomial(self._check_alpha())


class ComplementNB(Words):
    """Counts of words, judged by what all other classes say; for classes of uneven size.

    Parameters are those of MultinomialNB, and `norm`: whether the weights of each class are divided by their sum.
    The prior has no say, as in scikit-learn, unless there is one class only.

    Examples
    --------
    >>> ComplementNB().fit([[2, 0], [0, 3]], ["sport", "music"]).predict([[1, 0]])
    array(['sport'], dtype='<U5')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {**Discrete._parameter_constraints, "norm": ["boolean"]}
    _nonnegative = True

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    def _event(self) -> Complement:
        return Complement(self._check_alpha(), normalize=self.norm)

    def _renew(self) -> None:
        super()._renew()
        self._model.prior = Uniform()

    @property
    def feature_all_(self) -> Array:
        """How often each word stands in all classes."""
        return np.asarray(self.feature_count_.sum(axis=0))

    def predict_joint_log_proba(self, X: Any) -> Array:
        """Return the score of every row for every class."""
        scores = self._ask(X, Model.log_likelihood)
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


class BernoulliNB(Words):
    """Columns of yes and no: every word there or not.

    Parameters are those of MultinomialNB, and `binarize`: cells above it are 1; None: cells must be 0 or 1.

    Examples
    --------
    >>> BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"]).predict([[1, 0]])
    array(['a'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Discrete._parameter_constraints,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    def _event(self) -> Bernoulli:
        return Bernoulli(self._check_alpha(), binarize=self.binarize)


class CategoricalNB(Discrete):
    """Columns of categories 0, 1, 2, ...: every column draws its category from the class's.

    Parameters are those of MultinomialNB, and `min_categories`: how many categories there are at least, one number or
    one per column. A category never learned is as likely as one with a count of zero.

    Examples
    --------
    >>> model = CategoricalNB().fit([[0, 1], [0, 0], [1, 1], [1, 2]], ["a", "a", "b", "b"])
    >>> model.predict([[0, 5]])
    array(['a'], dtype='<U1')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Discrete._parameter_constraints,
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
    }
    _reading: ClassVar[dict[str, Any]] = {"dtype": "int", "ensure_all_finite": True}
    _nonnegative = True
    _types = (np.dtype("int64"),)

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags

    def _event(self) -> Design:
        alpha = np.broadcast_to(self._check_alpha(), self.n_features_in_).tolist()
        each = list(zip(alpha, self._sizes(), strict=True))
        made = {(a, k): Categorical(a, vocabulary=k) for a, k in set(each)}
        return Product({column: made[one] for column, one in enumerate(each)})

    def _sizes(self) -> list[int]:
        """How many categories each column has: the largest learned and one, or min_categories."""
        parts = self._model.evidence.parts
        columns = range(self.n_features_in_)
        seen = [max(map(int, cast(Any, parts[j].features)), default=0) + 1 if j in parts else 1 for j in columns]
        if self.min_categories is None:
            return seen
        least = np.asarray(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.ndim and least.shape != (len(seen),):
            raise ValueError(
                f"'min_categories' should have shape ({len(seen)},) when an array-like is provided. "
                f"Got {least.shape} instead."
            )
        return list(map(max, seen, np.broadcast_to(least, len(seen)).tolist()))

    def _add(self, X: Any, classes: Index, Y: ClassWeights) -> None:
        fresh = self._model.tally(self._blocks(X), classes, Y)
        if any(min(cast(Any, part.features), default=0) < 0 for part in fresh.parts.values()):
            check_non_negative(X, "CategoricalNB (input X)")
        self._model.absorb(fresh)
        self._renew()

    def _checked(self, X: Any) -> Any:
        X = super()._checked(X)
        check_non_negative(X, "CategoricalNB (input X)")
        return X

    @property
    def n_categories_(self) -> Integers:
        """How many categories each column has: the largest learned and one, or min_categories."""
        each = cast(Product, self._of_fit("n_categories_").event).events.values()
        return np.array([min(cast(int, cast(Categorical, e).vocabulary), 2**63 - 1) for e in each], dtype=np.int64)

    @property
    def category_count_(self) -> list[Array]:
        """How often each category stands in each class, column by column."""
        return [stats.count for _, stats in self._columns("category_count_")]

    @property
    def feature_log_prob_(self) -> list[Array]:
        """Log P(category | class), column by column."""
        return [event.weights(stats)[0] for event, stats in self._columns("feature_log_prob_")]

    def _columns(self, name: str) -> list[tuple[CountEvent, Any]]:
        """The event of each column, and its counts with a column for every category up to the largest."""
        model, columns = self._of_fit(name), []
        for (j, event), size in zip(cast(Product, model.event).events.items(), self.n_categories_, strict=True):
            part = model.evidence.parts[j]
            count = np.zeros((len(self.classes_), size))
            count[:, cast(list[int], list(part.features))] = cast(Sums, model.stats(part)).count
            columns.append((cast(CountEvent, event), Sums(documents=count.sum(axis=1), count=count)))
        return columns
