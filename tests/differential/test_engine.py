"""The simulator's loop is compared with players: both must give the same bits.

So many combinations of a learner, a domain and a loss are tried that every two of these meet. ``make soak`` tries them
all. The compiled form of the loop is in ``test_compiled.py``.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core.ledger import read_ledger
from belated.learners.algorithms.skipping import OLDEST
from belated.learners.catalogue import EXAMPLES
from belated.learners.parts.wrappers.copies import NUMBER, WAITING
from belated.learners.verbs import add_up, adds_up, full, receive
from belated.sim import calendar, delivery, round_loop
from support.engine import DIM, EVERY, ROUNDS, parts_of, rows_for, run_engine, run_live, same_bits
from support.strategies import delay_sequences, seeds

sizes = st.integers(1, ROUNDS + 2)


def pairs(name):
    """What meets in a combination: learner and domain, learner and loss, domain and loss."""
    return set(itertools.combinations(enumerate(parts_of(name)), 2))


def covering():
    """Combinations, in an order that mixes them, of which each brings a pair anew."""
    seen, chosen, names = set(), [], list(EVERY)
    for place in np.random.default_rng(0).permutation(len(names)):
        new = pairs(names[place]) - seen
        if new:
            seen |= new
            chosen.append(names[place])
    return chosen


MANY = covering()


def test_all_pairs_meet():
    assert set().union(*map(pairs, MANY)) == set().union(*map(pairs, EVERY))
    assert len(MANY) < len(EVERY) / 4


@pytest.mark.parametrize("name", [pytest.param(each, marks=() if each in MANY else pytest.mark.soak) for each in EVERY])
@settings(max_examples=2)
@given(delays=delay_sequences(ROUNDS), seed=seeds, rounds_per_week=sizes, fed=sizes)
def test_the_loop_is_the_player(name, delays, seed, rounds_per_week, fed):
    learner, loss = EVERY[name]
    rows = rows_for(learner, loss, seed)
    live = run_live(learner, loss, rows, delays, seed)
    assert same_bits(run_engine(learner, loss, rows, delays, rounds_per_week, seed, fed=fed), live)


@pytest.mark.parametrize("names", [MANY, pytest.param(EVERY, marks=pytest.mark.soak)], ids=["many", "every"])
def test_most_runs_above_do_not_fail(names):
    """A run that fails on both sides proves little: LogWealth leaves its domain of definition, the others must not."""
    failed = set()
    for name in names:
        learner, loss = EVERY[name]
        if run_live(learner, loss, rows_for(learner, loss, 1), [2] * ROUNDS, 1) is None:
            failed.add(name)
    assert all("LogWealth" in name for name in failed)


# --- the comparison has power: each of these is a loop with one mistake

MISTAKES: dict = {}


def mistake(module, name):
    def register(function):
        MISTAKES[function.__name__] = module, name, function
        return function

    return register


@mistake(delivery, "slot_for_round")
def one_round_late(book, at):
    return calendar.slot_for_round(book, min(at + 1, book.first.size - 1))


@mistake(delivery, "deal_out")
def youngest_first(book, week):
    calendar.deal_out(book, week)
    start = 0
    for end in book.dealt_end:
        for shelf in book.dealt:
            shelf[start:end] = shelf[start:end][::-1].copy()
        start = end


@mistake(delivery, "release")
def never_released(book, slot):
    pass


@mistake(delivery, "next_place")
def always_the_first_that_waits(book, place):
    return place


@mistake(delivery, "add_up")
def sums_are_not_begun_anew(policy, feedback, memo, scratch, fresh, total):
    add_up(policy, feedback, memo, scratch, False, total)


@mistake(delivery, "add_up")
def only_the_last_counts(policy, feedback, memo, scratch, fresh, total):
    add_up(policy, feedback, memo, scratch, True, total)


@mistake(delivery, "settle_sum")
def nothing_is_settled(policy, state, ledger, total):
    pass


@mistake(delivery, "receive")
def only_the_first_is_received(policy, state, ledger, *rest):
    if ledger.arrived == 1:
        receive(policy, state, ledger, *rest)


@mistake(round_loop, "after_arrivals")
def arrivals_count_once(ledger, arrived):
    return round_loop.after_play(ledger)._replace(
        round=ledger.round, in_flight=ledger.in_flight, arrived=min(arrived, 1)
    )


@mistake(round_loop, "within_limit")
def anything_goes(numbers):
    numbers[:] = np.nan
    return True


@mistake(round_loop, "deal")
def weeks_begin_with_nothing(*arguments):
    return True


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_loop_is_found(name, monkeypatch):
    """In at least one of a few runs, with an error or with other bits."""
    monkeypatch.setattr(*MISTAKES[name])
    random, found = np.random.default_rng(2), 0
    for learner_name in ("dogd_sc", "dogd", "bdogd_sc_two_point", "ogd_sc", "dbgd"):
        learner, loss = EXAMPLES[learner_name](bl.Ball(DIM)), bl.losses.Quadratic(DIM, 2.0)
        delays, rows = random.integers(1, 7, 2 * ROUNDS), rows_for(learner, loss, 3, 2 * ROUNDS)
        live = run_live(learner, loss, rows, delays)
        try:
            found += not same_bits(run_engine(learner, loss, rows, delays, 5), live)
        except IndexError:
            found += 1
    assert found


def test_some_learners_are_told_sums_and_some_every_feedback():
    sums = {parts_of(name)[0] for name, (learner, _) in EVERY.items() if adds_up(learner.policy)}
    assert {"dogd_sc", "dogd", "ogd_sc", "bdogd_sc", "bdogd_sc_two_point"} <= sums
    assert {"dbgd", "bold", "adagrad"}.isdisjoint(sums)


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
    """Delays under which the feedback of all rounds up to one of ``ends`` arrives together at the end of that one."""
    starts = (0, *ends[:-1])
    return [end - t for start, end in zip(starts, ends, strict=True) for t in range(start, end)]


def check_together(name, together):
    """One such burst, a larger one when the memory has grown already, and a few rounds without delay."""
    learner, loss = GROWING[name]
    delays = [*delays_until(together, 3 * together), 1, 1, 1]
    rows = rows_for(learner, loss, together, len(delays))
    live = run_live(learner, loss, rows, delays, 3)
    assert live is not None
    for rounds_per_week in (5, len(delays)):
        assert same_bits(run_engine(learner, loss, rows, delays, rounds_per_week, 3), live)


def test_all_memories_that_grow_are_tried():
    assert delays_until(3, 5) == [3, 2, 1, 2, 1]
    ours = {kind for kind in full.implementations if kind.__module__.startswith("belated.")}  # and not those of tests
    assert {type(learner.policy) for learner, _ in GROWING.values()} == ours
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
