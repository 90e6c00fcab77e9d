"""Options read without argparse, whose import takes as long as starting Python.

Commands declare their options to anything that has argparse's `add_argument`. This reader takes what is plainly
written; whatever it is not sure of (help, mistakes, --name=value) is left to argparse, which has the words for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class Options:
    """The options given, as argparse's Namespace has them."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.__dict__.update(given)


class Reader:
    """What a command declares, and how it is read."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}
        self.options: dict[str, dict[str, Any]] = {}
        self.arguments: list[dict[str, Any]] = []
        self.missing: set[str] = set()

    def add_argument_group(self, title: str) -> Reader:
        """Declare options that are shown together."""
        return self

    def add_argument(self, *names: str, **declared: Any) -> None:
        """Declare an option or an argument."""
        long = next((name for name in names if name.startswith("--")), names[0])
        home = declared.setdefault("dest", long.lstrip("-").replace("-", "_"))
        self.given[home] = declared.get("default", False if declared.get("action") == "store_true" else None)
        if declared.get("required") or declared.get("nargs") == "+":
            self.missing.add(home)
        if names[0].startswith("-"):
            self.options |= dict.fromkeys(names, declared)
        else:
            self.arguments.append(declared)

    def read(self, words: list[str]) -> Options:
        """Read the options given; any error says that this is not for us."""
        free = []
        rest = iter(words)
        for word in rest:
            if word == "-" or not word.startswith("-"):
                free.append(word)
            else:
                self.option(self.options[word], rest)
        for argument in self.arguments:
            if argument.get("nargs") in ("*", "+"):
                self.put(argument, free)
                free = []
            elif free or argument.get("nargs") is None:
                self.put(argument, free.pop(0))
        if free or self.missing:
            raise ValueError
        return Options(self.given)

    def option(self, declared: dict[str, Any], rest: Any) -> None:
        """Read an option and its value."""
        action = declared.get("action")
        if action == "store_true":
            return self.put(declared, True)
        text = next(rest)
        if (text.startswith("-") and text != "-") or text not in declared.get("choices", [text]):
            raise ValueError
        value = declared.get("type", str)(text)
        return self.put(declared, [*(self.given[declared["dest"]] or []), value] if action == "append" else value)

    def put(self, declared: dict[str, Any], value: Any) -> None:
        """Keep a value."""
        self.given[declared["dest"]] = value
        if value != []:
            self.missing.discard(declared["dest"])


def options(command: ModuleType, words: list[str]) -> Options | None:
    """Return the options given to a command, or None where argparse should look at them."""
    reader = Reader()
    command.arguments(reader)
    try:
        return reader.read(words)
    except Exception:
        return None
