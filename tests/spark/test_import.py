"""The door costs little to open: executors import what counts and answers, not what belongs to pyspark.ml."""

import subprocess
import sys

import pytest

import plainbayes.spark


def test_executors_do_not_import_what_only_pipelines_need():
    program = "import sys, plainbayes.spark.parts, plainbayes.spark.learning, plainbayes.spark.scoring\n"
    program += "print(*{'pandas', 'scipy', 'pyspark.ml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_name_is_found_on_first_use():
    assert all(callable(getattr(plainbayes.spark, name)) for name in plainbayes.spark.__all__)
    with pytest.raises(AttributeError, match="no attribute 'fits'"):
        _ = plainbayes.spark.fits
