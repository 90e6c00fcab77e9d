"""Arguments read by argparse: with help, and a sentence for every mistake."""

from __future__ import annotations

import argparse
from types import ModuleType
from typing import NoReturn

from plainbayes.cli import summary
from plainbayes.errors import InputError


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are sentences like all others."""

    def error(self, message: str) -> NoReturn:
        raise InputError(message, f"{self.prog} --help")


def parser_of(name: str, command: ModuleType) -> Parser:
    """Return the parser of a command, with its help and examples."""
    examples = "".join(f"  {line}\n" for line in command.EXAMPLES.strip().splitlines())
    parser = Parser(
        prog=f"plainbayes {name}",
        description=f"{summary(name)}.\n{getattr(command, 'MORE', '')}",
        epilog=f"examples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    return parser


def parsed(name: str, command: ModuleType, arguments: list[str]) -> argparse.Namespace:
    """Return the options given to a command."""
    return parser_of(name, command).parse_intermixed_args(arguments)  # texts may follow options
