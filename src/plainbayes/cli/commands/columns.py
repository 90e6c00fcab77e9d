"""Show what a table's columns hold, and how much each tells of the target."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

import numpy as np

from plainbayes.cli import arguments as add
from plainbayes.cli import tabled
from plainbayes.cli.written import written
from plainbayes.tables import TableClassifier, TableRegressor

MORE = """
Kinds are found by looking: category, count, nonnegative, real, date, text, identifier, constant. What a column tells
by itself is in nats a row, each row judged without itself: 0 is nothing. train --kinds 'zip=category' knows better.
--events also names the distribution under which the numbers of a column are likeliest, each left out, with what it
would tell; what speaks in a model are ranges, to which train lends as many rows of that event as predict best."""

EXAMPLES = """
plainbayes columns shop.csv --label bought
plainbayes columns shop.csv --label bought --json
plainbayes columns shop.csv --label bought --events
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="a table: CSV, TSV, JSON lines or Parquet")
    parser.add_argument("--kinds", metavar="KINDS", help="what columns hold: 'zip=category, number=identifier'")
    parser.add_argument("--events", action="store_true", help="also find the distribution that suits each column")
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Look and tell."""
    options.effort, options.prior, options.target = "plain", None, None
    model, _ = tabled.trained(options, lambda _: None)
    assert isinstance(model, TableClassifier | TableRegressor)
    if options.events:
        _, columns, values = tabled.parted(options, tabled.frame(options, options.data), model.target)
        model.findings = model.suited(columns, np.array(tabled.labels(model, values)))
    if options.json:
        print(written([asdict(finding) for finding in model.findings]))
    else:
        tabled.write(tabled.columns_shown(model))
    return 0
