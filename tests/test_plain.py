"""The plain model without NumPy is the one with it."""

import numpy as np
import pytest

from plainbayes import Analyzer, TextClassifier, load, sources
from plainbayes.plain import Plain
from plainbayes.storage import file

ROWS = "x\ta b b c\ny\tb d d d\ny\t\nx\ta e\n\tno label\n"


@pytest.mark.parametrize("unknown", ["ignore", "smooth"])
@pytest.mark.parametrize("most", [None, 3, 9])
@pytest.mark.parametrize("alpha", [1.0, 0.3])
def test_files_without_numpy_are_those_with_it(unknown, most, alpha, tmp_path):
    (tmp_path / "rows.tsv").write_text(ROWS)
    one = Plain(sources.read(tmp_path / "rows.tsv"), vars(Analyzer()), alpha, unknown, most)
    one.save(tmp_path / "one", {"of": "rows"})
    two = TextClassifier("multinomial", alpha, unknown=unknown, analyzer=Analyzer(), max_vocabulary=most)
    report = two.learn_from(sources.read(tmp_path / "rows.tsv"))
    assert report == (one.rows, one.skipped, one.replaced) == (4, 1, 0)
    two.save(tmp_path / "two", {"of": "rows"})
    first, second = file.open(tmp_path / "one"), file.open(tmp_path / "two")
    assert first.names == second.names
    event = second.metadata.pop("event")
    assert first.metadata.pop("event").items() <= event.items()
    assert first.metadata == second.metadata
    for name in first.names:
        np.testing.assert_allclose(first.tensor(name), second.tensor(name), rtol=1e-15, err_msg=name)
    asked = ["a b", "new", ""]
    np.testing.assert_allclose(load(tmp_path / "one").predict_proba(asked), two.predict_proba(asked), rtol=1e-13)
    assert load(tmp_path / "one").model.evidence == two.model.evidence


def test_counts_too_large_for_the_table_of_logarithms(tmp_path):
    (tmp_path / "rows.tsv").write_text("x\t" + "a " * 5000 + "\ny\tb\n")
    Plain(sources.read(tmp_path / "rows.tsv"), vars(Analyzer())).save(tmp_path / "one", {})
    asked = TextClassifier().fit(["a " * 5000, "b"], ["x", "y"])
    np.testing.assert_allclose(load(tmp_path / "one").predict_log_proba(["a"]), asked.predict_log_proba(["a"]))


@pytest.mark.parametrize("unknown", ["ignore", "smooth"])
def test_with_many_classes_only_what_differs_is_kept(unknown, tmp_path, monkeypatch):
    monkeypatch.setattr("plainbayes.plain.SMALL", 0)
    rows = [(f"c{place % 12}", f"word{place} word{place % 7} and") for place in range(50)]
    (tmp_path / "rows.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in rows))
    Plain(sources.read(tmp_path / "rows.tsv"), vars(Analyzer()), 0.5, unknown).save(tmp_path / "one", {})
    names = {name for name in file.open(tmp_path / "one").names if name.startswith("weights.")}
    assert names == {f"weights.{name}" for name in ("bias", "prior", "background", "unknown", "differences")}
    one, two = load(tmp_path / "one"), TextClassifier("multinomial", 0.5, unknown=unknown)
    two.fit([text for _, text in rows], [label for label, _ in rows])
    asked = ["word1 word1 word8 new", "and and", "new", ""]
    np.testing.assert_allclose(one.predict_log_proba(asked), two.predict_log_proba(asked), rtol=1e-12, atol=1e-12)
