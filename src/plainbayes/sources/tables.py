"""CSV, TSV and Parquet: DuckDB reads them, and hands the columns on by Arrow, without a Python string."""

from __future__ import annotations

import csv
from itertools import islice
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

from plainbayes._core import Reader
from plainbayes.errors import InputError
from plainbayes.sources.recognise import LABEL, SAMPLE, TEXT, Rows

# One thread parses 500 MB/s, more than is counted meanwhile; a second one only holds another part of the file.
_SETTINGS: dict[str, Any] = {"threads": 1}
_DELIMITERS = ",;\t|"
# Stands in no text, so a line is one cell.
_NONE = "\x1f"


class Sheet:
    """What the first lines of a CSV file say of it. DuckDB's own guess may leave out lines that do not fit it."""

    def __init__(self, head: str, delimiter: str | None, named: list[str]) -> None:
        first = head.lstrip("\r\n").split("\n", 1)[0]
        found = delimiter or max(_DELIMITERS, key=first.count)
        # A file of one column has no delimiter, and commas in its texts are none.
        self.delimiter = found if found in first else _NONE
        lines = csv.reader(head.splitlines(keepends=True), delimiter=self.delimiter)
        rows = list(islice((row for row in lines if row), SAMPLE))
        later = [set(column) for column in zip(*rows[1:], strict=False)]
        # The name of a column does not come again below it, and is no sentence.
        again = any(cell and cell in column for cell, column in zip(rows[0], later, strict=False))
        sentence = any(cell.count(" ") > 2 for cell in rows[0])
        known = any(cell in named or cell.strip().lower() in TEXT + LABEL for cell in rows[0])
        self.header = known or not (again or sentence)
        self.names = rows[0] if self.header else [f"column{place}" for place in range(len(rows[0]))]
        self.rows: Rows = rows[1:] if self.header else rows


class Table:
    """A query whose answer streams by Arrow, with what has to stay until it has been read."""

    def __init__(self, kind: str, query: str, parameters: dict[str, Any], *kept: Any) -> None:
        try:
            import duckdb
        except ImportError:
            hint = "pip install 'plainbayes[tables]'"
            raise InputError(f"{kind} files are read by duckdb, which is not installed", hint) from None
        self.kind, self.base, self.error, self.kept = kind, duckdb.connect(config=_SETTINGS), duckdb.Error, kept
        self.relation = self.told(lambda: self.base.sql(query, params=parameters))
        self.names: list[str] = self.relation.columns

    def told(self, ask: Any) -> Any:
        """Ask DuckDB, and say what it says in a sentence."""
        try:
            return ask()
        except self.error as error:
            # What it advises are settings of its own.
            lines = str(error).partition("\nPossible")[0].splitlines()
            words = ", ".join(line.strip() for line in lines if line and not line.startswith("Original Line"))
            raise InputError(f"{self.kind} was expected: {words}") from None

    def rows(self) -> Rows:
        """Return the first rows, as text."""
        rows = self.told(lambda: self.relation.limit(SAMPLE).fetchall())
        return [["" if cell is None else str(cell) for cell in row] for row in rows]

    def select(self, columns: list[str], blank: str | None = None) -> Table:
        """Narrow it to these columns, as text; in one of them nothing may stand for an empty text."""
        cells = {name: f'CAST("{name.replace(chr(34), 2 * chr(34))}" AS VARCHAR)' for name in columns}
        if blank is not None:
            cells[blank] = f"coalesce({cells[blank]}, '')"
        words = [f'{cell} AS "{name.replace(chr(34), 2 * chr(34))}"' for name, cell in cells.items()]
        self.relation = self.told(lambda: self.relation.project(", ".join(words)))
        return self

    def columns(self) -> dict[str, Any]:
        """Return all columns, in memory."""
        columns: dict[str, Any] = self.told(lambda: self.relation.fetchnumpy())
        return columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.told(lambda: self.relation.__arrow_c_stream__())


def parquet(paths: list[str]) -> Table:
    """Open Parquet files."""
    return Table("Parquet", "FROM read_parquet($paths, union_by_name = true)", {"paths": paths})


def sheet(paths: list[str], sheet: Sheet, kept: Any = None) -> Table:
    """Open CSV files that are alike."""
    columns = ", ".join(f"'{name.replace(chr(39), 2 * chr(39))}': 'VARCHAR'" for name in sheet.names)
    query = (
        f"FROM read_csv($paths, auto_detect = false, columns = {{{columns}}}, header = {str(sheet.header).lower()}, "
        "delim = $delimiter, quote = '\"', escape = '\"', nullstr = '')"
    )
    return Table("CSV", query, {"paths": paths, "delimiter": sheet.delimiter}, kept)


class Copies:
    """Files in UTF-8 of what readers hold; they go when nobody holds this any more."""

    def __init__(self, readers: list[Reader]) -> None:
        folder = mkdtemp(prefix="plainbayes-")
        finalize(self, rmtree, folder, ignore_errors=True)
        self.paths = [f"{folder}/{place}.csv" for place in range(len(readers))]
        for reader, path in zip(readers, self.paths, strict=True):
            reader.copy(path)
