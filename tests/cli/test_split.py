"""Rows divided class by class, the same way every time."""

import json
from collections import Counter

import pytest

from plainbayes.cli import main

ROWS = [("ham" if number % 4 else "spam", f"text {number}") for number in range(40)]


@pytest.fixture
def mail(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mail.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in ROWS))
    return tmp_path


def rows(path):
    return [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_class_gives_its_share_and_no_row_is_lost(mail, capsys):
    assert main(["split", "mail.tsv", "--test", "0.4", "--seed", "11"]) == 0
    train, test = rows(mail / "train.tsv"), rows(mail / "test.tsv")
    assert Counter(label for label, _ in test) == {"ham": 12, "spam": 4}
    assert sorted(train + test) == sorted(ROWS)
    assert [row for row in ROWS if row in test] == test
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "24 rows in train.tsv\n16 rows in test.tsv\n")


def test_the_seed_decides(mail, capsys):
    for seed, folder in ((11, "a"), (11, "b"), (12, "c")):
        assert main(["split", "mail.tsv", "--seed", str(seed), "-o", folder, "--json"]) == 0
    parts = [(mail / folder / "test.tsv").read_bytes() for folder in "abc"]
    assert parts[0] == parts[1] != parts[2]
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert told == {"train": {"path": "a/train.tsv", "rows": 32}, "test": {"path": "a/test.tsv", "rows": 8}}


def test_what_tabs_cannot_hold_becomes_json(mail):
    (mail / "mail.jsonl").write_text(
        json.dumps({"label": "a", "text": "two\nlines — ё"}) + '\n{"label": "b", "text": ""}\n'
    )
    assert main(["split", "mail.jsonl", "-o", "."]) == 0
    written = [json.loads(line) for line in (mail / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == [{"label": "a", "text": "two\nlines — ё"}, {"label": "b", "text": ""}]
    assert (mail / "test.jsonl").read_text() == ""


def test_a_class_is_never_tested_without_being_learned(mail):
    (mail / "few.tsv").write_text("a\tone\na\ttwo\nb\tone\n")
    assert main(["split", "few.tsv", "--test", "0.9"]) == 0
    assert {label for label, _ in rows(mail / "train.tsv")} == {"a", "b"}


def test_rows_without_label_are_skipped_and_counted(mail, capsys):
    (mail / "odd.tsv").write_text("a\tone\n\tnobody\nb\tone\n")
    assert main(["split", "odd.tsv"]) == 0
    assert capsys.readouterr().err.startswith("1 row without label or text skipped\n")
    assert main(["split", "odd.tsv", "--strict"]) == 2


@pytest.mark.parametrize("share", ["0", "1", "-0.5", "much"])
def test_a_share_lies_between_none_and_all(share, mail, capsys):
    assert main(["split", "mail.tsv", f"--test={share}"]) == 2
    assert "--test" in capsys.readouterr().err


def test_no_rows_are_a_mistake_and_leave_no_files(mail, capsys):
    for content in ("", "\tone\n\ttwo\n"):
        (mail / "none.tsv").write_text(content)
        assert main(["split", "none.tsv", "-o", "parts"]) == 2
        assert "none.tsv" in capsys.readouterr().err
    assert not (mail / "parts").exists()


def test_a_full_disk_leaves_nothing_behind(mail, capsys, monkeypatch):
    from plainbayes.cli.commands import split

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(split.json, "loads", full)
    assert main(["split", "mail.tsv", "-o", "parts"]) == 2
    assert capsys.readouterr().err == "plainbayes: no space left on device\n"
    assert list((mail / "parts").iterdir()) == []
