"""To and from the parameters of Spark MLlib's own naive Bayes: pi (priors), theta, and sigma for Gaussians.

MLlib throws counts away. A model made of its parameters answers as MLlib does, but has nothing to go on learning from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from pyspark.ml.linalg import DenseMatrix, DenseVector

from plainbayes import events
from plainbayes.documents import TextClassifier
from plainbayes.errors import listed
from plainbayes.event import Linear, required
from plainbayes.events.bernoulli import Bernoulli
from plainbayes.events.complement import Complement
from plainbayes.events.gaussian import Gaussian
from plainbayes.events.multinomial import Multinomial
from plainbayes.evidence import Evidence, Index, Label, Part
from plainbayes.model import Model
from plainbayes.numeric import Array
from plainbayes.priors import Given, Uniform
from plainbayes.stats import Moments, Stats, Sums

if TYPE_CHECKING:
    from pyspark.ml.classification import NaiveBayesModel

KINDS = (Multinomial, Bernoulli, Complement, Gaussian)


class Parameters(NamedTuple):
    """What MLlib's NaiveBayesModel holds: logarithms of priors, theta and sigma, a row for each class."""

    kind: str
    classes: tuple[Label, ...]
    pi: DenseVector
    theta: DenseMatrix
    sigma: DenseMatrix | None


def to_mllib(model: Model | TextClassifier) -> Parameters:
    """Return the parameters of a model as MLlib has them; columns stand in the order of the features."""
    if isinstance(model, TextClassifier):
        hint = 'train with effort="plain"'
        required(model.trust is None, "MLlib has no exponents of words, but the model has", hint)
        model = model.model
    event: Any = model.event
    names = listed(kind.__name__ for kind in KINDS)
    required(type(event) in KINDS, f"an event that MLlib has was expected, got {event!r:.60}", f"there are {names}")
    estimated, pi = model.parameters(None, event), DenseVector(model.log_prior)
    if isinstance(event, Gaussian):
        return Parameters(event.name, model.classes, pi, _matrix(estimated.mean), _matrix(estimated.variance))
    theta = cast(Linear, estimated).table[:-1].T
    if isinstance(event, Bernoulli):
        theta = -np.log1p(np.exp(-theta))  # the weight is the log odds of presence
    return Parameters(event.name, model.classes, pi, _matrix(theta), None)


def from_mllib(model: NaiveBayesModel, classes: Sequence[Label] | None = None) -> Model:
    """Return a model that answers as one of MLlib's does; without `classes` they are 0.0, 1.0, ..."""
    kind, pi, theta = model.getModelType(), model.pi.toArray(), np.ascontiguousarray(model.theta.toArray())
    names = [float(place) for place in range(len(pi))] if classes is None else list(classes)
    required(len(names) == len(pi), f"{len(pi)} classes were expected, got {len(names)}")
    prior = Given(dict(zip(names, np.exp(pi).tolist(), strict=True)))
    one = np.ones(len(pi))
    if kind == "gaussian":
        moments = {"n": np.ones_like(theta), "mean": theta, "scatter": np.ascontiguousarray(model.sigma.toArray())}
        return _model(Model(Gaussian(floor=0.0, single="zero"), prior), names, Moments(**moments))
    present = np.exp(-theta if kind == "complement" else theta)
    if kind == "complement":
        # What the others have of a word is known: all have so much of it, each so much less.
        present = present.sum(axis=0) / max(1, len(pi) - 1) - present
    event = Bernoulli(alpha=0.0, binarize=0.0) if kind == "bernoulli" else events.named(kind, alpha=0.0)
    stats = Sums(documents=one, count=present, present=present)
    return _model(Model(event, Uniform() if kind == "complement" else prior), names, stats)


def _model(model: Model, classes: Sequence[Label], stats: Stats) -> Model:
    model.evidence = Evidence(Index(classes), Sums(n=np.ones(len(classes))))
    event: Any = model.event
    model.evidence.parts[None] = Part(Index(range(stats.shape[1])), stats, facts=event.facts)
    return model


def _matrix(rows: Array) -> DenseMatrix:
    return DenseMatrix(len(rows), rows.shape[1], rows.ravel().tolist(), True)
