"""Event + prior + evidence: learning, beliefs, answers."""

import numpy as np
import pytest
from scipy import sparse

from plainbayes import Given, InputError, Model, NotLearnedError, Product, Smoothed, Uniform, events, leave_one_out
from plainbayes.events import Bernoulli, Categorical, Gaussian, Histogram, Multinomial, MultivariateNormal, Poisson

X = [[1.0, 0.0], [2.0, 1.0], [8.0, 3.0], [9.0, 5.0]]
Y = ["low", "low", "high", "high"]


TABLE = {
    "city": ["Rome", "Oslo", "Rome", "Oslo", "Rome", None],
    "height": [1.0, 2.0, 1.5, 6.0, 7.0, 6.5],
    "weight": [3.0, 3.5, None, 4.0, 5.0, 4.5],
    "clicks": [0, 1, 0, 4, 7, 5],
    "member": [1, 0, 1, 0, 0, 1],
}
KIND = ["small", "small", "small", "big", "big", "big"]
MIXED = Product({"city": Categorical(), ("height", "weight"): Gaussian(), "clicks": Poisson(), "member": Bernoulli()})


def records(table):
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


# Learning


def test_a_model_prints_what_it_believes_and_knows():
    model = Model("poisson", Uniform()).learn([[1, 2]], ["a"])
    expected = "Model(Poisson(alpha=1.0, beta=1.0), Uniform(), Evidence(1 observations, 1 classes, 2 features))"
    assert repr(model) == expected


def test_observing_changes_nothing_and_adding_what_was_observed_is_learning():
    model, learned = Model("gaussian").learn(X, Y), Model("gaussian").learn(X + X[:2], Y + Y[:2])
    before = model.evidence.copy()
    seen = model.observe(X[:2], Y[:2])
    assert model.evidence == before
    model += seen
    assert model.evidence.same(learned.evidence, 1e-12)
    model -= seen
    assert model.evidence.same(before, 1e-12)


def test_what_was_computed_before_is_not_kept_after_learning():
    model = Model("multinomial").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    assert model.decide([{"z": 1, "x": 1}]) == ["a"]
    model.learn([{"z": 5}], ["b"])
    assert model.decide([{"z": 1, "x": 1}]) == ["b"]
    model.unlearn([{"z": 5}], ["b"])
    assert model.decide([{"z": 1, "x": 1}]) == ["a"]
    model += Model("multinomial").learn([{"z": 5}], ["b"])
    assert model.decide([{"z": 1, "x": 1}]) == ["b"]
    model -= Model("multinomial").learn([{"z": 5}], ["b"])
    assert model.decide([{"z": 1, "x": 1}]) == ["a"]


def test_models_merge_into_a_new_one_and_stay_as_they_are():
    one, two = Model("gaussian", Smoothed()).learn(X[:2], Y[:2]), Model("gaussian").learn(X[2:], Y[2:])
    both = one + two
    assert both.evidence.same(Model("gaussian").observe(X, Y), 1e-12)
    assert both.prior == Smoothed()
    assert one.classes == ("low",) and two.classes == ("high",)
    assert (one + two.evidence).evidence == both.evidence


def test_a_row_of_weight_zero_leaves_no_trace():
    model = Model("multinomial").learn([{"x": 1}, {"q": 7}, {"y": 1}], ["a", "c", "b"], [1, 0, 2.5])
    assert model.classes == ("a", "b")
    assert model.evidence == Model("multinomial").observe([{"x": 1}, {"y": 1}], ["a", "b"], [1, 2.5])


def test_weights_weigh_the_prior_and_the_counts():
    """By hand: D = 3 and 1; P(x|a) = (3 + 1)/(3 + 2), P(x|b) = (0 + 1)/(1 + 2)."""
    model = Model("multinomial").learn([{"x": 1}, {"y": 1}], ["a", "b"], [3, 1])
    odds = 3 * (4 / 5) / (1 / 3)
    np.testing.assert_allclose(model.posterior([{"x": 1}]).probabilities, [[odds / (1 + odds), 1 / (1 + odds)]])


def test_refused_unlearning_loses_nothing():
    model = Model("gaussian").learn(X, Y)
    before = model.evidence.copy()
    with pytest.raises(InputError) as error:
        model.unlearn(X[:1] * 3, ["low"] * 3)
    assert error.value.message == "cannot unlearn what was never learned: a count of class 'low' would become negative"
    assert error.value.hint == "unlearn exactly the rows, labels and weights that were learned"
    assert model.evidence == before


# Classes


def test_classes_of_mixed_types_are_learned_and_answered():
    labels = ["spam", 1, ("t", 2), 0.5]
    model = Model("gaussian").learn([[0.0], [10.0], [20.0], [30.0]], labels)
    assert model.classes == (0.5, 1, "spam", ("t", 2))
    assert model.decide([[0.1], [9.0], [21.0], [29.0]]) == labels


def test_declared_classes_come_first_in_their_order_and_win_ties():
    model = Model("multinomial", classes=["z", "m", "z"]).learn([{"x": 1}] * 4, ["m", "a", "z", "b"])
    assert model.classes == ("z", "m", "a", "b")
    assert model.decide([{"x": 1}]) == ["z"]


@pytest.mark.parametrize(
    "event",
    ["multinomial", "bernoulli", "complement", "categorical", "gaussian", "poisson", "exponential", "histogram"],
)
def test_a_declared_class_without_documents_is_allowed(event):
    rows, labels = [[1, 0], [0, 1], [1, 1], [0, 0], [0, 1], [1, 0]], ["a", "a", "a", "b", "b", "b"]
    plain = Model(event).learn(rows, labels)
    model = Model(event, classes=["none"]).learn(rows, labels)
    np.testing.assert_array_equal(model.posterior(rows).probabilities[:, 0], 0)
    expected = plain.posterior(rows).probabilities
    np.testing.assert_allclose(model.posterior(rows).probabilities[:, 1:], expected, rtol=1e-12)
    smoothed = Model(event, Smoothed(), classes=["none"]).learn(rows, labels).posterior(rows).probabilities
    assert (smoothed[:, 0] > 0).all() and np.isfinite(smoothed).all()
    assert model.evidence == plain.evidence


def test_a_class_without_documents_speaks_by_its_smoothing_alone():
    """Multinomial with alpha 1 and |V| = 2: 1/2 for either word."""
    model = Model("multinomial", Given({"none": 0.5, "a": 0.5}), classes=["none"]).learn([{"x": 3, "y": 1}], ["a"])
    odds = 0.5 / (4 / 6)
    np.testing.assert_allclose(model.posterior([{"x": 1}]).probabilities, [[odds / (1 + odds), 1 / (1 + odds)]])


@pytest.mark.parametrize("classes", [None, ["a", "b"]], ids=["nothing known", "classes declared"])
def test_a_model_that_has_learned_nothing_says_so(classes):
    model = Model("gaussian", classes=classes)
    for ask in (model.posterior, model.decide, model.explain):
        with pytest.raises(NotLearnedError, match=r"the model has learned no.* yet") as error:
            ask([[1.0]])
        assert error.value.hint == "learn(X, y) comes first"


def test_classes_without_any_evidence_left_are_as_likely_as_one_another():
    model = Model("gaussian", classes=["a", "b"]).learn([[1.0]], ["a"]).unlearn([[1.0]], ["a"])
    np.testing.assert_allclose(model.posterior([[1.0]]).probabilities, [[0.5, 0.5]], rtol=1e-15)


def test_a_given_prior_that_calls_every_class_learned_impossible_is_refused():
    model = Model("gaussian", Given({"a": 1.0, "b": 0.0})).learn([[1.0]], ["b"])
    with pytest.raises(InputError, match="the given prior calls every class learned impossible: 'b'"):
        model.posterior([[1.0]])


# Beliefs


def test_what_a_model_with_other_beliefs_learns_stays_its_own():
    model = Model("multinomial").learn([{"x": 1}, {"y": 1}], ["a", "b"])
    before = model.evidence.copy()
    model.with_beliefs(prior=Uniform()).learn([{"z": 1}], ["c"])
    assert model.evidence == before


def test_a_new_event_is_believed_at_once():
    model = Model("multinomial").learn([{"x": 3}, {"y": 1}], ["a", "b"])
    model.posterior([{"x": 1}])
    model.event = Multinomial(alpha=0.01)
    fresh = Model(Multinomial(alpha=0.01)).learn([{"x": 3}, {"y": 1}], ["a", "b"])
    np.testing.assert_array_equal(model.posterior([{"x": 1}]).probabilities, fresh.posterior([{"x": 1}]).probabilities)


def test_an_event_that_needs_other_facts_is_refused_in_a_sentence():
    model = Model("gaussian").learn([[1.0], [2.0]], ["a", "b"]).with_beliefs(events.named("log_normal"))
    with pytest.raises(InputError, match="log normal needs moments of logarithms, but the model has learned moments"):
        model.posterior([[1.0]])
    ones = Model(Bernoulli(binarize=1)).learn([[1, 0], [3, 2]], ["a", "b"]).with_beliefs(Multinomial())
    with pytest.raises(InputError, match="multinomial needs counts, but the model has learned ones above 1"):
        ones.posterior([[1, 0]])


def test_edges_given_later_are_believed_over_the_observations():
    rows, labels = [[1.0], [2.0], [8.0], [9.0]], ["a", "a", "b", "b"]
    edges = events.named("histogram", edges=((0.0, 5.0, 10.0),))
    later = Model("histogram").learn(rows, labels).evidence.parts[None].stats
    direct = Model(edges).learn(rows, labels)
    np.testing.assert_array_equal(edges.estimate(later).heights[0], direct.parameters(None, edges).heights[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Model(Multinomial), "an event, its name or a Product was expected"),
        (lambda: Model("gaussian", "uniform"), "a prior was expected, got 'uniform'"),
        (lambda: Product({"a": "gaussian"}), "a product needs an event for 'a', got 'gaussian'"),
        (lambda: Model("gaussian") + 5, "a model or evidence was expected, got 5"),
        (lambda: Model("gaussian").learn([[1.0], [2.0]], "ab"), "one label per row was expected, got the text 'ab'"),
        (lambda: Model("gaussian").learn([[1.0]], None), "a column of values was expected, got None"),
        (lambda: Model("gaussian").learn([[1.0]], [[1, 2]]), "labels must be text, numbers or tuples"),
        (lambda: Model("gaussian").learn({"u": 1, "v": 2}, ["a"]), "a column of values was expected, got 1"),
        (lambda: Model("gaussian").learn([{"u": 10**400}], ["a"]), "gaussian needs numbers, got 1000"),
        (lambda: Model("gaussian").learn([[1.0]], ["a"]).decide([[1.0]], "zero"), "a loss was expected, got 'zero'"),
        (lambda: Model("multivariate_normal").learn([[1e78, 1.0]], ["a"]), "needs numbers below 1e70, got 1e\\+78"),
    ],
)
def test_mistakes_get_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_other_beliefs_over_the_same_evidence_need_no_relearning():
    rows, labels = [{"x": 1, "y": 2}, {"y": 1}, {"x": 3}], ["a", "b", "b"]
    model = Model("multinomial").learn(rows, labels)
    for event in (Bernoulli(alpha=0.5), Multinomial(alpha=0.1, distinct=True)):
        other = model.with_beliefs(event, Uniform())
        fresh = Model(event, Uniform()).learn(rows, labels)
        np.testing.assert_array_equal(other.posterior(rows).probabilities, fresh.posterior(rows).probabilities)


def test_a_column_that_was_never_learned_is_refused():
    small, large = Product({"x": Gaussian()}), Product({"x": Gaussian(), "y": Poisson()})
    wider = Model(small).learn({"x": [1.0, 2.0, 5.0, 6.0]}, Y).with_beliefs(large)
    with pytest.raises(InputError) as error:
        wider.posterior({"x": [3.0], "y": [2]})
    assert error.value.message == "1 columns were expected, got 2: ('x',), ('y',)"
    assert error.value.hint == "the model knows ('x',)"


def test_a_frozen_model_has_learned_nothing_and_keeps_beliefs_and_columns():
    model = Model(Histogram(bins=2), Uniform()).learn({"x": [1.0, 2.0, 8.0, 9.0], "y": [5.0, 6.0, 7.0, 8.0]}, Y)
    frozen = model.frozen()
    assert frozen.event == Histogram(bins=2, edges=((0.5, 5.0, 9.5), (4.5, 6.5, 8.5)))
    assert frozen.prior == Uniform() and len(frozen.evidence.classes) == 0
    frozen.learn({"y": [5.0, 6.0, 7.0, 8.0], "x": [1.0, 2.0, 8.0, 9.0]}, Y)
    row = {"x": [4.0], "y": [7.5]}
    np.testing.assert_array_equal(frozen.posterior(row).probabilities, model.posterior(row).probabilities)


# Products


def test_columns_of_different_kinds_multiply():
    model = Model(MIXED, Uniform()).learn(TABLE, KIND)
    row = {"city": ["Rome"], "height": [3.0], "weight": [3.5], "clicks": [2], "member": [1]}
    expected = np.zeros(2)
    for columns, event in MIXED.events.items():
        columns = columns if isinstance(columns, tuple) else (columns,)
        alone = Model(event, Uniform(), missing="skip").learn({name: TABLE[name] for name in columns}, KIND)
        expected += alone.posterior({name: row[name] for name in columns}).log_probabilities[0]
    found = model.posterior(row).log_probabilities[0]
    assert found[0] - found[1] == pytest.approx(expected[0] - expected[1], rel=1e-12)


def test_a_product_learns_from_records_and_unlearns_them():
    rows = records(TABLE)
    model = Model(MIXED).learn(rows, KIND)
    assert model.evidence == Model(MIXED).learn(TABLE, KIND).evidence
    assert model.decide(rows) == KIND
    model.unlearn(rows[3:], KIND[3:])
    assert model.evidence.same(Model(MIXED).observe(rows[:3], KIND[:3]), 1e-9)


def test_the_shares_of_a_product_add_up_over_all_its_columns():
    model = Model(MIXED).learn(TABLE, KIND)
    question = [{"city": "Rome", "height": 3.0, "weight": 3.5, "clicks": 2, "member": 1}]
    why = model.explain(question)
    assert {share.feature for share in why.shares} == set(TABLE)
    odds = model.posterior(question).log_probabilities[0]
    place, rival = model.classes.index(why.label), model.classes.index(why.against)
    assert why.total == pytest.approx(odds[place] - odds[rival], rel=1e-12)
    sizes = [abs(share.nats) for share in why.shares]
    assert sizes == sorted(sizes, reverse=True)


def test_leaving_a_row_of_a_product_out_is_relearning_without_it():
    rows = records(TABLE)
    judged = leave_one_out(Model(MIXED), rows, KIND)
    frozen = Model(MIXED).learn(rows, KIND).frozen()
    for place, row in enumerate(rows):
        others = [other for other in range(len(rows)) if other != place]
        fresh = frozen.with_beliefs() + frozen.observe([rows[o] for o in others], [KIND[o] for o in others])
        expected = fresh.posterior([row]).probabilities[0]
        np.testing.assert_allclose(judged.posterior.probabilities[place], expected, rtol=1e-9)


def test_columns_that_a_product_does_not_name_are_left_alone():
    wide = {**TABLE, "note": list("abcdef")}
    assert Model(MIXED).observe(wide, KIND) == Model(MIXED).observe(TABLE, KIND)


@pytest.mark.parametrize(("column", "event"), [("city", "categorical"), ("weight", "gaussian"), ("clicks", "poisson")])
def test_a_column_that_a_product_names_must_be_there(column, event):
    model = Model(MIXED).learn(TABLE, KIND)
    before = model.evidence.copy()
    lacking = {name: values for name, values in TABLE.items() if name != column}
    with pytest.raises(InputError) as error:
        model.learn(lacking, KIND)
    assert error.value.message == f"{event}: column {column!r} is missing"
    assert error.value.hint == f"there are {', '.join(map(repr, lacking))}"
    assert model.evidence == before


def test_a_bad_cell_in_one_column_of_a_product_changes_none_of_them():
    model = Model(MIXED).learn(TABLE, KIND)
    before = model.evidence.copy()
    with pytest.raises(InputError, match="poisson needs whole numbers >= 0, got -1 in row 0, column 'clicks'"):
        model.learn({**TABLE, "clicks": [-1, 1, 0, 4, 7, 5]}, KIND)
    assert model.evidence == before


def test_a_product_of_numbered_columns_reads_a_bare_matrix():
    event = Product({0: Gaussian(), 1: Poisson()})
    model = Model(event).learn(X, Y)
    assert model.decide(np.array(X)) == Y
    with pytest.raises(InputError, match="poisson: column 1 is missing") as error:
        model.posterior([[1.0]])
    assert error.value.hint == "there are 0"


def test_a_product_prints_its_columns():
    assert repr(Product({"city": Categorical(), (0, 1): Gaussian()})) == (
        "Product({'city': Categorical(...), (0, 1): Gaussian(...)})"
    )


def test_a_product_needs_a_column():
    with pytest.raises(InputError, match="a product needs at least one column"):
        Product({})


def test_a_block_of_columns_has_one_share_for_all_of_them():
    """A diagonal covariance is the Gaussian event, so its one share is the sum of the Gaussian's."""
    model = Model(MultivariateNormal(covariance="diagonal")).learn({"x": [1, 2, 8, 9], "y": [0, 1, 3, 5]}, Y)
    plain = Model("gaussian").learn({"x": [1, 2, 8, 9], "y": [0, 1, 3, 5]}, Y)
    why, expected = (m.explain({"y": [2.0], "x": [5.0]}) for m in (model, plain))
    (share,) = why.shares
    assert (why.label, share.feature, share.value) == (expected.label, ("x", "y"), None)
    assert share.nats == pytest.approx(sum(other.nats for other in expected.shares), rel=1e-9)


def test_a_block_refuses_other_columns_and_names_the_column_of_a_bad_cell():
    model = Model("multivariate_normal").learn({"x": [1, 2, 8, 9], "y": [0, 1, 3, 5]}, Y)
    before = model.evidence.copy()
    with pytest.raises(InputError, match=r"multivariate normal: columns \('x', 'y'\) were expected, got \('x', 'z'\)"):
        model.posterior({"x": [1.0], "z": [1.0]})
    with pytest.raises(InputError, match="multivariate normal needs finite numbers, got inf in row 1, column 'y'"):
        model.learn({"y": [1.0, np.inf], "x": [0.0, 0.0]}, ["low", "high"])
    assert model.evidence == before


# Explanations


def test_any_two_classes_can_be_compared():
    model = Model("gaussian").learn([[0.0], [1.0], [5.0], [6.0], [20.0], [21.0]], list("aabbcc"))
    why = model.explain([[1.0]])
    assert (why.label, why.against) == ("a", "b")
    other = model.explain([[1.0]], against="c", label="b")
    assert (other.label, other.against) == ("b", "c")
    assert other.probability == model.posterior([[1.0]]).probabilities[0, 1]
    assert model.explain([[1.0]], label="c").against == "a"


@pytest.mark.parametrize("asked", [{"against": "zebra"}, {"label": "zebra"}])
def test_a_class_that_is_not_there_cannot_be_explained(asked):
    with pytest.raises(InputError, match="no class is called 'zebra'") as error:
        Model("gaussian").learn(X, Y).explain(X[:1], **asked)
    assert error.value.hint == "there are 'high', 'low'"


def test_an_explanation_is_of_one_row_and_two_classes():
    with pytest.raises(InputError, match="explain takes one row, got 2"):
        Model("gaussian").learn(X, Y).explain(X[:2])
    with pytest.raises(InputError, match="an explanation needs two classes, got one"):
        Model("gaussian").learn(X, ["a"] * 4).explain(X[:1])


# Learning a few rows in place


def many(rows=40, columns=6):
    rng = np.random.default_rng(3)
    return rng.integers(0, 4, (rows, columns)).astype(float), rng.integers(0, 3, rows)


@pytest.mark.parametrize("event", [Multinomial(), Bernoulli(binarize=0), Bernoulli(binarize=1.5)], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_few_rows_are_added_where_they_belong(event, form):
    rows, labels = many()
    model = Model(event).learn(form(rows), labels)
    tables = model.evidence.parts[None].stats.count
    other = model.with_beliefs()
    before = other.evidence.copy()
    model.posterior(rows)
    for place in range(4):
        model.learn(form(rows[place : place + 1]), labels[place : place + 1], [0.5 + place])
    assert np.shares_memory(model.evidence.parts[None].stats.count, tables)
    weight = np.concatenate([np.ones(40), 0.5 + np.arange(4)])
    expected = Model(event).learn(np.vstack([rows, rows[:4]]), np.append(labels, labels[:4]), weight)
    assert model.evidence == expected.evidence
    np.testing.assert_array_equal(model.posterior(rows).probabilities, expected.posterior(rows).probabilities)
    assert other.evidence == before


def test_a_few_rows_with_entries_twice_or_out_of_order_are_added_up():
    rows, labels = many()
    rows = (rows > 1).astype(float)
    twice = sparse.csr_array((np.array([1.0, 0.5, 0.5]), np.array([4, 2, 2]), np.array([0, 3])), shape=(1, 6))
    for event in (Multinomial(), Bernoulli(binarize=0)):
        model = Model(event).learn(rows, labels).learn(twice, [1])
        assert model.evidence == Model(event).learn(rows, labels).learn(twice.toarray(), [1]).evidence


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("cell", [-1.0, np.nan, np.inf], ids=str)
def test_a_bad_cell_in_a_few_rows_changes_nothing(form, cell):
    rows, labels = many()
    model = Model("multinomial").learn(rows, labels)
    before, answers = model.evidence.copy(), model.posterior(rows).probabilities
    wrong = rows[:2].copy()
    wrong[1, 3] = cell
    with pytest.raises(InputError, match=r"multinomial needs finite numbers >= 0, got .* in row 1, column 3"):
        model.learn(form(wrong), [0, 1])
    with pytest.raises(InputError, match="one label per row was expected, got 1 for 2 rows"):
        model.learn(form(rows[:2]), [0])
    assert model.evidence == before
    np.testing.assert_array_equal(model.posterior(rows).probabilities, answers)


def test_a_few_rows_of_a_new_class_or_without_weight_are_counted_apart():
    rows, labels = many()
    model = Model("multinomial").learn(rows, labels).learn(rows[:2], [7, 0], [1.0, 0.0])
    assert model.evidence == Model("multinomial").observe(np.vstack([rows, rows[:1]]), np.append(labels, 7))


# The likeliest class


def test_the_likeliest_class_is_the_same_however_the_rows_are_cut(monkeypatch):
    rows, labels = many(200)
    forms = [(event, form) for event in COUNTED for form in (np.asarray, sparse.csr_array)]
    for event, form in [*forms, (Gaussian(), np.asarray), (Categorical(), np.asarray)]:
        model = Model(event).learn(form(rows), labels)
        judged = model.posterior(form(rows)).log_probabilities.argmax(axis=1)
        expected = [model.classes[place] for place in judged]
        assert model.decide(form(rows)) == expected
        with monkeypatch.context() as patch:
            patch.setattr("plainbayes.model.CELLS", 64)
            assert model.decide(form(rows)) == expected


COUNTED = (Multinomial(alpha=0), Bernoulli(binarize=0))


def test_a_bad_cell_is_found_in_its_row_however_the_rows_are_cut(monkeypatch):
    rows, labels = many(100)
    model = Model("gaussian").learn(rows, labels)
    rows[77, 2] = np.inf
    monkeypatch.setattr("plainbayes.model.CELLS", 64)
    with pytest.raises(InputError, match="gaussian needs finite numbers, got inf in row 77, column 2"):
        model.decide(rows)


def test_rows_that_every_class_calls_impossible_are_decided_by_the_prior():
    model = Model(Multinomial(alpha=0)).learn([[1, 0, 0], [0, 1, 0], [0, 2, 0]], ["a", "b", "b"])
    assert model.decide([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]) == ["b", "a", "b", "b"]


# Alphas


def test_one_alpha_for_each_column_is_added_to_its_counts():
    """By hand: (W + alpha_i) / (L + sum of alphas)."""
    model = Model(Multinomial(alpha=[0.5, 2.0])).learn([[3, 0], [1, 4]], ["a", "b"])
    expected = np.array([[3.5 / 5.5, 2 / 5.5], [1.5 / 7.5, 6 / 7.5]])
    np.testing.assert_allclose(np.exp(model.event.weights(model.stats(model.evidence.parts[None]))[0]), expected)
    assert model.event == Multinomial(alpha=(0.5, 2.0))
    with pytest.raises(InputError, match="multinomial has an alpha for each of 2 columns, but 3 were learned"):
        Model(Multinomial(alpha=[0.5, 2.0])).learn([[3, 0, 1]], ["a"]).posterior([[1, 1, 1]])


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf, [1.0, -1.0], [[1.0]], "much", None], ids=str)
def test_an_alpha_is_a_number_from_zero_or_several(alpha):
    with pytest.raises(InputError, match="multinomial needs a finite alpha >= 0, got"):
        Multinomial(alpha=alpha)
