"""What all classifiers behind this door share: a Model inside, scikit-learn's manners outside."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from plainbayes.errors import InputError, listed
from plainbayes.evidence import Index
from plainbayes.explain import Explanation
from plainbayes.losses import Loss
from plainbayes.matrix import ClassWeights
from plainbayes.model import Model
from plainbayes.numeric import Array, Integers
from plainbayes.observations import Blocks, distinct, weights
from plainbayes.sklearn.html import Html

Answer = TypeVar("Answer")


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """If learning fails, the estimator is what it was before."""
    before = vars(estimator).copy()
    model = before.get("_model")
    beliefs = None if model is None else (model.event, model.prior, model.declared)
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        if beliefs is not None:
            model.event, model.prior, model.declared = beliefs
        raise


def together(*classes: Any) -> Any:
    """Return the classes of several arrays, sorted; text and numbers are not mixed."""
    text = [any(isinstance(c, str) for c in np.asarray(each).tolist()) for each in classes if len(each)]
    if any(text) and not all(text):
        came = listed([c for each in classes for c in np.asarray(each).tolist()])
        raise InputError(f"classes of one type were expected, got {came}")
    return distinct(np.concatenate(classes))[0]


class Classifier(Html, ClassifierMixin, BaseEstimator):
    """Predictions, decisions, explanations, unlearning and merging, all of them the Model's.

    What is fitted is `_model` and `classes_`; other attributes are read off the model when asked for.
    """

    _model: Model
    classes_: Any

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def _fitted(self) -> Model:
        try:
            return self._model
        except AttributeError:
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using it."
            ) from None

    def _known(self) -> Any:
        """Return the classes as an array of NumPy."""
        return self.classes_

    @abstractmethod
    def _checked(self, X: Any) -> Any:
        """Check rows to be judged."""

    def _ask(self, X: Any, question: Callable[[Model, Blocks], Answer]) -> Answer:
        """Put a question to the model about these rows."""
        model = self._fitted()
        return question(model, model.blocks(self._checked(X)))

    @abstractmethod
    def _read(self, X: Any, y: Any, first: bool) -> tuple[Any, Any]:
        """Check rows to be learned, and their labels."""

    def _labelled(self, y: Any, sample_weight: Any) -> tuple[Any, ClassWeights]:
        """Return the classes of y, sorted, and the class weights of the rows."""
        if y.dtype.kind not in "biuSU":
            lacking = [row for row, label in enumerate(y.tolist()) if label is None]
            if lacking:
                raise InputError(f"a label was expected, got None in row {lacking[0]}")
            check_classification_targets(y)
        classes, codes = distinct(y)
        given = None
        if sample_weight is not None:
            checked = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
            given = weights(checked, len(codes))
        return classes, ClassWeights(codes, len(classes), given)

    # Answers

    def predict(self, X: Any) -> Any:
        """Return the most probable class of every row."""
        return self._classes(self._ask(X, Model.likeliest))

    def _classes(self, places: Integers) -> Any:
        return self.classes_[places]

    def _answer(self, X: Any, table: Any) -> Any:
        """Return a table of rows by classes in the form that the rows have."""
        return table

    def predict_joint_log_proba(self, X: Any) -> Any:
        """Log P(class) + log P(row | class), for every row and class."""
        return self._answer(X, self._ask(X, Model.joint))

    def predict_log_proba(self, X: Any) -> Any:
        """Log P(class | row), for every row and class."""
        return self._answer(X, self._ask(X, Model.judge).log_probabilities)

    def predict_proba(self, X: Any) -> Any:
        """P(class | row), for every row and class."""
        return self._answer(X, self._ask(X, Model.judge).probabilities)

    def decide(self, X: Any, loss: Loss) -> Any:
        """Return the answer of least expected cost for every row: a class, or what else the loss allows.

        >>> import numpy as np
        >>> from plainbayes import Reject
        >>> from plainbayes.sklearn import GaussianNB
        >>> model = GaussianNB().fit(np.array([[1.0], [2.0], [8.0], [9.0]]), ["low", "low", "high", "high"])
        >>> model.decide([[1.2], [5.0]], Reject(0.1))
        array(['low', 'ask'], dtype=object)
        """
        if not isinstance(loss, Loss):
            raise InputError(f"a loss was expected, got {loss!r}", "as in decide(X, Reject(0.2))")
        answers = loss.act(self._ask(X, Model.judge))
        if isinstance(answers, np.ndarray):
            return answers
        table = np.empty(len(answers), dtype=object)
        table[:] = answers
        return table

    def explain(self, row: Any, against: Any = None, label: Any = None) -> Explanation:
        """Say why the most probable class (or `label`) is, against its strongest rival (or `against`).

        `row` is data with one row, in any form that `predict` takes.
        """
        said = self._ask(row, lambda model, blocks: model.explained(blocks, against, label))
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return said
        numbered = {column: str(name) for column, name in enumerate(names)}
        return replace(said, shares=tuple(s._replace(feature=numbered.get(s.feature, s.feature)) for s in said.shares))

    # Learning in parts

    def unlearn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows away again, exactly; refused, with nothing changed, if they cannot have been learned."""
        model = self._fitted()
        with all_or_nothing(self):
            X, y = self._read(X, y, first=False)
            classes, Y = self._labelled(y, sample_weight)
            self._renew()
            model.evidence -= model.tally(self._blocks(X), Index(classes.tolist()), Y)
            self._renew()
        return self

    def _blocks(self, X: Any) -> Blocks:
        """Rows that have been checked, as blocks."""
        return self._fitted().blocks(X)

    def _renew(self) -> None:
        """Bring what is believed up to date with what was learned."""

    def __radd__(self, other: Any) -> Self:
        return self if other == 0 else NotImplemented  # sum() begins with 0

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, Classifier) or not (isinstance(other, type(self)) or isinstance(self, type(other))):
            raise InputError(f"a fitted {type(self).__name__} was expected, got {other!r:.60}")
        mine, theirs = self._fitted(), other._fitted()
        names = [list(getattr(one, "feature_names_in_", ())) for one in (self, other)]
        if names[0] != names[1]:
            raise InputError(f"the same columns were expected, got {listed(names[0])} and {listed(names[1])}")
        new: Self = clone(self)
        new.__dict__.update(vars(self))
        new.classes_ = together(self._known(), other._known())
        new._model = mine + theirs
        new._model.declared = tuple(new.classes_.tolist())
        new._renew()
        return new


def read_only(array: Array) -> Array:
    """Return a view that cannot be written to: what was learned changes by learning."""
    view = array.view()
    view.flags.writeable = False
    return view
