"""The nomogram: what is read off the picture is what the model says."""

import math
import re
from html.parser import HTMLParser

import pytest

from plainbayes import Model, Product, TextClassifier
from plainbayes.demo import sample
from plainbayes.events import Categorical, Gaussian, Multinomial
from plainbayes.explain import Explanation, Share
from plainbayes.report.nomogram import LEFT, WIDTH, gathered, nomogram, read
from plainbayes.report.svg import percent

TEXTS = ["cheap pills now", "cheap watches", "see you at noon", "noon at the office", "cheap lunch at noon", "pills"]
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"]


def explained(text_or_row, model):
    return model.explain(text_or_row, "ham", "spam")


@pytest.fixture
def plain():
    return TextClassifier(Multinomial(distinct=True)).learn(TEXTS, LABELS)


class Drawing(HTMLParser):
    """The circles with their titles, and the texts with their places and classes."""

    def __init__(self, html):
        super().__init__()
        self.texts, self.circles, self.open = [], {}, {}
        self.tag = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tag, given = tag, dict(attrs)
        if tag in ("circle", "text"):
            self.open = given

    def handle_data(self, data):
        if self.tag == "text":
            self.texts.append((data, self.open.get("class"), float(self.open["x"])))
        elif self.tag == "title" and "cx" in self.open:
            self.circles[data.rpartition(":")[0]] = float(self.open["cx"])
        self.tag = ""

    def marks(self, kind):
        """Numbers of a scale and their places."""
        return [(words, x) for words, name, x in self.texts if name == kind and x >= LEFT]


def scale_of(marks):
    """Return the straight scale through numbers and their places, both ways."""
    (low, start), (high, end) = [(float(words), x) for words, x in (marks[0], marks[-1])]
    slope = (high - low) / (end - start)
    return lambda x: low + (x - start) * slope, lambda value: start + (value - low) / slope


def test_points_read_off_the_picture_add_up_to_the_probability_of_the_model(plain):
    """All words of each text are looked up with a ruler, added, and looked up on the scale of probabilities."""
    made = gathered([explained(text, plain) for text in TEXTS])
    assert made.whole
    drawing = Drawing(nomogram(made))
    ticks = drawing.marks("tick")
    turn = next(at for at in range(1, len(ticks)) if ticks[at][1] < ticks[at - 1][1])
    points, sums = scale_of(ticks[:turn]), scale_of(ticks[turn:])
    shares = [(float(words.rstrip("%")) / 100, x) for words, x in drawing.marks("probability")]
    (low, start), (high, end) = shares[0], shares[-1]
    logit = [math.log(p / (1 - p)) for p in (low, high)]
    for text in TEXTS:
        total = sum(points[0](drawing.circles[word]) for word in set(text.split()))
        place = sums[1](total)
        odds = logit[0] + (place - start) / (end - start) * (logit[1] - logit[0])
        spam = plain.predict_proba([text])[0, plain.classes.index("spam")]
        assert 1 / (1 + math.exp(-odds)) == pytest.approx(spam, abs=2e-3)  # places have two digits
        assert made.probability(total) == pytest.approx(spam, abs=2e-3)


def test_the_numbers_add_up_exactly(plain):
    made = gathered([explained(text, plain) for text in TEXTS])
    nats = {gauge.feature: gauge.marks[0].nats for gauge in made.gauges}
    for text in TEXTS:
        total = sum(made.points(nats[word]) for word in set(text.split()))
        assert made.probability(total) == pytest.approx(plain.predict_proba([text])[0, 1], rel=1e-12)


def test_a_word_counts_each_time_where_the_model_counts_how_often():
    loud = "cheap cheap cheap pills noon"
    model = TextClassifier("multinomial").learn([*TEXTS, loud], [*LABELS, "spam"])
    made = gathered([explained(text, model) for text in [*TEXTS, loud]])
    gauges = {gauge.feature: gauge for gauge in made.gauges}
    assert gauges["cheap"].each and gauges["cheap"].low == gauges["cheap"].high and not gauges["noon"].each
    total = sum(made.points(gauges[word].marks[0].nats) for word in loud.split())
    assert made.probability(total) == pytest.approx(model.predict_proba(loud)[0, 1])
    assert "A word counts each time it stands there." in nomogram(made)


def test_words_that_stand_in_hardly_any_row_are_not_drawn():
    common, rare = (Share(name, 1.0, nats, True) for name, nats in (("common", 1.0), ("rare", 50.0)))
    rows = [Explanation("a", "b", 0.5, 0.0, 0.0, (common, rare) if row == 0 else (common,)) for row in range(200)]
    assert [gauge.feature for gauge in gathered(rows).gauges] == ["common"]


def test_the_strongest_has_a_hundred_points(plain):
    made = gathered([explained(text, plain) for text in TEXTS])
    assert max(abs(made.points(mark.nats)) for gauge in made.gauges for mark in gauge.marks) == pytest.approx(100)


def test_what_is_not_drawn_is_all_else_and_the_example_adds_up():
    rows = sample("messages.tsv")
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    model = TextClassifier().fit(texts, labels)  # values of words depend on the length of a text here
    made = gathered([explained(text, model) for text in texts], lambda word: not word.startswith("~"))
    assert len(made.gauges) == 15 and not any(gauge.feature.startswith("~") for gauge in made.gauges)
    assert made.rest[0] < 0 < made.rest[1] and not made.whole
    total = made.start + made.example.rest + sum(mark.nats for mark in made.example.said)
    assert 1 / (1 + math.exp(-total)) == pytest.approx(made.example.probability)
    *parts, together = map(int, re.findall(r"[+-]\d+", read(made).replace("“", "").replace("”", "")))
    assert sum(parts) == together and "all else" in read(made)
    assert percent(made.example.probability) in read(made)
    drawn = nomogram(made)
    assert "all else, in 9 of 10 rows" in drawn and 'class="range rest"' in drawn
    places = [float(x) for x in re.findall(r' (?:x|x1|x2|cx)="([^"]*)"', drawn)]
    assert 0 <= min(places) and max(places) <= WIDTH


def test_a_column_has_a_mark_for_each_value_and_missing_cells_have_none():
    table = [
        {"city": city, "age": age, "hair": None}
        for city, age in zip("OOLLPOLP", (1, 2, 30, 31, 5, 6, None, 44), strict=True)
    ]
    model = Model(Product({("city", "hair"): Categorical(), "age": Gaussian()}))
    model.learn(table, ["no", "no", "yes", "yes", "no", "no", "yes", "yes"])
    whys = [model.explain([row], "no", "yes") for row in table]
    made = gathered(whys)
    gauges = {gauge.feature: gauge for gauge in made.gauges}
    assert set(gauges) == {"city", "age"}
    assert sorted(mark.name for mark in gauges["city"].marks) == ["L", "O", "P"]
    assert len(gauges["age"].marks) == 6 and "nan" not in {mark.name for mark in gauges["age"].marks}
    drawn = nomogram(made, two=False)
    assert "<title>city = L: " in drawn and "if it is one of the two" in drawn
    assert "all else" not in drawn
    nats = {mark.name: mark.nats for mark in gauges["city"].marks}
    for why, row in zip(whys, table, strict=True):
        share = {share.feature: share.nats for share in why.shares}
        assert nats[row["city"]] == pytest.approx(share["city"])


def test_values_without_room_for_a_name_keep_their_mark():
    shares = [Share("x", f"a long name {place}", place / 100) for place in range(5)] + [Share("x", "far", 5.0)]
    drawn = nomogram(gathered([Explanation("a", "b", 0.5, 0.0, 0.0, (share,)) for share in shares]))
    assert drawn.count("<circle") == 6 and drawn.count('class="tick">a long name') == 2


def test_where_nothing_is_said_there_is_no_nomogram():
    assert gathered([]) is None
    assert gathered([Explanation("a", "b", 0.5, 0.1, 0.0, (Share("x", 1.0, 0.0, True), Share("y", None, 1.0)))]) is None
    infinite = Explanation("a", "b", 1.0, 0.0, 0.0, (Share("x", 1.0, math.inf, True),))
    silent = Explanation("a", "b", 0.5, 0.0, 0.0, (Share("x", 1.0, 1.0, True),), silent=True)
    never = Explanation("a", "b", 0.0, -math.inf, 0.0, (Share("x", 1.0, 1.0, True),))
    assert gathered([infinite, silent, never]) is None


def test_odds_beyond_all_scales_stay_on_the_drawing():
    rows = [Explanation("a", "b", 1.0, 0.0, 0.0, (Share("x", 1.0, x, True),)) for x in (-2000.0, -1000.0, 3.0, 900.0)]
    made = gathered(rows)
    assert made.probability(-200) == 0 and made.probability(200) == 1
    assert "5%" not in [words for words, _ in Drawing(nomogram(made)).marks("probability")]
