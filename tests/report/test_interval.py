"""Wilson's interval, as scipy has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from plainbayes.report.interval import interval


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_it_is_that_of_scipy(rows, share):
    right = round(share * rows)
    theirs = binomtest(right, rows).proportion_ci(method="wilson")
    assert interval(right, rows) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
