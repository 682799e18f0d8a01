"""Adaptive revision: against the published statements in NumPy, and the identities that it has."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.domains import Box, Euclidean
from belated.learners.algorithms.adaptive_revision import Revision, adaptive_revision, receive_revision
from belated.learners.verbs import receive
from support.runs import arrivals_by_round
from support.strategies import delay_sequences, domains, seeds
from support.told import decisions, latest_first, quadratic

ROUNDS, SCALE = 12, 0.7
EXAMPLES = 20
magnitudes = st.sampled_from([0.3, 1.0, 20.0])


def naive(gradient, delays, domain, start, scale, order=list):
    """One array operation for each published statement."""
    x, z, largest, total = np.array(start), np.ones(len(start)), np.ones(len(start)), np.zeros(len(start))
    arrived, told, snapshot, seen = arrivals_by_round(delays), {}, {}, [np.array(start)]
    for t in range(1, len(delays) + 1):
        told[t], snapshot[t] = gradient(t, seen[-1]), total.copy()
        for k in order(arrived[t]):
            g = told[k]
            g_bck = total - snapshot[k]
            eta_old = scale / np.sqrt(largest)
            z = z + g**2 + 2 * g * g_bck
            largest = np.maximum(z, largest)
            eta = scale / np.sqrt(largest)
            x = x - eta * g + (eta_old - eta) * g_bck
            total = total + g
        seen.append(domain.project(x) if arrived[t] else seen[-1])
    return np.array(seen)


def rows_of(seed, dim, magnitude=1.0, rounds=ROUNDS):
    return np.random.default_rng(seed).uniform(-1, 1, (rounds, dim)) * magnitude


def agrees(domain, delays, rows, order=list):
    gradient, start = quadratic(rows), domain.centre
    ours = decisions(adaptive_revision(domain, SCALE), gradient, delays, order=order)
    theirs = naive(gradient, delays, domain, start, SCALE, order)
    return np.allclose(ours, theirs, rtol=0.0, atol=1e-10)


@settings(max_examples=EXAMPLES)
@given(
    st.integers(2, 6).flatmap(domains), delay_sequences(ROUNDS), seeds, magnitudes, st.sampled_from([list, reversed])
)
def test_it_is_the_published_statements(domain, delays, seed, magnitude, order):
    assert agrees(domain, delays, rows_of(seed, domain.dim, magnitude), lambda rounds: list(order(rounds)))


@settings(max_examples=EXAMPLES)
@given(delay_sequences(ROUNDS), seeds)
def test_in_one_dimension_too(delays, seed):
    assert agrees(Box([-1.0], [2.0]), delays, rows_of(seed, 1, 5.0))


@settings(max_examples=EXAMPLES)
@given(seeds, magnitudes)
def test_without_delay_it_is_descent_with_a_root_of_squares(seed, magnitude):
    """Nothing is ever in between, so nothing is revised."""
    rows = rows_of(seed, 3, magnitude)
    seen = decisions(adaptive_revision(Euclidean(3), SCALE), quadratic(rows), [1] * ROUNDS)
    x, squares = np.zeros(3), np.ones(3)
    for t in range(ROUNDS):
        assert np.array_equal(seen[t], x)
        g = 2.0 * x + rows[t]
        squares = squares + g * g
        x = x - SCALE / np.sqrt(squares) * g


@settings(max_examples=EXAMPLES)
@given(delay_sequences(ROUNDS), seeds)
def test_coordinates_do_not_know_of_each_other(delays, seed):
    box, rows = Box.example(4), rows_of(seed, 4, 3.0)
    together = decisions(adaptive_revision(box, SCALE), quadratic(rows), delays)
    for i in range(4):
        alone = Box([box.lower[i]], [box.upper[i]])
        seen = decisions(adaptive_revision(alone, SCALE), quadratic(rows[:, i : i + 1]), delays)
        assert np.array_equal(seen[:, 0], together[:, i])


def test_a_trajectory_by_hand():
    """Gradients 2, 2 and -3; the last two come together, that of round 3 first. z is 1, 5, 14 and 14 again."""
    player = adaptive_revision(Euclidean(1), scale=1.0).start()
    for _ in range(2):
        player.ask()
    player.tell([2.0], round=1)
    assert player.ask().point[0] == -2.0 / np.sqrt(5.0)
    player.tell([-3.0], round=3)  # nothing has come since round 3: z = 5 + 9 = 14
    player.tell([2.0], round=2)  # 2 and -3 have: b = -1, and z = 14 + 4 - 4 does not grow
    assert player.ask().point[0] == pytest.approx(
        -2.0 / np.sqrt(5.0) + 3.0 / np.sqrt(14.0) - 2.0 / np.sqrt(14.0), abs=1e-15
    )
    assert player.state()["policy.weight"] == 14.0


def test_the_weight_may_fall_and_the_rate_does_not_rise():
    player = adaptive_revision(Euclidean(1), scale=1.0).start()
    for _ in range(3):
        player.ask()
    player.tell([3.0], round=1)
    player.tell([-1.0], round=2)  # 1 + 9, and then 1 - 6
    player.ask()
    assert player.state()["policy.weight"] == 5.0
    assert player.state()["policy.largest_weight"] == 10.0


def late_sum(policy, state, ledger, feedback, memo, scratch):
    """The mutant: G is raised first, so that a gradient counts as one that came in between."""
    state.total[:] += feedback
    receive_revision(policy, state, ledger, feedback, memo, scratch)
    state.total[:] -= feedback


def no_maximum(policy, state, ledger, feedback, memo, scratch):
    """The mutant: the rate follows z where it falls."""
    state.largest_weight[:] = np.maximum(state.weight, 1e-3)
    receive_revision(policy, state, ledger, feedback, memo, scratch)


@pytest.mark.parametrize("mutant", [late_sum, no_maximum])
def test_the_witness_catches_a_mutant(monkeypatch, mutant):
    rows = rows_of(0, 3, 3.0, rounds=30)
    delays = list(np.random.default_rng(1).integers(1, 9, 30))
    assert agrees(Euclidean(3), delays, rows)
    monkeypatch.setitem(receive.implementations, Revision, mutant)
    assert not agrees(Euclidean(3), delays, rows)


def test_the_order_of_what_comes_together_matters():
    rows, delays = rows_of(3, 2, 3.0), [3, 2, 1] * 4
    gradient = quadratic(rows)
    assert agrees(Euclidean(2), delays, rows, latest_first)
    one, other = (
        decisions(adaptive_revision(Euclidean(2), SCALE), gradient, delays, order=o) for o in (list, latest_first)
    )
    assert not np.allclose(one, other)


def test_it_needs_the_round_and_a_scale():
    learner = adaptive_revision(Euclidean(2), SCALE)
    assert learner.needs_round
    with pytest.raises(bl.errors.InvalidArgument, match=r"`adaptive_revision\(scale=0.0\)`: must be > 0"):
        adaptive_revision(Euclidean(2), 0.0)
    with pytest.raises(bl.errors.InvalidArgument, match=r"`adaptive_revision\(domain=2\)`"):
        adaptive_revision(2, 1.0)
