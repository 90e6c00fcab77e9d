"""Heavy tails."""

import numpy as np
import pytest
from scipy import optimize, stats

from plainbayes import InputError, Model
from plainbayes.events import StudentT

RNG = np.random.default_rng(25)
X = RNG.standard_t(3, size=(80, 3)) * [1.0, 30.0, 1e-3] + [0.0, 500.0, -2.0]
Y = ["a", "b"] * 40
ROWS = RNG.standard_t(2, size=(9, 3)) * [1.0, 30.0, 1e-3] + [0.0, 500.0, -2.0]


def estimate(X, y, weight=None, **beliefs):
    model = Model(StudentT(**beliefs)).learn(X, y, weight)
    return model.parameters(None, model.event)


def best(x, df, weight=None):
    """Location and spread that maximise the likelihood of scipy's t; its own fit stops early."""
    centre, unit = np.median(x), np.abs(x - np.median(x)).mean()
    z = (x - centre) / unit

    def cost(p):
        return -np.average(stats.t.logpdf(z, df, p[0], np.exp(p[1])), weights=weight)

    start = np.zeros(2)
    for _ in range(3):
        options = {"xatol": 1e-12, "fatol": 1e-16, "maxiter": 10_000}
        start = optimize.minimize(cost, start, method="Nelder-Mead", tol=1e-14, options=options).x
    return centre + unit * start[0], unit * np.exp(start[1])


@pytest.mark.parametrize("df", [1.0, 4.0, 30.0])
def test_estimates_are_the_maximum_of_the_likelihood_of_scipy(df):
    theta = estimate(X, Y, floor=1e-14, df=df)
    for place, own in enumerate((X[::2], X[1::2])):
        for column in range(3):
            location, spread = best(own[:, column], df)
            assert theta.location[place, column] == pytest.approx(location, abs=1e-6 * spread)
            assert theta.spread[place, column] == pytest.approx(spread, rel=1e-6)


def test_weights_are_repeated_rows():
    weight = RNG.integers(1, 5, 80)
    mine, repeated = estimate(X, Y, weight), estimate(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_allclose(mine.location, repeated.location, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(mine.spread, repeated.spread, rtol=1e-9)


@pytest.mark.parametrize("df", [0.5, 1.0, 4.0, 1000.0])
def test_densities_are_those_of_scipy(log_prob, df):
    theta = estimate(X, Y, df=df)
    expected = [stats.t.logpdf(ROWS, df, theta.location[c], theta.spread[c]).sum(axis=1) for c in range(2)]
    np.testing.assert_allclose(log_prob(StudentT(df=df), X, Y, ROWS), np.transpose(expected), rtol=1e-10)


def test_many_degrees_of_freedom_are_the_bell_curve():
    theta = estimate(X[:, :1], ["a"] * 80, df=1e7)
    assert theta.location[0, 0] == pytest.approx(X[:, 0].mean(), abs=1e-3)
    assert theta.spread[0, 0] == pytest.approx(X[:, 0].std(), rel=1e-3)


def test_an_outlier_hardly_moves_the_estimate():
    x = RNG.normal(size=(200, 1))
    theta, spoilt = estimate(x, ["a"] * 200), estimate(np.vstack([x, [[1e9]]]), ["a"] * 201)
    assert spoilt.location[0, 0] == pytest.approx(theta.location[0, 0], abs=0.05)
    assert spoilt.spread[0, 0] == pytest.approx(theta.spread[0, 0], rel=0.1)


def test_where_most_observations_are_the_same_the_spread_is_the_floor():
    """The likelihood has no maximum above 0 then; by hand: floor x spread of the whole column."""
    X, y = [[3.0]] * 9 + [[5.0]] + [[0.0], [1.0], [2.0]], ["a"] * 10 + ["b"] * 3
    model = Model(StudentT(floor=1e-6)).learn(X, y)
    theta = model.parameters(None, model.event)
    assert theta.location[0, 0] == pytest.approx(3.0, abs=1e-3)
    (scale,) = model.frozen().event.scale
    assert theta.spread[0, 0] == pytest.approx(1e-6 * (scale or 1.0), rel=1e-9)
    assert theta.spread[1, 0] > 0.1


def test_where_half_of_the_observations_are_the_same_the_search_ends_all_the_same():
    """The likelihood of a Cauchy grows ever more slowly towards a spread of 0 there."""
    theta = estimate([[-1.0], [0.0], [0.0], [1.0]], ["a"] * 4, df=1.0)
    assert theta.location[0, 0] == 0
    assert 0 < theta.spread[0, 0] < 0.05


def test_equal_observations_are_no_reason_for_a_warning():
    theta = estimate([[2.0], [2.0], [5.0], [5.0]], list("aabb"), floor=0.01)
    assert theta.location[:, 0].tolist() == [2.0, 5.0] and (theta.spread > 0).all()


@pytest.mark.parametrize(("settings", "needs"), [({"df": 0}, "a finite df > 0"), ({"floor": 0}, "floor > 0")], ids=str)
def test_settings_that_make_no_sense_are_refused(settings, needs):
    with pytest.raises(InputError, match=f"student t needs {needs}, got 0"):
        StudentT(**settings)
