"""What a file is: its format by its name or its first lines, its columns by their names or what they hold."""

from __future__ import annotations

import os

from plainbayes.errors import InputError, listed

TEXT = (
    "text",
    "content",
    "message",
    "body",
    "review",
    "sentence",
    "comment",
    "tweet",
    "title",
    "question",
    "utterance",
)
LABEL = ("label", "class", "category", "target", "y", "sentiment", "intent", "topic", "tag", "labels")
FORMATS = ("tabbed", "fasttext", "lines", "jsonl", "csv", "tsv", "parquet", "folder")
KNOWN = 'label<TAB>text, "__label__x text", JSONL, CSV and Parquet are recognised; format="..." names one'
SUFFIXES = {
    "csv": "csv",
    "json": "jsonl",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "pq": "parquet",
    "tab": None,
    "tsv": None,
}
# So many rows are looked at.
SAMPLE = 200
# What stands before a tab is no label if it is longer.
LONGEST_LABEL = 64

Rows = list[list[str]]


def suffix(path: str) -> str:
    """Name the kind of a file as its name does: "tsv" for data.tsv.gz.

    >>> suffix("mail/data.tsv.gz"), suffix("README")
    ('tsv', '')
    """
    name = path.replace(os.sep, "/").rsplit("/", 1)[-1].lower()
    for packed in (".gz", ".zst", ".zstd"):
        name = name.removesuffix(packed)
    return name.rsplit(".", 1)[-1] if "." in name else ""


def form(kind: str, lines: list[str], labelled: bool, named: bool) -> tuple[str, bool]:
    r"""Name the format of some lines of a file with this suffix, and say whether the first is a header to leave out.

    Texts to be judged have a label column if all lines have what looks like one before their first tab, in a .tsv file
    if most have; in a .txt file they never do. `named` says that columns were asked for by name.

    >>> form("tsv", ["spam\tbuy now", "ham\tsee you"], labelled=True, named=False)
    ('tabbed', False)
    """
    known = SUFFIXES.get(kind)
    first = "".join(lines[:1]).replace(" ", "")
    if known in ("jsonl", None) and kind != "txt" and (first == "[" or first.startswith("[{")):
        raise InputError(
            "JSON lines were expected, an object on each, got a JSON array", "jq -c '.[]' makes lines of it"
        )
    if known:
        return known, False
    if lines and lines[0].lstrip().startswith("{"):
        return "jsonl", False
    if any(line.startswith("__label__") for line in lines):
        return "fasttext", False
    rows = [line.split("\t") for line in lines if "\t" in line]
    if not rows and kind != "txt" and lines and is_sheet(lines[0], labelled, named):
        return "csv", False
    if not rows or (kind == "txt" and not labelled):
        return "lines", False
    names = [name.strip().lower() for name in lines[0].split("\t")]
    if named or (is_header(names, labelled) and (labelled or len(lines) > 1)):
        simple = len(names) == 2 and names[0] in LABEL and names[1] in TEXT and not named
        quoted = any(field.startswith('"') for row in rows for field in row)
        return ("tabbed", True) if simple and not quoted else ("tsv", False)
    tabular = kind in ("tsv", "tab") and 2 * len(rows) > len(lines)
    heads = [row[0] for row in rows if row[0].strip() or not tabular]
    beside = (tabular or len(rows) == len(lines)) and are_labels(heads)
    return ("tabbed" if labelled or beside else "lines"), False


def is_sheet(line: str, labelled: bool, named: bool) -> bool:
    """Whether this is the first line of comma-separated values: names of columns."""
    names = [name.strip().strip('"').lower() for name in line.split(",")]
    return len(names) > 1 and (named or is_header(names, labelled))


def is_header(names: list[str], labelled: bool) -> bool:
    """Whether these are names of columns, and some of them known."""
    text, label = any(name in TEXT for name in names), any(name in LABEL for name in names)
    return text and (label or not labelled) and all(name and " " not in name for name in names)


def are_labels(cells: list[str]) -> bool:
    """Whether these look like labels: always there, short, and one word each or repeated."""
    short = all(0 < len(cell.strip()) <= LONGEST_LABEL for cell in cells)
    return short and (not any(" " in cell.strip() for cell in cells) or 2 * len(set(cells)) <= len(cells))


def is_prose(cells: list[str]) -> bool:
    """Whether these look like free text: of some length, and mostly different."""
    return len(cells) > 0 and sum(map(len, cells)) >= 12 * len(cells) and 2 * len(set(cells)) > len(cells)


def guess(names: list[str], rows: Rows, text: str | None, label: str | None) -> tuple[str | None, str | None]:
    """Find the columns of text and label by what was asked for, their names, or their cells; None: not found."""
    label = label or _first(names, LABEL, text)
    text = text or _first(names, TEXT, label)
    if text is None:
        rest = [name for name in names if name != label]
        prose = [name for name in rest if is_prose([row[names.index(name)] for row in rows if len(row) == len(names)])]
        text = next((few[0] for few in (rest, prose) if len(few) == 1), None)
    if label is None and text is not None and len(names) == 2:
        label = next(name for name in names if name != text)
    return text, label


def columns(
    names: list[str], rows: Rows, text: str | None, label: str | None, labelled: bool, where: str
) -> tuple[str, str | None]:
    """Find the columns of text and label, or say which there are."""
    for given in (text, label):
        if given is not None and given not in names:
            raise InputError(f"no column {given!r} in {where}", f"there are {listed(names, 20)}")
    text, label = guess(names, rows, text, label)
    if text is None or (labelled and label is None):
        what = "text" if text is None else "label"
        message = f"a column of {what}s was expected in {where}, got {listed(names, 20)}"
        raise InputError(message, f'name it with {what}="..."')
    return text, label if labelled else None


def kind(names: list[str], rows: Rows, text: str | None, label: str | None) -> str:
    """Say whether it is a "text" or a "table": is there one column besides the label, and that free text?"""
    rest = [name for name in names if name != label]
    cells = [row[names.index(rest[0])] for row in rows if len(row) == len(names)] if len(rest) == 1 else []
    return "text" if text and rest == [text] and (text.lower() in TEXT or is_prose(cells)) else "table"


def _first(names: list[str], wanted: tuple[str, ...], taken: str | None) -> str | None:
    lower = {name.lower(): name for name in reversed(names) if name != taken}
    return next((lower[name] for name in wanted if name in lower), None)
