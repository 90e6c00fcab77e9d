"""Models at a glance, in a notebook."""

import re
import sys
from pathlib import Path

import numpy as np

from plainbayes import TableClassifier, TableRegressor, TextClassifier
from plainbayes.report.svg import amount

sys.path.insert(0, str(Path(__file__).parent))
from outline import EVIL, Outline

ROWS = [{"size": float(row % 50), "place": EVIL if row % 3 else "land", EVIL: row % 7} for row in range(600)]
PRICES = [3.0 * row["size"] + row[EVIL] for row in ROWS]


def facts(model):
    """What the boxes and the table of a card say, and that nothing is smuggled in."""
    html = model._repr_html_()
    outline = Outline(html)
    assert html.startswith('<div class="plainbayes"><style>')
    assert not {tag for tag, _ in outline.seen} & {"script", "img"} and not outline.all("src")
    return outline.text.partition(type(model).__name__)[2], outline


def test_a_classifier_of_a_table_tells_its_columns_and_what_to_expect():
    labels = np.array(["dear" if price > 70 else "cheap" for price in PRICES])
    text, _ = facts(
        TableClassifier().fit([{**row, "class": each} for row, each in zip(ROWS, labels, strict=True)], "class")
    )
    assert re.match(r"targetclassrows learned600expected right(9\d|100)", text)
    assert text.endswith(f"sizecount\nplacecategory\n{EVIL}category\n")
    # Without a name for the target and without what to expect, neither is told.
    assert facts(TableClassifier(effort="plain").fit(ROWS, labels))[0].startswith("rows learned600what columns hold")


def test_a_regressor_of_a_table_counts_rows_and_says_how_far_off_it_will_be():
    model = TableRegressor().fit(ROWS, np.array(PRICES))
    text, _ = facts(model)
    assert text.startswith(f"rows learned600expected error{amount(model.expected['mae'])}90% ranges that hold")
    model.unlearn(ROWS[:100], np.array(PRICES[:100]))
    assert facts(model)[0].startswith("rows learned500")
    assert facts(TableRegressor(effort="plain").fit(ROWS, np.array(PRICES)))[0].startswith(
        "rows learned600what columns hold"
    )


def test_a_classifier_of_texts_tells_its_classes():
    model = TextClassifier().fit(["buy pills", "cheap pills", "see you"], ["spam", "spam", EVIL])
    text, _ = facts(model)
    assert text.startswith("texts learned3words5") and "spam2" in text and f"{EVIL}1" in text


def test_a_model_that_has_learned_nothing_says_so():
    assert facts(TextClassifier())[0] == "texts learned0words0"
    assert facts(TableClassifier())[0] == "rows learned0"


def test_many_classes_are_folded_away():
    names = [f"class {place}" for place in range(25)]
    _, outline = facts(TextClassifier(effort="plain").fit(names, names))
    assert sum(tag == "details" for tag, _ in outline.seen) == 1
