"""Whatever holds texts, as rows on their way into a model: files, folders, lists, frames.

Rows are read and cut in Rust, a megabyte at a time; here it is only decided what is what. A cold
`plainbayes predict` comes through here, so nothing is imported that a plain file of lines does not need.
"""

from __future__ import annotations

import os
import sys

from plainbayes._core import Reader, Source
from plainbayes.errors import InputError, listed, shown

# As in typing, which would take longer to import than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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

_PACKED = (".gz", ".zst", ".zstd")
_SUFFIXES = {"jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl", "csv": "csv", "parquet": "parquet", "pq": "parquet"}
_KNOWN = 'label<TAB>text, "__label__x text", JSONL, CSV and Parquet are recognised; format="..." names one'
# What recognising a format looks at.
_SAMPLE = 200
_LONGEST_LABEL = 64


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
        if column is not None and not hasattr(column, "__iter__"):
            raise InputError(f"{what} were expected, got {column!r:.60}")
        if what != "texts" and hasattr(column, "__len__") and hasattr(texts, "__len__") and len(column) != len(texts):
            message = f"one {what[:-1]} per row was expected, got {len(column)} for {len(texts)} rows"
            raise InputError(message)
    return Source.rows_of(_items(texts), _items(labels), _items(weights), _named)


def _items(column: Any) -> Any:
    """Python values of a column; arrays in slices, since their own scalars cost ten times as much."""
    dimensions = getattr(column, "ndim", 1)
    if dimensions != 1:
        raise InputError(f"a column was expected, got {dimensions} dimensions")
    if not hasattr(column, "tolist") or not hasattr(column, "dtype") or hasattr(column, "iloc"):
        return column
    slices = (column[start : start + 4096].tolist() for start in range(0, len(column), 4096))
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
    return int(label) if isinstance(label, bool | float) and label == int(label) else label


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
    format: str | None = None,  # noqa: A002
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
    if format not in (None, *FORMATS):
        raise InputError(f"a format was expected, got {format!r}", ", ".join(FORMATS))
    wish = _Wish(text, label, format, labelled, strict, encoding)
    if isinstance(data, str) and data == "-":
        return wish.stream(
            getattr(sys.stdin, "buffer", sys.stdin), "stdin", prompt=not labelled and format in (None, "lines")
        )
    if hasattr(data, "read"):
        return wish.stream(data, str(getattr(data, "name", "the stream")))
    places = [data] if isinstance(data, str | os.PathLike) else list(data)
    if not places:
        raise InputError("a file was expected, got an empty list")
    if label_from is not None or format == "folder":
        return wish.each([path for place in places for path in _files(os.fspath(place))], label_from)
    sources = [source for place in places for source in wish.place(os.fspath(place))]
    return sources[0] if len(sources) == 1 else Source.chain(sources)


class _Wish:
    """What the user has said of the rows: everything but where they are."""

    def __init__(
        self,
        text: str | None,
        label: str | None,
        form: str | None,
        labelled: bool,
        strict: bool,
        encoding: str | None,
    ) -> None:
        self.text, self.label, self.form = text, label, form
        self.labelled, self.strict, self.encoding = labelled, strict, encoding

    def place(self, place: str) -> list[Source]:
        """Read a file, a folder, or what a pattern stands for."""
        kind = _kind(place)
        if kind == "folder":
            return [self.folder(place)]
        files = [place] if kind == "file" else _matches(place)
        runs: dict[str, list[str]] = {}
        for file in files:
            runs.setdefault(_suffix(file), []).append(file)
        return [self.files(paths, suffix) for suffix, paths in runs.items()]

    def folder(self, folder: str) -> Source:
        """Read a folder with a sub-folder per class, or with files of rows."""
        files = _files(folder)
        inner = [path for path in files if os.sep in path[len(folder) :].strip(os.sep)]
        if inner:
            start = len(folder.rstrip(os.sep)) + 1
            pairs: list[tuple[str | None, str]] = [(path[start:].partition(os.sep)[0], path) for path in inner]
            return Source.folder(pairs, self.encoding, self.labelled, self.strict)
        suffixes = {_suffix(path) for path in files}
        if suffixes <= {*_SUFFIXES, "tsv", "tab"} and len(suffixes) == 1:
            return self.files(files, suffixes.pop())
        if self.labelled:
            raise InputError(
                f"a sub-folder for each class was expected, but {folder} holds only files",
                'label_from="^[a-z]+" takes the class from the beginning of their names',
            )
        return self.each(files, None)

    def each(self, files: list[str], label_from: str | None) -> Source:
        """Read a text from each file; its name, or its folder's, says the label."""
        if label_from is None:
            pairs = [(os.path.basename(os.path.dirname(file)) or None, file) for file in files]  # noqa: PTH119, PTH120
        else:
            pairs = [(_found(label_from, file.rsplit(os.sep, 1)[-1]), file) for file in files]
        return Source.folder(pairs, self.encoding, self.labelled, self.strict)

    def files(self, paths: list[str], suffix: str) -> Source:
        """Read files that are of one format, the one the first seems to have."""
        return self.rows(Reader(paths, self.encoding), suffix, listed(paths, 1).strip("'"))

    def stream(self, file: Any, name: str, prompt: bool = False) -> Source:
        """Read an open file; if prompt, row by row as they come."""
        read = getattr(file, "read1", file.read) if prompt else file.read
        reader = Reader.stream(read, name, prompt, self.encoding)
        if prompt:
            return reader.rows("lines", labelled=False)
        return self.rows(reader, _suffix(name), name)

    def rows(self, reader: Reader, suffix: str, name: str) -> Source:
        """Decide on the format."""
        head = reader.head
        if not head:
            raise InputError(f"texts were expected, but {name} is empty")
        lines = [line.rstrip("\r") for line in head.decode("utf-8", "replace").split("\n") if line.strip()][:_SAMPLE]
        form, header = (self.form, False) if self.form else self.recognised(suffix, lines)
        if self.labelled and (form == "lines" or not lines):
            raise InputError(f"labels were expected, but {name} has none", _KNOWN)
        keys = self.keys(lines, name) if form == "jsonl" else None
        return reader.rows(form, keys, labelled=self.labelled, strict=self.strict, header=header)

    def recognised(self, suffix: str, lines: list[str]) -> tuple[str, bool]:
        """Name the format, and say whether the first line is a header."""
        if suffix in _SUFFIXES:
            return _SUFFIXES[suffix], False
        if lines and lines[0].startswith("{"):
            return "jsonl", False
        if any(line.startswith("__label__") for line in lines):
            return "fasttext", False
        tabs = [line.split("\t") for line in lines if "\t" in line]
        if not tabs or (suffix == "txt" and not self.labelled):
            return "lines", False
        names = [name.strip().lower() for name in lines[0].split("\t")]
        if self.text or self.label or _header(names, self.labelled):
            simple = len(names) == 2 and names[0] in LABEL and names[1] in TEXT and not (self.text or self.label)
            quoted = any(field.startswith('"') for fields in tabs for field in fields)
            return ("tabbed", True) if simple and not quoted else ("tsv", False)
        return ("tabbed" if self.labelled or _labels(tabs, lines) else "lines"), False

    def keys(self, lines: list[str], name: str) -> tuple[str, str | None]:
        """Find the keys of text and label in some JSON objects."""
        import json

        names: dict[str, None] = {}
        for line in lines:
            try:
                names.update(dict.fromkeys(json.loads(line)))
            except (TypeError, ValueError):
                continue
        return self.columns(list(names), name)

    def columns(self, names: list[str], where: str) -> tuple[str, str | None]:
        """Find the columns of text and label among those there are."""
        for given in (self.text, self.label):
            if given is not None and given not in names:
                raise InputError(f"no column {given!r} in {where}", f"there are {listed(names, 20)}")
        label = self.label or _first(names, LABEL, self.text)
        text = self.text or _first(names, TEXT, label) or _only(names, label)
        label = label or _only(names, text)
        if text is None or (self.labelled and label is None):
            what = "text" if text is None else "label"
            raise InputError(
                f"a column of {what}s was expected in {where}, got {listed(names, 20)}", f'name it with {what}="..."'
            )
        return text, label


def _first(names: list[str], wanted: tuple[str, ...], taken: str | None) -> str | None:
    lower = {name.lower(): name for name in names if name != taken}
    return next((lower[name] for name in wanted if name in lower), None)


def _only(names: list[str], taken: str | None) -> str | None:
    rest = [name for name in names if name != taken]
    return rest[0] if len(rest) == 1 else None


def _header(names: list[str], labelled: bool) -> bool:
    text, label = any(name in TEXT for name in names), any(name in LABEL for name in names)
    return text and (label or not labelled) and all(name and " " not in name for name in names)


def _labels(tabs: list[list[str]], lines: list[str]) -> bool:
    """Whether what stands before the first tab looks like labels: always there, short, and one word or repeated."""
    first = [fields[0] for fields in tabs]
    short = len(tabs) == len(lines) and all(0 < len(field) <= _LONGEST_LABEL for field in first)
    return short and (not any(" " in field.strip() for field in first) or 2 * len(set(first)) <= len(first))


def _found(pattern: str, name: str) -> str | None:
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


def _matches(pattern: str) -> list[str]:
    from glob import glob

    files = [path for path in sorted(glob(pattern, recursive=True)) if _kind(path) == "file"]  # noqa: PTH207
    if not files:
        raise InputError(f"a file was expected, but there is no {pattern}", "check the path")
    return files


def _files(place: str) -> list[str]:
    """List the files in a folder and the folders in it, in order; hidden ones are left out."""
    kind = _kind(place)
    if kind != "folder":
        return [place] if kind else _matches(place)
    files = []
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files += [f"{folder.rstrip(os.sep)}{os.sep}{name}" for name in sorted(names) if not name.startswith(".")]
    if not files:
        raise InputError(f"texts were expected, but there is no file in {place}")
    return files


def _suffix(path: str) -> str:
    """Name the kind of a file as its name does: "tsv" for data.tsv.gz."""
    name = path.rsplit(os.sep, 1)[-1].lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return name.rsplit(".", 1)[-1] if "." in name else ""
