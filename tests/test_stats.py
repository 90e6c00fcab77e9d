"""Sums, Moments and Bags: tables that add and subtract."""

import copy
import pickle

import numpy as np
import pytest

from plainbayes.matrix import ClassWeights, class_cells, class_moments
from plainbayes.stats import EVERY, Bag, JointMoments, Moments, Sums

NONE = np.zeros(0, dtype=np.int64)


def places(*numbers):
    return np.array(numbers, dtype=np.int64)


def sums(count, total=None):
    count = np.array(count, dtype=np.float64)
    total = count.sum(axis=1) if total is None else np.array(total, dtype=np.float64)
    return Sums(total=total, count=count)


def weights_of(codes, classes=2):
    return ClassWeights(np.asarray(codes, dtype=np.int64), classes)


def moments(X, codes, classes=2):
    n, mean, scatter = class_moments(np.asarray(X, dtype=np.float64), weights_of(codes, classes))
    return Moments(n=n, mean=mean, scatter=scatter)


def bag(X, codes, classes=2):
    X = np.asarray(X, dtype=np.float64)
    return Bag((classes, X.shape[1]), class_cells(X, weights_of(codes, classes)))


def joint(X, codes, classes=2):
    """Every column with its square as a block of two."""
    X = np.asarray(X, dtype=np.float64)
    return JointMoments.of(np.stack([X, X**2], axis=2), weights_of(codes, classes))


X = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, np.nan], [4.0, 9.0], [9.0, 9.0]])
CODES = [0, 0, 1, 1, 1]
KINDS = {
    "sums": sums([[1, 2], [3, 4]]),
    "moments": moments(X, CODES),
    "bag": bag(X, CODES),
    "joint moments": joint(X, CODES),
}


@pytest.fixture(params=KINDS)
def stats(request):
    return KINDS[request.param].copy()


def test_a_copy_shares_nothing(stats):
    twin = stats.copy()
    twin.add(stats, EVERY, EVERY)
    assert not twin.same(stats)
    assert stats.same(stats.copy())


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))], ids=["deepcopy", "pickle"])
def test_statistics_survive_copying_and_pickling(stats, twin):
    assert twin(stats).same(stats)


def test_a_smaller_table_is_added_where_it_belongs_and_taken_away_again(stats):
    before = stats.copy()
    small = stats.take(places(1), places(0))
    stats.resize(3, 4)
    stats.add(small, places(2), places(3))
    assert stats.take(places(2), places(3)).same(small)
    assert stats.take(places(0, 1), places(0, 1)).same(before)
    assert stats.holds(small, places(2), places(3))
    assert not stats.holds(small, places(0), places(2))
    stats.subtract(small, places(2), places(3))
    assert stats.nothing(EVERY).tolist() == [False, False, True, True]
    assert stats.take(places(0, 1), places(0, 1)).same(before)


def test_adding_what_is_taken_apart_gives_the_whole_again(stats):
    whole = stats.empty()
    assert whole.shape == (0, 0)
    whole.resize(2, 2)
    for row in range(2):
        for column in range(2):
            whole.add(stats.take(places(row), places(column)), places(row), places(column))
    assert whole.same(stats, 1e-12) or isinstance(stats, Sums)
    if isinstance(stats, Sums):  # a total of the class is added once for every column
        assert whole.count.tolist() == stats.count.tolist()
        assert whole.total.tolist() == (2 * stats.total).tolist()


def test_minus_one_takes_an_empty_class_or_feature(stats):
    taken = stats.take(places(-1, 1), places(1, -1, 0))
    assert taken.shape == (2, 3)
    assert taken.nothing(EVERY).tolist() == [False, True, False]
    assert taken.take(places(1), places(2, 0)).same(stats.take(places(1), places(0, 1)))
    assert taken.take(places(0), places(0, 2)).nothing(EVERY).all()
    assert stats.empty().take(places(-1), places(-1)).shape == (1, 1)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_last_ones_fill_the_holes(stats, axis):
    expected = stats.take(*(places(1) if axis == other else places(0, 1) for other in range(2)))
    stats.drop(axis, places(0), places(1), 1)
    assert stats.same(expected)
    stats.resize(2, 2)
    emptied = stats.take(places(1), places(0, 1)) if axis == 0 else stats.take(places(0, 1), places(1))
    assert emptied.nothing(EVERY).all()


def test_growing_one_by_one_keeps_everything():
    stats = sums([[5]])
    for size in range(2, 40):
        stats.resize(size, size)
        stats.add(sums([[size]]), places(size - 1), places(size - 1))
    assert np.diag(stats.count).tolist() == [5, *range(2, 40)]
    assert stats.count.sum() == stats.total.sum() == 5 + sum(range(2, 40))


def test_tables_of_another_kind_shape_or_content_are_not_the_same(stats):
    assert not stats.same(stats.take(places(0), places(0, 1)))
    assert not stats.same(stats.take(places(1, 0), places(0, 1)))
    others = [other for other in KINDS.values() if type(other) is not type(stats)]
    assert not any(stats.like(other) for other in others)


def test_sums_with_other_names_or_bins_are_of_another_kind():
    assert not sums([[1]]).like(Sums(n=np.zeros((1, 1))))
    assert not Sums(n=np.zeros((1, 1, 3))).like(Sums(n=np.zeros((1, 1, 4))))
    assert not sums([[1]]).same(Sums(n=np.zeros((1, 1))))
    assert Sums(n=np.zeros((1, 1, 3))).like(Sums(n=np.zeros((7, 2, 3))))


def test_a_statistic_that_is_not_kept_is_no_attribute():
    with pytest.raises(AttributeError, match="scatter"):
        _ = sums([[1]]).scatter


def test_bins_move_with_their_column():
    stats = Sums(n=np.arange(12.0).reshape(2, 2, 3))
    assert stats.take(places(1), places(-1, 0)).n.tolist() == [[[0, 0, 0], [6, 7, 8]]]
    stats.resize(2, 3)
    assert stats.n[:, 2].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert stats.nothing(EVERY).tolist() == [False, False, True]
    assert stats.n[:, :2].tolist() == np.arange(12.0).reshape(2, 2, 3).tolist()


def test_an_offset_of_a_billion_leaves_a_variance_of_one():
    """SPEC, section 2: with sums of squares it would turn into 0."""
    values = 1e9 + np.array([[-1.0], [1.0], [-1.0], [1.0]])
    whole = moments(values[:2], [0, 0], 1)
    whole.add(moments(values[2:], [0, 0], 1), EVERY, EVERY)
    assert (whole.n, whole.mean, whole.scatter) == (4, 1e9, 4)
    whole.subtract(moments(values[:2], [0, 0], 1), EVERY, EVERY)
    assert (whole.n, whole.mean, whole.scatter) == (2, 1e9, 2)


def test_moments_and_their_pool_agree_with_numpy():
    rng = np.random.default_rng(0)
    data, codes = rng.normal(5e7, 2, size=(300, 3)), rng.integers(0, 2, 300)
    data[rng.random(data.shape) < 0.2] = np.nan
    halves = moments(data[:100], codes[:100])
    halves.add(moments(data[100:], codes[100:]), EVERY, EVERY)
    for code in range(2):
        mine = data[codes == code]
        np.testing.assert_array_equal(halves.n[code], (~np.isnan(mine)).sum(axis=0))
        np.testing.assert_allclose(halves.mean[code], np.nanmean(mine, axis=0), rtol=1e-12)
        np.testing.assert_allclose(halves.scatter[code] / halves.n[code], np.nanvar(mine, axis=0), rtol=1e-7)
    n, mean, scatter = halves.pooled()
    np.testing.assert_allclose(mean, np.nanmean(data, axis=0), rtol=1e-12)
    np.testing.assert_allclose(scatter / n, np.nanvar(data, axis=0), rtol=1e-7)


def test_moments_are_the_same_within_a_tolerance_only_if_the_numbers_of_rows_are_equal():
    one = moments([[1.0], [2.0]], [0, 0], 1)
    near = moments([[1.0], [2.0 + 1e-10]], [0, 0], 1)
    assert not one.same(near)
    assert one.same(near, 1e-9)
    assert not one.same(moments([[1.5]], [0], 1), 1e9)


def test_the_last_observation_taken_away_leaves_exact_zeros():
    stats = moments([[0.1], [0.7]], [0, 0], 1)
    stats.subtract(moments([[0.1]], [0], 1), EVERY, EVERY)
    stats.subtract(moments([[0.7]], [0], 1), EVERY, EVERY)
    assert stats.nothing(EVERY).all()


@pytest.mark.parametrize("one", [84.5, 1e9 + 0.1])
def test_one_value_that_is_left_has_no_scatter(one):
    for other in np.linspace(0.1, 200, 300):
        stats = moments(np.log([[one]]), [0], 1)
        stats.add(extra := moments(np.log([[other]]), [0], 1), EVERY, EVERY)
        stats.subtract(extra, EVERY, EVERY)
        assert stats.scatter.tolist() == [[0.0]], other


def test_joint_moments_agree_with_numpy_far_from_the_origin():
    rng = np.random.default_rng(1)
    data, codes = rng.normal(size=(200, 1, 3)), rng.integers(0, 2, 200)
    data[..., 1] += data[..., 0]
    data[rng.random(data.shape) < 0.05] = np.nan
    halves = JointMoments.of(data[:70] + 1e6, weights_of(codes[:70]))
    halves.add(JointMoments.of(data[70:] + 1e6, weights_of(codes[70:])), EVERY, EVERY)
    for code in range(2):
        mine = data[codes == code, 0]
        mine = mine[~np.isnan(mine).any(axis=1)]
        y = mine - mine.mean(axis=0)
        assert halves.n[code, 0] == len(mine)
        np.testing.assert_allclose(halves.mean[code, 0] - 1e6, mine.mean(axis=0), atol=1e-8)
        np.testing.assert_allclose(halves.scatter[code, 0], y.T @ y, rtol=1e-7, atol=1e-6)
        np.testing.assert_allclose(halves.third[code, 0], (y**2).T @ y, rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(halves.fourth[code, 0], (y**2).T @ y**2, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_joint_moments_are_sums_by_definition(weighted):
    rng = np.random.default_rng(3)
    data, codes = rng.gamma(2.0, size=(50, 2, 3)), rng.integers(0, 2, 50)
    data[rng.random(data.shape) < 0.1] = np.nan
    weight = rng.integers(0, 5, 50) / 4 if weighted else np.ones(50)
    found = JointMoments.of(data, ClassWeights(codes, 2, weight if weighted else None))
    for c in range(2):
        for feature in range(2):
            here = (codes == c) & ~np.isnan(data[:, feature]).any(axis=1)
            x, w = data[here, feature], weight[here]
            y = x - w @ x / w.sum()
            assert found.n[c, feature] == w.sum()
            np.testing.assert_allclose(found.mean[c, feature], w @ x / w.sum(), rtol=1e-12)
            for j in range(3):
                for k in range(3):
                    at = (c, feature, j, k)
                    assert found.scatter[at] == pytest.approx((w * y[:, j] * y[:, k]).sum(), rel=1e-9, abs=1e-12)
                    assert found.third[at] == pytest.approx((w * y[:, j] ** 2 * y[:, k]).sum(), rel=1e-9, abs=1e-12)
                    assert found.fourth[at] == pytest.approx((w * y[:, j] ** 2 * y[:, k] ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("cut", [1, 2, 30, 59])
def test_joint_moments_add_and_subtract_in_any_split(cut, offset):
    rng = np.random.default_rng(4)
    data, codes = rng.gamma(2.0, size=(60, 1, 3)) + offset, np.arange(60) % 2
    whole = JointMoments.of(data, weights_of(codes))
    head, tail = (JointMoments.of(data[part], weights_of(codes[part])) for part in (slice(cut), slice(cut, None)))
    both = head.copy()
    both.add(tail, EVERY, EVERY)
    left = whole.copy()
    left.subtract(head, EVERY, EVERY)
    for found, expected in ((both, whole), (left, tail)):
        np.testing.assert_array_equal(found.n, expected.n)
        np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-9, atol=1e-9)
        for name in ("scatter", "third", "fourth"):
            # Digits of the whole, which is what they are a difference of; means at 1e6 have 1e-10 of their own.
            size = whole.arrays[name].max() * (1e-9 + 1e-15 * offset)
            np.testing.assert_allclose(found.arrays[name], expected.arrays[name], rtol=1e-9, atol=size)


def test_joint_moments_of_all_classes_are_those_without_classes():
    rng = np.random.default_rng(5)
    data, codes = rng.normal(5.0, 2.0, size=(70, 2, 2)), rng.integers(0, 5, 70)
    pooled = JointMoments.of(data, weights_of(codes, 5)).pooled()
    assert pooled.shape == (1, 2)
    assert pooled.same(JointMoments.of(data, weights_of([0] * 70, 1)), 1e-9)


def test_joint_moments_taken_away_leave_those_of_the_rest():
    rng = np.random.default_rng(2)
    data, codes = rng.normal(5, 2, size=(40, 2)), rng.integers(0, 2, 40)
    whole = joint(data, codes)
    whole.subtract(joint(data[:30], codes[:30]), EVERY, EVERY)
    assert whole.same(joint(data[30:], codes[30:]), 1e-9)
    assert not whole.same(joint(data[30:] + 1e-3, codes[30:]), 1e-9)
    assert not whole.same(joint(data[:30], codes[:30]), 1e9)


def test_a_bag_joins_equal_cells_and_sorts_them_by_feature_class_and_value():
    stats = bag([[3.0, 5.0], [1.0, np.nan], [3.0, np.nan], [np.nan, np.nan], [2.0, 4.0]], [0, 0, 0, 0, 1])
    classes, features, values, weights = (part.tolist() for part in stats.cells)
    assert features == [0, 0, 0, 1, 1]
    assert classes == [0, 0, 1, 0, 1]
    assert values == [1.0, 3.0, 2.0, 5.0, 4.0]
    assert weights == [1.0, 2.0, 1.0, 1.0, 1.0]


def test_a_bag_does_not_hold_a_value_that_it_never_saw_though_it_holds_as_many():
    stats = bag([[1.0], [2.0]], [0, 0], 1)
    assert stats.holds(bag([[2.0]], [0], 1), EVERY, EVERY)
    assert not stats.holds(bag([[1.5]], [0], 1), EVERY, EVERY)


def test_nothing_looks_only_at_the_columns_named(stats):
    stats.resize(2, 3)
    assert stats.nothing(places(2, 0)).tolist() == [True, False]


def test_a_bag_is_read_group_by_group_and_those_without_values_are_left_out():
    stats = bag(X, CODES)
    stats.resize(3, 3)
    groups = [(c, f, values.tolist(), weights.tolist()) for c, f, values, weights in stats.groups()]
    assert groups == [
        (0, 0, [1.0, 2.0], [1.0, 1.0]),
        (1, 0, [4.0, 9.0], [2.0, 1.0]),
        (0, 1, [7.0], [2.0]),
        (1, 1, [9.0], [2.0]),
    ]
    assert list(stats.empty().groups()) == []
