"""Tables on the command line: their rows become texts on the way in, and numbers or labels on the way out."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from plainbayes import sources
from plainbayes._core import Source
from plainbayes.cli.terminal import note, number
from plainbayes.columns import read
from plainbayes.documents import TextClassifier
from plainbayes.errors import InputError, listed
from plainbayes.losses import Absolute, NumericLoss, Squared
from plainbayes.storage import file
from plainbayes.tables import TableClassifier, TableRegressor, table_of

Table = TableClassifier | TableRegressor
LOSSES: dict[str, type[NumericLoss]] = {"squared": Squared, "absolute": Absolute}


def table_in(opened: file.File) -> Table:
    """Return the model of a table that a file holds."""
    return table_of(TextClassifier.of(opened))


def refuse_classes(options: Namespace, *names: str) -> None:
    """Refuse options that are about classes, where answers are numbers."""
    for name in names:
        if getattr(options, name):
            raise InputError(f"--{name} is about classes, got a model whose answers are numbers", f"leave out --{name}")


def frame(options: Namespace, data: Sequence[str]) -> dict[str, Any]:
    """Return the columns of files."""
    where = data[0] if len(data) == 1 else list(data)
    return sources.frame(where, format=options.format, encoding=options.encoding)


def row_of(text: str) -> dict[str, Any]:
    """Read a row that is written as an argument: a JSON object, or name=value, ...

    >>> row_of("age=39, sex=Male"), row_of('{"age": 39}')
    ({'age': '39', 'sex': 'Male'}, {'age': 39})
    """
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError as error:
            raise InputError(f"a JSON object was expected, got {text!r:.60}: {error}") from None
    pairs = [part.partition("=") for part in text.split(",")]
    wrong = [part for part in pairs if not (part[0].strip() and part[1])]
    if wrong:
        raise InputError(f"a row was expected, got {''.join(wrong[0])!r:.60}", "as in 'age=39, sex=Male', or JSON")
    return {name.strip(): value.strip() for name, _, value in pairs}


def given(options: Namespace, model: Table) -> dict[str, Any]:
    """Return the rows to judge: arguments, files, or stdin."""
    return written_rows(options.texts, model) if options.texts else frame(options, options.input or ["-"])


def written_rows(texts: Sequence[str], model: Table) -> dict[str, Any]:
    """Return rows that are written as arguments."""
    rows = [row_of(text) for text in texts]
    strange = [name for row in rows for name in row if name not in (*model.layout.names, model.target)]
    if strange:
        raise InputError(f"no column is called {strange[0]!r}", f"there are {listed(model.layout.names, 20)}")
    # Who writes a row by hand leaves out what is not known.
    return {name: [row.get(name) for row in rows] for name in model.layout.names}


def said(model: Table) -> None:
    """Tell what was odd about the columns."""
    for line in model.said:
        note(line)


def unlabelled(model: Table, columns: dict[str, Any]) -> Source:
    """Return rows to judge."""
    source = model.unlabelled(columns)
    said(model)
    return source


def parted(options: Namespace, columns: dict[str, Any], target: str | None) -> tuple[str, dict[str, Any], Any]:
    """Return the target's name, the columns and the target's values, without the rows that lack them."""
    target = options.label_column or target or sources.recognise.guess(list(columns), [], "", None)[1]
    if target is None or target not in columns:
        what = "the column to predict was expected" if target is None else f"no column is called {target!r}"
        raise InputError(what, f"--label names it; there are {listed(columns, 20)}")
    values = read(columns[target], target)
    gone = np.isnan(values) if values.dtype.kind == "f" else np.array([value is None for value in values])
    if gone.any() and options.strict:
        raise InputError(f"a label was expected, got none in row {int(np.argmax(gone))}, column {target!r}")
    if gone.any():
        note(f"{number(int(gone.sum()), 'row')} without label skipped")
    kept = {name: _column(cells)[~gone] for name, cells in columns.items() if name != target}
    return target, kept, values[~gone]


def _column(cells: Any) -> Any:
    if hasattr(cells, "dtype"):
        return cells
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array


def labels(model: Table, values: Any) -> list[Any]:
    """Return labels as the model names them: numbers too are names in a file."""
    if isinstance(model, TableRegressor):
        return list(values)
    return [named(value) for value in values.tolist()]


def named(value: Any) -> str:
    """Return a label as text; 3.0 is 3."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def labelled(options: Namespace, opened: file.File, data: Sequence[str]) -> Source:
    """Return rows of files with their labels, as the model reads them."""
    model = table_in(opened)
    _, columns, values = parted(options, frame(options, data), model.target)
    if isinstance(model, TableRegressor) and values.dtype.kind != "f":
        raise InputError(f"numbers were expected in column {model.target!r}, got {values[0]!r:.40}")
    source = model.labelled(columns, np.array(labels(model, values)) if len(values) else [])
    said(model)
    return source


def numbers(model: TableRegressor, columns: dict[str, Any], options: Namespace) -> Iterator[str]:
    """Write the answer to each row: the mean, or what the loss asks for; with quantiles if wished."""
    density = model.posterior(columns)
    said(model)
    levels = options.quantiles or []
    loss = LOSSES[options.loss or "squared"]()
    answer, (low, high) = loss.act(density), density.interval(0.9)
    quantiles = np.array([density.quantile(level) for level in levels]).reshape(len(levels), len(density)).T
    for place in range(len(density)):
        if options.json:
            one = {"answer": answer[place], "mean": density.mean()[place], "low_90": low[place], "high_90": high[place]}
            yield (
                json.dumps(
                    {name: float(value) for name, value in one.items()}
                    | {"quantiles": {f"{level:g}": float(q) for level, q in zip(levels, quantiles[place], strict=True)}}
                )
                + "\n"
            )
        else:
            cells = quantiles[place].tolist() if levels else [float(answer[place])]
            yield "\t".join(f"{cell:.6g}" for cell in cells) + "\n"


def trained(options: Namespace, told: Any) -> tuple[Table, int]:
    """Learn the table that the options name."""
    target, columns, values = parted(options, frame(options, options.data), None)
    if not columns:
        raise InputError(f"columns besides {target!r} were expected, got none")
    numeric = values.dtype.kind == "f"
    regression = options.target == "number" or (options.target is None and numeric and len(np.unique(values)) > 2)
    if regression and not numeric:
        raise InputError(f"numbers were expected in column {target!r}, got {values[0]!r:.40}", "--target class")
    model = settled(options, regression)
    model.fit_to(columns, target, values if regression else np.array([named(value) for value in values]), told=told)
    classes = model.rows.classes
    if not regression and len(classes) < 2:
        raise InputError(f"two classes at least were expected, got only {classes[0]!r} in column {target!r}")
    return model, len(values)


def settled(options: Namespace, regression: bool) -> Table:
    """Return a model with the settings that the options name, that has learned nothing."""
    from plainbayes.cli.commands.train import prior as prior_of

    prior = None if options.prior is None else prior_of(options.prior)
    kinds = {name: str(kind) for name, kind in row_of(options.kinds).items()} if options.kinds else None
    return (TableRegressor if regression else TableClassifier)(kinds, prior, options.effort)


def columns_shown(model: Table) -> Iterator[str]:
    """Write what is seen in each column, those first that tell most."""
    rows = [("column", "kind", "tells", "")]
    for finding in sorted(model.findings, key=lambda each: -each.nats):
        note = "; ".join(str(each) for each in (finding.note, finding.event) if each)
        rows.append((finding.name, finding.kind, f"{finding.nats:.3f}", note))
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    for name, kind, nats, text in rows:
        yield f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {nats:>{widths[2]}}  {text}".rstrip() + "\n"


def write(lines: Iterator[str]) -> None:
    """Write lines to stdout."""
    sys.stdout.writelines(lines)
