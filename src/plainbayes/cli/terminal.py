"""What people see: colours and a progress bar, on terminals only; NO_COLOR and TERM=dumb are honoured."""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # what is imported here is paid for by every start
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event
    from typing import Self, TextIO

PATIENCE = 0.5  # seconds of work that nobody needs to be told about
STYLES = {"bold": "1", "dim": "2", "for": "34", "against": "33"}


def colourful(stream: TextIO) -> bool:
    """Whether colours make sense there."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, style: str, stream: TextIO) -> str:
    """Return the text in a style, where that shows."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colourful(stream) else text


def note(text: str) -> None:
    """Say something in passing."""
    print(text, file=sys.stderr)


def number(count: float, one: str, many: str | None = None) -> str:
    """Spell out how many there are of something.

    >>> number(1, "row"), number(1234, "row"), number(0, "class", "classes"), number(2.5, "text")
    ('1 row', '1,234 rows', '0 classes', '2.5 texts')
    """
    shown = f"{count:,.0f}" if count == round(count) else f"{count:,.6g}"
    return f"{shown} {one if count == 1 else many or one + 's'}"


def plain(text: str) -> str:
    r"""Return a text that neither breaks a line nor steers a terminal.

    >>> print(plain("two\nlines\t\x1b[31mred"))
    two\nlines\t\x1b[31mred
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class progress:  # noqa: N801 - used like a function, as contextlib's are
    """Shows how far a long work is: bytes done, and all there are if that is known. Quick work shows nothing."""

    def __init__(self, what: str, done: Callable[[], tuple[int, int | None]], quiet: bool = False) -> None:
        self.what, self.done, self.quiet = what, done, quiet or not colourful(sys.stderr)

    def now(self, what: str) -> None:
        """Say that something else is being done."""
        self.what = what

    def __enter__(self) -> Self:
        if not self.quiet:
            from threading import Event, Thread

            self.finished = Event()
            self.shower = Thread(target=_show, args=(self, self.finished), daemon=True)
            self.shower.start()
        return self

    def __exit__(self, *error: object) -> None:
        if not self.quiet:
            self.finished.set()
            self.shower.join()


def _show(work: progress, finished: Event) -> None:
    begin = time.monotonic()
    pause = PATIENCE
    while not finished.wait(pause):
        pause = 0.1
        here, whole = work.done()
        sys.stderr.write("\r\x1b[2K" + bar(work.what, here, whole, time.monotonic() - begin))
        sys.stderr.flush()
    if pause < PATIENCE:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


def bar(what: str, here: int, whole: int | None, seconds: float) -> str:
    """Draw how far a work is.

    >>> bar("learning", 50_000_000, 200_000_000, 0.5)
    'learning  ━━━━━───────────────   25%  50 of 200 MB  100 MB/s'
    >>> bar("learning", 50_000_000, None, 0.5)
    'learning  50 MB  100 MB/s'
    >>> bar("weighing words", 50_000_000, 50_000_000, 12.4), bar("reading", 0, None, 3.0)
    ('weighing words  12 s', 'reading  3 s')
    """
    if here == (whole or 0):  # all is read, or nobody knows how much is
        return f"{what}  {seconds:.0f} s"
    speed = f"{here / 1e6 / seconds:.0f} MB/s"
    if not whole:
        return f"{what}  {here / 1e6:.0f} MB  {speed}"
    share = min(here / whole, 1.0)
    drawn = "━" * round(20 * share)
    return f"{what}  {drawn:─<20}  {share:4.0%}  {here / 1e6:.0f} of {whole / 1e6:.0f} MB  {speed}"


def padded(text: str, width: int) -> str:
    """Fill up with spaces to so many columns; Han, kana and the like take two each.

    >>> padded("молоко", 8) + "|", padded("牛奶", 8) + "|"
    ('молоко  |', '牛奶    |')
    """
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
