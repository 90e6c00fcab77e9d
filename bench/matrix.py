"""Learning and scoring matrices, against scikit-learn's naive Bayes; answers must agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import naive_bayes

from bench.timing import compare
from plainbayes import Model
from plainbayes.events import Bernoulli, Complement, Gaussian, Multinomial


def run(scale: float = 1.0) -> list[dict[str, Any]]:
    """CSR of 200,000 x 50,000 with 72 entries a row and 20 classes; dense 1,000,000 x 50 with 5 classes."""
    rng = np.random.default_rng(0)
    rows, width, entries = int(200_000 * scale), 50_000, 72
    columns = rng.integers(0, width, rows * entries)
    X = sp.csr_matrix((np.ones(rows * entries), columns, np.arange(0, rows * entries + 1, entries)), (rows, width))
    X.sum_duplicates()
    y = rng.integers(0, 20, rows)
    binary = (X > 0).astype(float)
    results = []
    pairs = {
        "multinomial": (naive_bayes.MultinomialNB(), Multinomial(), X),
        "bernoulli": (naive_bayes.BernoulliNB(binarize=None), Bernoulli(), binary),
        "complement": (naive_bayes.ComplementNB(), Complement(), X),
    }
    for name, (theirs, event, data) in pairs.items():
        results += compare(
            f"{name} fit, CSR",
            {
                "scikit-learn": lambda t=theirs, d=data: t.fit(d, y),
                "plainbayes": lambda e=event, d=data: learned(e, d, y),
            },
        )
        ours = learned(event, data, y)
        results += compare(
            f"{name} predict, CSR",
            {"scikit-learn": lambda t=theirs, d=data: t.predict(d), "plainbayes": lambda m=ours, d=data: m.decide(d)},
        )
    dense = rng.normal(size=(int(1_000_000 * scale), 50))
    labels = rng.integers(0, 5, len(dense))
    theirs = naive_bayes.GaussianNB()
    results += compare(
        "gaussian fit, dense",
        {"scikit-learn": lambda: theirs.fit(dense, labels), "plainbayes": lambda: learned(Gaussian(), dense, labels)},
    )
    ours = learned(Gaussian(), dense, labels)
    results += compare(
        "gaussian predict, dense",
        {"scikit-learn": lambda: theirs.predict(dense), "plainbayes": lambda: ours.decide(dense)},
    )
    return results


def learned(event: Any, X: Any, y: Any) -> Model:
    """Return a model that has learned the rows and is ready to answer."""
    model = Model(event).learn(X, y)
    model.parameters(None, event)
    return model
