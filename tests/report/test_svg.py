"""Tags, texts and scales."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plainbayes.report.svg import Axes, Scale, amount, brief, columns, picture, safe, shortened, tag, text, ticks


def test_texts_and_attributes_are_escaped_and_control_characters_replaced():
    assert safe("<script>&\x00\x1b\ud800") == "&lt;script&gt;&amp;\ufffd\ufffd\ufffd"
    assert tag("a", safe("<"), title='"><script>') == '<a title="&quot;&gt;&lt;script&gt;">&lt;</a>'
    assert text(1, 2, "<b>", "end") == '<text x="1" y="2" text-anchor="end">&lt;b&gt;</text>'


def test_numbers_are_short_and_zero_has_no_sign():
    assert tag("line", x1=-0.001, x2=100, y1=1 / 3, y2=-2.5) == '<line x1="0" x2="100" y1="0.33" y2="-2.5"/>'


def test_numbers_of_any_size_are_written_as_readers_say_them():
    assert [amount(each) for each in (0.36984, 1995.0, -12345.6, 3e20)] == ["0.37", "1995", "-12,346", "3e+20"]
    assert [brief(each) for each in (0.25, 1995.0, 12500.0, -3e6, 2e12)] == ["0.25", "1995", "12.5k", "-3M", "2e+12"]


@given(st.text(max_size=40), st.integers(2, 20))
def test_a_shortened_text_fits(words, most):
    assert columns(shortened(words, most)) <= most


def test_a_picture_has_a_title_and_words_that_name_it():
    drawn = picture("A <title>", "What it shows", (10, 20), "<g/>")
    name = drawn.split('aria-labelledby="')[1].split("-title")[0]
    assert f'aria-labelledby="{name}-title {name}-words"' in drawn
    assert f'<title id="{name}-title">A &lt;title&gt;</title><desc id="{name}-words">What it shows</desc>' in drawn
    assert 'role="img"' in drawn and 'viewBox="0 0 10 20"' in drawn
    assert picture("A", "b", (1, 1), "<g/>") != picture("A", "b", (1, 1), "<a/>"), "two pictures have two names"


@given(st.floats(-1e3, 1e3), st.floats(0.1, 1e3), st.floats(0, 1))
def test_a_scale_goes_both_ways(low, size, share):
    scale = Scale(low, low + size, 300, 20)
    value = low + share * size
    assert scale.value(scale(value)) == pytest.approx(value, abs=1e-9 * (1 + abs(low) + size))


@given(st.floats(-1e3, 1e3), st.floats(0.01, 1e4), st.integers(2, 12))
@example(128.0, 0.01, 2)  # where 128.01 - 128 is less than 0.01
def test_ticks_are_few_and_inside(low, size, most):
    marks = ticks(low, low + size, most)
    assert 1 <= len(marks) <= most
    assert all(low - 1e-6 <= mark <= low + size + 1e-6 for mark in marks)


def test_ticks_of_the_smallest_numbers_are_told_apart():
    assert ticks(0, 1e-13, 5) == [0, 2.5e-14, 5e-14, 7.5e-14, 1e-13]


def test_a_line_leaves_out_points_that_nobody_could_tell_apart_but_not_the_last():
    axes = Axes(Scale(0, 1, 0, 100), Scale(0, 1, 100, 0), ("x", "y"))
    many = axes.line([(place / 100_000, 0.0) for place in range(100_001)], "curve")
    assert many.count(",") <= 202
    assert many.startswith('<polyline points="0,100 ') and "100,100" in many
    assert axes.line([(0, 0), (0.001, 0)], "c") == '<polyline points="0,100 0.1,100" class="c"/>'
    assert axes.line([], "c") == '<polyline points="" class="c"/>'


def test_axes_have_numbers_and_names():
    drawn = Axes(Scale(0, 1, 0, 100), Scale(0, 1, 100, 0), ("along", "up")).drawn()
    assert ">50%</text>" in drawn and ">along</text>" in drawn and ">up</text>" in drawn
    marked = Axes(Scale(0, 2, 0, 100), Scale(0, 1, 100, 0), ("", ""), (lambda x: f"n{x:g}", str), range(3)).drawn()
    assert ">n0</text>" in marked and ">n2</text>" in marked
