"""Rows that fit an event, drawn by hypothesis: records of two columns, or bags of words."""

import numpy as np
from hypothesis import strategies as st

from plainbayes.event import CountEvent

LABELS = ("a", "b", "c")
WORDS = ("x", "y", "z", "Ж", "书")
NUMBERS = {
    "binary": st.integers(0, 1),
    "count": st.integers(0, 30),
    "nonnegative": st.integers(0, 800).map(lambda n: n / 8),
    "positive": st.integers(1, 800).map(lambda n: n / 8),
    "real": st.integers(-800, 800).map(lambda n: n / 8),
    "category": st.sampled_from(["red", "green", 3, ("t", 1)]),
}


def counted(event):
    """Whether the event counts words."""
    return isinstance(event, CountEvent) and event.support != "category"


def records(event, missing=True):
    """One row."""
    if counted(event):
        return st.dictionaries(st.sampled_from(WORDS), st.integers(1, 4), max_size=4)
    cell = NUMBERS[event.support]
    cell = st.one_of(st.none(), cell) if missing else cell
    return st.fixed_dictionaries({"one": cell, "two": cell})


def rows(event, least=1, most=14, missing=True, weights=True):
    """Rows with labels and weights."""
    weight = st.sampled_from((1.0, 0.0)) | st.floats(1e-9, 4.0) if weights else st.just(1.0)
    row = st.tuples(records(event, missing), st.sampled_from(LABELS), weight)
    return st.lists(row, min_size=least, max_size=most)


def columns(sample):
    """X, y, weight."""
    X, y, weight = zip(*sample, strict=True)
    return list(X), list(y), list(weight)


def likelihood(model, row):
    """P(row | class) for each class."""
    return np.exp(_log_likelihood(model, row))


def size_of(model, row):
    """How large the numbers are that log odds are a difference of."""
    said = _log_likelihood(model, row)
    return 1 + np.abs(said[np.isfinite(said)]).max(initial=0.0)


def _log_likelihood(model, row):
    return model.log_likelihood(model.blocks([row]))[0]
