"""The adapters for river pass river's own checks, and predict as a predictor that is fed with the same events."""

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from river import checks, compose, datasets, evaluate, metrics, preprocessing, stream

import belated as bl
from belated.adapters.linking import Linked
from belated.adapters.river import Classifier, Regressor
from support.interrupting import interrupted_at
from support.players import as_bytes

WRONG: Any = "logistic"

ESTIMATORS = {
    "classifier": lambda: Classifier(bl.models.logistic(bits=10)),
    "regressor": lambda: Regressor(bl.models.squared(bits=10)),
    "poisson": lambda: Regressor(bl.models.poisson(bits=10)),
    "few remembered": lambda: Classifier(bl.models.logistic(bits=10), remembered=3),
    "default classifier": Classifier,
    "default regressor": Regressor,
}
CHECKS = [
    (name, number, check)
    for name, make in ESTIMATORS.items()
    for number, check in enumerate(checks.yield_checks(make()))
    if name.startswith("default") or check.__name__ != "check_bounded_memory_growth"  # which takes two seconds
]


@pytest.mark.parametrize(("name", "number", "check"), CHECKS, ids=[f"{n}-{i}-{c.__name__}" for n, i, c in CHECKS])
def test_every_check_of_river_passes(name, number, check):
    estimator = ESTIMATORS[name]()
    assert estimator._unit_test_skips() == set()
    check(estimator.clone())


def visits(number, seed=0, few=False):
    """A stream with words, numbers and gaps; with ``few``, many visits have equal features."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        x = {"page": f"p{rng.integers(4)}", "mobile": bool(rng.integers(2))}
        if not few:
            x |= {"age": float(rng.normal(40, 10)), "income": None if rng.random() < 0.1 else float(rng.lognormal())}
        yield x, bool(rng.random() < (0.7 if x["page"] == "p0" else 0.2))


def predictions_of_river(estimator, data, **options):
    """What an estimator predicts in a progressive validation, in the order of the questions."""
    said = []

    class Noted(metrics.ROCAUC):
        def update(self, y_true, y_pred, w=1.0):
            return super().update(y_true=y_true, y_pred=y_pred)

    ask = estimator.predict_proba_one

    def noted(x, **kwargs):
        answer = ask(x, **kwargs)
        said.append(answer[True])
        return answer

    estimator.predict_proba_one = noted
    evaluate.progressive_val_score(data, estimator, Noted(), **options)
    return said


def predictions_of_belated(model, data, delay):
    predictor, said = model.start(), []
    for number, x, *y in stream.simulate_qa(data, None, delay):
        if y == [None]:
            said.append(predictor.predict(dict(sorted(x.items())), number).value)
        else:
            predictor.learn(number, y[0])
    return said, predictor


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("delay", [None, 1, 30, 10_000])
def test_predictions_are_those_of_a_predictor_with_the_same_events(delay, few):
    model, data = bl.models.logistic(bits=10), list(visits(250, few=few))
    expected, predictor = predictions_of_belated(model, data, delay)
    estimator = Classifier(model)
    assert predictions_of_river(estimator, data, delay=delay) == expected
    own, other = predictor.state(), estimator._linked.predictor.state()
    for name in own:
        if not name.startswith("closed.") and name != "digest":  # the keys are others
            assert as_bytes({name: own[name]}) == as_bytes({name: other[name]})
    assert estimator._linked.predictor.waiting == ()
    assert estimator._linked._marks == {}
    assert estimator._linked._keys == {}


def test_labels_in_any_order_find_their_predictions():
    """Each visit has a delay of its own, and no two have the same features."""
    delays, model, data = {}, bl.models.logistic(bits=10), list(visits(200))
    rng = np.random.default_rng(7)
    for x, _ in data:
        delays[x["age"]] = int(rng.integers(60))

    def delay(x, y):
        return delays[x["age"]]

    assert predictions_of_river(Classifier(model), data, delay=delay) == predictions_of_belated(model, data, delay)[0]


def test_a_broken_link_is_noticed(monkeypatch):
    """If every label were learned without its prediction, predictions would be others."""
    monkeypatch.setattr("belated.adapters.linking._mark", lambda features: np.random.bytes(16))  # noqa: NPY002
    model, data = bl.models.logistic(bits=10), list(visits(200))
    assert predictions_of_river(Classifier(model), data, delay=30) != predictions_of_belated(model, data, 30)[0]


@pytest.mark.parametrize("named", [bl.models.squared, bl.models.poisson])
def test_forecasts_of_a_regressor_are_those_of_a_predictor(named):
    model, said = named(bits=10), []
    data = list(datasets.TrumpApproval().take(150))
    expected, _ = predictions_of_belated(model, data, 20)
    estimator = Regressor(model)
    for _, x, y in stream.simulate_qa(data, None, 20):
        if y is None:
            said.append(estimator.predict_one(x))
        else:
            estimator.learn_one(x, y)
    assert said == expected


def test_behind_a_transformer_that_learns_each_label_is_learned_at_once():
    model = compose.Pipeline(preprocessing.StandardScaler(), Classifier(bl.models.logistic(bits=10), remembered=50))
    score = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.ROCAUC(), delay=20)
    assert score.get() > 0.9
    assert len(model["Classifier"]._linked.predictor.waiting) <= 50


def test_what_was_never_asked_is_predicted_and_learned_at_once():
    model = bl.models.logistic(bits=10)
    estimator, predictor = Classifier(model), model.start()
    for number, (x, y) in enumerate(visits(50)):
        estimator.learn_one(x, y)
        predictor.predict(dict(sorted(x.items())), number)
        predictor.learn(number, y)
    x = {"page": "p0", "age": 30.0}
    assert estimator.predict_proba_one(x)[True] == predictor.predict(dict(sorted(x.items()))).value


def test_asking_twice_for_the_same_object_counts_once():
    one, two = Classifier(bl.models.logistic(bits=10)), Classifier(bl.models.logistic(bits=10))
    for x, y in visits(40):
        assert one.predict_proba_one(x) == two.predict_proba_one(x)
        assert one.predict_one(x) == (one.predict_proba_one(x)[True] > 0.5)
        one.learn_one(x, y)
        two.learn_one(x, y)
    assert as_bytes(one._linked.predictor.state()) == as_bytes(two._linked.predictor.state())


def test_an_object_that_is_filled_anew_is_a_new_question():
    estimator, x = Classifier(bl.models.logistic(bits=10)), {}
    for page in ("a", "b"):
        x["page"] = page
        estimator.predict_one(x)
    assert len(estimator._linked.predictor.waiting) == 2


def test_the_oldest_are_given_up_when_too_many_wait():
    linked = Linked(bl.models.logistic(bits=8), 3)
    for number in range(5):
        linked.ask("ask", {"n": str(number)})
    assert linked.predictor.waiting == (3, 4, 5)
    linked.learn("learn", {"n": "0"}, True, 1.0)  # which was given up: predicted anew, in place of the oldest
    assert linked.predictor.waiting == (4, 5)
    assert len(linked._keys) == 2


def test_types_of_values_belong_to_the_link():
    linked = Linked(bl.models.logistic(bits=8), 9)
    for value in (1, True, "1", 1.0, None, float("nan")):
        linked.ask("ask", {"n": value})
    assert len(linked._keys) == 6
    linked.learn("learn", {"n": float("nan")}, True, 1.0)
    assert linked.predictor.waiting == (1, 2, 3, 4, 5)


def test_names_need_not_be_texts():
    estimator = Classifier(bl.models.logistic(bits=8))
    estimator.predict_one({0: 1.5, 1: "a"})
    estimator.learn_one({1: "a", 0: 1.5}, True)
    assert estimator._linked.predictor.waiting == ()
    with pytest.raises(bl.errors.InvalidArgument, match="two names are the same"):
        estimator.predict_one({0: 1.5, "0": 2.5})


def test_what_is_refused_changes_nothing():
    estimator = Classifier(bl.models.logistic(bits=8), remembered=1)
    estimator.predict_one({"a": 1.0})
    before = pickle.dumps(estimator)
    for x, y, w in [([1.0], True, 1.0), ({"a": 1.0}, 2, 1.0), ({"b": 1.0}, "yes", 1.0), ({"b": 1.0}, True, 0.0)]:
        with pytest.raises(bl.errors.InvalidArgument, match=r"`Classifier\.learn_one\("):
            estimator.learn_one(x, y, w)
    for call in (lambda: estimator.learn_one({"b": [1]}, True), lambda: estimator.predict_one({"b": [1]})):
        with pytest.raises(bl.errors.InvalidArgument, match="a feature must be"):
            call()
    assert pickle.dumps(estimator) == before


@pytest.mark.parametrize("way", [copy.deepcopy, lambda estimator: pickle.loads(pickle.dumps(estimator))])
def test_copies_go_on_with_what_waits(way):
    data = list(visits(60))
    estimator = Classifier(bl.models.logistic(bits=10))
    for x, _ in data[:30]:
        estimator.predict_one(x)
    other = way(estimator)
    for each in (estimator, other):
        for x, y in data[:30]:
            each.learn_one(copy.deepcopy(x), y)
    assert [estimator.predict_proba_one(x) for x, _ in data] == [other.predict_proba_one(x) for x, _ in data]
    assert as_bytes(estimator._linked.predictor.state()) == as_bytes(other._linked.predictor.state())


def test_a_clone_has_learned_nothing():
    estimator = Classifier(bl.models.logistic(bits=8), remembered=7)
    estimator.learn_one({"a": "b"}, True)
    clone = estimator.clone()
    assert (clone.model, clone.remembered) == (estimator.model, 7)
    assert clone.predict_proba_one({"a": "b"})[True] == 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Classifier(bl.models.squared()), r"must be bl\.models\.logistic"),
        (lambda: Classifier(WRONG), "must be"),
        (lambda: Classifier(bl.models.logistic(bl.models.Dense(3))), "must have named features"),
        (lambda: Classifier(bl.models.logistic(labels="-1/1")), "labels='0/1'"),
        (lambda: Classifier(bl.models.logistic(horizon=3.0)), "must have no horizon"),
        (lambda: Classifier(remembered=0), "must be >= 1"),
        (lambda: Regressor(bl.models.logistic()), r"must be bl\.models\.squared\(\.\.\.\) or bl\.models\.poisson"),
    ],
)
def test_wrong_models_are_refused(make, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        make()


@pytest.mark.parametrize(
    ("package", "library", "extra"), [("river", "river", "river"), ("sklearn", "scikit-learn", "sklearn")]
)
def test_without_the_package_the_error_ends_in_the_words_to_type(package, library, extra):
    code = f"""
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
import belated.adapters.{package}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last == f"ModuleNotFoundError: {library} is missing; to install it: pip install 'belated[{extra}]'"


def test_other_names_are_attribute_errors():
    assert bl.adapters.river.Classifier is Classifier
    with pytest.raises(AttributeError, match="no attribute 'torch'"):
        _ = bl.adapters.torch


@pytest.mark.parametrize("package", ["river", "sklearn"])
def test_one_file_imports_a_package_that_may_be_missing(package):
    home = Path(bl.__file__).parent
    line = re.compile(rf"^\s*(import|from) {package}\b", flags=re.MULTILINE)
    found = [path.relative_to(home) for path in home.rglob("*.py") if line.search(path.read_text(encoding="utf-8"))]
    assert found == [Path("adapters") / f"{package}.py"]


@pytest.mark.parametrize("remembered", [2, 100])
def test_an_interrupt_leaves_links_and_predictions_in_line(remembered):
    """Otherwise a link to a prediction that has ended would make every later label of its features an error."""
    one, other = {"a": "x"}, {"a": "y"}
    at, stopped = 1, True
    while stopped:
        model = Classifier(bl.models.logistic(bits=4, step=bl.models.adagrad(0.1)), remembered=remembered)
        for example in (one, one, other):
            model.predict_proba_one(dict(example))
        stopped = interrupted_at(at, lambda it=model: it.learn_one(one, True))
        stopped |= interrupted_at(at, lambda it=model: it.predict_proba_one(dict(other)))
        for example, label in ((one, False), (one, True), (other, False), (other, True), (other, False)):
            model.learn_one(example, label)
        linked = model._linked
        assert (linked.predictor.waiting, linked._marks, linked._keys) == ((), {}, {}), f"interrupted at line {at}"
        at += 1 if at < 150 else 5
    assert at > 100
