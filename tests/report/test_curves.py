"""Curves drawn from plain numbers."""

import re

import numpy as np
import pytest

from plainbayes.evaluate import Bin
from plainbayes.report.curves import Learned, Neared, learning, nearing, precision_recall, reliability, roc
from plainbayes.report.ranking import ranked

BINS = [Bin(0.4, 7 / 15, 10, 0.45, 0.5), Bin(14 / 15, 1.0, 12_000, 0.97, 0.96)]


def points(drawn, kind):
    """Return the corners of a line."""
    found = re.search(rf'<polyline points="([^"]*)" class="{kind}"', drawn)[1]
    return [tuple(map(float, point.split(","))) for point in found.split()]


def test_reliability_has_a_dot_for_each_bin_and_its_rows_below():
    drawn = reliability(BINS)
    assert drawn.count("<circle") == 2 and drawn.count('class="whisker"') == 2 and drawn.count("<rect") == 2
    assert ">10</text>" in drawn and ">12k</text>" in drawn
    assert "said 45%, right 50%, 10 rows" in drawn
    # The horizontal axis runs from 0.4 at 70 to 1 at 440, the vertical one from 0 at 315 to 1 at 12.
    expected = [(70 + (x - 0.4) / 0.6 * 370, 315 - 303 * y) for x, y in ((0.45, 0.5), (0.97, 0.96))]
    np.testing.assert_allclose(points(drawn, "curve c0"), expected, atol=0.01)


def test_roc_and_precision_recall_name_each_class_with_its_area():
    ranks = [ranked("<a>", np.array([3, 2, 1, 0.0]), np.array([True, False, True, False]))]
    drawn = roc(ranks)
    assert ">0.750  &lt;a&gt;</text>" in drawn and "<a>" not in drawn
    np.testing.assert_allclose(
        points(drawn, "curve c0"), [(70, 315), (70, 163.5), (255, 163.5), (255, 12), (440, 12)], atol=0.01
    )
    steps = precision_recall(ranks)
    assert ">0.833  &lt;a&gt;</text>" in steps
    np.testing.assert_allclose(points(steps, "curve c0")[:2], [(70, 12), (255, 12)], atol=0.01)


@pytest.mark.parametrize(("last", "own", "advice"), [(0.9, 0.96, "should help"), (0.8, 0.7, "would change little")])
def test_a_learning_curve_says_whether_more_rows_would_help(last, own, advice):
    drawn = learning([Learned(100, 0.6), Learned(1000, 0.8), Learned(2000, last)], own)
    assert drawn.count("<circle") == 3
    assert ">1,000</text>" in drawn and advice in drawn
    assert f"this model {own:.0%}" in drawn


def test_a_learning_curve_of_one_point_is_one():
    drawn = learning([Learned(5, 1.0)], 1.0)
    assert drawn.count("<circle") == 1 and "would change little" in drawn


@pytest.mark.parametrize(("last", "advice"), [(3.0, "-25.0%: more rows like these"), (3.96, "-1.0%: more rows of the")])
def test_a_learning_curve_of_numbers_says_whether_more_rows_would_help(last, advice):
    drawn = nearing([Neared(100, 8.0), Neared(1000, 4.0), Neared(2000, last)], 2.5)
    assert drawn.count("<circle") == 3
    assert ">1,000</text>" in drawn and advice in drawn and "this model 2.5" in drawn


@pytest.mark.parametrize("learned", [[Neared(5, 0.0)], [Neared(5, 0.0), Neared(10, 0.0)]])
def test_where_nothing_is_off_more_rows_change_nothing(learned):
    assert "would change little" in nearing(learned, 0.0)
