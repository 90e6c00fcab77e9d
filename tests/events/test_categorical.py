"""A value out of K."""

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB

from plainbayes import Model, Product, Uniform
from plainbayes.events import Categorical


@pytest.fixture
def nominal():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 200)
    X = np.column_stack([(rng.integers(0, 5, 200) + y) % 5, rng.integers(0, 3, 200), rng.integers(0, 2, 200)])
    return X, y, rng.random(200)


@pytest.mark.parametrize("alpha", [1.0, 0.2])
@pytest.mark.parametrize("vocabulary", [None, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(nominal, alpha, vocabulary, weighted):
    X, y, weight = nominal
    weight = np.round(weight * 8) if weighted else None
    theirs = CategoricalNB(alpha=alpha, min_categories=vocabulary).fit(X, y, weight)
    model = Model(Categorical(alpha, vocabulary)).learn(X, y, weight)
    np.testing.assert_allclose(model.posterior(X).log_probabilities, theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_every_column_has_its_own_categories():
    model = Model("categorical").learn([["red", 1], ["blue", 2], ["blue", 3]], ["a", "b", "b"])
    assert {key: sorted(map(str, part.features)) for key, part in model.evidence.parts.items()} == {
        0: ["blue", "red"],
        1: ["1", "2", "3"],
    }


def test_an_unseen_category_gets_the_smoothed_zero():
    """By hand: K = 2; red 1/(1 + 2) for n_a = 1 against 1/(3 + 2) for n_b = 3 (SPEC, section 3)."""
    model = Model("categorical", Uniform()).learn({"c": ["red", "blue", "blue", "red"]}, ["a", "b", "b", "b"])
    p = model.posterior({"c": ["green"]}).probabilities[0]
    assert p[0] / p[1] == pytest.approx((1 / 3) / (1 / 5), rel=1e-12)
    quiet = Model(Categorical(unknown="ignore"), Uniform()).learn({"c": ["red", "blue"]}, ["a", "b"])
    np.testing.assert_allclose(quiet.posterior({"c": ["green"]}).probabilities, [[0.5, 0.5]])


def test_without_smoothing_an_unseen_category_leaves_the_prior_and_nothing_is_nan():
    model = Model(Categorical(alpha=0)).learn({"c": ["red", "blue", "blue"]}, ["a", "b", "b"])
    found = model.posterior({"c": ["red", "green", "blue", None]})
    np.testing.assert_allclose(found.probabilities, [[1, 0], [1 / 3, 2 / 3], [0, 1], [1 / 3, 2 / 3]])
    assert found.silent.tolist() == [False, True, False, False]
    assert "the prior decides" in str(model.explain({"c": ["green"]}))


def test_a_category_that_was_unlearned_leaves_no_trace():
    model = Model("categorical").learn({"c": ["red", "blue", "green"]}, ["a", "b", "b"])
    model.unlearn({"c": ["green"]}, ["b"])
    assert model.evidence == Model("categorical").observe({"c": ["red", "blue"]}, ["a", "b"])


def test_several_columns_of_a_product_are_parts_of_their_own():
    table = {"city": ["Rome", "Oslo"], "tree": ["oak", "fir"]}
    both = Model(Product({("city", "tree"): Categorical()})).observe(table, ["a", "b"])
    assert both == Model("categorical").observe(table, ["a", "b"])
    assert list(both.parts) == ["city", "tree"]
