"""The Rust core against its slow twin in Python, on generated matrices."""

import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import _core, matrix
from plainbayes.matrix import ClassWeights, Codes, Outside, Sparse, Unsorted

sys.path.insert(0, str(Path(__file__).parent))
import twin

FLOATS = st.floats(-1e6, 1e6, width=32)
REAL = [np.float64, np.float32]
WHOLE = [np.int64, np.int32, np.int16, np.uint8, np.bool_]


@st.composite
def laid(draw, X):
    """The same matrix, in any order, with room around it, backwards, read-only or not aligned."""
    form = draw(st.sampled_from(["C", "Fortran", "columns", "rows", "backwards", "read-only", "fields", "swapped"]))
    rows, columns = X.shape
    if form == "Fortran":
        return np.asfortranarray(X)
    if form == "columns":
        wide = np.ones((rows, columns + 5), dtype=X.dtype)
        wide[:, 2 : 2 + columns] = X
        return wide[:, 2 : 2 + columns]
    if form == "rows":
        high = np.ones((3 * rows, 2 * columns), dtype=X.dtype)
        high[::3, ::2] = X
        return high[::3, ::2]
    if form == "backwards":
        return X[::-1, ::-1].copy()[::-1, ::-1]
    if form == "fields":
        packed = np.zeros((rows, columns), dtype=[("odd", np.uint8), ("cell", X.dtype)])
        packed["cell"] = X
        return packed["cell"]
    if form == "swapped":
        return X.astype(X.dtype.newbyteorder())
    X.flags.writeable = form != "read-only"
    return X


@st.composite
def dense(draw, cells, most_rows=20, dtypes=REAL):
    """A matrix of any type and layout, sometimes empty, sometimes wider than a vector."""
    rows, columns = draw(st.integers(0, most_rows)), draw(st.integers(0, 4) | st.integers(8, 19))
    pool = draw(st.lists(cells, min_size=1, max_size=30))
    chosen = np.random.default_rng(draw(st.integers(0, 99))).integers(0, len(pool), (rows, columns))
    return draw(laid(np.array(pool).astype(draw(st.sampled_from(dtypes)))[chosen]))


@st.composite
def weights(draw, rows):
    """Hard labels with and without weights, or soft labels, for few classes or many."""
    classes = draw(st.sampled_from([1, 3, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    if draw(st.booleans()):
        return ClassWeights.soft(rng.uniform(0, 3, (rows, classes)) * rng.integers(0, 2, (rows, classes)))
    given = np.array([twin.exact(w) for w in rng.uniform(0, 5, rows) * rng.integers(0, 4, rows)], dtype=np.float64)
    return ClassWeights(rng.integers(0, classes, rows), classes, draw(st.sampled_from([None, given])))


@st.composite
def sparse(draw, X, data=(*REAL, np.int64, np.int32)):
    """The same matrix, with what is not zero stored, perhaps zeros too, in the middle of other entries."""
    rows, columns = np.nonzero(np.ones_like(X) if draw(st.booleans()) else X)
    starts = np.searchsorted(rows, np.arange(len(X) + 1))
    fits = [kind for kind in data if np.array_equal(X.astype(kind), X)]
    values = X[rows, columns].astype(draw(st.sampled_from(fits)))
    columns = columns.astype(draw(st.sampled_from([np.int32, np.int64])))
    if draw(st.booleans()):
        for low, high in pairwise(starts):
            values[low:high], columns[low:high] = values[low:high][::-1], columns[low:high][::-1]
    before = draw(st.integers(0, 3))
    values = np.concatenate([np.full(before, -7, dtype=values.dtype), values, [-7]]).astype(values.dtype)
    columns = np.concatenate([np.full(before, 99, dtype=columns.dtype), columns, [-1]]).astype(columns.dtype)
    return Sparse(values, columns, starts + before, X.shape[1])


def listed(X):
    return [[(j, float(v)) for j, v in enumerate(row) if v != 0] for row in X]


COUNTS = st.integers(0, 5) | st.floats(0, 9, width=32)


@given(data=st.data())
def test_counts_are_those_of_the_twin_to_the_bit(data):
    X = data.draw(dense(COUNTS, dtypes=REAL + WHOLE))
    Y = data.draw(weights(len(X)))
    expected = twin.counts(listed(X), Y, X.shape[1])
    for form in (X, data.draw(sparse(X))):
        for mine, theirs in zip(matrix.class_counts(form, Y), expected, strict=True):
            assert mine.tolist() == theirs


@given(data=st.data())
def test_counts_are_added_to_tables_with_room_to_spare(data):
    X = data.draw(dense(COUNTS))
    Y = data.draw(weights(len(X)))
    room = np.full((2, Y.classes + 1, X.shape[1] + 3), 8.0)
    tables = room[0, : Y.classes, : X.shape[1]], room[1, : Y.classes, : X.shape[1]]
    form = data.draw(st.sampled_from([X, data.draw(sparse(X))]))
    matrix.class_counts(form, Y, "nonnegative", tables)
    expected = np.full_like(room, 8.0)
    expected[:, : Y.classes, : X.shape[1]] += np.reshape(
        twin.counts(listed(X), Y, X.shape[1]), (2, Y.classes, X.shape[1])
    )
    np.testing.assert_array_equal(room, expected)


def test_many_counts_are_those_of_numpy_whether_small_large_or_fractions():
    rng = np.random.default_rng(5)
    for values in (rng.integers(0, 3, 6000), rng.integers(0, 1 << 20, 6000), rng.integers(0, 99, 6000) / 4):
        X = np.zeros((60, 100))
        X.flat[:] = values
        codes = np.arange(60) % 2
        rows, columns = np.nonzero(X)
        form = Sparse(X[rows, columns], columns, np.searchsorted(rows, np.arange(61)), 100)
        count, present = matrix.class_counts(form, ClassWeights(codes, 2))
        np.testing.assert_array_equal(count, [X[codes == c].sum(axis=0) for c in range(2)])
        np.testing.assert_array_equal(present, [(X[codes == c] > 0).sum(axis=0) for c in range(2)])


@given(data=st.data())
def test_sums_are_those_of_the_twin_to_the_bit(data):
    X = data.draw(dense(FLOATS | st.just(np.nan)))
    Y = data.draw(weights(len(X)))
    for mine, theirs in zip(matrix.class_sums(X, Y, "real"), twin.sums(X.tolist(), Y, X.shape[1]), strict=True):
        assert mine.tolist() == theirs


@given(data=st.data(), offset=st.sampled_from([0.0, 1e9, -1e12]))
def test_moments_are_those_of_the_twin_however_far_the_origin(data, offset):
    X = data.draw(dense(st.integers(-400, 400).map(lambda n: n / 4) | st.just(np.nan))).astype(np.float64) + offset
    Y = data.draw(weights(len(X)))
    n, mean, scatter = matrix.class_moments(data.draw(laid(X)), Y)
    their_n, their_mean, their_scatter = twin.moments(X.tolist(), Y, X.shape[1])
    np.testing.assert_allclose(n, np.reshape(their_n, n.shape), rtol=1e-15)
    np.testing.assert_allclose(mean, np.reshape(their_mean, n.shape), rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(scatter, np.reshape(their_scatter, n.shape), rtol=1e-6 if offset else 1e-12, atol=1e-7)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.bool_, np.float32])
def test_moments_of_any_type_are_those_of_the_same_numbers(kind):
    X = np.random.default_rng(2).integers(0, 9, (300, 11)).astype(kind)
    Y = ClassWeights(np.arange(300) % 7, 7)
    for mine, theirs in zip(matrix.class_moments(X, Y), matrix.class_moments(X.astype(float), Y), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_moments_of_many_blocks_keep_a_variance_of_one_at_an_offset_of_a_billion():
    X = 1e9 + np.random.default_rng(1).standard_normal((50_000, 3))
    codes = np.arange(len(X)) % 2
    n, mean, scatter = matrix.class_moments(X, ClassWeights(codes, 2))
    for c in range(2):
        np.testing.assert_allclose(scatter[c] / n[c], X[codes == c].var(axis=0), rtol=1e-9)
        exactly = [math.fsum(column) / n[c, 0] for column in X[codes == c].T]
        np.testing.assert_allclose(mean[c], exactly, rtol=1e-15)


def test_a_light_outlier_that_comes_first_costs_no_digits():
    X = np.random.default_rng(1).standard_normal((1000, 2))
    X[0] = 1e9
    for missing in (X, np.where(np.arange(1000)[:, None] == 500, np.nan, X)):
        w = np.where(np.arange(1000) == 0, 2.0**-36, 1.0)
        _, _, scatter = matrix.class_moments(missing, ClassWeights(np.zeros(1000, dtype=np.int64), 1, w))
        _, _, expected = twin.moments(missing.tolist(), ClassWeights(np.zeros(1000, dtype=np.int64), 1, w), 2)
        np.testing.assert_allclose(scatter, expected, rtol=1e-11)


@given(data=st.data())
def test_category_counts_are_those_of_the_twin_to_the_bit(data):
    X = data.draw(dense(st.integers(-1, 5), dtypes=[np.int64, np.int32, np.int16]))
    Y = data.draw(weights(len(X)))
    sizes = matrix.category_sizes(X)
    assert sizes.tolist() == [max([int(v) + 1 for v in column] + [0]) for column in X.T]
    sizes += data.draw(st.integers(0, 2))
    assert matrix.category_counts(Codes(X, sizes), Y).tolist() == twin.categories(X.tolist(), Y, sizes.tolist())


@pytest.mark.parametrize("kind", [np.uint8, np.bool_])
def test_categories_may_be_bytes(kind):
    X = np.array([[0, 1], [1, 1]], dtype=kind)
    assert matrix.category_sizes(X).tolist() == [2, 2]
    counts = matrix.category_counts(Codes(X, np.array([2, 2])), ClassWeights(np.array([0, 0]), 1))
    assert counts.tolist() == [[1, 1, 0, 2]]
    assert Codes(X, np.array([2, 2])).shape == (2, 2)


def test_a_category_too_large_for_the_sizes_given_is_outside_and_one_too_large_for_32_bits_too():
    Y = ClassWeights(np.array([0]), 1)
    for code in (2, 1 << 32):
        with pytest.raises(Outside):
            matrix.category_counts(Codes(np.array([[code]]), np.array([2])), Y)
    assert matrix.category_counts(Codes(np.array([[-(1 << 32)]]), np.array([2])), Y).tolist() == [[0, 0]]


@given(data=st.data(), once=st.booleans(), classes=st.integers(1, 41))
def test_linear_scores_are_those_of_the_twin(data, once, classes):
    signed = data.draw(st.booleans())
    X = data.draw(dense(st.integers(-3 if signed else 0, 5), dtypes=REAL if signed else REAL + WHOLE))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    table, bias = rng.normal(size=(X.shape[1] + 1, classes)), rng.normal(size=classes)
    expected = np.reshape(twin.linear(listed(X), bias, table, once), (len(X), classes))
    for form in (X, data.draw(sparse(X))):
        np.testing.assert_allclose(matrix.linear_scores(form, bias, table, once), expected, rtol=1e-9, atol=1e-9)


@given(data=st.data(), classes=st.integers(1, 9))
def test_scores_of_categories_are_those_of_the_twin(data, classes):
    X = data.draw(dense(st.integers(-1, 5), dtypes=[np.int64, np.int32]))
    sizes = np.random.default_rng(1).integers(0, 5, X.shape[1])
    table = np.random.default_rng(2).normal(size=(int(sizes.sum()) + len(sizes), classes))
    bias = np.arange(classes, dtype=np.float64)
    expected = twin.linear(twin.listed(X.tolist(), sizes.tolist()), bias, table, True)
    found = matrix.linear_scores(Codes(X, sizes), bias, table, False)
    np.testing.assert_allclose(found, np.reshape(expected, (len(X), classes)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_scores_refuse_cells_outside_the_support_they_are_told(value):
    table, bias = np.ones((2, 3)), np.zeros(3)
    for X in (np.array([[1.0, 0.0], [0.0, value]]), Sparse(np.array([value]), np.array([1]), np.array([0, 0, 1]), 2)):
        with pytest.raises(Outside):
            matrix.linear_scores(X, bias, table, False, "nonnegative")


@given(data=st.data(), once=st.booleans(), classes=st.integers(1, 23))
def test_the_likeliest_class_is_the_best_of_all_scores(data, once, classes):
    X = data.draw(dense(st.integers(0, 5), dtypes=REAL + WHOLE))
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    table, bias = rng.normal(size=(X.shape[1] + 1, classes)), rng.normal(size=classes)
    expected = matrix.best(matrix.linear_scores(X, bias, table, once))
    for form in (X, data.draw(sparse(X))):
        assert matrix.likeliest(form, bias, table, coarse(table), once).tolist() == expected.tolist()


def coarse(table):
    return table.astype(np.float32), float(np.abs(table).max(initial=0.0))


@pytest.mark.parametrize("once", [False, True])
def test_classes_that_single_precision_cannot_tell_apart_are_told_apart(once):
    # A table too large for the cache is scored in single precision first. Two columns, or all, are as good as equal.
    rng = np.random.default_rng(5)
    table = np.repeat(rng.normal(size=(20_000, 1)), 20, axis=1)
    table[:, ::2] += rng.normal(size=(20_000, 10)) * 1e-10
    X = rng.integers(0, 3, (300, 20_000)) * (rng.random((300, 20_000)) < 0.004)
    stored = Sparse(X[X > 0], np.nonzero(X)[1], np.searchsorted(np.nonzero(X)[0], np.arange(301)), 20_000)
    expected = matrix.best(matrix.linear_scores(X, np.zeros(20), table, once))
    assert len(set(expected.tolist())) > 5
    rounded = coarse(table)[0].astype(np.float64)
    assert not np.array_equal(matrix.best(matrix.linear_scores(X, np.zeros(20), rounded, once)), expected)
    for form in (X, stored):
        assert matrix.likeliest(form, np.zeros(20), table, coarse(table), once).tolist() == expected.tolist()
    equal = np.ones((20_000, 20))
    assert not matrix.likeliest(stored, np.zeros(20), equal, coarse(equal), once).any()


def test_the_likeliest_class_is_not_asked_of_cells_outside_the_support():
    X, table = np.array([[1.0, -1.0]]), np.zeros((2, 3))
    with pytest.raises(Outside):
        matrix.likeliest(X, np.zeros(3), table, coarse(table), False, "nonnegative")
    with pytest.raises(ValueError, match="agree"):
        matrix.likeliest(X, np.zeros(3), table, coarse(table[:1]), False)
    with pytest.raises(ValueError, match="linear"):
        matrix.likeliest(Codes(np.array([[1]]), np.array([2])), np.zeros(3), np.zeros((3, 3)), coarse(table), False)


def test_rows_without_entries_are_sorted_already():
    empty = Sparse(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(3, dtype=np.int64), 4).sorted()
    assert empty.shape == (2, 4)
    assert len(empty.data) == len(empty.columns) == 0


def test_zeros_are_passed_over_even_where_the_table_is_infinite():
    table, bias = np.array([[-np.inf], [2.0]]), np.zeros(1)
    stored = Sparse(np.array([0.0, 3.0]), np.array([0, 1]), np.array([0, 2]), 2)
    for X in (np.array([[0.0, 3.0]]), stored):
        assert matrix.linear_scores(X, bias, table, False).tolist() == [[6.0]]
        assert matrix.linear_scores(X, bias, table, True).tolist() == [[2.0]]


@given(data=st.data(), classes=st.sampled_from([1, 3, 9]))
def test_gaussian_scores_are_those_of_the_twin(data, classes):
    X = data.draw(dense(FLOATS | st.just(np.nan)))
    rng = np.random.default_rng(3)
    mean, variance = rng.normal(size=(classes, X.shape[1])), rng.uniform(0.5, 2, size=(classes, X.shape[1]))
    expected = np.reshape(twin.gaussian(X.tolist(), mean, variance), (len(X), classes))
    np.testing.assert_allclose(matrix.gaussian_scores(X, mean, variance), expected, rtol=1e-9, atol=1e-9)


def test_a_column_without_a_mean_says_nothing():
    X, mean, variance = np.array([[1.0, 5.0], [1.0, np.nan]]), np.array([[1.0, np.nan]]), np.ones((1, 2))
    expected = -0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(matrix.gaussian_scores(X, mean, variance), [[expected], [expected]], rtol=1e-15)


@given(data=st.data(), classes=st.integers(1, 9))
def test_the_best_is_the_first_of_the_greatest(data, classes):
    scores = data.draw(st.lists(st.sampled_from([-np.inf, -1, 0, 2, np.inf, np.nan]), max_size=90))
    table = np.array(scores[: len(scores) // classes * classes], dtype=np.float64).reshape(-1, classes)
    assert matrix.best(table).tolist() == twin.best(table.tolist())


VALUES = [0, 1, 2, 2.5, -1, 1e-310, 2.0**53, 1e151, -1e151, np.nan, np.inf, -np.inf]


@given(
    X=dense(st.sampled_from(VALUES), dtypes=[np.float64]),
    support=st.sampled_from(list(twin.SUPPORTS)),
    missing=st.booleans(),
)
def test_the_first_offender_is_the_one_the_twin_finds(X, support, missing):
    found = matrix.offender(X, support, missing)
    assert (found and found[:2]) == twin.offender(X.tolist(), support, missing)
    if found:
        assert np.array_equal(found[2], X[found[:2]], equal_nan=True)


@given(data=st.data(), support=st.sampled_from(list(twin.SUPPORTS)))
def test_what_lies_outside_the_support_is_found_while_counting(data, support):
    cells = st.sampled_from(VALUES[: data.draw(st.integers(1, len(VALUES)))])
    X = data.draw(dense(cells, most_rows=4, dtypes=[np.float64]))
    Y = data.draw(weights(len(X)))
    room = np.zeros((2, Y.classes, X.shape[1]))
    full = Sparse(X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(len(X) + 1) * X.shape[1], X.shape[1])

    def outside(work, *given):
        try:
            work(*given)
        except Outside:
            return True
        return False

    expected = twin.offender(X.tolist(), support, False) is not None
    assert outside(matrix.class_counts, X, Y, support) == expected
    assert outside(matrix.class_counts, full, Y, support) == expected
    for form in (X, full):
        assert outside(matrix.class_counts, form, Y, support, tuple(room)) == expected
        assert not (expected and room.any())
        room[:] = 0
    assert outside(matrix.class_sums, X, Y, support) == (twin.offender(X.tolist(), support, True) is not None)
    assert outside(matrix.class_moments, X, Y) == (twin.offender(X.tolist(), "real", True) is not None)


def test_an_offender_far_inside_is_found():
    X = np.zeros((30, 500))
    X[29, 3] = -1
    assert matrix.offender(X, "nonnegative", False) == (29, 3, -1.0)
    assert matrix.offender(X.reshape(1, -1), "nonnegative", False) == (0, 14503, -1.0)


def test_an_offender_in_a_sparse_matrix_is_named_by_row_and_column():
    X = Sparse(np.array([-9.0, 1.0, -3.0, -9.0]), np.array([0, 0, 4, 0]), np.array([1, 2, 2, 3]), 5)
    assert matrix.offender(X, "nonnegative", False) == (2, 4, -3.0)
    assert matrix.offender(X, "real", False) is None


def test_two_entries_for_one_column_are_refused_before_anything_is_added():
    Y, tables = ClassWeights(np.array([0, 0]), 1), (np.zeros((1, 3)), np.zeros((1, 3)))
    twice = Sparse(np.ones(4), np.array([2, 2, 0, 2]), np.array([0, 1, 4]), 3)
    for into in (None, tables):
        with pytest.raises(Unsorted):
            matrix.class_counts(twice, Y, "count", into)
    assert not np.any(tables)
    soft = ClassWeights.soft(np.array([[1.0], [0.0]]))
    with pytest.raises(Unsorted):
        matrix.class_counts(twice, soft)


@pytest.mark.parametrize("threads", ["1", "2", "3", "many"])
def test_results_are_the_same_to_the_bit_whatever_the_threads(threads, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(130_000, 17)) * 1e6
    X[rng.integers(0, len(X), 50), 3] = np.nan
    counts = np.floor(np.abs(np.nan_to_num(X)) * 1.37) / 1024
    Y = ClassWeights(rng.integers(0, 5, len(X)), 5, rng.integers(0, 9, len(X)) / 7)
    full = Sparse(counts.ravel(), np.tile(np.arange(17, dtype=np.int32), len(X)), np.arange(0, counts.size + 1, 17), 17)
    codes = Codes(rng.integers(-1, 9, X.shape), np.full(17, 9))
    table, bias = rng.normal(size=(170, 5)), rng.normal(size=5)
    mean, variance = rng.normal(size=(5, 17)), rng.uniform(1, 2, (5, 17))

    def results():
        yield from matrix.class_moments(X, Y)
        yield from matrix.class_sums(X, Y, "real")
        yield from matrix.class_counts(counts, Y)
        yield from matrix.class_counts(full, Y)
        yield matrix.category_counts(codes, Y)
        yield matrix.category_counts(codes, ClassWeights(Y.codes, 5))
        yield matrix.category_sizes(codes.cells)
        yield matrix.linear_scores(full, bias, table, False)
        yield matrix.linear_scores(codes, bias, table, False)
        yield matrix.gaussian_scores(X, mean, variance)
        yield matrix.best(matrix.linear_scores(np.nan_to_num(X), bias, table, False))

    monkeypatch.setenv("PLAINBAYES_THREADS", threads)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    found = list(results())
    monkeypatch.setenv("PLAINBAYES_THREADS", "1")
    for mine, theirs in zip(found, results(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    n, _, scatter = found[:3]
    for c in range(5):
        w, cells = Y.weights[Y.codes == c], np.ma.masked_invalid(X[Y.codes == c])
        np.testing.assert_allclose(n[c], (w[:, None] * ~cells.mask).sum(axis=0))
        middle = np.ma.average(cells, axis=0, weights=w)
        np.testing.assert_allclose(scatter[c], (w[:, None] * (cells - middle) ** 2).sum(axis=0))
    with pytest.raises(Outside):
        matrix.class_counts(-counts, Y)
    with pytest.raises(Outside):
        matrix.class_moments(np.where(np.arange(len(X))[:, None] == 129_999, np.inf, X), Y)
    with pytest.raises(Outside):
        matrix.category_counts(Codes(codes.cells, codes.sizes - 1), Y)


def test_the_processors_are_counted_when_the_environment_says_nothing(monkeypatch):
    monkeypatch.delenv("PLAINBAYES_THREADS", raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "none")
    X = np.arange(2_100_000.0).reshape(-1, 3)
    assert matrix.best(X).tolist() == [2] * len(X)


@given(data=st.data())
def test_sparse_rows_can_be_taken_in_any_order(data):
    X = data.draw(dense(st.integers(0, 3)))
    rows = np.array(data.draw(st.lists(st.integers(0, max(0, len(X) - 1)), max_size=6 * bool(len(X)))), dtype=np.int64)
    taken = data.draw(sparse(X)).take(rows)
    back = np.zeros((len(rows), X.shape[1]))
    back[np.repeat(np.arange(len(rows)), np.diff(taken.starts)), taken.columns] = taken.data
    np.testing.assert_array_equal(back, X[rows])


GOOD = np.zeros((2, 2))
LABELS = np.array([0, 1]), None, None, 2
OUT = (2, 2)


@pytest.mark.parametrize(
    ("x", "labels", "shape"),
    [
        (np.zeros((3, 2)), LABELS, OUT),
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
        ((np.zeros(1), np.array([1 << 32]), np.array([0, 1, 1]), 2), LABELS, OUT),
        ((np.zeros(2), np.array([1, 5]), np.array([0, 2, 2]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0, 1]), np.array([0, 1, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([0, 5, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([0, 0, 2]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([-1, 0, 1]), 2), LABELS, OUT),
        ((np.zeros(1), np.array([0]), np.array([], dtype=np.int64), 2), LABELS, OUT),
        ((np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(3, dtype=np.int64), 1 << 31), LABELS, OUT),
        ((np.zeros((2, 2), dtype=np.int64), np.array([1, 1])), LABELS, OUT),
    ],
)
def test_the_core_refuses_arrays_that_do_not_agree(x, labels, shape):
    with pytest.raises(ValueError, match=r"agree|range|category_counts"):
        _core.counts(x, labels, "real", False, np.zeros(shape), np.zeros(shape))


@pytest.mark.parametrize("column", [-1, 2, 1 << 32, -(1 << 40)])
def test_the_core_refuses_to_score_a_column_that_is_not_there(column):
    X = Sparse(np.ones(1), np.array([column]), np.array([0, 1]), 2)
    with pytest.raises(ValueError, match="range"):
        matrix.linear_scores(X, np.zeros(1), np.zeros((3, 1)), False)


def test_the_core_refuses_what_is_no_array_of_its_type():
    out = np.zeros((2, 2))
    with pytest.raises(TypeError, match="another type"):
        _core.counts(np.zeros((2, 2), dtype=complex), LABELS, "real", False, out, out.copy())
    with pytest.raises(TypeError, match="field"):
        _core.category_counts((GOOD, np.array([1, 1])), LABELS, out)
    with pytest.raises(TypeError, match="field"):
        _core.counts(GOOD, (np.zeros(2), None, None, 2), "real", False, out, out.copy())
    with pytest.raises(ValueError, match="matrix"):
        _core.counts(np.zeros((2, 2, 2)), LABELS, "real", False, out, out.copy())
    with pytest.raises(TypeError, match="field"):
        _core.counts(GOOD, (np.zeros(4, dtype=np.int64)[::2], None, None, 2), "real", False, out, out.copy())
    readonly = np.zeros((2, 2))
    readonly.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _core.counts(GOOD, LABELS, "real", False, out, readonly)
    for bad in (np.zeros((2, 4))[:, ::2], np.zeros((4, 2))[::-2], np.broadcast_to(np.zeros(2), (2, 2)).T):
        with pytest.raises(ValueError, match=r"contiguous|read-only"):
            _core.counts(GOOD, LABELS, "real", False, out, bad)
    with pytest.raises(ValueError, match="contiguous"):
        _core.linear(GOOD, np.zeros(2), np.zeros((2, 2)), False, "real", np.zeros((2, 3))[:, :2])
    with pytest.raises(ValueError, match="support"):
        _core.offender(GOOD, "imaginary", False)
    with pytest.raises(ValueError, match="categories"):
        _core.offender((np.zeros((2, 2), dtype=np.int64), np.array([1, 1])), "real", False)


@pytest.mark.parametrize("size", [0, 3])
def test_the_core_refuses_tables_of_the_wrong_size(size):
    with pytest.raises(ValueError, match="agree"):
        _core.linear(GOOD, np.zeros(2), np.zeros(size), False, "real", np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.gaussian(GOOD, np.zeros((2, 2)), np.zeros(size), np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.moments(GOOD, LABELS, np.zeros((2, 2)), np.zeros(size), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="agree"):
        _core.sums(GOOD, LABELS, "real", np.zeros((2, 2)), np.zeros(size))
    with pytest.raises(ValueError, match="agree"):
        _core.best(GOOD, 2, np.zeros(size, dtype=np.int64))
    codes = np.zeros((2, 2), dtype=np.int64)
    with pytest.raises(ValueError, match="agree"):
        _core.category_sizes(codes, np.zeros(size, dtype=np.int64))
    for sizes in (
        np.ones(size, dtype=np.int64),
        np.array([1, -1]),
        np.array([1, 1 << 31]),
        np.array([1 << 30, 1 << 30]),
    ):
        with pytest.raises(ValueError, match="agree"):
            _core.category_counts((codes, sizes), LABELS, np.zeros((2, 2)))


def test_scores_without_classes_or_columns_are_empty_or_zero():
    assert matrix.linear_scores(GOOD, np.zeros(0), np.zeros((2, 0)), False).shape == (2, 0)
    assert matrix.gaussian_scores(np.zeros((2, 0)), np.zeros((3, 0)), np.ones((3, 0))).tolist() == [[0.0] * 3] * 2
    assert matrix.category_counts(
        Codes(np.zeros((2, 0), dtype=np.int64), np.zeros(0, dtype=np.int64)), ClassWeights(np.array([0, 1]), 2)
    ).shape == (2, 0)
