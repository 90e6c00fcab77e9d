"""Evidence aligns by label, whatever the order in which labels came."""

import numpy as np
import pytest

from plainbayes import InputError, Model
from plainbayes.events import Histogram
from plainbayes.evidence import Evidence, Index, in_order
from plainbayes.stats import EVERY


def words(rows, labels):
    return Model("multinomial").observe(rows, labels)


def test_labels_keep_their_first_place_and_are_found_by_name():
    index = Index(["b", "a", "b", 3])
    assert list(index) == ["b", "a", 3]
    assert index.find([3, "zebra", "b"]).tolist() == [2, -1, 0]
    assert (index[1], len(index), "a" in index, "z" in index) == ("a", 3, True, False)
    assert not index.numbered and Index(range(4)).numbered


def test_indexes_are_equal_if_their_labels_are_in_the_same_order():
    assert Index(range(3)) == Index([0, 1, 2])
    assert Index(["a", "b"]) != Index(["b", "a"])
    assert Index(["a"]) != ["a"]


def test_adding_the_same_labels_is_every_place():
    index = Index("ab")
    assert index.add(Index("ab")) == EVERY
    assert Index().add(Index(range(3))) == EVERY


def test_adding_labels_says_where_each_stands():
    index = Index(range(2))
    assert index.add(Index([7, 1])).tolist() == [2, 1]
    assert list(index) == [0, 1, 7] and not index.numbered
    assert index.add(Index([1, 0])).tolist() == [1, 0]


def test_an_index_filled_from_another_shares_nothing_with_it():
    mine, other = Index(), Index("ab")
    mine.add(other)
    mine.add(Index("c"))
    assert list(other) == ["a", "b"] and list(mine) == ["a", "b", "c"]
    twin = mine.copy()
    twin.add(Index("d"))
    assert "d" not in mine


def test_the_last_labels_fill_the_holes_of_those_dropped():
    index = Index("abcde")
    holes, fillers, size = index.drop(np.array([0, 2, 3]))
    assert (holes.tolist(), fillers.tolist(), size) == ([0], [4], 2)
    assert list(index) == ["e", "b"]
    assert index.find("abcde").tolist() == [-1, 1, -1, -1, 0]


def test_labels_that_cannot_be_compared_are_sorted_by_type_and_spelling():
    assert in_order([3, 1, 2]) == [1, 2, 3]
    assert in_order(["b", 2, ("t", 1), "a", 10]) == [10, 2, "a", "b", ("t", 1)]


def test_evidence_says_how_much_it_holds():
    assert repr(words([{"x": 1, "y": 2}, {"x": 1}], ["a", "b"])) == "Evidence(2 observations, 2 classes, 2 features)"


def test_evidence_is_the_same_whatever_the_order_of_words_and_classes():
    one = words([{"x": 1, "y": 2}, {"z": 1}], ["a", "b"])
    two = words([{"z": 1}, {"y": 2, "x": 1}], ["b", "a"])
    assert one == two
    assert one != "evidence"


@pytest.mark.parametrize(
    "other",
    [
        words([{"x": 1}], ["a"]),
        words([{"x": 1}, {"y": 1}, {"y": 1}], ["a", "b", "c"]),
        words([{"x": 1}, {"y": 1}], ["a", "c"]),
        words([{"x": 1}, {"y": 1}, {}], ["a", "b", "b"]),
        words([{"x": 1}, {"x": 1}], ["a", "b"]),
        words([{"x": 1}, {"z": 1}], ["a", "b"]),
        words([{"x": 1}, {"y": 2}], ["a", "b"]),
        Model("multinomial").observe([[1, 0], [0, 1]], ["a", "b"]),
        Model("categorical").observe({"x": ["x", "y"]}, ["a", "b"]),
        Evidence(),
    ],
    ids=[
        "fewer classes",
        "more",
        "others",
        "weight",
        "fewer words",
        "other words",
        "counts",
        "columns",
        "parts",
        "none",
    ],
)
def test_evidence_differs_in_its_classes_weights_words_and_counts(other):
    one = words([{"x": 1}, {"y": 1}], ["a", "b"])
    assert one != other and other != one


def test_evidence_of_another_kind_differs():
    X, y = [[1.0], [2.0]], ["a", "b"]
    assert Model("gaussian").observe(X, y) != Model("poisson").observe(X, y)


def test_unlearning_a_word_that_stands_nowhere_else_forgets_the_word():
    evidence = words([{"x": 1, "rare": 1}, {"x": 1}], ["a", "b"])
    evidence -= words([{"rare": 1, "x": 1}], ["a"])
    assert list(evidence.parts[None].features) == ["x"]
    assert list(evidence.classes) == ["b"]
    assert evidence == words([{"x": 1}], ["b"])


def test_columns_of_a_matrix_stay_though_nothing_speaks_of_them():
    model = Model("multinomial").learn([[1, 0], [0, 2]], ["a", "b"]).unlearn([[0, 2]], ["b"])
    assert list(model.evidence.parts[None].features) == [0, 1]


def test_a_sum_and_a_difference_leave_both_sides_alone():
    one, two = words([{"x": 1}], ["a"]), words([{"x": 2, "y": 1}], ["b"])
    before = one.copy(), two.copy()
    both = one + two
    assert both - two == one and both - one == two
    assert (one, two) == before


def test_evidence_that_was_emptied_can_learn_again():
    evidence = words([{"x": 1}], ["a"])
    evidence -= words([{"x": 1}], ["a"])
    assert len(evidence.classes) == len(evidence.parts[None].features) == 0
    evidence += words([{"y": 3}], ["b"])
    assert evidence == words([{"y": 3}], ["b"])


def test_a_class_merged_later_has_nothing_of_what_was_there():
    one = Model("categorical").observe({"city": ["Rome"]}, ["a"])
    both = one + Model("categorical").observe({"city": ["Oslo"]}, ["b"])
    assert both.parts["city"].stats.count.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("subtract", [False, True])
@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ({"city": ["Rome"]}, {"tree": ["oak"]}),
        ({"city": ["Rome"]}, {"city": ["Rome"], "tree": ["oak"]}),
    ],
)
def test_facts_about_other_columns_are_neither_added_nor_subtracted(mine, other, subtract):
    one, two = (Model("categorical").observe(table, ["a"]) for table in (mine, other))
    before = one.copy()
    with pytest.raises(InputError, match="facts about the same columns were expected"):
        _ = one - two if subtract else one + two
    assert one == before


def test_words_and_columns_do_not_mix():
    model = Model("multinomial").learn({"u": [1, 2]}, ["a", "b"])
    with pytest.raises(InputError, match="got 'u' and words"):
        model.learn([{"w": 1}], ["a"])


@pytest.mark.parametrize(
    ("mine", "other", "kinds"),
    [
        (Model("gaussian"), Model("poisson"), "moments and statistics of poisson"),
        (Model("gaussian"), Model("log_normal"), "moments and moments of logarithms"),
        (Model("histogram"), Model("gaussian"), "observations and moments"),
        (
            Model(Histogram(edges=((0.0, 1.0, 2.0),))),
            Model(Histogram(edges=((0.0, 1.0, 3.0),))),
            r"counts of the bins \(\(0.0, 1.0, 2.0\),\) and counts of the bins \(\(0.0, 1.0, 3.0\),\)",
        ),
    ],
    ids=["moments", "logarithms", "bag", "bins"],
)
def test_evidence_of_different_kinds_is_not_merged(mine, other, kinds):
    one, two = mine.observe([[1.0]], ["a"]), other.observe([[1.0]], ["b"])
    before = one.copy()
    for verb in (Evidence.__iadd__, Evidence.__isub__):
        with pytest.raises(InputError, match=f"facts of one kind were expected, got {kinds}") as error:
            verb(one, two)
        assert error.value.hint == "models can be merged that use the same event for the same columns"
        assert one == before


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (words([{"x": 1}], ["nobody"]), "no class 'nobody'"),
        (words([{"x": 1, "y": 1, "z": 1}], ["a"]), "no feature 'y', 'z'"),
        (words([{"x": 3}], ["a"]), "a count of class 'a' would become negative"),
        (words([{"x": 1}, {"x": 3}], ["b", "a"]), "a count of classes 'b', 'a' would become negative"),
    ],
    ids=["class", "word", "count", "count of one of many"],
)
def test_unlearning_what_was_never_learned_is_refused_by_name_and_changes_nothing(other, message):
    evidence = words([{"x": 2}, {"x": 1}], ["a", "b"])
    before = evidence.copy()
    with pytest.raises(InputError) as error:
        evidence -= other
    assert error.value.message == f"cannot unlearn what was never learned: {message}"
    assert evidence == before


def test_a_class_without_enough_weight_is_not_unlearned_though_its_words_are_there():
    evidence = words([{"x": 2}], ["a"])
    with pytest.raises(InputError, match="would become negative") as error:
        evidence -= words([{"x": 1}, {"x": 1}], ["a", "a"])
    assert error.value.hint == "unlearn exactly the rows, labels and weights that were learned"


def test_a_word_that_counts_zero_is_not_learned():
    """SPEC, section 3: |V| is the words seen, non-zero anywhere."""
    assert words([{"x": 1, "z": 0}], ["a"]) == words([{"x": 1}], ["a"])


def test_models_of_different_widths_do_not_merge():
    one, two = Model("gaussian").learn([[1.0, 2.0]], ["a"]), Model("gaussian").learn([[1.0]], ["b"])
    with pytest.raises(InputError) as error:
        _ = one + two
    assert error.value.message == "facts about the same columns were expected, got 0, 1 and 0"
    assert error.value.hint == "models can be merged that use the same event for the same columns"


def test_nothing_can_be_unlearned_of_nothing():
    with pytest.raises(InputError, match="cannot unlearn what was never learned"):
        _ = Evidence() - words([{"x": 1}], ["a"])
    with pytest.raises(InputError, match="cannot unlearn what was never learned: nothing was"):
        _ = Evidence(Index(["a"])) - words([{"x": 1}], ["a"])


def test_fractions_unlearn_to_nothing_even_where_sums_have_rounded():
    values = [191088.5061964363, 80936.01412916109, 12292.057180858406]
    model = Model("multinomial").learn([{"x": value} for value in values], ["a"] * 3)
    for value in values:
        model.unlearn([{"x": value}], ["a"])
    assert not len(model.evidence.classes)
    assert not len(model.evidence.parts[None].features)


def test_moments_refuse_values_that_cannot_have_been_among_those_learned():
    model = Model("gaussian").learn([[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"])
    before = model.evidence.copy()
    with pytest.raises(InputError, match="would become negative"):
        model.unlearn([[100.0]], ["a"])
    assert model.evidence == before
