"""Costs as an argument: in short form, or as a file."""

import pytest

from plainbayes import InputError
from plainbayes.cli.costs import costs


def test_the_short_form_is_that_of_costs():
    loss = costs("ham>spam=4, spam>ham=1, ask=0.3")
    assert (loss.pairs, loss.extra) == ({("ham", "spam"): 4.0, ("spam", "ham"): 1.0}, {"ask": 0.3})


@pytest.mark.parametrize(
    "content", ['[costs]\n"ham>spam" = 4\n"spam > ham" = 1\nask = 0.3\n', '"ham>spam" = 4.0\n"spam>ham" = 1\nask = 0.3']
)
def test_a_toml_file_says_the_same(content, tmp_path):
    path = tmp_path / "a=b.toml"
    path.write_text(content)
    assert repr(costs(str(path))) == repr(costs("ham>spam=4, spam>ham=1, ask=0.3"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[costs", "is no TOML file"),
        ("\xff", "is no TOML file"),
        ("", "a table of costs was expected in"),
        ("costs = 3", "a table of costs was expected in"),
        ("ask = true", "a cost is a number, got True for 'ask' in"),
        ("ask = 'much'", "a cost is a number, got 'much' for 'ask' in"),
        ("ask = nan", "a cost must be a finite number, got nan for 'ask'"),
    ],
)
def test_a_file_of_something_else_is_refused(content, message, tmp_path):
    path = tmp_path / "costs.toml"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        costs(str(path))


def test_what_is_neither_is_refused():
    with pytest.raises(InputError, match="or are a TOML file, got 'nothing'"):
        costs("nothing")
    with pytest.raises(InputError, match="a cost looks like"):
        costs("ham>spam=much")
