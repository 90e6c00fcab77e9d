"""The command line. Data go to stdout, talk to stderr; exit 0 done, 1 a negative answer, 2 wrong use or input.

The folder `commands` is the list of commands: a file each, of which only the one asked for is imported, and its
first line says what it does. A cold `plainbayes predict MODEL TEXT` is ready before NumPy would be imported.
"""

from __future__ import annotations

import os
import sys

from plainbayes.errors import InputError, PlainbayesError

TYPE_CHECKING = False  # importing typing takes as long as the rest of this file
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

FOLDER = os.path.join(os.path.dirname(__file__), "commands")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; a mistake is a sentence on stderr, never a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        for stream in (sys.stdout, sys.stderr):
            # They are text wrappers, which typeshed does not promise.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        code = run(arguments)
        sys.stdout.flush()
        return code
    except PlainbayesError as error:
        complain(error.message, error.hint)
    except BrokenPipeError:  # whoever read our output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        complain(f"{(error.strerror or str(error)).lower()}{where}")
    except KeyboardInterrupt:
        return 130
    except SystemExit as done:  # argparse, when it has shown its help
        return int(done.code or 0)
    except MemoryError:
        complain("out of memory")
    except Exception as error:
        if "PLAINBAYES_TRACEBACK" in os.environ:
            raise
        complain(
            f"this should not have happened: {type(error).__name__}: {error}",
            "please report it with what PLAINBAYES_TRACEBACK=1 shows",
        )
    return 2


def run(arguments: list[str]) -> int:
    """Run the command that the first argument names."""
    name = arguments[0] if arguments else ""
    if name in ("", "-h", "--help", "help"):
        print(usage(), file=sys.stdout if name else sys.stderr)
        return 0 if name else 2
    if name in ("-V", "--version"):
        from plainbayes import __version__

        print(f"plainbayes {__version__}")
        return 0
    command = imported(name)
    from plainbayes.cli import quick

    options: Any = quick.options(command, arguments[1:])
    if options is None:
        from plainbayes.cli.parser import parsed

        options = parsed(name, command, arguments[1:])
    if getattr(options, "threads", None) is not None:
        os.environ["PLAINBAYES_THREADS"] = str(options.threads)
    return int(command.run(options))


def names() -> list[str]:
    """Return the names of all commands."""
    return sorted(file[:-3] for file in os.listdir(FOLDER) if file.endswith(".py") and file[0] != "_")


def imported(name: str) -> ModuleType:
    """Return the module of a command."""
    if not name.isidentifier() or name not in names():
        from difflib import get_close_matches

        near = get_close_matches(name, names(), 1)
        raise InputError(f"there is no command {name!r}", f"did you mean {near[0]}?" if near else "plainbayes --help")
    return __import__(f"plainbayes.cli.commands.{name}", fromlist=["run"])


def summary(name: str) -> str:
    """Return what a command does, in a sentence: the first line of its file, which is not imported for it."""
    with open(os.path.join(FOLDER, f"{name}.py"), encoding="utf-8") as file:
        return file.readline().strip().strip('"').rstrip(".")


def usage() -> str:
    """Return the list of commands."""
    lines = ["usage: plainbayes COMMAND ...", "", "Naive Bayes, from a word count to a decision you can trust.", ""]
    lines += [f"  {name:<9} {summary(name)}" for name in names()]
    return "\n".join([*lines, "", "plainbayes COMMAND --help says more, with examples."])


def complain(message: str, hint: str | None = None) -> None:
    """Say what is wrong, and what to do about it, on stderr."""
    print(f"plainbayes: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {spelled(hint)}", file=sys.stderr)


def spelled(hint: str) -> str:
    """Spell settings as options.

    >>> spelled('format="..." names one; label_from="^[a-z]+" takes it from names')
    "--format ... names one; --label-from '^[a-z]+' takes it from names"
    """
    import re

    def option(found: re.Match[str]) -> str:
        name, value = found[1].replace("_", "-"), found[2]
        return f"--{name} {value}" if value == "..." else f"--{name} '{value}'"

    return re.sub(r'\b([a-z_]+)="([^"]*)"', option, hint)
