"""Two exponentials back to back."""

import numpy as np
import pytest
from scipy import stats

from plainbayes import InputError, Model, Smoothed
from plainbayes.events import Laplace

RNG = np.random.default_rng(24)
X = RNG.laplace([0.0, 1e4, -3.0], [1.0, 20.0, 1e-3], size=(61, 3))
Y = ["a", "b"] * 30 + ["a"]
ROWS = RNG.laplace([0.0, 1e4, -3.0], [2.0, 40.0, 1e-2], size=(9, 3))


def estimate(X, y, weight=None, **beliefs):
    model = Model(Laplace(**beliefs)).learn(X, y, weight)
    return model.parameters(None, model.event)


def test_estimates_are_the_maximum_likelihood_of_scipy():
    theta = estimate(X, Y, floor=1e-14)
    for place, own in enumerate((X[::2], X[1::2])):
        for column in range(3):
            location, scale = stats.laplace.fit(own[:, column])
            assert theta.location[place, column] == pytest.approx(location, rel=1e-12)
            assert theta.spread[place, column] == pytest.approx(scale, rel=1e-6)


def test_densities_are_those_of_scipy(log_prob):
    expected = np.zeros((len(ROWS), 2))
    for place, own in enumerate((X[::2], X[1::2])):
        centre = np.median(own, axis=0)
        expected[:, place] = stats.laplace.logpdf(ROWS, centre, np.abs(own - centre).mean(axis=0)).sum(axis=1)
    np.testing.assert_allclose(log_prob(Laplace(floor=1e-14), X, Y, ROWS), expected, rtol=1e-10)


def test_weights_are_repeated_rows():
    weight = RNG.integers(1, 5, 61)
    mine, repeated = estimate(X, Y, weight), estimate(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(mine.location, repeated.location, rtol=1e-14)
    np.testing.assert_allclose(mine.spread, repeated.spread, rtol=1e-12)


def test_one_observation_takes_the_average_spread_within_classes():
    """By hand: spreads 1 and 2 of 2 and 4 observations: (2 * 1 + 4 * 2) / 6."""
    theta = estimate([[0], [2], [10], [14], [10], [14], [50]], list("aabbbbc"), floor=1e-14)
    np.testing.assert_allclose(theta.spread[:, 0], [1.0, 2.0, 10 / 6], rtol=1e-12)
    np.testing.assert_allclose(theta.location[:, 0], [1.0, 12.0, 50.0], rtol=1e-12)


def test_where_no_class_has_two_the_spread_is_that_of_the_whole_column():
    """By hand: median 3, distances 2, 0 and 5."""
    theta = estimate([[1.0], [3.0], [8.0]], list("abc"), floor=1e-14)
    np.testing.assert_allclose(theta.spread[:, 0], 7 / 3, rtol=1e-12)


def test_the_floor_is_a_share_of_the_spread_of_the_whole_column_and_can_be_frozen():
    """By hand: equal values within classes; the whole column has median 2 and mean distance 1."""
    X, y = [[1.0, 5.0], [1.0, 5.0], [3.0, 5.0], [3.0, 5.0]], list("aabb")
    np.testing.assert_allclose(estimate(X, y, floor=0.01).spread, 0.01, rtol=1e-12)
    frozen = Model(Laplace(floor=0.01)).learn(X, y).frozen()
    assert frozen.event.scale == (1.0, 0.0)
    assert frozen.learn(X, y).frozen().event == frozen.event
    np.testing.assert_allclose(estimate(X, y, floor=0.5, scale=(2.0, 8.0)).spread, [[1.0, 4.0]] * 2, rtol=1e-12)


def test_a_class_that_never_saw_a_column_is_judged_by_all_rows_together():
    model = Model(Laplace(floor=1e-14), Smoothed()).learn(
        {"x": [1.0, 3.0, None], "z": [0.0, 1.0, 9.0]}, ["a", "a", "b"]
    )
    theta = model.parameters(None, model.event)
    assert theta.location[:, 0].tolist() == [2, 2]
    np.testing.assert_allclose(theta.spread[:, 0], [1, 1], rtol=1e-12)


def test_a_floor_of_nothing_is_refused():
    with pytest.raises(InputError, match="laplace needs floor > 0, got 0"):
        Laplace(floor=0)
