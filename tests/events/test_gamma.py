"""Sums of waiting times."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma

from plainbayes import InputError, Model, Smoothed
from plainbayes.events import Gamma

RNG = np.random.default_rng(22)
SHAPES = [0.05, 0.7, 3.0, 400.0]
X = RNG.gamma(SHAPES, [1.0, 50.0, 0.01, 1.0], size=(80, 4))
Y = ["a", "b"] * 40
ROWS = RNG.gamma(SHAPES, [1.0, 50.0, 0.01, 1.0], size=(9, 4))


def estimate(X, y, **beliefs):
    model = Model(Gamma(**beliefs), missing="skip").learn(X, y)
    return model.parameters(None, model.event)


def test_estimates_are_the_maximum_likelihood_of_scipy():
    theta = estimate(X, Y, floor=1e-14)
    for place, own in enumerate((X[::2], X[1::2])):
        for column in range(4):
            shape, _, scale = stats.gamma.fit(own[:, column], floc=0)
            assert theta.shape[place, column] == pytest.approx(shape, rel=1e-6)
            assert theta.scale[place, column] == pytest.approx(scale, rel=1e-6)


def test_densities_are_those_of_scipy(log_prob):
    theta = estimate(X, Y)
    expected = [stats.gamma.logpdf(ROWS, theta.shape[c], scale=theta.scale[c]).sum(axis=1) for c in range(2)]
    np.testing.assert_allclose(log_prob(Gamma(), X, Y, ROWS), np.transpose(expected), rtol=1e-10)


@pytest.mark.parametrize("shape", [1e-3, 0.1, 1.0, 30.0, 1e4, 1e7])
def test_the_likelihood_equation_holds_for_shapes_of_any_size(shape):
    """log k - digamma(k) = log(mean x) - mean(log x) at the maximum; digamma of scipy."""
    x = np.maximum(np.random.default_rng(23).gamma(shape, 1.0, 500), 1e-100)
    k = estimate(x[:, None], ["a"] * 500, floor=1e-14).shape[0, 0]
    assert np.log(k) - digamma(k) == pytest.approx(np.log(x.mean()) - np.log(x).mean(), rel=1e-6, abs=1e-14)


def test_weights_are_repeated_rows():
    weight = RNG.integers(1, 5, 80)
    model = Model("gamma").learn(X, Y, weight)
    repeated = Model("gamma").learn(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(
        model.posterior(ROWS).log_probabilities, repeated.posterior(ROWS).log_probabilities, rtol=1e-7, atol=1e-7
    )


def test_equal_values_have_a_large_shape_and_no_infinite_one():
    theta = estimate([[3.0], [3.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    assert theta.shape[0, 0] == pytest.approx(0.5 / 1e-9, rel=1e-3)
    assert theta.shape[0, 0] * theta.scale[0, 0] == pytest.approx(3.0)


def test_one_observation_takes_the_pooled_shape_around_its_own_mean():
    """By hand: the spread of a class is log(mean) - mean(log); pooled by weight over the classes with two or more."""
    theta = estimate([[1.0], [4.0], [2.0], [3.0], [3.0], [9.0]], ["a", "a", "b", "b", "b", "c"], floor=1e-14)
    spread_a = np.log(2.5) - np.log([1.0, 4.0]).mean()
    spread_b = np.log(8 / 3) - np.log([2.0, 3.0, 3.0]).mean()
    k = theta.shape[2, 0]
    assert np.log(k) - digamma(k) == pytest.approx((2 * spread_a + 3 * spread_b) / 5, rel=1e-9)
    assert k * theta.scale[2, 0] == pytest.approx(9.0)


def test_where_no_class_has_two_the_shape_is_that_of_the_whole_column():
    x = [2.0, 3.0, 7.0]
    theta = estimate(np.transpose([x]), ["a", "b", "c"], floor=1e-14)
    shape, _, _ = stats.gamma.fit(x, floc=0)
    np.testing.assert_allclose(theta.shape[:, 0], shape, rtol=1e-6)
    np.testing.assert_allclose((theta.shape * theta.scale)[:, 0], x, rtol=1e-12)


def test_a_class_that_never_saw_a_column_is_judged_by_all_rows_together():
    model = Model("gamma", Smoothed()).learn({"x": [1.0, 3.0, None], "z": [5.0, 1.0, 9.0]}, ["a", "a", "b"])
    theta = model.parameters(None, model.event)
    np.testing.assert_allclose((theta.shape * theta.scale)[:, 0], [2.0, 2.0], rtol=1e-12)
    assert theta.shape[0, 0] == theta.shape[1, 0]


@pytest.mark.parametrize("value", [0.0, -2.0])
def test_values_that_are_not_positive_are_refused(value):
    with pytest.raises(InputError, match=f"gamma needs finite numbers > 0, got {value:g} in row 0, column 0"):
        Model("gamma").learn([[value]], ["a"])


def test_a_floor_of_nothing_is_refused():
    with pytest.raises(InputError, match="gamma needs floor > 0, got 0"):
        Gamma(floor=0)
