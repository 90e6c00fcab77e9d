"""Answers of least expected cost (SPEC, section 7)."""

import numpy as np
import pytest

from plainbayes import Absolute, Costs, Custom, InputError, LogLoss, Model, Pinball, Posterior, Reject, Squared, ZeroOne


def posterior(probabilities, classes):
    probabilities = np.array(probabilities, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return Posterior(tuple(classes), np.log(probabilities), np.zeros(len(probabilities), dtype=bool))


def mail(*spam):
    return posterior([[1 - p, p] for p in spam], ["ham", "spam"])


def test_without_costs_the_answer_is_the_most_probable_class():
    found = mail(0.2, 0.5, 0.7)
    assert ZeroOne().act(found) == ["ham", "ham", "spam"]
    np.testing.assert_allclose(ZeroOne().risk(found, ["ham", "spam", "spam"]), [0.2, 0.5, 0.3])
    np.testing.assert_allclose(ZeroOne().risks(found), found.probabilities @ ZeroOne().table(found.classes))


def test_the_most_probable_class_is_found_where_its_lead_is_lost_in_one_minus_p():
    scores = np.full((1, 10_000), np.log(1e-4))
    scores[0, 7] += 1e-13
    assert ZeroOne().act(Posterior(tuple(range(10_000)), scores, np.zeros(1, dtype=bool))) == [7]


SPEC_COSTS = [
    Costs("ham>spam=4, spam>ham=1"),
    Costs({("ham", "spam"): 4, ("spam", "ham"): 1}),
    Custom(lambda truth, answer: 0 if truth == answer else 4 if answer == "spam" else 1),
    Custom(lambda truth, answer: 0 if truth == answer else 4 if answer == "spam" else 1, ["ham", "spam"]),
]


@pytest.mark.parametrize("loss", SPEC_COSTS, ids=["text", "pairs", "function", "options"])
def test_spam_only_above_four_fifths_is_a_false_alarm_of_4_and_a_miss_of_1(loss):
    """SPEC, section 7."""
    found = mail(0.1, 0.5, 0.79, 0.81, 1.0)
    assert loss.act(found) == ["ham", "ham", "ham", "spam", "spam"]
    np.testing.assert_allclose(loss.risks(found), [[p, 4 * (1 - p)] for p in (0.1, 0.5, 0.79, 0.81, 1.0)], atol=1e-15)
    assert loss.mean(["ham", "spam", "ham"], ["spam", "ham", "ham"]) == pytest.approx(5 / 3)


def test_a_person_is_asked_between_the_two():
    """By hand: with ask = 0.3, 'ham' up to P = 0.3, 'spam' from 4 (1 - P) < 0.3, that is P > 0.925."""
    loss = Costs("ham>spam=4, spam>ham=1, ask=0.3")
    found = mail(0.29, 0.31, 0.92, 0.93)
    assert loss.act(found) == ["ham", "ask", "ask", "spam"]
    np.testing.assert_allclose(loss.risk(found, ["ask", "ham", "spam", "ask"]), [0.3, 0.31, 0.32, 0.3])
    assert loss.cost("ham", "ask") == loss.cost("spam", "ask") == 0.3


def test_a_model_decides_by_the_costs():
    model = Model("bernoulli").learn([{"pills": 1}, {"noon": 1}, {"pills": 1}], ["spam", "ham", "spam"])
    assert model.decide([{"pills": 1}, {"noon": 1}]) == ["spam", "ham"]
    assert model.decide([{"pills": 1}, {"noon": 1}], Costs("ham>spam=400, spam>ham=1")) == ["ham", "ham"]
    assert model.decide([{"pills": 1}], Costs("ham>spam=400, spam>ham=100, ask=1")) == ["ask"]


@pytest.mark.parametrize(("ask", "expected"), [("ask", "ask"), (None, None)])
def test_asking_pays_when_no_class_is_sure_enough(ask, expected):
    loss = Reject(0.25) if ask == "ask" else Reject(0.25, ask)
    found = posterior([[0.74, 0.26], [0.76, 0.24], [0.1, 0.9]], "ab")
    assert loss.act(found) == [expected, "a", "b"]
    np.testing.assert_allclose(loss.risk(found, [ask, "b", "b"]), [0.25, 0.76, 0.1])
    assert (loss.cost("a", "a"), loss.cost("a", "b"), loss.cost("a", ask)) == (0, 1, 0.25)


def test_answers_need_not_be_classes_at_all():
    stock = {"few": 2, "many": 10}
    loss = Custom(lambda truth, answer: abs(stock[truth] - answer), [0, 2, 5, 10])
    assert loss.act(posterior([[0.9, 0.1], [0.3, 0.7]], ["few", "many"])) == [2, 10]


def test_ties_go_to_the_answer_listed_first():
    assert Costs("a>b=1, b>a=1, ask=0.5").act(posterior([[0.5, 0.5]], "ab")) == ["a"]


@pytest.mark.parametrize("costs", ["ham>spam=4, ham>eggs=1", "bacon>ham=2, spam>eggs=1", "spam=0.5"])
def test_costs_of_labels_that_are_not_there_are_refused(costs):
    with pytest.raises(InputError, match=r"the costs name .*, but the classes are 'ham', 'spam'") as error:
        Costs(costs).act(mail(0.5))
    assert "write true>answer=cost" in error.value.hint


def test_the_labels_that_costs_name_wrongly_are_listed():
    with pytest.raises(InputError, match="the costs name 'bacon', 'eggs', but"):
        Costs("bacon>ham=2, spam>eggs=1").act(mail(0.5))


@pytest.mark.parametrize("text", ["ham>spam", "ham>spam=much", "=3", "ham>spam=", "a>b=1, ,c"])
def test_a_cost_that_cannot_be_read_is_refused(text):
    with pytest.raises(InputError, match="a cost looks like true>answer=cost or answer=cost, got ") as error:
        Costs(text)
    assert error.value.hint == "for example 'ham>spam=4, spam>ham=1, ask=0.3'"


@pytest.mark.parametrize("text", ["ham>spam=nan", "ham>spam=inf", "ask=-inf"])
def test_a_cost_is_finite(text):
    with pytest.raises(InputError, match=r"a cost must be a finite number, got -?(nan|inf) for "):
        Costs(text)


def test_costs_print_as_they_are_given_and_commas_may_trail():
    assert repr(Costs("a > b = 2, ask=0.5,")) == "Costs({('a', 'b'): 2.0, 'ask': 0.5})"


def test_the_risk_of_an_answer_that_nobody_gives_is_refused():
    with pytest.raises(InputError, match="no answer is called 'eggs'") as error:
        ZeroOne().risk(mail(0.5), ["eggs"])
    assert error.value.hint == "there are 'ham', 'spam'"


VALUES = (-3.0, 7.5, 1.0, 2.0, 20.0)


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Pinball(0.1), Pinball(0.5), Pinball(0.9)], ids=repr)
def test_no_other_number_is_cheaper_than_the_answer(loss):
    weights = np.random.default_rng(5).random((40, len(VALUES))) ** 4
    found = posterior(weights / weights.sum(axis=1, keepdims=True), VALUES)
    best = loss.risk(found, loss.act(found))
    for other in [*np.linspace(-4, 21, 101), *VALUES]:
        assert (loss.risk(found, np.full(40, other)) >= best - 1e-12).all()
    for step in (-1e-3, 1e-3):
        assert (loss.risk(found, loss.act(found) + step) > best).all()


def test_numeric_answers_by_hand():
    found = posterior([[0.2, 0.5, 0.3]], [0, 10, 20])
    assert Squared().act(found) == pytest.approx(11)
    assert Squared().risk(found, [11]) == pytest.approx(0.2 * 121 + 0.5 * 1 + 0.3 * 81)
    assert Absolute().act(found) == 10
    assert Absolute().risk(found, [10]) == pytest.approx(5)
    assert Pinball(0.9).act(found) == 20
    assert Pinball(0.9).cost(20, 10) == pytest.approx(9)
    assert Pinball(0.9).cost(10, 20) == pytest.approx(1)
    assert Absolute().mean([1, 5], [2, 2]) == 2


@pytest.mark.parametrize("q", [0, 1, -2, float("nan")])
def test_pinball_needs_a_share(q):
    with pytest.raises(InputError, match=f"pinball needs q between 0 and 1, got {q}"):
        Pinball(q)


def test_under_log_loss_the_answer_is_the_probability_itself():
    found = posterior([[0.2, 0.8], [0.0, 1.0]], "ab")
    answers = LogLoss().act(found)
    assert answers == [{"a": pytest.approx(0.2), "b": pytest.approx(0.8)}, {"a": 0.0, "b": 1.0}]
    entropy = -(0.2 * np.log(0.2) + 0.8 * np.log(0.8))
    np.testing.assert_allclose(LogLoss().risk(found, answers), [entropy, 0], atol=1e-15)
    for other in np.linspace(0.01, 0.99, 50):
        assert LogLoss().risk(found, [{"a": other, "b": 1 - other}] * 2)[0] >= entropy - 1e-15


def test_an_answer_that_called_the_truth_impossible_costs_everything():
    assert LogLoss().cost("a", {"a": 0.0, "b": 1.0}) == LogLoss().cost("zebra", {"a": 1.0}) == np.inf
    assert LogLoss().risk(posterior([[0.5, 0.5]], "ab"), [{"a": 1.0}]).tolist() == [np.inf]


@pytest.mark.parametrize("price", [float("nan"), float("inf"), "q"])
def test_asking_needs_a_price(price):
    with pytest.raises(InputError, match="asking needs a finite price"):
        Reject(price)
