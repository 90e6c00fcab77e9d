"""The page: one file, for anyone, with nothing from outside and nothing that data could smuggle in."""

import math
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from plainbayes import Costs
from plainbayes.evaluate import evaluate
from plainbayes.explain import Explanation, Share
from plainbayes.numeric import log
from plainbayes.posterior import Posterior
from plainbayes.report.curves import Learned
from plainbayes.report.page import Findings, Mistake, Telling, page

sys.path.insert(0, str(Path(__file__).parent))
from outline import EVIL, Outline


def posterior(classes, table):
    return Posterior(tuple(classes), log(np.asarray(table, dtype=float)), np.zeros(len(table), bool))


def findings(name="ham", loss=None, **more):
    given = posterior([name, "spam"], [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])
    truths = [name, "spam", "spam", name]
    why = Explanation("spam", name, 0.6, 0.1, 0.0, (Share(f"cheap {name}", 1.0, 1.0, True), Share("x", name, -0.5)))
    full = {
        "telling": {name: [Telling(name, 1.5, 3.0)], "spam": []},
        "explained": [why, why],
        "mistakes": [Mistake(name * 20, "spam", name, 0.3, why), Mistake("short", "new", name, 0.0, None)],
        "learned": [Learned(10, 0.5), Learned(20, 0.6)],
    }
    return Findings(f"Report on {name}", truths, given, evaluate(truths, given, loss), loss, **(full | more))


SECTIONS = ["confusion", "classes", "reliability", "ranking", "costs", "learning", "telling", "nomogram", "mistakes"]


def test_the_page_has_every_section_with_a_heading_and_a_link_to_it():
    outline = Outline(page(findings()))
    assert [attrs["id"] for tag, attrs in outline.seen if tag == "section"] == SECTIONS
    assert [attrs["href"] for tag, attrs in outline.seen if tag == "a"] == ["#report", *(f"#{s}" for s in SECTIONS)]
    assert all(attrs["tabindex"] == "0" for tag, attrs in outline.seen if tag == "section")
    levels = [int(tag[1]) for tag, _ in outline.seen if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_every_picture_has_words_and_numbers():
    outline = Outline(page(findings()))
    pictures = [attrs for tag, attrs in outline.seen if tag == "svg"]
    assert len(pictures) == 9
    ids = outline.all("id")
    for attrs in pictures:
        assert attrs["role"] == "img" and set(attrs["aria-labelledby"].split()) <= set(ids)
    assert sum(tag == "desc" for tag, _ in outline.seen) == sum(tag == "details" for tag, _ in outline.seen) == 9
    assert len(ids) == len(set(ids))


def test_nothing_comes_from_outside_and_data_smuggle_nothing_in():
    html = page(findings(EVIL, Costs({(EVIL, "spam"): 4, ("spam", EVIL): 1, "ask": 0.3})))
    outline = Outline(html)
    assert not {tag for tag, _ in outline.seen} & {"script", "img", "link", "iframe", "object", "image", "use"}
    assert not outline.all("src") and not any(name.startswith("on") for _, attrs in outline.seen for name in attrs)
    assert all(reference.startswith("#") for reference in outline.all("href"))
    assert not re.search(r"url\(|@import|https?://(?!evil)", html)
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html


def test_long_texts_are_cut_and_small_probabilities_said_in_words():
    outline = Outline(page(findings("y" * 40)))
    assert "y" * 600 + "…" in outline.text and "y" * 601 not in outline.text
    assert "less than 0.01%" in outline.text


def test_sections_without_data_are_left_out():
    outline = Outline(page(findings(telling={}, explained=(), mistakes=(), learned=())))
    assert [attrs["id"] for tag, attrs in outline.seen if tag == "section"] == SECTIONS[:5]
    alone = posterior(["a", "b"], [[0.9, 0.1]])
    html = page(Findings("one", ["a"], alone, evaluate(["a"], alone)))
    assert 'id="ranking"' not in html


def test_costs_show_among_the_figures():
    html = page(findings(loss=Costs("ham>spam=4, spam>ham=1, ask=0.3")))
    assert all(f"<dt>{name}</dt>" in html for name in ("mean cost", "cost saved", "asked"))
    assert "<dt>asked</dt>" not in page(findings())


def test_of_many_classes_some_are_drawn_and_all_are_averaged():
    rng = np.random.default_rng(0)
    names = [f"class {place}" for place in range(25)]
    given, truths = posterior(names, rng.dirichlet(np.ones(25), 400)), rng.choice(names, 400).tolist()
    telling = {name: [Telling("word", 1.0, 2.0)] for name in names}
    html = page(Findings("many", truths, given, evaluate(truths, given), telling=telling))
    assert "the 8 commonest of 25 are drawn" in html
    assert "20 of 25 classes." in html
    assert "the 20 classes with the lowest F1" in html and "all 25 classes" in html
    assert "Of 25 labels, the 20 that are mistaken most." in html


def test_an_evaluation_and_an_explanation_draw_themselves_in_a_notebook():
    found = findings(EVIL)
    for thing, pictures in ((found.evaluation, 2), (found.explained[0], 1)):
        html = thing._repr_html_()
        outline = Outline(html)
        assert html.startswith('<div class="plainbayes"><style>')
        assert sum(tag == "svg" for tag, _ in outline.seen) == pictures
        assert not {tag for tag, _ in outline.seen} & {"script", "img"}


@pytest.mark.parametrize("silent", [False, True])
def test_an_infinite_explanation_can_be_shown(silent):
    why = Explanation("a", "b", 1.0, 0.0, 0.0, (Share("x", 1.0, math.inf, True),), silent)
    assert "+inf" in why._repr_html_()
