"""`plainbayes train --engine spark`: the same files, the same models."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import plainbayes
from plainbayes.cli import main

from .data import equal, table, texts

ROWS = [(f"class{label}", text) for text, label in texts()]


def trained(path, tmp_path, *words):
    """Train on Spark and here, and return both models."""
    models = []
    for engine in ("spark", "here"):
        out = tmp_path / f"{engine}.bayes"
        assert main(["train", str(path), "-o", str(out), "--engine", engine, *words]) == 0
        models.append(plainbayes.load(out))
    return models


def test_formats_of_texts(spark, tmp_path, capsys):
    frame = pd.DataFrame(ROWS, columns=["label", "text"])
    tabbed, header, fast = tmp_path / "plain.tsv", tmp_path / "header.tsv", tmp_path / "fast.txt"
    tabbed.write_text("".join(f"{label}\t{text}\n" for label, text in ROWS) + "a line without a tab\n\tno label\n")
    header.write_text("label\ttext\n" + tabbed.read_text())
    fast.write_text("".join(f"__label__{label} {text}\n" for label, text in ROWS))
    frame.to_csv(tmp_path / "mail.csv", index=False)
    frame.to_json(tmp_path / "mail.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "mail.parquet")
    for name in ("plain.tsv", "header.tsv", "fast.txt", "mail.csv", "mail.jsonl", "mail.parquet"):
        there, here = trained(tmp_path / name, tmp_path, "--effort", "plain")
        assert equal(there, here), name
    assert "counting with Spark" in capsys.readouterr().err


def test_named_columns_and_default_effort(spark, tmp_path, capsys):
    frame = pd.DataFrame([(label, text, "x") for label, text in ROWS], columns=["folder", "body", "other"])
    frame.loc[3, "folder"] = None
    frame.to_csv(tmp_path / "mail.csv", index=False)
    there, here = trained(tmp_path / "mail.csv", tmp_path, "--text", "body", "--label", "folder")
    assert equal(there, here) and there.trust.estimate == here.trust.estimate
    told = capsys.readouterr().err
    assert "1 row without label skipped" in told and "weighing words" in told


def test_tables_of_classes_and_numbers(spark, tmp_path, capsys):
    frame = pd.DataFrame(table())
    frame.to_csv(tmp_path / "shop.csv", index=False)
    there, here = trained(tmp_path / "shop.csv", tmp_path, "--label", "bought")
    assert equal(there.rows, here.rows)
    there, here = trained(tmp_path / "shop.csv", tmp_path, "--label", "n", "--effort", "plain")
    assert equal(there.rows, here.rows) and there.edges.tolist() == here.edges.tolist()
    frame["n"] = frame["n"].astype(float)
    frame.to_parquet(tmp_path / "shop.parquet")
    capsys.readouterr()
    wanted = ["--label", "n", "--target", "class", "--effort", "plain", "--json"]
    there, here = trained(tmp_path / "shop.parquet", tmp_path, *wanted)
    assert equal(there.rows, here.rows)
    assert json.loads(capsys.readouterr().out.splitlines()[0])["rows"] == len(frame)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("nothing.tsv", [], "Spark cannot read"),
        ("empty.tsv", [], "is empty"),
        ("binary.tsv", [], "got a binary file"),
        ("lines.txt", [], "label<TAB>text, got lines"),
        ("shop.csv", [], "the column to predict was expected"),
        ("shop.csv", ["--label", "zip"], "no column 'zip'"),
        ("shop.csv", ["--label", "city", "--target", "number"], "numbers were expected in column 'city'"),
    ],
)
def test_mistakes_are_sentences(spark, tmp_path, capsys, name, words, said):
    (tmp_path / "empty.tsv").write_text("")
    (tmp_path / "binary.tsv").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "lines.txt").write_text("just a line\nand another\n")
    pd.DataFrame(table(20)).to_csv(tmp_path / "shop.csv", index=False)
    assert main(["train", str(tmp_path / name), "-o", str(tmp_path / "m"), "--engine", "spark", *words]) == 2
    assert said in capsys.readouterr().err


def test_spark_is_stopped_by_whoever_started_it(spark, tmp_path, monkeypatch, capsys):
    from pyspark.sql import SparkSession

    stopped = []
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession, "stop", lambda self: stopped.append(self))
    assert main(["train", str(tmp_path / "nothing.tsv"), "-o", str(tmp_path / "m"), "--engine", "spark"]) == 2
    assert len(stopped) == 1 and "Spark cannot read" in capsys.readouterr().err


def test_without_pyspark_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    monkeypatch.delitem(sys.modules, "plainbayes.cli.sparked", raising=False)
    monkeypatch.delattr("plainbayes.cli.sparked", raising=False)
    assert main(["train", "mail.tsv", "-o", "m", "--engine", "spark"]) == 2
    assert "pip install 'plainbayes[spark]'" in capsys.readouterr().err


def test_spark_starts_and_ends_with_the_command(tmp_path):
    (tmp_path / "mail.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in ROWS))
    words = ["train", "mail.tsv", "--engine", "spark", "--effort", "plain", "-o", "mail.bayes"]
    command = [sys.executable, "-m", "plainbayes", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0 and "learned 240 texts in 3 classes" in done.stderr, done.stderr[-2000:]
