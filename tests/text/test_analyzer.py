"""Words out of any language."""

from collections import Counter

import pytest

from plainbayes import Analyzer

WORDS = [
    ("", []),
    (" \t\n-()", []),
    ("Buy NOW", ["buy", "now"]),
    ("Straße ΣΊΣΥΦΟΣ", ["strasse", "σίσυφοσ"]),
    ("don't l’eau 'quoted' rock'n'roll dogs'", ["don't", "l’eau", "quoted", "rock'n'roll", "dogs"]),
    ("3.14 1,000.5 3. .5 e.g. 1.a", ["3.14", "1,000.5", "3", "5", "e", "g", "1", "a"]),
    ("x2 2x covid19", ["x2", "2x", "covid19"]),
    ("Win $$$ 50% off!? €9", ["win", "$", "$", "$", "50", "%", "off", "!", "?", "€", "9"]),
    ("ok 🚀🚀", ["ok", "🚀", "🚀"]),
    ("❤\ufe0f \u0301x", ["❤", "x"]),
    ("世界杯2014", ["世", "界", "杯", "世界", "界杯", "2014"]),
    ("書", ["書"]),
    ("ラーメンを食べる", [*"ラーメンを食べる", "ラー", "ーメ", "メン", "ンを", "を食", "食べ", "べる"]),
    ("𠮷野家", ["𠮷", "野", "家", "𠮷野", "野家"]),
    ("ｱｲ", ["ｱ", "ｲ", "ｱｲ"]),
    ("한국어 문장", ["한국어", "문장"]),
    ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    ("مرحبًا بالعالم", ["مرحبًا", "بالعالم"]),
    ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
    ("snake_case", ["snake_case"]),
    ("a;b:c/d@e#f", ["a", "b", "c", "d", "e", "f"]),
    ("½ Ⅷ", ["½", "ⅷ"]),
]


@pytest.mark.parametrize(("text", "words"), WORDS, ids=[text for text, _ in WORDS])
def test_texts_are_cut_into_these_words(text, words):
    assert Analyzer()(text) == words


def test_neighbouring_words_follow_the_single_ones():
    assert Analyzer(ngrams=3)("to be or") == ["to", "be", "or", "to be", "be or", "to be or"]
    assert Analyzer(ngrams=2)("alone") == ["alone"]


def test_a_bag_counts_every_word():
    assert Analyzer().bag("Pills, pills and PILLS!") == Counter({"pills": 3, "and": 1, "!": 1})
