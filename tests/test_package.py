"""The package as a whole: public names, doctests, the README's examples, what an import costs."""

import ast
import doctest
import os
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import plainbayes

ROOT = Path(__file__).parent.parent
MODULES = sorted(module.name for module in pkgutil.walk_packages(plainbayes.__path__, "plainbayes."))


def test_the_events_are_loaded_when_they_are_asked_for():
    assert plainbayes.__getattr__("events") is import_module("plainbayes.events")


def test_every_public_name_is_there():
    for name in plainbayes.__all__:
        assert getattr(plainbayes, name) is not None
    assert set(plainbayes.__all__) < set(dir(plainbayes))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = plainbayes.nonsense


@pytest.mark.parametrize("module", [name for name in MODULES if not name.endswith(("_core", "demo"))])
def test_examples_in_docstrings_come_out(module):
    result = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/sklearn.md"])
def test_examples_on_a_page_run_and_give_what_their_comments_say(page):
    names = {}
    for source in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        lines = source.splitlines()
        for statement in ast.parse(source).body:
            claim = re.search(r"# ((?:\[|array\().*)$", lines[statement.end_lineno - 1])
            if isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), page, "eval"), names)
                assert claim is None or repr(value) == claim[1]
            else:
                exec(compile(ast.Module([statement], []), page, "exec"), names)


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, plainbayes; print('numpy' in sys.modules, 'plainbayes._core' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]


def test_learning_and_answering_imports_no_scipy_and_no_scikit_learn():
    code = (
        "import sys, plainbayes; m = plainbayes.TextClassifier().fit(['a b', 'c'], ['x', 'y']); m.predict('a');"
        "print([name for name in ('scipy', 'sklearn', 'pandas') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_the_demo_runs_explains_and_ends_with_a_report(tmp_path):
    out = subprocess.run(
        [sys.executable, "-m", "plainbayes.demo"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ).stdout
    (report,) = tmp_path.glob("plainbayes-*.html")
    assert out.endswith(f"for a browser: {report}\n") and "</html>" in report.read_text(encoding="utf-8")
    assert "as before to the bit: True" in out
    assert "answer:" in out
    assert "log odds" in out
