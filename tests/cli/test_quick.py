"""Options read without argparse are those that argparse reads."""

import subprocess
import sys

import pytest

from plainbayes import cli
from plainbayes.cli import quick
from plainbayes.cli.parser import parsed


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("train", ["a.tsv", "-o", "m", "--alpha", "0.5"]),
        (
            "train",
            ["a.tsv", "b.tsv", "--output", "m", "--stop", "--lang", "ru", "--rules", "sklearn", "--ngrams", "2-3"],
        ),
        ("train", ["-o", "m", "-", "--max-vocabulary", "7", "--text", "body", "--label-column", "y", "--threads", "2"]),
        ("predict", ["m"]),
        ("predict", ["m", "-i", "a", "-i", "-", "--json"]),
        ("predict", ["m", "a text", "--threads", "1", "another", "-k", "3"]),
        ("explain", ["m"]),
        ("explain", ["m", "a text"]),
    ],
)
def test_what_is_plainly_written_is_what_argparse_reads(name, words):
    command = cli.imported(name)
    assert vars(quick.options(command, words)) == vars(parsed(name, command, words))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("train", ["a.tsv"]),
        ("train", ["-o", "m"]),
        ("train", ["a.tsv", "-o"]),
        ("train", ["a.tsv", "-o", "--json"]),
        ("train", ["a.tsv", "--output=m"]),
        ("train", ["a.tsv", "-o", "m", "--rules", "none"]),
        ("train", ["a.tsv", "-o", "m", "--max-vocabulary", "0"]),
        ("train", ["--help"]),
        ("predict", []),
        ("predict", ["m", "-3"]),
        ("explain", ["m", "a text", "another"]),
    ],
)
def test_what_is_not_is_left_to_argparse(name, words):
    assert quick.options(cli.imported(name), words) is None


@pytest.mark.parametrize(
    "words", [["train", "mail.tsv", "--effort", "plain", "-o", "m.bayes"], ["predict", "{model}", "-i", "mail.tsv"]]
)
def test_training_and_judging_import_little(words, model, folder):
    words = [word.format(model=model) for word in words]
    slow = (
        "numpy",
        "argparse",
        "dataclasses",
        "inspect",
        "re",
        "json",
        "typing",
        "threading",
        "contextlib",
        "collections",
        "functools",
    )
    code = (
        f"import sys; from plainbayes.cli import main; main({words}); print(*[m for m in {slow} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    assert out.stdout.splitlines()[-1] == "", out
