"""A new event is one file: the laws pick it up, and catch it when it is wrong."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUN = """
import sys, pytest, plainbayes.events
plainbayes.events.__path__.append(sys.argv[1])
sys.exit(pytest.main(["-x", "-p", "no:cacheprovider", "tests/laws", "-k", "Rayleigh"]))
"""


def run_laws(folder, source):
    (folder / "rayleigh.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-c", RUN, str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture
def source():
    """The example of CONTRIBUTING.md, as it stands there."""
    return re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)[1]


def test_the_laws_find_and_pass_a_new_event_of_thirty_lines(tmp_path, source):
    assert len(source.splitlines()) <= 40
    result = run_laws(tmp_path, source)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"1\d passed", result.stdout)


def test_the_laws_catch_a_density_that_does_not_integrate_to_one(tmp_path, source):
    result = run_laws(tmp_path, source.replace("np.log(x / theta)", "np.log(x)"))
    assert result.returncode == 1
    assert "test_probabilities_sum_to_one_over_their_support" in result.stdout


def test_the_laws_catch_statistics_that_do_not_add_up(tmp_path, source):
    wrong = source.replace(
        "n, s = class_sums(np.asarray(X) ** 2, Y)", "n, s = class_sums(np.asarray(X) ** 2, Y)\n        s /= n.sum()"
    )
    result = run_laws(tmp_path, wrong)
    assert result.returncode == 1
    assert "adds_up" in result.stdout
