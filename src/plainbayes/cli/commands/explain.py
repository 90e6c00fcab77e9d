"""Say word by word why a text is judged as it is, or cell by cell a row."""

from __future__ import annotations

import math
import sys
from argparse import Namespace
from typing import cast

from plainbayes.cli import arguments as add
from plainbayes.cli.models import class_called
from plainbayes.cli.rows import one_text, read
from plainbayes.cli.spread import Piece, loudest, named, spread
from plainbayes.cli.terminal import colourful, columns, padded, painted, plain
from plainbayes.cli.written import written
from plainbayes.documents import TextClassifier, load
from plainbayes.errors import InputError
from plainbayes.explain import Explanation
from plainbayes.storage import file
from plainbayes.text.analyzer import Analyzer

MORE = """
Shares are in nats: with the prior they add up to the log odds of the answer against the next best class. What stands
between ‹ and › is a run of characters, with ␣ for a space."""

EXAMPLES = """
plainbayes explain mail.bayes "cheap pills, buy now"
plainbayes explain mail.bayes "cheap pills, buy now" --against ham --json
plainbayes explain mail.bayes --html -o why.html < message.txt
plainbayes explain mail.bayes -i new.tsv --row 2
plainbayes explain shop.bayes 'device=phone, pages=7'
plainbayes explain shop.bayes -i shop.csv --row 3
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the text; else all of stdin")
    parser.add_argument("-i", "--input", metavar="FILE", help="rows, read as by predict; --row says which")
    parser.add_argument("--row", metavar="N", type=int, default=0, help="the row of -i to explain (0, the first)")
    parser.add_argument("--against", metavar="CLASS", help="explain against this class (the next best)")
    parser.add_argument("-n", "--most", metavar="N", type=add.positive, default=20, help="show so many words (20)")
    parser.add_argument("--html", action="store_true", help="answer with a page that colours the text")
    add.machine(parser)
    add.output(parser, "write there instead of to stdout")
    add.columns(parser, label=False)


def run(options: Namespace) -> int:
    """Explain."""
    model = load(options.model)
    if model.about:
        return row(options, model)
    text = given(options)
    why = model.explain(text, None if options.against is None else class_called(model, options.against))
    if options.json:
        answer = as_json(why)
    elif options.html:
        from plainbayes.cli.page import page

        answer = page(why, pieces(model, text, why))
    else:
        answer = shown(why, pieces(model, text, why), options.most)
    return answered(options, answer)


def given(options: Namespace) -> str:
    """Return the text to explain: an argument, a row of a file, or all of stdin."""
    if options.input is None:
        return one_text(options.text, options.encoding)
    if options.text is not None:
        raise InputError("a text or -i FILE was expected, got both")
    place = -1
    for place, (_, text, _) in enumerate(read(options, [options.input], labelled=False)):
        if place == options.row:
            return text
    raise _no_row(options, place + 1)


def _no_row(options: Namespace, count: int) -> InputError:
    return InputError(f"a row from 0 to {count - 1} was expected, got --row {options.row}")


def answered(options: Namespace, answer: str) -> int:
    """Write an answer to where it is wanted."""
    if options.output:
        file.put(options.output, answer.encode())
    else:
        sys.stdout.write(answer)
    return 0


def row(options: Namespace, model: TextClassifier) -> int:
    """Explain a row of a table, cell by cell."""
    from plainbayes.cli import tabled
    from plainbayes.tables import table_of

    table = table_of(model)
    if options.text is not None:
        rows = tabled.written_rows([options.text], table)
    else:
        every = tabled.frame(options, [options.input or "-"])
        count = len(next(iter(every.values()), []))
        if not 0 <= options.row < count:
            raise _no_row(options, count)
        rows = {name: cells[options.row : options.row + 1] for name, cells in every.items()}
    why = table.explain(rows, None if options.against is None else class_called(model, options.against))
    answer = as_json(why) if options.json else shown(why, [], options.most)
    if options.html:
        from plainbayes.cli.page import page

        answer = page(why, [])
    return answered(options, answer)


def pieces(model: TextClassifier, text: str, why: Explanation) -> list[Piece]:
    """Return the text in pieces, with what each says."""
    analyzer = cast(Analyzer, model.analyzer)
    longest = analyzer.ngrams if isinstance(analyzer.ngrams, int) else max(analyzer.ngrams)
    return spread(text, why, analyzer, max(longest, 2))


def as_json(why: Explanation) -> str:
    """Return an explanation as JSON."""
    shares = [{"feature": str(share.feature), "count": share.value, "nats": share.nats} for share in why.shares]
    return (
        written(
            {
                "label": str(why.label),
                "against": str(why.against),
                "probability": why.probability,
                "prior": why.prior,
                "bias": why.bias,
                "shares": shares,
                "total": why.total,
            }
        )
        + "\n"
    )


def shown(why: Explanation, pieces: list[Piece], most: int) -> str:
    """Return the text in colour, where colours show, and a table of what said most."""
    lines = []
    if colourful(sys.stdout):
        lines += ["".join(_coloured(piece, loudest(pieces)) for piece in pieces), ""]
    lines.append(f"{plain(str(why.label))} with probability {why.probability:.3f}")
    lines.append(f"log odds {plain(str(why.label))} : {plain(str(why.against))} = {why.total:+.3f}")
    if why.silent:
        lines.append("every class calls this impossible: the data say nothing, the prior decides")
    shares = sorted(why.shares, key=lambda share: -abs(share.nats))
    rows = [("prior", why.prior)] + ([("bias", why.bias)] if why.bias else [])
    rows += [(plain(str(share._replace(feature=named(share.feature)))), share.nats) for share in shares[:most]]
    rest = [share.nats for share in shares[most:]]
    if rest:
        rows.append((f"{len(rest)} more", math.fsum(rest)))
    width = max(columns(name) for name, _ in rows)
    loud = loudest(Piece(*row) for row in rows)
    for name, nats in rows:
        bar = ("█" if nats >= 0 else "░") * round(20 * min(abs(nats) / loud, 1.0))
        style = "for" if nats >= 0 else "against"
        lines.append(f"  {padded(name, width)}  {nats:+8.3f}  {painted(bar, style, sys.stdout)}".rstrip())
    return "\n".join(lines) + "\n"


def _coloured(piece: Piece, most: float) -> str:
    text = "".join(c if c == "\n" else plain(c) for c in piece.text)
    if abs(piece.nats) < most / 20:
        return text
    text = painted(text, "for" if piece.nats > 0 else "against", sys.stdout)
    return painted(text, "bold", sys.stdout) if abs(piece.nats) > most / 2 else text
