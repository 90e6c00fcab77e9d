"""Data for any event, made from what the event says of itself: its support and its settings."""

import itertools
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from plainbayes import events

sys.path.insert(0, str(Path(__file__).parent))


def settings_of(event):
    """The event with every combination of its settings that are one of a few (bool, Literal)."""
    hints = get_type_hints(type(event))
    choices = {}
    for field in fields(event):
        hint = hints[field.name]
        if hint is bool:
            choices[field.name] = [False, True]
        elif get_origin(hint) is Literal:
            choices[field.name] = list(get_args(hint))
    for values in itertools.product(*choices.values()):
        yield replace(event, **dict(zip(choices, values, strict=True)))


EVENTS = [event for name in events.names() for event in settings_of(events.named(name))]


def pytest_generate_tests(metafunc):
    if "event" in metafunc.fixturenames:
        metafunc.parametrize("event", EVENTS, ids=repr)


@pytest.fixture
def laws_events():
    return EVENTS
