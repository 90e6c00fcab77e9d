"""The report on numbers: densities whose truths are known."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plainbayes.explain import Explanation, Share
from plainbayes.report import numbers
from plainbayes.report.curves import Neared
from plainbayes.report.numbers import Miss, Numbers, believed, leaning, page, verdict, without
from plainbayes.tables import estimates

sys.path.insert(0, str(Path(__file__).parent))
from outline import EVIL, Outline, density

SECTIONS = ["answers", "quantiles", "errors", "learning", "columns", "furthest", "strangest", "figures"]


def even(rows):
    return density(*[[0.1] * 10] * rows)


def findings(name="size", **more):
    truths, given = np.array([1.0, 4.0, 5.0, 9.0, 12.0]), even(5)
    why = Explanation("4..5", "9..10", 0.3, 0.1, 0.0, (Share(name, "town", 1.0), Share("place", name, -0.5)))
    full = {
        "columns": [(name, 1.5), ("place", 0.25)],
        "ranges": ["2..3", f"7..8{name}"],
        "furthest": [Miss(4, name * 30, why), Miss(0, "small", None)],
        "learned": [Neared(50, 3.0), Neared(100, 2.0)],
        "strangest": [Miss(3, "odd", replace(why, probability=0.2))],
    }
    return Numbers(f"Report on {name}", truths, given, estimates(truths, given), **(full | more))


def test_the_page_has_every_section_with_a_link_to_it():
    outline = Outline(page(findings()))
    assert [attrs["id"] for tag, attrs in outline.seen if tag == "section"] == SECTIONS
    assert [attrs["href"] for tag, attrs in outline.seen if tag == "a"][1:] == [f"#{name}" for name in SECTIONS]


def test_every_picture_has_words_and_numbers():
    outline = Outline(page(findings()))
    # Four of all rows, two of which side by side, one of rows learned, one of columns; three rows with a density, of
    # which two are explained.
    assert sum(tag == "svg" for tag, _ in outline.seen) == 4 + 1 + 1 + 3 + 2
    assert sum(tag == "desc" for tag, _ in outline.seen) == sum(tag == "details" for tag, _ in outline.seen) == 11
    ids = outline.all("id")
    assert len(ids) == len(set(ids))


def test_data_smuggle_nothing_in():
    html = page(findings(EVIL))
    outline = Outline(html)
    assert not {tag for tag, _ in outline.seen} & {"script", "img", "link", "iframe", "object", "image", "use"}
    assert not outline.all("src") and all(reference.startswith("#") for reference in outline.all("href"))


def test_sections_without_data_are_left_out():
    outline = Outline(page(findings(columns=(), furthest=(), strangest=(), learned=())))
    assert [attrs["id"] for tag, attrs in outline.seen if tag == "section"] == [*SECTIONS[:3], "figures"]


def test_every_figure_is_told_with_a_sentence():
    text = Outline(page(findings())).text
    figures = findings().figures
    assert set(numbers.MEANINGS) == set(figures) - {"rows"}
    assert all(sentence in text for sentence in numbers.MEANINGS.values())


def test_a_row_is_told_with_its_range_and_the_chance_of_its_truth():
    text = Outline(page(findings())).text
    # Evenly from 0 to 10: the middle is 5, nine of ten lie between 0.5 and 9.5, and nothing lies above 10.
    assert "1. 12 answered as 5" in text and "Off by 7. Nine of ten were expected between 0.5 and 9.5" in text
    assert "a truth so high had a probability of less than 0.01%." in text
    assert "2. 1 answered as 5" in text and "a truth so low had a probability of 10%." in text
    assert "a truth so high had a probability of 10%." in text


def test_of_many_columns_the_strongest_are_drawn():
    told = [(f"column {place}", 1.0 / (place + 1)) for place in range(25)]
    html = page(findings(columns=told))
    assert "The 20 strongest of 25 are drawn." in html and "column 24" in html


def test_the_verdict_counts_what_answers_are_off_by():
    found = findings()
    # Answers are all 5: off by 4, 1, 0, 4 and 7; the middle of all truths is 5 as well.
    said = verdict(found, found.density.median())
    assert said[0] == "Off by 3.2 on average; half of all answers are within 4 of the truth, nine of ten within 5.8."
    assert said[1] == "That is hardly better than no model: always answering 5, the middle of all truths, " + (
        "would be off by 3.2."
    )
    assert "too few rows" in said[2] and len(said) == 3


def test_the_verdict_of_many_rows_speaks_of_ranges_and_of_leaning():
    truths = np.linspace(0, 10, 200)
    found = Numbers("many", truths, even(200), estimates(truths, even(200)))
    assert verdict(found, found.density.median())[2:] == [
        "Its ranges can be taken at their word: of the ranges said to hold nine of ten truths, 90% did.",
        "Answers are too high as often as too low.",
    ]


@pytest.mark.parametrize(
    ("truths", "error", "said"),
    [
        ([1, 2, 3], 0.1, "Without a model, always answering 2, the middle of all truths, would be off by 0.667."),
        ([1, 2, 3], 0.7, "That is worse than no model: always answering 2"),
        ([1, 2, 3], 0.66, "That is hardly better than no model: always answering 2"),
        ([7, 7], 0.0, "All truths are 7, so this says little about other numbers."),
    ],
)
def test_answers_are_compared_with_one_that_is_always_the_same(truths, error, said):
    assert without(np.array(truths, dtype=float), error).startswith(said)


@pytest.mark.parametrize(
    ("held", "rows", "said"),
    [
        (0.889, 100_000, "can be taken at their word"),
        (0.8, 50, "surer than it should be"),
        (0.84, 50, "can be taken at their word"),
        (0.97, 1000, "more careful than it need be"),
    ],
)
def test_ranges_are_believed_as_far_as_chance_allows(held, rows, said):
    assert said in believed(held, rows)


@pytest.mark.parametrize(
    ("above", "under", "said"),
    [
        (700, 300, "more often too high (70%)"),
        (300, 700, "more often too low (70%)"),
        (6, 4, "as often as"),
        (51_500, 48_500, "as often as"),
        (0, 0, "Every answer is right."),
    ],
)
def test_answers_that_lean_to_one_side_are_told(above, under, said):
    assert said in leaning(np.array([-1.0] * above + [1.0] * under + [0.0]))


def test_the_density_of_one_row_is_that_of_all_at_its_place():
    both = density([0.1] * 10, [1.0] + [0.0] * 9)
    assert [both.row(place).median()[0] for place in (0, 1)] == pytest.approx([5.0, 0.5])
    assert len(both.row(1)) == 1 and math.isinf(both.row(1).log_prob([3.0])[0])
