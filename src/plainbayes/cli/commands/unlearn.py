"""Take texts out of a model, as if they had never been learned."""

from __future__ import annotations

from argparse import Namespace

from plainbayes.cli.change import arguments as arguments
from plainbayes.cli.change import changed

MORE = """
Exit 1, and nothing changed, if some of it was never learned. With --label, TEXT (or all of stdin) is one text of that
class; else DATA has labels of its own."""

EXAMPLES = """
plainbayes unlearn mail.bayes --label spam "cheap pills, buy now"
plainbayes unlearn mail.bayes withdrawn.tsv -o smaller.bayes
"""


def run(options: Namespace) -> int:
    """Unlearn."""
    return changed(options, "unlearn")
