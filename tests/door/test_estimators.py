"""NaiveBayesClassifier, its short names, and NaiveBayesRegressor."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plainbayes import Absolute, Costs, Given, InputError, Model, Pinball, Product, Regressor, Reject, Uniform
from plainbayes.events import Categorical, Gaussian, Kernel, Multinomial, Poisson
from plainbayes.sklearn import KernelNB, MixedNB, NaiveBayesClassifier, NaiveBayesRegressor, PoissonNB

RNG = np.random.default_rng(0)
COLUMNS = {
    "city": ["Riga", "Lima"] * 15,
    "height": (RNG.normal(0, 1, 30) + [0, 4] * 15).tolist(),
    "clicks": (RNG.poisson(3, 30) + [0, 5] * 15).tolist(),
}
Y = ["a", "b"] * 15
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
MIXED = {"city": "categorical", "height": Gaussian(), "clicks": "poisson"}
PRODUCT = Product({"city": Categorical(), "height": Gaussian(), "clicks": Poisson()})
BAGS = [{"cheap": 1, "pills": 2}, {"cheap": 1}, {"noon": 1}, {"noon": 2, "lunch": 1}]
KINDS = ["spam", "spam", "ham", "ham"]
FORMS = {
    "mapping": COLUMNS,
    "records": RECORDS,
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
}
NUMBERS = np.column_stack([COLUMNS["height"], COLUMNS["clicks"]])


# Events


@pytest.mark.parametrize("event", [MIXED, PRODUCT], ids=["mapping", "product"])
@pytest.mark.parametrize("form", FORMS)
def test_columns_of_different_kinds_are_modelled_side_by_side(form, event):
    model = NaiveBayesClassifier(event).fit(FORMS[form], Y)
    expected = Model(PRODUCT).learn(COLUMNS, Y).posterior(COLUMNS).probabilities
    np.testing.assert_array_equal(model.predict_proba(FORMS[form]), expected)
    np.testing.assert_array_equal(model.classes_, ["a", "b"])


@pytest.mark.parametrize("event", ["gaussian", Gaussian()], ids=["name", "event"])
def test_one_event_models_all_columns(event):
    model = NaiveBayesClassifier(event).fit(NUMBERS, Y)
    assert model.event_ == Gaussian()
    expected = Model("gaussian").learn(NUMBERS, Y).posterior(NUMBERS).probabilities
    np.testing.assert_array_equal(model.predict_proba(NUMBERS), expected)


@pytest.mark.parametrize("form", FORMS)
def test_auto_chooses_by_the_kind_of_each_column(form):
    chosen = NaiveBayesClassifier().fit(FORMS[form], Y).event_
    assert isinstance(chosen, Product)
    kinds = {
        column: event for key, event in chosen.events.items() for column in (key if type(key) is tuple else (key,))
    }
    assert kinds["city"] == Categorical()
    assert set(kinds) == set(COLUMNS)
    assert kinds["height"] != Categorical()


def test_auto_chooses_one_event_for_columns_that_are_alike():
    X = np.random.default_rng(1).normal(0.0, 1.0, (200, 2)) + np.arange(200)[:, None] % 2
    assert NaiveBayesClassifier().fit(X, np.arange(200) % 2).event_.events == {(0, 1): Gaussian()}


def test_auto_takes_numbers_for_numbers_where_some_are_missing():
    x = np.random.default_rng(3).normal(0.0, 1.0, 100) + np.arange(100) % 2 * 4
    y = np.arange(100) % 2
    holes = [None, *x[1:].tolist()]
    nullable = pd.DataFrame({"x": pd.array(holes, dtype="Float64")})
    objects = np.array([[label, value] for label, value in zip("rg" * 50, holes, strict=True)], dtype=object)
    for table in ({"x": holes}, [{"x": value} for value in holes], nullable, pl.DataFrame({"x": holes})):
        assert NaiveBayesClassifier().fit(table, y).event_.events == {"x": Gaussian()}
    model = NaiveBayesClassifier(missing="skip").fit(objects, y)
    assert model.event_.events == {0: Categorical(), 1: Gaussian()}
    np.testing.assert_array_equal(model.predict([["g", None], ["r", -1.0]]), [1, 0])


def test_auto_takes_numbers_beyond_all_floats_for_labels():
    model = NaiveBayesClassifier().fit({"x": [10**400, 10**401, 10**400]}, [0, 1, 0])
    assert model.event_.events == {"x": Categorical()}
    assert model.predict({"x": [10**401]}) == [1]


def test_auto_takes_a_column_with_nothing_to_judge_by_for_normal():
    alone = NaiveBayesClassifier().fit([[1.0], [2.0], [4.0]], [0, 1, 2]).event_
    assert alone.events == {0: Gaussian()}


def test_auto_takes_a_sparse_matrix_for_counts_of_words():
    X = sparse.csr_array([[2, 0, 1], [1, 0, 0], [0, 3, 1], [0, 1, 0]])
    model = NaiveBayesClassifier().fit(X, KINDS)
    assert model.event_ == Multinomial()
    np.testing.assert_array_equal(model.predict(X), KINDS)


def test_bags_of_words_are_learned_merged_and_unlearned():
    model = NaiveBayesClassifier("multinomial").fit(BAGS, KINDS)
    np.testing.assert_array_equal(model.predict([{"pills": 1, "unknown": 3}, {"lunch": 1}]), ["spam", "ham"])
    parts = [NaiveBayesClassifier("multinomial").fit(BAGS[rows], KINDS[rows]) for rows in (slice(1), slice(1, 4))]
    np.testing.assert_array_equal((parts[0] + parts[1]).predict_proba(BAGS), model.predict_proba(BAGS))
    left = model.unlearn(BAGS[3:], KINDS[3:]).predict_proba(BAGS)
    np.testing.assert_array_equal(
        left, NaiveBayesClassifier("multinomial").fit(BAGS[:3], KINDS[:3]).predict_proba(BAGS)
    )


def test_missing_cells_of_records_are_no_evidence():
    model = NaiveBayesClassifier(MIXED).fit(RECORDS, Y)
    alone = NaiveBayesClassifier({"city": "categorical"}).fit(RECORDS, Y)
    row = [{"city": "Riga", "height": None, "clicks": None}]
    np.testing.assert_allclose(model.predict_proba(row), alone.predict_proba(row), rtol=1e-12)


# Classes


def test_classes_appear_at_any_time():
    model = NaiveBayesClassifier("gaussian").partial_fit([[0.0], [1.0]], ["b", "b"])
    np.testing.assert_array_equal(model.classes_, ["b"])
    model.partial_fit([[10.0], [11.0]], ["a", "a"])
    np.testing.assert_array_equal(model.classes_, ["a", "b"])
    np.testing.assert_array_equal(model.predict([[0.2], [10.2]]), ["b", "a"])
    expected = NaiveBayesClassifier("gaussian").fit([[0.0], [1.0], [10.0], [11.0]], ["b", "b", "a", "a"])
    np.testing.assert_allclose(model.predict_proba([[4.0]]), expected.predict_proba([[4.0]]), rtol=1e-9)


def test_classes_may_be_named_before_they_are_seen():
    model = NaiveBayesClassifier("gaussian").partial_fit([[0.0], [1.0]], [2, 2], classes=[0, 1, 2])
    np.testing.assert_array_equal(model.classes_, [0, 1, 2])
    np.testing.assert_array_equal(model.predict_proba([[0.5]]), [[0.0, 0.0, 1.0]])


def test_labels_of_text_and_of_numbers_are_not_mixed_and_nothing_is_lost():
    model = NaiveBayesClassifier("gaussian").fit([[0.0], [9.0]], [0, 1])
    before = model.predict_proba([[3.0]])
    with pytest.raises(InputError, match="classes of one type were expected, got 0, 1, 'a'"):
        model.partial_fit([[4.0]], ["a"])
    np.testing.assert_array_equal(model.predict_proba([[3.0]]), before)
    np.testing.assert_array_equal(model.classes_, [0, 1])


def test_labels_beyond_63_bits_are_labels():
    y = np.array([2**63, 2**63, 2**64 - 1, 2**64 - 1], dtype=np.uint64)
    model = NaiveBayesClassifier("gaussian").fit([[0.0], [1.0], [8.0], [9.0]], y)
    np.testing.assert_array_equal(model.predict([[0.5], [8.5]]), y[[0, 2]], strict=True)


def test_a_given_prior_and_weights_are_believed():
    X, weight = [[0.0], [2.0], [3.0], [5.0]], [1.0, 2.0, 3.0, 4.0]
    model = NaiveBayesClassifier("gaussian", prior=Given({0: 0.9, 1: 0.1})).fit(X, [0, 0, 1, 1], weight)
    expected = Model("gaussian", Given({0: 0.9, 1: 0.1})).learn(X, [0, 0, 1, 1], weight).posterior(X)
    np.testing.assert_array_equal(model.predict_log_proba(X), expected.log_probabilities)
    uniform = NaiveBayesClassifier("gaussian", prior=Uniform()).fit(X, [0, 0, 1, 1], weight)
    assert uniform.predict_proba([[2.5]])[0, 1] > model.predict_proba([[2.5]])[0, 1]


def test_weights_belong_to_the_rows_of_a_mapping_of_columns():
    weight = np.arange(1.0, 31.0)
    model = NaiveBayesClassifier(MIXED).fit(COLUMNS, Y, weight)
    expected = NaiveBayesClassifier(MIXED).fit(pd.DataFrame(COLUMNS), Y, weight)
    np.testing.assert_array_equal(model.predict_proba(COLUMNS), expected.predict_proba(pd.DataFrame(COLUMNS)))


# Losses


def test_a_loss_decides_what_is_predicted():
    X = [[1.0], [2.0], [8.0], [9.0]]
    labels = ["low", "low", "high", "high"]
    asks = NaiveBayesClassifier("gaussian", loss=Reject(0.1)).fit(X, labels)
    np.testing.assert_array_equal(asks.predict([[1.2], [5.0], [8.8]]), ["low", "ask", "high"])
    careful = NaiveBayesClassifier("gaussian", loss=Costs("high>low=1e9, low>high=1")).fit(X, labels)
    np.testing.assert_array_equal(careful.predict([[1.2], [4.5]]), ["low", "high"])
    np.testing.assert_array_equal(careful.set_params(loss=None).predict([[4.5]]), ["low"])


# Short names


def test_short_names_are_the_classifier_with_their_event():
    counts = np.array([[0, 1], [1, 2], [7, 5], [9, 4]])
    for short, event in ((PoissonNB(2.0, 0.5), Poisson(2.0, 0.5)), (KernelNB("scott"), Kernel("scott"))):
        model, long = short.fit(counts, KINDS), NaiveBayesClassifier(event).fit(counts, KINDS)
        assert model.event_ == event
        np.testing.assert_array_equal(model.predict_proba(counts), long.predict_proba(counts))
    mixed = MixedNB(MIXED).fit(COLUMNS, Y)
    np.testing.assert_array_equal(mixed.predict(COLUMNS), NaiveBayesClassifier(MIXED).fit(COLUMNS, Y).predict(COLUMNS))


def test_only_events_that_count_say_that_they_take_sparse_rows():
    for event in ("auto", "multinomial", "bernoulli", Multinomial()):
        assert NaiveBayesClassifier(event).__sklearn_tags__().input_tags.sparse
    for event in ("gaussian", "categorical", Categorical(), MIXED, PRODUCT, "no such event"):
        assert not NaiveBayesClassifier(event).__sklearn_tags__().input_tags.sparse
    assert not PoissonNB().__sklearn_tags__().input_tags.sparse


# Mistakes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: NaiveBayesClassifier(5).fit([[1.0]], [0]),
            "an event, its name, 'auto' or a mapping was expected, got 5",
        ),
        (lambda: NaiveBayesClassifier({"x": 5}).fit({"x": [1.0]}, [0]), "a product needs an event for 'x', got 5"),
        (lambda: NaiveBayesClassifier("gausian").fit([[1.0]], [0]), "gausian"),
        (lambda: NaiveBayesClassifier("gaussian").fit([[1.0]], None), "requires y to be passed"),
        (lambda: NaiveBayesClassifier("gaussian").fit([[1.0]], [0, 1]), "inconsistent numbers of samples"),
        (
            lambda: NaiveBayesClassifier("gaussian").fit({"x": [1.0]}, [0, 1]),
            "one label per row was expected, got 2 for 1",
        ),
        (lambda: NaiveBayesClassifier("gaussian").fit([[1.0]], [0.5]), "Unknown label type"),
        (lambda: NaiveBayesClassifier("gaussian").fit(sparse.csr_array([[1.0]]), [0]), "gaussian needs a dense array"),
        (
            lambda: NaiveBayesClassifier("gaussian", missing="no").fit([[1.0]], [0]),
            "missing needs 'skip', 'error' or None",
        ),
        (lambda: NaiveBayesClassifier("gaussian", prior="even").fit([[1.0]], [0]), "a prior was expected, got 'even'"),
        (lambda: NaiveBayesClassifier(MIXED).fit(COLUMNS, Y).predict({"city": ["Riga"]}), "column 'height' is missing"),
        (lambda: PoissonNB().fit([[0.5]], [0]), "poisson needs whole numbers >= 0, got 0.5 in row 0, column 0"),
        (
            lambda: NaiveBayesRegressor(5).fit(NUMBERS, NUMBERS[:, 0]),
            "an event, its name, 'auto' or a mapping was expected",
        ),
        (lambda: NaiveBayesRegressor("gaussian").fit(NUMBERS, None), "requires y to be passed"),
        (lambda: NaiveBayesRegressor("gaussian").fit(NUMBERS, NUMBERS[1:, 0]), "inconsistent numbers of samples"),
        (
            lambda: NaiveBayesRegressor("gaussian").fit([[1.0], [2.0]], [1, 2]),
            "regression needs three different values",
        ),
    ],
)
def test_mistakes_get_one_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# Regression


def line(rows=120, seed=2):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (rows, 1))
    return x, 3 * x[:, 0] + rng.normal(0, 0.3, rows)


@pytest.fixture(scope="module")
def straight():
    return NaiveBayesRegressor("gaussian").fit(*line())


def test_the_mean_and_the_median_follow_the_line(straight):
    X = np.array([[-1.0], [0.0], [1.0]])
    np.testing.assert_allclose(straight.predict(X), 3 * X[:, 0], atol=0.5)
    np.testing.assert_allclose(straight.decide(X, Absolute()), straight.predict_quantile(X, 0.5), rtol=1e-12)
    pinball = NaiveBayesRegressor("gaussian", loss=Pinball(0.9)).fit(*line())
    np.testing.assert_allclose(pinball.predict(X), straight.predict_quantile(X, 0.9), rtol=1e-12)
    assert straight.event_.name == "gaussian"


def test_an_interval_holds_about_as_much_as_it_says(straight):
    X, y = line(400, 3)
    low, high = straight.predict_interval(X, 0.8)
    assert 0.7 < np.mean((low <= y) & (y <= high)) <= 1.0
    wide_low, wide_high = straight.predict_interval(X)
    assert (wide_low <= low).all() and (high <= wide_high).all()
    with pytest.raises(InputError, match=r"a quantile needs q from 0 to 1, got 1\.5"):
        straight.predict_quantile(X, 1.5)


def test_the_regressor_is_the_librarys_own():
    X, y = line(40, 4)
    weight = np.linspace(0.5, 2.0, 40)
    model, direct = NaiveBayesRegressor("gaussian").fit(X, y, weight), Regressor("gaussian").fit(X, y, weight)
    np.testing.assert_array_equal(model.predict(X), direct.predict(X))
    assert not np.array_equal(model.predict(X), NaiveBayesRegressor("gaussian").fit(X, y).predict(X))


def test_rows_learned_and_unlearned_leave_the_regressor_as_it_was():
    X, y = line(80, 5)
    model = NaiveBayesRegressor("gaussian").partial_fit(X[:60], y[:60])
    before = model.predict(X)
    model.partial_fit(X[60:], y[60:])
    assert not np.array_equal(model.predict(X), before)
    model.unlearn(X[60:], y[60:])
    np.testing.assert_allclose(model.predict(X), before, rtol=1e-6)
    with pytest.raises(InputError, match="cannot unlearn what was never learned"):
        model.unlearn(np.repeat(X, 9, axis=0), np.repeat(y, 9))
    np.testing.assert_allclose(model.predict(X), before, rtol=1e-6)


def test_regressors_of_the_same_cells_add_up():
    X, y = line(40, 6)
    whole = NaiveBayesRegressor("gaussian").fit(X, y)
    one, two = (
        NaiveBayesRegressor("gaussian").fit(X, y).unlearn(X[rows], y[rows]) for rows in (slice(20), slice(20, 40))
    )
    np.testing.assert_allclose((one + two).predict(X), whole.predict(X), rtol=1e-6)
    with pytest.raises(InputError, match="regressors can be merged when they have the same cells of y"):
        one + NaiveBayesRegressor("gaussian").fit(X, y + 1)
    with pytest.raises(InputError, match="a fitted NaiveBayesRegressor was expected, got 5"):
        one + 5


def test_a_refused_fit_leaves_the_regressor_as_it_was():
    X, y = line(40, 7)
    model = NaiveBayesRegressor("gaussian").fit(X, y)
    before = model.predict(X)
    with pytest.raises(InputError, match="got NaN in row 0, column 0"):
        model.fit(np.full((40, 3), np.nan), y)
    assert model.n_features_in_ == 1
    np.testing.assert_array_equal(model.predict(X), before)


def test_the_regressor_reads_columns_of_any_kind_and_skips_missing_cells():
    X, y = line(50, 8)
    table = {"x": [None, *X[1:, 0]], "sign": np.where(y > 0, "plus", "minus").tolist()}
    model = NaiveBayesRegressor().fit(table, y, np.ones(50))
    assert set(model.event_.events) == {"x", "sign"}
    assert model.event_.events["sign"] == Categorical() != model.event_.events["x"]
    plus, minus = model.predict({"x": [None, None], "sign": ["plus", "minus"]})
    assert plus > 0 > minus
    skipping = NaiveBayesRegressor("gaussian", missing="skip")
    assert skipping.__sklearn_tags__().input_tags.allow_nan
    assert np.isfinite(skipping.fit(np.where(X > 1.9, np.nan, X), y).predict([[np.nan]])).all()
