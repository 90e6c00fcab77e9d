"""The bell curve."""

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from plainbayes import InputError, Model, Smoothed
from plainbayes.events import Gaussian


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [1e-9, 0.1])
def test_scikit_learn_agrees(log_prob, weighted, smoothing):
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 120)
    X = rng.normal(size=(120, 5)) * [1, 2, 0.1, 30, 5] + y[:, None]
    weight = rng.integers(1, 6, 120).astype(float) if weighted else None
    theirs = GaussianNB(var_smoothing=smoothing).fit(X, y, weight)
    event = Gaussian(floor=smoothing, scale=float(X.var(axis=0).max()))
    model = Model(event).learn(X, y, weight)
    joint = log_prob(event, X, y, X, weight) + model.log_prior
    np.testing.assert_allclose(joint, theirs.predict_joint_log_proba(X), rtol=1e-9)
    np.testing.assert_allclose(model.posterior(X).log_probabilities, theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("variance", "ddof"), [("ml", 0), ("unbiased", 1)])
def test_densities_are_those_of_scipy(log_prob, variance, ddof):
    rng = np.random.default_rng(9)
    X, y, rows = rng.normal(3, 2, size=(30, 2)), ["a", "b"] * 15, rng.normal(size=(7, 2))
    found = log_prob(Gaussian(variance, floor=1e-15), X, y, rows)
    for place, own in enumerate((X[::2], X[1::2])):
        expected = stats.norm.logpdf(rows, own.mean(axis=0), own.std(axis=0, ddof=ddof)).sum(axis=1)
        np.testing.assert_allclose(found[:, place], expected, rtol=1e-9)


@pytest.mark.parametrize(("variance", "expected"), [("ml", [1, 1, 1]), ("unbiased", [2, 2, 2])], ids=["ml", "unbiased"])
def test_one_observation_gets_the_pooled_variance_within_classes(variance, expected):
    """By hand: scatters 2, 2 and 0 of 2, 2 and 1 rows; pooled 4 / (2 + 2) or 4 / (1 + 1) (SPEC, section 3)."""
    event = Gaussian(variance, floor=1e-15)
    model = Model(event).learn([[1.0], [3.0], [7.0], [9.0], [50.0]], ["a", "a", "b", "b", "c"])
    theta = model.parameters(None, event)
    np.testing.assert_allclose(theta.variance[:, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(theta.mean[:, 0], [2, 8, 50], rtol=1e-12)


def test_where_no_class_has_two_the_variance_is_that_of_the_whole_column():
    event = Gaussian(floor=1e-15)
    model = Model(event).learn([[1.0], [3.0], [8.0]], ["a", "b", "c"])
    np.testing.assert_allclose(model.parameters(None, event).variance[:, 0], np.var([1, 3, 8]), rtol=1e-9)


def test_the_floor_is_a_share_of_each_columns_own_variance():
    event = Gaussian(floor=0.01)
    model = Model(event).learn([[1.0, 5.0], [1.0, 5.0], [3.0, 5.0], [3.0, 5.0]], ["a", "a", "b", "b"])
    np.testing.assert_allclose(model.parameters(None, event).variance, [[0.01, 0.01], [0.01, 0.01]], rtol=1e-12)
    frozen = event.freeze(model.evidence.parts[None].stats)
    assert frozen.scale == (1.0, 0.0)
    each = Gaussian(floor=0.5, scale=(2.0, 8.0)).estimate(model.evidence.parts[None].stats)
    np.testing.assert_allclose(each.variance, [[1.0, 4.0], [1.0, 4.0]], rtol=1e-12)


def test_the_fast_score_is_the_sum_of_the_shares():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(20, 4))
    X[rng.random(X.shape) < 0.3] = np.nan
    X[:, 3] = np.nan  # a column that nobody has seen says nothing
    model = Model("gaussian", missing="skip").learn(X, ["a", "b"] * 10)
    event, theta = model.event, model.parameters(None, model.event)
    rows = rng.normal(size=(5, 4))
    rows[0, 1] = np.nan
    scores = event.log_prob(theta, rows)
    for row in range(5):
        bias, shares = event.shares(theta, rows[row : row + 1])
        np.testing.assert_allclose(bias + shares.sum(axis=1), scores[row], rtol=1e-12)
        assert shares[:, 3].tolist() == [0, 0]


def test_a_class_that_never_saw_a_column_is_judged_by_all_rows_together():
    model = Model(Gaussian(floor=1e-15), Smoothed()).learn(
        {"x": [1.0, 3.0, None], "z": [0.0, 1.0, 9.0]}, ["a", "a", "b"]
    )
    theta = model.parameters(None, model.event)
    assert theta.mean[:, 0].tolist() == [2, 2]
    np.testing.assert_allclose(theta.variance[:, 0], [1, 1], rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"variance": "mle"}, "gaussian needs variance 'ml' or 'unbiased', got 'mle'"),
        ({"floor": -1}, "gaussian needs floor >= 0, got -1"),
        ({"floor": float("nan")}, "gaussian needs floor >= 0, got nan"),
        ({"single": "own"}, "gaussian needs single 'pooled' or 'zero', got 'own'"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError) as error:
        Gaussian(**settings)
    assert error.value.message == message


def test_the_floor_may_be_a_share_of_the_largest_variance():
    """As in scikit-learn: floor times the largest variance of all columns is added to every variance."""
    X = np.array([[1.0, 10.0], [2.0, 30.0], [4.0, 70.0], [8.0, 20.0]])
    event = Gaussian(floor=0.1, scale="largest")
    model = Model(event).learn(X, ["a", "a", "b", "b"])
    added = 0.1 * X.var(axis=0).max()
    expected = np.array([X[:2].var(axis=0), X[2:].var(axis=0)]) + added
    np.testing.assert_allclose(model.parameters(None, event).variance, expected, rtol=1e-14)
    assert model.frozen().event.scale == pytest.approx([X.var(axis=0).max()] * 2)


def test_one_observation_may_be_left_without_a_variance():
    X, y = np.array([[1.0], [3.0], [9.0]]), ["a", "a", "b"]
    zero, pooled = (Gaussian(floor=0.5, scale=1.0, single=single) for single in ("zero", "pooled"))
    found = [Model(event).learn(X, y).parameters(None, event).variance for event in (zero, pooled)]
    np.testing.assert_allclose(found, [[[1.5], [0.5]], [[1.5], [1.5]]], rtol=1e-14)


def test_no_floor_leaves_a_constant_column_the_least_variance():
    event = Gaussian(floor=0.0)
    model = Model(event).learn([[1.0], [1.0], [2.0], [2.0]], ["a", "a", "b", "b"])
    assert (model.parameters(None, event).variance > 0).all()
    np.testing.assert_array_equal(model.posterior([[1.0], [2.0]]).probabilities, [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"floor": -1.0}, "gaussian needs floor >= 0, got -1.0"),
        ({"single": "none"}, "gaussian needs single 'pooled' or 'zero', got 'none'"),
    ],
    ids=["floor", "single"],
)
def test_settings_of_the_variance_are_checked(settings, message):
    with pytest.raises(InputError) as error:
        Gaussian(**settings)
    assert error.value.message == message
