"""Rows that commands read, and what there is to say about them afterwards."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plainbayes.cli.terminal import note, number, progress

if TYPE_CHECKING:
    from plainbayes._core import Source


def read(options: Namespace, data: Sequence[str], labelled: bool = True) -> Source:
    """Return the rows of files, as the options say."""
    from plainbayes import sources

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


@contextmanager
def watched(what: str, source: Source, quiet: bool = False) -> Iterator[None]:
    """Show how far reading is (unless `quiet`), and in the end say what was odd about the rows."""
    with progress(what, lambda: (source.bytes_read, source.total_bytes), quiet):
        yield
    if source.encoding.lower() not in ("utf-8", ""):
        note(f"read as {source.encoding}")
    if source.skipped:
        note(f"{number(source.skipped, 'row')} without label skipped")


def replaced(stretches: int) -> None:
    """Say that not all was text."""
    if stretches:
        note(f"{number(stretches, 'stretch', 'stretches')} of invalid UTF-8 replaced")


def one_text(given: str | None) -> str:
    """Return the text given as an argument, or all of stdin."""
    if given is not None:
        return argument(given)
    invite("reading a text from the terminal; end it with ctrl-D")
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def argument(text: str) -> str:
    """Return an argument with bytes that were no UTF-8 replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def invite(words: str) -> None:
    """Tell a person at the terminal that it is their turn."""
    if sys.stdin.isatty():
        note(words)
