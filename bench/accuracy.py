"""How often, how surely and at what cost systems are right about real texts, each with its best honest setting.

A data set is a folder with train.parquet and test.parquet, columns label and text. Every system runs in a process of
its own on one thread; CPU time is from file to model and from file to answers, both held in memory, imports left out.
What a rival tries before it settles on a setting is part of its training, as it is of ours.

A class that only the test set has makes its rows wrong for everybody; log loss is over the others, with probabilities
of at least 2e-16. Rivals read scripts without spaces as characters, one and two in a row, in place of words.
"""

from __future__ import annotations

import argparse
import re
import resource
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC

from bench.text import DATA
from bench.timing import progress, table
from plainbayes import TextClassifier
from plainbayes.evaluate import evaluate
from plainbayes.posterior import Posterior

Row = dict[str, Any]
Candidates = list[tuple[str, Any, dict[str, Any]]]  # ways to make features, each with the models tried on them

SMALL = 2e6  # bytes of training text up to which C is searched for
# Han, kana, Bopomofo, Thai, Lao, Tibetan, Myanmar, Khmer; Hangul has spaces.
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1780-\u17ff\u3005-\u312f\u31a0-\u31ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
SPANS = {"word": ((1, 1), (1, 2)), "char": ((1, 2), (1, 3))}


def run(options: argparse.Namespace) -> list[Row]:
    """Every system on every data set."""
    home = Path(options.data or DATA / "text")
    found = sorted(path.parent.name for path in home.glob("*/train.parquet") if path.with_name("test.parquet").exists())
    if strange := set(options.only) - set(found):
        there = ", ".join(found) or "none"
        print(f"no data set is called {', '.join(sorted(strange))} in {home}; there are {there}", file=sys.stderr)
        sys.exit(2)
    if not found:
        print(f"accuracy: no data sets in {home}", file=sys.stderr)
    return [row for name in found if name in (options.only or found) for row in compete(home / name, options.scale)]


def compete(folder: Path, scale: float) -> Iterator[Row]:
    """Every system in turn, in a process of its own; one that fails says so in its row."""
    for turn, system in enumerate(SYSTEMS, start=1):
        try:
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                figures = pool.submit(attempt, system, folder, scale).result()
        except BrokenProcessPool:
            figures = {"failed": "its process was killed"}
        progress(folder.name, turn, len(SYSTEMS))
        yield {"case": folder.name, "system": system} | figures


def attempt(system: str, folder: Path, scale: float) -> Row:
    """The figures of a system, or why there are none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return measure(SYSTEMS[system](), folder, scale)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}".replace("|", "/").splitlines()[0][:120]}


class System(Protocol):
    """What learns texts; `chances` are probabilities or, if it is not `sure` of any, 1 for its answer."""

    sure: bool
    classes: list[str]
    figures: Row  # what it has to say of itself

    def fit(self, texts: list[str], labels: list[str]) -> None: ...
    def chances(self, texts: list[str]) -> NDArray[Any]: ...


def measure(system: System, folder: Path, scale: float = 1.0) -> Row:
    """Train, predict and compare with the truth."""
    started = spent()
    system.fit(*read(folder / "train.parquet", scale))
    trained = spent()
    texts, truths = read(folder / "test.parquet", scale)
    chances = system.chances(texts)
    answered = spent()
    quality = judged(truths, system.classes, chances)
    if not system.sure:
        quality = {name: quality[name] for name in ("accuracy", "macro_f1")}
    return (
        {name: round(value, 5) for name, value in quality.items()}
        | {"train_cpu_seconds": float(f"{trained - started:.4g}")}
        | {"predict_cpu_seconds": float(f"{answered - trained:.4g}")}
        | system.figures
    )


def spent() -> float:
    """CPU seconds of this process and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def read(path: Path, scale: float) -> tuple[list[str], list[str]]:
    """Texts and labels: a label is its name, no text is an empty text, a row without a label is left out."""
    frame = polars.read_parquet(path, columns=["label", "text"]).drop_nulls("label")
    if scale < 1:
        frame = frame.sample(fraction=scale, shuffle=True, seed=0)
    return frame["text"].cast(polars.String).fill_null("").to_list(), frame["label"].cast(polars.String).to_list()


def judged(truths: Sequence[str], classes: Sequence[str], chances: NDArray[Any]) -> dict[str, float]:
    """Accuracy, macro F1, calibration error and, over rows whose class could be known, log loss."""
    logs = np.log(np.clip(chances, np.finfo(np.float64).eps, 1))
    known = np.isin(np.asarray(truths), np.asarray(classes))

    def over(rows: NDArray[np.bool_]) -> Any:
        some = [truth for truth, there in zip(truths, rows, strict=True) if there]
        return evaluate(some, Posterior(tuple(classes), logs[rows], np.zeros(len(some), dtype=bool)))

    whole = over(np.ones(len(truths), dtype=bool))
    quality = {"accuracy": whole.accuracy, "macro_f1": whole.macro_f1}
    return quality | ({"log_loss": over(known).log_loss} if known.any() else {}) | {"ece": whole.ece}


class Ours:
    """plainbayes, with the accuracy it expects of itself, to stand beside what comes of it."""

    sure = True

    def __init__(self, effort: str) -> None:
        self.model = TextClassifier(effort=effort)

    def fit(self, texts: list[str], labels: list[str]) -> None:
        """Learn."""
        self.model.fit(texts, labels)
        self.classes = [str(label) for label in self.model.classes]
        said = vars(self.model.trust.estimate) if self.model.trust else {}
        self.figures = {
            f"estimated_{name}": round(said[name], 5) for name in ("accuracy", "accuracy_error", "log_loss") if said
        }

    def chances(self, texts: list[str]) -> NDArray[Any]:
        """Probabilities."""
        return self.model.predict_proba(texts)


class Rival:
    """The candidate of scikit-learn that is right most often in cross-validation; the first if nothing tells."""

    def __init__(self, candidates: Callable[[list[str]], Candidates], folds: int = 0) -> None:
        self.candidates, self.folds = candidates, folds

    def fit(self, texts: list[str], labels: list[str]) -> None:
        """Choose, then learn with all texts."""
        X, y = np.array(texts, dtype=object), np.array(labels)
        candidates = self.candidates(texts)
        every = [(how, made, name, model) for how, made, models in candidates for name, model in models.items()]
        right = np.zeros(len(every), dtype=int)
        for train, test in split(y, self.folds if len(every) > 1 else 0):
            right += list(rights(candidates, X, y, train, test))
        how, features, name, model = every[right.argmax()]
        self.model = make_pipeline(features, model).fit(X, y)
        self.classes = self.model.classes_.tolist()
        self.sure = hasattr(self.model, "predict_proba")
        self.figures = {"setting": f"{name}, {how}"}

    def chances(self, texts: list[str]) -> NDArray[Any]:
        """Probabilities, or 1 for the answer."""
        if self.sure:
            return np.asarray(self.model.predict_proba(texts))
        return np.asarray(self.model.predict(texts)[:, None] == self.model.classes_, dtype=float)


def split(y: NDArray[Any], folds: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Folds, fewer where classes are small, without those that leave a single class to learn."""
    folds = min(folds, np.unique(y, return_counts=True)[1].max())
    if folds > 1:
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y):
            if len(np.unique(y[train])) > 1:
                yield train, test


def rights(candidates: Candidates, X: NDArray[Any], y: NDArray[Any], train: Any, test: Any) -> Iterator[int]:
    """How many answers of each candidate are right in one fold; features are made once for all models on them."""
    for _, features, models in candidates:
        made = clone(features)
        learned, asked = made.fit_transform(X[train]), made.transform(X[test])
        for model in models.values():
            yield int((clone(model).fit(learned, y[train]).predict(asked) == y[test]).sum())


def plain(texts: list[str]) -> Candidates:
    """scikit-learn's multinomial naive Bayes as it comes."""
    unit = units(texts)
    span = SPANS[unit][0]
    return [(f"{unit} {span}", CountVectorizer(analyzer=unit, ngram_range=span), {"alpha=1": MultinomialNB()})]


def bayes(texts: list[str]) -> Candidates:
    """All of scikit-learn's naive Bayes over counts; for BernoulliNB tf-idf is the same as counts."""
    alphas, kinds = (1.0, 0.1, 0.01), (MultinomialNB, ComplementNB, BernoulliNB)
    models = {f"{kind.__name__} alpha={alpha:g}": kind(alpha=alpha) for kind in kinds for alpha in alphas}
    weighed = {f"{name} tf-idf": model for name, model in models.items() if not isinstance(model, BernoulliNB)}
    models |= {name: make_pipeline(TfidfTransformer(), model) for name, model in weighed.items()}
    unit = units(texts)
    return [(f"{unit} {span}", CountVectorizer(analyzer=unit, ngram_range=span), models) for span in SPANS[unit]]


def linear(kind: Callable[[float], Any], usual: float, characters: bool) -> Callable[[list[str]], Candidates]:
    """A linear model of tf-idf of words and pairs, perhaps with characters beside them; C is searched in small sets."""

    def candidates(texts: list[str]) -> Candidates:
        unit = units(texts)
        how, features = f"{unit} (1, 2)", TfidfVectorizer(analyzer=unit, ngram_range=(1, 2), sublinear_tf=True)
        small = sum(len(text.encode()) for text in texts) < SMALL
        if characters:
            # A third of the runs in mr, half in trec6, stand in one text only: too many to keep of large sets.
            least = 1 if small else 2
            runs = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, min_df=least)
            how, features = f"{how} + char_wb (2, 5)", FeatureUnion([("words", features), ("characters", runs)])
        searched = [C for C in (0.3, 1.0, 3.0, 10.0) if small and C != usual]
        return [(how, features, {f"C={C:g}": kind(C) for C in (usual, *searched)})]

    return candidates


def logistic(C: float) -> LogisticRegression:
    """Logistic regression; with 77 classes saga takes a twentieth of the time of lbfgs, and is as good."""
    return LogisticRegression(C=C, solver="saga", tol=1e-3, max_iter=200, random_state=0)


def vector(C: float) -> LinearSVC:
    """A linear support vector machine."""
    return LinearSVC(C=C, random_state=0)


def units(texts: list[str]) -> str:
    """What rivals count: "char" where a third of the letters are of scripts without spaces, else "word"."""
    seen = "".join(texts[:: len(texts) // 1000 + 1])
    letters = sum(map(str.isalpha, seen))
    return "char" if 3 * len(UNSPACED.findall(seen)) > letters else "word"


class FastText:
    """fastText with pairs of words, 25 epochs and a rate of 0.5; texts as its tutorial prepares them."""

    sure = True

    def __init__(self) -> None:
        import fasttext

        self.library = fasttext
        self.figures: Row = {}

    def fit(self, texts: list[str], labels: list[str]) -> None:
        """Learn lines in the order of a seeded shuffle."""
        self.classes = sorted(set(labels))
        self.characters = units(texts) == "char"
        place = {label: number for number, label in enumerate(self.classes)}
        lines = [f"__label__{place[label]} {self.prepared(text)}\n" for text, label in zip(texts, labels, strict=True)]
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
            file.writelines(lines[row] for row in np.random.default_rng(0).permutation(len(lines)))
            file.flush()
            self.model = self.library.train_supervised(
                input=file.name, wordNgrams=2, epoch=25, lr=0.5, thread=1, seed=0, verbose=0
            )

    def chances(self, texts: list[str]) -> NDArray[Any]:
        """Probabilities; all the same where it says nothing."""
        found = np.zeros((len(texts), len(self.classes)))
        for row, text in enumerate(texts):
            # Not model.predict: of many texts 0.9.2 gives the first probability to all classes, of one NumPy 2 fails.
            for chance, name in self.model.f.predict(f"{self.prepared(text)}\n", -1, 0.0, "strict"):
                found[row, int(name.removeprefix("__label__"))] = chance
        found[found.sum(axis=1) == 0] = 1
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def prepared(self, text: str) -> str:
        """Lower case, punctuation apart, one line; characters apart if there are no spaces."""
        apart = re.sub(r"([.!?,'/()])", r" \1 ", text.lower().replace("__label__", " "))
        return " ".join("".join(apart.split()) if self.characters else apart.split())


SYSTEMS: dict[str, Callable[[], System]] = {
    "plainbayes plain": lambda: Ours("plain"),
    "plainbayes quick": lambda: Ours("quick"),
    "plainbayes best": lambda: Ours("best"),
    "MultinomialNB": lambda: Rival(plain),
    "naive Bayes, best of grid": lambda: Rival(bayes, 5),
    "LogisticRegression": lambda: Rival(linear(logistic, 10.0, characters=False), 3),
    "LinearSVC": lambda: Rival(linear(vector, 1.0, characters=False), 3),
    "LogisticRegression, characters too": lambda: Rival(linear(logistic, 10.0, characters=True), 3),
    "LinearSVC, characters too": lambda: Rival(linear(vector, 1.0, characters=True), 3),
    "fastText": FastText,
}


def report(rows: list[Row]) -> str:
    """A table for each data set, then the summary."""
    cases = dict.fromkeys(row["case"] for row in rows)
    tables = {case: [without(row, "case") for row in rows if row["case"] == case] for case in cases}
    tables |= {"summary": summary(rows)} if rows else {}
    return "\n\n".join(f"{name}\n\n{table(some)}" for name, some in tables.items())


def without(row: Row, key: str) -> Row:
    """All but one."""
    return {name: value for name, value in row.items() if name != key}


def summary(rows: list[Row]) -> list[Row]:
    """Means over data sets where a system ran, its mean rank (last where it failed), and how far it once fell back."""
    ranks: dict[str, list[float]] = {}
    best: dict[str, float] = {}
    for case in dict.fromkeys(row["case"] for row in rows):
        some = [row for row in rows if row["case"] == case]
        for row, rank in zip(some, rankdata([-row.get("accuracy", -1) for row in some]), strict=True):
            ranks.setdefault(row["system"], []).append(rank)
        rivals = [row["accuracy"] for row in some if "accuracy" in row and not row["system"].startswith("plainbayes")]
        best |= {case: max(rivals)} if rivals else {}
    return [
        {"system": system}
        | outcome([row for row in rows if row["system"] == system and "accuracy" in row], best)
        | {"mean_rank": round(float(np.mean(places)), 2)}
        for system, places in ranks.items()
    ]


def outcome(rows: list[Row], best: dict[str, float]) -> Row:
    """What the rows of one system come to, given the best accuracy of a rival in each data set."""
    means = {f"mean_{name}": [row[name] for row in rows if name in row] for name in ("accuracy", "ece")}
    gaps = [(best[row["case"]] - row["accuracy"], row["case"]) for row in rows if row["case"] in best]
    found: Row = {"sets": len(rows)} | {name: round(float(np.mean(each)), 5) for name, each in means.items() if each}
    return found | ({"largest_gap": round(max(gaps)[0], 5), "gap_at": max(gaps)[1]} if gaps else {})
