"""What every card recommends, in numbers: the formulas of the sources, worked out here once more and by themselves.

The facts: T = 100 rounds, gradients of at most L = 2, values of at most M = 3, delays of at most d = 5 and D = 250 in
sum; losses are strongly convex with beta = 0.5, or only convex. All of these are different, so that none can stand for
another.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import Parameter, signature
from typing import Any

import pytest

import belated as bl
from belated.domains.base import Domain
from belated.learners import catalogue
from belated.learners.card import Card, Facts
from belated.learners.catalogue import CARDS, NAMED, recommended
from belated.learners.parts.rates import PerRound

STRONG = Facts(rounds=100, lipschitz=2.0, strong_convexity=0.5, bound=3.0, delay=5, total_delay=250)
FLAT = STRONG._replace(strong_convexity=0.0)

BALL = bl.Ball(4, radius=2.0)
"""n = 4, R = r = 2, diameter 4."""
AWAY = bl.Ball(4, radius=2.0, centre=[3.0, 0.0, -4.0, 0.0])
"""The same, 5 from the origin."""
BOX = bl.Box([-1.0] * 4, [1.0] * 4)
"""n = 4, R = 2, r = 1, diameter 4."""
SIMPLEX = bl.Simplex(3)
"""n = 2 directions, R = sqrt(2/3), r = 1 / sqrt(6), diameter sqrt(2)."""
SPACE = bl.Euclidean(4)

LOG = 4.605170185988092 / 100.0
"""ln T / T."""
ON_BALL = math.sqrt(math.sqrt(2.0) * 4.0 * 3.0 * 2.0 / (2.0 + 2.0 * 2.0 / 2.0)) / math.sqrt(10.0)
ON_BOX = math.sqrt(math.sqrt(2.0) * 4.0 * 3.0 * 2.0 / (2.0 + 2.0 * 2.0 / 1.0)) / math.sqrt(10.0)
"""The probe radius sqrt(sqrt(2) n M R / (L + L R / r)) / T^(1/4) of one_point_dda, which dftbl has too."""


def blocks(probe_radius: float, missing: float) -> dict[str, Any]:
    """D-FTBL's: R^2 / (2 eta) + eta T C is least at R / sqrt(2 T C); K = sqrt(T) = 10, ``missing`` is s K."""
    estimate = 4.0 * 3.0 / probe_radius
    cost = (estimate**2 + 10.0 * 2.0**2) / 2.0 + 2.0 * (estimate * math.sqrt(missing) + missing * 2.0)
    return {"rate": 2.0 / math.sqrt(2.0 * 100.0 * cost), "block_length": 10, "probe_radius": probe_radius}


TABLE: list[tuple[str, Domain, Facts, dict[str, Any]]] = [
    # The longest side / sqrt(2): 4 on the ball, 2 on the box, 1 on the simplex, 5 on the product.
    ("adagrad", BALL, STRONG, {"scale": 2.8284271247461903}),
    ("adagrad", BOX, STRONG, {"scale": 1.4142135623730951}),
    ("adagrad", SIMPLEX, FLAT, {"scale": 0.7071067811865476}),
    ("adagrad", bl.Product(SIMPLEX, bl.Box([0.0], [5.0])), FLAT, {"scale": 3.5355339059327378}),
    ("adaptive_revision", BALL, STRONG, {"scale": 2.8284271247461903}),
    ("adaptive_revision", BOX, STRONG, {"scale": 1.4142135623730951}),
    ("adaptive_revision", SIMPLEX, FLAT, {"scale": 0.7071067811865476}),
    ("ftrl_proximal", BOX, STRONG, {"scale": 1.4142135623730951}),
    # The rate 1 / (beta t), or R / (L sqrt(T)); the probe radius c ln T / T, c = min(1, r).
    ("agarwal_coordinates", BALL, STRONG, {"rate": PerRound(0.5), "probe_radius": LOG}),
    ("agarwal_coordinates", BALL, FLAT, {"rate": 2.0 / (2.0 * 10.0), "probe_radius": LOG}),
    (
        "agarwal_coordinates",
        SIMPLEX,
        FLAT,
        {"rate": math.sqrt(2.0 / 3.0) / (2.0 * 10.0), "probe_radius": LOG / math.sqrt(6.0)},
    ),
    # The same with n L for L.
    ("agarwal_two_point", BALL, STRONG, {"rate": PerRound(0.5), "probe_radius": LOG}),
    ("agarwal_two_point", BALL, FLAT, {"rate": 2.0 / (4.0 * 2.0 * 10.0), "probe_radius": LOG}),
    (
        "agarwal_two_point",
        SIMPLEX,
        FLAT,
        {"rate": math.sqrt(2.0 / 3.0) / (2.0 * 2.0 * 10.0), "probe_radius": LOG / math.sqrt(6.0)},
    ),
    ("bdogd_sc", BALL, STRONG, {"strong_convexity": 0.5, "probe_radius": LOG}),
    ("bdogd_sc", SIMPLEX, STRONG, {"strong_convexity": 0.5, "probe_radius": LOG / math.sqrt(6.0)}),
    ("bdogd_sc_two_point", BALL, STRONG, {"strong_convexity": 0.5, "probe_radius": LOG}),
    ("bdogd_sc_two_point", SIMPLEX, STRONG, {"strong_convexity": 0.5, "probe_radius": LOG / math.sqrt(6.0)}),
    # Without (beta / 2) |x|^2 gradients are at most L + beta max |x|.
    ("composite_ftrl", BALL, STRONG, {"regulariser": 0.5, "lipschitz": 2.0 + 0.5 * 2.0}),
    ("composite_ftrl", AWAY, STRONG, {"regulariser": 0.5, "lipschitz": 2.0 + 0.5 * (5.0 + 2.0)}),
    ("composite_ftrl", BALL, FLAT, {"regulariser": 0.0, "lipschitz": 2.0}),
    # The paper's 1 / (L sqrt(T + D)) and 1 / (T + D), in units of R and of r, and inside.
    ("dbgd", BALL, STRONG, {"rate": 2.0 / (2.0 * math.sqrt(350.0)), "probe_radius": 2.0 / 351.0}),
    ("dbgd", BOX, FLAT, {"rate": 2.0 / (2.0 * math.sqrt(350.0)), "probe_radius": 1.0 / 351.0}),
    # beta, or R / (L T^(3/4)).
    ("delayed_frank_wolfe", BALL, STRONG, {"strong_convexity": 0.5}),
    ("delayed_frank_wolfe", BALL, FLAT, {"rate": 2.0 / (2.0 * math.sqrt(1000.0))}),
    # s = ceil((d - 1) / K) blocks are missing.
    ("dftbl", BALL, STRONG, blocks(ON_BALL, missing=10.0)),
    ("dftbl", BOX, FLAT, blocks(ON_BOX, missing=10.0)),
    ("dftbl", BALL, FLAT._replace(delay=1), blocks(ON_BALL, missing=0.0)),
    ("dftbl", BALL, FLAT._replace(delay=11), blocks(ON_BALL, missing=10.0)),
    ("dftbl", BALL, FLAT._replace(delay=12), blocks(ON_BALL, missing=20.0)),
    # L stands for the count-adaptive rate, and for OGD's.
    ("dogd", BALL, STRONG, {"lipschitz": 2.0}),
    ("dogd", SIMPLEX, FLAT, {"lipschitz": 2.0}),
    ("ogd", BALL, STRONG, {"lipschitz": 2.0}),
    # delta = T^(-1/4) sqrt(R n M r / (3 (L r + M))) and delta R / (n M sqrt(T)).
    (
        "flaxman",
        BALL,
        STRONG,
        {
            "rate": math.sqrt(48.0 / 21.0) / math.sqrt(10.0) * 2.0 / (12.0 * 10.0),
            "probe_radius": math.sqrt(48.0 / 21.0) / math.sqrt(10.0),
        },
    ),
    ("flaxman", BOX, FLAT, {"rate": 0.4 * 2.0 / (12.0 * 10.0), "probe_radius": 0.4}),
    # r / 2, and a first step, of a gradient of at most n M / delta, that goes no farther than R.
    ("gold", BALL, STRONG, {"rate": 2.0 / (4.0 * 3.0 / 1.0), "probe_radius": 1.0}),
    ("gold", BOX, FLAT, {"rate": 2.0 / (4.0 * 3.0 / 0.5), "probe_radius": 0.5}),
    # Which of the two is given decides on the rate.
    ("langford", BALL, STRONG, {"delay": 5, "strong_convexity": 0.5}),
    ("langford", BALL, FLAT, {"delay": 5, "lipschitz": 2.0}),
    ("one_point_dda", BALL, STRONG, {"lipschitz": 2.0, "bound": 3.0, "probe_radius": ON_BALL}),
    ("one_point_dda", BOX, FLAT, {"lipschitz": 2.0, "bound": 3.0, "probe_radius": ON_BOX}),
    # Strongly convex losses are exp-concave with beta / L^2.
    ("ons", BALL, STRONG, {"lipschitz": 2.0, "exp_concavity": 0.125}),
    ("ons", BALL, FLAT, {"lipschitz": 2.0}),
    ("vaw", SPACE, STRONG, {"regulariser": 1.0}),
]


def has_own(card: Card) -> bool:
    return card.tuned is not Card.__dataclass_fields__["tuned"].default


def check(name: str, domain: Domain, facts: Facts, expected: Mapping[str, Any]) -> None:
    found = recommended(name, domain, facts, {})
    assert found.pop("domain") == domain
    assert set(found) == set(expected)
    for key, value in expected.items():
        assert type(found[key]) is type(value), key
        assert found[key] == pytest.approx(value, rel=1e-12), key


def check_all(name: str) -> None:
    for row in TABLE:
        if row[0] == name:
            check(*row)


@pytest.mark.parametrize(("name", "domain", "facts", "expected"), TABLE)
def test_what_is_recommended_is_the_sources_formula(
    name: str, domain: Domain, facts: Facts, expected: dict[str, Any]
) -> None:
    check(name, domain, facts, expected)


def test_no_recommendation_is_left_out() -> None:
    assert {name for name, *_ in TABLE} == {name for name, card in CARDS.items() if has_own(card)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"weight": 3.0}, {"lipschitz", "exp_concavity"}),
        ({"lipschitz": 3.0}, {"exp_concavity"}),
        ({"exp_concavity": 3.0, "weight": None}, {"lipschitz"}),
        ({"gamma": 0.1}, set()),
        ({"gamma": 0.1, "weight": 3.0}, set()),
    ],
)
def test_what_is_given_beside_a_recommendation_does_not_replace_it(given: dict[str, Any], expected: set[str]) -> None:
    assert set(recommended("ons", BALL, STRONG, {"domain": BALL, **given})) == expected


def test_what_is_given_in_place_of_a_recommendation_replaces_it() -> None:
    for name, given in (("dogd", {"rate": 0.1}), ("ogd", {"rate": 0.1}), ("dogd", {"lipschitz": 1.0})):
        assert recommended(name, BALL, STRONG, {"domain": BALL, **given}) == {}


@pytest.mark.parametrize("facts", [STRONG, FLAT])
@pytest.mark.parametrize("name", [name for name, card in CARDS.items() if not has_own(card)])
def test_the_others_are_told_the_facts_that_they_ask_for(name: str, facts: Facts) -> None:
    asked = [key for key, each in signature(NAMED[name]).parameters.items() if each.default is Parameter.empty]
    known = {"domain": BALL, **facts._asdict()}
    assert recommended(name, BALL, facts, {}) == {key: known[key] for key in asked if key in known}


# --- the table has power: each of these is a formula with one mistake

Tuned = Callable[[Domain, Facts], Mapping[str, Any]]


def times(key: str, factor: Callable[[Domain, Facts], float]) -> Callable[[Tuned], Tuned]:
    """A recommendation that is wrong by a factor, if it is a number."""

    def wrong(tuned: Tuned) -> Tuned:
        def mistaken(domain: Domain, facts: Facts) -> dict[str, Any]:
            right = tuned(domain, facts)
            wrong = {key: right[key] * factor(domain, facts)} if isinstance(right.get(key), float) else {}
            return {**right, **wrong}

        return mistaken

    return wrong


def knowing(change: Callable[[Facts], Facts]) -> Callable[[Tuned], Tuned]:
    """A recommendation for other facts."""
    return lambda tuned: lambda domain, facts: tuned(domain, change(facts))


MISTAKES: list[tuple[str, Callable[[Tuned], Tuned]]] = [
    ("ons", times("exp_concavity", lambda domain, facts: facts.lipschitz**3)),
    ("ons", times("exp_concavity", lambda domain, facts: facts.lipschitz)),
    ("dbgd", knowing(lambda facts: facts._replace(total_delay=0))),
    ("dbgd", times("probe_radius", lambda domain, facts: domain.inner_radius)),
    ("dbgd", times("probe_radius", lambda domain, facts: 351.0 / 350.0)),
    ("dbgd", times("rate", lambda domain, facts: 1.0 / domain.outer_radius)),
    ("adagrad", times("scale", lambda domain, facts: 1000.0)),
    ("adagrad", times("scale", lambda domain, facts: math.sqrt(2.0))),
    ("adagrad", times("scale", lambda domain, facts: domain.diameter / domain.longest_side)),
    ("adaptive_revision", times("scale", lambda domain, facts: domain.diameter / domain.longest_side)),
    ("ftrl_proximal", times("scale", lambda domain, facts: domain.diameter / domain.longest_side)),
    ("adaptive_revision", times("scale", lambda domain, facts: 2.0)),
    ("ftrl_proximal", times("scale", lambda domain, facts: 0.5)),
    ("composite_ftrl", lambda tuned: lambda domain, facts: {**tuned(domain, facts), "lipschitz": facts.lipschitz}),
    ("dftbl", knowing(lambda facts: facts._replace(delay=1))),
    ("dftbl", times("rate", lambda domain, facts: math.sqrt(2.0))),
    ("gold", times("rate", lambda domain, facts: float(domain.hull_dim))),
    ("agarwal_two_point", times("rate", lambda domain, facts: float(domain.hull_dim))),
    ("agarwal_coordinates", times("rate", lambda domain, facts: 1.0 / domain.hull_dim)),
    ("bdogd_sc", times("probe_radius", lambda domain, facts: max(1.0, domain.inner_radius))),
    ("flaxman", knowing(lambda facts: facts._replace(bound=facts.lipschitz))),
    ("one_point_dda", knowing(lambda facts: facts._replace(bound=facts.lipschitz))),
    ("delayed_frank_wolfe", times("rate", lambda domain, facts: facts.rounds**0.25)),
    ("langford", knowing(lambda facts: facts._replace(strong_convexity=0.0))),
    ("dogd", knowing(lambda facts: facts._replace(lipschitz=1.0))),
]


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_a_wrong_formula_is_found(
    name: str, mistake: Callable[[Tuned], Tuned], monkeypatch: pytest.MonkeyPatch
) -> None:
    card = replace(CARDS[name], tuned=mistake(CARDS[name].tuned))
    monkeypatch.setattr(catalogue, "CARDS", {**CARDS, name: card})
    with pytest.raises(AssertionError):
        check_all(name)
