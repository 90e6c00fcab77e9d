"""Leave-one-out by hand, and the choices made on it (SPEC, section 6)."""

import numpy as np
import pytest

from plainbayes import Given, InputError, Model, Smoothed, TextClassifier, choose, leave_one_out, smoothings
from plainbayes.events import Bernoulli, Exponential, Gaussian, Multinomial, Poisson

BAGS = [{"x": 1}, {"x": 1, "y": 1}, {"y": 2}, {"y": 1, "z": 1}]
LABELS = ["a", "a", "b", "b"]


def test_one_document_left_out_by_hand():
    """Without {'y': 1, 'z': 1}: z is unknown, |V| = 2, a has x 2, y 1 in two documents, b has y 2 in one."""
    judged = leave_one_out(Model("multinomial"), BAGS, LABELS)
    a, b = 2 / 3 * (1 + 1) / (3 + 2), 1 / 3 * (2 + 1) / (2 + 2)
    np.testing.assert_allclose(judged.posterior.probabilities[3], [a / (a + b), b / (a + b)], rtol=1e-12)
    assert judged.truth == tuple(LABELS)


def test_the_model_is_not_touched_whether_it_has_learned_or_not():
    fresh, learned = Model("multinomial"), Model("multinomial").learn(BAGS, LABELS)
    before = learned.evidence.copy()
    one, two = leave_one_out(fresh, BAGS, LABELS), leave_one_out(learned, BAGS, LABELS)
    np.testing.assert_array_equal(one.posterior.probabilities, two.posterior.probabilities)
    assert learned.evidence == before and len(fresh.evidence.classes) == 0


def test_in_text_the_copies_of_a_document_leave_with_it():
    """Without both copies of {'x': 1} the word x is unknown, and only b is left to say anything."""
    judged = leave_one_out(Model("multinomial"), [{"x": 1}, {"y": 1}, {"x": 1}], ["a", "b", "a"])
    assert judged.alone.tolist() == [True, True, True]
    np.testing.assert_array_equal(judged.posterior.probabilities, [[0, 1], [1, 0], [0, 1]])


def test_in_a_table_equal_rows_are_left_out_one_by_one():
    X, y = [[1.0], [1.0], [9.0], [9.5]], ["a", "a", "b", "b"]
    assert leave_one_out(Model("gaussian"), X, y).alone.tolist() == [False] * 4


def test_groups_are_left_out_together():
    X, y = [[1.0], [2.0], [3.0], [9.0], [8.0]], ["a", "a", "a", "b", "b"]
    groups = ["p", "q", "p", "q", "r"]
    judged = leave_one_out(Model("gaussian", Smoothed()), X, y, groups=groups)
    frozen = Model("gaussian", Smoothed()).learn(X, y).frozen()
    rest = frozen.with_beliefs() + frozen.observe([X[1], X[3], X[4]], ["a", "b", "b"])
    np.testing.assert_allclose(
        judged.posterior.probabilities[[0, 2]], rest.posterior([X[0], X[2]]).probabilities, rtol=1e-9
    )


def test_weights_leave_with_their_row():
    judged = leave_one_out(Model("multinomial"), BAGS, LABELS, weight=[1, 2, 3, 4])
    rest = Model("multinomial").learn(BAGS[:3], LABELS[:3], [1, 2, 3])
    np.testing.assert_allclose(judged.posterior.probabilities[3], rest.posterior(BAGS[3:]).probabilities[0], rtol=1e-12)


def test_a_row_whose_class_stands_nowhere_else_is_a_mistake_but_no_infinite_loss():
    X, y = [[1.0], [1.5], [9.0], [9.5], [5.0]], ["a", "a", "b", "b", "c"]
    judged = leave_one_out(Model("gaussian"), X, y)
    assert judged.alone.tolist() == [False] * 4 + [True]
    assert judged.accuracy == 4 / 5
    expected = -judged.posterior.log_prob(y)[:4].mean()
    assert np.isfinite(judged.log_loss) and judged.log_loss == pytest.approx(expected)
    assert judged.posterior.probabilities[4, 2] == 0


def test_a_declared_class_keeps_its_place_when_its_last_row_is_left_out():
    model = Model("gaussian", Given({"c": 0.2, "a": 0.4, "b": 0.4}), classes=["c"])
    judged = leave_one_out(model, [[1.0], [2.0], [9.0], [8.0], [5.0]], ["a", "a", "b", "b", "c"])
    assert judged.posterior.classes == ("c", "a", "b")
    assert judged.alone.tolist() == [False] * 4 + [True]
    assert 0 < judged.posterior.probabilities[4, 0] < 1


def test_rows_that_every_class_calls_impossible_are_marked():
    bags = [{"x": 1}, {"x": 1, "y": 1}, {"x": 3}, {"x": 2}]
    judged = leave_one_out(Model(Multinomial(alpha=0, unknown="smooth")), bags, LABELS)
    assert judged.posterior.silent.tolist() == [False, True, False, False]
    np.testing.assert_allclose(judged.posterior.probabilities[1], [1 / 3, 2 / 3])


def test_rows_of_one_group_leave_nothing_to_judge_by():
    with pytest.raises(InputError, match="leave-one-out needs rows of more than one group"):
        leave_one_out(Model("multinomial"), BAGS, LABELS, groups=[1, 1, 1, 1])


def test_every_row_has_a_group():
    with pytest.raises(InputError, match="one group for each of 4 rows was expected, got 2"):
        leave_one_out(Model("multinomial"), BAGS, LABELS, groups=[1, 2])


def test_the_belief_that_judges_best_comes_first_and_ties_keep_their_order():
    rng = np.random.default_rng(0)
    X, y = rng.poisson([[2], [6]] * 30), ["few", "many"] * 30
    candidates = [Poisson(alpha=200, beta=1), Poisson(), Poisson(alpha=1.0)]
    tried = choose(Model("poisson"), X, y, candidates)
    assert [one.event for one in tried] == [candidates[1], candidates[2], candidates[0]]
    assert tried[0].event is candidates[1]
    assert tried[0].log_loss == tried[1].log_loss < tried[2].log_loss
    judged = leave_one_out(Model(Poisson()), X, y)
    assert (tried[0].log_loss, tried[0].accuracy) == (judged.log_loss, judged.accuracy)


def test_choices_honour_weights_and_groups():
    X, y, weight, groups = [[1.0], [2.0], [5.0], [6.0]], LABELS, [1, 2, 3, 4], [0, 1, 0, 1]
    (tried,) = choose(Model("gaussian"), X, y, [Gaussian()], weight, groups)
    assert tried.log_loss == leave_one_out(Model("gaussian"), X, y, weight, groups).log_loss
    assert tried.log_loss != leave_one_out(Model("gaussian"), X, y).log_loss


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Multinomial(distinct=True), [Multinomial(alpha=2, distinct=True), Multinomial(alpha=0.5, distinct=True)]),
        (Bernoulli(), [Bernoulli(alpha=2), Bernoulli(alpha=0.5)]),
        (Exponential(), [Exponential(alpha=2), Exponential(alpha=0.5)]),
        (Poisson(), [Poisson(a, b) for a in (2, 0.5) for b in (2, 0.5)]),
        (Bernoulli(beta=1), [Bernoulli(alpha=a, beta=b) for a in (2, 0.5) for b in (2, 0.5)]),
    ],
    ids=repr,
)
def test_smoothings_vary_alpha_and_a_beta_that_stands_apart(event, expected):
    assert smoothings(event, (2, 0.5)) == expected


@pytest.mark.parametrize("event", [Gaussian(scale=2.0), Exponential(beta=2.0)], ids=repr)
def test_one_belief_for_all_columns_is_kept_when_rows_are_left_out(event):
    X, y = [[1.0], [2.0], [8.0], [9.0]], list("aabb")
    judged = leave_one_out(Model(event), X, y)
    for row in range(4):
        rest = Model(event).learn(X[:row] + X[row + 1 :], y[:row] + y[row + 1 :]).posterior(X[row : row + 1])
        np.testing.assert_allclose(judged.posterior.probabilities[row], rest.probabilities[0], rtol=1e-9)


@pytest.mark.parametrize("labels", [list("abab"), list("cbab")], ids=["class known", "class of weight zero"])
def test_rows_of_weight_zero_are_judged_but_say_nothing(labels):
    bags, weight = [{"q": 1}, {"x": 1}, {"y": 1}, {"x": 2}], [0, 1, 1, 1]
    judged = leave_one_out(Model("multinomial"), bags, labels, weight)
    rest = Model("multinomial").learn(bags[2:], labels[2:])
    assert judged.truth == tuple(labels)
    np.testing.assert_allclose(judged.posterior.probabilities[1], rest.posterior(bags[1:2]).probabilities[0])


def test_leaving_the_only_group_out_is_refused_with_declared_classes_too():
    with pytest.raises(InputError, match="leave-one-out needs rows of more than one group"):
        leave_one_out(Model("gaussian", classes=["a", "b"]), [[1.0], [2.0]], ["a", "b"], groups=[1, 1])


def test_the_log_loss_of_rows_that_are_all_alone_is_infinite_without_a_warning():
    judged = leave_one_out(Model("gaussian"), [[1.0], [2.0]], ["a", "b"])
    assert judged.alone.all() and judged.log_loss == np.inf


def test_classifiers_of_texts_judge_themselves():
    texts, labels = ["a b", "a c", "b d", "d e"], ["x", "x", "y", "y"]
    judged = leave_one_out(TextClassifier().fit(texts, labels), texts, labels)
    assert repr(judged) == f"Judged(4 rows, accuracy={judged.accuracy:.4g}, log_loss={judged.log_loss:.4g})"
    assert judged.accuracy == TextClassifier().fit(texts, labels).leave_one_out(texts, labels).accuracy
    with pytest.raises(InputError, match="a Model was expected, got list"):
        leave_one_out([], texts, labels)
