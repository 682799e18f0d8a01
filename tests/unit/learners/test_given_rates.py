"""Rates from lists and functions: the same decisions as a naive loop with them, and states that know them again."""

import functools
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings

import belated as bl
from belated.core.closures import Closure
from belated.core.compiling import compiled
from belated.core.errors import InvalidArgument, PlainPython, StateMismatch
from belated.core.ledger import Ledger
from belated.learners.parts.rates.given import Listed, listed_inverse_rate
from belated.learners.parts.rates.weights import ConstantWeight
from belated.learners.verbs import inverse_rate
from support import naive
from support.naive import rounds_arriving
from support.players import as_bytes
from support.shares import decisions_of, mixed_delays
from support.strategies import delay_sequences, seeds
from support.told import decisions, quadratic

ROUNDS = 12
BALL = bl.Ball(3)
SOME = [0.5, 0.1, 0.7, 0.2, 0.4]


def of_list(rates):
    return lambda t: rates[t - 1] if t <= len(rates) else rates[-1]


def gap(learner, eta, delays, seed=0):
    gradient = quadratic(np.random.default_rng(seed).uniform(-1, 1, (len(delays), BALL.dim)))
    expected = naive.dogd(gradient, delays, BALL.project, BALL.centre, eta)
    return np.abs(decisions(learner, gradient, delays) - expected).max()


@settings(max_examples=15)
@given(delay_sequences(ROUNDS), seeds)
def test_a_list_has_a_rate_for_each_round_and_the_last_one_stays(delays, seed):
    assert gap(bl.dogd(BALL, SOME), of_list(SOME), delays, seed) < 1e-13
    assert gap(bl.ogd(BALL, rate=np.array(SOME)), of_list(SOME), delays, seed) < 1e-13


@settings(max_examples=15)
@given(delay_sequences(ROUNDS), seeds)
def test_a_function_is_asked_with_the_round(delays, seed):
    assert gap(bl.dogd(BALL, lambda t: 0.6 / math.sqrt(t)), lambda t: 0.6 / math.sqrt(t), delays, seed) < 1e-13


def test_the_comparison_notices_a_list_that_is_one_round_off(monkeypatch):
    monkeypatch.setitem(
        inverse_rate.implementations,
        Listed,
        lambda rate, ledger: listed_inverse_rate(rate, ledger._replace(round=ledger.round + 1)),
    )
    assert gap(bl.dogd(BALL, SOME), of_list(SOME), [1] * ROUNDS) > 1e-3


def test_a_list_of_one_is_the_constant_and_a_list_of_a_function_is_the_function_bit_for_bit():
    gradient, delays = quadratic(np.random.default_rng(1).uniform(-1, 1, (ROUNDS, 3))), [2, 1, 3] * 4

    def run(rate):
        return decisions(bl.dogd(BALL, rate), gradient, delays)

    assert np.array_equal(run([0.3]), run(0.3))
    assert np.array_equal(run(lambda t: 0.3 / t), run([0.3 / t for t in range(1, ROUNDS + 1)]))


# --- hedge


def naive_hedge(gradient, delays, n, eta):
    xs, g, received, x = [], {}, [], np.full(n, 1 / n)
    for t in range(1, len(delays) + 2):
        if received:
            odds = np.exp(-eta(t) * np.sum([g[k] for k in received], axis=0))
            x = odds / odds.sum()
        xs.append(x)
        if t <= len(delays):
            g[t] = gradient(t, x)
            received += rounds_arriving(delays, t)
    return np.array(xs)


@pytest.mark.parametrize(
    ("rate", "eta"),
    [
        (0.3, lambda t: 0.3),
        (SOME, of_list(SOME)),
        (lambda t: 1 / t, lambda t: 1 / t),
        (bl.rates.constant(0.3), lambda t: 0.3),
        (bl.rates.SquareRoot(2.0), lambda t: 1 / (2.0 * math.sqrt(t))),
        (ConstantWeight(4.0), lambda t: 0.25),
    ],
    ids=["number", "list", "function", "constant", "rate", "weight"],
)
def test_hedge_takes_the_rate_of_the_round_that_is_played(rate, eta):
    rng = np.random.default_rng(3)
    rows, delays = rng.uniform(-1, 1, (30, 4)), mixed_delays(rng, 30)
    ours = decisions_of(bl.hedge(bl.Simplex(4), rate), lambda t, x: rows[t - 1], delays)
    assert np.abs(ours - naive_hedge(lambda t, x: rows[t - 1], delays, 4, eta)).max() < 1e-13
    late = naive_hedge(lambda t, x: rows[t - 1], delays, 4, lambda t: eta(max(t - 1, 1)) * (1 + 1e-3))
    assert np.abs(ours - late).max() > 1e-5, "the comparison has power"


def test_one_expert_is_played_whatever_is_told():
    for learner in (bl.hedge, bl.odaftrl, bl.dorm, bl.dorm_plus, lambda domain: bl.hedge(domain, 0.5)):
        player = learner(bl.Simplex(1)).start()
        for t in range(1, 4):
            assert player.ask().point.tolist() == [1.0]
            player.tell([float(t)], round=t)


# --- states


def fresh():
    return bl.dogd(BALL, rate=lambda t: 0.5 / t)


def answered(learner):
    player = learner.start()
    player.ask()
    player.tell([1.0, 0.0, 0.0])
    player.ask()
    return player


def test_a_state_is_resumed_by_the_same_function_and_by_no_other():
    state = answered(fresh()).state()
    assert as_bytes(fresh().resume(state).state()) == as_bytes(state)
    for rate in (lambda t: 0.4 / t, lambda t: 0.5 / (t + 0), 0.5, [0.5, 0.25]):
        with pytest.raises(StateMismatch):
            bl.dogd(BALL, rate=rate).resume(state)


def halved(t):
    return 0.5 / t


def renamed_and_equal(t):
    return 0.5 / t


def test_a_function_that_was_renamed_is_recognised():
    before, after = bl.dogd(BALL, rate=halved), bl.dogd(BALL, rate=renamed_and_equal)
    state = answered(before).state()
    assert as_bytes(after.resume(state).state()) == as_bytes(state)
    assert Closure(halved, ()).digest != Closure(renamed_and_equal, ()).digest, "compiled code goes by the name, too"


def first_helper(t):
    return 1.0 / t


def second_helper(t):
    return 1.0 / t**2


def blended(t):
    return first_helper(t) + 0.5 * second_helper(t)


def test_helpers_that_have_exchanged_their_bodies_are_noticed(monkeypatch):
    state = answered(bl.dogd(BALL, rate=blended)).state()
    one, other = first_helper.__code__, second_helper.__code__
    monkeypatch.setattr(first_helper, "__code__", other)
    monkeypatch.setattr(second_helper, "__code__", one)
    with pytest.raises(StateMismatch, match="saved with another function than blended"):
        bl.dogd(BALL, rate=blended).resume(state)


def test_a_helper_that_was_moved_is_recognised(monkeypatch):
    state = answered(bl.dogd(BALL, rate=blended)).state()
    monkeypatch.setattr(first_helper, "__module__", "elsewhere")
    monkeypatch.setattr(first_helper, "__qualname__", "Group.first_helper")
    assert as_bytes(bl.dogd(BALL, rate=blended).resume(state).state()) == as_bytes(state)


def ratio(a, b):
    return lambda t: a / (b + t)


def test_outer_variables_that_have_exchanged_their_values_are_noticed():
    assert bl.dogd(BALL, rate=ratio(1.0, 2.0)) == bl.dogd(BALL, rate=ratio(1.0, 2.0))
    assert bl.dogd(BALL, rate=ratio(1.0, 2.0)) != bl.dogd(BALL, rate=ratio(2.0, 1.0))
    state = answered(bl.dogd(BALL, rate=ratio(1.0, 4.0))).state()
    with pytest.raises(StateMismatch, match="saved with another function than <lambda>"):
        bl.dogd(BALL, rate=ratio(4.0, 1.0)).resume(state)


START, SLOPE = 1.0, 8.0
root = math.sqrt


def falling(t):
    return START / (1.0 + SLOPE * root(t))


@pytest.mark.parametrize(
    "exchange", [{"START": 8.0, "SLOPE": 1.0}, {"root": math.log1p}, {"root": np.sqrt}], ids=["two", "math", "numpy"]
)
def test_a_name_that_stands_for_something_else_is_noticed(exchange, monkeypatch):
    state = answered(bl.dogd(BALL, rate=falling)).state()
    assert bl.dogd(BALL, rate=falling).resume(state).state()
    for name, other in exchange.items():
        monkeypatch.setitem(globals(), name, other)
    with pytest.raises(StateMismatch, match="saved with another function than falling"):
        bl.dogd(BALL, rate=falling).resume(state)


def test_a_changed_function_is_named():
    state = answered(bl.dogd(BALL, rate=halved)).state()
    with pytest.raises(StateMismatch, match=r"saved with another function than with_\w+, which dogd has for a rate"):
        bl.dogd(BALL, rate=with_more).resume(state)
    with pytest.raises(StateMismatch, match="another function than <lambda>"):
        bl.dogd(BALL, rate=lambda t: 0.25 / t).resume(state)
    with pytest.raises(StateMismatch, match="another function than halved"):
        bl.dogd(BALL, rate=bl.rates.of_round(halved, name="mine")).resume(state)


def test_other_arguments_are_not_blamed_on_a_function():
    state = answered(bl.dogd(BALL, rate=halved)).state()
    for other in (bl.dogd(bl.Ball(3, radius=2.0), rate=halved), bl.dogd(BALL, rate=0.5)):
        with pytest.raises(StateMismatch, match="dogd with other arguments"):
            other.resume(state)
    with pytest.raises(StateMismatch, match="dogd with other arguments"):
        bl.dogd(BALL, rate=halved).resume(answered(bl.dogd(BALL, rate=0.5)).state())


def with_more(t):
    return 0.5 / t + 0.1


def with_factor(factor):
    return lambda t: factor / t


def test_what_a_function_has_closed_over_is_part_of_it():
    assert bl.dogd(BALL, with_factor(0.5)) == bl.dogd(BALL, with_factor(0.5))
    assert bl.dogd(BALL, with_factor(0.5)) != bl.dogd(BALL, with_factor(0.25))


def test_what_a_function_calls_is_part_of_it(monkeypatch):
    def outer(t):
        return with_factor(0.5)(t)

    before = bl.dogd(BALL, outer).fingerprint
    monkeypatch.setitem(globals(), "with_factor", lambda factor: lambda t: factor / t**2)
    assert bl.dogd(BALL, outer).fingerprint != before


def scaled(power):
    class Scale(NamedTuple):
        size: float

        def __truediv__(self, t):
            return self.size / t**power

    scale = Scale(0.5)
    return lambda t: scale / t


def carrying(factor):
    def rate(t):
        return rate.factor / t

    rate.factor = factor
    return rate


@pytest.mark.parametrize("make", [scaled, carrying], ids=["an operator", "an attribute"])
def test_a_state_is_not_resumed_after_a_change_that_no_name_shows(make):
    state = answered(bl.dogd(BALL, make(0.5))).state()
    bl.dogd(BALL, make(0.5)).resume(state)
    with pytest.raises(StateMismatch, match="another function"):
        bl.dogd(BALL, make(0.25)).resume(state)


def test_a_name_is_vouched_for():
    one, other = (bl.rates.of_round(with_factor(factor), name="mine") for factor in (0.5, 0.25))
    assert bl.dogd(BALL, one) == bl.dogd(BALL, other)
    assert repr(one) == "OfRound(function=mine)"
    assert bl.dogd(BALL, one) != bl.dogd(BALL, bl.rates.of_round(with_factor(0.5), name="another"))


class Schedule:
    def __init__(self, rates):
        self.rates = rates

    def __call__(self, t):
        return self.rates[t - 1]

    def of(self, t):
        return self.rates[t - 1]


TABLE = [0.5, 0.25]


@pytest.mark.parametrize(
    "function",
    [
        Schedule(TABLE),
        Schedule(TABLE).of,
        functools.partial(lambda t, factor: factor / t, factor=0.5),
        lambda t: TABLE[t - 1],
        lambda t, schedule=Schedule(TABLE): schedule(t),  # noqa: B008  # that this is opaque is the point
        math.sqrt,
        lambda t: globals()["TABLE"][t - 1],
    ],
    ids=["object", "method", "partial", "reads a list", "default", "builtin", "reads what it does not name"],
)
def test_a_function_that_cannot_be_looked_into_needs_a_name(function):
    with pytest.raises(InvalidArgument, match=r"`dogd\(rate=.*\)`: cannot be looked into.*rates\.of_round with a name"):
        bl.dogd(BALL, function)
    assert bl.dogd(BALL, bl.rates.of_round(function, name="mine")).name == "dogd"


# --- compiling


def asked(rate, ledger):
    return inverse_rate(rate, ledger)


def test_a_function_runs_as_plain_python_and_nobody_tries_to_compile_it():
    assert not fresh().start().compile()
    with pytest.raises(PlainPython):
        compiled(asked, fresh().policy.arrivals.step.rate, Ledger())


# --- what is refused


@pytest.mark.parametrize("rates", [[], [0.5, 0.0], [0.5, -1.0], [0.5, math.nan], [[0.5]], ["x"], [1e51], [True], None])
def test_what_is_no_list_of_rates(rates):
    with pytest.raises(InvalidArgument, match=r"^`listed\(rates="):
        bl.rates.listed(rates)
    if rates is not None:
        with pytest.raises(InvalidArgument, match=r"^`dogd\(rate="):
            bl.dogd(BALL, rates)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (bl.rates.count_adaptive, "for round 1 raises"),
        (bl.rates.ConstantRate, "gives ConstantRate"),
        (lambda t: 0.0, "gives 0.0 for round 1"),
        (lambda t: "x", "gives 'x' for round 1"),
        (lambda t: None, "gives None for round 1"),
        (lambda: 1.0, "for round 1 raises TypeError"),
    ],
)
def test_what_is_no_function_of_the_round(function, wanted):
    with pytest.raises(InvalidArgument, match=rf"^`dogd\(rate=.*{wanted}"):
        bl.dogd(BALL, function)


def test_what_else_is_refused():
    with pytest.raises(InvalidArgument, match=r"^`of_round\(function=0\.5\)`: must be a function"):
        bl.rates.of_round(0.5)
    with pytest.raises(InvalidArgument, match=r"^`of_round\(name=''\)`: must be a text"):
        bl.rates.of_round(lambda t: 1.0, name="")
    simplex = bl.Simplex(3)
    for wrong in (bl.tunings.dub(simplex), bl.tunings.ada_hedge_d(simplex), "fast", 0.0):
        with pytest.raises(InvalidArgument, match=r"^`hedge\(rate="):
            bl.hedge(simplex, wrong)
    with pytest.raises(InvalidArgument, match=r"^`hedge\(rate=ConstantWeight.*finite weight >= 0"):
        bl.hedge(simplex, ConstantWeight(-1.0))


def test_a_function_that_fails_later_is_an_error_that_changes_nothing():
    player = bl.dogd(BALL, lambda t: 2.5 - t).start()
    for _ in range(3):
        player.ask()
        player.tell([1.0, 0.0, 0.0])
    before = as_bytes(player.state())
    for _ in range(2):
        with pytest.raises(InvalidArgument, match=r"`of_round\(function=<lambda>.*gives -0\.5 for round 3"):
            player.ask()
        assert as_bytes(player.state()) == before
