"""The adapters for scikit-learn pass its own checks, and learn as a predictor that is fed with the same rows."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import estimator_checks_generator

import belated as bl
from belated.adapters.sklearn import OnlineClassifier, OnlineRegressor
from support.players import as_bytes

ORDER = "an online learner depends on the order of the rows and on their number: a row of weight 2 is not the row twice"
EXCLUDED = {
    "check_sample_weight_equivalence": ORDER,  # the name in scikit-learn 1.6
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}
"""All checks of scikit-learn that do not apply, with the reason for each."""

NOT_RUN = {"check_array_api_input"}
"""Checks that skip themselves, since SciPy's experimental support of other arrays is switched off."""

CHECKS = [
    (estimator, check)
    for made in (OnlineClassifier(), OnlineRegressor())
    for estimator, check in estimator_checks_generator(made)
    if check.func.__name__ not in EXCLUDED.keys() | NOT_RUN
]


@pytest.mark.filterwarnings("default")  # some checks look at warnings themselves
@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=[f"{e}-{c.func.__name__}-{i}" for i, (e, c) in enumerate(CHECKS)]
)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(clone(estimator))


def data(number=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(number, 4)) * [1.0, 50.0, 0.01, 1.0] + [0.0, 300.0, 0.0, -2.0]
    X[rng.random(X.shape) < 0.2] = 0.0
    return X, X[:, 0] + (X[:, 1] - 300.0) / 50.0 + rng.normal(size=number) > 0.0


def other_container(X, container):
    return X if container is np.asarray else container(X)


CONTAINERS = [np.asarray, sparse.csr_array, sparse.csc_matrix, sparse.coo_array]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("recipe", [bl.models.Dense(4), bl.models.Sparse(4)])
def test_a_fit_is_one_pass_of_a_predictor_over_the_rows_in_any_container(recipe, container):
    (X, y), model = data(), bl.models.logistic(recipe)
    predictor = model.start()
    for row, label in zip(X, y, strict=True):
        features = row if isinstance(recipe, bl.models.Dense) else (np.flatnonzero(row), row[row != 0.0])
        predictor.learn(predictor.predict(features).key, bool(label))
    given = other_container(X, container)
    estimator = OnlineClassifier(model).fit(given, y)
    assert as_bytes(estimator.predictor_.state()) == as_bytes(predictor.state())
    looked = [predictor.look(row if isinstance(recipe, bl.models.Dense) else (range(4), row)) for row in X]
    assert estimator.predict_proba(given)[:, 1] == pytest.approx(looked, rel=1e-12)


def test_the_default_model_is_chosen_by_the_first_rows():
    X, y = data()
    assert OnlineClassifier().fit(X, y).predictor_.model == bl.models.logistic(bl.models.Dense(4))
    assert OnlineClassifier().fit(sparse.csr_array(X), y).predictor_.model == bl.models.logistic(bl.models.Sparse(4))
    assert OnlineRegressor().fit(X, X[:, 0]).predictor_.model == bl.models.squared(bl.models.Dense(4))


@pytest.mark.parametrize("container", CONTAINERS[:2])
def test_parts_are_as_good_as_the_whole(container):
    X, y = data()
    given = other_container(X, container)
    whole, parts = OnlineClassifier().fit(given, y), OnlineClassifier()
    for first in range(0, 200, 50):
        rows = slice(first, first + 50)
        parts.partial_fit(given[rows], y[rows], classes=[False, True] if first == 0 else None)
    assert as_bytes(parts.predictor_.state()) == as_bytes(whole.predictor_.state())
    again = parts.fit(given, y)
    assert as_bytes(again.predictor_.state()) == as_bytes(whole.predictor_.state())


def test_predicting_changes_nothing_and_is_consistent():
    X, y = data()
    estimator = OnlineClassifier().fit(X, np.where(y, "yes", "no"))
    before = as_bytes(estimator.predictor_.state())
    probabilities, odds, said = estimator.predict_proba(X), estimator.decision_function(X), estimator.predict(X)
    assert as_bytes(estimator.predictor_.state()) == before
    assert estimator.classes_.tolist() == ["no", "yes"]
    assert (said == estimator.classes_[probabilities.argmax(axis=1)]).all()
    assert ((odds > 0.0) == (said == "yes")).all()
    assert 1.0 / (1.0 + np.exp(-odds)) == pytest.approx(probabilities[:, 1])
    assert estimator.score(X, np.where(y, "yes", "no")) > 0.7


def test_odds_of_what_is_certain_are_finite():
    X, y = data()
    estimator = OnlineClassifier().fit(X, y)
    estimator._forecasts = lambda X: np.array([0.0, 1.0, 0.5])
    assert estimator.decision_function(X).tolist() == [-700.0, 700.0, 0.0]


def test_missing_numbers_are_taken_by_arrays():
    X, y = data()
    X[::3, 0] = np.nan
    estimator = OnlineClassifier().fit(X, y)
    assert np.isfinite(estimator.predict_proba(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        OnlineClassifier(bl.models.logistic(bl.models.Sparse(4))).fit(X, y)


def test_rows_of_weight_zero_are_not_there():
    X, _ = data()
    weights = np.where(np.arange(200) % 3, 1.5, 0.0)
    one = OnlineRegressor().fit(X, X[:, 1], sample_weight=weights)
    two = OnlineRegressor().fit(X[weights > 0], X[weights > 0, 1], sample_weight=1.5)
    assert as_bytes(one.predictor_.state()) == as_bytes(two.predictor_.state())


@pytest.mark.parametrize("way", [copy.deepcopy, lambda estimator: pickle.loads(pickle.dumps(estimator))])
def test_copies_go_on_bit_for_bit(way):
    X, _ = data()
    one = OnlineRegressor().partial_fit(X[:100], X[:100, 1])
    two = way(one)
    for each in (one, two):
        each.partial_fit(X[100:], X[100:, 1])
    assert as_bytes(one.predictor_.state()) == as_bytes(two.predictor_.state())


def test_it_works_in_pipelines_and_cross_validation():
    X, y = data(120)
    scores = cross_val_score(make_pipeline(PolynomialFeatures(2), OnlineClassifier()), X, y, cv=3)
    assert scores.shape == (3,)
    assert (
        clone(OnlineClassifier(model=bl.models.logistic(bl.models.Dense(4)))).get_params()["model"].name == "logistic"
    )
    assert OnlineClassifier().set_params(model=None).get_params() == {"model": None}


X, Y = data(20)
WRONG: Any = "logistic"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OnlineClassifier().fit(X, np.arange(20) % 3), "Only binary classification is supported"),
        (lambda: OnlineClassifier().fit(X, np.ones(20)), "needs two classes, got 1"),
        (lambda: OnlineClassifier().partial_fit(X, Y), "classes must be passed on the first call"),
        (lambda: OnlineClassifier().partial_fit(X, Y, classes=[0, 1, 2]), "needs two classes, got 3"),
        (lambda: OnlineClassifier().fit(X, Y).partial_fit(X, Y, classes=[2, 3]), "must be the same in every call"),
        (lambda: OnlineClassifier().fit(X, Y).partial_fit(X, np.full(20, 7)), "must be one of the two classes"),
        (lambda: OnlineClassifier().fit(X, Y, sample_weight=np.ones(3)), r"must have shape \(20,\)"),
        (lambda: OnlineClassifier().fit(X, Y, sample_weight=-np.ones(20)), "must be 0 or lie in"),
        (lambda: OnlineClassifier().fit(X, Y, sample_weight=np.zeros(20)), "at least one weight must not be zero"),
        (lambda: OnlineClassifier().fit(X * 1e300, Y), "must have numbers of size at most"),
        (lambda: OnlineClassifier(WRONG).fit(X, Y), r"must be bl\.models\.logistic\(\.\.\.\), or None"),
        (lambda: OnlineClassifier(bl.models.squared(bl.models.Dense(4))).fit(X, Y), r"must be bl\.models\.logistic"),
        (lambda: OnlineClassifier(bl.models.logistic(bl.models.Dense(5))).fit(X, Y), r"must have features Dense\(4\)"),
        (lambda: OnlineClassifier(bl.models.logistic(bits=8)).fit(X, Y), r"must have features Dense\(4\)"),
        (lambda: OnlineClassifier(bl.models.logistic(bl.models.Dense(4), labels="-1/1")).fit(X, Y), "labels='0/1'"),
        (lambda: OnlineClassifier(bl.models.logistic(bl.models.Dense(4), horizon=1.0)).fit(X, Y), "no horizon"),
        (lambda: OnlineRegressor(bl.models.poisson(bl.models.Dense(4))).fit(X, -np.ones(20)), "must be >= 0"),
        (lambda: OnlineRegressor().fit(X, np.full(20, 1e300)), "must be at most"),
        (lambda: OnlineRegressor().predict(X), "not fitted"),
    ],
)
def test_what_cannot_be_used_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    assert issubclass(NotFittedError, ValueError)


def test_what_is_refused_changes_nothing():
    estimator = OnlineRegressor().fit(X, X[:, 0])
    before = as_bytes(estimator.predictor_.state())
    labels = X[:, 0].copy()
    labels[-1] = 1e300
    for call in (lambda: estimator.partial_fit(X, labels), lambda: estimator.partial_fit(X * 1e300, X[:, 0])):
        with pytest.raises(ValueError, match="at most"):
            call()
        assert as_bytes(estimator.predictor_.state()) == before


def test_counts_can_be_forecast():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    estimator = OnlineRegressor(bl.models.poisson(bl.models.Dense(2))).fit(X, rng.poisson(np.exp(X[:, 0])))
    assert (estimator.predict(X) > 0.0).all()


WORDY = np.array([["JFK", 1.0], ["EWR", 2.0]] * 10, dtype=object)


@pytest.mark.parametrize("X", [WORDY, WORDY.astype(str), WORDY.tolist()], ids=["objects", "texts", "lists"])
@pytest.mark.parametrize("kind", [OnlineClassifier, OnlineRegressor])
def test_words_are_met_with_what_makes_numbers_of_them(kind, X):
    advice = r"could not convert string to float.*OneHotEncoder or OrdinalEncoder.*belated\.models\.logistic\(\)"
    numbers, labels = np.ones((20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=advice):
        kind().fit(X, labels)
    with pytest.raises(ValueError, match=advice):
        kind().fit(numbers, labels).predict(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        kind().fit(numbers, labels[:-1])


def test_words_as_numbers_to_predict_are_no_words_in_columns():
    with pytest.raises(ValueError, match=r"could not convert string to float: '?a'?$"):
        OnlineRegressor().fit(np.ones((2, 2)), np.array(["a", "b"], dtype=object))


def fails_in(kind, stage):
    """Arguments for a fit with other columns than before, which fails at a stage."""
    X, y = np.random.default_rng(0).normal(size=(30, 5)), np.arange(30) % 2
    if stage == "rows":
        return np.full((30, 5), np.inf), y, None
    if stage == "labels":
        return X, np.zeros(30) if kind is OnlineClassifier else np.full(30, 1e200), None
    return X, y, np.full(30, -1.0)


@pytest.mark.parametrize("stage", ["rows", "labels", "weights"])
@pytest.mark.parametrize("kind", [OnlineClassifier, OnlineRegressor])
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(kind, stage):
    X, y = np.random.default_rng(1).normal(size=(40, 3)), np.arange(40) % 2
    estimator = kind().fit(X, y)
    before, said = dict(vars(estimator)), estimator.predict(X).tolist()
    with pytest.raises(ValueError):  # noqa: PT011  # which one is the matter of other tests
        estimator.fit(*fails_in(kind, stage))
    assert vars(estimator) == before
    assert estimator.n_features_in_ == 3
    assert estimator.predict(X).tolist() == said
    new = kind()
    with pytest.raises(ValueError):  # noqa: PT011
        new.fit(*fails_in(kind, stage))
    assert vars(new) == {"model": None}


def test_a_fit_that_is_stopped_under_way_leaves_the_estimator_as_it_was(monkeypatch):
    X, y = np.random.default_rng(1).normal(size=(40, 3)), np.arange(40) % 2
    estimator = OnlineClassifier().fit(X, y)
    before, calls, original = dict(vars(estimator)), [], bl.models.Predictor.learn

    def pressed(self, *arguments, **options):
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return original(self, *arguments, **options)

    monkeypatch.setattr(bl.models.Predictor, "learn", pressed)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X[:, :2], y)
    assert vars(estimator) == before
