"""The five drop-in classes give what scikit-learn's give."""

import warnings

import numpy as np
import pytest
import sklearn.naive_bayes as theirs
from scipy import sparse

import plainbayes.sklearn as ours

ATTRIBUTES = (
    *("classes_", "class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_", "feature_all_"),
    *("category_count_", "n_categories_", "theta_", "var_", "epsilon_", "class_prior_", "n_features_in_"),
)
TABLES = ("predict_joint_log_proba", "predict_log_proba", "predict_proba")
SETTINGS = [
    ("GaussianNB", {}),
    ("GaussianNB", {"priors": [0.2, 0.5, 0.3]}),
    ("MultinomialNB", {}),
    ("MultinomialNB", {"alpha": [0.1, 0.5, 1.0, 2.0, 3.0], "fit_prior": False}),
    ("MultinomialNB", {"alpha": 0.0, "force_alpha": False, "class_prior": [0.2, 0.5, 0.3]}),
    ("ComplementNB", {}),
    ("ComplementNB", {"norm": True, "alpha": 0.3, "fit_prior": False}),
    ("BernoulliNB", {}),
    ("BernoulliNB", {"binarize": 1.5, "alpha": 0.01}),
    ("BernoulliNB", {"binarize": 0.25, "class_prior": [0.2, 0.5, 0.3]}),
    ("CategoricalNB", {}),
    ("CategoricalNB", {"min_categories": [4, 9, 4, 4, 6], "alpha": 0.2}),
    ("CategoricalNB", {"min_categories": 7, "fit_prior": False}),
]
WORDS = [setting for setting in SETTINGS if setting[0] in ("MultinomialNB", "ComplementNB", "BernoulliNB")]


def drawn(seed, rows=60):
    """Rows with some zeros, all categories in every column, and three classes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (rows, 5)) * rng.integers(0, 2, (rows, 5))
    X[:4] = (np.arange(4)[:, None] + np.arange(5)) % 4
    return X, rng.integers(0, 3, rows), rng.uniform(0.1, 3.0, rows)


def pair(name, settings):
    return getattr(theirs, name)(**settings), getattr(ours, name)(**settings)


def assert_equal(their, our, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(our.predict(X), their.predict(X), strict=True)
        for table in TABLES:
            found, expected = getattr(our, table)(X), getattr(their, table)(X)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    for name in ATTRIBUTES:
        assert hasattr(our, name) == hasattr(their, name), name
        if hasattr(their, name):
            found, expected = getattr(our, name), getattr(their, name)
            found, expected = (one if isinstance(one, list) else [one] for one in (found, expected))
            for mine, other in zip(found, expected, strict=True):
                if name != "classes_":
                    np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)
                assert np.asarray(mine).dtype == np.asarray(other).dtype, name
    np.testing.assert_array_equal(our.classes_, their.classes_)


@pytest.mark.filterwarnings("ignore:alpha too small")
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
def test_answers_and_attributes_are_scikit_learns(name, settings, seed, weighted):
    X, y, weight = drawn(seed)
    their, our = pair(name, settings)
    for one in (their, our):
        one.fit(X, y, weight if weighted else None)
    assert_equal(their, our, X)


def test_variances_are_smoothed_as_scikit_learn_does():
    X, y, _ = drawn(2)
    their, our = (one.fit(X, y) for one in pair("GaussianNB", {"var_smoothing": 0.05}))
    assert_equal(their, our, X)


def test_as_many_least_categories_as_columns_are_expected():
    X, y, _ = drawn(2)
    with pytest.raises(ValueError, match=r"'min_categories' should have shape \(5,\) .* Got \(2,\) instead"):
        ours.CategoricalNB(min_categories=[2, 3]).fit(X, y)


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_cells_of_any_type_and_labels_of_text_are_read(name, kind):
    X, y, _ = drawn(3)
    labels = np.array(["ham", "spam", "eggs"])[y]
    their, our = pair(name, {})
    cells = X.astype(kind)
    their.fit(X if kind == np.float32 and name != "GaussianNB" else cells, labels)
    our.fit(cells, labels)
    if kind == np.float32:
        np.testing.assert_array_equal(our.predict(cells), their.predict(cells))
        np.testing.assert_allclose(our.predict_log_proba(cells), their.predict_log_proba(cells), rtol=1e-4, atol=1e-4)
    else:
        assert_equal(their, our, cells)


def test_single_precision_stays_single_precision_in_gaussian_attributes():
    X, y, _ = drawn(4)
    their, our = (one.fit(X.astype(np.float32), y) for one in pair("GaussianNB", {}))
    for name in ("theta_", "var_", "class_prior_", "class_count_"):
        found, expected = getattr(our, name), getattr(their, name)
        assert found.dtype == expected.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert our.predict_proba(X.astype(np.float32)).dtype == np.float32
    assert our.predict_proba(X.astype(np.float64)).dtype == np.float64


def orders(X, folder):
    """The same cells, in every order and place that an array may have."""
    wide = np.zeros((2 * len(X), 3 * X.shape[1]))
    wide[::2, ::3] = X
    stored = np.memmap(folder / "cells", dtype=np.float64, mode="w+", shape=X.shape)
    stored[:] = X
    stored.flush()
    return {
        "C": np.ascontiguousarray(X, dtype=np.float64),
        "Fortran": np.asfortranarray(X, dtype=np.float64),
        "strided": wide[::2, ::3],
        "backwards": np.ascontiguousarray(X[::-1, ::-1], dtype=np.float64)[::-1, ::-1],
        "read-only memory map": np.memmap(folder / "cells", dtype=np.float64, mode="r", shape=X.shape),
    }


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_the_order_of_cells_in_memory_changes_nothing(name, tmp_path):
    X, y, _ = drawn(5)
    their = getattr(theirs, name)().fit(X.astype(np.float64), y)
    for cells in orders(X, tmp_path).values():
        assert_equal(their, getattr(ours, name)().fit(cells, y), cells)


@pytest.mark.filterwarnings("ignore:alpha too small")
@pytest.mark.parametrize("form", ["csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_array"])
@pytest.mark.parametrize(("name", "settings"), WORDS, ids=str)
def test_sparse_rows_are_dense_rows_without_their_zeros(name, settings, form):
    X, y, weight = drawn(6)
    their, our = pair(name, settings)
    their.fit(X, y, weight)
    rows = getattr(sparse, form)(X)
    our.fit(rows, y, weight)
    assert_equal(their, our, X)
    np.testing.assert_array_equal(our.predict(rows), their.predict(X))


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
def test_indices_of_64_bits_are_read(name):
    X, y, _ = drawn(7)
    rows = sparse.csr_array(X.astype(np.float32))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    our = getattr(ours, name)().fit(rows, y)
    assert_equal(getattr(theirs, name)().fit(X, y), our, X)
    assert rows.indices.dtype == np.int64
    np.testing.assert_array_equal(our.predict(rows), our.predict(X))


@pytest.mark.filterwarnings("ignore:alpha too small")
@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
def test_rows_learned_in_batches_are_scikit_learns_fit_on_all(name, settings):
    """scikit-learn's own batches drift where variances are smoothed; its fit does not."""
    X, y, weight = drawn(8)
    their, our = pair(name, settings)
    their.fit(X, y, weight)
    for batch in np.array_split(np.arange(len(X)), 7):
        our.partial_fit(X[batch], y[batch], classes=[2, 0, 1], sample_weight=weight[batch])
    assert_equal(their, our, X)


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_a_class_named_but_not_seen_yet_has_no_weight(name):
    X, y, _ = drawn(9)
    X, y = X[y != 1], y[y != 1]
    our = getattr(ours, name)().partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(our.class_count_, [np.sum(y == 0), 0, np.sum(y == 2)])
    assert set(our.predict(X)) <= {0, 2}


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
def test_one_class_alone_is_certain(name):
    X, _, _ = drawn(10)
    their, our = (one.fit(X, np.ones(len(X), dtype=int)) for one in pair(name, {}))
    np.testing.assert_array_equal(our.predict_proba(X), 1.0)
    np.testing.assert_allclose(our.predict_joint_log_proba(X), their.predict_joint_log_proba(X), rtol=1e-9)


def test_update_mean_variance_is_scikit_learns():
    rng = np.random.default_rng(11)
    past, X, weight = rng.normal(size=(9, 3)), rng.normal(size=(6, 3)), rng.uniform(0, 2, 6)
    for sample_weight in (None, weight):
        arguments = (9, past.mean(axis=0), past.var(axis=0), X, sample_weight)
        found, expected = (each.GaussianNB._update_mean_variance(*arguments) for each in (ours, theirs))
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    mean, variance = past.mean(axis=0), past.var(axis=0)
    unchanged = ours.GaussianNB._update_mean_variance(9, mean, variance, X, np.zeros(6))
    assert unchanged[0] is mean and unchanged[1] is variance


BAD = [
    ("MultinomialNB", {"alpha": -1.0}, None),
    ("MultinomialNB", {"alpha": [1.0, 2.0]}, None),
    ("MultinomialNB", {"alpha": [1.0, 2.0, -1.0, 1.0, 1.0]}, None),
    ("MultinomialNB", {"class_prior": [0.5, 0.5]}, None),
    ("CategoricalNB", {"min_categories": [2.5, 3.0, 1.0, 1.0, 1.0]}, None),
    ("GaussianNB", {"priors": [0.5, 0.5]}, None),
    ("GaussianNB", {"priors": [0.5, 0.6, 0.5]}, None),
    ("GaussianNB", {"priors": [-0.5, 1.0, 0.5]}, None),
    ("GaussianNB", {}, np.nan),
    ("GaussianNB", {}, np.inf),
    ("MultinomialNB", {}, -1.0),
    ("MultinomialNB", {}, np.nan),
    ("ComplementNB", {}, -1.0),
    ("BernoulliNB", {}, np.nan),
    ("CategoricalNB", {}, -1.0),
    ("CategoricalNB", {}, np.nan),
]


@pytest.mark.parametrize(("name", "settings", "cell"), BAD, ids=str)
def test_what_scikit_learn_refuses_is_refused_in_its_words(name, settings, cell):
    X, y, _ = drawn(12)
    X = X.astype(np.float64)
    if cell is not None:
        X[7, 2] = cell
    said = []
    for one in pair(name, settings):
        with pytest.raises(ValueError) as error:
            one.fit(X, y)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "ComplementNB", "BernoulliNB", "CategoricalNB"])
@pytest.mark.parametrize("cell", [np.nan, np.inf], ids=str)
def test_a_row_that_scikit_learn_cannot_judge_is_refused_in_its_words(name, cell):
    X, y, _ = drawn(13)
    wrong = X.astype(np.float64)
    wrong[1, 1] = cell
    said = []
    for one in pair(name, {}):
        one.fit(X, y)
        with pytest.raises(ValueError) as error:
            one.predict(wrong)
        said.append(str(error.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["GaussianNB", "CategoricalNB"])
def test_sparse_rows_are_refused_as_scikit_learn_does_where_cells_must_be_dense(name):
    X, y, _ = drawn(14)
    for one in pair(name, {}):
        one.fit(X, y)
        with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
            one.predict(sparse.csr_array(X))


def test_negative_categories_are_refused_when_judged():
    X, y, _ = drawn(15)
    our = ours.CategoricalNB().fit(X, y)
    with pytest.raises(ValueError, match="Negative values in data passed to CategoricalNB"):
        our.predict(-X)


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "CategoricalNB"])
def test_attributes_are_not_there_before_fit(name):
    _, our = pair(name, {})
    for attribute in ATTRIBUTES:
        assert not hasattr(our, attribute)
