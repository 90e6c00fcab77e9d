"""Pictures of numbers, drawn from plain numbers."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from plainbayes.report import scatter as scattered
from plainbayes.report.misses import by_answer, histogram
from plainbayes.report.quantiles import below, quantiles, tenths
from plainbayes.report.scatter import grouped, limits, scatter
from plainbayes.report.strip import strip

sys.path.insert(0, str(Path(__file__).parent))
from outline import density


def xs(drawn, name, attribute):
    return [float(each) for each in re.findall(rf'<{name}[^>]* {attribute}="([^"]*)"', drawn)]


def test_an_axis_reaches_as_far_as_nearly_all_values():
    assert limits(np.arange(101.0)) == pytest.approx((-1, 101), abs=0.2)
    low, high = limits(np.append(np.arange(1000.0), 1e9))
    assert low < 0 and 1000 < high < 1100
    assert limits(np.full(3, 7.0)) == pytest.approx((6.9, 7.1))


def test_groups_hold_about_as_many_rows_and_equal_answers_stay_together():
    answers = np.array([3.0, 1.0, 2.0, 4.0])
    assert [each.tolist() for each in grouped(answers, 2)] == [[1, 2, 0], [3]]
    assert [each.tolist() for each in grouped(np.array([5.0, 5.0, 5.0]))] == [[0, 1, 2]]
    assert sum(map(len, grouped(np.random.default_rng(0).normal(size=997)))) == 997


def test_few_rows_are_points_and_many_are_shaded_cells(monkeypatch):
    rng = np.random.default_rng(0)
    truths = rng.normal(size=300)
    answers = truths + rng.normal(size=300)
    few = scatter(truths, answers, answers - 1, answers + 1)
    assert few.count('class="dot"') == 300 and "shade" not in few and "Each point is a row." in few
    monkeypatch.setattr(scattered, "POINTS", 299)
    many = scatter(truths, answers, answers - 1, answers + 1)
    assert "dot" not in many.replace("dotted", "") and "The darker, the more rows." in many
    counts = [int(count) for count in re.findall(r"<rect[^>]*><title>(\d+)</title>", many)]
    assert sum(counts) == 300, "every row is in a cell, those at the edge too"


def test_a_point_on_the_diagonal_is_right_and_one_far_out_is_at_the_edge():
    truths = np.append(np.linspace(0, 1, 400), 1e6)
    drawn = scatter(truths, np.append(np.linspace(0, 1, 400), 0.5), truths - 1, truths + 1)
    x, y = xs(drawn, "circle", "cx"), xs(drawn, "circle", "cy")
    # From 70 to 500 across and from 455 to 12 up, on the same scale.
    assert [(a - 70) / 430 for a in x[:-1]] == pytest.approx([(455 - b) / 443 for b in y[:-1]], abs=1e-4)
    assert y[-1] == 12 and "1 of 401 rows lie outside" in drawn


def test_the_share_below_each_quantile_is_counted():
    places = (np.arange(100) + 0.5) / 100
    assert below(places)[1] == (0.1, 10) and below(places)[-1] == (0.95, 95)
    assert [each.rows for each in tenths(places)] == [10] * 10
    drawn = quantiles(places**2)
    assert "10% should lie below, 32% do" in drawn
    assert drawn.count("<circle") == 19 and drawn.count('class="whisker"') == 19 and drawn.count("<rect") == 10


def test_errors_are_counted_on_both_sides():
    drawn = histogram(np.array([-1.0, 1.0, 2.0, 3.0]))
    assert "answer too high: 25%" in drawn and "answer too low: 75%" in drawn
    # A bar for each error, and one of either kind to say which is which.
    assert drawn.count('class="against"') == 1 + 1 and drawn.count('class="for"') == 3 + 1
    assert "nan" not in histogram(np.zeros(3))


def test_errors_are_told_by_the_size_of_the_answer():
    answers = np.repeat([1.0, 2.0], 50)
    drawn = by_answer(answers + np.tile([-1.0, 1.0], 50) * answers, answers)
    assert (
        "answers around 1: half off by less than 1, nine of ten 1; answers around 2: half off by less than 2" in drawn
    )
    assert "nan" not in by_answer(np.ones(3), np.ones(3))


@pytest.mark.parametrize(
    ("truth", "sides"),
    [
        (6.0, ["end", "start"]),
        (4.0, ["start", "end"]),
        (30.0, ["end", "end"]),  # no room to the right
        (-20.0, ["start", "start"]),
    ],
)
def test_a_density_is_drawn_with_its_answer_and_truth(truth, sides):
    drawn = strip(density([0, 0, 0, 0.1, 0.4, 0.4, 0.1, 0, 0, 0]), truth)
    assert f"Answer 5, nine of ten between 3.5 and 6.5, truth {truth:g}." in drawn
    names = re.findall(r'text-anchor="(\w+)" class="name">(answer|truth)<', drawn)
    assert names == list(zip(sides, ["answer", "truth"], strict=True))
    assert drawn.count("<td") == 4, "ranges that nobody expects are not listed"
