"""A folder with a small mail box in several formats, and models of it."""

import io
import json
import sys
from importlib import resources

import pytest

from plainbayes.cli import main

MAIL = [
    ("spam", "Cheap pills, buy now!"),
    ("spam", "спешите купить виагру"),
    ("spam", "buy cheap watches, last chance"),
    ("spam", "cheap cheap cheap"),
    ("ham", "see you at noon"),
    ("ham", "надо купить молоко"),
    ("ham", "见面吃饭吧"),
    ("ham", "the meeting is at noon, bring milk"),
    ("ham", "now or never, said the cat"),
    ("ham", "lunch at the cheap place?"),
]


def tabbed(rows):
    return "".join(f"{label}\t{text}\n" for label, text in rows)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The mail box as files, in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    files = {
        "mail.tsv": tabbed(MAIL),
        "train.tsv": tabbed([row for place, row in enumerate(MAIL) if place % 3]),
        "test.tsv": tabbed(MAIL[::3]),
        "new.tsv": tabbed(MAIL[::2]),
        "more.tsv": tabbed([("spam", "win a prize"), ("work", "the report is late")]),
        "withdrawn.tsv": tabbed(MAIL[:2]),
        "mail.jsonl": "".join(json.dumps({"folder": label, "body": text}) + "\n" for label, text in MAIL),
        "mail.csv": "folder,body,sender\n"
        + "".join(f'{label},"{text}",{place % 4}\n' for place, (label, text) in enumerate(MAIL)),
        "lines.txt": "cheap pills\n\nsee you at noon\n",
        "message.txt": "see you at noon\nand bring milk\n",
        "costs.toml": '[costs]\n"ham>spam" = 4\n"spam>ham" = 1\nask = 0.3\n',
    }
    files["shop.csv"] = (resources.files("plainbayes") / "samples" / "shop.csv").read_text(encoding="utf-8")
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "letters").mkdir()
    for number, (label, text) in enumerate(MAIL):
        (tmp_path / "letters" / f"{label}-{number}.txt").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def model(folder, run):
    """The mail box, learned: its file is mail.bayes."""
    run("train", "mail.tsv", "-o", "mail.bayes")
    return folder / "mail.bayes"


@pytest.fixture
def run(capsysbinary, monkeypatch, tmp_path):
    """Run a command in this process; return what it wrote to stdout, and what to stderr."""

    def command(*arguments, code=0, stdin=None, typed=False):
        if stdin is not None:
            data = stdin if isinstance(stdin, bytes) else stdin.encode()
            file = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
            file.isatty = lambda: typed
            monkeypatch.setattr(sys, "stdin", file)
        capsysbinary.readouterr()
        got = main([str(argument) for argument in arguments])
        out, err = (stream.decode() for stream in capsysbinary.readouterr())
        assert got == code, err
        return out, err

    command.folder = tmp_path
    return command
