"""Leaders against the definition: every decision minimises what has been received, with the weight that counts give."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument
from belated.learners.parts.rates import weights
from belated.learners.parts.steps import leader

FIRST = np.full(10, 10**-0.5)


def played(learner, delays, rows, initial, regulariser=0.0):
    """Decisions, and the gradients told (of |x|^2 + row.x, less the regulariser's), of a run with these delays."""
    player, due, decisions, gradients = learner.start(initial), {}, [], []
    for t, (row, delay) in enumerate(zip(rows, delays, strict=True), start=1):
        decisions.append(player.ask().decision)
        gradients.append((2.0 - regulariser) * decisions[-1] + row)
        due.setdefault(t + delay - 1, []).append(t)
        for number in due.get(t, []):
            player.tell(gradients[number - 1], round=number)
    return np.array(decisions), np.array(gradients)


def received_before(t, delays):
    return [s for s in range(1, t) if s + delays[s - 1] - 1 < t]


def missing_at(t, delays):
    return t - 1 - len(received_before(t, delays))


def naive_balance(charges, curvature, reach):
    """a_t for all rounds, each found by bisection."""
    spent, found = 0.0, []
    for t, charge in enumerate(charges, start=1):
        low, high = 0.0, 1.0
        while high * reach < spent + charge / (curvature * t + high):
            high *= 2.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            if middle * reach < spent + charge / (curvature * t + middle):
                low = middle
            else:
                high = middle
        found.append(high)
        spent += charge / (curvature * t + high)
    return found


DELAYS = st.lists(st.one_of(st.integers(1, 4), st.integers(1, 30), st.just(10**9)), min_size=1, max_size=30)


@pytest.mark.parametrize("radius", [0.3, 5.0])
@given(DELAYS, st.integers(0, 99), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_decisions_are_the_minimisers_of_what_was_received(radius, delays, seed, dim):
    """The lowest point of (H / 2) |x|^2 + z.x over a ball about 0 is -z / H, pulled in."""
    rng, ball = np.random.default_rng(seed), bl.Ball(dim, radius=radius)
    rows, start = rng.uniform(-2.0, 2.0, (len(delays), dim)), np.full(dim, radius / (2.0 * math.sqrt(dim)))
    sigmas = [missing_at(t, delays) for t in range(1, len(delays) + 1)]
    late = [3.0 + (3.0 + 2.0 * 2.0 * radius) * sigma for sigma in sigmas]
    composite = [0.5 * 9.0 + 0.5 * (3.0 + 0.5 * radius) * 3.0 * sigma for sigma in sigmas]
    cases = {
        "dda": (bl.dda(ball, lipschitz=3.0), 0.0),
        "ftdl": (bl.ftdl(ball, strong_convexity=2.0), 0.0),
        "curvature_ftrl": (bl.curvature_ftrl(ball, strong_convexity=2.0, lipschitz=3.0), 0.0),
        "composite_ftrl": (bl.composite_ftrl(ball, regulariser=0.5), 0.5),
        "cautious": (bl.composite_ftrl(ball, regulariser=0.5, lipschitz=3.0, caution=0.5), 0.5),
    }
    balanced = naive_balance([3.0 * charge for charge in late], 2.0, 0.5 * radius**2)
    held = naive_balance(composite, 0.5, 0.5 * radius**2)
    for name, (learner, regulariser) in cases.items():
        decisions, gradients = played(learner, delays, rows, start, regulariser)
        for t in range(1, len(delays) + 1):
            before = received_before(t, delays)
            expected = start
            if before:
                total = gradients[[s - 1 for s in before]].sum(axis=0)
                surrogates = total - 2.0 * decisions[[s - 1 for s in before]].sum(axis=0)
                weight = math.sqrt(2.0) * 3.0 / radius * math.sqrt(sum(1 + 2 * sigma for sigma in sigmas[:t]))
                slope, height = {
                    "dda": (total - weight * start, weight),
                    "ftdl": (surrogates, 2.0 * len(before)),
                    "curvature_ftrl": (surrogates - balanced[t - 1] * start, 2.0 * len(before) + balanced[t - 1]),
                    "composite_ftrl": (total, 0.5 * t),
                    "cautious": (total, 0.5 * t + held[t - 1]),
                }[name]
                lowest = -slope / height
                expected = lowest * min(1.0, radius / max(np.linalg.norm(lowest), 1e-300))
            np.testing.assert_allclose(decisions[t - 1], expected, rtol=1e-9, atol=1e-12, err_msg=f"{name}, {t}")


def test_without_delay_ftdl_follows_the_leader_and_dogd_sc_takes_twice_its_steps():
    """Far from the boundary, FTL on these bowls is descent at rate 1 / (beta t): OGD-SC, bit for bit up to rounding."""
    rows, ball = np.random.default_rng(1).uniform(-1.0, 1.0, (40, 3)), bl.Ball(3, radius=50.0)
    leading, _ = played(bl.ftdl(ball, 2.0), [1] * 40, rows, np.ones(3))
    stepping, _ = played(bl.ogd_sc(ball, 2.0), [1] * 40, rows, np.ones(3))
    np.testing.assert_allclose(leading, stepping, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (bl.ftdl(bl.Ball(10), strong_convexity=2.0), (9.96, 23.14)),
        (bl.composite_ftrl(bl.Ball(10), regulariser=2.0), (7.38, 16.78)),
        (bl.dogd(bl.Ball(10), bl.rates.count_adaptive(bl.Ball(10), 2.0 + 10.0**0.5)), (13.33, 31.12)),
        (bl.khashabi(bl.Ball(10), strong_convexity=2.0), (12.21, 28.58)),
    ],
)
def test_the_setting_of_the_paper(learner, expected):
    problem = bl.problems.RandomQuadratic(10)
    for factor, mean in zip((1, 10), expected, strict=True):
        law = bl.delays.Periodic([factor * delay for delay in (2, 3, 2, 1, 4, 1, 3)])
        result = bl.simulate({"it": learner}, problem, law, 1000, range(20), initial=FIRST)
        assert float(result.regret.mean()) == pytest.approx(mean, abs=0.01)


def test_the_balance_holds_also_where_the_formula_cancels():
    for curvature, reach, own in [(1e6, 0.5, 1e-6), (1e-9, 0.5, 9.0), (2.0, 1e-4, 100.0)]:
        spent, weight = np.zeros(1), weights.Balanced(curvature, reach, own, 0.0)
        found = []
        for t in range(1, 30):
            found.append(weights.weigh(weight, spent, bl.core.ledger.Ledger(round=t)))
        np.testing.assert_allclose(found, naive_balance([own] * 29, curvature, reach), rtol=1e-9)
        assert all(later >= earlier * (1 - 1e-12) for earlier, later in pairwise(found))


@pytest.mark.parametrize("bug", ["counts rounds received for rounds played", "forgets the anchor", "stays at rest"])
def test_wrong_leaders_are_noticed(bug, monkeypatch):
    if bug == "counts rounds received for rounds played":
        broken = lambda bowl, ledger: bowl.curvature * ledger.received  # noqa: E731  # a mutant of one line
        monkeypatch.setitem(leader.bend.implementations, leader.Known, broken)
    elif bug == "forgets the anchor":
        original = leader.begin_leader
        monkeypatch.setitem(
            leader.begin.implementations,
            leader.Leader,
            lambda step, initial: original(step, initial)._replace(anchor=np.zeros(initial.size)),
        )
    else:
        monkeypatch.setitem(leader.rest.implementations, leader.Leader, lambda step, state, ledger: None)
    with pytest.raises(AssertionError):
        test_decisions_are_the_minimisers_of_what_was_received.hypothesis.inner_test(5.0, [1, 3, 9, 1, 1, 1, 9], 3, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bl.dda(bl.Euclidean(2), 1.0), r"`dda\(domain=.*must be bounded"),
        (lambda: bl.dda(bl.Ball(2), 0.0), r"`dda\(lipschitz=0.0\)`: must be > 0"),
        (lambda: bl.curvature_ftrl(bl.Euclidean(2), 1.0, 1.0), "must be bounded"),
        (lambda: bl.composite_ftrl(bl.Ball(2), 1.0, 1.0, caution=1.5), r"`composite_ftrl\(caution=1.5\)`"),
        (lambda: bl.composite_ftrl(bl.Euclidean(2), 1.0, 1.0), "must be bounded"),
        (lambda: bl.ftdl(None, 1.0), r"`ftdl\(domain=None\)`"),  # type: ignore[arg-type]  # the point of it
    ],
)
def test_bad_arguments_are_refused(make, message):
    with pytest.raises(InvalidArgument, match=message):
        make()
