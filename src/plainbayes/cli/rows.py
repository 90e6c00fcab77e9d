"""Rows that commands read, and what there is to say about them afterwards."""

from __future__ import annotations

import os
import sys

from plainbayes.cli.terminal import note, number, plain, progress
from plainbayes.errors import InputError

TYPE_CHECKING = False  # what is imported here is paid for by every start
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from plainbayes._core import Source
    from plainbayes.storage.file import File
    from plainbayes.trust import Folds


def read(options: Namespace, data: Sequence[str], labelled: bool = True, of: File | None = None) -> Source:
    """Return the rows of files, as the options say; those of a table as the model in a file reads them."""
    from plainbayes import sources

    if of is not None and of.metadata["kind"] == "table":
        from plainbayes.cli import tabled

        return tabled.labelled(options, of, data)

    return sources.read(
        data[0] if len(data) == 1 else list(data),
        text=options.text_column,
        label=getattr(options, "label_column", None),
        format=options.format,
        label_from=getattr(options, "label_from", None),
        labelled=labelled,
        strict=getattr(options, "strict", False),
        encoding=options.encoding,
    )


def grouped(options: Namespace) -> Folds | None:
    """Return the folds of texts by the column of --groups, if there is one; the files are read once more for it."""
    if options.groups is None:
        return None
    if options.text_column is None or "-" in options.data:
        raise InputError(
            "--groups needs files, which are read twice, and the name of the column with the text",
            "as in --text body --label folder --groups author",
        )
    from plainbayes import sources
    from plainbayes.trust import Folds

    rows = sources.read(
        options.data[0] if len(options.data) == 1 else list(options.data),
        text=options.text_column,
        label=options.groups,
        format=options.format,
        encoding=options.encoding,
    )
    return Folds.grouped(rows)


class watched(progress):  # noqa: N801 - used like a function, as contextlib's are
    """Shows how far reading is (unless `quiet`), and in the end says what was odd about the rows."""

    def __init__(self, what: str, source: Source, quiet: bool = False) -> None:
        super().__init__(what, lambda: (source.bytes_read, source.total_bytes), quiet)
        self.source = source

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if error[0] is not None:
            return
        if self.source.encoding.lower() not in ("utf-8", ""):
            note(f"read as {self.source.encoding}")
        if self.source.skipped:
            note(f"{number(self.source.skipped, 'row')} without label or text skipped")


def replaced(stretches: int) -> None:
    """Say that not all was text."""
    if stretches:
        note(f"{number(stretches, 'stretch', 'stretches')} of invalid UTF-8 replaced")


def one_text(given: str | None, encoding: str | None) -> str:
    """Return the text given as an argument, or all of stdin, in this charset or what it looks like."""
    if given is not None:
        return argument(given)
    from plainbayes import sources

    invite("reading a text from the terminal; end it with ctrl-D")
    source = sources.read("-", format="lines", labelled=False, encoding=encoding)
    text = "\n".join(text for _, text, _ in source)
    replaced(source.replaced)
    if not text.strip():
        raise InputError("a text was expected, got nothing")
    return text


def argument(text: str) -> str:
    """Return an argument with bytes that were no UTF-8 replaced; one that is the name of a file may be a mistake."""
    mistaken([text])
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def mistaken(texts: Sequence[str]) -> None:
    """Say so where a text is the name of a file."""
    for text in texts:
        if len(text) < 256 and " " not in text and os.access(text, os.F_OK):
            note(f"{plain(text)} is taken for a text, though there is such a file: -i reads files, - is stdin")


def invite(words: str) -> None:
    """Tell a person at the terminal that it is their turn."""
    if sys.stdin.isatty():
        note(words)
