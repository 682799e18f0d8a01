"""Learners and models from JSON: all of the catalogue can be said, and what cannot be made is refused by name."""

import json
import tracemalloc

import jsonschema_rs
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.domains import EVERY as FAMILIES
from belated.learners.catalogue import EXAMPLES, NAMED, typical
from belated.models.named import EVERY as MODELS
from belated.service import given, limits, making
from belated.service.descriptions import read_back, written
from belated.service.given import read_given
from belated.service.limits import MOST_STATE, estimated, is_square, state_size
from belated.service.making import made, ordered
from belated.service.schemas import catalogue, explained
from contracts.test_models import RECIPES, STEPS, WAYS
from support.nasty import resigned, with_fields
from support.specs import spec_of

BALL = {"Ball": {"dim": 2}}
SCHEMAS = {each["name"]: each["arguments"] for each in catalogue()["algorithms"]}
DOMAIN_SCHEMAS = {each["name"]: each["arguments"] for each in catalogue()["domains"]}

RECIPE_SPECS = {
    "named": {"models.Named": {"bits": 8, "categorical": ["hour"], "crosses": ["a", "hour"]}},
    "sparse": {"models.Sparse": {"dim": 30}},
    "dense": {"models.Dense": {"dim": 4}},
}
STEP_SPECS = {
    "two_speeds": "models.two_speeds",
    "adagrad": {"models.adagrad": {"scale": 0.2}},
    "ftrl_proximal": {"models.ftrl_proximal": {"scale": 0.3, "l1": 0.01, "l2": 0.01}},
    "adaptive_revision": {"models.adaptive_revision": {"scale": 0.2}},
    "dual_averaging": {"models.dual_averaging": {"scale": 0.2}},
    "composite": {"models.composite": {"regulariser": 0.5, "radius": 3.0, "lipschitz": 5.0}},
    "dogd_sc": {"models.dogd_sc": {"strong_convexity": 2.0, "radius": 3.0}},
    "mixed": {"models.mixed": {"steps": [{"adaptive-revision": {"scale": 0.1}}, {"dual_averaging": {"scale": 0.1}}]}},
}


def refused(spec):
    """The error for a specification."""
    with pytest.raises(InvalidArgument) as caught:
        made(spec)
    return caught.value


def dogd_sc(**arguments):
    return {"algorithm": "dogd_sc", "arguments": {"domain": BALL, "strong_convexity": 2.0, **arguments}}


@pytest.mark.parametrize("label", EXAMPLES)
def test_every_example_of_the_catalogue_can_be_said_in_json(label):
    learner, spec = spec_of(typical, label)
    plain = json.loads(json.dumps(spec))
    assert made(plain) == learner
    jsonschema_rs.validate(SCHEMAS[plain["algorithm"]], plain["arguments"])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_every_domain_can_be_said_in_json(family):
    learner, spec = spec_of(lambda: bl.dogd_sc(family.example(4), 2.0))
    plain = json.loads(json.dumps(spec))
    assert made(plain) == learner
    ((name, arguments),) = plain["arguments"]["domain"].items()
    jsonschema_rs.validate(DOMAIN_SCHEMAS[name], arguments)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_model_can_be_said_in_json(recipe, step, way):
    for model in MODELS:
        arguments = {"features": RECIPE_SPECS[recipe], "step": STEP_SPECS[step], **WAYS[way]}
        found = made({"algorithm": model.__name__, "arguments": arguments})
        assert found == model(RECIPES[recipe], step=STEPS[step], **WAYS[way])
        if step != "mixed":  # whose steps are written by other names than the schema has
            jsonschema_rs.validate(SCHEMAS[model.__name__], arguments)


def test_a_model_with_named_features_needs_its_name_only():
    found = made({"algorithm": "logistic"})
    assert found == bl.models.logistic()
    predictor = made({"algorithm": "logistic", "arguments": {"bits": 8}}).start()
    assert predictor.predict({"page": "shoes", "hour": 17}, "1").value == 0.5


@pytest.mark.parametrize(
    ("spec", "argument", "text"),
    [
        (None, "algorithm", "must be given"),
        ({}, "algorithm", "must be given"),
        ({"algorithm": 3}, "algorithm", "must be given"),
        ({"algorithm": "dogd_sd"}, "algorithm", "did you mean dogd-sc"),
        ({"algorithm": "dogd_sc", "argument": {}}, "argument", "there are algorithm, arguments"),
        ({"algorithm": "dogd_sc", "arguments": [1]}, "arguments", "must be the arguments of dogd_sc"),
        ({"algorithm": "dogd_sc", "arguments": {}}, "domain", "must be given: dogd_sc needs it"),
        (dogd_sc(strong_convexety=1.0), "strong_convexety", "did you mean strong_convexity"),
        (dogd_sc(strong_convexity=True), "strong_convexity", "must be a real number"),
        (dogd_sc(strong_convexity="2"), "strong_convexity", "must be a real number"),
        (dogd_sc(strong_convexity=None), "strong_convexity", "must be a real number"),
        (dogd_sc(domain={"Bal": {"dim": 2}}), "domain", "did you mean ball"),
        (dogd_sc(domain="Ball"), "domain.dim", "must be given: Ball needs it"),
        (dogd_sc(domain={"Ball": {"dim": 2}, "Box": {}}), "domain", "must be a mapping with one name"),
        (dogd_sc(domain={"Ball": {"dim": 2, "radius": -1.0}}), "domain.radius", r"Ball\(radius=-1.0\)"),
        (dogd_sc(domain={"Ball": {"dim": 2, "centre": [True, 0.5]}}), "domain.centre", "truth values"),
        (dogd_sc(domain={"Product": {"first": BALL, "others": BALL}}), "domain.others", "must be a list"),
        (
            dogd_sc(domain={"Product": {"first": BALL, "others": [{"Ball": {"dim": 0}}]}}),
            "domain.others[0].dim",
            "must be >= 1",
        ),
        (
            {"algorithm": "dogd", "arguments": {"domain": BALL, "rate": {"rates.of_round": {"function": "1/t"}}}},
            "rate.function",
            "is a function, and JSON has none",
        ),
        ({"algorithm": "bold", "arguments": {"base": {"logistic": {}}}}, "base", "is not known here"),
    ],
)
def test_what_is_wrong_is_named(spec, argument, text):
    problem = refused(spec)
    assert problem.argument == argument
    with pytest.raises(InvalidArgument, match=text):
        raise problem


def test_names_may_be_spelled_as_on_the_command_line():
    ball = {"algorithm": "DOGD-SC", "arguments": {"domain": {"l1-ball": {"dim": 2}}, "strong_convexity": 2.0}}
    assert made(ball) == bl.dogd_sc(bl.L1Ball(2), 2.0)
    rates = (
        {"constant": {"rate": 0.5}},
        {"rates.constant": {"rate": 0.5}},
        {"rates.ConstantRate": {"inverse": 2.0}},
        0.5,
    )
    for rate in rates:
        assert made({"algorithm": "dogd", "arguments": {"domain": BALL, "rate": rate}}) == bl.dogd(bl.Ball(2), 0.5)


def nested(depth):
    spec = {"ogd_sc": {"domain": BALL, "strong_convexity": 2.0}}
    for _ in range(depth):
        spec = {"solid": {"base": spec}}
    return {"algorithm": "bold", "arguments": {"base": spec}}


def deep(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


GREEDY = {
    "a huge dimension": dogd_sc(domain={"Ball": {"dim": 10**9}}),
    "a dimension beyond 64 bits": dogd_sc(domain={"Ball": {"dim": 10**30}}),
    "many domains": dogd_sc(domain={"Product": {"first": BALL, "others": [{"Ball": {"dim": 50_000}}] * 60}}),
    "many parts": dogd_sc(domain={"Product": {"first": BALL, "others": [BALL] * 500}}),
    "a long list": dogd_sc(domain={"Ball": {"dim": 2, "centre": [0.0] * 10**6}}),
    "a long list of texts": {"algorithm": "logistic", "arguments": {"features": {"Named": {"crosses": ["a"] * 10**6}}}},
    "a matrix": {
        "algorithm": "ons",
        "arguments": {"domain": {"Ball": {"dim": 20_000}}, "lipschitz": 1.0, "weight": 1.0},
    },
    "another matrix": {"algorithm": "vaw", "arguments": {"domain": {"Euclidean": {"dim": 50_000}}, "regulariser": 1.0}},
    "many classes": {"algorithm": "perceptron", "arguments": {"domain": {"Simplex": {"dim": 1000}}, "features": 10**6}},
    "many copies": {
        "algorithm": "weinberger_ordentlich",
        "arguments": {"base": {"ogd_sc": {"domain": BALL, "strong_convexity": 2.0}}, "delay": 10**6},
    },
    "a long delay": {
        "algorithm": "shamir_szlak",
        "arguments": {"domain": {"Ball": {"dim": 1000}}, "delay": 10**6, "window": 10**7, "lipschitz": 1.0},
    },
    "many bits": {"algorithm": "logistic", "arguments": {"bits": 60}},
    "all the bits": {"algorithm": "logistic", "arguments": {"bits": 24}},
    "many points": {
        "algorithm": "dbgd",
        "arguments": {"domain": {"Ball": {"dim": 5000}}, "rate": 0.1, "probe_radius": 0.1},
    },
    "nesting": nested(100),
    "lists within lists": dogd_sc(domain=deep(10_000)),
    "a long text": {"algorithm": "d" * 10**6},
}


@pytest.mark.parametrize("spec", GREEDY.values(), ids=GREEDY)
def test_nothing_that_is_too_large_is_begun(spec):
    is_square("ons")  # what is measured once
    tracemalloc.start()
    try:
        refused(spec)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 64e6


def test_without_the_check_before_it_a_large_learner_would_be_begun(monkeypatch):
    spec = {"algorithm": "vaw", "arguments": {"domain": {"Euclidean": {"dim": 1100}}, "regulariser": 1.0}}
    assert "would keep more than" in str(refused(spec))
    monkeypatch.setattr(making, "_check_sizes", lambda *call: None)
    assert state_size(made(spec)) > 1100**2


def test_what_is_made_is_within_the_limits_of_its_state(monkeypatch):
    monkeypatch.setattr(limits, "MOST_STATE", 5)
    assert refused(dogd_sc()).argument == "arguments"
    assert MOST_STATE * 8 < 2**27


@pytest.mark.parametrize("label", EXAMPLES)
def test_estimates_of_states_are_within_a_constant_factor(label):
    for dim in (4, 40):
        learner = typical(label, dim)
        assert state_size(learner) / 20 <= estimated(learner.policy, learner.domain.dim) <= state_size(learner)


def test_the_algorithms_with_matrices_are_found_by_measuring():
    assert [name for name in NAMED if is_square(name)] == ["mesterharm", "ons", "perceptron", "vaw"]


def test_every_schema_is_one_and_says_what_every_argument_means():
    for each in (*catalogue()["algorithms"], *catalogue()["domains"]):
        schema = each["arguments"]
        jsonschema_rs.meta.validate(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        for name, argument in schema["properties"].items():
            assert len(argument["description"]) > 3, (each["name"], name)
            assert ("default" in argument) != (name in schema["required"]) or name in ("hint", "others")
    json.dumps(catalogue())
    assert {each["name"] for each in catalogue()["algorithms"]} == {
        *NAMED,
        "logistic",
        "squared_hinge",
        "squared",
        "poisson",
    }
    assert all(each["title"] and each["kind"] in ("learner", "model") for each in catalogue()["algorithms"])


def test_a_schema_refuses_what_making_refuses():
    validator = jsonschema_rs.validator_for(SCHEMAS["dogd_sc"])
    assert validator.is_valid(dogd_sc()["arguments"])
    for wrong in ({}, {"domain": BALL}, dogd_sc(domain={"Bal": {}})["arguments"], dogd_sc(other=1)["arguments"]):
        assert not validator.is_valid(wrong)


def test_texts_of_arguments_that_point_elsewhere_are_looked_up():
    assert explained(bl.models.poisson)["bits"] == explained(bl.models.logistic)["bits"]
    assert "As for" not in json.dumps(catalogue())


@pytest.mark.parametrize("label", EXAMPLES)
def test_every_learner_can_be_given_by_its_description(label):
    learner = typical(label)
    assert read_given(json.loads(json.dumps(written(learner)))) == learner


def test_orders_say_what_is_created_and_how_it_starts():
    learner = bl.dogd_sc(bl.Ball(2), 2.0)
    assert ordered({"name": "x", "make": dogd_sc()}) == (learner, {"seed": 0})
    order = ordered({"description": written(learner), "seed": 3, "initial": [0.5, 0.0], "make": None})
    assert order == (learner, {"seed": 3, "initial": [0.5, 0.0]})
    assert ordered({"make": {"algorithm": "poisson"}}) == (bl.models.poisson(), {})


@pytest.mark.parametrize(
    ("create", "argument"),
    [
        ({}, "make"),
        ({"make": dogd_sc(), "ranges": {}}, "ranges"),
        ({"make": dogd_sc(), "seed": -1}, "seed"),
        ({"make": dogd_sc(), "seed": "1"}, "seed"),
        ({"make": dogd_sc(), "initial": [9.0, 9.0]}, "initial"),
        ({"make": dogd_sc(), "initial": "here"}, "initial"),
        ({"make": {"algorithm": "poisson"}, "seed": 1}, "seed"),
        ({"description": {}}, "description"),
        ({"ranges": {}}, "lower"),
        ([], "make"),
    ],
)
def test_orders_that_cannot_be_are_refused(create, argument):
    with pytest.raises(InvalidArgument) as caught:
        ordered(create)
    assert caught.value.argument == argument


def test_a_description_that_lies_is_refused():
    values = written(bl.dogd_sc(bl.Ball(2), 2.0))
    values["policy"]["fields"]["dim"] = 3
    with pytest.raises(InvalidArgument):
        read_given(values)
    foreign = written(bl.dogd_sc(bl.Ball(2), 2.0))
    foreign["domain"]["part"] = "os:Ball"
    with pytest.raises(InvalidArgument, match="has parts of this library only"):
        read_given(foreign)
    assert read_back(written(bl.dogd_sc(bl.Ball(2), 2.0))) == bl.dogd_sc(bl.Ball(2), 2.0)


def changed(description, part, **fields):
    """The description of something, with other numbers in it and a right fingerprint."""
    return resigned(with_fields(json.loads(json.dumps(written(description))), part, **fields))


def huge_descriptions():
    """Descriptions of a few bytes that would take gigabytes."""
    copies = typical("weinberger_ordentlich")
    yield "copies", changed(copies, "InTurn", number=10**7)
    yield "a matrix", changed(typical("vaw"), "Forecaster", dim=50_000)
    yield "classes", changed(typical("perceptron"), "Classifier", features=10**8)
    yield "rows", changed(typical("shamir_szlak"), "Windows", lag=10**8, window=10**9)
    yield "a space", changed(bl.dogd_sc(bl.Euclidean(2), 2.0), "Euclidean", size=10**9)
    yield "a simplex", changed(bl.dogd_sc(bl.Simplex(2), 2.0), "Simplex", size=10**9)
    matrix = json.loads(json.dumps(written(typical("ons"))))
    matrix["decision_domain"] = written(bl.dogd_sc(bl.Euclidean(50_000), 2.0))["domain"]
    yield "other decisions", resigned(matrix)
    yield "a pool", changed(typical("gold"), "OldestFirst", dim=10**8)
    yield "slots", changed(bl.models.logistic(), "Named", bits=40)
    yield "indices", changed(bl.models.logistic(bl.models.Sparse(3)), "Sparse", dim=10**12)
    yield (
        "steps",
        changed(bl.models.logistic(bits=4, step=bl.models.mixed([bl.models.adagrad()])), "Mixed", number=10**9),
    )
    wide = json.loads(json.dumps(written(bl.dogd_sc(bl.Ball(2), 2.0))))
    wide["domain"]["fields"]["centre"]["type"] = "<U99999999"
    yield "texts in an array", wide


HUGE = dict(huge_descriptions())


@pytest.mark.parametrize("values", HUGE.values(), ids=HUGE)
def test_no_description_makes_something_huge(values):
    limits.growing()  # what is measured once
    tracemalloc.start()
    try:
        with pytest.raises(InvalidArgument):
            read_given(values)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16e6


def test_without_the_estimate_a_description_would_be_begun_whole(monkeypatch):
    """The guard is needed: the size of a state is known when it is there, and then it is too late."""
    values = changed(typical("weinberger_ordentlich"), "InTurn", number=20_000)
    monkeypatch.setattr(given, "MOST_ESTIMATED", 1000)
    with pytest.raises(InvalidArgument, match="is too large"):
        read_given(values)
    monkeypatch.setattr(given, "_check_estimate", lambda values: None)
    assert state_size(read_given(values)) > 20_000


def test_without_a_trial_a_learner_would_be_taken_that_cannot_learn(monkeypatch):
    values = changed(bl.dogd_sc(bl.Ball(2), 2.0), "PerFeedback", strong_convexity="2")
    with pytest.raises(InvalidArgument, match="does not work"):
        read_given(values)
    monkeypatch.setattr(given, "_try_learner", lambda learner: None)
    assert read_given(values).name == "dogd_sc"


def test_without_a_trial_a_model_would_be_taken_that_cannot_learn(monkeypatch):
    values = changed(bl.models.logistic(bits=4, step=bl.models.adagrad(0.1)), "AdaGradStep", scale="2")
    with pytest.raises(InvalidArgument, match="does not work"):
        read_given(values)
    monkeypatch.setattr(given, "_try_model", lambda model: None)
    assert read_given(values).name == "logistic"
