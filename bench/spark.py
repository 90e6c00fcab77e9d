"""Training and answering on Apache Spark, local[2], against MLlib's pipelines and a job that does nothing.

Each system runs in an application of its own, which does its job twice: `cpu_seconds` and `wall_seconds` are of the
whole application up to the end of the first, Java's start and warming up included, as whoever submits it pays for them;
`job_cpu_seconds` and `job_wall_seconds` of the first job alone, from when the session is there, as in a notebook;
`hot_cpu_seconds` and `hot_wall_seconds` of the second. CPU is that of Java and all Pythons together, as /proc tells it;
memory is the most that all of them held at once, `driver_mb` that of the driver's Python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

from bench.text import write
from bench.timing import progress

MEGABYTES = 200
REPEAT = 2
SYSTEMS = ("no-op mapInArrow", "plainbayes", "MLlib count", "MLlib hashing")

PROGRAM = """
import os, sys, time, warnings
warnings.filterwarnings("ignore")
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
from pyspark.sql.functions import col
system, verb, path, parts, memory = sys.argv[1:]
session = (
    SparkSession.builder.master("local[2]").config("spark.driver.memory", memory).config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.log.level", "OFF").config("spark.sql.shuffle.partitions", "4").getOrCreate()
)
frame = session.read.parquet(path)
frame = frame.repartition(int(parts)).cache() if int(parts) else frame

def nothing(batches):
    for batch in batches:
        pass
    yield batch.slice(0, 1)

def train():
    if system == "no-op mapInArrow":
        return frame.select("text", "label").mapInArrow(nothing, "text string, label double").count()
    if system == "plainbayes":
        from plainbayes import TextClassifier
        from plainbayes.spark import fit
        model = fit(frame, text="text", label="label", model=TextClassifier(effort="plain"))
        model.save(path + ".bayes")
        return
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, HashingTF, RegexTokenizer
    words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\\W+")
    counts = (CountVectorizer if system == "MLlib count" else HashingTF)(inputCol="words", outputCol="features")
    model = Pipeline(stages=[words, counts, NaiveBayes()]).fit(frame)
    model.write().overwrite().save(f"{path}.{system}")

def answer():
    if system == "no-op mapInArrow":
        made = frame.select("text", "label").mapInArrow(lambda batches: batches, "text string, label double")
    elif system == "plainbayes":
        import plainbayes
        from plainbayes.spark import transform
        made = transform(frame, plainbayes.load(path + ".bayes"), text="text")
    else:
        from pyspark.ml import PipelineModel
        made = PipelineModel.load(f"{path}.{system}").transform(frame)
    made.write.format("noop").mode("overwrite").save()

job = train if verb == "train" else answer
print("ready", flush=True)
job()
print("first", flush=True)
job()
own = next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(f"end {own}", flush=True)
session.stop()
"""


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Run all cases."""
    with tempfile.TemporaryDirectory() as folder:
        return list(cases(Path(folder), options.scale))


def cases(home: Path, scale: float) -> Iterator[dict[str, Any]]:
    """Train and answer with everybody, then see how counting grows with rows, words and parts."""
    size = round(MEGABYTES * scale)
    whole = parquet(home, f"{size} MB", size << 20)
    for verb in ("train", "answer"):
        yield from compared(f"{verb}, {size} MB", {name: (name, verb, whole, 0) for name in SYSTEMS})
    half = parquet(home, f"{size // 2} MB", size << 19)
    yield from compared("rows", {"half": ("plainbayes", "train", half, 0), "all": ("plainbayes", "train", whole, 0)})
    each = {f"{parts} parts": ("plainbayes", "train", whole, parts) for parts in (2, 8, 64)}
    yield from compared("parts", each)
    words = {}
    for millions in (1, 5):
        path = distinct(home, round(millions * 1_000_000 * scale))
        words[f"{millions * scale:g} million words"] = ("plainbayes", "train", path, 0)
    yield from compared("vocabulary", words)


Job = tuple[str, str, Path, int]


def compared(case: str, jobs: dict[str, Job]) -> Iterator[dict[str, Any]]:
    """Run jobs in turn; the best of each, and the first one's CPU and time as ratios to it."""
    best: dict[str, dict[str, float]] = {}
    for turn in range(REPEAT):
        for name, job in jobs.items():
            found = measured(*job)
            held = best.setdefault(name, found)
            best[name] = {figure: min(value, held[figure]) for figure, value in found.items()}
        progress(case, turn + 1, REPEAT)
    first = next(iter(best.values()))
    for name, found in best.items():
        shown = {figure: float(f"{value:.4g}") for figure, value in found.items()}
        ratios = {
            f"{what.removesuffix('_seconds')}_ratio": round(found[what] / first[what], 2)
            for what in found
            if what.endswith("_seconds")
        }
        yield {"case": case, "system": name, **shown, **ratios}


def measured(system: str, verb: str, path: Path, parts: int) -> dict[str, float]:
    """Run a job in a process group of its own, and watch it."""
    words = [sys.executable, "-c", PROGRAM, system, verb, str(path), str(parts), "3g"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True, env=environment
    )
    watch, start = Watch(process.pid), time.monotonic()
    assert process.stdout is not None
    found: dict[str, float] = {}
    ready = 0.0, 0.0
    for line in process.stdout:
        word, *others = line.split()
        if word == "ready":
            ready = watch.look(), time.monotonic() - start
        elif word == "first":
            found |= {"cpu_seconds": watch.look(), "wall_seconds": time.monotonic() - start}
            found["job_cpu_seconds"] = found["cpu_seconds"] - ready[0]
            found["job_wall_seconds"] = found["wall_seconds"] - ready[1]
        elif word == "end":
            found["hot_cpu_seconds"] = watch.look() - found["cpu_seconds"]
            found["hot_wall_seconds"] = time.monotonic() - start - found["wall_seconds"]
            found |= {"peak_mb": watch.peak, "driver_mb": float(others[0])}
    watch.ended = True
    if process.wait() or "driver_mb" not in found:
        raise RuntimeError(f"{system} could not {verb} {path}")
    return found


class Watch:
    """CPU and memory of all processes of a session, looked at many times a second."""

    def __init__(self, session: int) -> None:
        self.session, self.spent, self.peak, self.ended = session, {}, 0.0, False
        Thread(target=self.go_on, daemon=True).start()

    def go_on(self) -> None:
        """Look until it is over."""
        while not self.ended:
            self.look()
            time.sleep(0.1)

    def look(self) -> float:
        """Return the CPU seconds of all processes so far, those that have ended too."""
        held = 0
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdecimal():
                    cells = (folder / "stat").read_text().rpartition(")")[2].split()
                    if int(cells[3]) == self.session:
                        self.spent[folder.name] = (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")
                        held += int(cells[21]) * os.sysconf("SC_PAGE_SIZE")
            except OSError:  # it has just ended
                continue
        self.peak = max(self.peak, held / (1 << 20))
        return sum(list(self.spent.values()))


def parquet(home: Path, name: str, size: int) -> Path:
    """Write so many bytes of seeded texts as Parquet, in groups that can be read in parts."""
    import polars

    lines, path = home / "lines.tsv", home / f"{name}.parquet"
    write(lines, "English-like", size)
    rows = [line.split("\t", 1) for line in lines.read_text().splitlines()]
    labels = [float(label == "pos") for label, _ in rows]
    polars.DataFrame({"label": labels, "text": [text for _, text in rows]}).write_parquet(path, row_group_size=10_000)
    return path


def distinct(home: Path, words: int) -> Path:
    """Write texts of so many different words, and of some that all have."""
    import polars

    path, each = home / f"{words} words.parquet", 50
    texts = [
        " ".join(f"word{number}" for number in range(start, start + each)) + " and so on"
        for start in range(0, words, each)
    ]
    labels = [float(row % 2) for row in range(len(texts))]
    polars.DataFrame({"label": labels, "text": texts}).write_parquet(path, row_group_size=10_000)
    return path


def main() -> None:
    """Print one job's figures, to look at it closer."""
    system, verb, path, parts = sys.argv[1:]
    print(json.dumps(measured(system, verb, Path(path), int(parts))))


if __name__ == "__main__":
    main()
