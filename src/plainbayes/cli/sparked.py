"""Training on Apache Spark from the command line: on this machine, or on the cluster that spark-submit names."""

from __future__ import annotations

import os
import sys
import warnings
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from plainbayes.cli import tabled
from plainbayes.cli.commands import train
from plainbayes.cli.terminal import note, number
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError, listed
from plainbayes.sources import recognise

try:
    from pyspark.errors import AnalysisException
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col, floor, get, length, lit, size, split, when
except ImportError:
    raise InputError("Spark was asked for, but pyspark is not installed", "pip install 'plainbayes[spark]'") from None

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FASTTEXT = "__label__"


def run(options: Namespace) -> int:
    """Learn and save."""
    from plainbayes.spark.learning import learned

    joined = SparkSession.getActiveSession() is not None
    session, told = started(), Told()
    try:
        frame = read(session, options)
        text, label, kind = found(frame, options)
        if (options.kind or kind) == "table":
            model, report = table(frame, label, options, told)
        else:
            frame = frame.withColumn(label, named(frame, label))
            settings = train.classifier(options, train.settings(options))
            model, report = learned(frame, text=text, label=label, model=settings, told=told)
    finally:
        if not joined:
            session.stop()
    if report.skipped:
        note(f"{number(report.skipped, 'row')} without label skipped")
    if isinstance(model, TextClassifier):
        return train.finished(options, model, report._asdict())
    return train.finished_table(options, model, report.rows)


class Told:
    """Says what is being done, once: how far it is, Spark shows by itself."""

    last = ""

    def __call__(self, what: str) -> None:
        if what != self.last:
            note(what)
        self.last = what


def started() -> SparkSession:
    """Start Spark, or join the one that spark-submit has started."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    builder = SparkSession.builder.appName("plainbayes train")
    shown = str(sys.stderr.isatty()).lower()
    session = builder.config("spark.ui.showConsoleProgress", shown).config("spark.log.level", "ERROR").getOrCreate()
    note(f"counting with Spark {session.version} on {session.sparkContext.master}")
    return session


def read(session: SparkSession, options: Namespace) -> DataFrame:
    """Read files, wherever Spark finds them: Parquet, CSV, TSV, JSON lines, label<TAB>text or fastText's."""
    paths, kind = list(options.data), recognise.suffix(options.data[0])
    try:
        if (options.format or recognise.SUFFIXES.get(kind)) == "parquet":
            return session.read.parquet(*paths)
        lines = [row.value for row in session.read.text(paths).head(recognise.SAMPLE)]
        if not lines:
            raise InputError(f"texts were expected, but {paths[0]} is empty")
        if any("\0" in line for line in lines):
            raise InputError(f"text was expected, got a binary file: {paths[0]}")
        asked = bool(options.text_column or options.label_column)
        form, header = recognise.form(kind, lines, True, asked)
        form = options.format or form
        if form in ("csv", "tsv"):
            return session.read.csv(paths, header=True, sep="\t" if form == "tsv" else ",", escape='"', multiLine=True)
        if form == "jsonl":
            return session.read.json(paths)
    except AnalysisException as error:
        raise InputError(f"Spark cannot read {listed(paths)}: {str(error).splitlines()[0]}") from None
    if form not in ("tabbed", "fasttext"):
        raise InputError(f"Spark reads Parquet, CSV, TSV, JSON lines and label<TAB>text, got {form}: {paths[0]}")
    rows = session.read.text(paths)
    parts = split(rows.value, "\t" if form == "tabbed" else r"\s+", 2)
    if form == "fasttext":
        rows = rows.where(rows.value.startswith(FASTTEXT))
    elif header:
        rows = rows.where(rows.value != lines[0])
    label = parts[0] if form == "tabbed" else parts[0].substr(len(FASTTEXT) + 1, 1 << 20)
    # A line that has but one part has no label.
    told = rows.select(when(size(parts) > 1, label).alias("label"), get(parts, lit(1)).alias("text"))
    return told.withColumn("label", when(length("label") > 0, col("label")))


def found(frame: DataFrame, options: Namespace) -> tuple[str | None, str, str]:
    """Find the columns of text and label, and say whether it is a text or a table."""
    names = frame.columns
    for given in (options.text_column, options.label_column):
        if given is not None and given not in names:
            raise InputError(f"no column {given!r} in {options.data[0]}", f"there are {listed(names, 20)}")
    rows = [[str(cell) for cell in row] for row in frame.head(recognise.SAMPLE)]
    text, label = recognise.guess(names, rows, options.text_column, options.label_column)
    if label is None:
        raise InputError("the column to predict was expected", f"--label names it; there are {listed(names, 20)}")
    kind = "text" if options.text_column else recognise.kind(names, rows, text, label)
    return text, label, kind


def table(frame: DataFrame, label: str, options: Namespace, told: Told) -> Any:
    """Learn a table: a number as the target means regression, unless there are but two of them."""
    from plainbayes.spark.learning import learned

    numbers = col(label).try_cast("double")
    numeric = not frame.where(col(label).isNotNull() & numbers.isNull()).head(1)
    several = len(frame.select(label).distinct().head(3)) > 2
    regression = options.target == "number" or (options.target is None and numeric and several)
    if regression and not numeric:
        raise InputError(f"numbers were expected in column {label!r}", "--target class")
    frame = frame.withColumn(label, numbers if regression else named(frame, label))
    return learned(frame, label=label, model=tabled.settled(options, regression), told=told)


def named(frame: DataFrame, label: str) -> Any:
    """Return labels as text, which they are in files; 3.0 is 3."""
    cell = col(label)
    if frame.schema[label].dataType.typeName() not in ("double", "float"):
        return cell.cast("string")
    return when(cell == floor(cell), cell.cast("bigint").cast("string")).otherwise(cell.cast("string"))
