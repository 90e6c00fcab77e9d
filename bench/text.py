"""From a file of texts to a saved model, and from a file to labels, against rivals; CPU time, one thread unless said.

Every system is a program of its own, and timed without its imports; the start of plainbayes is a case of its own. Of
Chinese, which has no spaces, scikit-learn reads characters and their pairs, as plainbayes does: its own words would be
whole clauses. Files are made by a seeded generator (words drawn by Zipf's law in Latin, Cyrillic and Han letters), and
real ones are added where PLAINBAYES_DATA or ../shared/data has them.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench.timing import PEAK, progress, ratios

Figures = dict[str, float]
DATA = Path(os.environ.get("PLAINBAYES_DATA", Path(__file__).parents[2] / "shared" / "data"))
REAL = ("imdb", "20ng", "ru_telegram_topic", "zh_tnews", "zh_mlclass3")

LETTERS = {
    "English-like": "abcdefghijklmnopqrstuvwxyz",
    "Russian-like": "абвгдежзийклмнопрстуфхцчшщъыьэюя",
    "Chinese-like": "".join(map(chr, range(0x4E00, 0x4E00 + 4000))),
}


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """100 MB a language, real data, a file of 2 GB, a model of a million words."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        return [row for cases in (languages, real, memory, opening, starting) for row in cases(home, options.scale)]


def languages(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """Texts drawn by Zipf's law."""
    for name in LETTERS:
        path = home / f"{name}.tsv"
        write(path, name, int(100e6 * scale))
        yield from both(name, path, path)


def real(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """Real texts, where they are."""
    for name in REAL:
        if (DATA / "text" / name).exists():
            yield from both(
                name, *(lines(DATA / "text" / name / f"{part}.parquet", home) for part in ("train", "test"))
            )


def both(name: str, train: Path, test: Path) -> Iterator[dict[str, Any]]:
    """Train and predict with every system there is."""
    marked = train.with_suffix(".marked")
    marked.write_text("".join(f"__label__{line}" for line in train.open(encoding="utf-8")).replace("\t", " "))
    numbers: dict[str, int] = {}
    numbered = [vowpal(file, numbers) for file in (train, test)]
    model = train.with_suffix(".model")
    places: dict[str, Any] = {"TRAIN": str(train), "TEST": str(test), "MARKED": str(marked), "MODEL": str(model)}
    places |= {"NUMBERED": str(numbered[0]), "ASKED": str(numbered[1]), "CLASSES": str(len(numbers))}
    places["READING"] = CHARACTERS if name.startswith(("Chinese", "zh_")) else {}
    for job, systems, path in (("train", TRAINING, train), ("predict", PREDICTING, test)):
        yield from compete(f"{name}: {job}", systems, places, path.stat().st_size / 1e6)


def compete(
    case: str, systems: dict[str, Any], places: dict[str, Any], size: float, repeat: int = 2
) -> list[dict[str, Any]]:
    """Run every system in turn, several times; the ratio is to the first one's CPU time, larger is faster."""
    best: dict[str, Figures] = {}
    for turn in range(repeat):
        for name, system in systems.items():
            own = {**places, "MODEL": f"{places['MODEL']}.{name.split(',')[0].replace(' ', '-')}"}
            figures = timed(system, own)
            if figures is not None:
                best[name] = {key: min(value, best.get(name, figures)[key]) for key, value in figures.items()}
        progress(case, turn + 1, repeat)
    first = next(iter(best.values()))["cpu_seconds"]
    return [
        {"case": case, "system": name, "ratio": round(first / figures["cpu_seconds"], 2)}
        | {key: float(f"{value:.4g}") for key, value in figures.items()}
        | {"mb_per_second": round(size / figures["cpu_seconds"], 1)}
        for name, figures in best.items()
    ]


def timed(system: Any, places: dict[str, Any]) -> Figures | None:
    """CPU time, wall time and memory of a system, or None if it is not there.

    A system is a command, or imports and work in Python, of which only the work is timed.
    """
    if isinstance(system, list):
        return spent([places.get(word, word) for word in system])[0]
    imports, work = system
    if any(importlib.util.find_spec(name) is None for name in imports):
        return None
    values = "".join(f"{name} = {place!r}\n" for name, place in places.items())
    program = "".join(f"import {name}\n" for name in imports) + values + CLOCK + work + STOP
    _, said = spent([sys.executable, "-c", program])
    return dict(zip(("cpu_seconds", "wall_seconds", "peak_mb"), map(float, said[-3:]), strict=True))


CLOCK = "import time\ncpu, wall = time.process_time(), time.perf_counter()\n"
STOP = f"\nprint()\nprint(time.process_time() - cpu, time.perf_counter() - wall, end=' ', flush=True){PEAK}"


def spent(words: list[str]) -> tuple[Figures, list[str]]:
    """Run a command; return its CPU and wall time, and the last of what it said."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_seconds": cpu, "wall_seconds": wall}, done.stdout[-200:].decode(errors="replace").split()


READ = "rows = [line.rstrip('\\n').split('\\t', 1) for line in open({}, encoding='utf-8')]\ny, X = zip(*rows)\n"
SKLEARN = ["sklearn.feature_extraction.text", "sklearn.naive_bayes", "pickle"]
CHARACTERS = {"analyzer": "char", "ngram_range": (1, 2)}
COUNTED = """
words = sklearn.feature_extraction.text.{vectorizer}
model = sklearn.naive_bayes.MultinomialNB().fit(words.fit_transform(X), y)
pickle.dump((words, model), open(MODEL, 'wb'))
"""
ASKED = "words, model = pickle.load(open(MODEL, 'rb'))\nprint('\\n'.join(model.predict(words.transform(X))))\n"
HASHED = "HashingVectorizer(alternate_sign=False, norm=None, **READING)"
GROUPED = """
rows = polars.scan_csv(TRAIN, separator='\\t', has_header=False, new_columns=['label', 'text'], quote_char=None)
words = polars.col('text').str.to_lowercase().str.extract_all(r'\\w\\w+')
counts = rows.select('label', words.alias('word')).explode('word').group_by('label', 'word').len()
counts.collect(engine='streaming').write_parquet(MODEL)
"""
FAST = "model = fasttext.train_supervised(input=MARKED, epoch=1, thread=1, verbose=0)\nmodel.save_model(MODEL)\n"
FASTER = "model = fasttext.FastText._FastText(MODEL)\nprint('\\n'.join(x[0] for x in model.predict(list(X))[0]))\n"
VOWPAL = "vowpalwabbit.Workspace(f'--quiet -b 22 --oaa {CLASSES} -d {NUMBERED} -f {MODEL}').finish()\n"
WABBIT = "vowpalwabbit.Workspace(f'--quiet -t -i {MODEL} -d {ASKED} -p {MODEL}.said').finish()\n"


def ours(words: str, threads: int = 1) -> tuple[list[str], str]:
    """Return the work of a command of plainbayes; words in capitals are places."""
    arguments = ", ".join(word if word.isupper() else repr(word) for word in words.split())
    work = f"os.environ['PLAINBAYES_THREADS'] = '{threads}'\nplainbayes.cli.main([{arguments}])"
    return ["os", "plainbayes.cli"], work


TRAINING = {
    "scikit-learn Count": (SKLEARN, READ.format("TRAIN") + COUNTED.format(vectorizer="CountVectorizer(**READING)")),
    "scikit-learn Hashing": (SKLEARN, READ.format("TRAIN") + COUNTED.format(vectorizer=HASHED)),
    "fastText, 1 epoch": (["fasttext"], FAST),
    "Vowpal Wabbit": (["vowpalwabbit"], VOWPAL),
    "polars group-by": (["polars"], GROUPED),
    "wc -w": ["env", "LC_ALL=C.UTF-8", "wc", "-w", "TRAIN"],
    "plainbayes": ours("train TRAIN -o MODEL --effort plain"),
    "plainbayes, rules sklearn": ours("train TRAIN -o MODEL --effort plain --rules sklearn"),
    "plainbayes, 2 threads": ours("train TRAIN -o MODEL --effort plain", 2),
}
PREDICTING = {
    "scikit-learn Count": (SKLEARN, READ.format("TEST") + ASKED),
    "scikit-learn Hashing": (SKLEARN, READ.format("TEST") + ASKED),
    "fastText, 1 epoch": (["fasttext"], READ.format("TEST") + FASTER),
    "Vowpal Wabbit": (["vowpalwabbit"], WABBIT),
    "plainbayes": ours("predict MODEL -i TEST"),
    "plainbayes, 2 threads": ours("predict MODEL -i TEST", 2),
}


def memory(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """The most memory held while training on a large file of single words."""
    small, large = home / "English-like.tsv", home / "large.tsv"
    size = int(2e9 * scale)
    with large.open("wb") as file:
        while file.tell() < size:
            with small.open("rb") as source:
                shutil.copyfileobj(source, file)
    systems = {
        f"plainbayes, {threads} threads": ours("train TRAIN -o MODEL --effort plain", threads) for threads in (1, 2)
    }
    places = {"TRAIN": str(large), "MODEL": str(home / "large.model")}
    yield from compete(f"train {size / 1e9:g} GB", systems, places, size / 1e6, repeat=2)
    large.unlink()


def opening(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """Opening a model of a million words, two classes, checksum included."""
    from plainbayes import TextClassifier, load

    words = int(1e6 * scale)
    texts = (" ".join(f"word{n}" for n in range(start, start + 100)) for start in range(0, words, 100))
    path = home / "million.bayes"
    TextClassifier(effort="plain").fit(texts, [f"c{row % 2}" for row in range(words // 100)]).save(path)
    best = float("inf")
    for _ in range(9):
        start = time.process_time()
        load(path)
        best = min(best, time.process_time() - start)
    size = path.stat().st_size / 1e6
    yield from ratios(f"open a model of {words:,} words, {size:.0f} MB", {"plainbayes": best}, "cpu_seconds")


def starting(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """One answer from the command line."""
    words = ["plainbayes", "predict", str(home / "English-like.model.plainbayes"), "words"]
    systems = {"nothing": [sys.executable, "-c", "pass"], "plainbayes": [sys.executable, "-m", *words]}
    best = {name: min(spent(system)[0]["cpu_seconds"] for _ in range(9)) for name, system in systems.items()}
    yield from ratios("one cold answer", best, "cpu_seconds")


def write(path: Path, name: str, size: int, seed: int = 0) -> None:
    """Write label<TAB>text lines of about so many bytes: words drawn by Zipf's law, some of them more in one class."""
    rng = np.random.default_rng(seed)
    letters = list(LETTERS[name])
    han = name == "Chinese-like"
    ranks = np.arange(1, 50_001 if han else 150_001)
    chances = [np.where(ranks % 7 == label, 1.5, 1.0) / (ranks + 2.7) for label in range(2)]
    sums = [np.cumsum(each) / each.sum() for each in chances]
    if han:
        # As many different pairs as headlines have, or a few more.
        lengths = 1 + np.minimum(rng.poisson(np.log2(ranks) / 10), 3)
        often = 1 / (np.arange(len(letters)) + 20.0)
    else:
        lengths = np.clip(rng.poisson(np.log2(ranks) / 2.4 + 1.5), 1, 20)
        often = np.ones(len(letters))
    drawn = rng.choice(letters, lengths.sum(), p=often / often.sum())
    words = np.array(["".join(word) for word in np.split(drawn, np.cumsum(lengths)[:-1])], dtype=object)
    each, length = (20_000, 40) if han else (8_000, 230)
    with path.open("w", encoding="utf-8") as file:
        row = 0
        while file.tell() < size:
            label = row % 2
            drawn = words[np.searchsorted(sums[label][:-1], rng.random(each))]
            for start in range(0, each, length):
                text = drawn[start : start + length].tolist()
                text[::12] = [word + ("，" if han else ", ") for word in text[::12]]
                file.write(f"{('neg', 'pos')[label]}\t{('' if han else ' ').join(text).capitalize()}.\n")
            row += 1


def vowpal(path: Path, numbers: dict[str, int]) -> Path:
    """Return label<TAB>text lines as Vowpal Wabbit wants them: a number for each label, and no colons or bars."""
    made = path.with_suffix(".numbered")
    marks = str.maketrans(":|", "  ")
    with path.open(encoding="utf-8") as source, made.open("w", encoding="utf-8") as file:
        for line in source:
            label, text = line.split("\t", 1)
            file.write(f"{numbers.setdefault(label, len(numbers) + 1)} | {text.translate(marks)}")
    return made


def lines(path: Path, home: Path) -> Path:
    """Return a Parquet file as label<TAB>text lines."""
    import polars

    made = home / f"{path.parent.name}.{path.stem}.tsv"
    frame = polars.read_parquet(path)
    with made.open("w", encoding="utf-8") as file:
        for label, text in zip(frame["label"], frame["text"], strict=True):
            file.write(f"{label}\t{' '.join(text.split())}\n")
    return made
