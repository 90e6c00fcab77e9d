"""Where scikit-learn is wrong, the drop-in classes are not; each test shows both where it can."""

import subprocess
import sys

import numpy as np
import pytest
import sklearn.naive_bayes as theirs

from plainbayes import InputError
from plainbayes.sklearn import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
    NaiveBayesClassifier,
)

ONES = np.array([[1, 0], [1, 1], [0, 1], [0, 1]])
Y = np.array([0, 0, 1, 1])
DISCRETE = [MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB]
EVERY = [GaussianNB, *DISCRETE]


def normal(seed=0, rows=50):
    rng = np.random.default_rng(seed)
    return rng.normal(5.0, 2.0, (rows, 3)) * [1.0, 10.0, 0.1], rng.integers(0, 2, rows)


# Smoothing


def test_bernoulli_adds_the_alpha_of_each_column_to_presence_and_to_absence():
    """By hand: (N + alpha) / (D + 2 alpha). scikit-learn adds the alpha of column j to the documents of class j."""
    alpha = np.array([0.5, 3.0])
    model = BernoulliNB(alpha=alpha).fit(ONES, Y)
    expected = (np.array([[2, 1], [0, 2]]) + alpha) / (2 + 2 * alpha)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), expected, rtol=1e-14)
    wrong = theirs.BernoulliNB(alpha=alpha).fit(ONES, Y).feature_log_prob_
    assert np.abs(np.exp(wrong) - expected).max() > 0.1
    columns = [
        BernoulliNB(alpha=a).fit(ONES[:, [j]], Y).predict_joint_log_proba(ONES[:, [j]]) for j, a in enumerate(alpha)
    ]
    together = model.predict_joint_log_proba(ONES)
    np.testing.assert_allclose(together, sum(columns) - model.class_log_prior_, rtol=1e-14)


def test_categorical_adds_the_alpha_of_each_column_to_its_categories():
    X, alpha = np.array([[0, 1], [1, 2], [1, 0], [0, 2]]), [0.5, 2.0]
    model = CategoricalNB(alpha=alpha).fit(X, Y)
    for column, a in enumerate(alpha):
        alone = CategoricalNB(alpha=a).fit(X[:, [column]], Y)
        np.testing.assert_array_equal(model.feature_log_prob_[column], alone.feature_log_prob_[0])
        np.testing.assert_allclose(np.exp(model.feature_log_prob_[column]).sum(axis=1), 1.0, rtol=1e-14)
    with pytest.raises(ValueError, match="The 'alpha' parameter of CategoricalNB must be a float"):
        theirs.CategoricalNB(alpha=alpha).fit(X, Y)


@pytest.mark.parametrize("cls", DISCRETE)
def test_without_smoothing_the_impossible_is_impossible_and_nothing_is_nan(cls):
    questions = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
    model = cls(alpha=0.0).fit([[1, 0], [1, 0], [0, 1], [0, 1]], Y)
    for table in (model.predict_proba, model.predict_log_proba, model.predict_joint_log_proba):
        assert not np.isnan(table(questions)).any()
    np.testing.assert_allclose(model.predict_proba(questions)[:2], [[1, 0], [0, 1]], atol=1e-300)
    np.testing.assert_array_equal(model.predict(questions)[:2], [0, 1])


@pytest.mark.parametrize("cls", [MultinomialNB, BernoulliNB])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_impossible_class_has_log_probability_minus_infinity_where_scikit_learn_says_nan(cls):
    X = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_array_equal(cls(alpha=0.0).fit(X, Y).predict_log_proba([[1, 0]]), [[0.0, -np.inf]])
    assert np.isnan(getattr(theirs, cls.__name__)(alpha=0.0).fit(X, Y).predict_log_proba([[1, 0]])).any()


# Classes


@pytest.mark.parametrize("cls", EVERY)
def test_a_label_that_was_not_named_is_refused_and_nothing_is_lost(cls):
    model = cls().partial_fit(ONES, Y, classes=[0, 1])
    before, counts = model.predict_proba(ONES), model.class_count_.copy()
    for labels in ([0, 0, 1, 7], [7, 7, 7, 7]):
        with pytest.raises(ValueError, match=r"label\(s\) \[7\] in y do not exist in the initial classes"):
            model.partial_fit(ONES, labels)
    np.testing.assert_array_equal(model.predict_proba(ONES), before)
    np.testing.assert_array_equal(model.class_count_, counts)


def test_scikit_learn_drops_rows_of_a_label_that_was_not_named():
    model = theirs.MultinomialNB().partial_fit(ONES, Y, classes=[0, 1]).partial_fit(ONES, [0, 0, 1, 7])
    assert model.class_count_.sum() == 7


@pytest.mark.parametrize("cls", EVERY)
def test_a_class_named_twice_is_one_class(cls):
    model = cls().partial_fit(ONES, Y, classes=[1, 0, 1, 0])
    np.testing.assert_array_equal(model.classes_, [0, 1])
    np.testing.assert_array_equal(model.predict_proba(ONES), cls().fit(ONES, Y).predict_proba(ONES))


# Categories


def test_a_category_never_learned_gets_the_smoothed_zero():
    """By hand: alpha / (2 + alpha K) in both classes; scikit-learn fails with an index out of bounds."""
    X = np.array([[0], [0], [1], [1]])
    model = CategoricalNB(alpha=0.5).fit(X, Y)
    np.testing.assert_allclose(model.predict_joint_log_proba([[9]]), np.log([[0.5 * 0.5 / 3] * 2]), rtol=1e-14)
    with pytest.raises(IndexError):
        theirs.CategoricalNB(alpha=0.5).fit(X, Y).predict_joint_log_proba([[9]])


def test_a_huge_category_needs_no_table_of_its_size():
    X = np.array([[10**12, 0], [10**12, 1], [3, 0], [3, 1]])
    model = CategoricalNB().fit(X, Y)
    np.testing.assert_array_equal(model.predict([[10**12, 0], [3, 1], [10**12 - 1, 0]]), [0, 1, 0])
    np.testing.assert_array_equal(model.n_categories_, [10**12 + 1, 2])
    model.partial_fit([[10**15, 1]] * 5, [1] * 5)
    assert model.predict([[10**15, 1]]) == [1]
    with pytest.raises(MemoryError):
        theirs.CategoricalNB().fit(X, Y)


def test_categories_may_be_text():
    X = [["red", "round"], ["red", "long"], ["green", "long"], ["green", "long"]]
    model = NaiveBayesClassifier("categorical").fit(X, ["apple", "apple", "pear", "pear"])
    np.testing.assert_array_equal(model.predict([["red", "flat"], ["green", "long"]]), ["apple", "pear"])
    with pytest.raises(ValueError, match=r"could not convert string to float|invalid literal"):
        theirs.CategoricalNB().fit(X, Y)


# Variances


@pytest.mark.parametrize("parts", [2, 5, 50], ids=["halves", "fifths", "one row each"])
def test_variance_smoothing_does_not_drift_between_batches(parts):
    X, y = normal()
    whole, batches, drifting = (cls(var_smoothing=0.1) for cls in (GaussianNB, GaussianNB, theirs.GaussianNB))
    whole.fit(X, y)
    for rows in np.array_split(np.arange(len(X)), parts):
        batches.partial_fit(X[rows], y[rows], classes=[0, 1])
        drifting.partial_fit(X[rows], y[rows], classes=[0, 1])
    for name in ("theta_", "var_", "epsilon_"):
        np.testing.assert_allclose(getattr(batches, name), getattr(whole, name), rtol=1e-12)
    np.testing.assert_allclose(batches.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
    assert abs(drifting.epsilon_ / theirs.GaussianNB(var_smoothing=0.1).fit(X, y).epsilon_ - 1) > 1e-3


def test_rows_without_weight_have_no_say_in_the_smoothing():
    X, y = normal(1)
    far = np.vstack([X, [[1e6, 1e6, 1e6]]])
    labels, weight = np.append(y, 0), np.append(np.ones(len(X)), 0.0)
    model, without = GaussianNB().fit(far, labels, weight), GaussianNB().fit(X, y)
    for name in ("theta_", "var_", "epsilon_", "class_count_"):
        np.testing.assert_allclose(getattr(model, name), getattr(without, name), rtol=1e-12)
    assert theirs.GaussianNB().fit(far, labels, weight).epsilon_ > 1e3 * without.epsilon_


def test_constant_columns_leave_no_nan_and_no_warning():
    X, y = normal(2)
    constant = np.column_stack([X[:, 0], np.full(len(X), 3.0)])
    for smoothing in (0.0, 1e-9):
        model = GaussianNB(var_smoothing=smoothing).fit(constant, y)
        assert np.isfinite(model.predict_joint_log_proba(constant)).all()
        alone = GaussianNB(var_smoothing=smoothing).fit(constant[:, :1], y)
        np.testing.assert_allclose(model.predict_proba(constant), alone.predict_proba(constant[:, :1]), rtol=1e-9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_without_variance_smoothing_a_constant_column_decides_by_its_value():
    X = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]])
    found = GaussianNB(var_smoothing=0.0).fit(X, Y).predict_proba([[1.0, 2.0], [2.0, 2.0]])
    np.testing.assert_allclose(found, [[1, 0], [0, 1]], atol=1e-12)
    assert np.isnan(theirs.GaussianNB(var_smoothing=0.0).fit(X, Y).predict_proba([[1.0, 2.0]])).all()


def test_a_class_of_one_row_has_no_variance_but_the_smoothing():
    model = GaussianNB(var_smoothing=0.5).fit([[0.0], [2.0], [7.0]], [0, 0, 1])
    spread = np.var([0.0, 2.0, 7.0])
    np.testing.assert_allclose(model.var_, [[1 + spread / 2], [spread / 2]], rtol=1e-14)


# Priors and weights


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([-0.5, 1.5], "Priors must be non-negative"),
        ([0.5, 0.6], "The sum of the priors should be 1"),
        ([0.5, np.nan], "The sum of the priors should be 1"),
        ([0.2, 0.3, 0.5], "Number of priors must match number of classes"),
    ],
    ids=["sign", "sum", "nan", "number"],
)
def test_priors_are_checked(cls, prior, message):
    name = "priors" if cls is GaussianNB else "class_prior"
    with pytest.raises(ValueError, match=message):
        cls(**{name: prior}).fit(ONES, Y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_scikit_learn_takes_any_class_prior():
    for prior in ([0.5, 0.6], [-0.5, 1.5]):
        theirs.MultinomialNB(class_prior=prior).fit(ONES, Y)


@pytest.mark.parametrize("cls", EVERY)
def test_negative_weights_are_refused(cls):
    weight = [1.0, 1.0, -1.0, 1.0]
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        cls().fit(ONES, Y, sample_weight=weight)
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        NaiveBayesClassifier("gaussian").fit(ONES, Y, sample_weight=weight)
    assert theirs.MultinomialNB().fit(ONES, Y, sample_weight=weight).class_count_.sum() == 2


def test_the_share_of_memory_for_many_classes_is_small():
    """2,000 classes and 50,000 rows; scikit-learn's table of labels alone would take 800 MB."""
    program = """
import re
from pathlib import Path
import numpy as np
from scipy import sparse
from plainbayes.sklearn import MultinomialNB
import sklearn.naive_bayes

rng = np.random.default_rng(0)
rows, width, classes, each = 50_000, 1_000, 2_000, 5
columns = np.sort(rng.integers(0, width, (rows, each)), axis=1).ravel()
X = sparse.csr_array((np.ones(rows * each), columns, np.arange(0, rows * each + 1, each)), shape=(rows, width))
X.sum_duplicates()
y = rng.integers(0, classes, rows)

def peak():
    # ru_maxrss would begin with what the parent process had.
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

before = peak()
model = MultinomialNB().fit(X, y)
assert len(model.classes_) == classes and len(model.predict(X)) == rows
print(peak() - before)
"""
    if sys.platform != "linux":
        pytest.skip("elsewhere there is no /proc")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 1 < float(done.stdout) < 300


# Missing cells


def test_missing_cells_are_no_evidence_on_request():
    X = np.array([[1.0, np.nan], [2.0, 3.0], [8.0, 9.0], [9.0, np.nan]])
    model = NaiveBayesClassifier("gaussian", missing="skip").fit(X, Y)
    alone = NaiveBayesClassifier("gaussian").fit(X[:, :1], Y)
    np.testing.assert_allclose(model.predict_proba([[3.0, np.nan]]), alone.predict_proba([[3.0]]), rtol=1e-12)
    np.testing.assert_array_equal(model.predict([[np.nan, 3.0], [np.nan, 9.0]]), [0, 1])
    with pytest.raises(InputError, match="gaussian needs finite numbers, got NaN in row 0, column 1"):
        NaiveBayesClassifier("gaussian").fit(X, Y)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        theirs.GaussianNB().fit(X, Y)


# Cells


def test_cells_that_are_no_ones_and_zeros_are_refused_where_nothing_makes_them_so():
    with pytest.raises(InputError, match="bernoulli needs 0 or 1, got 3 in row 0, column 0"):
        BernoulliNB(binarize=None).fit(3 * ONES, Y)
    model = BernoulliNB(binarize=None).fit(ONES, Y)
    with pytest.raises(InputError, match="bernoulli needs 0 or 1, got 3 in row 0, column 0"):
        model.predict(3 * ONES)
    assert np.exp(theirs.BernoulliNB(binarize=None).fit(3 * ONES, Y).feature_log_prob_).max() > 1


@pytest.mark.parametrize("cls", [MultinomialNB, ComplementNB])
def test_negative_counts_are_refused_when_judged(cls):
    model = cls().fit(ONES, Y)
    with pytest.raises(ValueError, match=r"Negative values in data passed to .* \(input X\)"):
        model.predict(-ONES)
    assert len(getattr(theirs, cls.__name__)().fit(ONES, Y).predict(-ONES)) == 4
