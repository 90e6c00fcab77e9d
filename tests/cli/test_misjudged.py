"""Rows whose answers are numbers: which were judged worst, and why."""

import numpy as np

from plainbayes.cli import misjudged
from plainbayes.tables import TableRegressor


def judged(rows, numbers, truths=None, model=None):
    """Rows of one column, judged by a model that learned them."""
    model = model or TableRegressor(effort="plain").fit(rows, np.array(numbers))
    truths = np.array(numbers if truths is None else truths, dtype=float)
    columns = {name: np.array([row[name] for row in rows], dtype=object) for name in rows[0]}
    return misjudged.Judged(model, columns, truths, model.posterior(columns))


PLACES = [{"place": "town" if row % 2 else "land", "id": f"n{row}", "note": None} for row in range(60)]
NUMBERS = [float(10 * (row % 2) + row % 3) for row in range(60)]


def test_the_rows_furthest_off_come_first_and_rows_alike_once():
    # Land is answered with about 1 and town with about 11, so that 56 is further off than 57; 58 and 59 are the same.
    far, strange = judged(PLACES, NUMBERS, [*NUMBERS[:56], 40.0, 40.0, 40.0, 40.0]).worst()
    assert far[:2] == [56, 57] and not {58, 59} & {*far, *strange}
    assert not set(far) & set(strange)


def test_a_row_is_told_by_its_cells_and_explained_against_the_range_of_its_truth():
    found = judged(PLACES, NUMBERS, [*NUMBERS[:59], 0.0])
    miss = found.miss(59)
    assert miss.text == "place=town, id=n59"
    low, high = (found.model.range(found.model.cell(each)) for each in (0.0, found.answers[59]))
    assert (miss.why.label, miss.why.against) == (high, low)
    assert [share.feature for share in miss.why.shares if share.nats > 0] == ["place"]
    assert found.miss(1).why is not None, "where answer and truth are in one range, against the next best"


def test_cells_are_written_as_a_reader_wants_them():
    assert [misjudged.shown(cell) for cell in (24.0, np.float64(1.23456789), 3, "a")] == ["24", "1.23457", "3", "a"]


def test_columns_that_say_more_come_first_and_low_is_told_from_high():
    found = judged(PLACES, NUMBERS)
    assert found.apart() == [found.model.cell(1.0), found.model.cell(11.0)]
    assert found.telling(*found.apart())[0][0] == "place"
    most = judged(PLACES, NUMBERS, [0.0] * 55 + [12.0] * 5)
    assert most.apart() == [most.model.cell(0.0), most.model.cell(12.0)], "further out than the quartiles"


def test_where_all_truths_are_alike_no_column_is_told():
    found = judged(PLACES, NUMBERS, [1.0] * 60)
    assert found.apart() == []
    assert found.findings("alike", {}).columns == []


def test_a_model_of_one_range_explains_nothing():
    model = TableRegressor(effort="plain").fit(PLACES, np.array(NUMBERS))
    model.rows.unlearn_from(model.labelled(PLACES, np.array(NUMBERS)))
    model.rows.learn(["place=town"], [model.cell(11.0)])
    assert judged(PLACES, NUMBERS, model=model).why(0) is None
