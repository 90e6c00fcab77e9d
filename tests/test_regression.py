"""Numbers as answers: densities of y, on cells and in closed form (SPEC, section 8)."""

import numpy as np
import pytest
from scipy import integrate, stats

from plainbayes import Absolute, InputError, Model, NotLearnedError, Pinball, Product, Squared, ZeroOne
from plainbayes.events import Categorical, Gaussian, Histogram
from plainbayes.evidence import Evidence
from plainbayes.regression import Density, LinearGaussian, NormalDensity, Regressor


def parabola(seed, rows=10_000, noise=0.3):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, rows)
    return x[:, None], x**2 + rng.normal(0, noise, rows)


@pytest.fixture(scope="module", params=[0, 1, 2])
def fitted(request):
    return Regressor(Histogram(alpha=0.01, bins=40)).fit(*parabola(request.param))


# On cells


def test_the_mean_of_a_parabola_is_recovered(fitted):
    X = np.linspace(-1.8, 1.8, 60)[:, None]
    found = fitted.predict(X)
    assert np.sqrt(np.mean((found - X[:, 0] ** 2) ** 2)) < 0.1
    np.testing.assert_allclose(found, X[:, 0] ** 2, atol=0.3)
    np.testing.assert_array_equal(found, fitted.posterior(X).mean())


def test_an_interval_of_90_percent_holds_90_percent_of_fresh_rows(fitted):
    X, y = parabola(100)
    low, high = fitted.posterior(X).interval(0.9)
    assert 0.88 <= np.mean((low <= y) & (y <= high)) <= 0.92


@pytest.mark.parametrize(
    "loss", [Squared(), Absolute(), Pinball(0.1), Pinball(0.25), Pinball(0.75), Pinball(0.9)], ids=repr
)
def test_on_fresh_rows_no_answer_moved_aside_is_cheaper(fitted, loss):
    X, y = parabola(101)
    answers = fitted.predict(X, loss)
    for shift in (-0.3, -0.1, 0.1, 0.3):
        assert loss.costs(y, answers).mean() < loss.costs(y, answers + shift).mean()


def test_a_density_integrates_to_one_and_its_logarithm_is_log_prob(fitted):
    edges = fitted.edges
    middles = (edges[1:] + edges[:-1]) / 2
    for x in (-1.5, 0.0, 1.9):
        heights = np.exp(fitted.posterior(np.full((len(middles), 1), x)).log_prob(middles))
        assert heights @ np.diff(edges) == pytest.approx(1, rel=1e-12)
        posterior = fitted.posterior([[x]])
        np.testing.assert_allclose(heights * np.diff(edges), posterior.probabilities[0], rtol=1e-9)


def test_a_density_is_zero_outside_all_cells(fitted):
    low, high = fitted.edges[[0, -1]]
    posterior = fitted.posterior(np.zeros((4, 1)))
    found = posterior.log_prob([low - 1e-9, low, high, high + 1e-9])
    assert np.isneginf(found[[0, 3]]).all() and np.isfinite(found[[1, 2]]).all()


def test_quantiles_are_where_the_density_below_is_q(fitted):
    posterior = fitted.posterior(np.linspace(-2, 2, 9)[:, None])
    for q in (0.01, 0.25, 0.5, 0.8, 0.999):
        places = posterior.quantile(q)
        below = [
            np.interp(place, posterior.edges, np.concatenate([[0], np.cumsum(row)]))
            for place, row in zip(places, posterior.probabilities, strict=True)
        ]
        np.testing.assert_allclose(below, q, rtol=1e-9)
    np.testing.assert_array_equal(posterior.median(), posterior.quantile(0.5))


def test_intervals_are_ordered_and_grow_with_their_level(fitted):
    posterior = fitted.posterior(np.linspace(-2, 2, 9)[:, None])
    (low, high), (lower, higher) = posterior.interval(0.5), posterior.interval(0.95)
    assert ((lower < low) & (low < posterior.median()) & (posterior.median() < high) & (high < higher)).all()


def density(*probabilities):
    with np.errstate(divide="ignore"):
        edges = np.array([0.0, 1.0, 3.0, 4.0])
        return Density((0.5, 2.0, 3.5), np.log([probabilities]), np.zeros(1, dtype=bool), edges)


def test_a_density_of_three_cells_by_hand():
    found = density(0.2, 0.6, 0.2)
    assert found.values.tolist() == [0.5, 2.0, 3.5]
    assert found.mean() == pytest.approx(2.0)
    assert found.quantile(0.1) == pytest.approx(0.5)
    assert found.quantile(0.35) == pytest.approx(1.5)
    assert found.quantile(1) == pytest.approx(4.0) and found.quantile(0) == pytest.approx(0.0)
    np.testing.assert_allclose(found.interval(0.6), [[1.0], [3.0]])
    np.testing.assert_allclose(found.log_prob([2.9]), np.log([0.3]))
    assert density(0.5, 0.5, 0.0).quantile(1) == pytest.approx(3.0)


@pytest.mark.parametrize("q", [-0.1, 1.5, float("nan")])
def test_a_quantile_lies_between_0_and_1(q):
    with pytest.raises(InputError, match=f"a quantile needs q from 0 to 1, got {q}"):
        density(0.2, 0.6, 0.2).quantile(q)


def test_every_row_is_shared_among_the_cells_by_a_normal_kernel_around_its_y():
    """By hand: y halfway in the middle of three cells, width 1 cell: normal probabilities cut off at +-1.5."""
    model = Regressor("gaussian", edges=[0, 1, 2, 3], width=1.0)
    shares = np.diff(stats.norm.cdf([-1.5, -0.5, 0.5, 1.5]))
    evidence = model.observe([[7.0]], [1.5], [2.0])
    np.testing.assert_allclose(evidence.weight.n, 2 * shares / shares.sum(), atol=1e-10)
    np.testing.assert_allclose(evidence.parts[None].stats.mean, 7.0)


def test_a_y_beyond_the_cells_counts_at_their_end():
    model = Regressor("gaussian", edges=[0, 1, 2, 3], width=1.0)
    assert model.observe([[7.0]], [99.0]) == model.observe([[7.0]], [3.0])


def small():
    return Regressor("gaussian", edges=np.linspace(-2, 6, 7), width=2.0)


def test_learning_unlearning_and_merging_are_those_of_evidence():
    X, y = parabola(3, 60)
    weight = np.random.default_rng(4).integers(1, 4, 60)
    whole = small().learn(X, y, weight)
    parts = small().learn(X[:20], y[:20], weight[:20]) + small().learn(X[20:], y[20:], weight[20:])
    assert parts.evidence.same(whole.evidence, 1e-9)
    assert parts.width == 2.0
    np.testing.assert_allclose(parts.predict(X), whole.predict(X), rtol=1e-9)
    whole.unlearn(X[20:], y[20:], weight[20:])
    assert whole.evidence.same(small().observe(X[:20], y[:20], weight[:20]), 1e-9)


def test_observing_changes_nothing():
    model = small().learn(*parabola(3, 30))
    before = model.evidence.copy()
    assert isinstance(model.observe(*parabola(4, 5)), Evidence)
    assert model.evidence == before


@pytest.mark.parametrize(
    "other",
    [
        Regressor("gaussian", edges=np.linspace(-2, 6, 8), width=2.0),
        Regressor("gaussian", edges=np.linspace(-2, 6, 7), width=1.0),
        Regressor("gaussian"),
    ],
    ids=["cells", "width", "none"],
)
def test_regressors_with_other_cells_or_widths_do_not_merge(other):
    with pytest.raises(InputError, match="merged when they have the same cells of y and the same width"):
        _ = small() + other


def test_missing_cells_say_nothing():
    rng = np.random.default_rng(5)
    y = rng.normal(size=3000)
    table = {"x": y + rng.normal(0, 0.5, 3000), "z": -y + rng.normal(0, 0.5, 3000)}
    holed = {name: np.where(rng.random(3000) < 0.3, np.nan, column) for name, column in table.items()}
    model = Regressor("gaussian", edges=np.linspace(-3, 3, 13), width=0.5).learn(holed, y)
    alone = Regressor("gaussian", edges=np.linspace(-3, 3, 13), width=0.5).learn({"x": holed["x"]}, y)
    rows = {"x": [1.0, -0.5], "z": [None, None]}
    np.testing.assert_allclose(model.predict(rows), alone.predict({"x": rows["x"]}), rtol=1e-9)
    nothing = model.posterior({"x": [None], "z": [None]})
    np.testing.assert_allclose(nothing.mean(), y.mean(), atol=0.05)
    strict = Regressor("gaussian", edges=[-3, 0, 3], width=0.5, missing="error")
    with pytest.raises(InputError, match="gaussian needs finite numbers, got NaN in row"):
        strict.learn(holed, y)


def test_columns_of_different_kinds_speak_of_a_number_together():
    rng = np.random.default_rng(6)
    city, size = rng.choice(["Rome", "Oslo"], 2000), rng.normal(size=2000)
    price = 5.0 * (city == "Oslo") + size + rng.normal(0, 0.3, 2000)
    model = Regressor(Product({"city": Categorical(), "size": Gaussian()})).fit({"city": city, "size": size}, price)
    low, high = model.predict({"city": ["Rome", "Oslo"], "size": [0.0, 0.0]})
    assert low == pytest.approx(0.0, abs=0.7) and high == pytest.approx(5.0, abs=0.7)


def test_fitting_chooses_what_was_not_given_and_keeps_what_was():
    X, y = parabola(7, 500, noise=0.2)
    free = Regressor("histogram").fit(X, y)
    assert len(free.edges) - 1 in (8, 16, 32, 64) and free.width in (0.25, 0.5, 1.0, 2.0)
    assert free.edges[0] < y.min() and free.edges[-1] > y.max()
    edges = np.linspace(-1, 5, 11)
    cells = Regressor("histogram", edges=edges).fit(X, y)
    np.testing.assert_array_equal(cells.edges, edges)
    assert cells.width in (0.25, 0.5, 1.0, 2.0)
    assert Regressor("histogram", width=0.7).fit(X, y).width == 0.7
    both = Regressor("histogram", edges=edges, width=0.7).fit(X, y)
    assert both.evidence == Regressor("histogram", edges=edges, width=0.7).learn(X, y).evidence


def test_fitting_forgets_and_honours_weights():
    X, y = parabola(8, 300)
    model = small().fit(X[:50], y[:50]).fit(X, y, np.full(300, 2.0))
    assert model.evidence.weight.n.sum() == pytest.approx(600, abs=1e-6)


def test_fitting_again_chooses_again():
    X, y = parabola(8, 300)
    model = Regressor("histogram").fit(X, y)
    first = model.edges
    np.testing.assert_allclose(model.fit(X, 1000 * y).edges[[0, -1]], 1000 * first[[0, -1]], rtol=0.2)
    assert model.predict([[1.8]])[0] > 1000


def test_only_regressors_are_merged_with_regressors():
    with pytest.raises(InputError, match="a regressor was expected, got 5"):
        _ = small() + 5


def test_a_loss_over_labels_is_refused_by_the_closed_form():
    with pytest.raises(InputError, match="a loss between numbers was expected"):
        LinearGaussian().learn([[1.0], [2.0]], [1.0, 2.0]).predict([[1.0]], ZeroOne())


def test_a_y_with_few_different_values_has_few_cells():
    y = np.repeat([1.0, 2.0, 4.0], 40)
    X = y[:, None] + np.random.default_rng(9).normal(0, 0.05, (120, 1))
    model = Regressor("gaussian").fit(X, y)
    assert 2 <= len(model.edges) - 1 < 8
    np.testing.assert_allclose(model.predict([[1.0], [4.0]]), [1.0, 4.0], atol=0.1)


def test_a_model_of_cells_is_the_model_over_soft_labels():
    """By definition: Bayes' rule over the cells, whose classes are their numbers."""
    X, y = parabola(10, 200)
    model = small().learn(X, y)
    plain = Model("gaussian")
    plain += small().observe(X, y)
    np.testing.assert_array_equal(model.posterior(X).probabilities, plain.posterior(X).probabilities)


@pytest.mark.parametrize("edges", [[0, 1], [0, 2, 1], [0, 1, 1], [0, 1, np.nan], [[0, 1, 2]]], ids=str)
def test_edges_that_are_no_cells_are_refused(edges):
    with pytest.raises(InputError, match="a regressor needs three edges or more, finite and rising, got "):
        Regressor("gaussian", edges=edges)


@pytest.mark.parametrize("width", [0, -1.0, float("nan")])
def test_a_width_is_positive(width):
    with pytest.raises(InputError, match=f"a regressor needs a finite width > 0, got {width}"):
        Regressor("gaussian", width=width)


def test_learning_before_the_cells_are_known_is_refused():
    for model in (Regressor("gaussian"), Regressor("gaussian", edges=[0, 1, 2]), Regressor("gaussian", width=1.0)):
        with pytest.raises(NotLearnedError, match="the cells of y are not known yet") as error:
            model.learn([[1.0]], [1.0])
        assert error.value.hint == "call fit(X, y), or give edges and width"


@pytest.mark.parametrize("model", [Regressor("gaussian"), small(), LinearGaussian()], ids=["free", "cells", "linear"])
def test_a_model_that_has_learned_nothing_says_so(model):
    with pytest.raises(NotLearnedError, match="the model has learned nothing yet") as error:
        model.predict([[1.0]])
    assert error.value.hint == "learn(X, y) comes first"


@pytest.mark.parametrize("model", [small, LinearGaussian])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_y_that_is_no_number_is_refused_with_its_row(model, value):
    with pytest.raises(InputError, match=f"(?i)regression needs finite numbers, got {value} in row 1"):
        model().learn([[1.0], [2.0]], [1.0, value])


def test_three_different_values_of_y_are_needed():
    with pytest.raises(InputError, match="regression needs three different values of y at least"):
        Regressor("gaussian").fit([[1.0], [2.0], [3.0]], [5.0, 5.0, 5.0])


def test_one_y_for_every_row_is_asked_for():
    with pytest.raises(InputError, match="one label per row was expected, got 2 for 1 rows"):
        small().learn([[1.0]], [1.0, 2.0])
    with pytest.raises(InputError, match="one y per row was expected, got 2 for 1 rows"):
        LinearGaussian().learn([[1.0]], [1.0, 2.0])


# In closed form


def linear(seed, rows=400):
    """Three columns around lines in y, one of them steep, one flat, one with much noise."""
    rng = np.random.default_rng(seed)
    y = rng.normal(3.0, 2.0, rows)
    noise = rng.normal(size=(rows, 3)) * [1.0, 0.5, 6.0]
    return np.column_stack([2 * y - 1, np.full(rows, 5.0), 10 - y]) + noise, y


def by_integration(X, y, row):
    """Mean and standard deviation of p(y) prod_k p(x_k | y), lines by numpy's least squares, on a fine grid."""
    grid = np.linspace(y.mean() - 12 * y.std(), y.mean() + 12 * y.std(), 200_001)
    log_density = stats.norm.logpdf(grid, y.mean(), y.std())
    for column, value in zip(X.T, row, strict=True):
        if not np.isnan(value):
            there = ~np.isnan(column)
            slope, start = np.polyfit(y[there], column[there], 1)
            around = np.sqrt(np.mean((column[there] - start - slope * y[there]) ** 2))
            log_density += stats.norm.logpdf(value, start + slope * grid, around)
    density = np.exp(log_density - log_density.max())
    density /= integrate.trapezoid(density, grid)
    mean = integrate.trapezoid(grid * density, grid)
    return mean, np.sqrt(integrate.trapezoid((grid - mean) ** 2 * density, grid))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_closed_form_is_the_integral(missing):
    X, y = linear(11)
    rng = np.random.default_rng(12)
    X = np.where(rng.random(X.shape) < missing, np.nan, X)
    model = LinearGaussian(floor=1e-14, missing="skip").learn(X, y)
    found = model.posterior(X[:25])
    expected = [by_integration(X, y, row) for row in X[:25]]
    np.testing.assert_allclose(found.mean(), [mean for mean, _ in expected], rtol=1e-6)
    np.testing.assert_allclose(found.spread, [spread for _, spread in expected], rtol=1e-6)


def test_a_column_whose_noise_is_known_is_weighed_by_it():
    """y normal with variance 4, x = y + noise of variance 1: mean 4/5 x, variance 4/5."""
    rng = np.random.default_rng(13)
    y = rng.normal(0, 2, 200_000)
    found = LinearGaussian().learn((y + rng.normal(0, 1, 200_000))[:, None], y).posterior([[0.0], [2.5], [-5.0]])
    np.testing.assert_allclose(found.mean(), [0.0, 2.0, -4.0], atol=0.02)
    np.testing.assert_allclose(found.spread**2, 0.8, rtol=0.01)


def test_both_routes_agree_on_lines_with_normal_noise():
    """Within a tenth of the standard deviation of y, 2: what 64 cells of y and smoothing cost."""
    rng = np.random.default_rng(14)
    y = rng.normal(1.0, 2.0, 20_000)
    X = np.column_stack([y, -2 * y]) + rng.normal(size=(20_000, 2)) * [2.0, 3.0]
    rows = np.column_stack([np.linspace(-1, 3, 9), -2 * np.linspace(-1, 3, 9)])
    cells, closed = Regressor("gaussian").fit(X, y), LinearGaussian().learn(X, y)
    np.testing.assert_allclose(cells.predict(rows), closed.predict(rows), atol=0.2)
    for q in (0.1, 0.9):
        np.testing.assert_allclose(cells.predict(rows, Pinball(q)), closed.predict(rows, Pinball(q)), atol=0.4)


def test_normal_densities_are_those_of_scipy():
    location, spread = np.array([0.0, 5.0, -1e3]), np.array([1.0, 0.1, 30.0])
    found, theirs = NormalDensity(location, spread), stats.norm(location, spread)
    assert len(found) == 3
    for q in (1e-6, 0.05, 0.5, 0.9, 1 - 1e-6):
        np.testing.assert_allclose(found.quantile(q), theirs.ppf(q), rtol=1e-9)
    np.testing.assert_allclose(found.interval(0.8), theirs.interval(0.8), rtol=1e-9)
    np.testing.assert_allclose(found.log_prob([0.5, 4.0, 0.0]), theirs.logpdf([0.5, 4.0, 0.0]), rtol=1e-12)
    np.testing.assert_array_equal(found.mean(), location)
    np.testing.assert_array_equal(found.median(), location)


@pytest.mark.parametrize("q", [0, 1, float("nan")])
def test_a_normal_density_has_no_outermost_quantile(q):
    with pytest.raises(InputError, match=f"a quantile of a normal density needs q between 0 and 1, got {q}"):
        NormalDensity(np.zeros(1), np.ones(1)).quantile(q)


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Pinball(0.2)], ids=repr)
def test_the_closed_form_answers_by_the_loss(loss):
    X, y = linear(15, 5000)
    fresh, truth = linear(16, 5000)
    model = LinearGaussian().learn(X, y)
    answers = model.predict(fresh, loss)
    np.testing.assert_array_equal(answers, loss.act(model.posterior(fresh)))
    for shift in (-0.1, 0.1):
        assert loss.costs(truth, answers).mean() < loss.costs(truth, answers + shift).mean()


def test_joint_moments_with_y_learn_unlearn_and_merge():
    X, y = linear(17)
    weight = np.random.default_rng(18).integers(1, 4, 400)
    whole = LinearGaussian().learn(X, y, weight)
    both = LinearGaussian().learn(X[:100], y[:100], weight[:100]) + LinearGaussian().learn(
        X[100:], y[100:], weight[100:]
    )
    assert both.evidence.same(whole.evidence, 1e-9)
    repeated = LinearGaussian().learn(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(repeated.predict(X), whole.predict(X), rtol=1e-9)
    whole.unlearn(X[100:], y[100:], weight[100:])
    fresh = LinearGaussian().learn(X[:100], y[:100], weight[:100])
    assert whole.evidence.same(fresh.evidence, 1e-9)
    np.testing.assert_allclose(whole.predict(X), fresh.predict(X), rtol=1e-6)


def test_refused_unlearning_loses_nothing():
    X, y = linear(19, 5)
    model = LinearGaussian().learn(X, y)
    before = model.evidence.copy()
    with pytest.raises(InputError, match="cannot unlearn what was never learned"):
        model.unlearn(np.vstack([X, X]), np.concatenate([y, y]))
    assert model.evidence == before


def test_columns_of_the_closed_form_are_found_by_name():
    X, y = linear(20)
    model = LinearGaussian().learn({"one": X[:, 0], "two": X[:, 1]}, y)
    row = {"two": [5.0], "one": [3.0]}
    np.testing.assert_allclose(model.predict(row), LinearGaussian().learn(X[:, :2], y).predict([[3.0, 5.0]]))
    nothing = model.posterior({"two": [None], "one": [None]})
    assert nothing.mean() == pytest.approx(y.mean()) and nothing.spread == pytest.approx(y.std())


def test_a_column_that_repeats_y_is_believed():
    y = np.linspace(-2, 2, 50)
    model = LinearGaussian().learn(np.column_stack([3 * y + 1, np.full(50, 7.0)]), y)
    np.testing.assert_allclose(model.predict([[4.0, 7.0], [-2.0, 7.0]]), [1.0, -1.0], atol=1e-6)


def test_a_floor_of_nothing_is_refused():
    with pytest.raises(InputError, match="linear gaussian needs floor > 0, got 0"):
        LinearGaussian(floor=0)
