"""List the words that tell a class from the others."""

from __future__ import annotations

from argparse import Namespace

from plainbayes.cli import arguments as add
from plainbayes.cli.models import Counted, class_called
from plainbayes.cli.terminal import columns, padded, plain
from plainbayes.cli.written import written
from plainbayes.documents import load

MORE = """
Nats are the log ratio of a word's share in the class to its share in all others. Words are in the order of
that times their share: a word that is only rare says little, however one-sided it is."""

EXAMPLES = """
plainbayes words mail.bayes
plainbayes words mail.bayes spam -n 50 --json
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("label", metavar="CLASS", nargs="?", help="one class (all)")
    parser.add_argument("-n", "--most", metavar="N", type=add.positive, default=20, help="so many words each (20)")
    add.machine(parser)


def run(options: Namespace) -> int:
    """List."""
    model = load(options.model)
    labels = list(model.classes) if options.label is None else [class_called(model, options.label)]
    counts = Counted.of(model)
    found = {str(label): counts.telling(str(label), options.most) for label in labels}
    if options.json:
        print(written({label: [_named(row) for row in rows] for label, rows in found.items()}))
        return 0
    for place, (label, rows) in enumerate(found.items()):
        if len(found) > 1:
            print("\n" * (place > 0) + plain(label))
        width = max((columns(plain(word)) for word, _, _ in rows), default=0)
        for word, nats, count in rows:
            print(f"  {padded(plain(word), width)}  {nats:+7.3f}  {count:>9,g}")
    return 0


def _named(row: tuple[str, float, float]) -> dict[str, object]:
    return dict(zip(("word", "nats", "count"), row, strict=True))
