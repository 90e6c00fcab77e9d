"""Counts that travel: cut, added up and joined, they are the counts of one machine to the bit."""

import pickle

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import InputError, TextClassifier, pieces
from plainbayes._core import hashes, indexed, levels
from plainbayes.pieces import Counted, Sum, joined, narrow
from plainbayes.sources import texts

WORDS = st.sampled_from(["a", "b", "buy", "pills", "слово", "чрезвычайно-длинное-слово", "汉字", "w" * 40, "ю" * 9])
ROWS = st.lists(
    st.tuples(
        st.lists(WORDS, max_size=6).map(" ".join),
        st.sampled_from(["x", 2, 10, (1, "b")]),
        st.sampled_from([1.0, 2.0, 0.5]),
    ),
    min_size=1,
    max_size=12,
)


def counted(rows):
    columns = list(zip(*rows, strict=True))
    return TextClassifier(effort="plain").fit(*map(list, columns)).counted


@given(ROWS, st.integers(1, 4), st.sampled_from([1, 2, 8, 64]), st.randoms())
def test_parts_make_the_whole_whatever_their_number_and_order(rows, parts, many, chance):
    whole = counted(rows)
    some = [rows[start::parts] for start in range(parts) if rows[start::parts]]
    chance.shuffle(some)
    cut = [list(counted(part).cut(many)) for part in some]
    sums = []
    for place in range(many):
        total = Sum()
        for piece in cut:
            total.add(piece[place])
        sums.append(total.piece())
    made = joined(sums)
    assert made.bags == whole.bags and made.labels == whole.labels
    assert made.arrays.keys() == whole.arrays.keys()
    for name, array in whole.arrays.items():
        assert np.array_equal(array, made.arrays[name]) and array.dtype == made.arrays[name].dtype, name


def test_a_model_goes_on_from_what_was_joined():
    rows = [("buy pills", "spam", 1.0), ("see you", "ham", 1.0)]
    model = TextClassifier(effort="plain")
    whole = joined(list(counted(rows).cut(4)))
    model.learn_counted(whole, whole.labels)
    assert model.predict(["pills"]) == ["spam"]
    model.learn_counted(whole, whole.labels)
    assert model.learned == 4
    model.unlearn(["buy pills", "buy pills", "see you"], ["spam", "spam", "ham"])
    assert model.classes == ("ham",)
    assert pickle.loads(pickle.dumps(model)).vocabulary == model.vocabulary


def test_pieces_are_as_small_as_their_numbers():
    assert narrow(np.array([1, 255])).dtype == np.uint8
    assert narrow(np.array([70_000])).dtype == np.uint32
    piece = next(counted([("a b", "x", 1.0), ("c", "y", 1.0)]).cut(1))
    assert Counted.of(piece).arrays["counts"].tolist() == [1, 1, 1]
    assert pickle.loads(piece)[1]["counts"].dtype == np.uint8


def test_too_many_words_are_refused(monkeypatch):
    monkeypatch.setattr(pieces, "LARGEST", 2)
    with pytest.raises(InputError, match="4 GB of words"):
        joined(list(counted([("abc def", "x", 1.0)]).cut(1)))


def test_words_out_of_order_are_refused():
    whole = counted([("a b c d", "x", 1.0)]).arrays
    words, sums = (whole["bytes"], whole["starts"]), (whole["cells"], whole["texts"])
    assert all(len(buckets) % 8 == 0 for buckets in indexed(words, sums))
    with pytest.raises(ValueError, match="do not agree"):
        indexed((np.ascontiguousarray(whole["bytes"][::-1]), whole["starts"]), sums)
    with pytest.raises(ValueError, match="none of words"):
        hashes((whole["bytes"][:1], whole["starts"]))
    with pytest.raises(ValueError, match="do not agree"):
        indexed((whole["bytes"][:1], whole["starts"]), sums)
    with pytest.raises(ValueError, match="do not agree"):
        indexed(words, (whole["cells"][:-1], whole["texts"]))


def test_texts_are_halved_by_their_hashes():
    """A text is as often halved as the twin says: by the zeros that its hash begins with."""
    some = [f"text {number}" for number in range(200)] + ["", "汉字"]
    found = list(levels(texts(some)))
    assert found == [64 - xxhash.xxh3_64_intdigest(text.encode()).bit_length() for text in some]
    assert levels(texts([])) == b""
