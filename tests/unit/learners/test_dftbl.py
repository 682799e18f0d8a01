"""D-FTBL: against the definition of a complete block, its reductions, growth, and by hand."""

import numpy as np
import pytest

import belated as bl
from belated.core.ledger import Ledger
from belated.learners.algorithms import dftbl as blocks
from belated.learners.algorithms.dftbl import dftbl
from belated.learners.verbs import begin, enlarged, full
from support.late_values import DOMAINS, at_once, distance, late, run

DELTA, RATE, ROUNDS = 0.05, 0.02, 60


def witness(noted, domain, length):
    """At the end of each block, look at all blocks anew."""
    directions, inside, start = noted.directions(DELTA), domain.shrink(DELTA), noted.decisions[0]
    y, path, received = start, [start], set()
    for t, told in noted.arrivals.items():
        received |= set(told)
        if t % length == 0:
            total = np.zeros(domain.dim)
            for m in range(t // length):
                block = range(m * length + 1, (m + 1) * length + 1)
                if received.issuperset(block):
                    total += sum(domain.hull_dim / DELTA * noted.values[k][0] * directions[k] for k in block)
            y = inside.project(start - RATE * total)
        path.append(y)
    return path


def error(domain, seed, length, arrivals_of=late):
    rng = np.random.default_rng(seed)
    start = domain.shrink(DELTA).project(domain.centre + 0.2 * rng.normal(size=domain.dim))
    noted = run(dftbl(domain, RATE, length, DELTA), arrivals_of(ROUNDS, rng), rng, start)
    return distance(noted.decisions, witness(noted, domain, length))


def no_delay(rounds, rng):
    return at_once(rounds)


def stragglers(rounds, rng):
    """The first half comes early but for one round of each three, which come all together, in any order."""
    half = rounds // 2
    arriving = {t: [t] if t <= half and t % 3 != 1 else [] for t in range(1, rounds + 1)}
    arriving[half + 2] = [int(k) for k in rng.permutation(np.arange(1, half + 1, 3))]
    return arriving


@pytest.mark.parametrize("length", [1, 2, 3, 7])
@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_it_follows_the_leader_of_the_complete_blocks(domain, length):
    for arrivals_of in (late, no_delay, stragglers):
        assert error(domain, length, length, arrivals_of) < 1e-10


def test_blocks_of_one_round_without_delay_are_dual_averaging():
    """y = Pi(y_1 - eta Z) after every round; exactly what a leader that is told the estimates does."""
    ball, rng = bl.Ball(3), np.random.default_rng(0)
    noted = run(dftbl(ball, RATE, 1, DELTA), at_once(ROUNDS), rng)
    total, inside, directions = np.zeros(3), ball.shrink(DELTA), noted.directions(DELTA)
    for t in range(1, ROUNDS + 1):
        total += 3 / DELTA * noted.values[t][0] * directions[t]
        assert np.allclose(noted.decisions[t], inside.project(-RATE * total), rtol=0.0, atol=1e-10)


def test_decisions_change_only_between_blocks_and_projections_are_active():
    ball, rng = bl.Ball(2), np.random.default_rng(1)
    noted = run(dftbl(ball, RATE, 5, DELTA), at_once(57), rng)
    moves = [t for t in range(1, 57) if not np.array_equal(noted.decisions[t - 1], noted.decisions[t])]
    assert set(moves) <= {5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55}
    assert len(moves) > 5
    assert max(np.linalg.norm(x) for x in noted.decisions) == pytest.approx(1 - DELTA, rel=1e-12)


def partial_blocks(policy, state, ledger):
    """Counts all that has come, complete or not."""
    if ledger.round % policy.length == 0:
        for row in range(state.counts.size):
            state.ready[:] += state.sums[row]
            state.sums[row] = 0.0
        state.completed[0] = 1
    blocks.settle_blocks(policy, state, ledger)


def at_once_when_complete(policy, state, ledger):
    """Moves as soon as a block is complete, in the middle of another."""
    if ledger.round % policy.length and state.completed[0]:
        blocks.move(policy.step, state.step, ledger, state.ready)
        state.ready[:] = 0.0
        state.completed[0] = 0
    blocks.settle_blocks(policy, state, ledger)


@pytest.mark.parametrize("bug", [partial_blocks, at_once_when_complete])
def test_bugs_are_noticed(monkeypatch, bug):
    monkeypatch.setitem(blocks.settle.implementations, blocks.CompleteBlocks, bug)
    assert min(max(error(domain, seed, 3) for seed in range(3)) for domain in DOMAINS) > 1e-3


def test_the_table_has_room_for_every_incomplete_block():
    learner = dftbl(bl.Ball(2), RATE, 2, DELTA)
    state = begin(learner.policy, np.zeros(2))
    state.open[0] = blocks.FIRST_ROOM - 1
    assert not full(learner.policy, state, Ledger())
    state.open[0] = blocks.FIRST_ROOM
    assert full(learner.policy, state, Ledger())
    larger = enlarged(learner.policy, state)
    assert not full(learner.policy, larger, Ledger())
    assert list(larger.free[blocks.FIRST_ROOM :]) == list(range(blocks.FIRST_ROOM, 2 * blocks.FIRST_ROOM))


def test_rows_are_given_back():
    ball, rng = bl.Ball(2), np.random.default_rng(0)
    learner = dftbl(ball, RATE, 3, DELTA)
    player = learner.start()
    for t in range(1, 400):
        play = player.ask()
        if t > 4:
            player.tell([float(rng.normal())], round=play.round - 4)
    assert player.state()["policy.counts"].size == blocks.FIRST_ROOM


def test_a_saved_run_goes_on_alike_with_a_table_that_has_grown():
    learner, rng = dftbl(bl.Ball(2), RATE, 2, DELTA), np.random.default_rng(0)
    player = learner.start()
    for _ in range(50):
        player.ask()
    for k in rng.permutation(45):
        player.tell([float(rng.normal())], round=int(k) + 1)
    other = learner.resume(player.state())
    for _ in range(30):
        assert np.array_equal(player.ask().points, other.ask().points)


def test_by_hand():
    """On [-1, 1], delta = 1/2, K = 2, eta = 1/16: round 2 is late, so block 1 counts only at the end of block 2."""
    player = dftbl(bl.Box([-1.0], [1.0]), rate=0.0625, block_length=2, probe_radius=0.5).start(seed=4)
    points = [float(player.ask().point[0])]
    player.tell([1.0], round=1)
    points.append(float(player.ask().point[0]))
    third = player.ask()
    assert third.decision == 0.0
    player.tell([2.0], round=2)
    fourth = player.ask()
    assert fourth.decision == 0.0
    fifth = player.ask()
    assert fifth.decision == -0.0625 * (2 * 1.0 * points[0] / 0.5 + 2 * 2.0 * points[1] / 0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": 0.0}, "`dftbl\\(rate=0.0\\)`: must be > 0"),
        ({"block_length": 0}, "block_length=0"),
        ({"block_length": 2.5}, "must be a whole number"),
        ({"probe_radius": 1.0}, "probe_radius=1.0"),
        ({"domain": None}, "must be a domain"),
    ],
)
def test_misuse(arguments, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        dftbl(**({"domain": bl.Ball(2), "rate": 0.1, "block_length": 3, "probe_radius": 0.1} | arguments))
