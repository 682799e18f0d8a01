"""The simulator's loop against players, and its compiled form against the plain one: the same bits, always.

As plain Python, so many combinations of a learner, a domain and a loss are tried that every two of these meet.
Compiled, which takes seconds each, enough of them are tried that every learner, every domain and every loss is among
them. ``make soak`` tries them all, both ways.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import compiling
from belated.core.compiling import compiled
from belated.core.ledger import read_ledger
from belated.learners.algorithms.skipping import OLDEST
from belated.learners.catalogue import EXAMPLES
from belated.learners.parts.wrappers.copies import NUMBER, WAITING
from belated.learners.verbs import full
from belated.sim import calendar, loop
from belated.sim.loop import run_piece
from support.engine import DIM, begun, combinations, run_engine, run_live, same_bits
from support.strategies import delay_sequences, seeds

ROUNDS = 24
EVERY = {name: (learner, loss) for name, learner, loss in combinations()}
pieces = st.integers(1, ROUNDS + 2)


def parts_of(name):
    return name.rsplit("-", 2)


def covering(meetings):
    """Combinations, in an order that mixes them, of which each brings one of the ``meetings`` of its parts anew."""
    seen, chosen, names = set(), [], list(EVERY)
    for place in np.random.default_rng(0).permutation(len(names)):
        new = {tuple(parts) for parts in meetings(parts_of(names[place]))} - seen
        if new:
            seen |= new
            chosen.append(names[place])
    return chosen


MANY = covering(lambda parts: [(i, j, parts[i], parts[j]) for i, j in ((0, 1), (0, 2), (1, 2))])
FEW = covering(lambda parts: enumerate(parts))


def rows_for(learner, loss, seed, rounds=ROUNDS):
    """Typical rows, with labels as large as the learner allows."""
    rows, bound = loss.example_rows(np.random.default_rng(seed), rounds), learner.interface.label_bound
    if np.isfinite(bound):
        rows[:, -1] = np.clip(rows[:, -1], -bound, bound)
    return rows


def compiled_loop(learner, loss):
    like = begun(learner, loss, 2, 1)
    return compiled(run_piece, *like.arguments(np.zeros((1, loss.row_size)), np.ones(1, dtype=np.int64)))


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in MANY else pytest.mark.soak) for each in EVERY])
@settings(max_examples=2)
@given(delays=delay_sequences(ROUNDS), seed=seeds, rounds_a_piece=pieces, fed=pieces)
def test_the_loop_is_the_player(name, delays, seed, rounds_a_piece, fed):
    learner, loss = EVERY[name]
    rows = rows_for(learner, loss, seed)
    live = run_live(learner, loss, rows, delays, seed)
    assert same_bits(run_engine(learner, loss, rows, delays, rounds_a_piece, seed, fed=fed), live)


def test_most_runs_above_do_not_fail():
    """A run that fails on both sides proves little: LogWealth leaves its domain of definition, the others must not."""
    failed = {
        name
        for name, (learner, loss) in EVERY.items()
        if run_live(learner, loss, rows_for(learner, loss, 1), [2] * ROUNDS, 1) is None
    }
    assert all("LogWealth" in name for name in failed)


def check_compiled(name):
    learner, loss = EVERY[name]
    machine_code = compiled_loop(learner, loss)
    random = np.random.default_rng(8)
    for rounds, longest, rounds_a_piece in [(60, 9, 7), (60, 80, 16), (300, 40, 300), (200, 4, 1)]:
        delays, rows = random.integers(1, longest, rounds, endpoint=True), rows_for(learner, loss, longest, rounds)
        plain = run_engine(learner, loss, rows, delays, rounds_a_piece, 5)
        assert same_bits(run_engine(learner, loss, rows, delays, rounds_a_piece, 5, loop=machine_code), plain)


@pytest.mark.parametrize("name", FEW)
def test_compiled_the_loop_is_the_same(name):
    check_compiled(name)


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(set(EVERY) - set(FEW)))
def test_compiled_every_loop_is_the_same(name):
    check_compiled(name)


def test_the_few_that_are_compiled_are_enough():
    parts = [set(column) for column in zip(*map(parts_of, FEW), strict=True)]
    assert parts[0] == set(EXAMPLES)
    assert parts[1] == {each.__name__ for each in bl.domains.EVERY}
    assert parts[2] == {each.__name__ for each in bl.losses.EVERY}


def test_learners_compile_without_memory_management():
    """That is what makes the loop fast; on a ball, since a few domains do make arrays."""
    learner, loss = EXAMPLES["bdogd_sc_two_point"](bl.Ball(DIM)), bl.losses.Quadratic(DIM)
    code = compiled_loop(learner, loss)
    (outcome,) = [each for each in compiling._outcomes.values() if each.code is code]
    assert outcome.lean


# --- the comparison has power: each of these is a loop with one mistake

MISTAKES: dict = {}


def mistake(name):
    def register(function):
        MISTAKES[name] = function
        return function

    return register


@mistake("slot_for_round")
def one_round_late(book, at):
    return calendar.slot_for_round(book, min(at + 1, book.first.size - 1))


@mistake("deal_out")
def youngest_first(book, piece):
    calendar.deal_out(book, piece)
    start = 0
    for end in book.dealt_end:
        for shelf in book.dealt:
            shelf[start:end] = shelf[start:end][::-1].copy()
        start = end


@mistake("release")
def never_released(book, slot):
    pass


@mistake("after_arrivals")
def arrivals_count_once(ledger, arrived):
    return loop.after_play(ledger)._replace(round=ledger.round, in_flight=ledger.in_flight, arrived=min(arrived, 1))


@mistake("moderate")
def anything_goes(numbers):
    numbers[:] = np.nan
    return True


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_loop_is_found(name, monkeypatch):
    """In at least one of a few runs, with an error or with other bits."""
    monkeypatch.setattr(loop, name, MISTAKES[name])
    random, found = np.random.default_rng(2), 0
    for learner_name in ("dogd_sc", "dogd", "bdogd_sc_two_point", "ogd_sc"):
        learner, loss = EXAMPLES[learner_name](bl.Ball(DIM)), bl.losses.Quadratic(DIM, 2.0)
        delays, rows = random.integers(1, 7, 2 * ROUNDS), rows_for(learner, loss, 3, 2 * ROUNDS)
        live = run_live(learner, loss, rows, delays)
        try:
            found += not same_bits(run_engine(learner, loss, rows, delays, 5), live)
        except IndexError:
            found += 1
    assert found


# --- memories that grow: full to the last place when everything arrives at once

TOGETHER = (7, 8, 9, 15, 16, 17, 33)


def growing():
    """Every learner of the catalogue whose memory grows, with the first losses that it gets along with."""
    found = {}
    for name, (learner, loss) in EVERY.items():
        label = parts_of(name)[0]
        if full.knows(learner.policy) and label not in found and type(loss) is not bl.losses.LogWealth:
            found[label] = learner, loss
    ball, loss = bl.Ball(DIM), bl.losses.Quadratic(DIM, 2.0)
    found["restarting, in one phase"] = bl.restarting(bl.dogd_sc(ball, 2.0), first=1000), loss
    found["skipping, bandit"] = bl.skipping(bl.bdogd_sc_two_point(ball, 2.0, 0.05)), loss
    found["dftbl, every round a block"] = bl.dftbl(ball, 0.001, 1, 0.05), loss
    return found


GROWING = growing()


def delays_until(*ends):
    """Of the rounds up to the first of these, which all arrive together at its end, of those up to the second, ..."""
    starts = (0, *ends[:-1])
    return [end - t for start, end in zip(starts, ends, strict=True) for t in range(start, end)]


def check_together(name, together):
    """One such burst, a larger one when the memory has grown already, and a few rounds without delay."""
    learner, loss = GROWING[name]
    delays = [*delays_until(together, 3 * together), 1, 1, 1]
    rows = rows_for(learner, loss, together, len(delays))
    live = run_live(learner, loss, rows, delays, 3)
    assert live is not None
    for rounds_a_piece in (5, len(delays)):
        assert same_bits(run_engine(learner, loss, rows, delays, rounds_a_piece, 3), live)


def test_all_memories_that_grow_are_tried():
    assert delays_until(3, 5) == [3, 2, 1, 2, 1]
    assert {type(learner.policy) for learner, _ in GROWING.values()} == set(full.implementations)
    assert {"bold", "dftbl", "gold", "mesterharm", "restarting", "skipping", "weinberger_ordentlich"} <= set(GROWING)


@pytest.mark.parametrize("together", TOGETHER)
@pytest.mark.parametrize("name", GROWING)
def test_there_is_room_for_everything_that_arrives_together(name, together):
    check_together(name, together)


def one_short_restart(policy, state, ledger):
    return read_ledger(state.counts).in_flight > len(state.aside.feedback)


def one_short_skip(policy, state, ledger):
    return ledger.round + 1 - state.marks[OLDEST] > state.answered.size


def one_short_pool(policy, state, ledger):
    return state.pooled[0] + ledger.in_flight > state.rounds.size


def one_short_blocks(policy, state, ledger):
    return state.open[0] > state.counts.size


def one_short_copies(policy, state, ledger):
    return state.marks[WAITING] == 0 and state.marks[NUMBER] > state.queue.size


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("restarting, in one phase", one_short_restart),
        ("skipping", one_short_skip),
        ("gold", one_short_pool),
        ("dftbl, every round a block", one_short_blocks),
        ("bold", one_short_copies),
    ],
)
def test_room_for_one_too_few_is_found(name, mistake, monkeypatch):
    monkeypatch.setitem(full.implementations, type(GROWING[name][0].policy), mistake)
    found = 0
    for together in TOGETHER:
        try:
            check_together(name, together)
        except (AssertionError, IndexError):
            found += 1
    assert found
