"""What a fitted classifier shows in a notebook."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context

from plainbayes.sklearn import CategoricalNB, GaussianNB, MultinomialNB, NaiveBayesClassifier, PoissonNB

TABLE = "<table class='plainbayes'>"


def shown(model):
    html, bundle = (
        re.sub(r"id-\d+", "id", said) for said in (model._repr_html_(), model._repr_mimebundle_()["text/html"])
    )
    assert html == bundle
    return html


def test_an_unfitted_estimator_shows_scikit_learns_diagram_alone():
    html = shown(MultinomialNB())
    assert "MultinomialNB" in html and TABLE not in html


def test_classes_weights_priors_and_the_strongest_words_are_shown():
    X = pd.DataFrame([[3, 0, 1], [4, 0, 0], [0, 5, 1]], columns=["pills", "meeting", "the"])
    html = shown(MultinomialNB().fit(X, ["spam", "spam", "ham"]))
    assert "<tr><th>ham</th><td>1</td><td>0.333</td><td>meeting, the</td></tr>" in html
    assert "<tr><th>spam</th><td>2</td><td>0.667</td><td>pills</td></tr>" in html


def test_columns_without_names_are_numbered():
    html = shown(MultinomialNB().fit([[3, 0], [0, 5]], ["spam", "ham"]))
    assert "<td>column 0</td>" in html and "<td>column 1</td>" in html


def test_columns_of_numbers_are_shown_where_they_lie_in_each_class():
    html = shown(GaussianNB().fit([[1.0, 5.0], [3.0, 5.0], [11.0, 5.0], [13.0, 5.0]], ["low", "low", "high", "high"]))
    assert "<td>column 0 near 2</td>" in html and "<td>column 0 near 12</td>" in html
    assert "column 1" not in html


def test_categories_are_shown_with_their_column():
    html = shown(CategoricalNB().fit([[0, 7], [0, 1], [2, 7], [2, 1]], ["a", "a", "b", "b"]))
    assert "<td>column 0 = 0</td>" in html and "<td>column 0 = 2</td>" in html
    rows = [{"city": "Riga"}, {"city": "Lima"}]
    html = shown(NaiveBayesClassifier("categorical").fit(rows, ["a", "b"]))
    assert "<td>city = Riga</td>" in html and "<td>city = Lima</td>" in html


def test_events_of_other_statistics_show_classes_and_priors():
    html = shown(PoissonNB().fit([[0], [9]], ["few", "many"]))
    assert "<tr><th>few</th><td>1</td><td>0.500</td><td></td></tr>" in html


def test_no_more_than_five_features_and_twenty_classes_are_shown():
    rng = np.random.default_rng(0)
    html = shown(MultinomialNB().fit(rng.integers(0, 5, (25, 40)), [f"class {c:02}" for c in range(25)]))
    assert "<caption>and 5 more classes</caption>" in html
    assert "<th>class 19</th>" in html and "<th>class 20</th>" not in html
    row = html.split("<th>class 00</th>")[1].split("</tr>")[0]
    assert row.count("column") == 5


@pytest.mark.parametrize("label", ["<b>bold</b>", "a&b", "\"quoted\" 'twice'"])
def test_labels_and_names_are_text_and_no_html(label):
    X = pd.DataFrame([[3, 0], [0, 5]], columns=[label, "other"])
    table = shown(MultinomialNB().fit(X, [label, "z"])).split(TABLE)[1]
    assert label not in table
    assert table.count(label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").translate(QUOTES)) == 2


QUOTES = str.maketrans({'"': "&quot;", "'": "&#x27;"})


def test_text_is_shown_where_diagrams_are_not_wanted():
    with config_context(display="text"):
        assert "text/html" not in MultinomialNB().fit([[1]], [0])._repr_mimebundle_()
