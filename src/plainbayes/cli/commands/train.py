"""Learn a model from texts or tables with labels."""

from __future__ import annotations

from time import gmtime, strftime

from plainbayes import __version__
from plainbayes.cli import arguments as add
from plainbayes.cli.rows import grouped, read, replaced, watched
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
    from plainbayes.tables import TableClassifier, TableRegressor

MORE = """
DATA is one or more files, globs, folders, or - for stdin: label<TAB>text, fastText, JSON lines, CSV, TSV, Parquet,
gzip or zstd of them; a folder with a sub-folder for every class, or one whose file names carry the class. With more
columns than a label and a text it is a table; --label names the target, and a number as the target means regression.

All texts are counted. Then, unless the effort is plain, every word gets an exponent that says how much its evidence is
worth, and what is printed as an estimate comes from texts that took no part in what judged them."""

EXAMPLES = """
plainbayes train mail.tsv -o mail.bayes
plainbayes train mail.jsonl --text body --label folder -o mail.bayes
plainbayes train mail.tsv --effort plain -o mail.bayes
plainbayes train mail.tsv --event bernoulli --alpha 0.5 --ngrams 2 -o mail.bayes
plainbayes train mail.tsv --prior 'ham=0.8, spam=0.2' --max-vocabulary 50000 -o mail.bayes
plainbayes train mail.csv --text body --label folder --groups sender -o mail.bayes
plainbayes train letters --label-from '^[a-z]+' -o letters.bayes
plainbayes train shop.csv --label bought -o shop.bayes
plainbayes train mail.tsv --engine spark -o mail.bayes
"""


def arguments(parser: add.Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("data", metavar="DATA", nargs="+", help="where the texts are")
    add.output(parser, "the model to write", required=True)
    believed = parser.add_argument_group("what to count and to believe")
    believed.add_argument(
        "--effort",
        choices=["plain", "quick", "best"],
        default="quick",
        help="quick: choose how to read and how much to trust each word; best: try more; plain: just count",
    )
    believed.add_argument(
        "--event", metavar="NAME", type=event, help="multinomial, bernoulli or complement, just counted"
    )
    believed.add_argument("--alpha", metavar="A", type=float, help="smoothing (chosen; plain: 1)")
    believed.add_argument(
        "--prior", metavar="P", help="empirical (the default), uniform, smoothed, or 'ham=0.8, spam=0.2'"
    )
    believed.add_argument(
        "--ngrams", metavar="N", type=ngrams, help="groups of up to N words, or LO-HI (chosen; plain: 1)"
    )
    believed.add_argument("--lang", metavar="CODE", help="the language whose stems are taken for words: ru, es, ...")
    believed.add_argument(
        "--stop", action="store_true", help="leave out words that only serve grammar in --lang; reads single words"
    )
    believed.add_argument("--rules", choices=["words", "sklearn"], default="words", help="how to find words (words)")
    believed.add_argument(
        "--unknown",
        choices=["ignore", "smooth"],
        default="ignore",
        help="what unknown words say: nothing (ignore), or what a count of zero does, in a model that just counts",
    )
    believed.add_argument(
        "--max-vocabulary", metavar="N", type=add.positive, help="keep the N words in most texts; reads single words"
    )
    believed.add_argument("--like", metavar="MODEL", help="read texts as this model does, so that both can be merged")
    table = parser.add_argument_group("tables")
    table.add_argument("--kinds", metavar="KINDS", help="what columns hold: 'zip=category, number=identifier'")
    table.add_argument(
        "--target", choices=["class", "number"], help="what --label holds, where numbers are names of classes"
    )
    parser.add_argument("--kind", choices=["text", "table"], help="what DATA is, where that is not plain to see")
    parser.add_argument(
        "--engine", choices=["here", "spark"], default="here", help="spark: count on the cluster of Apache Spark"
    )
    add.groups(parser)
    add.threads(parser)
    add.machine(parser)
    add.columns(parser)


def run(options: Namespace) -> int:
    """Learn and save."""
    if options.groups is not None and (options.engine == "spark" or options.kind == "table" or plainly(options)):
        raise InputError(
            "--groups says how beliefs of texts are judged: not on Spark, nor of tables, nor if they are just counted",
            "leave out --engine, --kind, --event, --unknown and --effort plain",
        )
    if options.engine == "spark":
        from plainbayes.cli import sparked

        return sparked.run(options)
    if (options.kind or kind(options)) == "table":
        return table(options)
    analyzer = settings(options)
    source = read(options, options.data)
    with watched("learning", source) as bar:
        model, report = learned(options, analyzer, source, bar)
    replaced(report["replaced"])
    return finished(options, model, report)


def finished(options: Namespace, model: Plain | TextClassifier, report: dict[str, int]) -> int:
    """Save a model of texts, and say what it learned."""
    where = ", ".join(options.data)
    classes = [str(label) for label in model.classes]
    if not classes:
        raise InputError(f"no rows with a label and a text in {where}")
    if len(classes) < 2:
        raise InputError(f"two classes at least were expected, got only {classes[0]!r} in {where}")
    model.save(options.output, made(options))
    if options.json:
        from plainbayes.cli.written import written

        print(written({"model": options.output, **report, "classes": classes, **told(model)}))
    few = ", ".join(map(plain, classes[:5])) + (", ..." if len(classes) > 5 else "")
    note(f"learned {number(report['rows'], 'text')} in {number(len(classes), 'class', 'classes')} ({few})")
    for line in estimated(told(model)) or counted(options):
        note(line)
    for line in suspected(dict(zip(classes, model.sizes, strict=True))):
        note(line)
    return 0


def counted(options: Namespace) -> list[str]:
    """Say why words were not weighed, if they should have been."""
    if plainly(options):
        return []
    return ["too few different texts, or too many classes, to weigh words by: they are just counted"]


def suspected(texts: dict[str, float]) -> list[str]:
    """Say what looks like a mistake about the label: a header that was learned, or texts in its place."""
    rows = sum(texts.values())
    single = [label for label, size in texts.items() if size == 1]
    if rows > 20 and 2 * len(texts) > rows:
        return ["nearly every text has a class of its own: is the label in another column?"]
    if rows > 20 and single:
        some = ", ".join(map(plain, single[:5])) + (", ..." if len(single) > 5 else "")
        return [f"with one text only: {some}; if the first line is a header, --text and --label name its columns"]
    return []


def table(options: Namespace) -> int:
    """Learn a table and save."""
    from plainbayes.cli import tabled
    from plainbayes.cli.terminal import progress

    with progress("reading", lambda: (0, None)) as bar:
        model, rows = tabled.trained(options, bar.now)
    return finished_table(options, model, rows)


def finished_table(options: Namespace, model: TableClassifier | TableRegressor, rows: int) -> int:
    """Save a model of a table, and say what it learned."""
    model.save(options.output, made(options))
    columns, pairs = len(model.layout.used), len(model.layout.pairs)
    report = {"rows": rows, "target": model.target, "columns": columns, "pairs": pairs}
    if options.json:
        from plainbayes.cli.written import written

        print(written({"model": options.output, **report, "classes": list(map(str, model.rows.classes))}))
    note(f"learned {number(rows, 'row')}: {model.target} from {number(columns, 'column')}")
    for finding in model.findings:
        if finding.note and finding.kind != "text":
            note(f"  {plain(finding.name)}: {finding.note}")
    if model.layout.lent:
        from plainbayes.cli.commands.info import lending

        note(f"numbers: {lending(model.layout.as_dict())}")
    if model.trust is not None:
        said = f"{number(pairs, 'pair')} of columns speak together"
        note(f"{said}; every cell is trusted as much as rows that do without it show")
        numeric = model.rows.about["table"].get("expected")
        note(expected_number(numeric) if numeric else expected(vars(model.trust.estimate), "row"))
    return 0


def made(options: Namespace) -> dict[str, str]:
    """Return what a model is made of, when and by what."""
    now = strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())
    return {"by": f"plainbayes {__version__}", "at": now, "of": ", ".join(options.data)}


def told(model: Plain | TextClassifier) -> dict[str, Any]:
    """Return what was chosen, and what texts that took no part in it say of it."""
    trust = None if isinstance(model, Plain) else model.trust
    if isinstance(model, Plain) or trust is None:
        return {}
    from plainbayes.priors import Empirical

    return {
        "reading": str(model.analysis),
        "manner": vars(trust.manner),
        "prior": "fitted" if model.prior in (None, Empirical()) else "given",
        "tried": [one._asdict() for one in trust.tried],
        "estimate": vars(trust.estimate),
        "share": trust.share,
    }


def estimated(about: dict[str, Any]) -> list[str]:
    """Say the same in sentences."""
    if not about:
        return []
    estimate, share = about["estimate"], about["share"]
    mixed = "like these" if about["prior"] == "fitted" else "like these, mixed as the prior says"
    lines = [
        f"read {about['reading']}",
        *chosen([tuple(one.values()) for one in about["tried"]], about["manner"], about["prior"] == "fitted"),
        expected(estimate, "text", mixed),
    ]
    return lines if share == 1 else [*lines, f"all texts were counted, {share:.2%} of them weighed"]


def chosen(tried: list[Any], manner: dict[str, Any], prior: bool) -> list[str]:
    """Say what was chosen, and from what: of each question the first answer is the one that was taken."""
    questions: dict[str, list[str]] = {}
    for what, value, loss in tried:
        questions.setdefault(what, []).append(f"{value} {loss:.3f}")
    if not questions:
        return []
    # Where events were compared with fitted exponents too, that is what decided.
    questions["event"] = questions.pop("exponents", questions.get("event", []))
    lines = [
        f"{names} by the log loss of texts left out: {first}" + (f" rather than {', '.join(rest)}" if rest else "")
        for what, names in (("reading", "reading chosen"), ("event", "event chosen"))
        for first, *rest in [questions.get(what) or [""]]
        if first
    ]
    values = {
        "presence": "once a text",
        "count": "as often as it stands",
        "log": "by the logarithm of how often it stands",
    }
    settings = [
        f"a word counts {values[manner['values']]}" + (", texts are scaled to one length" if manner["short"] else ""),
        f"smoothing {manner['alpha']:g}",
        *(["rare words start louder"] if manner["rare"] else []),
        f"an exponent for every word, held to the common one with strength {manner['strength']:g}",
        *(
            []
            if manner["leaning"] is None
            else [f"words lean to classes, held back with strength {manner['leaning']:g}"]
        ),
        *(["a bias for every class in place of the prior"] if prior else []),
    ]
    return [*lines, f"chosen in the same way: {'; '.join(settings)}"]


def expected(estimate: dict[str, Any], what: str, mixed: str = "like these") -> str:
    """Say what to expect of texts, or rows, to come."""
    return (
        f"expect {estimate['accuracy']:.1%} right (within {estimate['accuracy_error']:.1%}) and a log loss of "
        f"{estimate['log_loss']:.3f} (within {estimate['log_loss_error']:.3f}) on {what}s {mixed}: "
        f"{number(estimate['texts'], what)}, each judged by what the others taught"
    )


def expected_number(figures: dict[str, float]) -> str:
    """Say the same of a number."""
    return (
        f"expect to be off by {figures['mae']:.4g} (root mean square {figures['rmse']:.4g}) on rows like these, and "
        f"{figures['coverage_90']:.1%} of them within the middle 90%, judging by {number(figures['rows'], 'row')} "
        "that took no part"
    )


def kind(options: Namespace) -> str:
    """Return whether the data are a text, which they are if a column is named for it, or a table."""
    if options.text_column is not None or options.groups is not None or "-" in options.data:
        return "text"
    from plainbayes import sources

    seen = sources.columns(
        options.data[0], label=options.label_column, format=options.format, encoding=options.encoding
    )
    return seen.kind


def event(name: str) -> str | None:
    """Return an event by its name; None if it is to be chosen."""
    return None if name == "auto" else name


def settings(options: Namespace) -> dict[str, Any]:
    """Return the settings of the analyser."""
    if options.like is not None:
        from plainbayes.documents import load

        return vars(load(options.like).analysis)
    wished = {"rules": options.rules, "ngrams": options.ngrams or 1, "stop": options.stop}
    if options.lang is None and not options.stop:
        return PLAIN | wished
    from plainbayes.text.analyzer import Analyzer

    return vars(Analyzer.speaking(options.lang, **wished))


def learned(
    options: Namespace, analyzer: dict[str, Any], source: Source, bar: watched
) -> tuple[Plain | TextClassifier, dict[str, int]]:
    """Return the model, and how many rows it saw, skipped, and found bytes replaced in; without NumPy if it can be."""
    usual = options.event in (None, "multinomial") and options.prior in (None, "empirical")
    alpha = 1.0 if options.alpha is None else options.alpha
    if plainly(options) and usual and 0 < alpha < float("inf"):
        quick = Plain(source, analyzer, alpha, options.unknown, options.max_vocabulary)
        return quick, {"rows": quick.rows, "skipped": quick.skipped, "replaced": quick.replaced}
    model = classifier(options, analyzer)
    return model, model.fit_to(source, bar.now, grouped(options))._asdict()


def plainly(options: Namespace) -> bool:
    """Return whether texts are just counted."""
    return options.effort == "plain" or options.event is not None or options.unknown == "smooth"


def classifier(options: Namespace, analyzer: dict[str, Any]) -> TextClassifier:
    """Return a model with these settings, that has learned nothing."""
    from plainbayes.documents import TextClassifier
    from plainbayes.text.analyzer import Analyzer

    plain = plainly(options)
    given = plain or options.ngrams is not None or options.stop or options.like is not None
    alpha = 1.0 if options.alpha is None else options.alpha
    return TextClassifier(
        options.event or "auto",
        alpha=alpha if plain or options.alpha is not None else "auto",
        prior=None if options.prior is None else prior(options.prior),
        language=options.lang,
        rules=options.rules,
        unknown=options.unknown,
        analyzer=Analyzer(**analyzer) if given else None,
        max_vocabulary=options.max_vocabulary,
        effort=options.effort,
    )


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
