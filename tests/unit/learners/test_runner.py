"""Large memories: the side of the numbers that lacks a turn repeats it, and comes to what a copy would be."""

import numpy as np
import pytest

import belated as bl
from belated.core.errors import NumericalFailure
from belated.learners.playing import numbers
from belated.learners.playing.numbers import growing_arrays
from belated.learners.playing.runner import TurnRunner
from belated.learners.verbs import begin, decision, full, play, receive, sound
from support.players import as_bytes, ask, telling, typical

NOTICED = AssertionError, IndexError, KeyError, NumericalFailure
GROWING = ["bold", "dftbl", "gold", "mesterharm", "restarting", "skipping", "weinberger_ordentlich"]


def test_these_are_all_whose_memory_grows():
    of_the_library = {each for each in full.implementations if each.__module__.startswith("belated.")}
    assert {type(typical(name).policy) for name in GROWING} == of_the_library
    for name in GROWING:
        policy = typical(name).policy
        assert growing_arrays(policy, begin(policy, typical(name).decision_domain.centre))
    policy = typical("dogd_sc").policy
    assert growing_arrays(policy, begin(policy, np.zeros(3))) == frozenset()


def lived(learner, rounds=120, interrupted=0):
    """Points and states of a run with late, lost and given up rounds; some asks fail in the middle and are repeated."""
    player, rng, owed, seen = learner.start(seed=3), np.random.default_rng(4), [], []
    for number in range(1, rounds + 1):
        if interrupted and number % interrupted == 0:
            with pytest.raises(ZeroDivisionError):
                ask_that_fails(player)
        seen.append(ask(player).points.tobytes())
        owed.append(number)
        for late in [each for each in owed if rng.random() < 0.3]:
            owed.remove(late)
            if late % 10 == 0:
                player.give_up(late)
            elif late % 7:  # the others are never answered
                feedback = rng.normal(size=learner.interface.feedback_size)
                player.tell(telling(learner, feedback), round=late)
        if number % 40 == 0:
            seen.append(as_bytes(player.state()))
    return seen


def ask_that_fails(player):
    """An ask that has done all its work, on numbers that do not count, when something goes wrong."""
    turn = player._runner.turn

    def fails(*arguments):
        turn(*arguments)
        raise ZeroDivisionError

    player._runner.turn = fails
    try:
        ask(player)
    finally:
        player._runner.turn = turn


@pytest.mark.parametrize("interrupted", [0, 3])
@pytest.mark.parametrize("name", GROWING)
def test_a_repeated_turn_comes_to_the_same_numbers_as_a_copy(name, interrupted, monkeypatch):
    copied = lived(typical(name))
    monkeypatch.setattr(numbers, "MOST_COPIED", 0)
    assert lived(typical(name), interrupted=interrupted) == copied


@pytest.mark.parametrize("name", ["bold", "gold"])
def test_a_turn_that_is_not_repeated_or_repeated_from_disorder_is_noticed(name, monkeypatch):
    expected = lived(typical(name))
    monkeypatch.setattr(numbers, "MOST_COPIED", 0)
    with monkeypatch.context() as patch:
        patch.setattr(TurnRunner, "_repeat", lambda self, turn, side: None)
        with pytest.raises(NOTICED):
            assert lived(typical(name)) == expected
    original = TurnRunner.run

    def forgets_that_it_failed(self, progress, inputs, context):
        self.numbers.worked_from = None
        return original(self, progress, inputs, context)

    monkeypatch.setattr(TurnRunner, "run", forgets_that_it_failed)
    with pytest.raises(NOTICED):
        assert lived(typical(name), interrupted=3) == expected


def numbers_written(player):
    """How many numbers of the other side an ask changes by copying, and how many receives it does."""
    copies, received, turn = [], [], player._runner.turn

    def watched(policy, state, reals, wholes, checked, side, copied, arrived, *others):
        copies.append((reals.shape[1] + wholes.shape[1]) * copied)
        received.append(arrived)
        return turn(policy, state, reals, wholes, checked, side, copied, arrived, *others)

    player._runner.turn = watched
    try:
        ask(player)
    finally:
        player._runner.turn = turn
    return sum(copies), sum(received)


@pytest.mark.parametrize("name", ["bold", "gold", "dftbl"])
def test_an_ask_does_not_copy_what_is_in_flight(name, monkeypatch):
    """Sixty rounds are never answered; an ask then has to do with the two that were answered last."""
    monkeypatch.setattr(numbers, "MOST_COPIED", 0)
    learner = typical(name)
    player = learner.start()
    for number in range(1, 71):
        ask(player)
        if number > 60:
            player.tell(telling(learner, np.full(learner.interface.feedback_size, 0.1)), round=number)
    assert numbers_written(player) == (0, 2)


def test_a_small_memory_is_copied():
    player = typical("bold").start()
    for _ in range(3):
        ask(player)
    copied, received = numbers_written(player)
    assert 0 < copied <= numbers.MOST_COPIED
    assert received == 0


def poisons(policy, state, ledger, feedback, memo, scratch):
    state.arrivals.step.decision[0] = np.inf


@pytest.mark.parametrize("most_copied", [0, 10**9])
def test_a_copy_that_goes_out_of_range_is_found_at_once_and_nothing_has_changed(most_copied, monkeypatch):
    """The copy that was told plays no more in this ask, so that only ``sound`` can see it."""
    monkeypatch.setattr(numbers, "MOST_COPIED", most_copied)
    learner = bl.bold(bl.dogd_sc(bl.Ball(2), 2.0))

    def told():
        player = learner.start()
        player.ask()
        player.ask()
        for number in (1, 2):
            player.tell([1.0, 0.0], round=number)
        return player

    player, twin = told(), told()
    before = as_bytes(player.state())
    base = type(learner.policy.base)
    with monkeypatch.context() as patch:
        patch.setitem(receive.implementations, base, poisons)
        patch.setitem(decision.implementations, base, lambda policy, state, out: out.fill(0.0))
        patch.setitem(play.implementations, base, lambda policy, state, ledger, desk: desk.points.fill(0.0))
        with pytest.raises(NumericalFailure):
            player.ask()
        assert as_bytes(player.state()) == before
        patch.setitem(sound.implementations, type(learner.policy), lambda policy, state, memo: True)
        assert learner.resume(player.state()).ask().round == 3, "the mutant: nobody looks"
    assert np.array_equal(player.ask().points, twin.ask().points)
