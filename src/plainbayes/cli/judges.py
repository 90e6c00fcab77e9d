"""Texts given as arguments, and the names of classes. On the way of every cold predict: quick to import."""

from __future__ import annotations

from plainbayes import sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plainbayes._core import Judge, Source


def texts_of(arguments: list[str]) -> Source:
    """Return texts that were given as arguments; bytes that are no UTF-8 are replaced."""
    return sources.texts(
        [argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for argument in arguments]
    )


def labels_of(judge: Judge) -> list[str]:
    """Return the classes as they are shown; one that is no text is named by a zero byte and how Python writes it."""
    return [name.removeprefix("\0") for name in judge.classes]
