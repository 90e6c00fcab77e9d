"""Measure how good a model is on rows whose labels are known."""

from __future__ import annotations

from argparse import Namespace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from plainbayes import sources
from plainbayes.cli import arguments as add
from plainbayes.cli.costs import costs
from plainbayes.cli.judges import labels_of
from plainbayes.cli.lines import posterior_of
from plainbayes.cli.rows import read, replaced, watched
from plainbayes.cli.terminal import note, number, plain
from plainbayes.cli.written import written
from plainbayes.errors import InputError
from plainbayes.evaluate import Evaluation, evaluate
from plainbayes.judge import answers as judging
from plainbayes.judge import stored
from plainbayes.storage import file

if TYPE_CHECKING:
    from plainbayes.cli.findings import Gathering
    from plainbayes.cli.learning import NumberLearners
    from plainbayes.tables import TableRegressor

SOME = 4096  # rows judged at a time, for memory's sake

MORE = """
Accuracy, macro F1, log loss, Brier score, calibration error, precision, recall and F1 of each class, the commonest
mistakes (the whole confusion matrix with --json); with --cost also the mean cost of deciding by it, what that saves
against always answering the most probable class, and the share of answers that are no class, such as 'ask'. Of a
number: root mean squared error, mean absolute error, how much the middle 90% covers, CRPS. --report writes all this
and more as one page with pictures, which needs nothing but a browser."""

EXAMPLES = """
plainbayes evaluate mail.bayes test.tsv
plainbayes evaluate mail.bayes test.tsv --json
plainbayes evaluate mail.bayes test.tsv --cost 'ham>spam=4, spam>ham=1, ask=0.3'
plainbayes evaluate mail.bayes test.tsv --report report.html --train train.tsv
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    add.model(parser)
    parser.add_argument("data", metavar="DATA", nargs="+", help="rows with labels")
    add.cost(parser)
    parser.add_argument("--report", metavar="FILE", help="write a page with pictures there, for anyone to read")
    parser.add_argument(
        "--train", metavar="DATA", action="append", help="rows to learn from, for the report's learning curve"
    )
    add.threads(parser)
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Measure."""
    if options.train and not options.report:
        raise InputError("--train is for the learning curve of a report, got no --report", "add --report report.html")
    if options.report and not Path(options.report).parent.is_dir():
        raise InputError(f"a report needs a folder that is there, got {options.report!r}")
    opened = file.open(options.model)
    judge = stored(opened)
    if "edges" in opened.metadata.get("table", {}):
        return numbers(options, opened)
    loss = None if options.cost is None else costs(options.cost, labels_of(judge))
    gathering = gathered(options, opened) if options.report else None
    source = read(options, options.data, of=opened)
    result: Evaluation | None = None
    strange: list[str] = []
    known = set(labels_of(judge))
    with watched("judging", source):
        while some := list(islice(source, SOME)):
            rows = iter([(str(label), text) for label, text, _ in some])
            for answers in judging(judge, sources.texts([text for _, text, _ in some]), full=True):
                truths, texts = zip(*islice(rows, len(answers)), strict=True)
                posterior = posterior_of(judge, answers)
                strange = list(dict.fromkeys([*strange, *(truth for truth in truths if truth not in known)]))
                part = evaluate(truths, posterior, loss)
                result = part if result is None else result + part
                if gathering is not None:
                    gathering.add(truths, texts, posterior)
    replaced(source.replaced)
    if strange:
        few = ", ".join(map(plain, strange[:5])) + (", ..." if len(strange) > 5 else "")
        note(f"the model has never seen {number(len(strange), 'class', 'classes')} of these rows: {few}")
    if result is None:
        raise InputError(f"no rows with a label in {', '.join(options.data)}")
    if gathering is not None:  # before anything is printed: whoever reads that may have had enough
        gathering.write(options.report, title(options), result, loss)
        note(f"report in {options.report}")
    print(written(result.as_dict()) if options.json else result)
    return 0


def title(options: Namespace) -> str:
    """Return what a report is about."""
    return f"{Path(options.model).name} on {', '.join(Path(name).name for name in options.data)}"


def gathered(options: Namespace, opened: file.File) -> Gathering:
    """Return what takes in rows for a report; rows to learn from, if any are named, are learned first."""
    from plainbayes.cli.findings import Gathering
    from plainbayes.cli.learning import Learners
    from plainbayes.documents import load

    model = load(options.model)
    if not options.train:
        return Gathering(model)
    source = read(options, options.train, of=opened)
    with watched("learning", source):
        return Gathering(model, Learners(model, source))


def numbers(options: Namespace, opened: file.File) -> int:
    """Measure the answers to rows whose target is a number."""
    from plainbayes.cli import tabled
    from plainbayes.tables import TableRegressor, estimates

    tabled.refuse_classes(options, "cost")
    model = tabled.table_in(opened)
    assert isinstance(model, TableRegressor)
    _, columns, values = tabled.parted(options, tabled.frame(options, options.data), model.target)
    if not len(values):
        raise InputError(f"no rows with a label in {', '.join(options.data)}")
    density = model.posterior(columns)
    figures = estimates(values, density)
    tabled.said(model)
    if options.report:
        from plainbayes.cli.misjudged import Judged
        from plainbayes.report.numbers import page

        found = Judged(model, columns, values, density, neared(options, model)).findings(title(options), figures)
        file.put(options.report, page(found).encode())
        note(f"report in {options.report}")
    print(
        written(figures) if options.json else "\n".join(f"{name:<12} {value:>10.6g}" for name, value in figures.items())
    )
    return 0


def neared(options: Namespace, model: TableRegressor) -> NumberLearners | None:
    """Return models of growing shares of the rows to learn from, if any are named."""
    from plainbayes.cli import tabled
    from plainbayes.cli.learning import NumberLearners

    if not options.train:
        return None
    _, columns, values = tabled.parted(options, tabled.frame(options, options.train), model.target)
    return NumberLearners(model, columns, values)
