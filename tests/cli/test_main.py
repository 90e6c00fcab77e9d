"""The entry point: the list of commands, exit codes, and mistakes told in sentences."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import plainbayes
from plainbayes import cli
from plainbayes.cli import main
from plainbayes.errors import InputError

COMMANDS = [
    "columns",
    "diff",
    "evaluate",
    "explain",
    "export",
    "info",
    "learn",
    "merge",
    "predict",
    "refit",
    "split",
    "train",
    "unlearn",
    "words",
]


@pytest.fixture
def failing(monkeypatch):
    """Make every command fail in a certain way."""

    def fail_with(error):
        def fail(arguments):
            raise error

        monkeypatch.setattr(cli, "run", fail)

    return fail_with


def test_the_folder_is_the_list_of_commands(capsys):
    assert cli.names() == COMMANDS
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert "  train     Learn a model from texts or tables with labels\n" in out
    assert all(f"  {name:<9} " in out for name in COMMANDS)


def test_listing_the_commands_imports_none_of_them():
    code = (
        "import sys; from plainbayes.cli import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith(('plainbayes.cli.commands', 'numpy', 'argparse'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.endswith("\n[]\n")


def test_no_command_is_wrong_use(capsys):
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("usage: plainbayes COMMAND")


def test_the_version_is_the_packages(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"plainbayes {plainbayes.__version__}\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("trian", "did you mean train?"), ("zzz", "plainbayes --help"), ("__init__", "plainbayes --help")],
)
def test_a_command_that_is_none_is_refused(name, hint, capsys):
    assert main([name]) == 2
    assert capsys.readouterr().err == f"plainbayes: there is no command {name!r}\nhint: {hint}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name, capsys):
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: plainbayes {name} ")
    assert f"examples:\n  plainbayes {name} " in out


def test_wrong_options_are_a_sentence(capsys):
    assert main(["words", "a.bayes", "-n", "0"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "plainbayes: argument -n/--most: a whole number above 0 was expected, got 0\nhint: plainbayes words --help\n"
    )


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("what was expected"), 2, "plainbayes: what was expected\n"),
        (InputError("no class", "there are two"), 2, "plainbayes: no class\nhint: there are two\n"),
        (
            FileNotFoundError(2, "No such file or directory", "x.tsv"),
            2,
            "plainbayes: no such file or directory: x.tsv\n",
        ),
        (OSError("the disk went away"), 2, "plainbayes: the disk went away\n"),
        (KeyboardInterrupt(), 130, ""),
        (MemoryError(), 2, "plainbayes: out of memory\n"),
        (
            TypeError("a fault"),
            2,
            "plainbayes: this should not have happened: TypeError: a fault\n"
            "hint: please report it with what PLAINBAYES_TRACEBACK=1 shows\n",
        ),
    ],
)
def test_what_goes_wrong_is_told_without_a_traceback(error, code, said, failing, capsys):
    failing(error)
    assert main(["words"]) == code
    assert capsys.readouterr() == ("", said)


def test_a_fault_of_ours_can_be_seen_in_full(failing, monkeypatch):
    failing(TypeError("a fault"))
    monkeypatch.setenv("PLAINBAYES_TRACEBACK", "1")
    with pytest.raises(TypeError, match="a fault"):
        main(["words"])


def test_a_reader_that_has_had_enough_is_no_mistake():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "plainbayes", "--help"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_pipe_inside_a_test_too(failing, monkeypatch, tmp_path):
    failing(BrokenPipeError())
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["words"]) == 0


def test_the_installed_command_and_the_module_are_the_same(capsys):
    command = Path(sys.executable).with_name("plainbayes")
    for start in ([command], [sys.executable, "-m", "plainbayes"]):
        done = subprocess.run([*start, "--version"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, f"plainbayes {plainbayes.__version__}\n")


def test_the_module_runs_the_command(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["plainbayes", "--version"])
    monkeypatch.delitem(sys.modules, "plainbayes.__main__", raising=False)  # another test may have looked at it
    with pytest.raises(SystemExit) as done:
        runpy.run_module("plainbayes", run_name="__main__")
    assert done.value.code == 0
    assert capsys.readouterr().out.startswith("plainbayes ")
