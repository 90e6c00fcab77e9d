"""How good answers to rows of tables are, against naive Bayes as others have it and against ceilings that are none.

A data set is NAME.parquet in a folder. Its target is what registry.json says ({"NAME": {"target": ..., "task":
"class" or "reg"}}), or --label, or a known name, or the last column. The column _split parts it into "train" and "test"
if it is there; else every row is tested with probability 0.3, and small tables are parted several times, since one part
is too few rows to tell systems apart: figures are means. Systems run in one process, on one thread each. Small tables
that come with scikit-learn, and one of three normal classes, are judged unless a folder is given.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression, QuantileRegressor
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler

from bench.text import DATA
from bench.timing import progress
from plainbayes import TableClassifier, TableRegressor
from plainbayes.addends import addends
from plainbayes.evaluate import evaluate
from plainbayes.posterior import Posterior
from plainbayes.sources.recognise import LABEL
from plainbayes.tables import estimates

Row = dict[str, Any]
# The targets of data sets that are known by name.
KNOWN = {
    "adult": "income",
    "vowel": "Class",
    "wine_quality_red": "quality",
    "mixed_womens_clothing": "Recommended IND",
    "reg_abalone": "Class_Rings",
    "reg_bike_sharing": "count",
    "reg_california_housing": "MedHouseVal",
}
MANY = 60  # different values of a column above which it is no category to the rivals
FEW = 20  # different whole numbers up to which a target is a class
SMALL = 10_000  # rows below which a table is parted so many times
SPLITS = 5
MOST = 20_000  # rows that quantile regression, a linear program, is given


def run(options: argparse.Namespace) -> list[Row]:
    """Every system on every table."""
    home = Path(options.data or DATA / "tables")
    registry = json.loads((home / "registry.json").read_text()) if (home / "registry.json").exists() else {}
    found = {path.stem: partial(pd.read_parquet, path) for path in sorted(home.glob("*.parquet"))}
    if not found:
        print(f"tables: no data sets in {home}", file=sys.stderr)
    found |= {} if options.data else BUNDLED
    return [
        row
        for name in found
        if name in (options.only or found)
        for row in compete(name, found[name](), registry.get(name, {}), options)
    ]


def bundled(load: Callable[..., Any]) -> pd.DataFrame:
    """A table that comes with scikit-learn."""
    cells = load(as_frame=True)
    return cells.data.assign(target=cells.target_names[cells.target])


def normal(rows: int = 300, columns: int = 8) -> pd.DataFrame:
    """Three classes, each of whose columns are normal around means that hardly differ: what GaussianNB is made for."""
    chance = np.random.default_rng(1)
    truth, means = chance.integers(0, 3, rows), chance.normal(0, 0.7, (3, columns))
    frame = pd.DataFrame(chance.normal(means[truth]), columns=[f"x{place}" for place in range(columns)])
    return frame.assign(target=np.array(["a", "b", "c"])[truth])


BUNDLED = {
    "sklearn_iris": partial(bundled, load_iris),
    "sklearn_wine": partial(bundled, load_wine),
    "normal": normal,
}


def compete(name: str, frame: pd.DataFrame, known: Row, options: argparse.Namespace) -> Iterator[Row]:
    """Every system in turn; one that fails says so in its row."""
    if options.scale < 1:
        frame = frame.sample(frac=options.scale, random_state=0)
    target = known.get("target") or options.label or KNOWN.get(name) or guessed(list(frame))
    tests = held_out(frame)
    y = frame.pop(target)
    there = y.notna()
    frame, y, tests = frame[there], y[there], [test[there] for test in tests]
    number = known.get("task", "reg" if is_number(name, y) else "class") == "reg"
    systems = NUMBERS if number else CLASSES
    # Nothing is to be predicted from columns that add up to the target: nobody gets them.
    frame = frame.drop(columns=known_with(frame[~tests[0]], y[~tests[0]])) if number else frame
    for turn, (system, job) in enumerate(systems.items(), start=1):
        started = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                each = [job(frame[~test], y[~test], frame[test], y[test]) for test in tests]
            figures = {what: float(f"{np.mean([one[what] for one in each]):.5g}") for what in each[0]}
        except Exception as error:
            figures = {"failed": f"{type(error).__name__}: {error}".replace("|", "/").splitlines()[0][:120]}
        progress(name, turn, len(systems))
        spent = float(f"{(time.process_time() - started) / len(tests):.3g}")
        yield {"case": name, "system": system} | figures | {"cpu_seconds": spent}


def guessed(names: list[str]) -> str:
    """Return the column that is called like a target, or the last."""
    there = {name.lower(): name for name in names}
    return next((there[name] for name in LABEL if name in there), [name for name in names if name != "_split"][-1])


def held_out(frame: pd.DataFrame) -> list[Any]:
    """Which rows are tested, each time."""
    if "_split" in frame:
        return [(frame.pop("_split") == "test").to_numpy()]
    seeds = range(SPLITS if len(frame) < SMALL else 1)
    return [np.random.RandomState(seed).rand(len(frame)) < 0.3 for seed in seeds]


def is_number(name: str, y: pd.Series) -> bool:
    """Whether a target is a number rather than the name of a class."""
    return name.startswith("reg_") or (pd.api.types.is_float_dtype(y) and y.nunique() > FEW)


def known_with(train: pd.DataFrame, y: pd.Series) -> list[str]:
    """Return the columns that add up to the target in the rows to learn from."""
    numbers = train.select_dtypes("number").astype(float)
    groups = addends({name: numbers[name].to_numpy() for name in numbers}, y.to_numpy(dtype=float))
    return [name for group in groups for name in group]


# Classes


def classified(answer: Callable[[Any, Any, Any], tuple[Any, ...]]) -> Callable[..., Row]:
    """The figures of what gives classes and probabilities."""

    def job(train: Any, labels: Any, test: Any, truths: Any) -> Row:
        classes, chances, *trained = answer(train, labels.astype(str), test)
        chances = np.maximum(chances, 2e-16)
        logs = np.log(chances / chances.sum(axis=1, keepdims=True))
        posterior = Posterior(tuple(map(str, classes)), logs, np.zeros(len(test), dtype=bool))
        result = evaluate(list(truths.astype(str)), posterior)
        seconds = {"train_cpu_seconds": trained[0]} if trained else {}
        return {"accuracy": result.accuracy, "log_loss": result.log_loss, "ece": result.ece} | seconds

    return job


def ours(effort: Any) -> Callable[[Any, Any, Any], tuple[Any, Any, float]]:
    """Whatever the columns are; with the time of training alone."""

    def answer(train: Any, labels: Any, test: Any) -> tuple[Any, Any, float]:
        started = time.process_time()
        model = TableClassifier(effort=effort).fit(train, list(labels))
        spent = time.process_time() - started
        return model.classes, model.predict_proba(test), spent

    return answer


def rival(model: Any, numbers: Any, categories: Any, missing: str = "most_frequent") -> Callable[..., tuple[Any, Any]]:
    """A model of scikit-learn behind what it needs to read numbers and categories."""

    def answer(train: Any, labels: Any, test: Any) -> tuple[Any, Any]:
        train, test = readable(train, test)
        pipeline = make_pipeline(prepared(train, numbers, categories, missing), model)
        pipeline.fit(train, labels)
        return pipeline.classes_, pipeline.predict_proba(test)

    return answer


def readable(train: pd.DataFrame, test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Numbers as they are, dates as numbers, texts of few kinds as categories; the rest says nothing to the rivals."""
    keep = {}
    for name in train:
        column = train[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            keep[name] = [each[name].astype("int64").astype(float) for each in (train, test)]
        elif pd.api.types.is_numeric_dtype(column):
            keep[name] = [each[name].astype(float) for each in (train, test)]
        elif column.nunique() <= MANY:
            keep[name] = [each[name].fillna("missing").astype(str) for each in (train, test)]
    one, other = (pd.DataFrame({name: pair[place] for name, pair in keep.items()}) for place in (0, 1))
    return one, other


def prepared(train: pd.DataFrame, numbers: Any, categories: Any, missing: str) -> Any:
    """Columns of either kind, each in its way."""
    numeric = [name for name in train if pd.api.types.is_float_dtype(train[name])]
    others = [name for name in train if name not in numeric]
    steps = [] if missing == "keep" else [SimpleImputer(strategy=missing, keep_empty_features=True)]
    return make_column_transformer((make_pipeline(*steps, numbers), numeric), (categories, others), sparse_threshold=0)


class Kept:
    """Unknown categories of a test as one more, which CategoricalNB cannot do by itself."""

    def __init__(self) -> None:
        self.encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def answer(self, train: Any, labels: Any, test: Any) -> tuple[Any, Any]:
        """Numbers in bins, categories by number."""
        train, test = readable(train, test)
        bins = KBinsDiscretizer(10, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
        before = prepared(train, bins, self.encoder, "median")
        cells, more = before.fit_transform(train) + 1, before.transform(test) + 1
        sizes = np.maximum(cells.max(axis=0), more.max(axis=0)).astype(int) + 1
        model = CategoricalNB(min_categories=sizes).fit(cells, labels)
        return model.classes_, model.predict_proba(more)


HOT = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
CODES = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
CLASSES: dict[str, Callable[..., Row]] = {
    "plainbayes plain": classified(ours("plain")),
    "plainbayes quick": classified(ours("quick")),
    "scikit-learn GaussianNB": classified(rival(GaussianNB(), "passthrough", HOT, "median")),
    "scikit-learn CategoricalNB": classified(lambda *data: Kept().answer(*data)),
    "scikit-learn LogisticRegression": classified(
        rival(LogisticRegression(max_iter=300), StandardScaler(), HOT, "median")
    ),
    "scikit-learn HistGradientBoosting": classified(
        rival(HistGradientBoostingClassifier(random_state=0), "passthrough", CODES, "keep")
    ),
}


# Numbers


def measured(truths: Any, means: Any, medians: Any, low: Any, high: Any) -> Row:
    """Errors of the mean and of the median, and what the middle 90% covers and costs."""
    truth = np.asarray(truths, dtype=float)
    pinball = [np.maximum(q * (truth - at), (q - 1) * (truth - at)) for q, at in ((0.05, low), (0.95, high))]
    return {
        "rmse": float(np.sqrt(np.mean((means - truth) ** 2))),
        "mae": float(np.mean(np.abs(medians - truth))),
        "pinball": float(np.mean(pinball)),
        "coverage_90": float(np.mean((truth >= low) & (truth <= high))),
    }


def our_number(train: Any, y: Any, test: Any, truths: Any) -> Row:
    """Whatever the columns are."""
    model = TableRegressor().fit(train, y.to_numpy(dtype=float))
    figures = estimates(truths.to_numpy(dtype=float), model.posterior(test))
    return {name: figures[name] for name in ("rmse", "mae", "pinball", "coverage_90", "crps")}


def number_rival(model: Any, numbers: Any, missing: str = "median") -> Callable[..., Row]:
    """A model of scikit-learn; its middle 90% is that of its errors in training."""

    def job(train: Any, y: Any, test: Any, truths: Any) -> Row:
        train, test = readable(train, test)
        pipeline = make_pipeline(prepared(train, numbers, HOT, missing), model).fit(train, y)
        off = y - pipeline.predict(train)
        answers = pipeline.predict(test)
        return measured(truths, answers, answers, *(answers + np.quantile(off, q) for q in (0.05, 0.95)))

    return job


def quantile_rival(train: Any, y: Any, test: Any, truths: Any) -> Row:
    """Three linear programs: the median and the ends of the middle 90%."""
    train, test = readable(train, test)
    some = train.sample(min(len(train), MOST), random_state=0)
    models = {
        q: make_pipeline(
            prepared(train, StandardScaler(), HOT, "median"), QuantileRegressor(quantile=q, alpha=0, solver="highs")
        ).fit(some, y.loc[some.index])
        for q in (0.05, 0.5, 0.95)
    }
    low, middle, high = (model.predict(test) for model in models.values())
    return measured(truths, middle, middle, low, high)


NUMBERS: dict[str, Callable[..., Row]] = {
    "plainbayes quick": our_number,
    "scikit-learn LinearRegression": number_rival(LinearRegression(), StandardScaler()),
    "scikit-learn BayesianRidge": number_rival(BayesianRidge(), StandardScaler()),
    "scikit-learn KNeighborsRegressor": number_rival(KNeighborsRegressor(15), StandardScaler()),
    "scikit-learn QuantileRegressor": quantile_rival,
    "scikit-learn HistGradientBoosting": number_rival(
        HistGradientBoostingRegressor(random_state=0), "passthrough", "median"
    ),
}
