"""Measure how good a model is on rows whose labels are known."""

from __future__ import annotations

from argparse import Namespace
from itertools import islice

from plainbayes import sources
from plainbayes.cli import arguments as add
from plainbayes.cli.costs import costs
from plainbayes.cli.lines import posterior_of
from plainbayes.cli.rows import read, replaced, watched
from plainbayes.cli.written import written
from plainbayes.errors import InputError
from plainbayes.evaluate import Evaluation, evaluate
from plainbayes.judge import answers as judging
from plainbayes.judge import stored
from plainbayes.storage import file

SOME = 4096  # rows judged at a time, for memory's sake

MORE = """
Accuracy, macro F1, log loss, Brier score, calibration error, precision, recall and F1 of each class, the commonest
mistakes (the whole confusion matrix with --json); with --cost also the mean cost of deciding by it. Of a number: root
mean squared error, mean absolute error, how much the middle 90% covers, CRPS."""

EXAMPLES = """
plainbayes evaluate mail.bayes test.tsv
plainbayes evaluate mail.bayes test.tsv --json
plainbayes evaluate mail.bayes test.tsv --cost 'ham>spam=4, spam>ham=1, ask=0.3'
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("data", metavar="DATA", nargs="+", help="rows with labels")
    add.cost(parser)
    add.threads(parser)
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Measure."""
    loss = None if options.cost is None else costs(options.cost)
    opened = file.open(options.model)
    judge = stored(opened)
    if "edges" in opened.metadata.get("table", {}):
        return numbers(options, opened)
    source = read(options, options.data, of=opened)
    result: Evaluation | None = None
    with watched("judging", source):
        while some := list(islice(source, SOME)):
            truths = iter([str(label) for label, _, _ in some])
            for answers in judging(judge, sources.texts([text for _, text, _ in some]), full=True):
                part = evaluate(list(islice(truths, len(answers))), posterior_of(judge, answers), loss)
                result = part if result is None else result + part
    replaced(source.replaced)
    if result is None:
        raise InputError(f"no rows with a label in {', '.join(options.data)}")
    print(written(result.as_dict()) if options.json else result)
    return 0


def numbers(options: Namespace, opened: file.File) -> int:
    """Measure the answers to rows whose target is a number."""
    from plainbayes.cli import tabled
    from plainbayes.tables import TableRegressor, estimates

    model = tabled.table_in(opened)
    assert isinstance(model, TableRegressor)
    _, columns, values = tabled.parted(options, tabled.frame(options, options.data), model.target)
    if not len(values):
        raise InputError(f"no rows with a label in {', '.join(options.data)}")
    figures = estimates(values, model.posterior(columns))
    tabled.said(model)
    print(
        written(figures) if options.json else "\n".join(f"{name:<12} {value:>10.6g}" for name, value in figures.items())
    )
    return 0
