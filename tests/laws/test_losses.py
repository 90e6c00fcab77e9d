"""Laws that hold for every loss, found by listing the module."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import losses
from plainbayes.losses import Choice, Loss, NumericLoss
from plainbayes.posterior import Posterior

KNOWN = {
    "Reject": losses.Reject(0.25),
    "Costs": losses.Costs({(1, 2): 4.0, (2, 1): 1.0, (3, 1): 2.5, "ask": 0.4}),
    "Custom": losses.Custom(lambda truth, answer: abs(truth - answer) ** 1.5, (1, 1.5, 2, 3)),
    "Pinball": losses.Pinball(0.8),
}
ALL = [
    KNOWN[name] if name in KNOWN else kind()
    for name, kind in inspect.getmembers(losses, inspect.isclass)
    if issubclass(kind, Loss) and not inspect.isabstract(kind)
]


@st.composite
def posteriors(draw):
    rows = draw(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(any), min_size=1, max_size=4))
    p = np.array(rows)
    with np.errstate(divide="ignore"):
        q = np.log(p / p.sum(axis=1, keepdims=True))
    return Posterior.of([1, 2, 3], q, np.full(3, -np.log(3)))


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: type(loss).__name__)
@given(data=st.data())
def test_the_answer_is_at_least_as_cheap_as_any_other(loss, data):
    posterior = data.draw(posteriors())
    best = loss.risk(posterior, loss.act(posterior))
    if isinstance(loss, Choice):
        others = [[answer] * len(posterior) for answer in loss.answers(posterior.classes)]
    elif isinstance(loss, NumericLoss):
        others = [[value] * len(posterior) for value in data.draw(st.lists(st.floats(0, 4), min_size=1, max_size=8))]
    else:
        p = np.array(data.draw(st.lists(st.floats(0.01, 1), min_size=3, max_size=3)))
        others = [[dict(zip((1, 2, 3), p / p.sum(), strict=True))] * len(posterior)]
    for answers in others:
        assert (best <= loss.risk(posterior, answers) + 1e-12).all()


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: type(loss).__name__)
@given(data=st.data())
def test_risk_is_the_mean_cost_over_what_may_be_true(loss, data):
    posterior = data.draw(posteriors())
    answers = loss.act(posterior)
    for row, answer in enumerate(answers):
        p = posterior.probabilities[row]
        mean = sum(p[i] * loss.cost(c, answer) for i, c in enumerate(posterior.classes) if p[i] > 0)
        assert loss.risk(posterior, answers)[row] == pytest.approx(mean, abs=1e-9)
