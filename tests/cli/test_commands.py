"""Every command from end to end, as in their help."""

import importlib
import json
import re
import shlex
from pathlib import Path

import pytest

from plainbayes import cli
from plainbayes.demo import sample

EXAMPLES = [
    (name, line)
    for name in cli.names()
    for line in importlib.import_module(f"plainbayes.cli.commands.{name}").EXAMPLES.strip().splitlines()
]


@pytest.fixture
def plenty(folder):
    """A larger mail box: to weigh words takes more than ten texts."""
    rows = [f"{row['label']}\t{row['text']}\n" for row in sample("messages.tsv")]
    for name, some in (("mail.tsv", rows), ("new.tsv", rows[::3])):
        (folder / name).write_text("".join(some), encoding="utf-8")


def example(line, run):
    """Run a command as a shell would."""
    words = shlex.split(line)
    stdin = None
    if "<" in words:
        words, stdin = words[: words.index("<")], Path(words[-1]).read_text(encoding="utf-8")
    out, err = run(*words[1:], stdin=stdin)
    assert out or err or "-o" in words
    if "--json" in words:
        assert all(json.loads(row) for row in out.splitlines())


@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_the_examples_of_the_help_run(name, line, folder, run, request):
    if name == "refit":
        request.getfixturevalue("plenty")
    run("train", "mail.tsv", "-o", "mail.bayes")
    for part, day in (("test.tsv", "monday"), ("new.tsv", "tuesday")):
        run("train", part, "-o", f"{day}.bayes")
    for target, table in (("bought", "shop.bayes"), ("basket", "prices.bayes")):
        if table in line:
            run("train", "shop.csv", "--label", target, "--effort", "plain", "-o", table)
    assert shlex.split(line)[:2] == ["plainbayes", name]
    example(line, run)


def test_the_guide_runs_from_top_to_bottom(folder, plenty, run):
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    assert (folder / "costs.toml").read_text() in page
    commands = [line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert {line.split()[1] for line in commands} == set(cli.names())
    for line in commands:
        example(line, run)
