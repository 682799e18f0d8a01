"""Two descents in windows, against their definition and against each of them living alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.errors import InvalidArgument, RoundRequired
from belated.learners.algorithms import shamir_szlak as windows
from belated.learners.algorithms.ogd import ogd
from belated.learners.algorithms.shamir_szlak import Windows, shamir_szlak
from belated.learners.algorithms.solid import solid
from belated.learners.verbs import play, receive
from support.naive import rounds_arriving
from support.strategies import delay_sequences, seeds

ROUNDS = 30
SMALL_STEPS = 8.0
"""A Lipschitz constant with which the ball's boundary is reached now and then."""


def gradients(seed, dim, rounds=ROUNDS):
    return np.random.default_rng(seed).uniform(-4.0, 4.0, (rounds, dim))


def played(learner, rows, delays, start=None):
    """Decisions on losses <row, x> + |x|^2 / 2, whose gradients depend on what was played."""
    player, points, told = learner.start(start), [], {}
    for t, row in enumerate(rows, start=1):
        points.append(player.ask().point)
        told[t] = row + points[-1]
        for k in rounds_arriving(delays, t):
            player.tell(told[k], round=k)
    return np.array(points)


def witness(rows, delays, delay, window, lipschitz, domain, start):
    """Who plays and who learns, round by round, from the definition."""
    lag, size = delay - 1, domain.diameter / lipschitz
    where = {"a": np.array(start), "b": np.array(start)}
    steps, points, told, kept = {"a": 0, "b": 0}, [], {}, set()
    slowness = {"a": np.sqrt(1 + 2 * lag), "b": 1.0}

    def taught(who, k):
        steps[who] += 1
        rate = size / (slowness[who] * np.sqrt(steps[who]))
        where[who] = domain.project(where[who] - rate * told[k])

    for t, row in enumerate(rows, start=1):
        place, block = (t - 1) % window + 1, (t - 1) // window
        points.append(where["a" if place <= lag else "b"])
        told[t] = row + points[-1]
        for k in rounds_arriving(delays, t):
            if (k - 1) % window + 1 <= lag:
                due = {k} if k + window <= t else {k - window} & kept
                for each in due:
                    taught("a", each)
                kept = (kept | {k}) - due
            if (k - 1) // window == block:
                taught("b", k)
        if t - window in kept:
            taught("a", t - window)
            kept.remove(t - window)
    return np.array(points)


def worst_error(dim, delays, delay, window, seed, box=False):
    domain = bl.Box([-0.5] * dim, [1.0] * dim) if box else bl.Ball(dim)
    rows, start = gradients(seed, dim, len(delays)), np.full(dim, 0.1)
    learner = shamir_szlak(domain, delay, window, SMALL_STEPS)
    expected = witness(rows, delays, delay, window, SMALL_STEPS, domain, start)
    return np.abs(played(learner, rows, delays, start) - expected).max()


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 9), st.booleans(), seeds)
def test_with_the_delay_that_it_is_for_it_is_the_definition(dim, delay, longer, box, seed):
    assert worst_error(dim, [delay] * ROUNDS, delay, delay + longer, seed, box) < 1e-12


@settings(max_examples=30)
@given(delay_sequences(ROUNDS), st.integers(1, 6), st.integers(0, 9), seeds)
def test_and_with_any_other(delays, delay, longer, seed):
    assert worst_error(3, delays, delay, delay + longer, seed) < 1e-12


@pytest.mark.parametrize("window", [1, 7, 10**9])
def test_without_delay_it_is_gradient_descent(window):
    rows, now = gradients(1, 3), [1] * ROUNDS
    plain = played(ogd(bl.Ball(3), SMALL_STEPS), rows, now)
    assert played(shamir_szlak(bl.Ball(3), 1, window, SMALL_STEPS), rows, now).tobytes() == plain.tobytes()


@pytest.mark.parametrize(("delay", "window"), [(3, 9), (3, 4), (4, 5), (2, 2)])
def test_each_of_the_two_is_descent_on_the_feedback_that_it_gets(delay, window):
    """As if it had been told of nothing else, in the same rounds; its rate counts steps, as SOLID makes OGD's."""
    lag, rows, domain = delay - 1, gradients(2, 3, 40), bl.Ball(3)
    player = shamir_szlak(domain, delay, window, SMALL_STEPS).start()
    early = solid(ogd(domain, SMALL_STEPS * np.sqrt(1 + 2 * lag))).start()
    late = solid(ogd(domain, SMALL_STEPS)).start()
    heard = {"early": 0, "late": 0}
    for t in range(1, len(rows) + 1):
        ours, one, other = player.ask().point, early.ask().point, late.ask().point
        place = (t - 1) % window
        assert np.array_equal(ours, one if place < lag else other)
        k = t - lag
        if k >= 1:
            player.tell(rows[k - 1], round=k)
            if place < lag and t > window:  # the round at this place of the window before
                early.tell(rows[t - window - 1])
                heard["early"] += 1
            if place >= lag:  # round k is of the same window
                late.tell(rows[k - 1])
                heard["late"] += 1
    assert heard["late"] == sum((t - 1) % window >= lag for t in range(1, 41))
    assert heard["early"] > 0


def test_five_rounds_by_hand():
    """Tau = 1, M = 3, Dm = L = 2: a plays rounds 1, 4, 7 and learns from 1 after 4; b the others, from 1, 2, 4, 5."""
    player = shamir_szlak(bl.Ball(1), delay=2, window=3, lipschitz=2.0).start()
    points = []
    for t in range(1, 8):
        points.append(float(player.ask().point[0]))
        if t > 1:
            player.tell([0.25], round=t - 1)
    a = -0.25 / np.sqrt(3.0)
    b = -0.25 * np.cumsum([0.0, 1.0, 2**-0.5, 3**-0.5])
    assert points == pytest.approx([0.0, 0.0, b[1], 0.0, b[2], b[3], a], rel=1e-14)


def at_once(policy, state, ledger, feedback, memo, scratch):
    """A plausible mistake: the first of the two does not wait for the next window."""
    early = int(memo[0]) % policy.window <= policy.lag and int(memo[0]) % policy.window > 0
    if early:
        receive(policy.first, state.first, ledger, feedback, memo[:0], scratch)
    windows.receive_windows(policy._replace(lag=0), state, ledger, feedback, memo, scratch)


def everybody_learns(policy, state, ledger, feedback, memo, scratch):
    """Another: the second of the two takes what comes after the window, too."""
    at_home = ledger._replace(round=int(memo[0]))
    windows.receive_windows(policy, state, at_home, feedback, memo, scratch)


def own_rounds_only(policy, state, ledger, feedback, memo, scratch):
    """Another: the second learns from nothing but what it has played itself."""
    if (int(memo[0]) - 1) % policy.window < policy.lag:
        ledger = ledger._replace(round=ledger.round + policy.window)
    windows.receive_windows(policy, state, ledger, feedback, memo, scratch)


def one_round_early(policy, state, ledger, desk):
    """And another: windows that begin with round 0."""
    windows.play_windows(policy, state, ledger._replace(round=ledger.round + 1), desk)
    desk.memo[0] = ledger.round


@pytest.mark.parametrize(
    ("verb", "mutant"),
    [(receive, at_once), (receive, everybody_learns), (receive, own_rounds_only), (play, one_round_early)],
)
def test_wrong_windows_are_noticed(verb, mutant, monkeypatch):
    assert worst_error(3, [3] * ROUNDS, 3, 7, 0) < 1e-12
    monkeypatch.setitem(verb.implementations, Windows, mutant)
    assert worst_error(3, [3] * ROUNDS, 3, 7, 0) > 1e-3


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"delay": 0}, r"`shamir_szlak\(delay=0\)`: must be >= 1"),
        ({"window": 0}, r"`shamir_szlak\(window=0\)`: must be >= 1"),
        ({"window": 2}, r"`shamir_szlak\(window=2\)`: must be >= the delay 3"),
        ({"lipschitz": 0.0}, r"`shamir_szlak\(lipschitz=0.0\)`: must be > 0"),
        ({"domain": bl.Euclidean(2)}, "must be bounded"),
    ],
)
def test_misuse_fails_at_construction(arguments, match):
    with pytest.raises(InvalidArgument, match=match):
        shamir_szlak(**{"domain": bl.Ball(2), "delay": 3, "window": 5, "lipschitz": 1.0} | arguments)


def test_the_round_is_needed():
    player = shamir_szlak(bl.Ball(1), delay=2, window=3, lipschitz=2.0).start()
    player.ask()
    with pytest.raises(RoundRequired):
        player.tell([1.0])
