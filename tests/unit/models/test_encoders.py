"""From examples to rows: what becomes of words, numbers and gaps, and what is refused, with the name of the feature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import belated as bl
from belated.models import Dense, Named, Sparse, encoders
from belated.models.encoders import new_encoder
from belated.models.features import MOST_ENTRIES
from belated.models.hashing import MISSING, NUMBER, WORD, crossed, token
from belated.models.scaling import CENTRE

BITS = 16


def entries(encoder, example):
    """The row as a mapping from slots to values, the intercept left out."""
    row = encoder.encode("here", example).row
    values = row.values if row.values.size else np.ones(row.slots.size)
    assert row.slots[-1] == encoder.recipe.dim
    assert values[-1] == 1.0
    return dict(zip(row.slots[:-1].tolist(), values[:-1].tolist(), strict=True))


def slot(*what):
    return token(*what) >> (64 - BITS)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("UA", {slot("f", WORD, "UA"): 1.0}),
        ("", {slot("f", WORD, ""): 1.0}),
        (True, {slot("f", WORD, "True"): 1.0}),
        (np.False_, {slot("f", WORD, "False"): 1.0}),
        (None, {slot("f", MISSING): 1.0}),
        (math.nan, {slot("f", MISSING): 1.0}),
        (17, {slot("f", NUMBER): 0.0}),
        (np.float32(1.5), {slot("f", NUMBER): 0.0}),
    ],
)
def test_what_becomes_of_a_value(value, expected):
    assert entries(new_encoder(Named(BITS)), {"f": value}) == expected


@pytest.mark.parametrize(("value", "word"), [(17, "17"), (17.0, "17"), ("17", "17"), (1.5, "1.5"), (np.int8(3), "3")])
def test_a_number_that_is_a_category_is_its_word(value, word):
    assert entries(new_encoder(Named(BITS, categorical=["f"])), {"f": value}) == {slot("f", WORD, word): 1.0}


def test_crosses_are_of_words_that_are_there():
    encoder = new_encoder(Named(BITS, crosses=[("a", "b"), ("b", "c")]))
    a, b, c = token("a", WORD, "x"), token("b", WORD, "y"), token("c", MISSING)
    assert set(entries(encoder, {"a": "x", "b": "y"})) == {each >> 48 for each in (a, b, crossed(a, b))}
    assert set(entries(encoder, {"b": "y", "c": None})) == {each >> 48 for each in (b, c, crossed(b, c))}
    assert Named(crosses=["a", "b", "c"]).crosses == (("a", "b"), ("a", "c"), ("b", "c"))
    with pytest.raises(bl.errors.InvalidArgument, match=r"`here\(a=3\)`: is in a cross.*categorical=\['a'\]"):
        encoder.encode("here", {"a": 3, "b": "y"})


def test_numbers_are_scaled_by_those_before_and_looking_changes_nothing():
    encoder = new_encoder(Named(BITS))
    for value in (1.0, 2.0, 3.0):
        encoder.notice(encoder.encode("here", {"x": value}))
    first = entries(encoder, {"x": 5.0, "y": 1.0})
    assert first == entries(encoder, {"x": 5.0, "y": 1.0}) == {slot("x", NUMBER): 4.0, slot("y", NUMBER): 0.0}
    assert encoder.names == ["x"]


@pytest.mark.parametrize(
    ("recipe", "make"), [(Named(BITS), lambda x: {"a": x, "b": -x}), (Dense(2), lambda x: [x, -x])]
)
def test_noticing_a_row_again_is_noticing_it_once(recipe, make):
    once, often = new_encoder(recipe), new_encoder(recipe)
    for value in (3.0, 1.0, 2.0, *map(float, range(12))):
        once.notice(once.encode("here", make(value)))
        encoded = often.encode("here", make(value))
        for _ in range(3):
            often.notice(encoded)
    assert once.scales.tobytes() == often.scales.tobytes()


@pytest.mark.parametrize(
    ("value", "message"), [(1e101, "at most 1e"), (10**400, "at most 1e"), ([1], "must be a text")]
)
def test_a_name_that_has_a_scale_is_checked_as_others_are(value, message):
    encoder = new_encoder(Named(BITS))
    encoder.notice(encoder.encode("here", {"x": 1.0}))
    assert entries(encoder, {"x": math.nan}) == {slot("x", MISSING): 1.0}
    assert entries(encoder, {"x": True}) == {slot("x", WORD, "True"): 1.0}
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        encoder.encode("here", {"x": value})


def test_many_numeric_names_find_room():
    encoder = new_encoder(Named(BITS))
    for number in range(50):
        encoder.notice(encoder.encode("here", {f"n{number}": float(number)}))
    assert encoder.names == [f"n{number}" for number in range(50)]
    assert encoder.scales[:50, CENTRE].tolist() == [float(number) for number in range(50)]


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ([("a", 1)], "must be a mapping"),
        ({"a": [1]}, r"`here\(a=\[1\]\)`: a feature must be a text"),
        ({"a": 1j}, "a feature must be a text"),
        ({"a": math.inf}, "must be at most 1e"),
        ({"a": 10**400}, "must be at most 1e"),
        ({3: "x"}, "names of features must be texts"),
        ({"\ud83d\ude00": 1.0}, "names of features must not have a letter as two halves"),
        ({"\ud83d\ude00": "word"}, "names of features must not have a letter as two halves"),
        ({f"w{number}": "x" for number in range(MOST_ENTRIES)}, "must have at most 16383 features"),
    ],
)
def test_what_is_no_example_is_refused(example, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        new_encoder(Named(BITS)).encode("here", example)


def test_numeric_names_are_limited(monkeypatch):
    monkeypatch.setattr(encoders, "MOST_NUMERIC", 2)
    encoder = new_encoder(Named(BITS))
    encoder.notice(encoder.encode("here", {"a": 1.0, "b": 2.0}))
    with pytest.raises(bl.errors.InvalidArgument, match="at most 2 names may have numbers"):
        encoder.encode("here", {"c": 1.0})
    assert encoder.encode("here", {"b": 3.0, "c": "word", "a": np.float64(4.0)}).numbers


@pytest.mark.parametrize("kind", [float, np.float32])
def test_one_example_does_not_jump_over_the_limit_of_numeric_names(monkeypatch, kind):
    monkeypatch.setattr(encoders, "MOST_NUMERIC", 3)
    predictor = bl.models.logistic(Named(BITS)).start()
    predictor.predict({"a": 1.0})
    with pytest.raises(bl.errors.InvalidArgument, match=r"d=.*at most 3 names may have numbers"):
        predictor.predict({name: kind(2.0) for name in "abcd"})
    predictor.predict({name: kind(2.0) for name in "abc"})
    assert predictor.state()["scales.names"] == '["a", "b", "c"]'


@pytest.mark.parametrize("name", ["\ud83d", "\ude00\ud83d", "\udc80x", "😀", "ä", "", "\0"])
def test_names_of_features_come_back_from_a_saved_state(name):
    model = bl.models.logistic(Named(BITS))
    predictor = model.start()
    for number in (1.0, 5.0):
        predictor.learn(predictor.predict({name: number}).key, 1)
    assert model.resume(predictor.state()).look({name: 3.0}) == predictor.look({name: 3.0})


def test_tokens_that_are_kept_are_limited_and_the_same_again(monkeypatch):
    monkeypatch.setattr(encoders, "MOST_TOKENS", 3)
    encoder = new_encoder(Named(BITS))
    for _ in range(3):
        for word in "abcdefg":
            assert entries(encoder, {"f": word}) == {slot("f", WORD, word): 1.0}
            assert sum(map(len, encoder._tokens.values())) <= 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bits": 0}, "must be >= 1"),
        ({"bits": 25}, "must be <= 24"),
        ({"categorical": "hour"}, "must be a list of names"),
        ({"categorical": [3]}, "must be a list of names"),
        ({"crosses": "ab"}, "must be a list of names, or of pairs"),
        ({"crosses": [("a", "b", "c")]}, "must be a list of names, or of pairs"),
        ({"crosses": ["a", ("a", "b")]}, "must be a list of names, or of pairs"),
        ({"crosses": [("a", "a")]}, "two different names"),
        ({"crosses": [("a", "b"), ("a", "b")]}, "each pair once"),
    ],
)
def test_a_recipe_that_is_none_is_refused(arguments, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        Named(**arguments)


def test_signatures_differ_where_slots_may():
    recipes = [Named(), Named(bits=19), Named(categorical=["a"]), Named(crosses=["a", "b"]), Named(crosses=["b", "a"])]
    recipes += [Sparse(4), Sparse(5), Dense(4), Dense(4, scale=False)]
    assert len({recipe.signature for recipe in recipes}) == len(recipes)
    assert Named(categorical=["b", "a"]).signature == Named(categorical=["a", "b", "a"]).signature


def test_sparse_rows_in_their_forms():
    encoder, row = new_encoder(Sparse(5)), sparse.csr_array(np.array([[0.0, 2.0, 0.0, 1.0, 0.0]]))
    for example in (([1, 3], [2.0, 1.0]), (np.array([1, 3], dtype=np.uint8), np.array([2, 1])), row, row.tocoo()):
        assert entries(encoder, example) == {1: 2.0, 3: 1.0}
    assert encoder.encode("here", ([1, 3], [1.0, 1.0])).row.values.size == 0
    assert entries(encoder, ([], [])) == {}


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ([1, 2, 3], "must be a pair of arrays"),
        (([1], [1.0, 2.0]), "as many whole numbers as values"),
        (([1.5], [1.0]), "as many whole numbers as values"),
        (([[1]], [[1.0]]), "as many whole numbers as values"),
        (([5], [1.0]), "indices must lie in 0, ..., 4"),
        (([-1], [1.0]), "indices must lie in 0, ..., 4"),
        (([1], [math.nan]), "values must be at most"),
        (([1], [1e101]), "values must be at most"),
        (([1], ["x"]), "must be an array of real numbers"),
        (([0] * MOST_ENTRIES, [1.0] * MOST_ENTRIES), "must have at most 16383 entries"),
        (sparse.csr_array(np.ones((2, 5))), r"must have shape \(1, 5\), got \(2, 5\)"),
        (sparse.csr_array(np.ones((1, 3))), r"must have shape \(1, 5\), got \(1, 3\)"),
        (sparse.csr_matrix(([1.0], [2], [0, 1]), shape=(1, 9)), r"must have shape \(1, 5\), got \(1, 9\)"),
    ],
)
def test_sparse_rows_that_are_none_are_refused(example, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        new_encoder(Sparse(5)).encode("here", example)


def test_dense_rows_leave_out_gaps_and_scale_columns():
    encoder = new_encoder(Dense(3))
    for value in (1.0, 2.0, 3.0):
        encoder.notice(encoder.encode("here", [value, 10 * value, math.nan]))
    assert entries(encoder, [5.0, math.nan, 1.0]) == {0: 4.0, 2: 0.0}
    assert entries(new_encoder(Dense(3, scale=False)), [5.0, math.nan, 0.0]) == {0: 5.0, 2: 0.0}


@pytest.mark.parametrize(("example", "message"), [([1.0], "must have shape"), ([1, 2, math.inf], "at most 1e")])
def test_dense_rows_that_are_none_are_refused(example, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        new_encoder(Dense(3)).encode("here", example)


values = st.one_of(st.text(max_size=3), st.booleans(), st.floats(-1e9, 1e9), st.integers(-9, 9), st.none())
examples = st.dictionaries(st.sampled_from("abcdef"), values, max_size=6)


@given(examples, st.randoms())
def test_the_order_of_names_does_not_matter(example, random):
    names = list(example)
    random.shuffle(names)
    encoder = new_encoder(Named(BITS, categorical=["a", "b"], crosses=["a", "b"]))
    try:
        expected = encoder.encode("here", example).row
    except bl.errors.InvalidArgument:
        return
    again = encoder.encode("here", {name: example[name] for name in names}).row
    assert sorted(again.slots.tolist()) == sorted(expected.slots.tolist())


def test_a_row_whose_values_must_not_be_written_to_keeps_them():
    model = bl.models.logistic(Dense(2, scale=False), step=bl.models.adagrad(0.1))
    found = []
    for writeable in (True, False):
        predictor = model.start()
        predictor.learn(predictor.predict([1.0, 1.0]).key, 1)
        row = predictor._encoder.encode("here", [3.0, -2.0]).row
        row.values.flags.writeable = writeable
        found.append(predictor.predict(row).value)
    assert found[0] == found[1]
