"""What is particular to a language: a file of data each; the folder is the registry.

A file has a NAME, the STEMMER of the Snowball project that suits it (or None), STOP, the words that only serve grammar,
parted by white space, and an EXAMPLE.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import NamedTuple


class Language(NamedTuple):
    """A language's own name, stemmer and stop words, and a sentence in it."""

    name: str
    stemmer: str | None
    stop: tuple[str, ...]
    example: str


@cache
def names() -> tuple[str, ...]:
    """The codes of all languages: the files of this folder."""
    import pkgutil  # 5 ms that a start without a language can do without

    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def named(code: str) -> Language:
    """Return the language with that code.

    >>> named("ru").stemmer
    'russian'
    """
    data = import_module(f"{__name__}.{code}")
    return Language(data.NAME, data.STEMMER, tuple(data.STOP.split()), data.EXAMPLE)
