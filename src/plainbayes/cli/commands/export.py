"""Write the counts of a model as a table: word, class, count, texts."""

from __future__ import annotations

import csv
import sys
from argparse import Namespace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from plainbayes.cli import arguments as add
from plainbayes.cli.models import Counted
from plainbayes.cli.written import written
from plainbayes.documents import load
from plainbayes.errors import InputError
from plainbayes.storage.file import put

MORE = """
A row for every word and class it stands in: how often, and in how many texts. In JSON, a line for each row."""

EXAMPLES = """
plainbayes export mail.bayes --to csv -o words.csv
plainbayes export mail.bayes --to json
plainbayes export mail.bayes --to parquet -o words.parquet
"""

COLUMNS = ("word", "class", "count", "texts")


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("--to", choices=["csv", "json", "parquet"], help="the format")
    add.machine(parser)
    add.output(parser, "write there instead of to stdout")


def run(options: Namespace) -> int:
    """Export."""
    options.to = options.to or ("json" if options.json else None)
    if options.to is None:
        raise InputError("a format was expected", "--to csv, json or parquet")
    if options.to == "parquet" and options.output is None:
        raise InputError("Parquet needs a file to go to", "-o words.parquet")
    counts = Counted.of(load(options.model))
    if options.to == "parquet":
        parquet(counts, options.output)
    elif options.output is None:
        FORMATS[options.to](counts, sys.stdout)
    else:
        text = StringIO(newline="")
        FORMATS[options.to](counts, text)
        put(options.output, text.getvalue().encode())
    return 0


def as_csv(counts: Counted, file: TextIO) -> None:
    """Write comma-separated values, with a header."""
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(counts.rows())


def as_json(counts: Counted, file: TextIO) -> None:
    """Write an object on each line."""
    file.writelines(written(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in counts.rows())


def parquet(counts: Counted, path: str) -> None:
    """Write a Parquet file."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise InputError("Parquet needs duckdb, which is not installed", "pip install 'plainbayes[tables]'") from None
    with TemporaryDirectory() as folder:
        rows, made = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
        with rows.open("w", encoding="utf-8", newline="") as file:
            as_csv(counts, file)
        types = "{'word': 'VARCHAR', 'class': 'VARCHAR', 'count': 'DOUBLE', 'texts': 'DOUBLE'}"
        table = f"read_csv($rows, header = true, quote = '\"', escape = '\"', nullstr = '\\0', columns = {types})"
        duckdb.execute(
            f"COPY (SELECT * FROM {table}) TO $path (FORMAT parquet)", {"rows": str(rows), "path": str(made)}
        )
        put(path, made.read_bytes())


FORMATS = {"csv": as_csv, "json": as_json}
