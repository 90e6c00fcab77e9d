"""What executors do, done here: parts are counted, sent in pieces and added up without any Spark."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from plainbayes import Analyzer, Model, TableClassifier, TextClassifier, documents
from plainbayes._core import Kept
from plainbayes.documents import Report
from plainbayes.pieces import Sum, joined
from plainbayes.spark import parts

from .data import equal, table, texts

ROWS = texts(80)
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))


def arrow(rows, weights=None):
    columns = {"text": pa.array([row[0] for row in rows], pa.string()), "label": pa.array([row[1] for row in rows])}
    return pa.table(columns | ({} if weights is None else {"weight": pa.array(weights)}))


def summed(batches, kind):
    """Add up, and return the report and the pieces by their ranges."""
    rows = [(row["range"], row["piece"]) for batch in parts.added(batches, kind) for row in batch.to_pylist()]
    report = [pickle.loads(piece) for number, piece in rows if number == parts.REPORT]
    return parts.total(report), [piece for number, piece in sorted(rows) if number != parts.REPORT]


def test_parts_of_texts_add_up():
    sent = []
    for start in range(3):
        learner = parts.Texts(Analyzer(), None)
        sent += parts.counted(arrow(ROWS[start::3]).to_batches(), learner, 4)
    report, pieces = summed(sent[::-1], Sum)
    model = TextClassifier(effort="plain")
    whole = joined(pieces)
    model.learn_counted(whole, whole.labels)
    assert equal(model, TextClassifier(effort="plain").fit(TEXTS, LABELS))
    assert report == Report(80, 0, 0) and list(parts.added([], Sum)) == []


def test_parts_of_tables_add_up():
    rows = table(90)
    settled = TableClassifier(effort="plain").fit(rows, "bought")
    sent = []
    for start in range(2):
        some = pa.Table.from_pylist([*rows[start::2], {"bought": None, "city": "Riga", "x": None, "n": 1}])
        sent += parts.counted(some.to_batches(), parts.Cells(settled), 2)
    report, pieces = summed(sent, Sum)
    fresh = settled.fresh()
    whole = joined(pieces)
    fresh.rows.learn_counted(whole, whole.labels)
    assert equal(fresh.rows, settled.rows) and report == Report(90, 2, 0)


@pytest.mark.parametrize("weight", [None, "w"])
def test_parts_of_numbers_add_up(weight):
    rows = [{"x": float(k % 7), "y": "ab"[k % 2], "w": 1.0 + k % 3} for k in range(40)]
    wanted = ["x", "y"] if weight is None else ["x", "y", "w"]
    sent = []
    for start in range(2):
        learner = parts.Numbers(Model("gaussian"), "y", weight, None)
        sent += parts.counted(pa.Table.from_pylist(rows[start::2]).select(wanted).to_batches(), learner, 1)
    report, [piece] = summed(sent, parts.EvidenceSum)
    here = Model("gaussian").learn(
        {"x": [row["x"] for row in rows]},
        [row["y"] for row in rows],
        None if weight is None else [row["w"] for row in rows],
    )
    assert pickle.loads(piece).same(here.evidence, 1e-12) and report.rows == 40


def vectors(*rows):
    fields = [
        ("type", pa.int8()),
        ("size", pa.int32()),
        ("indices", pa.list_(pa.int32())),
        ("values", pa.list_(pa.float64())),
    ]
    names = [name for name, _ in fields]
    return pa.chunked_array([pa.array([dict(zip(names, row, strict=True)) for row in rows], pa.struct(fields))])


@pytest.mark.parametrize("name", ["multinomial", "gaussian"])
def test_vectors_dense_and_sparse_are_rows_of_a_matrix(name):
    column = vectors((0, 3, [0, 2], [1.0, 2.0]), (1, None, None, [0.0, 4.0, 5.0]), (0, 3, [], []))
    dense = np.array([[1.0, 0.0, 2.0], [0.0, 4.0, 5.0], [0.0, 0.0, 0.0]])
    model = Model(name).learn(parts.matrix(column, Model(name)), ["a", "b", "a"])
    assert model.evidence == Model(name).learn(dense, ["a", "b", "a"]).evidence
    first = vectors((1, None, None, [1.0, 2.0]))
    assert Model(name).learn(parts.matrix(first, Model(name)), ["a"]).evidence.parts[None].stats.shape == (1, 2)
    lists = pa.chunked_array([pa.array([[1.0, 2.0], [3.0, 4.0]])])
    assert parts.matrix(lists, Model(name)).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_sizes_are_those_of_all_texts():
    [sizes] = parts.sizes(arrow([*ROWS, (None, 1)]).to_batches())
    assert sum(sizes.column("bytes").to_pylist()) == sum(len(text.encode()) for text in TEXTS)


@pytest.mark.parametrize("own", [None, str.split])
def test_the_sample_is_the_one_that_one_machine_keeps(own):
    weights = [float(place % 3) for place in range(80)]
    rows, most = arrow(ROWS, weights), 1200
    sizes = np.sum(
        [
            [
                row["bytes"]
                for batch in parts.sizes(rows.slice(start, 40).to_batches(), own)
                for row in batch.to_pylist()
            ]
            for start in (0, 40)
        ],
        axis=0,
    )
    halved = next(k for k in range(65) if sizes[k:].sum() <= most)
    assert halved > 0
    sample = pa.Table.from_batches(parts.sampled(rows.to_batches(), halved, own), rows.schema)
    mine, _ = Kept.start(parts.labelled(sample, own), 1 << 40, halved)
    model = TextClassifier(analyzer=own, effort="plain") if own else TextClassifier(effort="plain")
    here = documents.Here(model._source(TEXTS, LABELS, weights))
    here.count(model.analysis, most)
    assert sorted(mine.again()) == sorted(here.kept.again()) and mine.share == here.kept.share == 0.5**halved
