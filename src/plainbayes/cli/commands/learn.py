"""Learn more texts into a model that is there."""

from __future__ import annotations

from argparse import Namespace

from plainbayes.cli.change import arguments as arguments
from plainbayes.cli.change import changed

MORE = """
Classes and words may be new. The file is replaced at once or not at all, and two that learn at the same time wait
for each other. With --label, TEXT (or all of stdin) is one text of that class; else DATA has labels of its own."""

EXAMPLES = """
plainbayes learn mail.bayes more.tsv
plainbayes learn mail.bayes --label spam "cheap pills, buy now"
plainbayes learn mail.bayes --label ham < message.txt
"""


def run(options: Namespace) -> int:
    """Learn."""
    return changed(options, "learn")
