"""A real Spark on this machine, two cores of it, for all tests of the door."""

import os
import shutil
import sys

import pytest

SMALL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "OFF",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A session on local[2]; without Java it is an error, not a test left out."""
    assert shutil.which("java") or os.environ.get("JAVA_HOME"), "the tests of Spark need Java 17"
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
    for name, value in SMALL.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()
