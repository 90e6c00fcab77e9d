"""Costs as an argument: in short form, or as a file."""

import pytest

from plainbayes import InputError
from plainbayes.cli.costs import costs

MAIL = ["ham", "spam"]


def test_the_short_form_is_that_of_costs():
    loss = costs("ham>spam=4, spam>ham=1, ask=0.3", MAIL)
    assert (loss.pairs, loss.extra) == ({("ham", "spam"): 4.0, ("spam", "ham"): 1.0}, {"ask": 0.3})


@pytest.mark.parametrize(
    "content", ['[costs]\n"ham>spam" = 4\n"spam > ham" = 1\nask = 0.3\n', '"ham>spam" = 4.0\n"spam>ham" = 1\nask = 0.3']
)
def test_a_toml_file_says_the_same(content, tmp_path):
    path = tmp_path / "a=b.toml"
    path.write_text(content)
    assert repr(costs(str(path), MAIL)) == repr(costs("ham>spam=4, spam>ham=1, ask=0.3", MAIL))


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
        costs(str(path), MAIL)


def test_what_is_neither_is_refused():
    with pytest.raises(InputError, match="or are a TOML file, got 'nothing'"):
        costs("nothing", MAIL)
    with pytest.raises(InputError, match="a cost looks like"):
        costs("ham>spam=much", MAIL)


def test_names_of_classes_may_have_an_arrow_in_them():
    incomes = ["<=50K", ">50K"]
    loss = costs(">50K><=50K=5, <=50K>>50K=1, ask=0.3", incomes)
    assert (loss.cost(">50K", "<=50K"), loss.cost("<=50K", ">50K"), loss.cost(">50K", "ask")) == (5, 1, 0.3)
    with pytest.raises(InputError, match="the costs name"):
        costs("rich>poor=5", incomes)
    with pytest.raises(InputError, match="a cost"):
        costs(">50K><=50K=much", incomes)


def test_an_answer_that_is_never_the_best_is_told_of(capsys):
    costs("ham>spam=1, spam>ham=1, ask=0.6", MAIL)
    assert "the answer 'ask' is never the best" in capsys.readouterr().err
    costs("ham>spam=1, spam>ham=1, ask=0.4", MAIL)
    assert capsys.readouterr().err == ""
