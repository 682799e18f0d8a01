"""Every name that there is can be written, and learners get what their cards recommend."""

import tomllib
from inspect import signature
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import delays, domains, losses
from belated.comparisons import makers
from belated.comparisons.document import Document
from belated.comparisons.makers import choices, make, named
from belated.comparisons.reading import setting_of
from belated.comparisons.recommending import Knowledge
from belated.comparisons.words import spoken
from belated.comparisons.writing import as_toml
from belated.core.errors import InvalidArgument
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.card import Facts
from belated.learners.catalogue import CARDS, NAMED
from belated.learners.parts.rates import Rate
from belated.learners.parts.rates.weights import ConstantWeight
from belated.losses.base import Loss
from belated.sim import problems
from belated.sim.problems import Problem
from support.written import DELAYS, DOMAINS, LOSSES, PROBLEMS, arguments_of, example

FACTS = Facts(rounds=1000, lipschitz=2.0, strong_convexity=1.0, bound=3.0, delay=4, total_delay=3000)
ANY = bl.problems.RandomQuadratic(2)
"""A problem that has nothing to tell by name."""


def made(kind: type, given: Any, knowledge: Knowledge | None = None) -> Any:
    return make(Document("my.toml", "", {"it": given}), ("it",), kind, knowledge)


@pytest.mark.parametrize(
    ("kind", "tables", "every"),
    [
        (Domain, DOMAINS, domains.EVERY),
        (DelayLaw, DELAYS, delays.EVERY),
        (Loss, LOSSES, losses.EVERY),
        (Problem, PROBLEMS, (*problems.EVERY, problems.LocallyPermuted, problems.Recorded)),
    ],
)
def test_every_domain_law_loss_and_problem_can_be_written(
    kind: type, tables: dict[str, dict[str, Any]], every: tuple[type, ...]
) -> None:
    assert set(named(kind)) == set(tables)
    found = {type(made(kind, {"name": name, **table})) for name, table in tables.items()}
    if kind is Domain:  # products are made of pairs
        found = {bl.domains.Product if issubclass(each, bl.domains.Product) else each for each in found}
    assert found == set(every)


@pytest.mark.parametrize(
    ("kind", "table", "expected"),
    [
        (Domain, {"name": "Box", "lower": [0, 1], "upper": [1, 3]}, bl.Box([0, 1], [1, 3])),
        (Domain, {"name": "product", **DOMAINS["product"]}, bl.domains.Product(bl.Ball(1), bl.Box([0.0], [1.0]))),
        (Domain, {"name": "L1_BALL", "dim": 2}, bl.domains.L1Ball(2)),
        (DelayLaw, {"name": "mixture", **DELAYS["mixture"]}, delays.Mixture.example()),
        (DelayLaw, {"name": "never", **DELAYS["never"]}, delays.Never.example()),
        (DelayLaw, {"name": "periodic", **DELAYS["periodic"]}, delays.Periodic.example()),
        (Loss, {"name": "squared-error", "dim": 2, "l2": 0.5}, bl.losses.SquaredError(2, l2=0.5)),
        (Problem, {"name": "pricing", "noise": 0.5}, problems.Pricing.example()),
    ],
)
def test_what_is_written_is_what_is_made(kind: type, table: dict[str, Any], expected: object) -> None:
    assert made(kind, table) == expected


def test_recorded_losses_have_their_rows_from_the_file() -> None:
    problem = made(Problem, {"name": "recorded", **PROBLEMS["recorded"]})
    assert problem.loss == bl.losses.Linear(2)
    assert problem.rows(0, 3).tolist() == [[1.0, 2.0]] * 3


every_example = pytest.mark.parametrize(
    ("name", "variant"), [(name, variant) for name, card in CARDS.items() for variant in card.examples]
)


@every_example
def test_every_learner_can_be_written(name: str, variant: str) -> None:
    """As its examples are, through TOML and back, with the domain of the setting; what they leave out is none."""
    domain, expected, table = example(name, variant)
    left_out = {each.name: "none" for each in signature(NAMED[name]).parameters.values() if each.default is None}
    text = as_toml({"it": left_out | table})
    document = Document("my.toml", text, tomllib.loads(text))
    facts = FACTS._replace(rounds=7, lipschitz=0.123, strong_convexity=0.456)
    again = make(document, ("it",), Learner, Knowledge(ANY, domain, facts))
    if name in ("composite_ftrl", "odaftrl", "vaw") or "bases" in table:
        assert repr(again) == repr(expected)
    else:
        assert again == expected


# --- what is recommended ---

FITTING: dict[str, str] = {
    "hedge": "forecast-experts",
    "odaftrl": "forecast-experts",
    "dorm": "forecast-experts",
    "dorm_plus": "forecast-experts",
    "flaxman": "pricing",
    "gold": "pricing",
    "dftbl": "pricing",
    "one_point_dda": "pricing",
    "ftrl_proximal": "pricing",
    "vaw": "regression",
    "perceptron": "separable",
    "mesterharm": "separable",
}
"""The problem that a learner is for, where that is not any strongly convex one."""

NEEDS: dict[str, str] = {
    "bold": "base",
    "mesterharm": "base",
    "restarting": "base",
    "skipping": "base",
    "solid": "base",
    "weinberger_ordentlich": "base",
    "expert_advice": "bases",
    "shamir_szlak": "window",
}
"""What neither a theory recommends nor these problems have: somebody must say it."""


def alone(name: str, **arguments: Any) -> Learner:
    """The learner in a setting that fits it, with nothing else given."""
    problem = FITTING.get(name, "random-quadratic")
    tables = {
        "rounds": 5000,
        "seeds": 1,
        "problem": {"name": problem, **PROBLEMS[problem]},
        "delays": {"name": "fixed", "delay": 3},
        "learners": {"it": {"name": name, **arguments}},
    }
    if name == "vaw":
        tables["domain"] = {"name": "euclidean", "dim": 2}
    return setting_of(Document("my.toml", "", tables), "my").entries["it"].learner


@pytest.mark.parametrize("name", NAMED)
def test_a_learner_alone_has_what_its_card_recommends_or_is_refused(name: str) -> None:
    if name in NEEDS:
        with pytest.raises(InvalidArgument, match=rf"^my\.toml, learners\.it: `{NEEDS[name]}` is missing$"):
            alone(name)
    else:
        assert alone(name).name == name


def test_what_is_recommended_is_what_it_should_be() -> None:
    ball = bl.Ball(2)
    lipschitz = bl.problems.RandomQuadratic(2).constants(ball).lipschitz
    assert alone("dogd_sc") == bl.dogd_sc(ball, 2.0)
    assert alone("dogd") == bl.dogd(ball, bl.rates.count_adaptive(ball, lipschitz))
    assert alone("mild_ogd") == bl.mild_ogd(ball, lipschitz, 5000)
    assert alone("langford") == bl.langford(ball, delay=3, strong_convexity=2.0)
    assert alone("bdogd_sc") == bl.bdogd_sc(ball, 2.0, np.log(5000) / 5000)
    assert alone("bold", base="ogd") == bl.bold(bl.ogd(ball, lipschitz))


def test_what_is_given_wins() -> None:
    ball = bl.Ball(2)
    lipschitz = bl.problems.RandomQuadratic(2).constants(ball).lipschitz
    assert alone("dogd_sc", strong_convexity=0.5) == bl.dogd_sc(ball, 0.5)
    assert alone("mild_ogd", rounds=77) == bl.mild_ogd(ball, lipschitz, 77)
    assert alone("dbgd", rate=0.5, probe_radius=0.1) == bl.dbgd(ball, 0.5, 0.1)
    assert alone("langford", lipschitz=1.0) == bl.langford(ball, delay=3, lipschitz=1.0)
    assert alone("langford", delay=9) == bl.langford(ball, delay=9, strong_convexity=2.0)
    assert alone("delayed_frank_wolfe", rate=0.5) == bl.delayed_frank_wolfe(ball, rate=0.5)


def test_rates_can_be_written_as_lists_and_by_name() -> None:
    ball, simplex = bl.Ball(2), bl.Simplex(2)
    knowledge = Knowledge(ANY, ball, FACTS)
    assert made(Learner, {"name": "dogd", "rate": [1, 0.5]}, knowledge) == bl.dogd(ball, [1.0, 0.5])
    assert made(Learner, {"name": "dogd", "rate": {"name": "listed", "rates": [1, 0.5]}}, knowledge) == bl.dogd(
        ball, bl.rates.listed([1.0, 0.5])
    )
    assert made(Learner, {"name": "dogd", "lipschitz": 3}, knowledge) == bl.dogd(ball, lipschitz=3.0)
    assert made(Learner, {"name": "ogd", "rate": 0.5}, knowledge) == bl.ogd(ball, rate=0.5)
    assert made(Learner, {"name": "ons", "gamma": 0.5}, knowledge) == bl.ons(ball, gamma=0.5)
    on_simplex = Knowledge(ANY, simplex, FACTS)
    assert made(Learner, {"name": "hedge", "rate": [0.5, 0.25]}, on_simplex) == bl.hedge(simplex, [0.5, 0.25])
    table = {"name": "hedge", "rate": {"name": "constant-weight", "weight": 2.0}}
    assert made(Learner, table, on_simplex) == bl.hedge(simplex, ConstantWeight(2.0))
    with pytest.raises(InvalidArgument, match=r"my\.toml, it\.rate: `dogd\(rate=\[0\.5, 0\]\)`: must have numbers in"):
        made(Learner, {"name": "dogd", "rate": [0.5, 0]}, knowledge)


def test_spoken_names() -> None:
    assert [spoken(name) for name in ("Ball", "L1Ball", "LogWealth", "CountAdaptive")] == [
        *("ball", "l1-ball", "log-wealth", "count-adaptive")
    ]


def test_what_may_stand_for_an_argument_follows_from_its_annotation() -> None:
    assert choices(float) == choices(Any) == choices(list[int]) == {}
    assert "doubling" in choices(float | Rate)
    assert "dogd-sc" in choices(list[Learner])
    assert choices(Learner | None) == named(Learner)
    assert choices(problems.StreamedProblem) == named(Problem)


def test_there_are_no_two_things_of_one_name() -> None:
    for kind in (Learner, Domain, DelayLaw, Loss, Problem):
        assert len(set(makers.named(kind).values())) == len(makers.named(kind))


def test_names_of_others_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="there is no 'ball' here; there are burst, fixed"):
        made(DelayLaw, "ball")
    with pytest.raises(InvalidArgument, match=r"my\.toml, it\.hint: there is no 'dogd' here; there are "):
        made(Learner, {"name": "odaftrl", "hint": "dogd"}, Knowledge(ANY, bl.domains.Simplex(2), FACTS))


def test_somebody_who_has_decided_on_everything_is_not_refused_for_want_of_advice() -> None:
    """For a single round there is no probe radius that flaxman's theory could recommend."""
    knowledge = Knowledge(ANY, bl.Ball(20), FACTS._replace(rounds=1))
    table = {"name": "flaxman", **arguments_of("flaxman")}
    assert made(Learner, table, knowledge) == bl.flaxman(bl.Ball(20), table["rate"], table["probe_radius"])
    with pytest.raises(InvalidArgument, match=r"nothing can be recommended .* too few"):
        made(Learner, {"name": "flaxman"}, knowledge)


# --- what the problem itself tells ---


def on(problem: Problem, domain: Domain, given: Any) -> tuple[Learner, dict[Any, dict[str, Any]]]:
    """What is made of ``given`` when these are known, and what is noted as told."""
    knowledge = Knowledge(problem, domain, FACTS)
    return made(Learner, given, knowledge), knowledge.told


SEPARABLE = problems.Separable(3, features=5, margin=0.1)
PERMUTED = problems.LocallyPermuted(ANY, window=7)


def test_features_are_those_of_the_problem() -> None:
    simplex = bl.Simplex(3)
    made_, told = on(SEPARABLE, simplex, "perceptron")
    assert made_ == bl.perceptron(simplex, 5)
    assert told == {("it",): {"features": 5}}
    given, told = on(SEPARABLE, simplex, {"name": "perceptron", "features": 4})
    assert given == bl.perceptron(simplex, 4), "what is given wins"
    assert told == {("it",): {}}


def test_the_window_is_that_of_the_problem() -> None:
    ball = bl.Ball(2)
    made_, told = on(PERMUTED, ball, "shamir-szlak")
    expected = bl.shamir_szlak(ball, **{**told[("it",)], "window": 7})
    assert told[("it",)]["window"] == 7
    assert made_ == expected
    assert made_ != bl.shamir_szlak(ball, **{**told[("it",)], "window": 8})
    with pytest.raises(InvalidArgument, match=r"^my\.toml, it: `window` is missing$"):
        on(ANY, ball, "shamir-szlak")


def test_bases_are_told_too_and_noted_under_their_own_keys() -> None:
    simplex = bl.Simplex(3)
    made_, told = on(SEPARABLE, simplex, {"name": "mesterharm", "base": "perceptron"})
    assert made_ == bl.mesterharm(bl.perceptron(simplex, 5))
    assert told == {("it", "base"): {"features": 5}, ("it",): {}}
    _, told = on(ANY, bl.Ball(2), {"name": "expert-advice", "bases": ["dogd-sc", {"name": "ogd", "lipschitz": 7}]})
    assert told == {
        ("it", "bases", 0): {"strong_convexity": 1.0},
        ("it", "bases", 1): {},
        ("it",): {"lipschitz": 2.0},
    }


def test_the_facts_win_over_what_a_problem_calls_by_the_same_name() -> None:
    """And a problem is not asked for a domain: the setting has one."""

    class Loud(problems.RandomQuadratic):
        lipschitz, rounds, bound, delay, total_delay = 1e9, 1, 1e9, 99, 99
        strong_convexity = 77.0
        scale = 0.25

    ball = bl.Ball(2, radius=3.0)
    assert on(Loud(2), ball, "dda")[0] == bl.dda(ball, 2.0)
    assert on(Loud(2), ball, "dogd-sc")[0] == bl.dogd_sc(ball, 1.0)
    assert on(Loud(2), ball, "mild-ogd")[0] == bl.mild_ogd(ball, 2.0, 1000)
    assert on(Loud(2), ball, "adagrad")[0] == bl.adagrad(ball, 0.25), "the problem knows better than a theory"


def test_what_is_told_is_what_the_setting_does_not_say() -> None:
    ball = bl.Ball(2)
    assert on(ANY, ball, {"name": "dbgd", "rate": 0.5})[1] == {("it",): {"probe_radius": 1.0 / 4001.0}}
    assert on(ANY, ball, {"name": "dogd", "rate": 0.5})[1] == {("it",): {}}
    assert on(ANY, ball, "langford")[1] == {("it",): {"delay": 4, "strong_convexity": 1.0}}
    assert made(Learner, {"name": "dogd", "domain": {"name": "ball", "dim": 2}, "rate": 0.5}) == bl.dogd(ball, 0.5), (
        "nothing need be known"
    )


# --- the word for None ---


def test_none_stands_for_what_is_left_out_by_default() -> None:
    ball = bl.Ball(2)
    knowledge = Knowledge(ANY, ball, FACTS)
    # Without the word, the Lipschitz constant is recommended; with it, it is decided against.
    assert repr(made(Learner, "composite-ftrl", knowledge)) == repr(bl.composite_ftrl(ball, 1.0, lipschitz=3.0))
    table: dict[str, Any] = {"name": "composite-ftrl", "lipschitz": "none"}
    assert repr(made(Learner, table, knowledge)) == repr(bl.composite_ftrl(ball, 1.0))
    table = {"name": "langford", "lipschitz": 2.0, "strong_convexity": "none"}
    assert made(Learner, table, knowledge) == bl.langford(ball, 4, lipschitz=2.0)
    table = {"name": "ons", "weight": "none"}
    assert made(Learner, table, knowledge) == bl.ons(ball, 2.0, 0.25)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"name": "dbgd", "rate": "none"}, r"my\.toml, it\.rate: there is no 'none' here; there are "),
        (
            {"name": "dogd", "rate": "none"},
            r"my\.toml, it\.rate: `dogd\(rate=None\)`: must be given, or else lipschitz",
        ),
        ({"name": "dogd-sc", "strong_convexity": "none"}, r"my\.toml, it\.strong_convexity: .*must be a "),
        ({"name": "composite-ftrl", "caution": "none"}, r"my\.toml, it\.caution: .*must be a "),
        ({"name": "composite-ftrl", "lipschitz": "None"}, r"my\.toml, it\.lipschitz: .*must be a "),
        ({"name": "bold", "base": "none"}, r"my\.toml, it\.base: there is no 'none' here; there are "),
    ],
)
def test_none_stands_for_nothing_else(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        made(Learner, {**table}, Knowledge(ANY, bl.Ball(2), FACTS._replace(lipschitz=2.0)))
