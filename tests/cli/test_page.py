"""An explanation laid over its text, on a page and piece by piece."""

import math
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import Analyzer
from plainbayes.cli.page import page
from plainbayes.cli.spread import Piece, loudest, spread
from plainbayes.explain import Explanation, Share


def why(shares, **more):
    shares = tuple(Share(feature, count, nats, True) for feature, count, nats in shares)
    return Explanation(
        "spam", "ham", 0.9, more.get("prior", 0.5), more.get("bias", 0.0), shares, more.get("silent", False)
    )


def test_pieces_make_up_the_text_and_carry_what_their_words_say():
    text = "Cheap  pills,\nPILLS!"
    pieces = spread(text, why([("cheap", 1, 1.0), ("pills", 2, 3.0), ("!", 1, -0.5)]), Analyzer())
    assert "".join(piece.text for piece in pieces) == text
    assert pieces == [("Cheap", 1.0), ("  ", 0.0), ("pills,", 1.5), ("\n", 0.0), ("PILLS!", 1.0)]


def test_what_neighbours_say_together_is_divided_between_them():
    pieces = spread("купить молоко", why([("купить", 1, 1.0), ("купить молоко", 1, 3.0)]), Analyzer(ngrams=2))
    assert [nats for _, nats in pieces] == [2.5, 0.0, 1.5]
    three = spread("a b c", why([("a b c", 1, 3.0)]), lambda text: [text] if text == "a b c" else [], 3)
    assert [nats for _, nats in three] == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_chinese_is_coloured_character_by_character():
    pieces = spread("吃饭吧", why([("吃", 1, 1.0), ("吃饭", 1, 2.0), ("饭吧", 1, -4.0)]), Analyzer())
    assert pieces == [("吃", 2.0), ("饭", -1.0), ("吧", -2.0)]


@given(st.text(st.sampled_from("ab я!.,'\n饭吃"), max_size=30), st.integers(1, 3))
def test_nothing_that_was_said_is_lost(text, size):
    analyse = Analyzer(ngrams=size)
    bag = analyse.bag(text)
    reason = why([(word, count, float(count * (place + 1))) for place, (word, count) in enumerate(bag.items())])
    pieces = spread(text, reason, analyse, 6)
    assert "".join(piece.text for piece in pieces) == text
    if size == 1:
        assert math.fsum(piece.nats for piece in pieces) == pytest.approx(math.fsum(s.nats for s in reason.shares))


def test_impossible_both_ways_says_nothing():
    pieces = spread("a!", why([("a", 1, math.inf), ("!", 1, -math.inf)]), Analyzer())
    assert pieces == [("a!", 0.0)]
    assert loudest(pieces) == 1.0
    assert loudest([Piece("a", math.inf), Piece("b", -2.0)]) == 2.0


class Outline(HTMLParser):
    """What a browser would see: tags that are closed in order, and the text of the paragraph."""

    VOID = ("meta",)

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text, self.inside = [], [], "", False
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        self.inside = self.inside or ("id", "text") in attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.inside = self.inside and tag != "p"

    def handle_data(self, data):
        self.text += data if self.inside else ""


def test_a_page_shows_the_text_as_it_is():
    text = "Cheap <script>alert('&amp;')</script>\npills"
    reason = why([("cheap", 1, 1.0), ("<script>", 2, -2.0)], bias=0.25)
    html = page(reason, spread(text, reason, Analyzer()))
    outline = Outline(html)
    assert outline.text == text
    assert not any(tag == "script" or "src" in attrs or "href" in attrs for tag, attrs in outline.seen)
    assert '<mark class="for" style="--w:1.000" title="+1.000">Cheap</mark>' in html
    assert "<bdi>&lt;script&gt;</bdi>" in html
    assert "the class by itself" in html
    assert "impossible" not in html


def test_a_page_of_silence_says_so_and_has_no_control_characters():
    reason = why([("a", 1, math.inf)], prior=0.0, silent=True)
    html = page(reason, [Piece("a\x00\x1b\ud800", math.inf)])
    assert "the prior decides" in html
    assert 'title="+inf">a\ufffd\ufffd\ufffd</mark>' in html
    assert "what was known before" not in html
