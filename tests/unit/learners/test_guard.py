"""One player, two threads: the second is refused while the first is in a call, and nobody is refused after it."""

import threading

import pytest

import belated as bl
from belated.core.errors import SharedPlayer
from belated.learners.playing.guard import Guard
from belated.learners.verbs import settle
from support.players import as_bytes

LEARNER = bl.dogd_sc(bl.Ball(2), 2.0)
CALLS = {
    "ask": lambda player: player.ask(),
    "tell": lambda player: player.tell([1.0, 0.0]),
    "tell_many": lambda player: player.tell_many([[1.0, 0.0]]),
    "give_up": lambda player: player.give_up(1),
    "state": lambda player: player.state(),
    "compile": lambda player: player.compile(),
    "open_rounds": lambda player: player.open_rounds,
}


def asked_twice():
    player = LEARNER.start()
    player.ask()
    player.ask()
    return player


def while_another_thread_asks(monkeypatch, call):
    """Do ``call`` with a player at the very moment at which another thread is within its ask."""
    player, inside, go_on, problems = asked_twice(), threading.Event(), threading.Event(), []
    original = settle.implementations[type(LEARNER.policy)]

    def waits(policy, state, ledger):
        inside.set()
        assert go_on.wait(60)
        original(policy, state, ledger)

    def other():
        try:
            player.ask()
        except BaseException as problem:
            problems.append(problem)

    with monkeypatch.context() as patch:
        patch.setitem(settle.implementations, type(LEARNER.policy), waits)
        thread = threading.Thread(target=other)
        thread.start()
        try:
            assert inside.wait(60)
            call(player)
        finally:
            go_on.set()
            thread.join()
    assert not problems
    return player


@pytest.mark.parametrize("name", CALLS)
def test_who_comes_second_is_refused_and_changes_nothing(name, monkeypatch):
    def call(player):
        with pytest.raises(SharedPlayer, match=rf"`dogd_sc\.{name}\(\)`: another thread is using this player"):
            CALLS[name](player)

    player, twin = while_another_thread_asks(monkeypatch, call), asked_twice()
    twin.ask()
    assert as_bytes(player.state()) == as_bytes(twin.state())


@pytest.mark.parametrize("name", CALLS)
def test_threads_that_take_turns_are_welcome(name):
    player = asked_twice()
    for _ in range(2 if name != "give_up" else 1):
        thread = threading.Thread(target=CALLS[name], args=(player,))
        thread.start()
        thread.join()
    assert player.ask().round >= 3


def test_counts_may_be_looked_at_from_anywhere(monkeypatch):
    seen = []
    player = while_another_thread_asks(monkeypatch, lambda player: seen.append((player.ledger, repr(player))))
    assert seen == [(asked_twice().ledger, "<dogd_sc player: 2 rounds asked, 0 answered, 0 given up, 2 in flight>")]
    assert player.ledger.round == 3


def test_an_error_within_a_call_does_not_lock_the_player():
    player = LEARNER.start()
    for _ in range(3):
        with pytest.raises(bl.errors.NothingOwed):
            player.tell([1.0, 0.0])
        with pytest.raises(bl.errors.UnknownRound):
            player.give_up(1)
        with pytest.raises(bl.errors.InvalidArgument):
            player.ask(context=[1.0])
    assert player.ask().round == 1


def test_a_token_that_was_lost_with_its_call_is_replaced():
    guard = Guard()
    token = guard.taken("ask")
    with pytest.raises(SharedPlayer):
        guard.taken("ask")
    for _ in range(3):
        del token  # an interrupt before the line that puts it back
        token = guard.taken("ask")
        with pytest.raises(SharedPlayer):
            guard.taken("ask")
    guard.free.append(token)
    assert guard.taken("ask") is token


def test_of_two_that_replace_a_lost_token_one_is_refused():
    """Both have seen that it is lost before either of them has a new one."""
    guard = Guard()
    guard.taken("ask")
    lost = guard._issue
    token = guard.renewed("ask")
    guard._issue = lost
    with pytest.raises(SharedPlayer):
        guard.renewed("ask")
    del token
    assert guard.renewed("ask") is not None


def test_without_the_guard_two_threads_would_play_the_same_round(monkeypatch):
    """The mutant: a guard whose token is never missing."""

    class Endless(list):
        def pop(self):
            return None

        def append(self, token):
            pass

    rounds = []

    def call(player):
        rounds.append(player.ledger.round)

    player = while_another_thread_asks(monkeypatch, call)
    assert (rounds, player.ledger.round) == ([2], 3)

    def unguarded(player):
        with monkeypatch.context() as patch:
            patch.setitem(settle.implementations, type(LEARNER.policy), lambda policy, state, ledger: None)
            player._free = Endless()
            rounds.append(player.ask().round)

    player = while_another_thread_asks(monkeypatch, unguarded)
    assert (rounds[1:], player.ledger.round) == ([3], 3), "two asks, one round"
