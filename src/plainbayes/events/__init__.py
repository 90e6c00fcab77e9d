"""Event models, one file each; the folder is the registry.

A new file with one subclass of Event named like the file (student_t.py: StudentT) is all it takes.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

from plainbayes.errors import InputError, listed
from plainbayes.event import Event


def names() -> list[str]:
    """The names of all event models: the files of this folder."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def named(name: str, **beliefs: Any) -> Event:
    """Make the event of that name.

    >>> named("poisson", alpha=0.5)
    Poisson(alpha=0.5, beta=1.0)
    """
    if name not in names():
        raise InputError(f"no event is called {name!r}", f"there are {listed(names(), 99)}")
    event: Event = getattr(import_module(f"{__name__}.{name}"), _class(name))(**beliefs)
    return event


def _class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def __getattr__(name: str) -> Any:
    files = {_class(file): file for file in names()}
    if name not in files:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{files[name]}"), name)


def __dir__() -> list[str]:
    return ["named", "names", *map(_class, names())]


__all__ = __dir__()
