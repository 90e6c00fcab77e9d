"""Costs against thresholds, and by the way of deciding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import Costs, Custom
from plainbayes.numeric import log
from plainbayes.posterior import Posterior
from plainbayes.report.costs import Prices, by_threshold, costs, ways

MAIL = Costs("ham>spam=4, spam>ham=1, ask=0.3")
CLASSES = ("ham", "spam")


def posterior(spam):
    spam = np.asarray(spam, dtype=float)
    return Posterior(CLASSES, log(np.stack([1 - spam, spam], axis=1)), np.zeros(len(spam), bool))


def test_the_threshold_is_that_of_the_costs():
    """SPEC: answer spam only if P(spam) > 4 / (4 + 1); asking at 0.3 is cheaper from 0.3 / 1 to 1 - 0.3 / 4."""
    prices = Prices.of(CLASSES, MAIL)
    assert prices.threshold(1) == pytest.approx(0.8)
    assert prices.threshold(0) == pytest.approx(0.2)
    assert prices.asking(1) == pytest.approx((0.3, 1 - 0.3 / 4))
    assert prices.asking(0) == pytest.approx((0.3 / 4, 0.7))


def test_without_costs_a_mistake_costs_one_and_the_threshold_is_a_half():
    prices = Prices.of(CLASSES, None)
    assert prices.assumed and prices.threshold(1) == 0.5 and prices.asking(1) is None


def test_asking_that_is_too_dear_is_never_cheapest():
    assert Prices.of(CLASSES, Costs("ham>spam=1, spam>ham=1, ask=0.6")).asking(1) is None


def test_of_several_answers_that_are_no_class_the_one_that_serves_most_counts():
    both = Prices.of(CLASSES, Costs("ham>spam=1, spam>ham=1, ask=0.3, wait=0.4"))
    assert both.asking(1) == pytest.approx((0.3, 0.7))


def test_costs_that_favour_one_class_always_put_the_threshold_at_an_end():
    assert Prices.of(CLASSES, Costs("spam>ham=1")).threshold(1) == 0
    assert Prices.of(CLASSES, Costs("ham>spam=1, spam>spam=1")).threshold(1) == 1


@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=40))
def test_the_cost_at_the_implied_threshold_is_that_of_deciding(rows):
    given_ = posterior([place / 100 - 0.005 for place, _ in rows])
    truth = np.array([int(own) for _, own in rows])
    loss = Costs("ham>spam=4, spam>ham=1")
    prices = Prices.of(CLASSES, loss)
    got = by_threshold(prices, truth, given_.probabilities[:, 1], 1, np.array([prices.threshold(1)]))[0]
    assert got == pytest.approx(loss.mean([CLASSES[t] for t in truth], loss.act(given_)))


def test_ways_of_deciding_by_hand():
    """P(spam) 0.1, 0.6, 0.95; truths ham, ham, spam. Spam needs 0.8, asking pays from 0.3 to 0.925."""
    told = dict(ways(Prices.of(CLASSES, MAIL), np.array([0, 0, 1]), posterior([0.1, 0.6, 0.95])))
    assert told == {
        "always the most probable class": pytest.approx(4 / 3),
        "the class of least expected cost": 0,
        "the answer of least expected cost": pytest.approx(0.1),
        "always “ham”": pytest.approx(1 / 3),
        "always “ask”": pytest.approx(0.3),
    }
    plain = ways(Prices.of(CLASSES, None), np.array([0, 0, 1]), posterior([0.1, 0.6, 0.95]))
    assert plain == [("always the most probable class", pytest.approx(1 / 3)), ("always “ham”", pytest.approx(1 / 3))]
    firm = ways(Prices.of(CLASSES, Costs("ham>spam=4, spam>ham=1")), np.array([0]), posterior([0.6]))
    assert [name for name, _ in firm] == [
        "always the most probable class",
        "the answer of least expected cost",
        "always “ham”",
    ]


def test_the_curve_marks_the_threshold_and_the_band_of_asking():
    drawn = costs(["ham", "ham", "spam", "new"], posterior([0.1, 0.6, 0.95, 0.5]), MAIL, "spam")
    assert ">threshold 80%</text>" in drawn and 'class="band"' in drawn and ">ask</text>" in drawn
    assert "answer “spam” from a probability of 80% on" in drawn
    assert "Between 30% and 92.5%, asking is cheaper" in drawn
    # The horizontal axis runs from 0 at 70 to 1 at 600.
    assert f'<line x1="{70 + 0.8 * 530:g}" x2="{70 + 0.8 * 530:g}" y1="12"' in drawn
    assert f'<rect x="{70 + 0.3 * 530:g}" y="12" width="{(1 - 0.3 / 4 - 0.3) * 530:g}"' in drawn


def test_costs_that_were_not_given_are_called_assumed():
    drawn = costs(["ham", "spam"], posterior([0.1, 0.6]), None, "spam")
    assert "No costs were given, so every mistake costs 1." in drawn and ">threshold 50%</text>" in drawn
    assert 'class="band"' not in drawn


def test_many_classes_have_bars_and_no_curve():
    three = Posterior(("a", "b", "c"), log(np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])), np.zeros(2, bool))
    drawn = costs(["a", "b"], three, None, "c")
    assert "Cost curve" not in drawn and "Mean cost by way of deciding" in drawn


def test_thresholds_that_cost_far_too_much_are_off_the_picture():
    """Answering spam from 0 on costs 4 a ham here, never answering it 1 a spam: nobody looks at what costs more."""
    given_ = posterior([0.001, 0.002, 0.003, 0.9])
    drawn = costs(["ham", "ham", "ham", "spam"], given_, Costs("ham>spam=4, spam>ham=1"), "spam")
    line = drawn.split('<polyline points="')[1].split('"')[0]
    assert all(12 <= float(point.split(",")[1]) <= 285 for point in line.split())
    assert ">3</text>" not in drawn


def test_costs_below_zero_and_of_nothing_can_be_drawn():
    gains = Custom(lambda truth, answer: -1.0 * (truth == answer))
    assert "Cost curve" in costs(["ham", "spam"], posterior([0.1, 0.6]), gains, "spam")
    assert "Cost curve" in costs(["ham"], posterior([0.1]), Custom(lambda truth, answer: 0.0), "spam")
    assert costs(["new"], posterior([0.1]), None, "spam") == ""
