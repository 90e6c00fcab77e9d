"""The verdict, in words."""

from collections import Counter

import numpy as np
import pytest

from plainbayes import Costs
from plainbayes.evaluate import BINS, Evaluation, evaluate
from plainbayes.numeric import log
from plainbayes.posterior import Posterior
from plainbayes.report.verdict import verdict


def result(pairs, sure=None, costs=None):
    """An evaluation of these pairs; `sure` are rows, mean probability and right answers of bins by place."""
    bins = np.zeros((BINS, 3))
    for place, (rows, expected, right) in (sure or {}).items():
        bins[place] = rows, rows * expected, right
    return Evaluation(("ham", "spam"), Counter(pairs), 0.0, 0.0, bins, costs)


GOOD = {("ham", "ham"): 700, ("spam", "spam"): 212, ("ham", "spam"): 50, ("spam", "ham"): 38}
CALIBRATED = {13: (400, 0.9, 356), 14: (600, 0.94, 556)}


def test_a_good_model():
    assert " ".join(verdict(result(GOOD, CALIBRATED))) == (
        "Right in 912 of 1,000 cases (91.2%; on more cases like these, between 89.3% and 92.8%). "
        "Without a model, always answering “ham” would be right in 75%. "
        "Its probabilities can be taken at their word: when it says 90%, it is right 89% of the time. "
        "It most often takes “ham” for “spam” (50 times)."
    )


def test_a_model_that_is_hardly_better_than_none_or_worse():
    near = {("ham", "ham"): 740, ("spam", "spam"): 50, ("spam", "ham"): 200, ("ham", "spam"): 10}
    assert "That is hardly better than no model: always answering “ham”" in " ".join(verdict(result(near, CALIBRATED)))
    worse = {("ham", "ham"): 500, ("ham", "spam"): 250, ("spam", "spam"): 200, ("spam", "ham"): 50}
    assert "That is worse than no model" in " ".join(verdict(result(worse, CALIBRATED)))


@pytest.mark.parametrize(
    ("sure", "words"),
    [
        ({14: (1000, 0.99, 912)}, "It is surer than it should be: when it says 99%, it is right 91.2% of the time."),
        ({10: (500, 0.7, 412), 14: (500, 1.0, 500)}, "It is better than it says: when it says 70%, it is right 82%"),
        (
            {9: (100, 0.63, 58), 11: (100, 0.76, 80), 13: (800, 0.9, 735)},
            "As far as so few cases can tell, its probabilities can be taken at their word: when it says 90%, it is",
        ),
    ],
)
def test_what_probabilities_are_worth(sure, words):
    assert words in " ".join(verdict(result(GOOD, sure)))


def test_few_cases_say_little():
    said = " ".join(verdict(result({("ham", "ham"): 3, ("spam", "ham"): 1}, {14: (4, 1.0, 3)})))
    assert "too few cases" in said and "(once)" in said
    alone = " ".join(verdict(result({("ham", "ham"): 3}, {14: (3, 1.0, 3)})))
    assert "All cases are “ham”" in alone and "It made no mistake here." in alone


def test_costs_are_told():
    said = verdict(result(GOOD, CALIBRATED, np.array([100.0, 300.0, 250.0])))[-1]
    assert said == (
        "Deciding by cost, a case costs 0.1 instead of 0.3 for the most probable class, which saves 0.2, with a person "
        "asked in 25% of cases."
    )
    dear = verdict(result(GOOD, CALIBRATED, np.array([300.0, 100.0, 0.0])))[-1]
    assert dear.endswith("for the most probable class, which is 0.2 more.")


def test_an_evaluation_speaks_for_itself():
    posterior = Posterior(("a", "b"), log(np.array([[0.9, 0.1], [0.2, 0.8]])), np.zeros(2, bool))
    assert verdict(evaluate(["a", "b"], posterior, Costs("a>b=1")))[0].startswith("Right in 2 of 2 cases (100%;")
