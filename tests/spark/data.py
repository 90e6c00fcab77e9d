"""Rows that the tests of Spark share, and what equal models are."""

import numpy as np

WORDS = [f"w{number}" for number in range(400)] + ["чрезвычайно-длинное-слово", "汉字", "привет", "café"]


def texts(rows=240, seed=1):
    """Texts of three classes whose words differ somewhat."""
    chance = np.random.default_rng(seed)
    labels = chance.integers(0, 3, rows)
    first = [0, 60, 120]
    return [
        (" ".join(WORDS[(first[label] + int(place)) % len(WORDS)] for place in chance.zipf(1.3, 12) % 300), int(label))
        for label in labels
    ]


def table(rows=300, seed=2):
    """A table of numbers, categories and missing cells."""
    chance = np.random.default_rng(seed)
    x, city = chance.normal(size=rows), chance.choice(["Riga", "Oslo", "1.0"], rows)
    noise = chance.normal(size=rows)
    return [
        {
            "x": None if number % 17 == 0 else round(float(x[number]), 2),
            "n": int(chance.poisson(3 + 4 * (city[number] == "Riga"))),
            "city": str(city[number]),
            "bought": "yes" if x[number] + noise[number] > 0 else "no",
        }
        for number in range(rows)
    ]


def equal(one, other):
    """Whether two models of texts have the same counts, to the bit."""
    mine, theirs = one.counted, other.counted
    return (
        mine.bags == theirs.bags
        and mine.arrays.keys() == theirs.arrays.keys()
        and all(np.array_equal(array, theirs.arrays[name]) for name, array in mine.arrays.items())
    )
