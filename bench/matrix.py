"""The drop-in classes against scikit-learn's, whose answers they must give; one thread each.

scikit-learn's fit computes the log probabilities too, ours waits for them to be asked for: so fitting is timed without
and with them. Memory is that of a whole Python process.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import naive_bayes

from bench.timing import compare, compare_programs
from plainbayes import sklearn as door

HOMES = {"scikit-learn": naive_bayes, "plainbayes": door}
MODULES = {"scikit-learn": "sklearn.naive_bayes", "plainbayes": "plainbayes.sklearn"}
ATTRIBUTES = {"GaussianNB": "var_", "CategoricalNB": "feature_log_prob_"}


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """CSR 200,000 x 50,000; dense 1,000,000 x 50; categories 1,000,000 x 30; small calls, imports, memory."""
    return [row for cases in (counts, numbers, categories, imports, memory) for row in cases(options.scale)]


def counts(scale: float) -> Iterator[dict[str, Any]]:
    """72 non-zeros a row, 20 classes."""
    rng = np.random.default_rng(0)
    rows, width, entries = int(200_000 * scale), 50_000, 72
    columns = rng.integers(0, width, rows * entries)
    X = sp.csr_matrix((np.ones(rows * entries), columns, np.arange(0, rows * entries + 1, entries)), (rows, width))
    X.sum_duplicates()
    y = rng.integers(0, 20, rows)
    few = X[:100], y[:100]
    for name in ("MultinomialNB", "BernoulliNB", "ComplementNB"):
        models = yield from both(f"{name}, CSR", name, X, y)
        for kind, row in {"CSR": X[:1], "dense": X[:1].toarray()}.items():
            yield from asked(f"{name}, one {kind} row: predict", models, row, repeat=7, number=20)
        jobs = {system: lambda m=model: m.partial_fit(*few) for system, model in models.items()}
        yield from compare(f"{name}: partial_fit of 100 rows", jobs, repeat=7, number=5)


def numbers(scale: float) -> Iterator[dict[str, Any]]:
    """50 normal columns, 5 classes."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(int(1_000_000 * scale), 50))
    models = yield from both("GaussianNB, dense", "GaussianNB", X, rng.integers(0, 5, len(X)))
    yield from asked("GaussianNB, one row: predict", models, X[:1], repeat=7, number=50)


def categories(scale: float) -> Iterator[dict[str, Any]]:
    """30 columns of 20 categories, 5 classes."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 20, (int(1_000_000 * scale), 30))
    models = yield from both("CategoricalNB", "CategoricalNB", X, rng.integers(0, 5, len(X)))
    yield from asked("CategoricalNB, one row: predict", models, X[:1], repeat=7, number=50)


def both(case: str, name: str, X: Any, y: Any) -> Iterator[dict[str, Any]]:
    """Fit and predict; returns the fitted models, whose answers have been compared."""
    models = {system: getattr(home, name)() for system, home in HOMES.items()}
    attribute = ATTRIBUTES.get(name, "feature_log_prob_")
    yield from compare(f"{case}: fit", {system: lambda m=model: m.fit(X, y) for system, model in models.items()})
    whole = {system: lambda m=model: getattr(m.fit(X, y), attribute) for system, model in models.items()}
    yield from compare(f"{case}: fit and {attribute}", whole)
    yield from asked(f"{case}: predict", models, X)
    theirs, ours = models.values()
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    few = X[:1000]
    expected = theirs.predict_log_proba(few)
    np.testing.assert_allclose(ours.predict_log_proba(few), expected, rtol=1e-9, atol=1e-9)
    return models


def asked(case: str, models: dict[str, Any], X: Any, **times: int) -> Iterator[dict[str, Any]]:
    """Predict."""
    yield from compare(case, {system: lambda m=model: m.predict(X) for system, model in models.items()}, **times)


def imports(scale: float) -> Iterator[dict[str, Any]]:
    """A Python that imports and stops; one that does nothing for comparison."""
    programs = {"scikit-learn": "import sklearn.naive_bayes", "plainbayes": "import plainbayes", "nothing": "pass"}
    yield from compare_programs("import", programs, "cpu_seconds")


def memory(scale: float) -> Iterator[dict[str, Any]]:
    """Fit and predict of a big matrix, and of 2,000 classes."""
    many = """
import numpy as np, scipy.sparse as sp
from {module} import MultinomialNB
rng = np.random.default_rng(3)
X = sp.random_array(({rows}, {width}), density={density}, format="csr", rng=rng)
y = rng.integers(0, {classes}, {rows})
MultinomialNB().fit(X, y).predict(X)
"""
    sizes = {
        "100,000 x 20,000, 20 classes: memory": {"rows": 100_000, "width": 20_000, "density": 0.002, "classes": 20},
        "50,000 x 1,000, 2,000 classes: memory": {"rows": 50_000, "width": 1_000, "density": 0.01, "classes": 2_000},
    }
    for case, size in sizes.items():
        programs = {system: many.format(module=module, **size) for system, module in MODULES.items()}
        yield from compare_programs(case, programs, "peak_mb", repeat=2)
