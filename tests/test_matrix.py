"""The Rust core against its slow twin in Python, on generated matrices."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import _core, matrix
from plainbayes.matrix import ClassWeights, Sparse

sys.path.insert(0, str(Path(__file__).parent))
import twin

CLASSES = 3
FLOATS = st.floats(-1e6, 1e6, width=32)


@st.composite
def dense(draw, cells, most_rows=20):
    """A matrix of either precision and either order, sometimes empty."""
    rows, columns = draw(st.integers(0, most_rows)), draw(st.integers(0, 4))
    values = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    X = np.array(values, dtype=draw(st.sampled_from([np.float32, np.float64]))).reshape(rows, columns)
    return np.asfortranarray(X) if draw(st.booleans()) else X


@st.composite
def weights(draw, rows):
    """Hard labels with and without weights, or soft labels."""
    if draw(st.booleans()):
        table = draw(st.lists(st.floats(0, 3), min_size=rows * CLASSES, max_size=rows * CLASSES))
        return ClassWeights.soft(np.array(table, dtype=np.float64).reshape(rows, CLASSES))
    codes = np.array(draw(st.lists(st.integers(0, CLASSES - 1), min_size=rows, max_size=rows)), dtype=np.int64)
    given = draw(st.none() | st.lists(st.floats(0, 5), min_size=rows, max_size=rows))
    return ClassWeights(codes, CLASSES, None if given is None else twin_exact(given))


def twin_exact(values):
    return np.array([twin.exact(v) for v in values], dtype=np.float64)


def sparse(X, index=np.int32):
    """The same matrix, with what is not zero stored, and one stored zero."""
    rows, columns = np.nonzero(X)
    starts = np.searchsorted(rows, np.arange(len(X) + 1))
    return Sparse(X[rows, columns], columns.astype(index), starts, X.shape[1])


def listed(X):
    return [[(j, float(v)) for j, v in enumerate(row) if v != 0] for row in X]


@given(data=st.data())
def test_counts_are_those_of_the_twin_to_the_bit(data):
    X = data.draw(dense(st.integers(0, 5) | st.floats(0, 9, width=32)))
    Y = data.draw(weights(len(X)))
    expected = twin.counts(listed(X), Y, X.shape[1])
    for form in (X, sparse(X), sparse(X, np.int64)):
        found = matrix.class_counts(form, Y)
        for mine, theirs in zip(found, expected, strict=True):
            assert mine.tolist() == theirs


@given(data=st.data())
def test_sums_are_those_of_the_twin_to_the_bit(data):
    X = data.draw(dense(FLOATS | st.just(np.nan)))
    Y = data.draw(weights(len(X)))
    for mine, theirs in zip(matrix.class_sums(X, Y), twin.sums(X.tolist(), Y, X.shape[1]), strict=True):
        assert mine.tolist() == theirs


@given(data=st.data(), offset=st.sampled_from([0.0, 1e9, -1e12]))
def test_moments_are_those_of_the_twin_however_far_the_origin(data, offset):
    X = data.draw(dense(st.integers(-400, 400).map(lambda n: n / 4) | st.just(np.nan))).astype(np.float64) + offset
    Y = data.draw(weights(len(X)))
    n, mean, scatter = matrix.class_moments(X, Y)
    their_n, their_mean, their_scatter = twin.moments(X.tolist(), Y, X.shape[1])
    np.testing.assert_allclose(n, np.reshape(their_n, n.shape), rtol=1e-15)
    np.testing.assert_allclose(mean, np.reshape(their_mean, n.shape), rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(scatter, np.reshape(their_scatter, n.shape), rtol=1e-6 if offset else 1e-12, atol=1e-7)


def test_moments_of_many_blocks_keep_a_variance_of_one_at_an_offset_of_a_billion():
    X = 1e9 + np.random.default_rng(1).standard_normal((50_000, 3))
    codes = np.arange(len(X)) % 2
    n, mean, scatter = matrix.class_moments(X, ClassWeights(codes, 2))
    for c in range(2):
        np.testing.assert_allclose(scatter[c] / n[c], X[codes == c].var(axis=0), rtol=1e-9)
        exactly = [math.fsum(column) / n[c, 0] for column in X[codes == c].T]
        np.testing.assert_allclose(mean[c], exactly, rtol=1e-15)


@given(data=st.data(), once=st.booleans())
def test_linear_scores_are_those_of_the_twin(data, once):
    X = data.draw(dense(st.integers(0, 5)))
    table = np.array(
        data.draw(st.lists(FLOATS, min_size=X.shape[1] * CLASSES, max_size=X.shape[1] * CLASSES)), dtype=np.float64
    ).reshape(X.shape[1], CLASSES)
    bias = np.array([1.0, -2.0, 0.5])
    expected = np.reshape(twin.linear(listed(X), bias, table, once), (len(X), CLASSES))
    for form in (X, sparse(X), sparse(X, np.int64)):
        np.testing.assert_allclose(matrix.linear_scores(form, bias, table, once), expected, rtol=1e-9, atol=1e-6)


@given(data=st.data())
def test_gaussian_scores_are_those_of_the_twin(data):
    X = data.draw(dense(FLOATS | st.just(np.nan)))
    rng = np.random.default_rng(3)
    mean, variance = rng.normal(size=(CLASSES, X.shape[1])), rng.uniform(0.5, 2, size=(CLASSES, X.shape[1]))
    expected = np.reshape(twin.gaussian(X.tolist(), mean, variance), (len(X), CLASSES))
    np.testing.assert_allclose(matrix.gaussian_scores(X, mean, variance), expected, rtol=1e-9, atol=1e-9)


@given(
    X=dense(st.sampled_from([0, 1, 2, 2.5, -1, np.nan, np.inf, -np.inf])),
    support=st.sampled_from(list(twin.SUPPORTS)),
    missing=st.booleans(),
)
def test_the_first_offender_is_the_one_the_twin_finds(X, support, missing):
    found = matrix.offender(X, support, missing)
    assert (found and found[:2]) == twin.offender(X.tolist(), support, missing)
    if found:
        assert np.array_equal(found[2], X[found[:2]], equal_nan=True)


def test_an_offender_in_a_sparse_matrix_is_named_by_row_and_column():
    X = Sparse(np.array([1.0, -3.0]), np.array([0, 4]), np.array([0, 1, 1, 2]), 5)
    assert matrix.offender(X, "nonnegative", False) == (2, 4, -3.0)


@given(data=st.data())
def test_sparse_rows_can_be_taken_in_any_order(data):
    X = data.draw(dense(st.integers(0, 3)))
    rows = np.array(data.draw(st.lists(st.integers(0, max(0, len(X) - 1)), max_size=6 * bool(len(X)))), dtype=np.int64)
    taken = sparse(X).take(rows)
    back = np.zeros((len(rows), X.shape[1]))
    back[np.repeat(np.arange(len(rows)), np.diff(taken.starts)), taken.columns] = taken.data
    np.testing.assert_array_equal(back, X[rows])


GOOD = np.zeros((2, 2)), 2, 2
LABELS = np.array([0, 1]), None, None, 2
OUT = (2, 2)


@pytest.mark.parametrize(
    ("x", "labels", "shape"),
    [
        ((np.zeros((2, 2)), 3, 2), LABELS, OUT),
        (GOOD, (np.array([0, 2]), None, None, 2), OUT),
        (GOOD, (np.array([0, -1]), None, None, 2), OUT),
        (GOOD, (np.array([0]), None, None, 2), OUT),
        (GOOD, (np.array([0, 1]), np.zeros(3), None, 2), OUT),
        (GOOD, (np.array([0, 1]), None, np.array([0, 2, 1]), 2), OUT),
        (GOOD, (np.array([0, 1]), None, np.array([0, 1, 3]), 2), OUT),
        (GOOD, (np.array([0, 1]), None, np.array([], dtype=np.int64), 2), OUT),
        (GOOD, LABELS, (2, 3)),
        ((np.zeros(1), np.array([5]), np.array([0, 1, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([-1]), np.array([0, 1, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0, 1]), np.array([0, 1, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([0, 5, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([], dtype=np.int64), 2), LABELS, OUT),
    ],
)
def test_the_core_refuses_arrays_that_do_not_agree(x, labels, shape):
    with pytest.raises(ValueError, match=r"agree|range"):
        _core.counts(x, labels, np.zeros(shape), np.zeros(shape))


def test_the_core_refuses_what_is_no_contiguous_array_of_its_type():
    out = np.zeros((2, 2))
    with pytest.raises((TypeError, ValueError)):
        _core.counts((np.zeros((2, 2), dtype=complex), 2, 2), LABELS, out, out.copy())
    with pytest.raises((TypeError, ValueError)):
        _core.counts((np.zeros((4, 4))[::2, ::2], 2, 2), LABELS, out, out.copy())
    readonly = np.zeros((2, 2))
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _core.counts(GOOD, LABELS, out, readonly)
    with pytest.raises(ValueError, match="support"):
        _core.offender(np.zeros(2), "imaginary", False)


@pytest.mark.parametrize("size", [0, 3])
def test_the_core_refuses_tables_of_the_wrong_size(size):
    x = (np.zeros((2, 2)), 2, 2)
    with pytest.raises(ValueError, match="agree"):
        _core.linear(x, np.zeros(size), False, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.gaussian(x, np.zeros((2, 2)), np.zeros(size), np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.moments(x, LABELS, np.zeros((2, 2)), np.zeros(size), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.sums(x, LABELS, np.zeros((2, 2)), np.zeros(size))
