"""Colours and progress are for people at a terminal."""

import io
import time
from types import SimpleNamespace

import pytest

from plainbayes.cli import terminal
from plainbayes.cli.terminal import colourful, painted, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def screen(monkeypatch):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    screen = Terminal()
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=screen))  # pytest puts back sys.stderr itself
    return screen


def test_colours_are_for_terminals_only(screen, monkeypatch):
    assert painted("word", "for", screen) == "\x1b[34mword\x1b[0m"
    assert painted("word", "for", io.StringIO()) == "word"
    monkeypatch.setenv("TERM", "dumb")
    assert not colourful(screen)


def test_no_color_is_honoured(screen, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert painted("word", "against", screen) == "word"
    monkeypatch.setenv("NO_COLOR", "")
    assert colourful(screen)


def test_long_work_shows_how_far_it_is_and_cleans_up(screen, monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE", 0.2)
    with progress("learning", lambda: (5_000_000, 10_000_000)):
        time.sleep(0.6)
    shown = screen.getvalue()
    assert "learning  ━━━━━━━━━━──────────   50%  5 of 10 MB" in shown
    assert shown.endswith("\r\x1b[2K")


def test_quick_work_and_work_nobody_watches_show_nothing(screen, monkeypatch):
    with progress("learning", lambda: (1, 2)):
        pass
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    with progress("learning", lambda: (1, 2), quiet=True):
        time.sleep(0.05)
    assert screen.getvalue() == ""
    paper = io.StringIO()
    monkeypatch.setattr(terminal, "sys", SimpleNamespace(stderr=paper))
    with progress("learning", lambda: (1, 2)):
        time.sleep(0.05)
    assert paper.getvalue() == ""


def test_the_bar_goes_even_if_the_work_fails(screen, monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE", 0.2)
    with pytest.raises(ValueError, match="bad row"), progress("learning", lambda: (1, None)):
        time.sleep(0.4)
        raise ValueError("bad row")
    assert screen.getvalue().endswith("\r\x1b[2K")
