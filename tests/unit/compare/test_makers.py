"""Every name that there is can be written, and learners get what their cards recommend."""

import tomllib
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import delays, domains, losses
from belated.compare import makers
from belated.compare.document import Document
from belated.compare.makers import Knowledge, choices, make, named, spoken
from belated.compare.setting import setting_of
from belated.compare.writing import as_toml
from belated.core.errors import InvalidArgument
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.card import Facts
from belated.learners.catalogue import CARDS, NAMED
from belated.learners.parts.rates import Rate
from belated.losses.base import Loss
from belated.sim import problems
from belated.sim.problems import Problem
from support.written import DELAYS, DOMAINS, LOSSES, PROBLEMS, arguments_of, example

FACTS = Facts(rounds=1000, lipschitz=2.0, strong_convexity=1.0, bound=3.0, delay=4, total_delay=3000)


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
    """As its examples are, through TOML and back, with the domain of the setting."""
    domain, expected, table = example(name, variant)
    text = as_toml({"it": table})
    document = Document("my.toml", text, tomllib.loads(text))
    facts = FACTS._replace(rounds=7, lipschitz=0.123, strong_convexity=0.456)
    again = make(document, ("it",), Learner, Knowledge(domain, facts))
    if name in ("composite_ftrl", "odaftrl", "vaw") or "bases" in table:
        assert repr(again) == repr(expected)
    else:
        assert again == expected


# --- what is recommended ---

FITTING: dict[str, str] = {
    "hedge": "forecast-experts",
    "odaftrl": "forecast-experts",
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
    "perceptron": "features",
}
"""What no theory recommends: somebody must say it."""


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
        made(Learner, {"name": "odaftrl", "hint": "dogd"}, Knowledge(bl.domains.Simplex(2), FACTS))


def test_somebody_who_has_decided_on_everything_is_not_refused_for_want_of_advice() -> None:
    """For a single round there is no probe radius that flaxman's theory could recommend."""
    knowledge = Knowledge(bl.Ball(20), FACTS._replace(rounds=1))
    table = {"name": "flaxman", **arguments_of("flaxman")}
    assert made(Learner, table, knowledge) == bl.flaxman(bl.Ball(20), table["rate"], table["probe_radius"])
    with pytest.raises(InvalidArgument, match=r"nothing can be recommended .* too few"):
        made(Learner, {"name": "flaxman"}, knowledge)
