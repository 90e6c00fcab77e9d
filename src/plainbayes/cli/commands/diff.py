"""Compare two models: classes, texts, and the words that differ most."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import numpy as np

from plainbayes.cli import arguments as add
from plainbayes.cli.models import Counted
from plainbayes.cli.terminal import columns, number, padded, plain
from plainbayes.cli.written import written
from plainbayes.documents import load
from plainbayes.errors import InputError
from plainbayes.telling import apart, log_odds

MORE = """
Words of a class are in the order of how far apart their shares are in both models; nats are the log ratio of the
share in B to that in A."""

EXAMPLES = """
plainbayes diff monday.bayes tuesday.bayes
plainbayes diff monday.bayes tuesday.bayes -n 5 --json
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("one", metavar="A", help="a model")
    parser.add_argument("other", metavar="B", help="another model")
    parser.add_argument("-n", "--most", metavar="N", type=add.positive, default=10, help="so many words a class (10)")
    add.machine(parser)


def run(options: Namespace) -> int:
    """Compare."""
    one, other = (load(path) for path in (options.one, options.other))
    if one.about.get("kind") != other.about.get("kind"):
        raise InputError("two models of texts, or of tables, were expected, got one of each")
    found = compared(Counted.of(one), Counted.of(other), options.most)
    print(written(found) if options.json else shown(found))
    return 0


def compared(one: Counted, other: Counted, most: int) -> dict[str, Any]:
    """Return what differs."""
    words = list(dict.fromkeys([*one.words, *other.words]))
    places = {word: place for place, word in enumerate(words)}
    rows, same = {}, True
    for label in dict.fromkeys([*one.classes, *other.classes]):
        a, b = (counts.aligned(label, places) for counts in (one, other))
        sizes = a.sum(), b.sum(), len(words)
        distance, nats = apart(a, b, *sizes), log_odds(b, a, sizes[1], sizes[0], sizes[2])
        order = [int(at) for at in np.argsort(-distance, kind="stable")[:most] if a[at] != b[at]]
        texts = [counts.texts(label) for counts in (one, other)]
        same = same and texts[0] == texts[1] and bool((a == b).all())
        rows[label] = {
            "texts": texts,
            "words": [
                {"word": words[at], "counts": [float(a[at]), float(b[at])], "nats": float(nats[at])} for at in order
            ],
        }
    return {
        "same": same,
        "vocabulary": [len(one.words), len(other.words)],
        "only_in_a": len(words) - len(other.words),
        "only_in_b": len(words) - len(one.words),
        "classes": rows,
    }


def shown(found: dict[str, Any]) -> str:
    """Return what differs, to be read."""
    if found["same"]:
        return "no difference"
    a, b = found["vocabulary"]
    lines = [f"words: {a:,} and {b:,}, {found['only_in_a']:,} only in A, {found['only_in_b']:,} only in B"]
    for label, row in found["classes"].items():
        first, second = row["texts"]
        lines += ["", f"{plain(label)}: {first:,g} and {number(second, 'text')}"]
        width = max((columns(plain(each["word"])) for each in row["words"]), default=0)
        for each in row["words"]:
            a, b = each["counts"]
            lines.append(f"  {padded(plain(each['word']), width)}  {each['nats']:+7.3f}  {a:>9,g} {b:>9,g}")
    return "\n".join(lines)
