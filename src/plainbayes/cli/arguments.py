"""The options that several commands share."""

from __future__ import annotations

TYPE_CHECKING = False  # what is imported here is paid for by every start
if TYPE_CHECKING:
    from plainbayes.cli.parser import Parser as Parser


def model(parser: Parser) -> None:
    """Add the model to read."""
    parser.add_argument("model", metavar="MODEL", help="a model that plainbayes train wrote")


def machine(parser: Parser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="answer in JSON, for programs")


def output(parser: Parser, what: str, required: bool = False) -> None:
    """Add -o."""
    parser.add_argument("-o", "--output", metavar="FILE", required=required, help=what)


def threads(parser: Parser) -> None:
    """Add --threads."""
    parser.add_argument("--threads", metavar="N", type=positive, help="work on so many cores (all); answers are equal")


def groups(parser: Parser) -> None:
    """Add --groups."""
    parser.add_argument(
        "--groups",
        metavar="COLUMN",
        help="texts with the same COLUMN, an author say, are left out together when beliefs are judged",
    )


def cost(parser: Parser) -> None:
    """Add --cost."""
    parser.add_argument(
        "--cost",
        metavar="COSTS",
        help="what wrong answers cost, true>answer=cost: 'ham>spam=4, spam>ham=1, ask=0.3', or a TOML file of them",
    )


def columns(parser: Parser, label: bool = True, short: bool = True) -> None:
    """Add what says how rows are to be read; not `short` where --label says something else."""
    rows = parser.add_argument_group("reading rows (formats are recognised)")
    names = {what: [f"--{what}", f"--{what}-column"][0 if short else 1 :] for what in ("text", "label")}
    rows.add_argument(*names["text"], dest="text_column", metavar="COLUMN", help="the column with the text")
    rows.add_argument("--format", metavar="NAME", help="tsv, csv, jsonl, parquet, fasttext, lines, ...")
    rows.add_argument("--encoding", metavar="NAME", help="the charset, such as windows-1251 (UTF-8, or detected)")
    if label:
        rows.add_argument(*names["label"], dest="label_column", metavar="COLUMN", help="the column with the label")
        rows.add_argument(
            "--label-from", metavar="PATTERN", help="a folder's file names carry the label: '^[a-z]+' takes it out"
        )
        rows.add_argument("--strict", action="store_true", help="refuse rows without label instead of skipping them")


def positive(text: str) -> int:
    """Return a whole number above 0."""
    number = int(text)
    if number < 1:
        raise mistaken(f"a whole number above 0 was expected, got {text}")
    return number


def share(text: str) -> float:
    """Return a number between 0 and 1."""
    number = float(text)
    if not 0 < number < 1:
        raise mistaken(f"a number between 0 and 1 was expected, got {text}")
    return number


def shares(text: str) -> list[float]:
    """Return numbers between 0 and 1, with commas between."""
    return [share(part) for part in text.split(",")]


def mistaken(message: str) -> Exception:
    """Make the error that argparse complains of."""
    from argparse import ArgumentTypeError

    return ArgumentTypeError(message)
