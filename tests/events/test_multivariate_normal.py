"""Columns that move together."""

import numpy as np
import pytest
from scipy import stats
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from plainbayes import InputError, Model, Product, Smoothed
from plainbayes.events import Gaussian, MultivariateNormal

DATA = {"iris": load_iris(return_X_y=True), "wine": load_wine(return_X_y=True)}
PLAIN = {"shrinkage": 0, "floor": 1e-13}


def estimate(event, X, y, weight=None):
    model = Model(event, missing="skip").learn(X, y, weight)
    return model.parameters(None, event)


@pytest.mark.parametrize("data", DATA)
def test_a_shared_covariance_is_linear_discriminant_analysis(data):
    X, y = DATA[data]
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    mine = Model(MultivariateNormal("shared", **PLAIN)).learn(X, y)
    np.testing.assert_allclose(mine.posterior(X).probabilities, theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("data", DATA)
def test_covariances_of_their_own_are_quadratic_discriminant_analysis(data):
    """scikit-learn 1.9 divides by n."""
    X, y = DATA[data]
    theirs = QuadraticDiscriminantAnalysis().fit(X, y)
    mine = Model(MultivariateNormal("full", **PLAIN)).learn(X, y)
    np.testing.assert_allclose(mine.posterior(X).probabilities, theirs.predict_proba(X), atol=1e-9)


def test_a_diagonal_covariance_is_the_gaussian_event():
    X, y = DATA["wine"]
    for variance in ("ml", "unbiased"):
        mine = Model(MultivariateNormal("diagonal", variance)).learn(X, y).posterior(X)
        np.testing.assert_allclose(
            mine.log_probabilities,
            Model(Gaussian(variance)).learn(X, y).posterior(X).log_probabilities,
            rtol=1e-9,
            atol=1e-9,
        )


@pytest.mark.parametrize(("variance", "ddof"), [("ml", 0), ("unbiased", 1)])
def test_densities_are_those_of_scipy(log_prob, variance, ddof):
    X, y = DATA["iris"]
    found = log_prob(MultivariateNormal("full", variance, shrinkage=0, floor=1e-15), X, y, X)
    for place in range(3):
        own = X[y == place]
        expected = stats.multivariate_normal(own.mean(axis=0), np.cov(own.T, ddof=ddof)).logpdf(X)
        np.testing.assert_allclose(found[:, place], expected, rtol=1e-10)


@pytest.mark.parametrize(("variance", "divisor"), [("ml", 150), ("unbiased", 147)])
def test_the_shared_covariance_is_the_scatter_within_classes_by_n_or_n_minus_classes(variance, divisor):
    X, y = DATA["iris"]
    theta = estimate(MultivariateNormal("shared", variance, shrinkage=0, floor=1e-15), X, y)
    within = X - np.array([X[y == c].mean(axis=0) for c in range(3)])[y]
    np.testing.assert_allclose(theta.covariance, [within.T @ within / divisor] * 3, rtol=1e-9)


@pytest.mark.parametrize("kind", ["full", "shared", "diagonal"])
def test_weights_are_repeated_rows(kind):
    X, y = DATA["iris"]
    weight = np.random.default_rng(31).integers(1, 5, 150)
    mine = estimate(MultivariateNormal(kind), X, y, weight)
    repeated = estimate(MultivariateNormal(kind), np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(mine.covariance, repeated.covariance, rtol=1e-9)
    np.testing.assert_allclose(mine.mean, repeated.mean, rtol=1e-12)


@pytest.mark.parametrize("data", DATA)
def test_automatic_shrinkage_is_that_of_ledoit_and_wolf_on_standardised_columns(data):
    X, y = DATA[data]
    theta = estimate(MultivariateNormal(floor=1e-15), X, y)
    for place in range(3):
        own = X[y == place]
        expected, share = ledoit_wolf((own - own.mean(axis=0)) / own.std(axis=0))
        units = own.std(axis=0)[:, None] * own.std(axis=0)
        np.testing.assert_allclose(theta.covariance[place], expected * units, rtol=1e-9)
        assert 0 < share < 1


def test_shrinkage_by_hand():
    """Variances stay, covariances lose the share."""
    X, _ = DATA["iris"]
    theta = estimate(MultivariateNormal(shrinkage=0.25, floor=1e-15), X, np.zeros(150))
    whole = np.cov(X.T, ddof=0)
    np.testing.assert_allclose(theta.covariance[0], 0.75 * whole + 0.25 * np.diag(np.diag(whole)), rtol=1e-9)


def test_columns_that_do_not_move_together_at_all_are_drawn_to_none():
    X = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    theta = estimate(MultivariateNormal(floor=1e-15), X, ["a"] * 4)
    np.testing.assert_allclose(theta.covariance[0], np.eye(2), atol=1e-12)


@pytest.mark.parametrize("shrinkage", ["auto", 0.0, 1.0])
@pytest.mark.parametrize("kind", ["full", "shared", "diagonal"])
def test_collinear_columns_and_fewer_rows_than_columns_are_never_singular(kind, shrinkage):
    rng = np.random.default_rng(32)
    few = rng.normal(size=(6, 10))
    x = rng.normal(size=(40, 1))
    collinear = np.hstack([x, 3 * x, 1 - x, np.full((40, 1), 7.0)])
    for X in (few, collinear, collinear * 1e6, few * 1e-6):
        y = ["a", "b"] * (len(X) // 2)
        found = Model(MultivariateNormal(kind, shrinkage=shrinkage)).learn(X, y).posterior(X)
        assert np.isfinite(found.log_probabilities).all()


@pytest.mark.parametrize("kind", ["full", "shared", "diagonal"])
def test_one_observation_gets_the_pooled_covariance_within_classes(kind):
    """By hand: scatters [[8, 4], [4, 2]] and [[2, -2], [-2, 2]] of 2 and 2 rows; shared, of all 5."""
    X = [[0.0, 0.0], [4.0, 2.0], [7.0, 9.0], [9.0, 7.0], [50.0, 50.0]]
    theta = estimate(MultivariateNormal(kind, shrinkage=0, floor=1e-15), X, list("aabbc"))
    expected = np.array([[10.0, 2.0], [2.0, 4.0]]) / (5 if kind == "shared" else 4)
    np.testing.assert_allclose(theta.covariance[2], expected * (np.eye(2) if kind == "diagonal" else 1), atol=1e-9)
    assert theta.mean[2].tolist() == [50, 50]


def test_where_no_class_has_two_the_covariance_is_that_of_all_rows():
    X = np.array([[0.0, 0.0], [4.0, 1.0], [7.0, 9.0]])
    theta = estimate(MultivariateNormal(shrinkage=0, floor=1e-15), X, list("abc"))
    np.testing.assert_allclose(theta.covariance, [np.cov(X.T, ddof=0)] * 3, rtol=1e-9)


def test_the_floor_is_a_share_of_each_columns_own_variance_and_can_be_frozen():
    X = [[1.0, 5.0], [1.0, 5.0], [3.0, 5.0], [3.0, 5.0]]
    model = Model(MultivariateNormal(floor=0.01)).learn(X, list("aabb"))
    np.testing.assert_allclose(model.parameters(None, model.event).covariance, [0.01 * np.eye(2)] * 2, atol=1e-12)
    frozen = model.frozen()
    assert frozen.event.scale == (1.0, 0.0)
    assert frozen.learn(X, list("aabb")).frozen().event == frozen.event
    given = estimate(MultivariateNormal(floor=0.5, scale=(2.0, 8.0)), X, list("aabb"))
    np.testing.assert_allclose(given.covariance, [np.diag([1.0, 4.0])] * 2, atol=1e-12)


def test_missing_cells_are_integrated_out_when_scoring(log_prob):
    """The marginal of a normal density is that of the sub-vector: scipy."""
    X, y = DATA["iris"]
    rng = np.random.default_rng(33)
    rows = np.where(rng.random(X.shape) < 0.4, np.nan, X)
    rows[0] = np.nan
    theta = estimate(MultivariateNormal(), X, y)
    found = log_prob(MultivariateNormal(), X, y, rows)
    assert found[0].tolist() == [0, 0, 0]
    for row, cells in enumerate(rows):
        there = np.flatnonzero(~np.isnan(cells))
        if len(there):
            for c in range(3):
                marginal = stats.multivariate_normal(theta.mean[c, there], theta.covariance[c][np.ix_(there, there)])
                assert found[row, c] == pytest.approx(marginal.logpdf(cells[there]), rel=1e-9, abs=1e-9)


def test_rows_with_missing_cells_are_not_learned_but_count_for_the_prior():
    X, y = (np.array(part) for part in DATA["iris"])
    holed = X.copy()
    holed[::5, 2] = np.nan
    whole = ~np.isnan(holed).any(axis=1)
    event = MultivariateNormal()
    mine, expected = estimate(event, holed, y), estimate(event, X[whole], y[whole])
    np.testing.assert_allclose(mine.covariance, expected.covariance, rtol=1e-9)
    np.testing.assert_allclose(mine.mean, expected.mean, rtol=1e-12)
    assert Model(event, missing="skip").learn(holed, y).evidence.weight.n.tolist() == [50, 50, 50]


def test_where_nobody_has_seen_a_complete_row_the_prior_decides():
    model = Model("multivariate_normal").learn({"x": [1.0, None, 2.0], "y": [None, 2.0, None]}, ["a", "a", "b"])
    np.testing.assert_allclose(model.posterior({"x": [1.0], "y": [2.0]}).probabilities, [[2 / 3, 1 / 3]])


def test_a_class_without_a_complete_row_is_judged_by_all_rows_together():
    table = {"x": [1.0, 3.0, None], "y": [0.0, 1.0, 9.0]}
    model = Model(MultivariateNormal(), Smoothed()).learn(table, ["a", "a", "b"])
    assert model.parameters(None, model.event).mean.tolist() == [[2.0, 0.5], [2.0, 0.5]]


def test_a_block_in_a_product_is_the_block_alone():
    X, y = DATA["iris"]
    table = {f"c{column}": X[:, column] for column in range(4)}
    both = Model(Product({("c0", "c2"): MultivariateNormal(), ("c1", "c3"): MultivariateNormal()}), Smoothed())
    found = both.learn(table, y).posterior(table).log_probabilities
    parts = [Model(MultivariateNormal(), Smoothed()).learn(X[:, c], y).posterior(X[:, c]) for c in ([0, 2], [1, 3])]
    sums = sum(part.log_probabilities for part in parts)
    np.testing.assert_allclose(np.diff(found), np.diff(sums), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"covariance": "banded"}, "needs covariance 'full', 'shared' or 'diagonal', got 'banded'"),
        ({"variance": "map"}, "needs variance 'ml' or 'unbiased', got 'map'"),
        ({"shrinkage": 1.5}, "needs shrinkage 'auto' or from 0 to 1, got 1.5"),
        ({"shrinkage": -0.1}, "needs shrinkage 'auto' or from 0 to 1, got -0.1"),
        ({"floor": 0}, "needs floor > 0, got 0"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError) as error:
        MultivariateNormal(**settings)
    assert error.value.message == f"multivariate normal {message}"
