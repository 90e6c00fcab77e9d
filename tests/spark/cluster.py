"""A standalone cluster of Spark: a master and two workers, of which one is killed in the middle of counting."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pyspark

from plainbayes import TextClassifier
from plainbayes.spark import fit, transform

sys.path.insert(0, str(Path(__file__).parent))
from data import equal, texts

HOME = Path(pyspark.__file__).parent
ENVIRONMENT = {
    **os.environ,
    "SPARK_HOME": str(HOME),
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_WORKER_OPTS": "-Dspark.worker.ui.retainedExecutors=0",
    "PYTHONPATH": os.pathsep.join(sys.path),
}


def started(kind, port, folder, *words):
    """Start a part of the cluster in a process group of its own."""
    command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1"]
    log = (folder / f"{kind}-{port}.log").open("w")
    ports = ["--port", str(port), "--webui-port", str(port + 100)]
    return subprocess.Popen(
        [*command, *ports, *words], env=ENVIRONMENT, stdout=log, stderr=log, start_new_session=True, cwd=folder
    )


def stopped(process):
    """Stop it with all that it started: its executors and their Pythons."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def slowly(batches):
    """Pass batches on, after a while."""
    for batch in batches:
        time.sleep(0.4)
        yield batch


def main(folder, port):
    """Count with both workers, then with one of them killed in the middle; print what came out."""
    from pyspark.sql import SparkSession

    rows = texts(400)
    alone = TextClassifier(effort="plain").fit(*map(list, zip(*rows, strict=True)))
    cluster = [started("master.Master", port, folder)]
    try:
        address = f"spark://127.0.0.1:{port}"
        for number in (1, 2):
            own = ("--cores", "1", "--memory", "700m", "--work-dir", str(folder / f"work-{number}"), address)
            cluster.append(started("worker.Worker", port + number, folder, *own))
        os.environ.update(ENVIRONMENT)
        builder = SparkSession.builder.master(address).appName("cluster")
        for name, value in json.loads(os.environ["SMALL"]).items():
            builder = builder.config(name, value)
        session = (
            builder.config("spark.executor.memory", "600m")
            .config("spark.executor.cores", "1")
            .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
            .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
            .config("spark.cores.max", "2")
            .config("spark.task.maxFailures", "8")
            .config("spark.network.timeout", "60s")
            .getOrCreate()
        )
        frame = session.createDataFrame(rows, "text string, label int")
        executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
        both = fit(frame.repartition(7), text="text", label="label", model=TextClassifier(effort="plain"))
        answers = transform(frame, both, text="text").collect()

        def kill():
            time.sleep(3)
            stopped(cluster[2])

        killer = Thread(target=kill)
        killer.start()
        slow = frame.repartition(24).mapInArrow(slowly, frame.schema)
        one = fit(slow, text="text", label="label", model=TextClassifier(effort="plain"))
        killer.join()
        left = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
        session.stop()
        print(
            json.dumps(
                {
                    "executors": executors,
                    "both": equal(both, alone),
                    "answers": [row.prediction for row in answers] == alone.predict([row.text for row in answers]),
                    "killed": equal(one, alone),
                    "left": left,
                }
            )
        )
    finally:
        for process in cluster:
            stopped(process)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
