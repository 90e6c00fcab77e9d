"""What holds for every language, found by listing the folder."""

import pytest

from plainbayes import Analyzer
from plainbayes.text import languages


def test_the_languages_promised_are_there():
    promised = {"ru", "es", "en", "de", "fr", "it", "pt", "tr", "ar", "zh", "ja", "ko", "hi"}
    assert promised <= set(languages.names())


@pytest.mark.parametrize("code", languages.names())
def test_stop_words_are_tokens_as_they_come_out_of_a_text(code):
    stop = languages.named(code).stop
    assert len(stop) == len(set(stop)) > 10
    assert [word for word in stop if word not in Analyzer()(word)] == []
    assert [token for word in stop for token in Analyzer(language=code, stop=True)(word) if token in stop] == []


@pytest.mark.parametrize("code", languages.names())
def test_the_example_has_words_and_some_are_stop_words(code):
    language = languages.named(code)
    tokens = Analyzer()(language.example)
    kept = Analyzer(language=code, stop=True)(language.example)
    assert 0 < len(kept) < len(tokens)
    assert [token for token in tokens if token not in language.stop] == kept


@pytest.mark.parametrize("code", languages.names())
def test_the_stemmer_is_known_and_shortens_the_example(code):
    language = languages.named(code)
    if language.stemmer is None:
        return
    tokens = Analyzer()(language.example)
    stems = Analyzer(language=code, stem=True)(language.example)
    assert len(stems) == len(tokens)
    assert sum(map(len, stems)) < sum(map(len, tokens))
