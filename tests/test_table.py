"""The table of counts and the judge in Rust, against plain Python that does the same slowly."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainbayes import Analyzer, InputError, TextClassifier, sources
from plainbayes._core import Judge, NotHeldError, Table, hashes

pytestmark = pytest.mark.usefixtures("registers")

SUMS = ("cells", "bags", "counts", "texts")
INDEX = ("eights", "fifteens", "longs")
PLAIN = Analyzer("tokens").core
# Words of every length around eight and the blocks of sixteen bytes, many of them starts of others.
WORDS = st.sampled_from(
    ["a", "b", "é", "дом", "x" * 16 + "y", *("x" * length for length in (7, 8, 9, 15, 16, 17, 31, 32, 33))]
)
ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.lists(WORDS, max_size=12), st.sampled_from([1.0, 2.0, 0.5, 0.0])), max_size=12
)


def counted(rows):
    labels, words, weights = zip(*rows, strict=True) if rows else ([], [], [])
    return Table.count(PLAIN, sources.texts(["\0".join(w) for w in words], labels, weights))[0]


def table_of(bags, arrays):
    return Table.of(bags, (arrays["bytes"], arrays["starts"]), tuple(arrays[name] for name in SUMS))


def twin(rows):
    """Count and texts of every label, weight and word; whole weights are so many texts."""
    count, texts, bags = Counter(), Counter(), Counter()
    for label, words, weight in rows:
        weight, amount = (1.0, int(weight)) if weight.is_integer() else (weight, 1)
        if amount:
            bags[label, weight] += amount
        for word, times in Counter(words).items():
            count[label, weight, word] += amount * times
            texts[label, weight, word] += amount
    return bags, {cell: (count[cell], texts[cell]) for cell in count if texts[cell]}


def seen(table):
    """What a table holds, in the words of the twin."""
    bags = sorted(table.bags)
    arrays = table.arrays([bag[:2] for bag in bags], 1 << 62)
    starts, cells = (np.frombuffer(arrays[name], np.uint32) for name in ("starts", "cells"))
    bag, texts = (np.frombuffer(arrays[name], np.uint32) for name in ("bags", "texts"))
    counts = np.frombuffer(arrays["counts"], np.uint64)
    held = {}
    for word, (start, end) in enumerate(itertools.pairwise(starts)):
        for cell in range(cells[word], cells[word + 1]):
            name = *bags[bag[cell]][:2], arrays["bytes"][start:end].decode()
            held[name] = int(counts[cell]), int(texts[cell])
    return {(label, weight): texts for label, weight, texts in bags}, held


@given(ROWS)
def test_counts_are_those_of_a_dictionary(rows):
    assert seen(counted(rows)) == twin(rows)


@given(st.lists(st.lists(WORDS | st.text("abcxyz", min_size=1, max_size=20), max_size=300), max_size=4))
def test_long_texts_are_counted_as_short_ones_are(texts):
    rows = [("p", words, 1.0) for words in texts]
    assert seen(counted(rows)) == twin(rows)


@pytest.mark.parametrize("weight", [3.0, 2.0**18 + 1, 2.0**19, 2.0**24, 2.0**26 + 1])
def test_large_numbers_are_counted_exactly(weight):
    rows = [("p", ["a", "a", "x" * 9, "x" * 20], weight), ("p", ["a", "b"], 1.0)] * 31
    table = counted(rows)
    assert seen(table) == twin(rows)
    table.merge(counted(rows[:1]))
    table.part(counted(rows[:3]))
    assert seen(table) == twin(rows[2:])


def test_a_word_is_counted_once_in_each_of_a_million_texts():
    rows = [("p", ["a", "a", "x" * 9, "x" * 20] if row % 2**20 == 7 else ["b"], 1.0) for row in range(2**20 + 9)]
    assert seen(counted(rows)) == twin(rows)


@given(ROWS, ROWS)
def test_merging_is_counting_together_in_any_order(one, two):
    table = counted(one)
    table.merge(counted(two))
    assert seen(table) == twin(one + two) == twin(two + one)


@given(ROWS, ROWS)
def test_taking_out_what_was_put_in_leaves_no_trace(one, two):
    table = counted(one + two)
    whole = table.copy()
    table.part(counted(two))
    assert seen(table) == twin(one)
    assert seen(whole) == twin(one + two)


@given(ROWS, ROWS)
def test_taking_out_more_than_is_there_changes_nothing(one, two):
    table = counted(one)
    before = seen(table)
    extra = ("p", ["never learned"], 1.0)
    with pytest.raises(NotHeldError):
        table.part(counted([*two, extra]))
    assert seen(table) == before


@pytest.mark.parametrize(
    ("learned", "unlearned", "missing"),
    [
        (["a", "b"], ["a"], ("p", "")),
        (["a a", "b"], ["a", "b"], ("p", "a")),
        (["a", "b"], ["c"], ("p", "c")),
        (["a", "a", "b"], ["b b"], ("p", "b")),
    ],
)
def test_what_is_missing_is_named(learned, unlearned, missing):
    table = counted([("p", text.split(), 1.0) for text in learned])
    if missing[1] == "":
        unlearned = unlearned * 3
    with pytest.raises(NotHeldError) as error:
        table.part(counted([("p", text.split(), 1.0) for text in unlearned]))
    assert error.value.args == missing


@given(ROWS)
def test_a_table_of_its_own_arrays_is_the_same(rows):
    table = counted(rows)
    bags = sorted(table.bags)
    arrays = table.arrays([bag[:2] for bag in bags], 1 << 62)
    kinds = {"bytes": np.uint8, "counts": np.uint64}
    names = ("bytes", "starts", "cells", "bags", "counts", "texts")
    again = table_of(bags, {name: np.frombuffer(arrays[name], kinds.get(name, np.uint32)) for name in names})
    assert seen(again) == seen(table)
    assert again.arrays([bag[:2] for bag in bags], 1 << 62) == arrays


def test_a_large_table_grows_in_its_place():
    words = [str(number) for number in range(200_000)]
    rows = [("p", words[start : start + 50_000], 1.0) for start in range(0, 200_000, 30_000)]
    assert seen(counted(rows)) == twin(rows)


@given(ROWS, st.integers(0, 6))
def test_a_cut_table_keeps_the_words_of_most_texts(rows, most):
    table = counted(rows)
    bags, cells = twin(rows)
    texts = Counter()
    for (_, _, word), (_, times) in cells.items():
        texts[word] += times
    kept = sorted(texts, key=lambda word: (-texts[word], word.encode()))[:most]
    arrays = table.arrays(sorted(bags), most)
    starts = np.frombuffer(arrays["starts"], np.uint32)
    found = [arrays["bytes"][a:b].decode() for a, b in itertools.pairwise(starts)]
    assert sorted(found) == sorted(kept)


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """Several batches of rows."""
    path = tmp_path_factory.mktemp("big") / "big.tsv"
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        for row in range(30_000):
            words = " ".join(f"w{word % 5000}" for word in rng.zipf(1.3, 20))
            file.write(f"c{row % 5}\t{words}\n")
    return path


def test_the_model_is_the_same_to_the_byte_for_any_number_of_threads(big, tmp_path, monkeypatch):
    made = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("PLAINBAYES_THREADS", threads)
        model = TextClassifier()
        report = model.learn_from(sources.read(big))
        assert (report.rows, report.skipped, report.replaced) == (30_000, 0, 0)
        model.save(tmp_path / threads)
        answers = model.predict(text for _, text, _ in sources.read(big))
        made.append(((tmp_path / threads).read_bytes(), answers))
    assert made[0] == made[1] == made[2]


def test_the_lines_of_a_judge_are_labels_and_probabilities(big, monkeypatch):
    monkeypatch.setenv("PLAINBAYES_THREADS", "2")
    model = TextClassifier()
    model.learn_from(sources.read(big))
    texts = [text for _, text, _ in sources.read(big)]
    source, lines, replaced = sources.texts(texts), b"", 0
    while (answers := model.judge.answers(source, True)) is not None:
        lines += model.judge.lines(answers)
        replaced += answers.replaced
        logs = np.frombuffer(answers.log_probabilities).reshape(len(answers), -1)
        np.testing.assert_allclose(np.exp(logs.max(axis=1)), answers.probabilities)
        np.testing.assert_array_equal(logs.argmax(axis=1), answers.best)
    expected = zip(model.predict(texts), model.predict_proba(texts).max(axis=1), strict=True)
    for line, (label, probability) in zip(lines.decode().splitlines(), expected, strict=True):
        name, _, number = line.partition("\t")
        assert name == label
        assert math.isclose(float(number), probability, abs_tol=5.1e-5)
    assert replaced == 0
    assert model.judge.classes == [f"c{place}" for place in range(5)]


def test_more_texts_than_can_be_counted_are_refused():
    with pytest.raises(InputError, match="a class can have 4,294,967,295 texts, got more"):
        counted([("p", ["a"], 4e9), ("p", ["a"], 4e9)])
    one, two = counted([("p", ["a"], 4e9)]), counted([("p", ["a"], 4e9)])
    with pytest.raises(InputError, match="a class can have 4,294,967,295 texts, got more"):
        one.merge(two)
    assert seen(one) == ({("p", 1.0): 4_000_000_000}, {("p", 1.0, "a"): (4_000_000_000, 4_000_000_000)})


LONG = b"x" * 40
LONG_HASH = int(np.frombuffer(hashes((np.frombuffer(LONG, np.uint8), np.array([0, 40], np.uint32))), np.uint64)[0])


def judge(**other):
    """A judge of the words a and b, with some of its arrays replaced."""
    table = counted([("p", ["a"], 1.0), ("q", ["b"], 1.0)])
    arrays = table.arrays([("p", 1.0), ("q", 1.0)], 9)
    numbers = {
        "bytes": np.frombuffer(arrays["bytes"], np.uint8),
        "starts": np.frombuffer(arrays["starts"], np.uint32),
        **{name: np.frombuffer(arrays[name], np.uint64) for name in INDEX},
        "table": np.zeros(6),
        "bias": np.zeros(2),
        "prior": np.zeros(2),
        "veto": None,
    } | other
    words = tuple(numbers[name] for name in ("bytes", "starts", *INDEX))
    bias, table, veto = (numbers["bias"], numbers["prior"]), numbers["table"], numbers["veto"]
    return Judge(PLAIN, ["p", "q"], words, table, bias, veto, ("count", False, True))


@pytest.mark.parametrize(
    "other",
    [
        {"starts": np.zeros(0, np.uint32)},
        {"starts": np.zeros(2, np.uint32)},
        {"eights": np.zeros(7, np.uint64)},
        {"fifteens": np.zeros(9, np.uint64)},
        {"longs": np.zeros(1, np.uint64)},
        {"table": np.zeros(5)},
        {"table": (np.zeros(2), np.zeros(2), np.zeros(2, np.uint32), np.zeros(0, np.uint32), np.zeros(0), None)},
        {"bias": np.zeros(1)},
        {"prior": np.zeros(3)},
        {"veto": (np.zeros(2), np.zeros(5))},
    ],
)
def test_arrays_of_other_sizes_make_no_judge(other):
    with pytest.raises(ValueError, match=r"arrays that are none of a (judge|vocabulary)"):
        judge(**other)


@given(st.data())
def test_any_numbers_in_the_arrays_are_safe(data):
    number = st.sampled_from([0, 1, 2, 3, 2**31, 2**32 - 1])
    entry = st.sampled_from([0, 1, ord("a"), ord("c"), 2**32 - 1, 2**64 - 1, LONG_HASH])

    def draw(size):
        return np.array(data.draw(st.lists(number, min_size=size, max_size=size)), np.uint32)

    def buckets():
        size = 8 * data.draw(st.integers(0, 2))
        return np.array(data.draw(st.lists(entry, min_size=size, max_size=size)), np.uint64)

    sparse = np.zeros(2), np.zeros(2), draw(3), draw(2), np.ones(2), data.draw(st.sampled_from([None, np.ones(2)]))
    table = data.draw(st.sampled_from([np.ones(6), sparse]))
    wild = judge(starts=draw(3), table=table, **{name: buckets() for name in INDEX})
    assert len(wild.answers(sources.texts(["a\0b\0c", "x" * 40, ""]), True)) == 3
    assert all(place <= 2 for place in wild.find(["a", "b", "x" * 40]))


def indexed_by(words):
    """Where the index has each word, by the rules of the format: home, or the next bucket that has room."""
    arrays = counted([("p", [word], float(1 + place % 3)) for place, word in enumerate(words)]).arrays(
        [("p", 1.0)], 1 << 62
    )
    starts = np.frombuffer(arrays["starts"], np.uint32)
    order = [arrays["bytes"][a:b] for a, b in itertools.pairwise(starts)]
    hashed = np.frombuffer(hashes((np.frombuffer(arrays["bytes"], np.uint8), starts)), np.uint64).tolist()
    for kind, (low, high, room) in zip(INDEX, ((1, 8, 5), (9, 15, 3), (16, 1 << 32, 5)), strict=True):
        own = {number: word for number, word in enumerate(order) if low <= len(word) <= high}
        buckets = np.frombuffer(arrays[kind], np.uint64).reshape(-1, 8)
        assert len(buckets) == 4 * len(own) // (3 * room) + 1
        size = 8 if room == 5 else 16
        held = [[bytes(b)[size * k : size * (k + 1)] for k in range(room)] for b in buckets]
        full = [all(any(entry) for entry in some) for some in held]
        found = {}
        for bucket, some in enumerate(held):
            numbers = buckets[bucket].view(np.uint32)[size * room // 4 :]
            found |= {int(number): (bucket, entry) for number, entry in zip(numbers, some, strict=False) if any(entry)}
        assert found.keys() == own.keys()
        for number, (bucket, entry) in found.items():
            key = own[number] if low < 16 else max(hashed[number], 1).to_bytes(8, "little")
            assert entry == key.ljust(size, b"\0")
            home = (hashed[number] >> 32) * len(buckets) >> 32
            assert all(full[place % len(buckets)] for place in range(home, home + (bucket - home) % len(buckets)))
    return order


@given(st.lists(st.text("abcxyzж汉", min_size=1, max_size=12), min_size=1, max_size=200, unique=True))
def test_a_word_is_in_the_bucket_of_its_hash_or_in_the_next_that_has_room(words):
    assert sorted(indexed_by(words)) == sorted(word.encode() for word in words)


def test_every_word_of_a_large_vocabulary_is_found_and_no_other():
    words = [f"{'w' * (number % 20)}{number}" for number in range(50_000)]
    model = TextClassifier("multinomial", analyzer=str.split, effort="plain").fit([" ".join(words), "else"], ["p", "q"])
    places = model.judge.find(words)
    assert [model.vocabulary[place] for place in places] == words
    assert set(model.judge.find([f"-{word}" for word in words])) == {len(model.vocabulary)} == {50_001}
    assert model.judge.find([""]) == [50_001]


@pytest.mark.parametrize("name", ["starts", "cells", "bags", "counts", "texts"])
def test_arrays_that_do_not_agree_make_no_table(name):
    arrays = counted([("p", ["a", "b"], 1.0)]).arrays([("p", 1.0)], 9)
    kinds = {"bytes": np.uint8, "counts": np.uint64}
    names = ("bytes", "starts", "cells", "bags", "counts", "texts")
    numbers = {each: np.frombuffer(arrays[each], kinds.get(each, np.uint32)).copy() for each in names}
    numbers[name] = numbers[name][:-1] if name in ("counts", "texts") else numbers[name] + 7
    with pytest.raises(ValueError, match="arrays that are none of a table"):
        table_of([("p", 1.0, 1)], numbers)


def test_a_bag_that_is_not_there_has_no_arrays():
    with pytest.raises(ValueError, match="a bag that is not there"):
        Table().arrays([("p", 1.0)], 9)
