"""GOLD: against a list that is searched, the heap against sorting, growth, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core.ledger import Ledger
from belated.learners.algorithms import gold as pool
from belated.learners.algorithms.gold import gold
from belated.learners.verbs import begin, enlarged, full, settle
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, RATE, ROUNDS = 0.05, 0.02, 60


def witness(noted, domain, growth):
    """A plain list of what has come, in which the earliest is looked for."""
    c, b = max(3 / 4, 2 / 3 + growth / 3), min(1 / 4, 1 / 3 - growth / 3)
    p, r, x = domain.centre, domain.inner_radius, noted.decisions[0]
    path, waiting = [x], []
    for t, told in noted.arrivals.items():
        waiting += told
        if waiting:
            k = min(waiting)
            waiting.remove(k)
            delta = DELTA * k**-b
            there, here = noted.points[k - 1][0], noted.decisions[k - 1]
            z = (there - here) / delta + (here - p) / r
            x = domain.project(x - RATE * t**-c * domain.hull_dim / delta * noted.values[k][0] * z)
        path.append(x)
    return path


def error(domain, seed, growth=0.0, arrivals_of=late):
    rng = np.random.default_rng(seed)
    noted = run(gold(domain, RATE, DELTA, growth), arrivals_of(ROUNDS, rng), rng)
    return distance(noted.decisions, witness(noted, domain, growth))


def all_at_the_end(rounds, rng):
    """More wait than the pool has room for at first, in any order; then nothing comes."""
    arriving = {t: [] for t in range(1, rounds + 1)}
    arriving[rounds // 2] = [int(k) for k in rng.permutation(rounds // 2) + 1]
    return arriving


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_each_round_uses_the_oldest_estimate_and_no_other(domain):
    for seed in range(2):
        assert error(domain, seed) < 1e-10
        assert error(domain, seed, growth=0.6) < 1e-10
        assert error(domain, seed, arrivals_of=all_at_the_end) < 1e-10
        assert error(domain, seed, arrivals_of=lambda rounds, rng: at_once(rounds)) < 1e-10


def test_without_delay_it_is_descent_by_the_latest_estimate():
    ball, rng = bl.Ball(2), np.random.default_rng(0)
    noted = run(gold(ball, RATE, DELTA), at_once(ROUNDS), rng)
    for t in range(1, ROUNDS + 1):
        delta, x = DELTA * t**-0.25, noted.decisions[t - 1]
        z = (noted.points[t - 1][0] - x) / delta + x
        after = ball.project(x - RATE * t**-0.75 * 2 / delta * noted.values[t][0] * z)
        assert np.allclose(after, noted.decisions[t], rtol=0.0, atol=1e-11)


def newest_first(state):
    last = int(state.pooled[0]) - 1
    newest = max(range(last + 1), key=lambda at: state.rounds[state.places[at]])
    state.places[[newest, last]] = state.places[[last, newest]]
    state.pooled[0] = last
    return int(state.places[last])


def test_using_the_newest_is_noticed(monkeypatch):
    monkeypatch.setattr(pool, "take_oldest", newest_first)
    assert min(error(domain, 0) for domain in DOMAINS) > 1e-4


def test_dividing_by_the_delta_of_the_present_round_is_noticed(monkeypatch):
    def stale(policy, state, ledger, feedback, memo, scratch):
        memo = memo.copy()
        memo[policy.dim] = policy.probe_radius * float(ledger.round) ** -policy.probe_exponent
        pool.receive_pool(policy, state, ledger, feedback, memo, scratch)

    monkeypatch.setitem(pool.receive.implementations, pool.OldestFirst, stale)
    assert min(error(domain, 0) for domain in DOMAINS) > 1e-5


@given(st.lists(st.none() | st.integers(1, 10**15), max_size=80))
def test_the_heap_gives_back_the_earliest(calls):
    """Against a sorted list; ``None`` takes one out."""
    policy = gold(bl.Ball(2), RATE, DELTA).policy
    state, expected = begin(policy, np.zeros(2)), []
    for number in calls:
        if number is None and expected:
            assert state.rounds[pool.take_oldest(state)] == expected.pop(0)
        elif number is not None and number not in expected:
            if full(policy, state, Ledger()):
                state = enlarged(policy, state)
            row = pool.add(state, number)
            expected = sorted([*expected, number])
            assert state.rounds[row] == number
        assert state.pooled[0] == len(expected)
        assert sorted(state.places) == list(range(len(state.places)))


def test_there_is_room_for_all_that_is_in_flight():
    policy = gold(bl.Ball(2), RATE, DELTA).policy
    state = begin(policy, np.zeros(2))
    assert not full(policy, state, Ledger(in_flight=pool.FIRST_ROOM - 1))
    assert full(policy, state, Ledger(in_flight=pool.FIRST_ROOM))
    pool.add(state, 1)
    assert full(policy, state, Ledger(in_flight=pool.FIRST_ROOM - 1))
    state = enlarged(policy, state)
    assert not full(policy, state, Ledger(in_flight=2 * pool.FIRST_ROOM - 2))
    assert state.pooled[0] == 1
    assert state.rounds[state.places[0]] == 1
    before = state.step.decision.copy()
    settle(policy, state, Ledger(round=3))
    assert state.pooled[0] == 0
    assert np.array_equal(before, state.step.decision)  # its estimate was never written: 0


def test_a_saved_run_goes_on_alike_with_a_pool_that_has_grown():
    learner, rng = gold(bl.Ball(2), RATE, DELTA), np.random.default_rng(0)
    player = learner.start()
    for _ in range(50):
        player.ask()
    for k in rng.permutation(50):
        player.tell([float(rng.normal())], round=int(k) + 1)
    player.ask()
    other = learner.resume(player.state())
    for _ in range(60):
        assert np.array_equal(player.ask().points, other.ask().points)


def test_by_hand():
    """On [-1, 1], delta_1 = 1/2: told 3, 1, 2 in round 3, each pulls in the order of play, one a round."""
    player = gold(bl.Box([-1.0], [1.0]), rate=0.125, probe_radius=0.5).start(seed=2)
    plays = [player.ask() for _ in range(3)]
    signs = [float(np.sign(play.point[0])) for play in plays]
    for k in (3, 1, 2):
        player.tell([0.25], round=k)
    x = 0.0
    for k in (1, 2, 3):
        x -= 0.125 * (k + 2) ** -0.75 * signs[k - 1] * 0.25 / (0.5 * k**-0.25)
        assert player.ask().decision == pytest.approx(x, rel=1e-14)
    assert player.ask().decision == pytest.approx(x, rel=1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": 0.0}, "`gold\\(rate=0.0\\)`: must be > 0"),
        ({"probe_radius": 1.0}, "probe_radius=1.0"),
        ({"delay_growth": -0.1}, "must be >= 0"),
        ({"delay_growth": 1.0}, "must be < 1"),
        ({"domain": None}, "must be a domain"),
        ({"domain": bl.Halfspace([1.0, 0.0], 1.0)}, "must be bounded"),
    ],
)
def test_misuse(arguments, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        gold(**({"domain": bl.Ball(2), "rate": 0.1, "probe_radius": 0.1} | arguments))
