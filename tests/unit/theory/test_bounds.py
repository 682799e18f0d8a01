"""The bounds as functions: against the formulas written out naively, at the edges, and with bad arguments."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument
from belated.delays import NEVER
from belated.theory import reading
from belated.theory.statement import Lacks, Setting
from support import bounds

any_delays = st.lists(st.integers(1, 6) | st.integers(1, 60) | st.just(NEVER), min_size=1, max_size=30)
constants = st.floats(0.05, 20.0)


def cut(delays):
    return [min(d, len(delays) - t) for t, d in enumerate(delays)]


def arrived_at(delays):
    """|F_1|, ..., |F_T| when nothing may come later than T."""
    return [sum(k + d - 1 == t for k, d in enumerate(cut(delays), start=1)) for t in range(1, len(delays) + 1)]


def naive_theorem_1(delays, beta, radius, steep):
    first = next(f for f in arrived_at(delays) if f > 0)
    d = max(cut(delays))
    return (4 * beta * radius * steep + 5 * steep**2) * d / beta * (1 + math.log(len(delays) / first))


def naive_certificate(delays, beta, radius, steep):
    """As in the paper's proof: a double sum over feedbacks and the rounds in which each is on its way."""
    arrived = arrived_at(delays)
    h = [beta / 2 * sum(arrived[: t + 1]) for t in range(len(arrived))]
    drift = sum(arrived[i] / h[i] for t, d in enumerate(cut(delays)) for i in range(t, t + d - 1) if arrived[i])
    squares = sum(f**2 / (2 * h[t]) for t, f in enumerate(arrived) if f)
    return (beta * radius * steep + steep**2) * drift + steep**2 * squares


@given(any_delays)
@example([1])
@example([NEVER])
@example([NEVER] * 5)
@example([5, 4, 3, 2, 1])
def test_counts_follow_their_definitions(delays):
    found = bounds.counts(delays)
    assert found.rounds == len(delays)
    assert found.longest == max(cut(delays))
    assert found.arrived.tolist() == arrived_at(delays)
    rounds = range(1, len(delays) + 1)
    on_the_way = [sum(k + d - 1 > t for k, d in enumerate(cut(delays)[:t], start=1)) for t in rounds]
    assert found.in_flight.tolist() == on_the_way
    assert found.first_arrivals == next(f for f in arrived_at(delays) if f)


@given(any_delays, constants, constants, constants)
@example([1], 1.0, 1.0, 1.0)
@example([NEVER] * 4, 1.0, 1.0, 1.0)
def test_theorem_1_and_the_certificate_are_their_formulas(delays, beta, radius, steep):
    arguments = (delays, beta, radius, steep)
    assert bounds.theorem_1(*arguments) == pytest.approx(naive_theorem_1(*arguments), rel=1e-12)
    assert bounds.certificate(*arguments) == pytest.approx(naive_certificate(*arguments), rel=1e-12)


@given(any_delays.filter(lambda d: len(d) > 1), *[constants] * 4, st.integers(1, 30), st.floats(0.01, 1.0))
def test_theorems_2_and_3_are_their_formulas(delays, beta, inner, steep, smooth, n, part):
    """Theorem 3 with the c that its printed last term lacks."""
    rounds, radius = len(delays), 2.5 * inner
    c = part * 0.999 * inner * rounds / math.log(rounds)
    log, delta = math.log(rounds), c * math.log(rounds) / rounds
    estimated = steep + math.sqrt(n) * smooth * delta / 2
    second = math.sqrt(n) * c * smooth * radius * log + c * steep * radius * log / inner + c * steep * log
    third = 3 * c * steep * log + c * radius * steep * log / inner
    assert bounds.theorem_2(delays, beta, radius, inner, steep, smooth, n, c) == pytest.approx(
        naive_theorem_1(delays, beta, radius, estimated) + second, rel=1e-12
    )
    assert bounds.theorem_3(delays, beta, radius, inner, steep, n, c) == pytest.approx(
        naive_theorem_1(delays, beta, radius, 2 * steep + steep * n) + third, rel=1e-12
    )


@given(any_delays, *[constants] * 4, st.integers(1, 30), st.floats(0.01, 0.99))
@example([1], 1.0, 1.0, 1.0, 1.0, 1, 0.5)
def test_theorems_2_and_3_take_any_probe_radius(delays, beta, inner, steep, smooth, n, part):
    """Wherever c ln T stands there is delta T in the proofs; a single round will do."""
    delta, radius, known = part * inner, 2.5 * inner, {"strong_convexity": beta, "inner_radius": inner}
    known |= {"radius": radius, "lipschitz": steep, "dim": n, "probe_radius": delta}
    looking = math.sqrt(n) * smooth * radius + steep * radius / inner + steep
    assert bounds.theorem_2(delays, smoothness=smooth, **known) == pytest.approx(
        naive_theorem_1(delays, beta, radius, steep + math.sqrt(n) * smooth * delta / 2)
        + looking * delta * len(delays),
        rel=1e-12,
    )
    assert bounds.theorem_3(delays, **known) == pytest.approx(
        naive_theorem_1(delays, beta, radius, 2 * steep + steep * n)
        + (3 * steep + radius * steep / inner) * delta * len(delays),
        rel=1e-12,
    )


@pytest.mark.parametrize("theorem", ["theorem_2", "theorem_3"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"probe_radius": 0.5}, r"probe_radius=0.5\)`: must be < the inner radius 0.5"),
        ({"probe_radius": 0.0}, "probe_radius="),
        ({"probe_radius": math.nan}, "probe_radius="),
        ({"probe_radius": 0.1, "scale": 0.9}, r"scale=0.9\)`: must not be given along with probe_radius"),
    ],
)
def test_a_wrong_probe_radius_is_refused(theorem, wrong, message):
    arguments = {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 0.5, "lipschitz": 1.0, "dim": 2}
    arguments |= {"smoothness": 1.0} if theorem == "theorem_2" else {}
    with pytest.raises(InvalidArgument, match=rf"^`{theorem}\({message}"):
        getattr(bounds, theorem)([1, 2], **arguments, **wrong)


@given(any_delays.filter(lambda d: NEVER not in d))
def test_cutting_delays_off_at_the_end_never_makes_theorem_1_larger(delays):
    """The formula with the delays as they are, arrivals after T included, is at least what we report."""
    arrivals = [k + d - 1 for k, d in enumerate(delays, start=1)]
    first = arrivals.count(min(arrivals))
    whole = 9 * max(delays) * (1 + math.log(len(delays) / first))
    assert bounds.theorem_1(delays, 1.0, 1.0, 1.0) <= whole * (1 + 1e-12)


def test_one_round():
    """1 + ln 1 = 1 and d = 1; of the certificate only L^2 / (2 h) is left, h = beta / 2."""
    for delays in ([1], [7], [NEVER]):
        assert bounds.theorem_1(delays, 2.0, 1.0, 3.0) == (4 * 2.0 * 3.0 + 5 * 9.0) / 2.0
        assert bounds.certificate(delays, 2.0, 1.0, 3.0) == 9.0 / 2.0


def test_feedback_that_never_comes_counts_as_coming_at_the_end():
    """All of it: one burst of T at T, so d = T, no logarithm, and the certificate is L^2 T / beta."""
    assert bounds.theorem_1([NEVER] * 6, 2.0, 1.0, 3.0) == pytest.approx((24 + 45) * 6 / 2)
    assert bounds.certificate([NEVER] * 6, 2.0, 1.0, 3.0) == pytest.approx(9.0 * 6 / 2)


def test_without_delay_the_certificate_has_no_drift():
    """What is left is (L^2 / beta) sum_t 1/t, twice the classical bound, since the rate is twice the classical one."""
    harmonic = sum(1 / t for t in range(1, 51))
    assert bounds.certificate([1] * 50, 2.0, 7.0, 3.0) == pytest.approx(9.0 / 2.0 * harmonic, rel=1e-13)


@pytest.mark.parametrize("theorem", ["theorem_2", "theorem_3"])
def test_one_round_leaves_nothing_to_probe(theorem):
    arguments = {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "dim": 2}
    arguments |= {"smoothness": 1.0} if theorem == "theorem_2" else {}
    with pytest.raises(InvalidArgument, match=rf"^`{theorem}\(delays=\[4\]\)`: must be of >= 2 rounds: ln T / T is 0"):
        getattr(bounds, theorem)([4], **arguments)
    assert math.isfinite(getattr(bounds, theorem)([4, 4], **arguments))


@pytest.mark.parametrize("theorem", ["theorem_2", "theorem_3"])
def test_probes_must_fit_into_the_domain(theorem):
    """ln T / T is largest at T = 3 among whole numbers, so c < 3 r / ln 3 = 2.73 r fits whatever T is."""
    arguments = {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 0.5, "lipschitz": 1.0, "dim": 2}
    arguments |= {"smoothness": 1.0} if theorem == "theorem_2" else {}
    limit = 0.5 * 3 / math.log(3)
    for rounds in [*range(2, 200), 5000]:
        assert math.isfinite(getattr(bounds, theorem)([1] * rounds, **arguments, scale=limit * (1 - 1e-12)))
    with pytest.raises(InvalidArgument, match=rf"^`{theorem}\(scale=.*must make scale \* ln T / T = 0.5.* < the inner"):
        getattr(bounds, theorem)([1] * 3, **arguments, scale=limit * (1 + 1e-12))


ARGUMENTS = {
    "theorem_1": {"strong_convexity": 1.0, "radius": 1.0, "lipschitz": 1.0},
    "certificate": {"strong_convexity": 1.0, "radius": 1.0, "lipschitz": 1.0},
    "theorem_2": {
        "strong_convexity": 1.0,
        "radius": 1.0,
        "inner_radius": 1.0,
        "lipschitz": 1.0,
        "smoothness": 1.0,
        "scale": 1.0,
    },
    "theorem_3": {"strong_convexity": 1.0, "radius": 1.0, "inner_radius": 1.0, "lipschitz": 1.0, "scale": 1.0},
}
DIMS = {"theorem_2": {"dim": 3}, "theorem_3": {"dim": 3}}


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, "1", None])
@pytest.mark.parametrize(("name", "argument"), [(name, each) for name, given in ARGUMENTS.items() for each in given])
def test_constants_must_be_positive_and_the_message_names_the_call(name, argument, value):
    arguments = ARGUMENTS[name] | DIMS.get(name, {}) | {argument: value}
    with pytest.raises(InvalidArgument, match=rf"^`{name}\({argument}="):
        getattr(bounds, name)([1, 2, 3], **arguments)


@pytest.mark.parametrize("dim", [0, 2.0, None])
@pytest.mark.parametrize("name", DIMS)
def test_the_dimension_must_be_a_positive_whole_number(name, dim):
    with pytest.raises(InvalidArgument, match=rf"^`{name}\(dim="):
        getattr(bounds, name)([1, 2, 3], **ARGUMENTS[name], dim=dim)


@pytest.mark.parametrize("delays", [[], [0, 1], [1.5], [[1]], None, [NEVER + 1]])
@pytest.mark.parametrize("name", ARGUMENTS)
def test_delays_must_be_whole_and_at_least_one(name, delays):
    with pytest.raises(InvalidArgument, match=rf"^`{name}\(delays="):
        getattr(bounds, name)(delays, **ARGUMENTS[name], **DIMS.get(name, {}))


def test_delays_may_be_an_array_of_any_whole_type():
    for kind in (np.int32, np.uint8, np.int64):
        assert bounds.theorem_1(np.array([2, 1, 3], dtype=kind), 1.0, 1.0, 1.0) == bounds.theorem_1(
            [2, 1, 3], 1.0, 1.0, 1.0
        )


def test_delays_of_some_rounds_only_are_refused():
    """A long simulation records few rounds: its delays look like those of a short run, and are not."""
    learners, problem = {"a": bl.dogd_sc(bl.Ball(2), 2.0)}, bl.problems.RandomQuadratic(2)
    result = bl.simulate(learners, problem, bl.delays.Fixed(2), 30, [0], record=[3, 9])
    with pytest.raises(InvalidArgument, match=r"^`counts\(delays=.*\)`: must have every round of the run"):
        bounds.counts(result.delays.sel(seed=0))
    whole = bl.simulate(learners, problem, bl.delays.Fixed(2), 30, [0])
    assert bounds.counts(whole.delays.sel(seed=0)).rounds == 30


def test_a_series_with_missing_rounds_is_refused_too():
    """By its index, whether that is of rounds alone or has other levels; other series have no labels."""
    rounds = pd.RangeIndex(1, 7, name="round")
    series = pd.Series([1, 2, 1, 3, 1, 1], index=rounds, name="delays")
    assert bounds.counts(series).rounds == 6
    both = pd.concat({0: series}, names=["seed"])
    assert bounds.counts(both).rounds == 6
    bound = bl.bounds.of(bl.dogd_sc(bl.Ball(2), 2.0), bl.problems.RandomQuadratic(2))
    assert bound.value(series) == bound.value(both) == bound.value(series.tolist())
    for thin in (series[::2], both[::2], series[::-1]):
        for value in (bounds.counts, bound.value, bound.curve):
            with pytest.raises(InvalidArgument, match="must have every round of the run"):
                value(thin)
    assert bounds.counts(series[::2].reset_index(drop=True)).rounds == 3


@pytest.mark.parametrize(
    "wrong", [(1.0, np.nan, 2.0), (-1.0, 1.0, 1.0), (np.nan, 1.0, 1.0), (1.0, 1.0, None), (1.0, True, 1.0), ("1", 1, 1)]
)
def test_constants_that_are_no_numbers_from_0_on_prove_nothing(wrong):
    with pytest.raises(InvalidArgument, match=r"^`bounds.of\(problem=.*must have a \w+ that is a number from 0 on"):
        bl.bounds.of(bl.dogd_sc(bl.Ball(2), 1.0), bl.losses.Constants(*wrong))
    with pytest.raises(InvalidArgument, match="a number from 0 on"):
        bl.bounds.lower(bl.losses.Constants(*wrong), bl.Ball(2))


def test_numbers_that_cannot_be_compared_prove_nothing():
    learner, start = bl.dogd_sc(bl.Ball(2), 1.0), np.zeros(2)
    setting = Setting(learner, bl.losses.Constants(2.0, np.nan, 1.0), start)
    with pytest.raises(Lacks):
        reading.told_convexity(setting, 1.0)
    with pytest.raises(Lacks):
        reading.told_lipschitz(setting, np.nan)


def test_a_problem_that_tells_no_constants_is_refused():
    problem = SimpleNamespace(constants=lambda domain: (1.0, 1.0, 1.0))
    with pytest.raises(InvalidArgument, match=r"must tell losses.Constants, and tells \(1.0, 1.0, 1.0\)"):
        bl.bounds.of(bl.dogd_sc(bl.Ball(2), 1.0), problem)


@pytest.mark.parametrize("wrong", [{"statement": ["x"]}, {"statement": 5}, {"domain": "x"}])
def test_arguments_of_another_kind_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(InvalidArgument, match=rf"^`bounds.of\({name}=.*\)`: must be") as raised:
        bl.bounds.of(bl.dogd_sc(bl.Ball(2), 2.0), bl.problems.RandomQuadratic(2), **wrong)
    assert raised.value.argument == name
