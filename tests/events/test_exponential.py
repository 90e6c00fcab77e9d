"""Waiting times."""

import numpy as np
import pytest
from scipy import stats

from plainbayes import InputError, Model
from plainbayes.events import Exponential

X, Y = [[0.5, 7], [2, 9], [5, 0], [4, 1], [6, 3]], ["a", "a", "b", "b", "b"]
ROWS = [[0, 0], [3, 1], [12.5, 40], [1e-9, 1000]]


@pytest.mark.parametrize(
    ("event", "beta"),
    [
        (Exponential(beta=3.0), [3.0, 3.0]),
        (Exponential(alpha=0.5, beta=(3.0, 7.0)), [3.0, 7.0]),
        (Exponential(alpha=2.0), [2 * 17.5 / 5, 2 * 20 / 5]),
    ],
    ids=["beta", "beta of each column", "beta from the column"],
)
def test_densities_are_those_of_scipy(log_prob, event, beta):
    """By hand: sums (2.5, 16) of 2 rows and (15, 4) of 3 rows; rate (n + alpha) / (s + beta)."""
    rates = [(2 + event.alpha) / (np.array([2.5, 16]) + beta), (3 + event.alpha) / (np.array([15, 4]) + beta)]
    expected = np.column_stack([stats.expon.logpdf(ROWS, scale=1 / rate).sum(axis=1) for rate in rates])
    np.testing.assert_allclose(log_prob(event, X, Y, ROWS), expected, rtol=1e-12)


def test_smoothing_does_not_depend_on_the_unit_of_time():
    hours = Model("exponential").learn(X, Y).posterior(ROWS).probabilities
    seconds = Model("exponential").learn(np.multiply(X, 3600), Y).posterior(np.multiply(ROWS, 3600)).probabilities
    np.testing.assert_allclose(hours, seconds, rtol=1e-12)


def test_a_column_of_zeros_has_a_rate_all_the_same():
    model = Model("exponential").learn([[0.0], [0.0], [0.0]], ["a", "a", "b"])
    np.testing.assert_allclose(np.exp(model.posterior([[0.0]]).log_probabilities), [[6 / 8, 2 / 8]])


def test_freezing_keeps_the_beta_read_off_the_columns():
    model = Model("exponential").learn(X, Y)
    frozen = model.frozen().event
    np.testing.assert_allclose(frozen.beta, [17.5 / 5, 20 / 5])
    assert frozen.freeze(model.evidence.parts[None].stats) == frozen


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": 0}, "exponential needs alpha > 0, got 0"),
        ({"beta": 0}, "exponential needs beta > 0, got 0"),
        ({"beta": (1.0, -2.0)}, r"exponential needs beta > 0, got (1.0, -2.0)"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError) as error:
        Exponential(**settings)
    assert error.value.message == message


def test_waiting_times_may_be_measured_in_large_units():
    times, y = np.array([[1.0], [2.0], [50.0], [60.0]]), list("aabb")
    small = Model("exponential").learn(times * 1e-12, y).posterior(times * 1e-12).probabilities
    large = Model("exponential").learn(times, y).posterior(times).probabilities
    np.testing.assert_allclose(small, large, rtol=1e-9)
