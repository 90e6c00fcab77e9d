"""The benchmark of tables, on folders it has never seen: targets named, given or guessed, cells missing."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench import __main__, tables


@pytest.fixture
def home(tmp_path):
    rng = np.random.default_rng(1)
    x, kind = rng.normal(size=300), rng.choice(["a", "b"], 300)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, 300), "D")
    frame = pd.DataFrame({"x": np.where(rng.random(300) < 0.1, np.nan, x), "kind": kind, "day": day})
    frame.loc[3, "kind"] = None
    frame.assign(what=np.where(x > 0, "yes", "no")).to_parquet(tmp_path / "named.parquet")
    frame.assign(label=np.where(x > 0, 1, 0), _split=["train", "train", "test"] * 100).to_parquet(
        tmp_path / "split.parquet"
    )
    frame.assign(y=3 * x + rng.normal(size=300)).to_parquet(tmp_path / "reg_line.parquet")
    (tmp_path / "registry.json").write_text(json.dumps({"named": {"target": "what", "task": "class"}}))
    return tmp_path


def bench(capsys, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["bench", *map(str, words)])
    __main__.main()
    return capsys.readouterr()


def test_every_system_has_figures_for_every_table(home, capsys, monkeypatch):
    rows = json.loads(bench(capsys, monkeypatch, "tables", "--data", home, "--json").out)
    assert not [row for row in rows if "failed" in row]
    by = {(row["case"], row["system"]): row for row in rows}
    assert {case for case, _ in by} == {"named", "split", "reg_line"}
    for case in ("named", "split"):
        assert [system for name, system in by if name == case] == list(tables.CLASSES)
        assert by[case, "plainbayes quick"]["accuracy"] > 0.85
        assert by[case, "scikit-learn HistGradientBoosting"]["accuracy"] > 0.85
    assert [system for name, system in by if name == "reg_line"] == list(tables.NUMBERS)
    for system in ("plainbayes quick", "scikit-learn LinearRegression"):
        assert by["reg_line", system]["rmse"] < 2.5
        assert 0.75 < by["reg_line", system]["coverage_90"] <= 1


def test_nobody_gets_columns_that_add_up_to_the_target():
    x = np.random.default_rng(2).normal(size=(300, 3))
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(name="n")
    assert tables.known_with(frame, frame.a + frame.c) == ["a", "c"]
    assert tables.known_with(frame, frame.a * frame.c) == []


def test_a_folder_without_tables_and_a_system_that_fails_say_so(home, tmp_path, capsys, monkeypatch):
    (tmp_path / "empty").mkdir()
    assert "no data sets in" in bench(capsys, monkeypatch, "tables", "--data", tmp_path / "empty").err
    monkeypatch.setattr(tables, "CLASSES", {"broken": tables.classified(lambda *data: 1 / 0)})
    told = bench(capsys, monkeypatch, "tables", "--data", home, "--only", "named", "--label", "x", "--scale", "0.5").out
    assert "ZeroDivisionError" in told


def test_a_target_that_nobody_names_is_called_like_one_or_the_last():
    assert tables.guessed(["Class", "a", "b"]) == "Class"
    assert tables.guessed(["a", "b", "_split"]) == "b"
