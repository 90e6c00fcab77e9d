"""Each word there or not."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB

from plainbayes import InputError, Model, Uniform
from plainbayes.events import Bernoulli


@pytest.mark.parametrize("alpha", [1.0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("binarize", [0.0, 1.5])
def test_scikit_learn_agrees(counts, log_prob, alpha, weighted, binarize):
    X, y, weight = counts
    weight = weight if weighted else None
    theirs = BernoulliNB(alpha=alpha, binarize=binarize).fit(X, y, weight)
    model = Model(Bernoulli(alpha, binarize=binarize)).learn(X, y, weight)
    expected = theirs.predict_log_proba(X)
    np.testing.assert_allclose(model.posterior(X).log_probabilities, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.posterior(sparse.csr_array(X)).log_probabilities, expected, rtol=1e-9, atol=1e-9)
    there = X > binarize
    joint = log_prob(Bernoulli(alpha), there, y, there, weight) + model.log_prior
    np.testing.assert_allclose(joint, theirs.predict_joint_log_proba(X), rtol=1e-9)
    assert Model(Bernoulli(alpha)).learn(there, y, weight).evidence == model.evidence


def test_the_classic_spam_filter_multiplies_only_the_words_present(log_prob):
    """By hand: D = 2 and 1, P(x|a) = 3/4, P(y|a) = 1/4, P(x|b) = 1/3, P(y|b) = 2/3 (SPEC, section 3)."""
    X, y, rows = [[1, 0], [1, 0], [0, 1]], ["a", "a", "b"], [[1, 0], [1, 1], [0, 0]]
    classic = [[3 / 4, 1 / 3], [3 / 16, 2 / 9], [1, 1]]
    full = [[9 / 16, 1 / 9], [3 / 16, 2 / 9], [3 / 16, 2 / 9]]
    np.testing.assert_allclose(np.exp(log_prob(Bernoulli(absence=False), X, y, rows)), classic, rtol=1e-12)
    np.testing.assert_allclose(np.exp(log_prob(Bernoulli(), X, y, rows)), full, rtol=1e-12)
    assert (Bernoulli().proper, Bernoulli(absence=False).proper) == ("presence", None)


def test_the_estimate_is_the_mean_of_a_beta_distribution(log_prob):
    """Beta(N + alpha, D - N + beta) with N = 1, D = 3: (1 + 0.5) / (3 + 0.5 + 4)."""
    found = log_prob(Bernoulli(alpha=0.5, beta=4), [[1], [0], [0]], ["a"] * 3, [[1], [0]])
    np.testing.assert_allclose(np.exp(found[:, 0]), [1.5 / 7.5, 6 / 7.5], rtol=1e-12)


def test_without_smoothing_what_is_never_or_always_there_decides_and_nothing_is_nan():
    """Column 0 always in a (p = 1), never in b (p = 0); column 1 half in a, never in b."""
    model = Model(Bernoulli(alpha=0)).learn([[1, 0], [1, 1], [0, 0], [0, 0]], ["a", "a", "b", "b"])
    found = model.posterior([[1, 0], [1, 1], [0, 0], [0, 1]])
    np.testing.assert_array_equal(found.probabilities, [[1, 0], [1, 0], [0, 1], [0.5, 0.5]])
    assert found.silent.tolist() == [False, False, False, True]
    why = model.explain([[0, 1]])
    assert why.silent and "the prior decides" in str(why)


def test_a_class_without_documents_and_without_smoothing_is_impossible():
    model = Model(Bernoulli(alpha=0), Uniform(), classes=["none"]).learn([[1, 0], [1, 1]], ["a", "a"])
    np.testing.assert_array_equal(model.posterior([[1, 0]]).probabilities, [[0, 1]])


def test_an_unknown_word_may_speak_by_a_count_of_zero():
    """By hand: 1 / (2 + 2) against 1 / (1 + 2), and the known word x absent: 1/4 against 1/3."""
    model = Model(Bernoulli(unknown="smooth"), Uniform()).learn([{"x": 1}, {"x": 1}, {"x": 1}], ["a", "a", "b"])
    odds = model.posterior([{"never seen": 3}]).probabilities[0]
    assert odds[0] / odds[1] == pytest.approx((1 / 4 / 4) / (1 / 3 / 3), rel=1e-12)


def test_words_in_text_are_there_or_not():
    once = Model("bernoulli").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    many = Model("bernoulli").learn([{"x": 5}, {"y": 2}], ["a", "b"])
    np.testing.assert_array_equal(once.posterior([{"x": 7}]).probabilities, many.posterior([{"x": 1}]).probabilities)


def test_binarizing_below_zero_needs_a_dense_array():
    X = np.array([[-2.0, 0.0], [1.0, -3.0]])
    model = Model(Bernoulli(binarize=-1.0)).learn(X, ["a", "b"])
    assert model.evidence.parts[None].stats.present.tolist() == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match=r"bernoulli needs binarize >= 0 for sparse rows, got -1\.0") as error:
        model.posterior(sparse.csr_array(X))
    assert error.value.hint == "below 0 every zero becomes a one: pass a dense array"


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_binarizing_does_not_hide_what_is_no_number(value):
    with pytest.raises(InputError, match=f"(?i)bernoulli needs finite numbers, got {value} in row 0, column 1"):
        Model(Bernoulli(binarize=0)).learn([[1.0, value]], ["a"])


@pytest.mark.parametrize("beta", [-1, float("nan")])
def test_a_negative_beta_is_refused(beta):
    with pytest.raises(InputError, match=f"bernoulli needs beta >= 0, got {beta}"):
        Bernoulli(beta=beta)
