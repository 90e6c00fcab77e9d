"""Divide rows into some to learn from and some to test on, class by class."""

from __future__ import annotations

import json
import os
import random
from argparse import Namespace
from array import array
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from plainbayes.cli import arguments as add
from plainbayes.cli.rows import read, watched
from plainbayes.cli.terminal import note, number
from plainbayes.cli.written import written
from plainbayes.errors import InputError

MORE = """
Writes train.tsv and test.tsv as label<TAB>text, or .jsonl if some text or label has line breaks or tabs that
would be lost. The same rows, share and seed give the same files on any machine."""

EXAMPLES = """
plainbayes split mail.tsv --test 0.4 --seed 11
plainbayes split mail.jsonl --text body --label folder --test 0.2 -o parts
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="rows with labels")
    parser.add_argument("--test", metavar="SHARE", type=add.share, default=0.2, help="this share of each class (0.2)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="another seed, another choice (0)")
    parser.add_argument("-o", "--output", metavar="FOLDER", default=".", help="where to write (here)")
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Divide."""
    source = read(options, options.data)
    places: dict[str, int] = {}
    classes = array("L")
    flat = True
    # The rows wait in a file, so that memory holds a number for each and no more.
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as kept:
        with watched("reading", source):
            for label, text, _ in source:
                name = str(label)
                classes.append(places.setdefault(name, len(places)))
                flat = flat and not any(mark in name for mark in "\t\r\n") and not any(mark in text for mark in "\r\n")
                kept.write(json.dumps([name, text], ensure_ascii=False) + "\n")
        if not classes:
            raise InputError(f"no rows with a label in {', '.join(options.data)}")
        kept.seek(0)
        paths = written_apart(kept, chosen(classes, len(places), options.test, options.seed), options.output, flat)
    told = {name: {"path": str(path), "rows": rows} for name, (path, rows) in paths.items()}
    if options.json:
        print(written(told))
    for path, rows in paths.values():
        note(f"{number(rows, 'row')} in {path}")
    return 0


def chosen(classes: array[int], size: int, share: float, seed: int) -> bytearray:
    """Mark the rows to test on: the share of every class, rounded, but never all of it."""
    rows: list[array[int]] = [array("L") for _ in range(size)]
    for row, place in enumerate(classes):
        rows[place].append(row)
    marks = bytearray(len(classes))
    for place, own in enumerate(rows):
        # Each class draws by itself: rows of one class change nothing for the others.
        for row in random.Random(f"{seed} {place}").sample(own, min(int(len(own) * share + 0.5), len(own) - 1)):
            marks[row] = 1
    return marks


def written_apart(rows: IO[str], marks: bytearray, folder: str, flat: bool) -> dict[str, tuple[Path, int]]:
    """Write the rows to their files, in their order; both are there in the end, or neither."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    names = ["train", "test"]
    paths = [Path(folder) / f"{name}.{'tsv' if flat else 'jsonl'}" for name in names]
    partial = [path.with_name(f".{path.name}.{os.getpid()}") for path in paths]
    try:
        with (
            partial[0].open("w", encoding="utf-8", newline="\n") as train,
            partial[1].open("w", encoding="utf-8", newline="\n") as test,
        ):
            for mark, row in zip(marks, rows, strict=True):
                label, text = json.loads(row)
                line = f"{label}\t{text}" if flat else json.dumps({"label": label, "text": text}, ensure_ascii=False)
                (test if mark else train).write(line + "\n")
        for path, new in zip(paths, partial, strict=True):
            new.replace(path)
    finally:
        for new in partial:
            new.unlink(missing_ok=True)
    tested = sum(marks)
    return {name: (path, rows) for name, path, rows in zip(names, paths, [len(marks) - tested, tested], strict=True)}
