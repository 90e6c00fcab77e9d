"""Cells of a table in an explanation."""

import pytest

from plainbayes.explain import Explanation, Share
from plainbayes.report.cells import cells, strengths
from plainbayes.report.nomogram import gathered


def why(*shares):
    return Explanation("yes", "no", 0.5, 0.1, 0.2, tuple(Share(name, 1.0, nats, True) for name, nats in shares))


ROWS = [
    why(("city=Oslo", 1.0), ("age=20..40", 0.5), ("age=20..30", 0.25), ("~city=Oslo&age=20..40", 0.125), ("word", 2.0)),
    why(("city=Lima", -1.0), ("age=20..40", 0.5), ("age=30..40", 0.75)),
    why(("city=Oslo", 1.0), ("age>=40", -1.0)),
    why(("city=Oslo", 1.0), ("age<20", -2.0)),
]


def test_what_all_features_of_a_cell_say_is_said_together_by_the_finest_name():
    joined = cells(ROWS)
    assert [[str(share) for share in each.shares] for each in joined] == [
        ["city = Oslo", "age = 20..30", "~city=Oslo&age=20..40", "word"],
        ["city = Lima", "age = 30..40"],
        ["city = Oslo", "age = >=40"],
        ["city = Oslo", "age = <20"],
    ]
    assert [share.nats for share in joined[0].shares] == [1.0, 0.75, 0.125, 2.0]


def test_the_sum_stays_what_it_was():
    for before, after in zip(ROWS, cells(ROWS), strict=True):
        assert after.total == pytest.approx(before.total)


def test_a_nomogram_has_a_scale_for_each_column():
    made = gathered(cells(ROWS), lambda feature: not feature.startswith("~"))
    marks = {gauge.feature: [tuple(mark) for mark in gauge.marks] for gauge in made.gauges}
    assert marks["city"] == [("Lima", -1.0), ("Oslo", 1.0)]
    assert marks["age"] == [("<20", -2.0), (">=40", -1.0), ("20..30", 0.75), ("30..40", 1.25)]
    assert marks["word"] == [("", 2.0)]


def test_a_column_is_as_strong_as_it_moves_the_odds_of_a_row_on_average():
    # Cells of a column add up before signs are dropped; a pair counts half for each of its columns.
    rows = [
        why(("city=Oslo", 1.0), ("age=20..40", 0.5), ("age=20..30", -1.5), ("~city=Oslo&age=20..40", 0.5)),
        why(("city=Lima", -1.0), ("notes:sea view", 0.25)),
    ]
    assert strengths(rows) == [("city", (1.25 + 1.0) / 2), ("age", 0.75 / 2), ("notes", 0.25 / 2)]
    assert strengths([]) == []
