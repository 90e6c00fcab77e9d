"""What columns hold is found by looking; cells become words."""

import datetime
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import InputError
from plainbayes.columns import Column, Layout, checked, evenly, is_date, look, read, seen


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["a", "b", "a", None] * 5, "category"),
        ([1, 2, 3, 1, 2] * 5, "category"),
        ([float(k % 40) for k in range(99)], "count"),
        ([k / 7 for k in range(99)], "nonnegative"),
        ([k / 7 - 3 for k in range(99)], "real"),
        (list(range(100, 200)), "identifier"),
        ([f"id-{k}" for k in range(99)], "identifier"),
        ([f"the customer number {k} was quite happy" for k in range(99)], "text"),
        (["same"] * 9 + [None], "constant"),
        ([None] * 9, "constant"),
        ([3.5] * 9, "constant"),
        ([True, False] * 9, "category"),
    ],
)
def test_kinds_are_found_by_looking(cells, kind):
    assert seen(read(np.array(cells, dtype=object), "x")) == kind


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-01-31", None, "2024-02-01"],
        ["2024/01/31", "", "2024-02-01T00:00:00Z"],
        [datetime.date(2024, 1, 31), None, datetime.date(2024, 2, 1)],
        [datetime.datetime(2024, 1, 31), None, datetime.datetime(2024, 2, 1)],
        np.array(["2024-01-31", "NaT", "2024-02-01"], dtype="datetime64[D]"),
        pd.Series(pd.to_datetime(["2024-01-31", None, "2024-02-01"])).to_numpy(),
    ],
)
def test_dates_are_days_however_they_come(cells):
    cells = cells if isinstance(cells, np.ndarray) else np.array(cells, dtype=object)
    assert is_date(cells)
    days = read(cells, "day")
    assert np.isnan(days[1])
    assert (days[2] - days[0], days[0]) == (1, 19753)
    assert seen(days, date=True) == "date"


def test_what_is_no_date_is_none():
    assert not is_date(np.array(["2024-13-99", "2024-01-01"], dtype=object))
    assert not is_date(np.array([1.0, 2.0]))
    assert not is_date(np.array(["abc", None], dtype=object))
    assert not is_date(np.array([None, None], dtype=object))


def test_a_date_speaks_by_its_day_month_weekday_and_hour():
    cells = read(np.array(["2024-01-31 10:00", "2024-02-01 23:30", None], dtype=object), "at")
    layout = look({"at": cells}, {"at"}).cut({"at": cells}, 4)
    assert [column.label for column in layout.columns] == ["at", "at month", "at weekday", "at hour"]
    first, second, third = layout.texts({"at": cells})
    assert first.split("\0") == ["at<2024-02-01T23:30:00", "at month=1", "at weekday=Wed", "at hour=10"]
    assert second.split("\0") == ["at>=2024-02-01T23:30:00", "at month=2", "at weekday=Thu", "at hour=23"]
    assert third == "\0\0\0"


def test_numbers_written_as_texts_are_numbers_but_codes_are_not():
    assert read(np.array(["1", " 2.5", "NA", "-3e2"], dtype=object), "x")[[0, 1, 3]].tolist() == [1, 2.5, -300]
    assert read(np.array(["01", "02"], dtype=object), "zip").tolist() == ["01", "02"]
    assert read(np.array(["inf", "2"], dtype=object), "x").tolist() == ["inf", "2"]
    assert read(np.ma.masked_array([1, 2], [False, True]), "x")[0] == 1
    assert np.isnan(read(np.array([1, None, np.int64(3)], dtype=object), "x")[1])
    assert read(np.array(["a", pd.NA], dtype=object), "x").tolist() == ["a", None]
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [[1], [2]]
    assert read(unhashable, "x").tolist() == ["[1]", "[2]"]
    with pytest.raises(InputError, match="got inf in row 1, column 'x'"):
        read(np.array([1.0, np.inf]), "x")


@given(st.lists(st.integers(-50, 50) | st.just(0), min_size=1, max_size=300), st.integers(2, 40))
def test_ranges_are_about_as_full_and_a_common_value_is_alone(values, ranges):
    cells = np.array(values, dtype=np.float64)
    edges = evenly(cells, ranges)
    assert (np.diff(edges) > 0).all()
    assert set(edges) <= set(cells)
    sizes = np.bincount(np.searchsorted(edges, cells, side="right"), minlength=len(edges) + 1)
    assert (sizes > 0).all()
    different, counts = np.unique(cells, return_counts=True)
    if len(different) > ranges:
        for value in different[counts * ranges >= len(cells)]:
            own = np.searchsorted(edges, value, side="right")
            assert sizes[own] == counts[different == value][0]


def test_cells_become_words_that_can_be_read():
    assert Column("x", "real").codes(np.array([1.0]))[0] == ["x=any"]
    words, codes = Column("sex", "category", missing=True).codes(np.array(["f", None, "m"], dtype=object))
    assert [words[code] for code in codes] == ["sex=f", "sex=?", "sex=m"]
    words, codes = Column("doors", "category").codes(np.array([3.0, np.nan, 5.0]))
    assert (words, codes.tolist()) == (["doors=0", "doors=3", "doors=5"], [1, -1, 2])


def test_finer_ranges_speak_beside_the_others_and_none_twice():
    cells = np.arange(200.0)
    column = Column("x", "count").cut(cells, 4)
    own, coarser, fine = column.words(cells)
    assert len(set(own)) == 4 and coarser is None
    assert len(set(fine) - {""}) > 40
    assert not set(own) & set(fine)


def test_coarser_ranges_make_the_same_pairs_once_more():
    table = {
        "x": np.arange(200) + 0.5,
        "y": np.where(np.arange(200) % 9 == 0, np.nan, np.arange(200) % 40.0),
        "z": read(np.array(["a", "b"] * 100, dtype=object), "z"),
    }
    layout = look(table, set()).cut(table, 16).coarser(table)
    assert layout.columns[0].coarse == (40.5, 80.5, 120.5, 160.5)
    assert layout.columns[0].cut(table["x"], 3).coarser(table["x"]).coarse == (), "they would be finer"
    text = replace(layout, pairs=((0, 1), (0, 2), (1, 2))).texts(table)[77].split("\0")
    assert text[:5] == ["x=65.5..78.5", "y=36..39", "z=b", "x=40.5..80.5", "y>=36"]
    assert replace(layout, pairs=((0, 1), (0, 2))).analyzer.pairs == ((0, 1), (0, 2), (3, 4), (3, 2))
    assert layout.columns[1].words(table["y"])[1][9] == ""


def test_a_layout_is_written_and_read_again():
    table = {"x": np.arange(99.0) % 40, "y": read(np.array(["a", "b", "c"] * 33, dtype=object), "y")}
    layout = look(table, set()).cut(table, 8).coarser(table)
    assert layout.columns[0].coarse
    assert Layout.of(layout.as_dict()) == layout
    written = layout.as_dict()
    for column in written["columns"]:  # as files have it that were made before there were coarser ranges
        column.pop("coarse")
    assert Layout.of(written) == look(table, set()).cut(table, 8)
    assert layout.names == ["x", "y"]
    assert Layout(()).texts({"z": np.zeros(3)}) == ["", "", ""]


def test_kinds_that_are_given_are_believed_if_they_can_be():
    table = {"zip": np.arange(99.0), "name": read(np.array(["a", "b"] * 50, dtype=object)[:99], "name")}
    assert [column.kind for column in look(table, set(), {"zip": "category"}).columns] == ["category", "category"]
    for given_kinds, message in (
        ({"zap": "category"}, "no column is called 'zap'"),
        ({"zip": "colour"}, "a kind of column was expected for 'zip', got 'colour'"),
        ({"name": "real"}, "column 'name' cannot be read as real"),
        ({"zip": "text"}, "column 'zip' cannot be read as text"),
    ):
        with pytest.raises(InputError, match=message):
            look(table, set(), given_kinds)


def test_columns_that_changed_are_told_of():
    table = {
        "n": np.arange(99.0) % 40,
        "id": read(np.array([f"i{k}" for k in range(99)], dtype=object), "id"),
        "words": read(np.array([f"the customer number {k} was happy" for k in range(99)], dtype=object), "words"),
        "day": read(np.array([f"2024-01-{1 + k % 28:02}" for k in range(99)], dtype=object), "day"),
    }
    layout = look(table, {"day"})
    new = {
        "n": read(np.array(["3", "many"], dtype=object), "n"),
        "words": np.array([1.0, np.nan]),
        "day": read(np.array(["2024-01-03", "soon"], dtype=object), "day"),
        "other": np.zeros(2),
    }
    cells, said = checked(new, layout)
    assert cells["n"][0] == 3
    assert np.isnan(cells["n"][1])
    assert cells["words"].tolist() == ["1", None]
    assert np.isnan(cells["day"][1])
    assert said == [
        "column 'n' has cells that are no number: no evidence",
        "column 'day' has cells that are no date: no evidence",
        "column 'other' not known to the model: left out",
    ]
    with pytest.raises(InputError, match="column 'n' was expected, but it is missing"):
        checked({"day": new["day"]}, layout)
