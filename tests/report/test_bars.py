"""Explanations as bars that add up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes.explain import Explanation, Share
from plainbayes.report.bars import bars, terms


def why(shares, prior=0.5, bias=0.0, silent=False):
    return Explanation("spam", "ham", 0.9, prior, bias, tuple(Share(*share) for share in shares), silent)


@given(st.lists(st.floats(-5, 5), max_size=30), st.integers(1, 10))
def test_what_is_shown_adds_up_to_the_log_odds(nats, most):
    reason = why([(f"w{place}", 1.0, x, True) for place, x in enumerate(nats)], bias=0.25)
    for drawn in (lambda feature: True, lambda feature: feature.endswith("1")):
        assert math.fsum(term.nats for term in terms(reason, most, drawn)) == pytest.approx(reason.total, abs=1e-12)


def test_the_strongest_come_first_and_the_others_as_one():
    reason = why([("a", 1.0, 1.0, True), ("b", 2.0, -3.0, True), ("~c", 1.0, 2.0, True), ("d", 1.0, 0.0, True)])
    assert [term.name for term in terms(reason, 2)] == ["known before", "b x 2", "~c", "2 more"]
    readable = terms(reason, 5, lambda feature: feature != "~c")
    assert [(term.name, term.nats) for term in readable] == [
        ("known before", 0.5),
        ("b x 2", -3.0),
        ("a", 1.0),
        ("2 more", 2.0),
    ]


def test_bars_go_both_ways_and_the_sum_is_told():
    drawn = bars(why([("cheap", 1.0, 2.0, True), ("noon", 1.0, -1.0, True), ("city", "Oslo", 0.5)]))
    assert drawn.count("<rect") == 4 and drawn.count('class="against"') == 1
    assert ">city = Oslo</text>" in drawn and ">sum: the log odds</text>" in drawn and ">+2.000</text>" in drawn
    assert "impossible" not in drawn


def test_an_infinite_share_fills_its_bar_and_silence_is_told():
    drawn = bars(why([("a", 1.0, math.inf, True), ("b", 1.0, 1.0, True)], silent=True), 1)
    assert "+inf" in drawn and "nan" not in drawn
    assert "the data say nothing" in drawn
    assert 'width="0"' not in bars(why([], prior=1.0))
    assert terms(why([("a", 1.0, math.inf, True), ("b", 1.0, math.inf, True)], prior=0.0), 1)[-1].nats == math.inf
    assert "<rect" not in bars(why([], prior=0.0))
