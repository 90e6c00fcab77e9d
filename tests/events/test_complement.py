"""What the other classes say."""

import numpy as np
import pytest
from sklearn.naive_bayes import ComplementNB

from plainbayes import Model, Uniform
from plainbayes.events import Complement


@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(counts, log_prob, alpha, normalize, weighted):
    X, y, weight = counts
    weight = weight if weighted else None
    theirs = ComplementNB(alpha=alpha, norm=normalize).fit(X, y, weight)
    event = Complement(alpha, normalize=normalize)
    np.testing.assert_allclose(log_prob(event, X, y, X, weight), theirs.predict_joint_log_proba(X), rtol=1e-9)
    found = Model(event, Uniform()).learn(X, y, weight).posterior(X)
    np.testing.assert_allclose(found.log_probabilities, theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)


def test_weights_by_hand(log_prob):
    """Counts a (2, 0), b (1, 3): without a (1 + 1, 3 + 1) / (4 + 2), without b (2 + 1, 0 + 1) / (2 + 2)."""
    found = log_prob(Complement(), [[2, 0], [1, 3]], ["a", "b"], np.eye(2))
    np.testing.assert_allclose(found, -np.log([[2 / 6, 3 / 4], [4 / 6, 1 / 4]]), rtol=1e-12)


def test_an_unknown_word_may_speak_by_a_count_of_zero():
    model = Model(Complement(unknown="smooth"), Uniform()).learn([{"x": 2}, {"x": 1, "y": 3}], ["a", "b"])
    p = model.posterior([{"never seen": 1}]).probabilities[0]
    assert p[0] / p[1] == pytest.approx((6 / 1) / (4 / 1), rel=1e-12)


@pytest.mark.parametrize("normalize", [False, True])
def test_without_smoothing_a_word_of_one_class_alone_speaks_for_it_and_nothing_is_nan(normalize):
    model = Model(Complement(alpha=0, normalize=normalize), Uniform()).learn([[3, 0, 1], [0, 1, 1]], ["a", "b"])
    found = model.posterior([[1, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 0]])
    assert found.mode()[:2] == ["a", "b"]
    assert np.isfinite(found.probabilities).all()
    np.testing.assert_allclose(found.probabilities[3], [0.5, 0.5])
    assert np.isfinite(model.explain([[1, 1, 0]]).total)


def test_one_class_alone_without_smoothing_is_certain():
    model = Model(Complement(alpha=0)).learn([[3, 0]], ["only"])
    np.testing.assert_array_equal(model.posterior([[1, 1], [0, 0]]).probabilities, [[1], [1]])
