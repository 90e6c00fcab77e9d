"""The folder of events is their registry."""

from pathlib import Path

import pytest

from plainbayes import InputError, events
from plainbayes.event import Event


def test_every_file_of_the_folder_is_an_event_of_its_name():
    files = {path.stem for path in Path(events.__file__).parent.glob("[a-z]*.py")}
    assert set(events.names()) == files
    assert events.names() == sorted(events.names())
    for name in events.names():
        event = events.named(name)
        assert isinstance(event, Event)
        assert type(event).__name__ == name.title().replace("_", "")
        assert event.name == name.replace("_", " ")
        assert getattr(events, type(event).__name__) is type(event)
        assert type(event).__name__ in dir(events)


def test_beliefs_are_given_by_name():
    assert events.named("poisson", alpha=0.5, beta=2.0) == events.Poisson(0.5, 2.0)


def test_an_event_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(InputError, match="no event is called 'normal'") as error:
        events.named("normal")
    assert error.value.hint == f"there are {', '.join(map(repr, events.names()))}"
    with pytest.raises(AttributeError, match=r"module 'plainbayes\.events' has no attribute 'Normal'"):
        _ = events.Normal
