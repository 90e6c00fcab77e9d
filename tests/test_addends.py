"""Columns that add up to the target."""

import numpy as np
import pytest

from plainbayes.addends import addends

RNG = np.random.default_rng(3)
NET, TAX, OTHER = RNG.integers(1, 90, 200).astype(float), RNG.random(200), RNG.normal(size=200)


def test_addends_are_found_among_other_columns_whatever_their_weights():
    assert addends({"net": NET, "other": OTHER, "tax": TAX}, NET + TAX) == [("net", "tax")]
    assert addends({"net": NET, "tax": TAX, "other": OTHER}, 1e6 - 3 * NET + 0.001 * TAX) == [("net", "tax")]


def test_a_copy_in_other_units_adds_up_alone():
    assert addends({"other": OTHER, "cents": 100 * TAX}, TAX) == [("cents",)]


def test_whatever_adds_up_is_found_and_what_nearly_does_is_not():
    columns = {"net": NET, "tax": TAX, "whole": NET + TAX, "other": OTHER}
    found = addends(columns, NET + TAX)
    assert {name for group in found for name in group} == {"net", "tax", "whole"}
    assert addends({"net": NET, "tax": TAX}, NET + TAX + 0.01 * OTHER) == []


def test_missing_cells_say_nothing_and_constants_add_nothing():
    gaps = np.where(np.arange(200) % 7 == 0, np.nan, NET)
    assert addends({"net": gaps, "tax": TAX, "one": np.ones(200)}, NET + TAX) == [("net", "tax")]


@pytest.mark.parametrize("columns", [{}, {"gone": np.full(200, np.nan)}])
def test_without_cells_nothing_adds_up(columns):
    assert addends(columns, NET) == []


def test_as_many_columns_as_rows_prove_nothing():
    columns = {f"x{place}": RNG.normal(size=20) for place in range(12)}
    assert addends(columns, RNG.normal(size=20)) == []
    assert addends({"x": NET}, np.ones(200)) == []


def test_of_many_rows_some_are_looked_at_but_all_must_agree(monkeypatch):
    monkeypatch.setattr("plainbayes.addends.LOOKED_AT", 20)
    whole = NET + TAX
    assert addends({"net": NET, "tax": TAX}, whole) == [("net", "tax")]
    whole[7] += 1
    assert addends({"net": NET, "tax": TAX}, whole) == []
