"""Rare events."""

import numpy as np
import pytest
from scipy import stats

from plainbayes import InputError, Model, Uniform
from plainbayes.events import Poisson

X, Y = [[0, 7], [2, 9], [5, 0], [4, 1], [6, 3]], ["a", "a", "b", "b", "b"]
ROWS = [[0, 0], [3, 1], [12, 40], [1, 1000]]


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (0.5, 3.0), (2.0, 0.0)])
def test_densities_are_those_of_scipy(log_prob, alpha, beta):
    """By hand: sums (2, 16) of 2 rows and (15, 4) of 3 rows; rate (s + alpha) / (n + beta)."""
    rates = [(np.array([2, 16]) + alpha) / (2 + beta), (np.array([15, 4]) + alpha) / (3 + beta)]
    expected = np.column_stack([stats.poisson.logpmf(ROWS, rate).sum(axis=1) for rate in rates])
    np.testing.assert_allclose(log_prob(Poisson(alpha, beta), X, Y, ROWS), expected, rtol=1e-12)
    assert Poisson(alpha, beta).proper == "values"


def test_a_rate_of_zero_allows_nothing_but_zero_and_nothing_is_nan():
    model = Model(Poisson(alpha=0, beta=0)).learn([[0], [0], [3], [1]], ["a", "a", "b", "b"])
    found = model.posterior([[0], [2]])
    np.testing.assert_allclose(found.probabilities, [[1 / (1 + np.exp(-2)), 1 - 1 / (1 + np.exp(-2))], [0, 1]])
    silent = Model(Poisson(alpha=0), Uniform()).learn([[0], [0]], ["a", "b"]).posterior([[4]])
    assert silent.silent.all()
    np.testing.assert_array_equal(silent.probabilities, [[0.5, 0.5]])


def test_a_missing_cell_says_nothing_even_where_the_rate_is_zero():
    model = Model(Poisson(alpha=0)).learn({"x": [0, 0, 5]}, ["a", "a", "b"])
    np.testing.assert_allclose(model.posterior({"x": [None]}).probabilities, [[2 / 3, 1 / 3]])


@pytest.mark.parametrize("settings", [{"alpha": -1}, {"beta": -0.5}, {"alpha": float("nan")}], ids=str)
def test_settings_that_make_no_sense_are_refused(settings):
    given = {"alpha": 1.0, "beta": 1.0, **settings}
    with pytest.raises(InputError) as error:
        Poisson(**settings)
    assert error.value.message == f"poisson needs alpha, beta >= 0, got alpha={given['alpha']}, beta={given['beta']}"
