"""JSON that every parser reads."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st

from plainbayes.cli.written import written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(VALUES)
def test_what_is_written_is_read_again(value):
    line = written(value)
    assert json.loads(line) == value
    assert "\n" not in line


def test_infinity_is_a_number_that_is_too_large():
    assert written([math.inf, -math.inf]) == "[1e999, -1e999]"
