"""Learning into a model file and unlearning from it: one reads, changes and writes while the others wait."""

from __future__ import annotations

from argparse import Namespace

from plainbayes import sources
from plainbayes.cli import arguments as add
from plainbayes.cli import complain
from plainbayes.cli.rows import argument, one_text, read, replaced, watched
from plainbayes.cli.terminal import note, number
from plainbayes.cli.written import written
from plainbayes.documents import load
from plainbayes.errors import InputError, NeverLearnedError
from plainbayes.storage import file


def arguments(parser: add.Parser) -> None:
    """Declare the arguments of learn and unlearn."""
    add.model(parser)
    parser.add_argument("data", metavar="DATA | TEXT", nargs="*", help="rows with labels; with --label, texts")
    parser.add_argument("--label", metavar="CLASS", help="what the texts are")
    add.output(parser, "write there, and leave MODEL as it is")
    add.threads(parser)
    add.machine(parser)
    add.columns(parser, short=False)


def changed(options: Namespace, verb: str) -> int:
    """Learn or unlearn what the options name."""
    if options.label is None and not options.data:
        raise InputError("rows, or a --label with a text, were expected", f"plainbayes {verb} --help")
    with file.locked(options.model):
        model = load(options.model)
        opened = file.open(options.model)
        if options.label is None:
            source = read(options, options.data, of=opened)
        elif model.about:
            from plainbayes.cli import tabled

            table = tabled.table_in(opened)
            texts = [argument(text) for text in options.data] or [one_text(None, options.encoding)]
            source = table.labelled(tabled.written_rows(texts, table), [argument(options.label)] * len(texts))
        else:
            texts = [argument(text) for text in options.data] or [one_text(None, options.encoding)]
            source = sources.texts(texts, [argument(options.label)] * len(texts))
        with watched(f"{verb}ing", source):
            try:
                report = model.learn_from(source) if verb == "learn" else model.unlearn_from(source)
            except NeverLearnedError as refusal:
                complain(refusal.message, refusal.hint)
                return 1
        if not model.classes:
            raise InputError("this would unlearn all there is, and nothing be left to answer by", "delete the file")
        model.save(options.output or options.model)
    replaced(report.replaced)
    if options.json:
        print(written({"model": options.output or options.model, "rows": report.rows, "skipped": report.skipped}))
    note(f"{verb}ed {number(report.rows, 'text')}")
    return 0
