"""Every form of data becomes the same evidence, and what cannot be data is refused with its place."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from plainbayes import InputError, Model, NotLearnedError, Product, leave_one_out
from plainbayes.errors import shown
from plainbayes.events import Bernoulli, Categorical, Gaussian, Multinomial, Poisson
from plainbayes.evidence import Index
from plainbayes.matrix import Outside
from plainbayes.observations import distinct, labelled, observe, read

COUNTS = [[1, 0, 2], [0, 3, 0], [1, 1, 1], [0, 0, 0]]
LABELS = ["a", "b", "a", "b"]


class Series:
    """A column as pandas hands it over."""

    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return np.asarray(self.values)


class Frame:
    """A data frame as far as we need one."""

    def __init__(self, columns):
        self._columns = columns

    @property
    def columns(self):
        return list(self._columns)

    def __getitem__(self, name):
        return Series(self._columns[name])


class Absent:
    """A missing value like pandas.NA: neither equal nor unequal to anything."""

    def __ne__(self, other):
        return self

    __hash__ = None

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def matrix(kind):
    return np.array(COUNTS, dtype=kind)


FORMS = {
    "tuples": tuple(map(tuple, COUNTS)),
    "int8": matrix(np.int8),
    "uint64": matrix(np.uint64),
    "float16": matrix(np.float16),
    "float32": matrix(np.float32),
    "float64": matrix(np.float64),
    "fortran": np.asfortranarray(matrix(np.float64)),
    "strided": np.repeat(matrix(np.float64), 2, axis=1)[:, ::2],
    "objects": matrix(object),
    "csr matrix": sparse.csr_matrix(matrix(np.float64)),
    "csr array": sparse.csr_array(matrix(np.int32)),
    "csc array": sparse.csc_array(matrix(np.float32)),
    "coo array": sparse.coo_array(matrix(np.float64)),
    "wide indices": sparse.csr_array(
        (np.array([1.0, 2.0, 3.0, 1.0, 1.0, 1.0]), np.array([0, 2, 1, 0, 1, 2], np.int64), np.array([0, 2, 3, 6, 6])),
        shape=(4, 3),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("event", [Multinomial(), Bernoulli(binarize=0)], ids=["multinomial", "bernoulli"])
def test_counts_are_the_same_in_every_form_of_matrix(form, event):
    plain, model = Model(event).learn(COUNTS, LABELS), Model(event).learn(FORMS[form], LABELS)
    assert model.evidence == plain.evidence
    expected = plain.posterior(COUNTS).log_probabilities
    np.testing.assert_allclose(model.posterior(FORMS[form]).log_probabilities, expected, rtol=1e-12)
    np.testing.assert_allclose(plain.posterior(FORMS[form]).log_probabilities, expected, rtol=1e-12)


@pytest.mark.parametrize("form", [name for name in FORMS if not sparse.issparse(FORMS[name])])
@pytest.mark.parametrize("event", ["gaussian", "poisson", "exponential", "histogram", "categorical"])
def test_cells_are_the_same_in_every_form_of_dense_matrix(form, event):
    plain, model = Model(event).learn(COUNTS, LABELS), Model(event).learn(FORMS[form], LABELS)
    assert model.evidence == plain.evidence
    expected = plain.posterior(COUNTS).log_probabilities
    np.testing.assert_allclose(model.posterior(FORMS[form]).log_probabilities, expected, rtol=1e-12)


def test_truth_values_are_zeros_and_ones():
    flags = np.array(COUNTS) > 0
    for form in (flags, flags.tolist(), sparse.csr_array(flags)):
        assert Model("bernoulli").learn(form, LABELS).evidence == Model("bernoulli").observe(flags.astype(int), LABELS)


TABLE = {"height": [1.5, None, 2.5, 3.0], "city": ["Rome", "Oslo", None, "Rome"]}
TABLES = {
    "columns": TABLE,
    "other order": {"city": TABLE["city"], "height": [1.5, np.nan, 2.5, 3.0]},
    "arrays": {"height": np.array([1.5, np.nan, 2.5, 3.0]), "city": np.array(TABLE["city"], dtype=object)},
    "frame": Frame(TABLE),
    "records": [{"height": h, "city": c} for h, c in zip(TABLE["height"], TABLE["city"], strict=True)],
    "records without keys": [
        {"height": 1.5, "city": "Rome"},
        {"city": "Oslo"},
        {"height": 2.5},
        {"height": 3.0, "city": "Rome"},
    ],
    "absent": {"height": [1.5, Absent(), 2.5, 3.0], "city": ["Rome", "Oslo", Absent(), "Rome"]},
}


@pytest.mark.parametrize("form", TABLES)
def test_named_columns_are_the_same_in_every_form_of_table(form):
    event = Product({"height": Gaussian(), "city": Categorical()})
    plain, model = Model(event).learn(TABLE, LABELS), Model(event).learn(TABLES[form], LABELS)
    assert model.evidence == plain.evidence
    assert model.evidence.parts[("height",)].stats.n.tolist() == [[2], [1]]
    assert model.evidence.parts["city"].stats.count.sum() == 3
    expected = plain.posterior(TABLE).log_probabilities
    np.testing.assert_array_equal(plain.posterior(TABLES[form]).log_probabilities, expected)


def test_columns_are_found_by_name_whatever_their_order():
    model = Model("gaussian").learn({"x": [1.0, 2.0, 5.0, 6.0], "y": [9.0, 8.0, 1.0, 2.0]}, LABELS)
    one, two = model.posterior({"x": [1.0], "y": [8.0]}), model.posterior({"y": [8.0], "x": [1.0]})
    np.testing.assert_array_equal(one.log_probabilities, two.log_probabilities)
    model.learn({"y": [1.0], "x": [2.0]}, ["a"]).unlearn({"x": [2.0], "y": [1.0]}, ["a"])
    assert list(model.evidence.parts[None].features) == ["x", "y"]


def test_numbered_columns_are_found_by_number_in_a_sparse_matrix_too():
    model = Model("multinomial").learn({1: [5, 0], 0: [0, 5]}, ["a", "b"])
    rows = np.array([[0.0, 3.0], [2.0, 0.0]])
    assert model.decide(rows) == model.decide(sparse.csr_array(rows)) == ["a", "b"]


def test_columns_of_counts_stand_by_name_in_a_table():
    model = Model("multinomial").learn({"x": [5, 0], "y": [0, 5]}, ["a", "b"])
    assert model.evidence == Model("multinomial").learn({"y": [0, 5], "x": [5, 0]}, ["a", "b"]).evidence
    assert [share.feature for share in model.explain({"x": [0], "y": [2]}).shares] == ["y"]


def test_records_are_bags_of_words_to_a_count_event_and_rows_to_the_others():
    rows = [{"x": 2, "y": 1}, {"z": 1}]
    bags = observe(Multinomial(), rows)[None]
    assert bags.open and list(bags.features) == ["x", "y", "z"]
    table = observe(Gaussian(), rows)[None]
    assert not table.open and np.isnan(table.X).tolist() == [[False, False, True], [True, True, False]]


def test_categories_may_be_any_labels():
    column = [("t", 1), 3, "x", True]
    (block,) = observe(Categorical(), {"c": column}).values()
    assert block.keys == ("c",)
    assert block.labels == [column]
    (numbers,) = observe(Categorical(), {"c": np.array([3, 1, 3])}).values()
    assert numbers.labels == [[1, 3]]
    assert numbers.cells.tolist() == [[1], [0], [1]]


def test_some_rows_of_a_block_hold_only_their_own_words():
    bags = observe(Multinomial(), [{"x": 2}, {"y": 1}, {"x": 1, "z": 4}])[None]
    some = bags.take(np.array([2, 1]))
    assert list(some.features) == ["x", "y", "z"]
    assert list(bags.take(np.array([1])).features) == ["y"]
    counts = observe(Multinomial(), sparse.csr_array(np.array(COUNTS)))[None].take(np.array([2, 0]))
    assert counts.X.shape == (2, 3) and counts.features == Index(range(3))
    assert counts.X.data.tolist() == [1, 1, 1, 1, 2]


def test_a_copy_of_a_row_is_told_whatever_the_order_of_its_words():
    bags = observe(Multinomial(), [{"x": 2, "y": 1}, {"y": 1, "x": 2}, {"x": 1, "y": 2}])[None]
    assert bags.row(0) == bags.row(1) != bags.row(2)
    cells = observe(Gaussian(), [[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])[None]
    assert cells.row(0) == cells.row(1) != cells.row(2)


# Bad input: SPEC, section 10

NEGATIVE = 'use event="gaussian" for values that may be negative'
CONTINUOUS = 'use event="gaussian" or another event for continuous values'
INFINITE = "replace infinite values, and scale down those beyond 1e150"
BINARY = "pass binarize=0 to count everything above 0 as 1"
COUNTED = "replace NaN by 0: a word that is not there counts zero"
SKIP = 'pass missing="skip" to treat missing cells as no evidence'
LABELS_HINT = 'use event="categorical" for a column of labels'
GOOD = [[1.0, 0.0], [0.0, 1.0]]


def bad(value, row=2, column=1):
    X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    X[row][column] = value
    return X


REFUSED = [
    ("multinomial", bad(-3), "multinomial needs finite numbers >= 0, got -3 in row 2, column 1", NEGATIVE),
    ("complement", bad(-0.5, 0, 0), "complement needs finite numbers >= 0, got -0.5 in row 0, column 0", NEGATIVE),
    ("multinomial", bad(np.inf), "multinomial needs finite numbers >= 0, got inf in row 2, column 1", INFINITE),
    ("multinomial", bad(np.nan), "multinomial needs finite numbers >= 0, got NaN in row 2, column 1", COUNTED),
    ("bernoulli", bad(2), "bernoulli needs 0 or 1, got 2 in row 2, column 1", BINARY),
    ("bernoulli", bad(0.5, 1), "bernoulli needs 0 or 1, got 0.5 in row 1, column 1", BINARY),
    ("bernoulli", bad(-1), "bernoulli needs 0 or 1, got -1 in row 2, column 1", BINARY),
    ("bernoulli", bad(np.nan), "bernoulli needs 0 or 1, got NaN in row 2, column 1", COUNTED),
    ("poisson", bad(-3), "poisson needs whole numbers >= 0, got -3 in row 2, column 1", NEGATIVE),
    ("poisson", bad(0.5), "poisson needs whole numbers >= 0, got 0.5 in row 2, column 1", CONTINUOUS),
    ("poisson", bad(np.nan), "poisson needs whole numbers >= 0, got NaN in row 2, column 1", SKIP),
    ("exponential", bad(-1e-9), "exponential needs finite numbers >= 0, got -1e-09 in row 2, column 1", NEGATIVE),
    ("gaussian", bad(np.nan, 0, 0), "gaussian needs finite numbers, got NaN in row 0, column 0", SKIP),
    ("gaussian", bad(-np.inf), "gaussian needs finite numbers, got -inf in row 2, column 1", INFINITE),
    ("gaussian", bad(None), "gaussian needs finite numbers, got NaN in row 2, column 1", SKIP),
    ("gaussian", bad("tall"), "gaussian needs numbers, got 'tall' in row 2, column 1", LABELS_HINT),
    ("histogram", bad(np.inf), "histogram needs finite numbers, got inf in row 2, column 1", INFINITE),
    ("categorical", bad(None), "categorical needs a category, got None in row 2, column 1", SKIP),
]


@pytest.mark.parametrize("verb", ["learn", "unlearn", "score"])
@pytest.mark.parametrize(("event", "X", "message", "hint"), REFUSED, ids=[said for _, _, said, _ in REFUSED])
def test_a_bad_cell_is_refused_with_its_value_and_place_and_nothing_is_lost(event, X, message, hint, verb):
    model = Model(event).learn(GOOD, ["a", "b"])
    before, asked = model.evidence.copy(), model.posterior(GOOD).probabilities
    with pytest.raises(InputError) as error:
        model.posterior(X) if verb == "score" else getattr(model, verb)(X, ["a", "b", "a"])
    assert (error.value.message, error.value.hint) == (message, hint)
    assert str(error.value) == f"{message}\nhint: {hint}"
    assert model.evidence == before
    np.testing.assert_array_equal(model.posterior(GOOD).probabilities, asked)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("event", "value", "needs", "hint"),
    [
        ("bernoulli", 3, "0 or 1", BINARY),
        ("multinomial", -2, "finite numbers >= 0", NEGATIVE),
        ("multinomial", np.nan, "finite numbers >= 0", COUNTED),
    ],
)
def test_a_bad_entry_of_a_sparse_matrix_is_refused_with_its_place(event, value, needs, hint, kind):
    X = np.zeros((5, 4), dtype=kind)
    X[0, 3], X[3, 2] = 1, value
    with pytest.raises(InputError) as error:
        Model(event).learn(sparse.csr_array(X), list("ababa"))
    assert error.value.message == f"{event} needs {needs}, got {shown(value)} in row 3, column 2"
    assert error.value.hint == hint


@pytest.mark.parametrize(
    ("bag", "message", "hint"),
    [
        ({"x": -1}, "multinomial needs finite numbers >= 0, got -1 in row 1, word 'x'", NEGATIVE),
        ({"x": None}, "multinomial needs finite numbers >= 0, got NaN in row 1, word 'x'", COUNTED),
        ({"x": np.inf}, "multinomial needs finite numbers >= 0, got inf in row 1, word 'x'", INFINITE),
    ],
    ids=["negative", "none", "infinite"],
)
def test_a_bad_count_of_a_word_is_refused_with_the_word(bag, message, hint):
    model = Model("multinomial").learn([{"x": 1}], ["a"])
    before = model.evidence.copy()
    with pytest.raises(InputError) as error:
        model.learn([{"y": 1}, bag], ["a", "b"])
    assert (error.value.message, error.value.hint) == (message, hint)
    assert model.evidence == before


def test_the_column_is_named_where_columns_have_names():
    with pytest.raises(InputError) as error:
        Model("poisson").learn({"views": [1, 2], "clicks": [4, -3]}, ["a", "b"])
    assert error.value.message == "poisson needs whole numbers >= 0, got -3 in row 1, column 'clicks'"


def test_the_first_offender_in_reading_order_is_named():
    with pytest.raises(InputError, match="got -7 in row 1, column 0"):
        Model("multinomial").learn([[1, 2], [-7, -8], [-9, 1]], ["a", "b", "a"])


@pytest.mark.parametrize("event", ["gaussian", "poisson", "exponential", "histogram", "categorical"])
def test_a_missing_cell_is_no_evidence_under_skip_and_refused_under_error(event):
    X, named = [[1.0, np.nan], [2.0, 3.0]], {"x": [1.0, 2.0], "y": [np.nan, 3.0]}
    for data in (X, named):
        with pytest.raises(InputError, match=r"got .*(nan|NaN)"):
            Model(event, missing="error").learn(data, ["a", "b"])
    assert Model(event, missing="skip").observe(X, ["a", "b"]).parts
    assert Model(event).observe(named, ["a", "b"]).parts


def test_counts_are_never_missing():
    for event in ("multinomial", "bernoulli", "complement"):
        with pytest.raises(InputError, match=f"{event} needs .* got NaN in row 0, column 'x'") as error:
            Model(event, missing="skip").learn({"x": [None, 1], "y": [1, 0]}, ["a", "b"])
        assert error.value.hint == COUNTED


def test_missing_is_one_of_two_words():
    with pytest.raises(InputError, match="missing needs 'skip', 'error' or None, got 'drop'"):
        Model("gaussian", missing="drop").learn([[1.0]], ["a"])


@pytest.mark.parametrize("event", ["gaussian", "poisson", "multinomial", "bernoulli", "histogram"])
@pytest.mark.parametrize("width", [1, 3])
def test_a_row_of_the_wrong_width_is_refused_and_nothing_is_lost(event, width):
    model = Model(event).learn(GOOD, ["a", "b"])
    before = model.evidence.copy()
    for verb in (lambda X: model.learn(X, ["a"]), lambda X: model.unlearn(X, ["a"]), model.posterior):
        with pytest.raises(InputError) as error:
            verb([[1.0] * width])
        assert error.value.message == f"{event}: rows with 2 columns were expected, got {width}"
    assert model.evidence == before


def test_a_sparse_row_of_the_wrong_width_is_refused():
    model = Model("multinomial").learn(GOOD, ["a", "b"])
    with pytest.raises(InputError, match="multinomial: rows with 2 columns were expected, got 3"):
        model.posterior(sparse.csr_array(np.eye(3)))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"x": [1.0]}, "column 'y' is missing"),
        ({"x": [1.0], "y": [1.0], "z": [1.0]}, "column 'z' is not known"),
        ({"x": [1.0], "z": [1.0]}, "column 'y' is missing, column 'z' is not known"),
        ([[1.0, 2.0]], "column 'x', 'y' is missing, column 0, 1 is not known"),
    ],
    ids=["missing", "strange", "both", "numbers"],
)
def test_columns_that_a_model_does_not_know_are_refused_by_name(row, said):
    model = Model("gaussian").learn({"x": [1.0, 2.0], "y": [1.0, 2.0]}, ["a", "b"])
    with pytest.raises(InputError) as error:
        model.posterior(row)
    assert (error.value.message, error.value.hint) == (f"gaussian: {said}", "the model knows 'x', 'y'")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[1.0, 2.0], [1.0]], "rows of one length were expected, got rows of different lengths"),
        ([1.0, 2.0], "a table with rows and columns was expected, got 1 dimensions"),
        (np.zeros((2, 2, 2)), "a table with rows and columns was expected, got 3 dimensions"),
        ({"x": [1.0, 2.0], "y": [1.0]}, "columns of one length were expected, got lengths 1, 2"),
    ],
    ids=["ragged", "one dimension", "three", "columns"],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(InputError) as error:
        Model("gaussian").learn(data, ["a", "b"])
    assert error.value.message == message


def test_one_row_by_itself_is_refused_with_a_hint():
    with pytest.raises(InputError) as error:
        Model("gaussian").posterior([1.0, 2.0])
    assert error.value.hint == "pass [row, row, ...], also for a single row"


@pytest.mark.parametrize("event", ["gaussian", "poisson", "categorical"])
def test_an_event_over_cells_asks_for_a_dense_array(event):
    with pytest.raises(InputError, match=f"{event} needs a dense array, got a sparse matrix") as error:
        Model(event).learn(sparse.csr_array(np.eye(2)), ["a", "b"])
    assert error.value.hint == "pass X.toarray()"


def test_some_columns_of_a_sparse_matrix_cannot_be_counted_alone():
    with pytest.raises(InputError, match="multinomial: all columns of a sparse matrix are counted together"):
        Model(Product({(0, 2): Multinomial()})).learn(sparse.csr_array(np.eye(3)), list("aba"))


def test_some_columns_of_a_dense_matrix_can_be_counted_alone():
    chosen = Model(Product({(0, 2): Multinomial(), 1: Poisson()})).observe(COUNTS, LABELS)
    assert chosen.parts[(0, 2)].stats.count.tolist() == [[2, 3], [0, 0]]
    assert chosen.parts[(1,)].stats.s.tolist() == [[1], [3]]


# Labels and weights


@pytest.mark.parametrize("labels", [[1, 0, 1], np.array([1, 0, 1], np.int8), [True, False, True], Series([1, 0, 1])])
def test_labels_that_are_numbers_are_sorted_numbers(labels):
    classes, Y = labelled(labels)
    assert list(classes) == [0, 1]
    assert Y.codes.tolist() == [1, 0, 1]
    assert Y.totals.tolist() == [1, 2]


def test_labels_may_be_of_mixed_types():
    classes, Y = labelled(["b", 1, ("t", 2), "b"])
    assert list(classes) == ["b", 1, ("t", 2)]
    assert Y.codes.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("labels", "said"),
    [(["a", None], "None"), (["a", float("nan")], "NaN"), ([1.0, np.nan], "NaN")],
    ids=["none", "nan among words", "nan among numbers"],
)
def test_a_missing_label_is_refused_with_its_row(labels, said):
    with pytest.raises(InputError, match=f"a label was expected, got {said} in row 1"):
        labelled(labels)


def test_labels_stand_in_one_row():
    with pytest.raises(InputError, match="one label per row was expected, got 2 dimensions"):
        labelled(np.zeros((3, 1)))


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "a"]])
def test_one_label_for_every_row_is_asked_for(labels):
    model = Model("gaussian").learn(GOOD, ["a", "b"])
    before = model.evidence.copy()
    with pytest.raises(InputError, match=f"one label per row was expected, got {len(labels)} for 2 rows"):
        model.learn(GOOD, labels)
    assert model.evidence == before


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -2], "weights must be from 0 to 1e+15, got -2 in row 1"),
        ([np.nan, 1], "weights must be from 0 to 1e+15, got NaN in row 0"),
        ([1, np.inf], "weights must be from 0 to 1e+15, got inf in row 1"),
        ([1, 1, 1], "one weight for each of 2 rows was expected, got (3,)"),
        (2.0, "one weight for each of 2 rows was expected, got ()"),
    ],
    ids=["negative", "nan", "infinite", "too many", "one for all"],
)
def test_a_bad_weight_is_refused_and_nothing_is_lost(weight, message):
    model = Model("gaussian").learn(GOOD, ["a", "b"])
    before = model.evidence.copy()
    with pytest.raises(InputError) as error:
        model.learn(GOOD, ["a", "b"], weight)
    assert error.value.message == message
    assert model.evidence == before


def test_an_error_survives_pickling_as_processes_send_it():
    error = InputError("what came", "what to do")
    twin = pickle.loads(pickle.dumps(error))
    assert (type(twin), str(twin), twin.hint) == (InputError, str(error), "what to do")


@pytest.mark.parametrize(("row", "came"), [(["r"], "1: 0"), (["r", "x", "q"], "3: 0, 1, 2")], ids=["short", "long"])
def test_categories_of_the_wrong_width_are_refused_and_nothing_is_lost(row, came):
    """SPEC, section 10."""
    model = Model("categorical").learn([["r", "x"], ["g", "y"]], ["a", "b"])
    before = model.evidence.copy()
    for verb in (lambda X: model.learn(X, ["a"]), lambda X: model.unlearn(X, ["a"]), model.posterior):
        with pytest.raises(InputError) as error:
            verb([row])
        assert error.value.message == f"2 columns were expected, got {came}"
        assert error.value.hint == "the model knows 0, 1"
    assert model.evidence == before


def test_entries_of_a_sparse_matrix_that_stand_twice_are_summed():
    twice = sparse.csr_matrix((np.array([1.0, 1.0]), np.array([0, 0]), np.array([0, 2, 2])), shape=(2, 2))
    for event in (Bernoulli(binarize=1), Multinomial()):
        assert Model(event).observe(twice, ["a", "b"]) == Model(event).observe(twice.toarray(), ["a", "b"])
    assert twice.nnz == 2


def test_no_rows_teach_nothing():
    model = Model("gaussian").learn([[1.0]], ["a"])
    before = model.evidence.copy()
    assert model.learn(np.zeros((0, 1)), []).evidence == before
    assert model.posterior(np.zeros((0, 1))).probabilities.shape == (0, 1)


def test_no_records_are_refused_since_their_columns_are_not_known():
    with pytest.raises(InputError, match="rows were expected, got none") as error:
        Model("gaussian").learn([], [])
    assert error.value.hint == "pass an array of shape (0, columns) for no rows"


@pytest.mark.parametrize("event", ["gaussian", "multinomial", "histogram", "categorical"])
def test_a_table_without_columns_is_refused(event):
    with pytest.raises(InputError, match="one column at least was expected, got none"):
        Model(event).learn(np.zeros((3, 0)), list("aab"))


def test_a_missing_category_reads_nan():
    with pytest.raises(InputError) as error:
        Model("categorical").learn([[1.0], [np.nan]], ["a", "b"])
    assert error.value.message == "categorical needs a category, got NaN in row 1, column 0"


@pytest.mark.parametrize("value", [1.7e308, -1.7e308, 1.1e150], ids=str)
@pytest.mark.parametrize("event", ["gaussian", "histogram", "kernel", "student_t", "multivariate_normal"])
def test_numbers_beyond_1e150_are_refused_as_not_finite(event, value):
    name = event.replace("_", " ")
    with pytest.raises(InputError) as error:
        Model(event).learn([[3.0], [value]], ["a", "b"])
    assert error.value.message == f"{name} needs finite numbers, got {value:g} in row 1, column 0"
    assert error.value.hint == INFINITE


@pytest.mark.parametrize("event", ["poisson", "exponential", "multinomial", "gamma", "log_normal"])
def test_counts_and_amounts_beyond_1e150_are_refused_and_smaller_ones_are_not(event):
    with pytest.raises(InputError, match=r"needs .*, got 1e\+200 in row 0, column 0") as error:
        Model(event).learn([[1e200], [3.0]], ["a", "b"])
    assert error.value.hint == INFINITE
    found = Model(event).learn([[1e149], [3.0], [4.0]], ["a", "b", "b"]).posterior([[1e149], [3.0]])
    assert np.isfinite(found.probabilities).all()


def test_weights_are_numbers():
    with pytest.raises(InputError, match="weights must be numbers, got 'heavy'"):
        Model("gaussian").learn(GOOD, ["a", "b"], "heavy")


def test_categories_that_cannot_be_compared_are_refused():
    with pytest.raises(InputError, match="categorical needs labels that can be compared, column 'c' has others"):
        Model("categorical").learn({"c": [{1}, {2}]}, ["a", "b"])


# Categories in matrices of whole numbers


def learned(rows, labels=None, **settings):
    rows = np.asarray(rows)
    return Model(Categorical(**settings)).learn(rows, np.arange(len(rows)) % 2 if labels is None else labels)


def spelled(rows):
    """The same categories as text, which are looked up one by one."""
    return [[str(cell) for cell in row] for row in rows]


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 3], [1, 3], [0, 0], [2, 1]],
        [[-1, 3], [1, -7], [-1, 0], [2, 1]],
        [[10**12, 3], [1, 3], [10**12, 10**15], [2, 1]],
        [[0, 0]] * 1100 + [[1, 0], [70, 2], [5, 9000]],
        [[0, 0]] * 1100 + [[1, 0], [70, 2], [-5, 9]],
    ],
    ids=["small", "negative", "huge", "larger later", "negative later"],
)
def test_whole_numbers_are_categories_like_any_other_labels(rows):
    numbers, text = learned(rows), Model("categorical").learn(spelled(rows), np.arange(len(rows)) % 2)
    for key, part in numbers.evidence.parts.items():
        theirs = text.evidence.parts[key]
        assert sorted(map(str, part.features)) == sorted(theirs.features)
        places = theirs.features.find(map(str, part.features))
        np.testing.assert_array_equal(part.stats.count, theirs.stats.count[:, places])
    questions = [*rows[-4:], [4, 4], [10**12, -7]]
    found = numbers.posterior(np.array(questions))
    np.testing.assert_array_equal(found.probabilities, text.posterior(spelled(questions)).probabilities)
    assert numbers.decide(np.array(questions)) == text.decide(spelled(questions))


def test_whole_numbers_are_the_same_categories_as_floats():
    rows = np.array([[0, 3], [1, 3], [0, 0], [2, 1]])
    np.testing.assert_array_equal(
        learned(rows).posterior(rows.astype(float)).probabilities, learned(rows).posterior(rows).probabilities
    )
    half = Model("categorical").learn([[0.5], [np.inf], [2.0]], ["a", "b", "b"])
    assert half.decide(np.array([[2], [0]])) == ["b", "b"]


def test_no_rows_of_categories_teach_nothing():
    model = learned([[0, 3], [1, 3]])
    before = model.evidence.copy()
    model.learn(np.zeros((0, 2), dtype=int), [])
    assert model.evidence == before
    assert model.decide(np.zeros((0, 2), dtype=int)) == []


def test_rows_of_categories_are_left_out_as_if_never_learned():
    rows, labels = np.array([[0, 3], [0, 3], [1, 0], [2, 1], [0, 1]]), ["a", "a", "b", "b", "a"]
    judged = leave_one_out(Model("categorical"), rows, labels).posterior.probabilities
    np.testing.assert_allclose(judged[0], judged[1], rtol=1e-14)
    text = leave_one_out(Model("categorical"), spelled(rows), labels).posterior.probabilities
    np.testing.assert_allclose(judged, text, rtol=1e-12)


def test_categories_of_whole_numbers_are_explained_by_their_value():
    model = learned([[0, 3], [1, 3], [0, 0], [2, 1]])
    shares = {share.feature: share.value for share in model.explain(np.array([[0, 3]])).shares}
    assert shares == {0: 0, 1: 3}


def test_a_missing_category_has_no_share():
    model = Model("categorical").learn({"c": ["r", "g"], "d": ["x", "y"]}, ["a", "b"])
    assert [share.feature for share in model.explain({"c": [None], "d": ["x"]}).shares] == ["d"]


@pytest.mark.parametrize(("event", "values"), [(Categorical(), ["x", "y"]), (Gaussian(), [1.0, 5.0])], ids=["d", "g"])
def test_a_column_that_was_never_learned_says_nothing(event, values):
    model = Model(Product({"c": Categorical(), "d": event})).learn({"c": ["r", "g"], "d": values}, ["a", "b"])
    alone = Model(Product({"c": Categorical()})).learn({"c": ["r", "g"]}, ["a", "b"])
    for key in model.evidence.parts.keys() - {"c"}:
        del model.evidence.parts[key]
    model.evidence.changes += 1
    blocks = read(model.event, {"c": ["r"], "d": values[1:]})
    expected = alone.posterior({"c": ["r"]}).probabilities
    np.testing.assert_allclose(model.judge(blocks).probabilities, expected, rtol=1e-14)
    assert [share.feature for share in model.explained(blocks).shares] == ["c"]


def test_categories_cannot_be_judged_before_any_is_learned():
    with pytest.raises(NotLearnedError, match="the model has learned no row yet"):
        Model("categorical", classes=["a", "b"]).posterior(np.array([[0]]))


def test_a_fault_that_is_not_found_again_is_not_hidden():
    class Strict(Multinomial):
        def tally(self, X, Y):
            raise Outside

    with pytest.raises(Outside):
        Model(Strict()).learn([[1, 0]], ["a"])


def test_an_impossible_category_vetoes_beside_columns_without_a_veto():
    """P(r | b) = 0 without smoothing; the second column is smoothed."""
    design = Product({"c": Categorical(alpha=0.0), "d": Categorical(alpha=1.0)})
    model = Model(design).learn({"c": ["r", "g"], "d": ["x", "y"]}, ["a", "b"])
    np.testing.assert_array_equal(model.posterior({"c": ["r"], "d": ["y"]}).probabilities, [[1.0, 0.0]])
    smooth = Model(Product({"d": Categorical()})).learn({"d": ["x", "y"]}, ["a", "b"]).posterior({"d": ["y"]})
    missing = model.posterior({"c": [None], "d": ["y"]})
    np.testing.assert_allclose(missing.probabilities, smooth.probabilities, rtol=1e-14)


# Different numbers


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, 1, 3, 2]),
        np.array([-5, -5, 7], dtype=np.int8),
        np.array([-128, 127], dtype=np.int8),
        np.array([10**15, 3, 10**15]),
        np.array([2**63 + 1, 2**63, 2**64 - 1], dtype=np.uint64),
        np.array([2**63 + 1, 2**63], dtype=np.uint64),
        np.array([-(2**63), -(2**63) + 2]),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([0.5, -1.0, 0.5]),
        np.array(["b", "a", "b"]),
        np.array([], dtype=np.int64),
    ],
    ids=str,
)
def test_different_values_are_those_of_numpy(values):
    found, codes = distinct(values)
    np.testing.assert_array_equal(found, np.unique(values), strict=True)
    np.testing.assert_array_equal(found[codes], values)
