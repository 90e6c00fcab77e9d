"""How good answers are: by hand, and as scikit-learn's metrics say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from plainbayes import Costs, InputError, Squared
from plainbayes.evaluate import ClassScore, evaluate
from plainbayes.numeric import log
from plainbayes.posterior import Posterior


def posterior(classes, probabilities):
    probabilities = np.asarray(probabilities, dtype=float)
    return Posterior(tuple(classes), log(probabilities), np.zeros(len(probabilities), dtype=bool))


HAND = posterior("ab", [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
TRUTHS = ["a", "a", "b", "b"]


def test_figures_by_hand():
    result = evaluate(TRUTHS, HAND)
    assert result.rows == 4
    assert result.accuracy == 0.75
    assert result.log_loss == pytest.approx(-math.log(0.9 * 0.8 * 0.7 * 0.4) / 4)
    assert result.brier == pytest.approx((2 * 0.1**2 + 2 * 0.2**2 + 2 * 0.3**2 + 2 * 0.6**2) / 4)
    # Four bins of one row each: 0.9, 0.8 and 0.7 were right, 0.6 was wrong.
    assert result.ece == pytest.approx((0.1 + 0.2 + 0.3 + 0.6) / 4)
    assert result.confusion.tolist() == [[2, 0], [1, 1]]
    assert result.by_class["a"] == ClassScore(pytest.approx(2 / 3), 1.0, pytest.approx(0.8), 2)
    assert result.by_class["b"] == ClassScore(1.0, 0.5, pytest.approx(2 / 3), 2)
    assert result.macro_f1 == pytest.approx((0.8 + 2 / 3) / 2)
    assert result.mean_cost is result.mean_cost_of_labels is result.cost_saved is result.asked is None


def test_reliability_sets_how_sure_beside_how_often_right():
    result = evaluate(TRUTHS, HAND)
    assert [(each.rows, each.right) for each in result.reliability] == [(1, 0), (1, 1), (1, 1), (1, 1)]
    assert [each.expected for each in result.reliability] == pytest.approx([0.6, 0.7, 0.8, 0.9])
    assert all(each.low < each.expected <= each.high for each in result.reliability)
    assert "  0.7000       1  1.0000  ████████████████████" in str(result)
    assert result.as_dict()["reliability"][0]["right"] == 0


def test_rows_of_one_bin_make_up_for_each_other():
    pairs = posterior("ab", [[0.75, 0.25]] * 4)
    assert evaluate(["a", "a", "a", "b"], pairs).ece == 0
    assert evaluate(["b", "b", "b", "b"], pairs).ece == 0.75


def test_sure_answers_lie_in_the_last_bin():
    result = evaluate(["a", "b"], posterior("ab", [[1.0, 0.0], [0.0, 1.0]]))
    assert (result.ece, result.brier, result.log_loss) == (0, 0, 0)
    assert math.copysign(1, result.log_loss) == 1
    assert result.bins[-1].tolist() == [2, 2, 2]


def test_log_loss_is_infinite_only_for_what_was_called_impossible():
    tiny = Posterior(("a", "b"), np.array([[-2000.0, 0.0]]), np.zeros(1, dtype=bool))
    assert evaluate(["a"], tiny).log_loss == 2000
    assert evaluate(["a"], posterior("ab", [[0.0, 1.0]])).log_loss == math.inf


def test_a_truth_that_is_no_class_is_a_row_of_its_own():
    result = evaluate(["a", "new"], posterior("ab", [[1.0, 0.0], [0.5, 0.5]]))
    assert result.labels == ("a", "b", "new")
    assert result.confusion.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert result.log_loss == math.inf
    assert result.brier == (0 + 0.5 + 1) / 2
    assert result.by_class["new"] == ClassScore(0.0, 0.0, 0.0, 1)
    assert result.macro_f1 == pytest.approx((2 / 3 + 0) / 2)  # b is neither a truth nor an answer


def test_deciding_by_cost_is_compared_with_naming_the_likeliest():
    costs = Costs("a>b=1, b>a=4, ask=0.3")
    result = evaluate(TRUTHS, HAND, costs)
    assert result.mean_cost == pytest.approx((0.3 * 3) / 4)  # sure of the third only: 'b', which is right
    assert result.mean_cost_of_labels == pytest.approx(4 / 4)
    assert result.cost_saved == pytest.approx(1 - 0.225)
    assert result.asked == 0.75
    assert "mean cost        0.2250  1.0000 without deciding" in str(result)
    assert "cost saved       0.7750  a row, against the most probable class" in str(result)
    assert "asked            0.7500  share of answers that are no class" in str(result)
    assert {"mean_cost", "mean_cost_of_labels", "cost_saved", "asked"} < set(result.as_dict())


def test_only_a_choice_of_answers_can_ask():
    numbers = posterior((1, 2), [[0.5, 0.5]])
    assert evaluate([1], numbers, Squared()).asked == 0


def test_parts_add_up_to_the_whole():
    costs = Costs("a>b=1, b>a=4, ask=0.3")
    for loss in (None, costs):
        parts = [evaluate(TRUTHS[at : at + 2], posterior("ab", HAND.probabilities[at : at + 2]), loss) for at in (0, 2)]
        assert str(parts[0] + parts[1]) == str(evaluate(TRUTHS, HAND, loss))
    with pytest.raises(InputError, match="of one model under one loss"):
        _ = evaluate(TRUTHS, HAND) + evaluate(TRUTHS, HAND, costs)
    with pytest.raises(InputError, match="of one model under one loss"):
        _ = evaluate(TRUTHS, HAND) + evaluate(TRUTHS, posterior("abc", np.full((4, 3), 1 / 3)))


def test_the_table_names_every_class_and_the_commonest_mistakes():
    said = str(evaluate(["spam", "ham", "ham"], posterior(["ham", "spam"], [[0.9, 0.1]] * 3)))
    assert "accuracy         0.6667" in said
    assert "log loss         0.8378  nats a row" in said
    assert "ham       0.6667  1.0000  0.8000       2" in said
    assert "     1  spam > ham" in said
    assert "mistaken" not in str(evaluate(["ham"], posterior(["ham"], [[1.0]])))


def test_figures_have_plain_names():
    figures = evaluate(TRUTHS, HAND).as_dict()
    assert {"accuracy", "macro_f1", "log_loss", "brier", "ece", "confusion"} < set(figures)
    assert figures["confusion"] == {"labels": ["a", "b"], "matrix": [[2, 0], [1, 1]]}
    assert figures["classes"]["b"] == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3), "rows": 2}
    assert "mean_cost" not in figures


def test_no_rows_and_rows_without_truth_are_refused():
    with pytest.raises(InputError, match="nothing to evaluate"):
        evaluate([], posterior("ab", np.empty((0, 2))))
    with pytest.raises(InputError, match="got 1 truths for 4 rows"):
        evaluate(["a"], HAND)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(2, 5))
def test_figures_equal_those_of_scikit_learn(seed, rows, size):
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(size), rows)
    classes = np.array([f"class {place}" for place in range(size)])
    truths = rng.choice(classes, rows)
    result = evaluate(truths.tolist(), posterior(classes.tolist(), probabilities))
    answers = classes[probabilities.argmax(axis=1)]
    hot = (truths[:, None] == classes).astype(float)
    assert result.accuracy == pytest.approx(metrics.accuracy_score(truths, answers))
    assert result.macro_f1 == pytest.approx(metrics.f1_score(truths, answers, average="macro"))
    assert result.log_loss == pytest.approx(metrics.log_loss(truths, probabilities, labels=classes))
    assert result.brier == pytest.approx(((probabilities - hot) ** 2).sum(axis=1).mean())
    assert result.confusion.tolist() == metrics.confusion_matrix(truths, answers, labels=classes).tolist()
    expected = np.array(metrics.precision_recall_fscore_support(truths, answers, labels=classes, zero_division=0))
    np.testing.assert_allclose(np.array([result.by_class[name] for name in classes.tolist()]).T, expected)
