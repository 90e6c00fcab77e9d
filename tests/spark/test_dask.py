"""Evidence adds, so any engine will do: the recipe in docs/spark.md, run as it stands there."""

import re
from pathlib import Path

from plainbayes import TextClassifier

from .data import equal, texts

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


def test_the_recipe_for_dask():
    import dask.bag

    [recipe] = re.findall(r"```python\n(# Dask.*?)```", PAGE.read_text(), re.DOTALL)
    rows = texts()
    names = {"mails": dask.bag.from_sequence(rows, npartitions=5)}
    with __import__("dask").config.set(scheduler="synchronous"):
        exec(recipe, names)
    assert equal(names["model"], TextClassifier(effort="plain").fit(*map(list, zip(*rows, strict=True))))
    assert len(recipe.strip().splitlines()) <= 6
