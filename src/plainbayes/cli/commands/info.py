"""Say what a model has learned, how, and from what."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from plainbayes.cli import arguments as add
from plainbayes.cli.commands.train import chosen
from plainbayes.cli.terminal import columns, number, padded, plain
from plainbayes.cli.written import written
from plainbayes.judge import STRANGE, of_texts
from plainbayes.storage import file
from plainbayes.text.analyzer import Analyzer

EXAMPLES = """
plainbayes info mail.bayes
plainbayes info mail.bayes --json
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    add.machine(parser)


def run(options: Namespace) -> int:
    """Tell."""
    opened = of_texts(file.open(options.model))
    try:
        about = known(opened)
    except (AttributeError, LookupError, TypeError):
        raise opened.damaged(STRANGE) from None
    print(written(about) if options.json else shown(about))
    return 0


def known(opened: file.File) -> dict[str, Any]:
    """Return all that a file says about its model."""
    said = opened.metadata
    labels = list(map(str, said["classes"]))
    texts = dict.fromkeys(labels, 0.0)
    for place, weight, count in said["bags"]:
        texts[labels[place]] += weight * count
    texts = {label: int(size) if size == int(size) else size for label, size in texts.items()}
    return {
        "path": opened.path,
        "bytes": opened.size,
        "kind": said["kind"],
        "texts": sum(texts.values()),
        "classes": texts,
        "vocabulary": len(opened.tensor("words.starts")) - 1,
        "pruned": said["pruned"],
        "max_vocabulary": said["max_vocabulary"],
        "event": said["event"],
        "prior": said["prior"],
        "analyzer": said["analyzer"],
        "table": said.get("table"),
        "trust": said.get("trust"),
        "stale": "trust" in said and sum(texts.values()) != said["trust"]["documents"],
        "made": said["made"],
    }


def shown(about: dict[str, Any]) -> str:
    """Return the same to be read."""
    what = "text" if about["table"] is None else "row"
    rows = [
        ("model", f"{plain(about['path'])}, {number(about['bytes'], 'byte')}"),
        (f"{what}s", f"{number(about['texts'], what)} in {number(len(about['classes']), 'class', 'classes')}"),
        ("words", f"{about['vocabulary']:,}" + (", the rest cut off: cannot unlearn" if about["pruned"] else "")),
    ]
    rows += [("reads", str(Analyzer(**about["analyzer"])))] if what == "text" else []
    rows += [("event", _settings(about["event"])), ("prior", _settings(about["prior"]).lower())]
    rows += _table(about["table"])
    rows += [("trust", line) for line in _trust(about)]
    rows += [(name, plain(str(value))) for name, value in about["made"].items()]
    lines = [f"{name:<9} {value}" for name, value in rows]
    width = max(columns(plain(label)) for label in about["classes"])
    lines += ["", *(f"  {padded(plain(label), width)}  {texts:>9,g}" for label, texts in about["classes"].items())]
    return "\n".join(lines)


def _table(table: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What a table is read for, its columns and the pairs of them."""
    if table is None:
        return []
    columns = [column for column in table["layout"]["columns"] if column["part"] is None]
    kinds = ", ".join(f"{plain(column['name'])} ({column['kind']})" for column in columns)
    pairs = number(len(table["layout"]["pairs"]), "pair")
    rows = [("target", plain(str(table["target"]))), ("columns", f"{kinds}; {pairs} speak together")]
    return [*rows, ("numbers", lending(table["layout"]))] if table["layout"].get("lent") else rows


def lending(layout: dict[str, Any]) -> str:
    """Say what events lend to the ranges of a table's numbers."""
    suited = ", ".join(f"{plain(each['name'])} {plain(each['event'])}" for each in layout["columns"] if each["event"])
    return f"to each range is lent what its event expects of {number(layout['lent'], 'row')}: {suited}"


def _trust(about: dict[str, Any]) -> list[str]:
    """How much words are trusted, and whether that is up to date."""
    if about["trust"] is None:
        return []
    fitted, estimate = about["trust"]["documents"], about["trust"]["estimate"]
    error = f"{estimate['accuracy']:.1%} right (within {estimate['accuracy_error']:.1%}) expected"
    stale = ["stale: the texts have changed since; plainbayes refit renews it"] if about["stale"] else []
    choices = chosen(about["trust"].get("tried", []), about["trust"]["manner"], about["prior"]["name"] == "Empirical")
    return [f"each word by its own exponent, fitted to {number(fitted, 'text')}; {error}", *map(plain, choices), *stale]


def _settings(said: dict[str, Any]) -> str:
    rest = ", ".join(f"{name} = {value}" for name, value in said.items() if name != "name" and value is not None)
    return plain(f"{said['name']} ({rest})" if "name" in said and rest else said.get("name", rest))
