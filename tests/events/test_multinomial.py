"""Words drawn one by one."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from plainbayes import InputError, Model, Uniform
from plainbayes.events import Multinomial


@pytest.mark.parametrize("alpha", [1.0, 0.01, 7.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(counts, log_prob, alpha, weighted):
    X, y, weight = counts
    weight = weight if weighted else None
    theirs = MultinomialNB(alpha=alpha).fit(X, y, weight)
    model = Model(Multinomial(alpha)).learn(X, y, weight)
    joint = log_prob(Multinomial(alpha), X, y, X, weight) + model.log_prior
    np.testing.assert_allclose(joint, theirs.predict_joint_log_proba(X), rtol=1e-9)
    np.testing.assert_allclose(model.posterior(X).log_probabilities, theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(model.posterior(rows).probabilities, theirs.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("vocabulary", "unknown", "expected"),
    [
        (None, "ignore", 1.0),
        (None, "smooth", (1 / 5) / (1 / 4)),
        ("open", "smooth", (1 / 6) / (1 / 5)),
        (10, "smooth", (1 / 13) / (1 / 12)),
    ],
)
def test_an_unknown_word_speaks_for_the_class_with_fewer_words_or_not_at_all(vocabulary, unknown, expected):
    """SPEC, section 5; by hand: L = 3 and 2, two words seen."""
    event = Multinomial(vocabulary=vocabulary, unknown=unknown)
    model = Model(event, Uniform()).learn([{"x": 2, "y": 1}, {"x": 1, "y": 1}], ["a", "b"])
    p = model.posterior([{"never seen": 1}]).probabilities[0]
    assert p[0] / p[1] == pytest.approx(expected, rel=1e-12)


def test_a_distinct_word_is_scored_once_whatever_its_count():
    rows, labels = [{"x": 3}, {"x": 1, "y": 4}], ["a", "b"]
    distinct = Model(Multinomial(distinct=True)).learn(rows, labels)
    plain = Model("multinomial").learn(rows, labels)
    assert distinct.evidence == plain.evidence
    many, once = distinct.posterior([{"x": 9, "y": 2}]), plain.posterior([{"x": 1, "y": 1}])
    np.testing.assert_allclose(many.log_probabilities, once.log_probabilities, rtol=1e-12)


def test_without_smoothing_a_word_never_seen_in_a_class_makes_it_impossible_and_nothing_is_nan():
    model = Model(Multinomial(alpha=0), classes=["c"]).learn([[2, 0, 1], [0, 1, 1]], ["a", "b"])
    found = model.posterior([[1, 0, 0], [0, 0, 5], [1, 1, 0], [0, 0, 0]])
    assert found.silent.tolist() == [False, False, True, False]
    expected = [[0, 1, 0], [0, *np.array([1 / 3, 1 / 2]) ** 5 / ((1 / 3) ** 5 + (1 / 2) ** 5)], [0, 0.5, 0.5]]
    np.testing.assert_allclose(found.probabilities, [*expected, [0, 0.5, 0.5]], rtol=1e-12)


def test_more_words_than_declared_are_refused():
    model = Model(Multinomial(vocabulary=2)).learn([{"x": 1, "y": 1, "z": 1}], ["a"])
    with pytest.raises(InputError, match="multinomial declares a vocabulary of 2, but 3 words were learned"):
        model.posterior([{"x": 1}])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"alpha": -1}, "multinomial needs a finite alpha >= 0, got -1"),
        ({"alpha": float("nan")}, "multinomial needs a finite alpha >= 0, got nan"),
        ({"alpha": float("inf")}, "multinomial needs a finite alpha >= 0, got inf"),
        ({"vocabulary": 0}, "multinomial needs vocabulary None, 'open' or a number > 0, got 0"),
        ({"vocabulary": "closed"}, "multinomial needs vocabulary None, 'open' or a number > 0, got 'closed'"),
        ({"unknown": "guess"}, "multinomial needs unknown 'ignore' or 'smooth', got 'guess'"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError) as error:
        Multinomial(**settings)
    assert error.value.message == message
