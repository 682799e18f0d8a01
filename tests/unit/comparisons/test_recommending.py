"""What theory recommends: the learners that settings in words have, with what is known of problems of anybody's own."""

import math
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.comparisons import read
from belated.comparisons.recommending import LOOKED_AT, facts_of, recommended
from belated.core.arrays import Matrix
from belated.core.errors import InvalidArgument
from belated.domains.base import Domain
from belated.losses.base import Loss, gradient, value
from support.own_parts import Bowl, bowl_gradient, bowl_value

BALL = bl.Ball(2)
PROBLEM = bl.problems.RandomQuadratic(2)
LAW = bl.delays.Geometric(5)


class Own:
    """A problem with nothing but a loss and its rows."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss

    def rows(self, seed: int, rounds: int) -> Matrix:
        return self.loss.example_rows(np.random.default_rng(seed), rounds)


class Silent(Bowl):
    """A loss that cannot tell its constants."""

    __slots__ = ()

    _constants = Loss._constants


value.on(Silent)(bowl_value)
gradient.on(Silent)(bowl_gradient)


def test_learners_are_those_of_a_setting_in_words() -> None:
    made = read("bursts", rounds=300, seeds=2)
    tables = made.tables["learners"]
    plain = {label: label.replace("-", "_") for label in made.entries if not tables[label]}
    assert len(plain) > 5
    for label, name in plain.items():
        learner = recommended(getattr(bl, name), made.problem, made.delays, made.rounds)
        assert learner == made.entries[label].learner


def test_numbers_by_hand() -> None:
    total = sum(min(4, 20 - t) for t in range(20))
    lipschitz = PROBLEM.constants(BALL).lipschitz
    expected = bl.dbgd(BALL, 1.0 / (lipschitz * (20 + total) ** 0.5), 1.0 / (1 + 20 + total))
    assert recommended(bl.dbgd, PROBLEM, bl.delays.Fixed(4), 20) == expected


def test_what_is_given_is_used_as_it_is() -> None:
    assert recommended(bl.dogd, PROBLEM, LAW, 100, rate=0.25) == bl.dogd(BALL, 0.25)
    assert recommended(bl.mild_ogd, PROBLEM, LAW, 100, lipschitz=3.0) == bl.mild_ogd(BALL, 3.0, 100)
    base = bl.ogd_sc(BALL, 2.0)
    assert recommended(bl.bold, PROBLEM, LAW, 100, base=base) == bl.bold(base)


def test_the_domain_and_the_seed_may_be_others() -> None:
    wide = bl.Ball(2, radius=3.0)
    lipschitz = PROBLEM.constants(wide).lipschitz
    assert recommended(bl.dda, PROBLEM, LAW, 100, wide) == bl.dda(wide, lipschitz)
    delays = {seed: facts_of(PROBLEM, BALL, LAW, 100, seed).delay for seed in (0, 3)}
    assert delays[0] != delays[3]
    for seed, delay in delays.items():
        expected = bl.langford(BALL, delay, strong_convexity=2.0)
        assert recommended(bl.langford, PROBLEM, LAW, 100, seed=seed) == expected


def test_a_problem_of_ones_own_needs_no_constants_where_its_loss_has_them() -> None:
    own = Own(bl.losses.Quadratic(2, curvature=3.0))
    rows = own.rows(7, 60)
    known = own.loss.constants(rows, BALL)
    facts = facts_of(own, BALL, LAW, 60, 7)
    assert (facts.lipschitz, facts.strong_convexity) == (known.lipschitz, 3.0)
    assert recommended(bl.dogd_sc, own, LAW, 60, BALL, 7) == bl.dogd_sc(BALL, 3.0)
    assert recommended(bl.dda, own, LAW, 60, BALL, 7) == bl.dda(BALL, known.lipschitz)


def test_constants_hold_for_all_rows_that_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """However they are cut into pieces."""
    monkeypatch.setattr("belated.sim.plan.LEAST_ROUNDS_PER_CHUNK", 7)
    monkeypatch.setattr("belated.sim.plan.NUMBERS_PER_CHUNK", 1)
    own = Own(bl.losses.SquaredError(2, l2=0.25))
    facts = facts_of(own, BALL, LAW, 60, 1)
    known = own.loss.constants(own.rows(1, 60), BALL)
    assert (facts.lipschitz, facts.strong_convexity) == (known.lipschitz, known.strong_convexity)
    assert LOOKED_AT >= 1000


def test_only_what_is_needed_is_asked_for() -> None:
    """A loss that can tell nothing is enough for who needs nothing of it."""
    own: Any = Own(Silent(2))
    assert facts_of(own, BALL, LAW, 10, 0)[1:3] == (math.inf, 0.0)
    assert recommended(bl.dogd, own, LAW, 10, BALL, rate=0.5) == bl.dogd(BALL, 0.5)
    assert recommended(bl.dda, own, LAW, 10, BALL, lipschitz=4.0) == bl.dda(BALL, 4.0)
    with pytest.raises(
        InvalidArgument, match=r"^`dda\(lipschitz=inf\)`: must be finite; this is what the problem tells; "
    ):
        recommended(bl.dda, own, LAW, 10, BALL)


ENDLESS = [bl.Euclidean(2), bl.Box([0.0, 0.0], [math.inf, math.inf]), bl.Halfspace([1.0, 0.0], 1.0)]


@pytest.mark.parametrize("domain", ENDLESS, ids=lambda domain: type(domain).__name__)
def test_a_domain_without_end_hides_nothing_that_holds_on_it(domain: Domain) -> None:
    assert recommended(bl.dogd_sc, PROBLEM, LAW, 100, domain) == bl.dogd_sc(domain, 2.0)
    own: Any = Own(bl.losses.Quadratic(2, curvature=3.0))
    assert recommended(bl.dogd_sc, own, LAW, 100, domain) == bl.dogd_sc(domain, 3.0)
    facts = facts_of(PROBLEM, domain, LAW, 100, 0)
    assert (facts.lipschitz, facts.strong_convexity, facts.bound) == (math.inf, 2.0, math.inf)
    flips = bl.problems.SignFlips(2, 10)
    assert facts_of(flips, domain, LAW, 100, 0).lipschitz == flips.constants(domain).lipschitz < math.inf


def test_what_fails_on_a_domain_without_end_tells_nothing_there() -> None:
    """The wealth of a portfolio must be positive everywhere; elsewhere such a failure is somebody's mistake."""
    own: Any = Own(bl.losses.LogWealth(2))
    measured: Any = bl.problems.Recorded(own.loss, own.rows(0, 10))
    for problem in (own, measured):
        facts = facts_of(problem, bl.Box([0.5, 0.5], [math.inf, math.inf]), LAW, 10, 0)
        assert facts.strong_convexity == 0.0
        assert facts_of(problem, bl.Box([0.0, 0.0], [2.0, math.inf]), LAW, 10, 0)[1:3] == (math.inf, 0.0)
        with pytest.raises(InvalidArgument, match="must be > 0 on all of it"):
            facts_of(problem, bl.Box([0.0, 0.0], [2.0, 2.0]), LAW, 10, 0)


def test_losses_without_slope_are_as_small_on_a_domain_without_end() -> None:
    flat: Any = bl.problems.Recorded(bl.losses.Linear(2), np.zeros((10, 2)))
    assert facts_of(flat, bl.Euclidean(2), LAW, 10, 0)[1:4] == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": "gold"}, r"^`recommended\(algorithm='gold'\)`: must be one of the named algorithms, such as"),
        ({"algorithm": bl.log_probe_radius}, r"^`recommended\(algorithm=<function log_probe_radius"),
        ({"algorithm": bl.dogd_sc(BALL, 2.0)}, r"^`recommended\(algorithm=Learner"),
        (
            {"problem": 5},
            r"^`recommended\(problem=5\)`: must be a problem, such as RandomQuadratic\(10\), with a `loss`",
        ),
        ({"problem": Own(Bowl(2))}, r"^`recommended\(domain=None\)`: must be given: the problem has no domain of its"),
        ({"domain": bl.Ball(3)}, r"^`recommended\(domain=Ball\(.*: must be a domain of the problem's dimension, 2$"),
        ({"domain": 2}, r"^`recommended\(domain=2\)`: must be a domain"),
        ({"delays": 5}, r"^`recommended\(delays=5\)`: must be a law of delay, such as Geometric\(5\)"),
        ({"delays": bl.delays.Trace([1, 2])}, r"^`recommended\(rounds=100\)`: must be <= 2, the rounds that Trace"),
        ({"rounds": 0}, r"^`recommended\(rounds=0\)`: must be >= 1"),
        ({"rounds": 1.5}, r"^`recommended\(rounds=1.5\)`: must be a whole number"),
        ({"seed": -1}, r"^`recommended\(seed=-1\)`: must be >= 0"),
        ({"convexity": 2.0}, r"^`recommended\(convexity=2.0\)`: dogd_sc has no such argument; did you mean strong_c"),
        ({"strong_convexity": -1.0}, r"^`dogd_sc\(strong_convexity=-1.0\)`: must be > 0$"),
        (
            {"algorithm": bl.bold},
            r"^`recommended\(algorithm='bold'\)`: needs `base`, which neither its theory nor the problem can "
            r"tell; recommended\(bl.bold, ..., base=...\) takes it$",
        ),
        ({"algorithm": bl.hedge}, r"^`hedge\(domain=Ball.*; this is what the problem tells; give domain="),
        (
            {"algorithm": bl.flaxman, "rounds": 1, "problem": bl.problems.RandomQuadratic(20)},
            r"^`recommended\(algorithm='flaxman'\)`: nothing can be recommended for what is not given: ",
        ),
    ],
)
def test_what_is_wrong_is_told(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"algorithm": bl.dogd_sc, "problem": PROBLEM, "delays": LAW, "rounds": 100} | changes
    with pytest.raises(InvalidArgument, match=message):
        recommended(**arguments)
