"""Learn a model from texts with labels."""

from __future__ import annotations

from time import gmtime, strftime

from plainbayes import __version__
from plainbayes.cli import arguments as add
from plainbayes.cli.rows import read, replaced, watched
from plainbayes.cli.terminal import note, number, plain
from plainbayes.errors import InputError
from plainbayes.plain import Plain
from plainbayes.text.compiled import PLAIN

TYPE_CHECKING = False  # what is imported here is paid for by every start
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from plainbayes._core import Source
    from plainbayes.documents import TextClassifier
    from plainbayes.evidence import Label
    from plainbayes.priors import Prior

MORE = """
DATA is one or more files, globs, folders, or - for stdin: label<TAB>text, fastText, JSON lines, CSV, TSV, Parquet,
gzip or zstd of them; a folder with a sub-folder for every class, or one whose file names carry the class."""

EXAMPLES = """
plainbayes train mail.tsv -o mail.bayes
plainbayes train mail.jsonl --text body --label folder -o mail.bayes
plainbayes train mail.tsv --event bernoulli --alpha 0.5 --ngrams 2 -o mail.bayes
plainbayes train mail.tsv --prior 'ham=0.8, spam=0.2' --max-vocabulary 50000 -o mail.bayes
plainbayes train letters --label-from '^[a-z]+' -o letters.bayes
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="where the texts are")
    add.output(parser, "the model to write", required=True)
    believed = parser.add_argument_group("what to count and to believe")
    believed.add_argument("--event", metavar="NAME", default="multinomial", help="multinomial, bernoulli or complement")
    believed.add_argument("--alpha", metavar="A", type=float, default=1.0, help="smoothing (1)")
    believed.add_argument(
        "--prior", metavar="P", help="empirical (the default), uniform, smoothed, or 'ham=0.8, spam=0.2'"
    )
    believed.add_argument("--ngrams", metavar="N", type=ngrams, default=1, help="groups of up to N words, or LO-HI (1)")
    believed.add_argument("--lang", metavar="CODE", help="the language whose stems are taken for words: ru, es, ...")
    believed.add_argument("--stop", action="store_true", help="leave out words that only serve grammar in --lang")
    believed.add_argument("--rules", choices=["words", "sklearn"], default="words", help="how to find words (words)")
    believed.add_argument(
        "--unknown", choices=["ignore", "smooth"], default="ignore", help="what unknown words say: nothing (ignore)"
    )
    believed.add_argument("--effort", choices=["plain"], default="plain", help="plain: count, with the settings given")
    believed.add_argument("--max-vocabulary", metavar="N", type=add.positive, help="keep the N words in most texts")
    parser.add_argument("--kind", choices=["text", "table"], help="what DATA is, where that is not plain to see")
    add.threads(parser)
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Learn and save."""
    if (options.kind or kind(options)) == "table":
        hint = (
            "plainbayes.sklearn.NaiveBayesClassifier reads them; --text COLUMN or --kind text makes a text model of it"
        )
        raise InputError("tables are learned in Python for now", hint)
    analyzer = settings(options)
    source = read(options, options.data)
    with watched("learning", source):
        model, report = learned(options, analyzer, source)
    replaced(report["replaced"])
    where = ", ".join(options.data)
    classes = [str(label) for label in model.classes]
    if not classes:
        raise InputError(f"no rows with a label and a text in {where}")
    if len(classes) < 2:
        raise InputError(f"two classes at least were expected, got only {classes[0]!r} in {where}")
    made = {"by": f"plainbayes {__version__}", "at": strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()), "of": where}
    model.save(options.output, made)
    if options.json:
        from plainbayes.cli.written import written

        print(written({"model": options.output, **report, "classes": classes}))
    few = ", ".join(map(plain, classes[:5])) + (", ..." if len(classes) > 5 else "")
    note(f"learned {number(report['rows'], 'text')} in {number(len(classes), 'class', 'classes')} ({few})")
    return 0


def kind(options: Namespace) -> str:
    """Return whether the data are a text, which they are if a column is named for it, or a table."""
    if options.text_column is not None or "-" in options.data:
        return "text"
    from plainbayes import sources

    seen = sources.columns(
        options.data[0], label=options.label_column, format=options.format, encoding=options.encoding
    )
    return seen.kind


def settings(options: Namespace) -> dict[str, Any]:
    """Return the settings of the analyser."""
    wished = {"rules": options.rules, "ngrams": options.ngrams, "stop": options.stop}
    if options.lang is None and not options.stop:
        return PLAIN | wished
    from plainbayes.text.analyzer import Analyzer

    return vars(Analyzer.speaking(options.lang, **wished))


def learned(
    options: Namespace, analyzer: dict[str, Any], source: Source
) -> tuple[Plain | TextClassifier, dict[str, int]]:
    """Return the model, and how many rows it saw, skipped, and found bytes replaced in; without NumPy if it can be."""
    usual = options.event == "multinomial" and options.prior in (None, "empirical")
    if usual and 0 < options.alpha < float("inf"):
        quick = Plain(source, analyzer, options.alpha, options.unknown, options.max_vocabulary)
        return quick, {"rows": quick.rows, "skipped": quick.skipped, "replaced": quick.replaced}
    from plainbayes.documents import TextClassifier
    from plainbayes.text.analyzer import Analyzer

    model = TextClassifier(
        options.event,
        alpha=options.alpha,
        prior=None if usual else prior(options.prior or "empirical"),
        unknown=options.unknown,
        analyzer=Analyzer(**analyzer),
        max_vocabulary=options.max_vocabulary,
        effort=options.effort,
    )
    return model, model.learn_from(source)._asdict()


def prior(text: str) -> Prior:
    """Return a prior by its name, or with its probabilities."""
    from plainbayes.priors import Empirical, Given, Smoothed, Uniform

    priors: dict[str, type[Prior]] = {"empirical": Empirical, "smoothed": Smoothed, "uniform": Uniform}
    if text in priors:
        return priors[text]()
    given: dict[Label, float] = {}
    for item in filter(None, map(str.strip, text.split(","))):
        label, equals, share = item.rpartition("=")
        try:
            given[label.strip()] = float(share)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(
                f"a prior was expected, got {item!r}", "empirical, uniform, smoothed or 'ham=0.8, spam=0.2'"
            )
    return Given(given)


def ngrams(text: str) -> int | tuple[int, int]:
    """Return how many neighbouring words make a feature: up to N, or from LO to HI."""
    parts = text.split("-")
    if not all(part.isdecimal() and int(part) for part in parts) or len(parts) > 2 or int(parts[0]) > int(parts[-1]):
        raise add.mistaken(f"N or LO-HI was expected, such as 2 or 1-3, got {text!r}")
    return int(text) if len(parts) == 1 else (int(parts[0]), int(parts[1]))
