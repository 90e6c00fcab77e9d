"""The confusion matrix as a heat map."""

import numpy as np

from plainbayes.report.matrix import confusion, most_mistaken


def test_every_cell_is_drawn_with_its_number_and_share():
    drawn = confusion(("ham", "spam"), np.array([[80, 11], [23, 51]]))
    assert drawn.count('class="cell for"') == 2 and drawn.count('class="cell against"') == 2
    assert ">80</text>" in drawn and ">87.9%</text>" in drawn and ">68.9%</text>" in drawn
    assert "ham: 80 of 91 right; spam: 51 of 74 right" in drawn
    assert "<title>spam answered as ham: 23 (31.1% of spam)</title>" in drawn
    assert 'class="side"' in drawn


def test_what_never_happened_stays_empty():
    drawn = confusion(("a", "b", "new"), np.array([[2, 0, 0], [0, 0, 0], [1, 0, 0]]))
    assert drawn.count("%</text>") == 2


def test_of_many_labels_those_that_are_mistaken_most_are_drawn():
    matrix = np.eye(30, dtype=np.int64) * 20_000
    matrix[7, 25] = 5
    some = most_mistaken(matrix)
    assert len(some) == 20 and some == sorted(some) and {7, 25} <= set(some)
    drawn = confusion([f"class {place}" for place in range(30)], matrix)
    assert "Of 30 labels, the 20 that are mistaken most." in drawn
    assert ">20k</text>" in drawn and ">5</text>" in drawn
    assert 'class="side"' not in drawn


def test_labels_lean_where_there_is_little_room():
    assert "rotate(-40" in confusion(range(6), np.eye(6, dtype=np.int64))
    assert "rotate(-40" not in confusion(range(3), np.eye(3, dtype=np.int64))
