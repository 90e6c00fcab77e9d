"""Fit anew how much a model trusts each word, to texts that it has learned."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from plainbayes.cli import arguments as add
from plainbayes.cli.commands.train import estimated, told
from plainbayes.cli.rows import grouped, read, replaced, watched
from plainbayes.cli.terminal import note, number
from plainbayes.cli.written import written
from plainbayes.documents import load
from plainbayes.storage import file

MORE = """
Learning and unlearning change counts, which are exact at any time; how much each word is trusted stays as it was
fitted. This fits it again. DATA should be the texts that the model has learned, or many of them."""

EXAMPLES = """
plainbayes refit mail.bayes mail.tsv
plainbayes refit mail.bayes mail.tsv -o fresh.bayes
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("data", metavar="DATA", nargs="+", help="rows with labels, learned before")
    add.output(parser, "write there, and leave MODEL as it is")
    add.groups(parser)
    add.threads(parser)
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Fit and save."""
    fitted = 0
    with file.locked(options.model):
        model = load(options.model)
        if model.about:
            from plainbayes.cli import tabled
            from plainbayes.tables import table_of

            table = table_of(model)
            _, columns, values = tabled.parted(options, tabled.frame(options, options.data), table.target)
            table.refit(columns, np.array(tabled.labels(table, values)))
        else:
            source = read(options, options.data)
            with watched("reading", source) as bar:
                fitted = model.refit_to(source, bar.now, grouped(options))
            replaced(source.replaced)
        model.save(options.output or options.model)
    about = told(model)
    if model.trust is not None and not model.about and (others := model.learned - fitted) > 0:
        note(f"{number(others, 'text')} learned before are not among these: if they are copies of them, expect less")
    if options.json:
        print(written({"model": options.output or options.model, **about}))
    for line in estimated(about):
        note(line)
    return 0
