"""Tell the class of texts or rows: a line for each, in their order."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # what is imported here is paid for by every cold start
if TYPE_CHECKING:
    from argparse import Namespace

    from plainbayes._core import Answers, Source
    from plainbayes.cli.arguments import Parser

MORE = """
Texts are arguments, the rows of -i FILE (read as by train, labels ignored; .txt is a text a line), or lines of stdin.
Every row gets a line, empty ones too: label and probability, with a tab between. With --cost the answer of least
expected cost and that cost stand before them. With --shift, how often each class stands among these texts is estimated
first and takes the place of how often it stood in training.

A model of a table takes rows: files with its columns, or arguments such as 'age=39, sex=Male' or JSON objects."""

EXAMPLES = """
plainbayes predict mail.bayes "cheap pills, buy now"
plainbayes predict mail.bayes -i new.tsv --json
plainbayes predict mail.bayes -k 2 < lines.txt
plainbayes predict mail.bayes -i new.tsv --cost 'ham>spam=4, spam>ham=1, ask=0.3'
plainbayes predict mail.bayes -i new.tsv --shift
plainbayes predict shop.bayes 'device=phone, pages=7'
plainbayes predict prices.bayes -i shop.csv --quantiles 0.05,0.5,0.95
"""


def arguments(parser: Parser) -> None:
    """Declare the arguments."""
    from plainbayes.cli import arguments as add

    add.model(parser)
    parser.add_argument("texts", metavar="TEXT", nargs="*", default=[], help="a text")
    parser.add_argument("-i", "--input", metavar="FILE", action="append", help="rows to judge; - is stdin")
    parser.add_argument("-k", metavar="K", type=add.positive, help="the K most probable classes of each")
    parser.add_argument(
        "--quantiles", metavar="Q,Q", type=add.shares, help="of a number: values not exceeded with these probabilities"
    )
    parser.add_argument(
        "--loss", choices=["squared", "absolute"], help="of a number: answer with the mean or the median"
    )
    parser.add_argument("--shift", action="store_true", help="take the mix of classes from these texts")
    add.cost(parser)
    add.threads(parser)
    add.machine(parser)
    add.columns(parser, label=False)


def run(options: Namespace) -> int:
    """Judge rows as the options say."""
    from plainbayes.cli.rows import replaced, watched
    from plainbayes.errors import InputError
    from plainbayes.judge import stored
    from plainbayes.storage import file

    if options.texts and options.input:
        raise InputError("texts or -i FILE were expected, got both")
    opened = file.open(options.model)
    judge = stored(opened)
    table = None
    if opened.metadata["kind"] == "table":
        from plainbayes.cli import tabled
        from plainbayes.tables import TableRegressor

        table = tabled.table_in(opened)
        if isinstance(table, TableRegressor):
            tabled.refuse_classes(options, "cost", "shift")
            tabled.write(tabled.numbers(table, tabled.given(options, table), options))
            return 0
    for name in ("quantiles", "loss"):
        if getattr(options, name):
            raise InputError(f"--{name} is about numbers, got a model whose answers are classes", f"leave out --{name}")
    plain = not (options.json or options.shift) and "".join(judge.classes).isprintable()
    quick = options.k is options.cost is None and plain
    if not quick:
        from plainbayes.cli.costs import costs
        from plainbayes.cli.judges import labels_of
        from plainbayes.cli.lines import lines, shifted

        loss = None if options.cost is None else costs(options.cost, labels_of(judge))
        most = options.k or (None if options.json else 1)
    stretches = 0
    kept: list[Answers] = []
    source = rows(options) if table is None else tabled.unlabelled(table, tabled.given(options, table))
    # On a terminal the answers themselves show how far it is.
    with watched("judging", source, quiet=sys.stdout.isatty()):
        while (answers := judge.answers(source, not quick)) is not None:
            if quick:
                sys.stdout.buffer.write(judge.lines(answers))
            elif options.shift:
                kept.append(answers)
            else:
                sys.stdout.writelines(lines(judge, answers, most, loss, options.json))
            sys.stdout.flush()
            stretches += answers.replaced
    if kept:
        shift = shifted(judge, kept)
        for answers in kept:
            sys.stdout.writelines(lines(judge, answers, most, loss, options.json, shift))
    replaced(stretches)
    return 0


def rows(options: Namespace) -> Source:
    """Return the texts to judge."""
    from plainbayes.cli.judges import texts_of
    from plainbayes.cli.rows import invite, mistaken, read

    if options.texts:
        mistaken(options.texts)
        return texts_of(options.texts)
    if options.input:
        return read(options, options.input, labelled=False)
    invite("reading texts from the terminal, one a line; end with ctrl-D")
    options.format = options.format or "lines"
    return read(options, ["-"], labelled=False)
