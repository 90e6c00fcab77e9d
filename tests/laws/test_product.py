"""The laws of one event hold for a table of columns of every kind."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from samples import LABELS, NUMBERS, columns, size_of

from plainbayes import Model, Product, Smoothed, leave_one_out
from plainbayes.events import Categorical, Gamma, Histogram, MultivariateNormal, Poisson

DESIGN = Product(
    {
        ("city", "colour"): Categorical(),
        "visits": Poisson(),
        "spent": Gamma(),
        "height": Histogram(bins=4),
        ("left", "right"): MultivariateNormal(),
    }
)
KINDS = {
    "city": "category",
    "colour": "category",
    "visits": "count",
    "spent": "positive",
    "height": "real",
    "left": "real",
    "right": "real",
}
RECORD = st.fixed_dictionaries({name: st.none() | NUMBERS[kind] for name, kind in KINDS.items()})
ROWS = st.lists(st.tuples(RECORD, st.sampled_from(LABELS), st.just(1.0)), min_size=3, max_size=8)


def learned(rows):
    return Model(DESIGN, Smoothed()).learn(*columns(rows))


@given(one=ROWS, two=ROWS)
def test_a_mixed_table_learns_in_parts_and_unlearns_exactly(one, two):
    both = learned(one).evidence + learned(two).evidence
    assert both.same(learned(one + two).evidence, 1e-9)
    assert (both - learned(two).evidence).same(learned(one).evidence, 1e-6)


@given(rows=ROWS, question=RECORD)
def test_the_shares_of_all_columns_add_up_with_one_share_for_the_block(rows, question):
    model = learned(rows)
    assume(len(model.classes) > 1)
    why = model.explain([question])
    posterior = model.posterior([question])
    odds = posterior.log_prob([why.label]) - posterior.log_prob([why.against])
    size = sum(abs(share.nats) for share in why.shares) + size_of(model, question)
    assert why.total == pytest.approx(odds[0], abs=1e-13 * size, rel=1e-9)
    assert [share.feature for share in why.shares].count(("left", "right")) == 1


@given(rows=ROWS)
def test_leave_one_out_of_a_mixed_table_equals_relearning(rows):
    X, y, _ = columns(rows)
    judged = leave_one_out(Model(DESIGN, Smoothed()), X, y)
    for place in range(len(rows)):
        fresh = learned(rows).frozen().learn(*columns(rows[:place] + rows[place + 1 :])).posterior([X[place]])
        here = judged.posterior.probabilities[place, [judged.posterior.classes.index(c) for c in fresh.classes]]
        np.testing.assert_allclose(here, fresh.probabilities[0], atol=1e-5)
