"""What users can do wrong, in sentences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class PlainbayesError(Exception):
    """Base of all errors raised on purpose; the hint says what to do about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[PlainbayesError], tuple[str, str | None]]:
        return type(self), (self.message, self.hint)


class InputError(PlainbayesError, ValueError):
    """The data or a setting is not what was expected; nothing learned before has changed."""


class NeverLearnedError(InputError):
    """What should be unlearned was never learned; nothing has changed."""


class NotLearnedError(PlainbayesError):
    """An answer was asked of a model that has learned nothing yet."""


def listed(things: Iterable[object], most: int = 5) -> str:
    """Spell out the first few of many things, for a message.

    >>> listed(["a", "b"]), listed(range(9))
    ("'a', 'b'", '0, 1, 2, 3, 4 and 4 more')
    """
    all_things = list(things)
    first = ", ".join(map(repr, all_things[:most]))
    return first if len(all_things) <= most else f"{first} and {len(all_things) - most} more"


def shown(number: float) -> str:
    """Write a number in a message.

    >>> shown(3.0), shown(float("nan"))
    ('3', 'NaN')
    """
    return "NaN" if number != number else f"{number:g}"
