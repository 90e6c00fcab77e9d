"""Whatever holds texts, as rows on their way into a model: files, folders, lists, frames.

Rows are read and cut in Rust, a megabyte at a time; here it is only decided what is what. A cold
`plainbayes predict` comes through here, so nothing is imported that a plain file of lines does not need.
"""

from __future__ import annotations

import os
import sys

from plainbayes._core import Reader, Source
from plainbayes.errors import InputError, shown
from plainbayes.sources import recognise
from plainbayes.sources.recognise import FORMATS, KNOWN, SAMPLE, SUFFIXES, suffix

# As in typing, which would take longer to import than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from plainbayes.sources.tables import Sheet, Table

__all__ = ["Columns", "Source", "columns", "encoded", "frame", "read", "texts"]

# So many values of an array become Python's at once.
_SLICE = 4096
# What DuckDB unpacks by itself.
_UNPACKED = (".gz", ".zst")


def texts(texts: Any, labels: Any = None, weights: Any = None) -> Source:
    """Read texts that are there: a list, a generator, an array, a column of a frame; a str is one text.

    Parameters
    ----------
    texts
        Anything that gives str, or has `__arrow_c_stream__` (polars, pyarrow, pandas).
    labels
        One label per text: text, numbers or tuples. None: there are none.
    weights
        What each text counts. None: 1 each.

    Examples
    --------
    >>> list(texts(["buy pills", "see you"], ["spam", "ham"]))
    [('spam', 'buy pills', 1.0), ('ham', 'see you', 1.0)]
    """
    if isinstance(texts, str):
        texts, labels = [texts], None if labels is None else [labels]
        weights = [weights] if isinstance(weights, int | float) else weights
    elif isinstance(labels, str | bytes):
        raise InputError(f"one label per row was expected, got the text {labels!r:.60}", "pass a list")
    for what, column in (("texts", texts), ("labels", labels), ("weights", weights)):
        if column is not None and not (hasattr(column, "__iter__") or hasattr(column, "__arrow_c_stream__")):
            raise InputError(f"{what} were expected, got {column!r:.60}")
        if what != "texts" and hasattr(column, "__len__") and hasattr(texts, "__len__") and len(column) != len(texts):
            message = f"one {what[:-1]} per row was expected, got {len(column)} for {len(texts)} rows"
            raise InputError(message)
    return Source.columns(texts, labels, weights, _items, _named)


def _items(column: Any) -> Any:
    """Python values of a column; arrays in slices, since their own scalars cost ten times as much."""
    dimensions = getattr(column, "ndim", 1)
    if dimensions != 1:
        raise InputError(f"a column was expected, got {dimensions} dimensions")
    # NumPy and pyarrow; pandas and polars give plain values by themselves.
    listing = "to_pylist" if hasattr(column, "to_pylist") else "tolist"
    if listing == "tolist" and not hasattr(column, "__array_interface__"):
        return column
    slices = (getattr(column[start : start + _SLICE], listing)() for start in range(0, len(column), _SLICE))
    return (value for values in slices for value in values)


def encoded(label: Any) -> str:
    r"""Name a label: text is its own name, anything else has one that no text has; equal labels have the same.

    >>> encoded("spam"), encoded(3), encoded(3.0), encoded((1, "a"))
    ('spam', '\x003', '\x003', "\x00(1, 'a')")
    """
    if isinstance(label, str):
        return "\0" + label if label.startswith("\0") else str(label)
    return f"\0{_plain(label)!r}"


def _plain(label: Any) -> Any:
    """Equal labels in one form: 1, 1.0, True and NumPy's 1 are the same label."""
    if isinstance(label, tuple):
        return tuple(map(_plain, label))
    label = label.item() if hasattr(label, "item") else label
    whole = isinstance(label, bool) or (isinstance(label, float) and label.is_integer())
    return int(label) if whole else label


def _named(label: Any, row: int) -> str:
    if label is None or label != label:
        raise InputError(f"a label was expected, got {'None' if label is None else shown(label)} in row {row}")
    try:
        hash(label)
    except TypeError:
        raise InputError(f"labels must be text, numbers or tuples, got {label!r:.60} in row {row}") from None
    return encoded(label)


def read(
    data: Any,
    text: str | None = None,
    label: str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    label_from: str | None = None,
    labelled: bool = True,
    strict: bool = False,
    encoding: str | None = None,
) -> Source:
    """Read texts from files, whatever their format.

    Parameters
    ----------
    data
        A path, several, a pattern like "reviews/*.tsv", a folder, "-" for stdin, or an open file.
    text, label
        The columns of a table or the keys of JSON objects; None: found by their names.
    format
        "tabbed" (label, tab, text), "fasttext", "lines", "jsonl", "csv", "tsv", "parquet", "folder" (a text in each
        file); None: recognised.
    label_from
        A regular expression that finds the label in the name of a file that holds one text.
    labelled
        False for texts to be judged: a label, if there is one, is left out, and each row of the input is a row.
    strict
        Refuse a row without label instead of leaving it out.
    encoding
        The charset; None: UTF-8, or what the text looks like if it is not that.
    """
    sources = _Wish(text, label, format, labelled, strict, encoding).sources(data, label_from)
    return sources[0] if len(sources) == 1 else Source.chain(sources)


class Columns:
    """The names of columns, those of text and label (None: not found), and the kind: "text" or "table"."""

    def __init__(self, names: list[str], text: str | None, label: str | None, kind: str) -> None:
        self.names, self.text, self.label, self.kind = names, text, label, kind

    def __repr__(self) -> str:
        return f"Columns({self.names!r}, text={self.text!r}, label={self.label!r}, kind={self.kind!r})"


def columns(
    data: Any,
    text: str | None = None,
    label: str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    encoding: str | None = None,
) -> Columns:
    """Tell which columns there are, which would be read, and whether this is a text or a table.

    It is a text if there is just one column besides the label and that holds free text. Whatever has no
    columns of its own (folders, streams, lines) is a text too.
    """
    return _Wish(text, label, format, True, False, encoding).glance(data)


def frame(
    data: Any,
    *,
    format: str | None = None,  # noqa: A002 - as the option is called
    encoding: str | None = None,
) -> dict[str, Any]:
    """Read a table whole, as its columns: CSV, TSV, JSON lines or Parquet; files that are alike are one table."""
    return _Wish(None, None, format, True, False, encoding).frame(data)


class _Wish:
    """What was said of the rows: everything but where they are."""

    def __init__(
        self,
        text: str | None,
        label: str | None,
        form: str | None,
        labelled: bool,
        strict: bool,
        encoding: str | None,
    ) -> None:
        if form not in (None, *FORMATS):
            raise InputError(f"a format was expected, got {form!r}", ", ".join(FORMATS))
        self.text, self.label, self.form = text, label, form
        self.labelled, self.strict, self.encoding = labelled, strict, encoding

    def sources(self, data: Any, label_from: str | None) -> list[Source]:
        """Read whatever it is."""
        if isinstance(data, str) and data == "-":
            prompt = not self.labelled and self.form == "lines"
            return [self.stream(getattr(sys.stdin, "buffer", sys.stdin), "stdin", prompt)]
        if hasattr(data, "read"):
            return [self.stream(data, str(getattr(data, "name", "the stream")))]
        if hasattr(data, "__arrow_c_stream__"):
            names = [str(name) for name in getattr(data, "column_names", None) or data.columns]
            return [self.table(data, self.found(names, [], "the table"), "the table")]
        places = [os.fspath(place) for place in ([data] if isinstance(data, str | os.PathLike) else data)]
        if not places:
            raise InputError("a file was expected, got an empty list")
        if label_from is not None or self.form == "folder":
            return [self.each([path for place in places for path in _files(place)], label_from)]
        return [source for place in places for source in self.place(place)]

    def place(self, place: str) -> list[Source]:
        """Read a file, a folder, or what a pattern stands for."""
        if _kind(place) == "folder":
            return [self.folder(place)]
        alike: dict[str, list[str]] = {}
        for path in _files(place):
            alike.setdefault(suffix(path), []).append(path)
        return [self.files(paths, kind) for kind, paths in alike.items()]

    def folder(self, folder: str) -> Source:
        """Read a folder with a sub-folder for each class, or with files of rows."""
        files = _files(folder)
        start = len(folder.rstrip(os.sep)) + 1
        pairs: list[tuple[str | None, str]] = [
            (path[start:].partition(os.sep)[0], path) for path in files if os.sep in path[start:]
        ]
        if pairs:
            return Source.folder(pairs, self.encoding, self.labelled, self.strict)
        kinds = {suffix(path) for path in files}
        if len(kinds) == 1 and kinds <= SUFFIXES.keys():
            return self.files(files, kinds.pop())
        if self.labelled:
            raise InputError(
                f"a sub-folder for each class was expected, but {folder} holds only files",
                'label_from="^[a-z]+" takes the class from the beginning of their names',
            )
        return self.each(files, None)

    def each(self, files: list[str], label_from: str | None) -> Source:
        """Read a text from each file; its name says the label, or its folder's."""
        pairs: list[tuple[str | None, str]] = []
        for file in files:
            folder, _, name = file.rpartition(os.sep)
            label = folder.rpartition(os.sep)[-1] if label_from is None else _match(label_from, name)
            pairs.append((label or None, file))
        return Source.folder(pairs, self.encoding, self.labelled, self.strict)

    def files(self, paths: list[str], kind: str) -> Source:
        """Read files of one format, the one that the first seems to have."""
        name = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        reader = Reader(paths, self.encoding)
        if (self.form or SUFFIXES.get(kind)) == "parquet":
            return self.parquet(paths, name)
        return self.rows(reader, kind, name, paths)

    def stream(self, file: Any, name: str, prompt: bool = False) -> Source:
        """Read an open file; if prompt, each row as it comes."""
        if (self.form or SUFFIXES.get(suffix(name))) in ("parquet", "folder"):
            raise InputError(f"{self.form or 'parquet'} is not read from a stream, got {name}", "save it to a file")
        read = getattr(file, "read1", file.read) if prompt else file.read
        reader = Reader.stream(read, name, prompt, self.encoding)
        if prompt:
            return reader.rows("lines", labelled=False)
        return self.rows(reader, suffix(name), name, [])

    def rows(self, reader: Reader, kind: str, name: str, paths: list[str]) -> Source:
        """Read rows of a format that the first lines show."""
        form, header, lines, head = self.recognised(reader, kind, name)
        if form in ("csv", "tsv"):
            return self.sheet(reader, head, form, name, paths)
        if self.labelled and form == "lines":
            raise InputError(f"labels were expected, but {name} has none", KNOWN)
        keys = None
        if form == "jsonl":
            keys = self.found(*_keys(lines), name)
        return reader.rows(form, keys, labelled=self.labelled, strict=self.strict, header=header)

    def recognised(self, reader: Reader, kind: str, name: str) -> tuple[str, bool, list[str], str]:
        """Look at the first lines: the format, whether there is a header to leave out, and the lines."""
        head = reader.head.decode("utf-8", "replace")
        lines = [line.rstrip("\r") for line in head.split("\n") if not line.isspace() and line][:SAMPLE]
        if not head or (self.labelled and not lines):
            raise InputError(f"texts were expected, but {name} is empty")
        if self.form:
            return self.form, False, lines, head
        return *recognise.form(kind, lines, self.labelled, bool(self.text or self.label)), lines, head

    def found(self, names: list[str], rows: recognise.Rows, where: str) -> tuple[str, str | None]:
        """Find the columns of text and label."""
        return recognise.columns(names, rows, self.text, self.label, self.labelled, where)

    def parquet(self, paths: list[str], name: str) -> Source:
        """Read Parquet."""
        from plainbayes.sources import tables

        table = tables.parquet(paths)
        found = self.found(table.names, table.rows(), name)
        return self.table(table.select([column for column in found if column]), found, name)

    def sheet(self, reader: Reader, head: str, form: str, name: str, paths: list[str]) -> Source:
        """Read CSV or TSV."""
        sheet = self.seen(head, form)
        found = self.found(sheet.names, sheet.rows, name)
        table, reader = self.opened(sheet, reader, form, paths)
        return self.table(table.select([column for column in found if column], found[0]), found, name, reader)

    def opened(self, sheet: Sheet, reader: Reader, form: str, paths: list[str]) -> tuple[Table, Reader]:
        """Open CSV or TSV; what is not UTF-8 on disk is copied so first."""
        from plainbayes.sources import tables

        for path in paths[1:]:
            other = self.seen(Reader([path], self.encoding).head.decode("utf-8", "replace"), form)
            if other.names != sheet.names:
                raise InputError(f"the columns of {paths[0]} were expected in {path}", f"there are {other.names}")
        plain = paths and reader.is_plain(all(path.endswith(_UNPACKED) for path in paths))
        kept = None
        if not plain:
            readers = [Reader([path], self.encoding) for path in paths] or [reader]
            kept = tables.Copies(readers)
            reader, paths = readers[0], kept.paths
        return tables.sheet(paths, sheet, kept), reader

    def seen(self, head: str, form: str) -> Sheet:
        """Look at the first lines of CSV or TSV."""
        from plainbayes.sources.tables import Sheet

        return Sheet(head, "\t" if form == "tsv" else None, [name for name in (self.text, self.label) if name])

    def table(self, table: Any, found: tuple[str, str | None], name: str, reader: Reader | None = None) -> Source:
        """Read two columns of something that speaks Arrow."""
        return Source.table(table, found, self.labelled, self.strict, name, reader)

    def frame(self, data: Any) -> dict[str, Any]:
        """Read all columns of a table."""
        if isinstance(data, str) and data == "-":
            reader, name, paths = Reader.stream(sys.stdin.buffer.read, "stdin", False, self.encoding), "stdin", []
        else:
            places = [os.fspath(place) for place in ([data] if isinstance(data, str | os.PathLike) else data)]
            paths = [path for place in places for path in _files(place)]
            name = paths[0]
            if (self.form or SUFFIXES.get(suffix(name))) == "parquet":
                from plainbayes.sources import tables

                return tables.parquet(paths).columns()
            reader = Reader(paths, self.encoding)
        form, _, _, head = self.recognised(reader, suffix(name), name)
        if form == "jsonl":
            return _objects(reader.rows("lines", labelled=False), name)
        if form == "lines" and any(delimiter in head.partition("\n")[0] for delimiter in ",;|"):
            form = "csv"
        sheet = self.seen(head, "tsv" if form == "tabbed" else form)
        if form not in ("csv", "tsv", "tabbed"):
            raise InputError(f"a table was expected, but {name} looks like {form}", "CSV, TSV, JSON lines or Parquet")
        return self.opened(sheet, reader, form, paths)[0].columns()

    def glance(self, data: Any) -> Columns:
        """Look at the columns."""
        names, rows = ["label", "text"], [["", "free text of some length"]]
        if isinstance(data, str | os.PathLike) and data != "-" and _kind(os.fspath(data)) != "folder":
            path = _files(os.fspath(data))[0]
            kind = suffix(path)
            if (self.form or SUFFIXES.get(kind)) == "parquet":
                from plainbayes.sources import tables

                table = tables.parquet([path])
                names, rows = table.names, table.rows()
            else:
                form, _, lines, head = self.recognised(Reader([path], self.encoding), kind, path)
                if form in ("csv", "tsv"):
                    sheet = self.seen(head, form)
                    names, rows = sheet.names, sheet.rows
                elif form == "jsonl":
                    names, rows = _keys(lines)
        text, label = recognise.guess(names, rows, self.text, self.label)
        return Columns(names, text, label, recognise.kind(names, rows, text, label))


def _objects(lines: Source, name: str) -> dict[str, list[Any]]:
    """Return JSON objects, one a line, as columns; what one of them lacks is missing."""
    import json

    rows = []
    for number, (_, line, _) in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(dict(json.loads(line)))
        except (TypeError, ValueError):
            raise InputError(f"a JSON object was expected in line {number} of {name}, got {line!r:.60}") from None
    return {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}


def _keys(lines: list[str]) -> tuple[list[str], recognise.Rows]:
    """Return the keys of some JSON objects and their values; a line that is none is told of when it is read."""
    import json

    objects = []
    for line in lines:
        try:
            objects.append(dict(json.loads(line)))
        except (TypeError, ValueError):
            continue
    names = list(dict.fromkeys(name for one in objects for name in one))
    return names or ["text", "label"], [[str(one.get(name, "")) for name in names] for one in objects]


def _match(pattern: str, name: str) -> str | None:
    import re

    try:
        match = re.search(pattern, name)
    except re.error as error:
        raise InputError(f"label_from must be a regular expression, got {pattern!r}: {error}") from None
    return match and (match[1] if match.re.groups else match[0])


def _kind(place: str) -> str | None:
    """Whether there is a file or a folder; None: neither."""
    try:
        with os.scandir(place):
            return "folder"
    except NotADirectoryError:
        return "file"
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}") from None


def _files(place: str) -> list[str]:
    """List a file, what a pattern stands for, or the files in a folder and those in it; hidden ones are left out."""
    kind = _kind(place)
    if kind == "file":
        return [place]
    if kind is None:
        from glob import glob

        files = [path for path in sorted(glob(place, recursive=True)) if _kind(path) == "file"]
        if not files:
            raise InputError(f"a file was expected, but there is no {place}", "check the path")
        return files
    files = []
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [f"{folder.rstrip(os.sep)}{os.sep}{name}" for name in sorted(names) if not name.startswith(".")]
    if not files:
        raise InputError(f"texts were expected, but there is no file in {place}")
    return files
