"""What ``tell_many`` promises of every learner: the same as a tell of each, all or nothing, also if interrupted."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.learners.catalogue import EXAMPLES
from belated.learners.playing.inbox import FeedbackTable, Inbox
from belated.learners.playing.player import Player
from support.bad_tells import bad_tells
from support.compiler import needs_compiler
from support.interrupting import interrupted_at
from support.players import DIM, answered_once, as_bytes, ask, telling, typical

every_learner = pytest.mark.parametrize("name", EXAMPLES)


def feedback_of(learner, number):
    """Some feedback for a round, which differs from that of other rounds."""
    return np.asarray(telling(learner, np.sin(np.arange(learner.interface.feedback_size) + number)), dtype=float)


def told(player, number, stamped):
    player.tell(feedback_of(player.learner, number), round=number if stamped else None)


def told_at_once(player, numbers, stamped):
    feedbacks = [feedback_of(player.learner, number) for number in numbers]
    player.tell_many(feedbacks, rounds=numbers if stamped else None)


def lived_alike(learner, data, rounds=7):
    """Whether a player that is told in bursts is always in the state of one that is told the same one by one."""
    one, many, owed = learner.start(seed=1), learner.start(seed=1), []
    stamped = learner.needs_round or data.draw(st.booleans())
    for _ in range(rounds):
        if not np.array_equal(ask(one).points, ask(many).points):
            return False
        owed.append(one.ledger.round)
        while owed and data.draw(st.booleans()):
            burst = data.draw(st.lists(st.sampled_from(owed), unique=True))
            owed = [number for number in owed if number not in burst]
            for number in burst:
                told(one, number, stamped)
            told_at_once(many, burst, stamped)
            if owed and stamped and data.draw(st.booleans()):
                lost = owed.pop()
                one.give_up(lost)
                many.give_up(lost)
        if as_bytes(one.state()) != as_bytes(many.state()):
            return False
    return True


@every_learner
@settings(max_examples=8)
@given(st.data())
def test_a_burst_is_the_same_as_a_tell_of_each(name, data):
    assert lived_alike(typical(name), data)


@needs_compiler
@settings(max_examples=8)
@given(st.data())
def test_a_burst_is_the_same_for_a_compiled_player(data):
    learner = typical("dogd_sc")
    one, many = learner.start(), learner.start()
    assert many.compile()
    for size in data.draw(st.lists(st.integers(0, 3), max_size=6)):
        for _ in range(3):
            assert np.array_equal(one.ask().points, many.ask().points)
        for number in range(size):
            told(one, number, False)
        told_at_once(many, list(range(size)), False)
    assert as_bytes(one.state()) == as_bytes(many.state())


def test_a_burst_in_another_order_or_in_wrong_rows_is_noticed(monkeypatch):
    learner, original = typical("adaptive_revision"), FeedbackTable.write_many

    def same_as_one_by_one():
        one, many = answered_once(learner), answered_once(learner)
        for player in (one, many):
            ask(player)
            ask(player)
            told(player, 5, True)
        for number in (4, 3):
            told(one, number, True)
        told_at_once(many, [4, 3], True)
        return as_bytes(one.state()) == as_bytes(many.state())

    assert same_as_one_by_one()
    monkeypatch.setattr(FeedbackTable, "write_many", lambda table, row, given: original(table, row, given[::-1]))
    assert not same_as_one_by_one(), "the mutant: feedback and rounds are not in one order"
    monkeypatch.setattr(FeedbackTable, "write_many", lambda table, row, given: original(table, 0, given))
    assert not same_as_one_by_one(), "the mutant: what waits is overwritten"


# Bad bursts


def in_a_burst(learner, bad):
    """The arguments of a burst whose second feedback is that of a bad tell."""
    good = feedback_of(learner, 1)
    rounds = [3, bad.get("round")]
    if bad.get("round") == 3:
        rounds[0] = 4
    return {"feedbacks": [good, bad["feedback"]], "rounds": rounds}


@every_learner
def test_a_bad_burst_is_a_clear_error_and_changes_nothing(name):
    learner = typical(name)
    player, twin = answered_once(learner), answered_once(learner)
    for each in (player, twin):
        ask(each)
    before = as_bytes(player.state())
    for bad, error in bad_tells(learner):
        if bad.get("round") == 4:  # which was asked here
            continue
        with pytest.raises(error, match=r"^`\w+\.tell_many\((feedbacks|rounds)\[1\]=.*\)`: "):
            player.tell_many(**in_a_burst(learner, bad))
        assert as_bytes(player.state()) == before
    assert np.array_equal(ask(player).points, ask(twin).points)


SIZED = bl.dogd_sc(bl.Ball(2), 2.0)
BAD_BURSTS = {
    "one round too few": (
        {"feedbacks": np.zeros((2, 2)), "rounds": [1]},
        errors.InvalidArgument,
        "rounds=[1])`: must be as many as the feedbacks, which are 2, got 1",
    ),
    "a single round": (
        {"feedbacks": np.zeros((1, 2)), "rounds": 1},
        errors.InvalidArgument,
        "rounds=1)`: must be a sequence of rounds",
    ),
    "rounds as text": (
        {"feedbacks": np.zeros((1, 2)), "rounds": "1"},
        errors.InvalidArgument,
        "rounds='1')`: must be a sequence of rounds",
    ),
    "rounds as a table": (
        {"feedbacks": np.zeros((1, 2)), "rounds": np.array([[1]])},
        errors.InvalidArgument,
        "rounds=array([[1]]))`: must be a sequence of rounds",
    ),
    "rounds that are no whole numbers": (
        {"feedbacks": np.zeros((1, 2)), "rounds": np.array([1.0])},
        errors.InvalidArgument,
        "rounds[0]=1.0)`: must be a whole number",
    ),
    "a round twice": (
        {"feedbacks": np.zeros((3, 2)), "rounds": [1, 3, 1]},
        errors.AlreadyAnswered,
        "rounds[2]=1)`: this round is among them twice",
    ),
    "one feedback": (
        {"feedbacks": np.zeros(2)},
        errors.InvalidArgument,
        "must have shape (any number, 2), got shape (2,)",
    ),
    "a wide table": (
        {"feedbacks": np.zeros((1, 3))},
        errors.InvalidArgument,
        "must have shape (any number, 2), got shape (1, 3)",
    ),
    "a number that is too large": (
        {"feedbacks": np.array([[1.0, 2.0], [0.0, 1.01e100]])},
        errors.InvalidArgument,
        "feedbacks[1]=array([0.00e+000, 1.01e+100]))`: must have entries of size at most 1e+100",
    ),
    "more than are owed": (
        {"feedbacks": np.zeros((4, 2))},
        errors.NothingOwed,
        "feedbacks[3]=...)`: all 3 rounds asked have been answered or given up",
    ),
}


@pytest.mark.parametrize("what", BAD_BURSTS)
def test_what_cannot_be_a_burst_is_refused(what):
    arguments, error, message = BAD_BURSTS[what]
    player = SIZED.start()
    for _ in range(3):
        player.ask()
    before = as_bytes(player.state())
    with pytest.raises(error, match=re.escape(message)):
        player.tell_many(**arguments)
    assert as_bytes(player.state()) == before


def test_rounds_without_end_are_refused():
    player = bl.dogd_sc(bl.Ball(2), 2.0).start()
    player.ask()
    with pytest.raises(errors.InvalidArgument, match="as many as the feedbacks, which are 1, got more"):
        player.tell_many([[0.1, 0.2]], rounds=itertools.count(1))


def test_a_burst_before_the_first_ask_is_refused():
    with pytest.raises(errors.NothingOwed, match="no round was asked yet"):
        SIZED.start().tell_many([[0.0, 0.0]])


@every_learner
def test_a_burst_of_nothing_is_nothing(name):
    player = answered_once(typical(name))
    before = as_bytes(player.state())
    for nothing in ([], (), np.empty((0, player.learner.interface.feedback_size))):
        player.tell_many(nothing)
        player.tell_many(nothing, rounds=[])
    assert as_bytes(player.state()) == before


def test_a_burst_without_the_rounds_that_are_needed_is_refused():
    player = answered_once(typical("adaptive_revision"))
    with pytest.raises(errors.RoundRequired, match=r"tell_many\(rounds\[0\]=None\)"):
        player.tell_many(np.zeros((1, DIM)))


def test_a_class_that_there_is_none_of_is_refused():
    learner = typical("perceptron")
    player = answered_once(learner)
    with pytest.raises(errors.InvalidArgument, match=r"feedbacks\[0\]=1\.5\)`: must be a class, from 0 to"):
        player.tell_many([[1.5]], rounds=[3])


def test_a_burst_is_a_copy():
    player, given = SIZED.start(), np.ones((1, 2))
    player.ask()
    player.tell_many(given)
    given[:] = 9.0
    assert player.state()["told.feedback"].tolist() == [[1.0, 1.0]]


def test_a_burst_does_not_keep_its_memory():
    player = SIZED.start()
    for _ in range(500):
        player.ask()
    player.tell_many(np.ones((500, 2)))
    assert len(player._table.rows.feedback) == len(player._table.rows.no_memos) == 500
    for _ in range(20):
        player.ask()
    assert len(player._table.rows.feedback) <= 64


# Interrupts


def waits_for_many(learner):
    """A player with one feedback waiting, thirty rounds asked, of which two early ones and two late ones are owed."""
    player = learner.start()
    for number in range(1, 31):
        ask(player)
        if number not in (1, 2, 29, 30):
            told(player, number, True)
    return player


LETS_GO = {"skipping": {}, "restarting": {"first": 26}}


def interruptible(name):
    ball = bl.Ball(2)
    return getattr(bl, name)(bl.dogd_sc(ball, 2.0), **LETS_GO[name]) if name in LETS_GO else typical(name)


def all_or_nothing(learner):
    """Whether a burst of rounds, of which some may be late, is done or not, at whichever line it is interrupted."""
    burst, at, stopped = [30, 1, 29, 2], 1, True
    before = waits_for_many(learner)
    after = waits_for_many(learner)
    for number in burst:
        told(after, number, True)
    allowed = [as_bytes(each.state()) for each in (before, after)]
    while stopped:
        player = waits_for_many(learner)
        stopped = interrupted_at(at, lambda player=player: told_at_once(player, burst, True))
        found = as_bytes(player.state())
        if found not in allowed:
            return False
        if found == allowed[0]:
            told_at_once(player, burst, True)
        if as_bytes(player.state()) != allowed[1]:
            return False
        at += 1
    return at > 20


@pytest.mark.parametrize("name", ["dogd_sc", "adaptive_revision", "skipping", "restarting"])
def test_an_interrupt_at_any_line_leaves_all_of_a_burst_or_nothing(name):
    assert all_or_nothing(interruptible(name))


def one_by_one(player, feedbacks, rounds=None):
    """The mutant: a tell of each."""
    for feedback, number in zip(feedbacks, rounds, strict=True):
        player.tell(feedback, round=number)


def into_this_one(inbox, fresh, late):
    """The mutant: the late rounds, then the others, in an inbox that counts already."""
    for number in late:
        inbox.enter("late", number)
    inbox.update(fresh)
    return inbox


def test_a_burst_in_several_steps_is_noticed(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Inbox, "joined", into_this_one)
        assert not all_or_nothing(interruptible("skipping"))
    monkeypatch.setattr(Player, "tell_many", one_by_one)
    assert not all_or_nothing(interruptible("dogd_sc"))
