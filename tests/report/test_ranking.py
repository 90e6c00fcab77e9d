"""Areas under curves, as scikit-learn has them, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from plainbayes.numeric import log
from plainbayes.posterior import Posterior
from plainbayes.report.ranking import ranked, rankings


def test_by_hand():
    """Two of the class at 0.9 and 0.4, two others at 0.6 and 0.4: of four pairs 2.5 are in order, one of them tied."""
    one = ranked("a", np.array([0.9, 0.4, 0.6, 0.4]), np.array([True, True, False, False]))
    assert one.recall.tolist() == [0, 0.5, 0.5, 1]
    assert one.alarms.tolist() == [0, 0, 0.5, 1]
    assert one.precision.tolist() == [1, 1, 0.5, 0.5]
    assert one.auc == 2.5 / 4
    assert one.average_precision == 0.5 * 1 + 0.5 * 0.5


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=60))
def test_areas_equal_those_of_scikit_learn(rows):
    scores, own = np.array([score for score, _ in rows]) / 7, np.array([each for _, each in rows])
    if own.any() and not own.all():
        one = ranked("a", scores, own)
        assert one.auc == pytest.approx(metrics.roc_auc_score(own, scores), abs=1e-12)
        assert one.average_precision == pytest.approx(metrics.average_precision_score(own, scores), abs=1e-12)


def test_impossible_rows_tie():
    one = ranked("a", np.array([0.0, -np.inf, -np.inf]), np.array([True, False, True]))
    assert one.auc == 0.75


def test_the_commonest_classes_come_first_and_those_without_a_rest_are_left_out():
    truths = ["b", "b", "a", "b", "c", "c", "new"]
    posterior = Posterior(tuple("abcd"), log(np.full((7, 4), 0.25)), np.zeros(7, bool))
    assert [(each.label, each.rows) for each in rankings(truths, posterior)] == [("b", 3), ("c", 2), ("a", 1)]
    assert [each.label for each in rankings(truths, posterior, 1)] == ["b"]
    assert all(each.auc == 0.5 for each in rankings(truths, posterior)), "all rows tie"
    assert rankings(["a"], Posterior(("a", "b"), log([[0.5, 0.5]]), np.zeros(1, bool))) == []
