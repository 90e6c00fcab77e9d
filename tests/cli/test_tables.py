"""Tables on the command line: one command each to learn, judge, measure and explain."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def visits(folder, run):
    run("train", "shop.csv", "--label", "bought", "-o", "shop.bayes")
    return pd.read_csv(folder / "shop.csv")


@pytest.fixture
def prices(folder, run):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 50, 400)
    frame = pd.DataFrame(
        {"size": x, "place": rng.choice(["town", "land"], 400), "price": 10.0 * x + rng.normal(size=400)}
    )
    frame.to_csv(folder / "homes.csv", index=False)
    _, err = run("train", "homes.csv", "--label", "price", "-o", "homes.bayes")
    assert "expect to be off by" in err
    return frame


def test_training_says_what_it_saw_and_what_to_expect(visits, run):
    out, err = run("train", "shop.csv", "--label", "bought", "-o", "m.bayes", "--json")
    report = json.loads(out)
    assert (report["rows"], report["target"], report["classes"]) == (len(visits), "bought", ["no", "yes"])
    assert f"learned {len(visits)} rows: bought from" in err
    assert "pairs of columns speak together" in err or "pair of columns" in err
    assert "expect " in err
    assert "bought" in run("info", "m.bayes")[0]
    assert "trust" not in run("train", "shop.csv", "--label", "bought", "--effort", "plain", "-o", "m.bayes")[1]


def test_what_events_lend_is_told(folder, run):
    rng = np.random.default_rng(3)
    ill = rng.random(120) < 0.5
    frame = pd.DataFrame({"pulse": rng.normal(70 + 5 * ill, 8), "heat": rng.normal(37 + 0.4 * ill, 0.5), "ill": ill})
    frame.to_csv(folder / "wards.csv", index=False)
    _, err = run("train", "wards.csv", "--label", "ill", "-o", "wards.bayes")
    assert "numbers: to each range is lent what its event expects of 1,000,000 rows: pulse" in err
    assert (
        "numbers   to each range is lent what its event expects of 1,000,000 rows: pulse"
        in run("info", "wards.bayes")[0]
    )


def test_every_row_gets_a_line(visits, run):
    lines = run("predict", "shop.bayes", "-i", "shop.csv")[0].splitlines()
    assert len(lines) == len(visits)
    assert {line.split("\t")[0] for line in lines} == {"yes", "no"}
    answers = [json.loads(line) for line in run("predict", "shop.bayes", "-i", "shop.csv", "--json")[0].splitlines()]
    assert all(sum(answer["probabilities"].values()) == pytest.approx(1) for answer in answers)
    out, _ = run(
        "predict", "shop.bayes", "device=phone, pages=3", '{"device": "desktop"}', "--cost", "ask=0.4, yes>no=1"
    )
    assert len(out.splitlines()) == 2
    assert run("predict", "shop.bayes", stdin=(run.folder / "shop.csv").read_text())[0].splitlines() == lines


def test_a_table_is_measured_and_explained(visits, run):
    figures = json.loads(run("evaluate", "shop.bayes", "shop.csv", "--json")[0])
    assert figures["accuracy"] > 0.7
    assert figures["rows"] == len(visits)
    why = json.loads(run("explain", "shop.bayes", "-i", "shop.csv", "--row", "2", "--json")[0])
    assert why["total"] == pytest.approx(why["prior"] + why["bias"] + sum(share["nats"] for share in why["shares"]))
    assert "device=phone" in run("explain", "shop.bayes", "device=phone")[0]
    assert run("explain", "shop.bayes", "device=phone", "--html", "-o", "why.html") == ("", "")
    assert "device=phone" in (run.folder / "why.html").read_text()
    assert "a row from 0 to" in run("explain", "shop.bayes", "-i", "shop.csv", "--row", "99999", code=2)[1]


def test_a_table_is_learned_unlearned_merged_and_refitted(visits, run):
    before = run("predict", "shop.bayes", "-i", "shop.csv")[0]
    run("learn", "shop.bayes", "shop.csv", "-o", "twice.bayes")
    assert "stale" in run("info", "twice.bayes")[0]
    run("unlearn", "twice.bayes", "shop.csv")
    assert run("predict", "twice.bayes", "-i", "shop.csv")[0] == before
    run("merge", "shop.bayes", "twice.bayes", "-o", "both.bayes")
    run("refit", "both.bayes", "shop.csv")
    run("learn", "shop.bayes", "--label", "yes", "device=phone, pages=4")
    run("unlearn", "shop.bayes", "--label", "yes", "device=phone, pages=4")
    assert run("predict", "shop.bayes", "-i", "shop.csv")[0] == before


def test_columns_are_shown(visits, run):
    out, _ = run("columns", "shop.csv", "--label", "bought")
    assert out.splitlines()[0].split() == ["column", "kind", "tells"]
    found = json.loads(run("columns", "shop.csv", "--label", "bought", "--json")[0])
    assert {one["name"] for one in found} == set(visits) - {"bought"}
    out, _ = run("columns", "shop.csv", "--label", "bought", "--kinds", "pages=identifier")
    assert "names its row, left out" in out
    out, _ = run("columns", "shop.csv", "--label", "bought", "--events")
    assert "which would tell" in out
    found = json.loads(run("columns", "shop.csv", "--label", "bought", "--events", "--json")[0])
    numbers = ("count", "nonnegative", "real")
    assert [one["name"] for one in found if one["event"]] == [one["name"] for one in found if one["kind"] in numbers]


def test_columns_that_add_up_to_the_target_are_told_by_name(folder, run):
    rows = "".join(f"{k % 13},{k % 29},{k % 13 + k % 29},{k % 5}\n" for k in range(300))
    (folder / "bikes.csv").write_text(f"casual,registered,count,day\n{rows}", encoding="utf-8")
    said = "adds up to the target with 'registered'? left out"
    assert said in run("columns", "bikes.csv", "--label", "count")[0]
    train = ("train", "bikes.csv", "--label", "count", "--effort", "plain", "-o", "bikes.bayes")
    assert f"casual: {said}" in run(*train)[1]
    assert said not in run(*train, "--kinds", "casual=count")[1]


def test_a_number_is_answered_with_quantiles(prices, run):
    low, middle, high = map(float, run("predict", "homes.bayes", "size=20", "--quantiles", "0.05,0.5,0.95")[0].split())
    assert 150 < low < middle < high < 250
    assert abs(float(run("predict", "homes.bayes", "size=20", "--loss", "absolute")[0]) - middle) < 1e-6
    one = json.loads(run("predict", "homes.bayes", "size=20", "--quantiles", "0.5", "--json")[0])
    assert one["quantiles"]["0.5"] == pytest.approx(middle, rel=1e-5)
    assert one["low_90"] < one["mean"] < one["high_90"]
    figures = json.loads(run("evaluate", "homes.bayes", "homes.csv", "--json")[0])
    assert {"rmse", "mae", "coverage_90", "crps"} <= set(figures)
    assert figures["rmse"] < 30
    assert "coverage_90" in run("evaluate", "homes.bayes", "homes.csv")[0]
    assert ".." in run("explain", "homes.bayes", "size=20")[0]
    run("refit", "homes.bayes", "homes.csv")
    run("learn", "homes.bayes", "homes.csv")
    assert "classes" in json.loads(
        run("train", "homes.csv", "--label", "price", "--target", "class", "--effort", "plain", "-o", "x", "--json")[0]
    )


def test_numbers_can_be_names_of_classes(folder, run):
    rows = "".join(f"{k % 7},{int(k % 7 > 3)}\n" for k in range(80))
    (folder / "t.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    run("train", "t.csv", "--label", "y", "--kind", "table", "-o", "t.bayes", "--prior", "uniform")
    assert run("predict", "t.bayes", "x=6")[0].startswith("1\t")
    assert json.loads(run("evaluate", "t.bayes", "t.csv", "--json")[0])["accuracy"] == 1


def test_json_lines_are_tables_too(visits, folder, run):
    visits.to_json(folder / "shop.jsonl", orient="records", lines=True)
    run("train", "shop.jsonl", "--label", "bought", "-o", "j.bayes")
    assert run("predict", "j.bayes", "-i", "shop.jsonl")[0] == run("predict", "shop.bayes", "-i", "shop.csv")[0]
    visits.to_parquet(folder / "shop.parquet")
    assert run("predict", "j.bayes", "-i", "shop.parquet")[0] == run("predict", "shop.bayes", "-i", "shop.csv")[0]
    (folder / "bad.jsonl").write_text('{"a": 1}\n\nno\n', encoding="utf-8")
    assert "a JSON object was expected in line 3" in run("predict", "j.bayes", "-i", "bad.jsonl", code=2)[1]
    visits[["country", "bought"]].to_csv(folder / "two.tsv", sep="\t", index=False)
    run("train", "two.tsv", "--kind", "table", "--label", "bought", "-o", "two.bayes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "shop.csv", "-o", "x"], "the column to predict was expected"),
        (["train", "shop.csv", "--label", "price", "-o", "x"], "no column is called 'price'"),
        (
            ["train", "shop.csv", "--label", "bought", "--target", "number", "-o", "x"],
            "numbers were expected in column",
        ),
        (["train", "shop.csv", "--label", "bought", "--kinds", "pages", "-o", "x"], "a row was expected, got 'pages'"),
        (
            ["train", "shop.csv", "--label", "bought", "--kinds", "pages=odd", "-o", "x"],
            "a kind of column was expected",
        ),
        (["train", "one.csv", "--label", "y", "-o", "x"], "two classes at least were expected, got only 'a'"),
        (["train", "alone.csv", "--kind", "table", "--label", "y", "-o", "x"], "columns besides 'y' were expected"),
        (["train", "gaps.csv", "--label", "y", "--strict", "-o", "x"], "a label was expected, got none in row 1"),
        (["predict", "shop.bayes", "colour=red"], "no column is called 'colour'"),
        (["predict", "shop.bayes", '{"device": '], "a JSON object was expected"),
        (["predict", "shop.bayes", "-i", "one.csv"], "was expected, but it is missing"),
        (["predict", "shop.bayes", "-i", "lines.txt"], "a table was expected, but lines.txt looks like lines"),
        (["predict", "shop.bayes", "-i", "shop.csv", "--cost", "maybe>yes=3"], "maybe"),
        (["evaluate", "homes.bayes", "gone.csv"], "no rows with a label"),
        (["evaluate", "homes.bayes", "homes.csv", "--cost", "ask=1"], "--cost is about classes"),
        (["predict", "homes.bayes", "size=3", "--shift"], "--shift is about classes"),
        (["learn", "homes.bayes", "odd.csv"], "numbers were expected in column 'price'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_plainly(visits, prices, folder, run, arguments, message):
    (folder / "one.csv").write_text("x,z,y\n1,2,a\n2,3,a\n", encoding="utf-8")
    (folder / "alone.csv").write_text("y\na\nb\n", encoding="utf-8")
    (folder / "gaps.csv").write_text("x,z,y\n1,2,a\n2,3,\n3,4,b\n", encoding="utf-8")
    (folder / "gone.csv").write_text("size,place,price\n1,town,\n2,town,\n", encoding="utf-8")
    (folder / "odd.csv").write_text("size,place,price\n1,town,much\n2,town,little\n", encoding="utf-8")
    assert message in run(*arguments, code=2)[1]


def test_rows_without_label_are_skipped_and_odd_columns_told_of(visits, folder, run):
    (folder / "gaps.csv").write_text("x,z,y\n1,2,a\n2,3,\n3,4,b\n", encoding="utf-8")
    assert "1 row without label skipped" in run("train", "gaps.csv", "--label", "y", "-o", "g.bayes")[1]
    visits.assign(device="watch").to_csv(folder / "more.csv", index=False)
    _, err = run("predict", "shop.bayes", "-i", "more.csv")
    assert f"{len(visits)} cells of column 'device' never seen before, as 'device=watch': no evidence" in err
    visits.assign(new=1).to_csv(folder / "more.csv", index=False)
    assert "column 'new' not known to the model: left out" in run("predict", "shop.bayes", "-i", "more.csv")[1]
