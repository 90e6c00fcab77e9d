"""Words out of any language: known answers, and the analyser in Rust against its slow twin and against Python's re."""

import pickle
import re
import sys
import unicodedata
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from plainbayes import Analyzer, InputError, _core

sys.path.insert(0, str(Path(__file__).parents[1]))
import twin_analyzer as twin

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
    ("한국어 문장", ["한", "국", "어", "한국", "국어", "문", "장", "문장"]),
    ("\u1112\u1161\u11ab글", ["\u1112\u1161\u11ab", "글", "\u1112\u1161\u11ab글"]),
    ("ที่นี่", ["ที่", "นี่", "ที่นี่"]),
    ("co\u00adoperate \ufeffx\u2060y", ["cooperate", "xy"]),
    ("می\u200cخواهم", ["می\u200cخواهم"]),
    ("👍🏽 👩🏽\u200d💻 🏳\ufe0f\u200d🌈\u200d", ["👍", "👩\u200d💻", "🏳\u200d🌈"]),
    ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
    ("太好了！真的？", ["太", "好", "了", "太好", "好了", "！", "真", "的", "真的", "？"]),
    ("a'\u0301b 1.\u00ad2", ["a'b", "1.2"]),
    ("a\ufffdb", ["a", "b"]),
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


def test_sizes_of_ngrams_have_a_least_and_a_greatest():
    assert Analyzer(ngrams=(2, 3))("to be or not") == ["to be", "be or", "or not", "to be or", "be or not"]
    assert Analyzer(ngrams=(2, 10**9))("to be") == ["to be"]
    assert Analyzer(ngrams=2)("世界") == ["世", "界", "世界", "世 界", "界 世界"]


@pytest.mark.parametrize("sizes", [(1, 1), (2, 4), (3, 3), (5, 9)])
def test_characters_are_those_of_scikit_learn(sizes):
    text = "to be, or не быть 世界杯"
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=sizes).build_analyzer()(" ".join(twin.words(text, True)))
    assert Analyzer(characters=sizes)(text.replace(",", "")) == theirs


# Characters that do something to their neighbours, beside any others.
ACTIVE = (
    "aZ_19'’.,!?%$ -\n\u0301\u0345\u200b\u200c\u200d\ufe0f\u00ad"
    + "éßŉİıſKΣςσ世、。「　カー\u3099글\u1100\u1161ท\u0e35яЯёЁ«»—№🇩😀🏽\ufffd"
)
GIVEN_OUT = st.characters(exclude_categories=["Cs", "Cn"])
TEXTS = st.text(st.sampled_from(ACTIVE) | st.sampled_from("etaoin ETAOIN") | GIVEN_OUT, max_size=300)
PIECES = ["the ", "Word", "и", "ПРИВЕТ ", "été ", "世界", "かな ", "한국", "，", "。", "1", ".", "'", "’", "!", "Σ", "゙"]
RUNS = st.lists(st.sampled_from(PIECES) | GIVEN_OUT)
LONG = st.one_of(
    TEXTS,
    RUNS.map("".join),
    st.lists(st.tuples(RUNS.map("".join), st.integers(1, 40))).map(
        lambda runs: "".join(text * times for text, times in runs)
    ),
)


@given(text=LONG)
def test_words_are_those_of_the_twin(registers, text):
    assert Analyzer()(text) == twin.words(text)
    assert Analyzer(ngrams=2)(text) == twin.word_ngrams(twin.words(text), 1, 2)


def python_words(text):
    return re.findall(r"(?u)\b\w\w+\b", text.lower())


@given(text=LONG | st.text())
def test_the_rules_of_scikit_learn_are_those_of_this_python(registers, text):
    assert Analyzer(rules="sklearn")(text) == python_words(text)


def around(page, pattern):
    """A text with every character of a page of 256 in this surrounding."""
    return "\n".join(pattern.replace("*", chr(code)) for code in range(page, page + 256))


@pytest.mark.parametrize("plane", range(17))
def test_every_character_there_is_counts_as_in_the_twin_and_in_this_python(registers, plane):
    words, sklearn = Analyzer(), Analyzer(rules="sklearn")
    for page in range(plane << 16, plane + 1 << 16, 256):
        if not 0xD800 <= page < 0xE000:
            text = around(page, "ab*cd *Σ a*Σ aΣ*b")
            assert sklearn(text) == python_words(text), hex(page)
            text = around(page, "ab*cd 1*2")
            text = "".join(c for c in text if unicodedata.category(c) not in ("Cn", "Co"))
            assert words(text) == twin.words(text), hex(page)


@given(st.binary() | st.lists(st.binary(max_size=4) | LONG.map(str.encode)).map(b"".join))
@pytest.mark.parametrize("rules", ["words", "sklearn", "tokens"])
def test_what_is_no_utf8_is_replaced_and_counted(rules, data):
    read = data.decode("utf-8", "replace")
    analyzer = Analyzer(rules=rules)
    tokens, replaced = analyzer.core.read(data)
    assert tokens == analyzer(read)
    assert replaced == read.count("\ufffd") - data.count("\ufffd".encode())


def test_half_a_surrogate_pair_parts_words():
    assert Analyzer()("a\ud800b") == ["a", "b"]


@given(LONG)
def test_normal_forms_are_those_of_python(text):
    assert Analyzer(nfkc=True)(text) == Analyzer()(unicodedata.normalize("NFKC", text))
    assert Analyzer(accents="fold")(text) == Analyzer()(twin.bare(text))


def test_accents_go_and_vowels_stay():
    assert Analyzer(accents="fold")("Café naïve Ёлка हिन्दी ガ שָׁלוֹם") == ["cafe", "naive", "елка", "हिन्दी", "ガ", "שלום"]
    assert Analyzer(nfkc=True)("ﬁｎｅ ①") == ["fine", "1"]
    assert Analyzer(nfkc=True, accents="fold").core.read(b"\xc3\xa9\xff\xef\xbd\x81") == (["e", "a"], 1)


def test_ready_tokens_stay_as_they_are():
    assert Analyzer(rules="tokens")("New York\0\0is BIG") == ["New York", "is BIG"]
    assert Analyzer(rules="tokens", ngrams=(2, 2))("New York\0\0is BIG") == ["New York is BIG"]
    assert Analyzer(rules="tokens")("a\0b\0\x0117") == ["a", "b"]


@given(st.lists(st.text("ab~&é", max_size=3), max_size=6), st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_pairs_of_ready_tokens_are_those_of_the_twin(cells, pairs):
    there = [cell for cell in cells if cell]
    filled = cells + [""] * 8
    both = [f"~{filled[one]}&{filled[other]}" for one, other in pairs if filled[one] and filled[other]]
    assert Analyzer("tokens", pairs=tuple(pairs))("\0".join(cells)) == there + both


def test_stop_words_go_before_pairs_are_made_and_stems_come_last():
    analyzer = Analyzer(language="en", stop=True, stem=True, ngrams=2)
    assert analyzer("The cats ARE running") == ["cat", "run", "cat run"]
    assert Analyzer(language="es", stop=True, accents="fold")("él sabe QUÉ más") == ["sabe"]
    assert Analyzer(language="zh", stop=True)("我们的猫") == ["猫", "们的", "的猫"]


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text("aeioustrnlкаеношиятьيةالंाें'"))
@pytest.mark.parametrize("language", ["ru", "en", "ar", "hi", "tr", "pl", "fa"])
def test_any_text_can_be_stemmed(language, text):
    assert len(Analyzer(language=language, stem=True)(text)) <= len(Analyzer()(text))


def test_settings_go_through_dicts_and_pickles():
    analyzer = Analyzer("sklearn", (1, 2), (2, 5), "ru", True, True, True, "fold")
    analyzer("сделай")
    assert Analyzer(**asdict(analyzer) | {"ngrams": [1, 2], "characters": [2, 5]}) == analyzer
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer
    assert pickle.loads(pickle.dumps(analyzer)).core is analyzer.core


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rules": "word"}, "rules should be one of 'words', 'sklearn', 'tokens', got 'word'"),
        ({"accents": None}, "accents should be one of 'keep', 'fold', got None"),
        ({"ngrams": 0}, r"ngrams should be a number from 1 or a pair of them such as \(1, 2\), got 0"),
        ({"ngrams": True}, "ngrams should be .*, got True"),
        ({"ngrams": (2, 1)}, "ngrams should be .*, got"),
        ({"characters": 3}, "characters should be .*, got 3"),
        ({"stem": True}, "stems and stop words need a language\nhint: there are 'ar'"),
        ({"language": "xx"}, "no language is called 'xx'\nhint: there are 'ar'"),
        ({"language": "zh", "stem": True}, "there is no stemmer for 'zh'"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Analyzer(**settings)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({0: "x"}, "rules"), ({2: (0, 1)}, "sizes"), ({3: (2, 1)}, "sizes"), ({6: "klingon"}, "stemmer")],
)
def test_the_core_refuses_wrong_settings_too(changed, message):
    settings = dict(enumerate(["words", "15.0.0", (1, 1), None, False, False, None, []])) | changed
    with pytest.raises(ValueError, match=message):
        _core.Analyser(*settings.values())


def test_python_newer_than_the_tables_knows_all_they_know():
    assert _core.Analyser("sklearn", "99.0.0", (1, 1), None, False, False, None, [])("aé Ω") == ["aé"]
