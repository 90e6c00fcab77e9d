"""Add models up: the sum is what learning everything at once would have given."""

from __future__ import annotations

from argparse import Namespace
from functools import reduce
from operator import add as plus

from plainbayes.cli import arguments as add
from plainbayes.cli.terminal import note, number
from plainbayes.cli.written import written
from plainbayes.documents import load

EXAMPLES = """
plainbayes merge monday.bayes tuesday.bayes -o week.bayes
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("models", metavar="MODEL", nargs="+", help="the models to add up")
    add.output(parser, "the model to write", required=True)
    add.machine(parser)


def run(options: Namespace) -> int:
    """Add up."""
    total = reduce(plus, map(load, options.models))
    total.save(options.output)
    if options.json:
        print(written({"model": options.output, "texts": total.learned, "classes": list(map(str, total.classes))}))
    note(f"merged {number(len(options.models), 'model')}: {number(len(total.classes), 'class', 'classes')}")
    return 0
