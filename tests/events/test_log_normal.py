"""Products of many small effects."""

import numpy as np
import pytest
from scipy import stats

from plainbayes import InputError, Model
from plainbayes.events import Gaussian, LogNormal

RNG = np.random.default_rng(21)
X = RNG.lognormal([0.5, 6.0, -3.0], [1.2, 0.3, 0.8], size=(60, 3))
Y = ["a", "b"] * 30
ROWS = RNG.lognormal([0.5, 6.0, -3.0], 1.0, size=(9, 3))


def test_densities_of_the_maximum_likelihood_estimate_are_those_of_scipy(log_prob):
    found = log_prob(LogNormal(floor=1e-14), X, Y, ROWS)
    for place, own in enumerate((X[::2], X[1::2])):
        expected = np.zeros(len(ROWS))
        for column in range(3):
            s, _, scale = stats.lognorm.fit(own[:, column], floc=0)
            expected += stats.lognorm.logpdf(ROWS[:, column], s, scale=scale)
        np.testing.assert_allclose(found[:, place], expected, rtol=1e-6)


def test_densities_of_known_parameters_are_those_of_scipy(log_prob):
    found = log_prob(LogNormal(floor=1e-14), X, ["a"] * 60, ROWS)
    logs = np.log(X)
    expected = stats.lognorm.logpdf(ROWS, logs.std(axis=0), scale=np.exp(logs.mean(axis=0))).sum(axis=1)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-10)


def test_the_fast_score_is_the_sum_of_the_shares_also_where_cells_are_missing():
    holed = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
    model = Model("log_normal", missing="skip").learn(holed, Y)
    theta, rows = model.parameters(None, model.event), np.where(RNG.random(ROWS.shape) < 0.3, np.nan, ROWS)
    scores = model.event.log_prob(theta, rows)
    for row in range(len(rows)):
        _, shares = model.event.shares(theta, rows[row : row + 1])
        np.testing.assert_allclose(shares.sum(axis=1), scores[row], rtol=1e-10)


def test_posteriors_are_those_of_the_gaussian_event_over_logarithms():
    mine = Model(LogNormal()).learn(X, Y).posterior(ROWS).log_probabilities
    plain = Model(Gaussian()).learn(np.log(X), Y).posterior(np.log(ROWS)).log_probabilities
    np.testing.assert_allclose(mine, plain, rtol=1e-9, atol=1e-9)


def test_single_precision_is_read_as_it_is():
    model = Model("log_normal").learn(X.astype(np.float32), Y)
    expected = Model("log_normal").learn(X.astype(np.float32).astype(np.float64), Y)
    rows = ROWS.astype(np.float32)
    np.testing.assert_allclose(model.posterior(rows).probabilities, expected.posterior(rows).probabilities, rtol=1e-4)


@pytest.mark.parametrize(
    ("value", "hint"),
    [(0.0, "use an event for values >= 0"), (-1.0, 'use event="gaussian" for values that may be negative')],
)
def test_values_that_are_not_positive_are_refused(value, hint):
    with pytest.raises(InputError) as error:
        Model("log_normal").learn([[1.0], [value]], ["a", "b"])
    assert error.value.message == f"log normal needs finite numbers > 0, got {value:g} in row 1, column 0"
    assert error.value.hint == hint


def test_settings_that_make_no_sense_are_refused_by_its_own_name():
    with pytest.raises(InputError, match="log normal needs floor >= 0, got -1"):
        LogNormal(floor=-1)
    with pytest.raises(InputError, match="log normal needs variance 'ml' or 'unbiased', got 'map'"):
        LogNormal(variance="map")
