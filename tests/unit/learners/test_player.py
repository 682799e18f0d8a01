"""A player from outside: when it compiles itself, how it is copied, and in which forms feedback may come."""

import copy
import pickle

import numpy as np
import pytest

import belated as bl
from belated.core import errors
from belated.learners.catalogue import EXAMPLES
from belated.learners.playing import runner
from belated.learners.playing.inbox import FeedbackTable
from belated.learners.playing.turn import plain_turn, take_turn
from support.compiler import needs_compiler
from support.own_parts import Cube, DeclaredCube, ObscureCube
from support.players import answered_once, as_bytes, zero_feedback

DIM = 3
BALL = bl.Ball(DIM, radius=1.5, centre=[0.5, -0.5, 1.0])
LEARNER = bl.dogd_sc(BALL, 2.0)


# Compiling


@pytest.fixture
def compiler(monkeypatch):
    """In place of the compiler, one that is quick: it notes when it is called and gives the plain turn another name."""

    class Compiler:
        calls = 0
        problem = None

        def __call__(self, function, *arguments):
            if function is not take_turn:
                return function
            self.calls += 1
            if self.problem is not None:
                raise self.problem
            return lambda *each: plain_turn(*each)

    quick = Compiler()
    monkeypatch.setattr(runner, "compiled", quick)
    monkeypatch.setattr(runner, "ASKS_WORTH_COMPILING", 4)
    return quick


def ask_and_tell(player, rounds):
    points = []
    for _ in range(rounds):
        play = player.ask()
        points.append(play.points.tolist())
        player.tell(play.points.ravel()[: player.learner.interface.feedback_size] + 0.1, round=play.round)
    return points


def test_a_player_compiles_itself_once_when_it_has_been_asked_often_enough(compiler):
    player = LEARNER.start()
    counted = []
    for _ in range(8):
        ask_and_tell(player, 1)
        counted.append(compiler.calls)
    assert counted == [0, 0, 0, 1, 1, 1, 1, 1]
    compiler.problem = errors.CannotCompile("no")
    other = LEARNER.start()
    ask_and_tell(other, 8)
    assert compiler.calls == 2, "it is not tried again and again"
    assert ask_and_tell(LEARNER.start(), 8) == ask_and_tell(LEARNER.start(), 8)


def test_who_compiles_early_does_not_compile_again(compiler):
    player = LEARNER.start()
    assert player.compile()
    ask_and_tell(player, 8)
    assert compiler.calls == 1


def test_an_interrupt_while_it_compiles_leaves_the_player_as_it_was(compiler):
    player, twin = LEARNER.start(), LEARNER.start()
    for each in (player, twin):
        ask_and_tell(each, 3)
    before = as_bytes(player.state())
    compiler.problem = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        player.ask()
    assert as_bytes(player.state()) == before
    compiler.problem = None
    assert ask_and_tell(player, 3) == ask_and_tell(twin, 3)


def test_a_compilation_that_was_interrupted_is_made_good_later(compiler):
    player = LEARNER.start()
    ask_and_tell(player, 3)
    compiler.problem = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        player.ask()
    compiler.problem = None
    ask_and_tell(player, 3)
    assert compiler.calls == 2


@needs_compiler
def test_the_ask_that_compiles_and_those_after_it_are_as_without(monkeypatch):
    expected = ask_and_tell(LEARNER.start(), 9)
    monkeypatch.setattr(runner, "ASKS_WORTH_COMPILING", 4)
    player = LEARNER.start()
    assert ask_and_tell(player, 9) == expected
    assert player._runner.turn is not plain_turn


@pytest.mark.parametrize("cube", [DeclaredCube, ObscureCube])
def test_what_cannot_be_compiled_goes_on_as_plain_python(cube):
    player, expected = bl.dogd_sc(cube(DIM, 0.3), 2.0).start(), bl.dogd_sc(Cube(DIM, 0.3), 2.0).start()
    ask_and_tell(player, 3)
    assert not player.compile()
    assert player._runner.turn is plain_turn
    ask_and_tell(expected, 3)
    assert ask_and_tell(player, 3) == ask_and_tell(expected, 3)


@needs_compiler
def test_a_player_may_be_compiled_at_any_moment(compiler):
    """Also when the round that was asked last has been answered, and when some have been given up."""
    player, twin = (bl.bold(LEARNER).start() for _ in range(2))
    for each in (player, twin):
        for _ in range(3):
            each.ask()
        each.tell(NUMBERS, round=3)
        each.give_up(2)
    assert player.compile()
    assert np.array_equal(player.ask().points, twin.ask().points)


@needs_compiler
def test_many_feedbacks_may_wait_for_a_compiled_turn():
    """The table in which they wait has grown since the turn was compiled, twice over."""
    plain, compiled = LEARNER.start(), LEARNER.start()
    assert compiled.compile()
    for player in (plain, compiled):
        for _ in range(40):
            player.ask()
        for number in range(1, 41):
            player.tell(np.full(DIM, 0.01 * number), round=number)
    assert as_bytes(plain.state()) == as_bytes(compiled.state())
    assert np.array_equal(plain.ask().points, compiled.ask().points)
    assert plain.ledger == compiled.ledger
    assert plain.ledger.received == 40


# Copies


@needs_compiler
@pytest.mark.parametrize("copied_by", [copy.copy, copy.deepcopy, lambda player: pickle.loads(pickle.dumps(player))])
@pytest.mark.parametrize("name", ["dogd_sc", "bdogd_sc_two_point"])
def test_a_copy_of_a_compiled_player_goes_its_own_way_to_the_same_place(copied_by, name):
    player = answered_once(EXAMPLES[name](BALL))
    assert player.compile()
    player.ask()
    twin = copied_by(player)
    before = as_bytes(player.state())
    assert as_bytes(twin.state()) == before
    ahead = [twin.ask().points for _ in range(3)]
    assert as_bytes(player.state()) == before
    assert all(np.array_equal(player.ask().points, points) for points in ahead)
    assert twin.compile(), "and can be compiled in its turn"


# Feedback

NUMBERS = [0.5, -2.0, 3.0]


class Subclass(np.ndarray):
    pass


FORMS = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "list of whole numbers and others": [0.5, -2, 3],
    "array": np.array(NUMBERS),
    "single precision": np.array(NUMBERS, dtype=np.float32),
    "half precision": np.array(NUMBERS, dtype=np.float16),
    "more than double precision": np.array(NUMBERS, dtype=np.longdouble),
    "other byte order": np.array(NUMBERS, dtype=">f8"),
    "every second": np.repeat(NUMBERS, 2)[::2],
    "backwards": np.array(NUMBERS[::-1])[::-1],
    "row of a matrix": np.array([NUMBERS, NUMBERS])[1],
    "column of a matrix": np.array([NUMBERS, NUMBERS]).T[:, 0],
    "row of a matrix in columns": np.asfortranarray([NUMBERS, [9.0] * 3])[0],
    "read-only": bl.core.arrays.frozen(NUMBERS),
    "subclass": np.array(NUMBERS).view(Subclass),
}
"""Ways to say the same: after one tell of it, a player must hold the same bytes."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_feedback_may_come_in_any_form(form, compiled):
    players = [LEARNER.start(), LEARNER.start()]
    assert not compiled or players[1].compile()
    for player, feedback in zip(players, (np.array(NUMBERS), FORMS[form]), strict=True):
        player.ask()
        player.tell(feedback)
    assert as_bytes(players[0].state()) == as_bytes(players[1].state())


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint64])
def test_feedback_may_be_whole_numbers(dtype):
    players = [LEARNER.start(), LEARNER.start()]
    for player, feedback in zip(players, ([1.0, 2.0, 3.0], np.array([1, 2, 3], dtype=dtype)), strict=True):
        player.ask()
        player.tell(feedback)
    assert as_bytes(players[0].state()) == as_bytes(players[1].state())


def bad(**entries):
    feedback = np.zeros(DIM)
    for place, number in entries.items():
        feedback[int(place[1:])] = number
    return feedback


WRONG = {
    "too short": np.zeros(DIM - 1),
    "too long": np.zeros(DIM + 1),
    "a row that is still a matrix": np.zeros((1, DIM)),
    "a column": np.zeros((DIM, 1)),
    "NumPy's matrix": np.zeros((1, DIM)).view(np.matrix),
    "masked": np.ma.array(NUMBERS, mask=[False, True, False]),
    "masked in vain": np.ma.array(NUMBERS),
    "truth": np.ones(DIM, dtype=bool),
    "complex": np.zeros(DIM, dtype=complex),
    "objects": np.array(NUMBERS, dtype=object),
    "not a number": bad(_1=np.nan),
    "infinite": bad(_2=np.inf),
    "infinite the other way": bad(_0=-np.inf),
    "infinite both ways": bad(_0=-np.inf, _1=np.inf),
    "too large": bad(_1=1e101),
    "just too large": bad(_1=np.nextafter(1e100, np.inf)),
    "too large the other way": bad(_1=-1e101),
    "not a number in single precision": bad(_1=np.nan).astype(np.float32),
}


@pytest.mark.parametrize("form", WRONG)
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_feedback_that_cannot_be_used_is_refused_and_leaves_no_trace(form, compiled):
    player, twin = answered_once(LEARNER), answered_once(LEARNER)
    assert not compiled or player.compile()
    with pytest.raises(errors.InvalidArgument, match=r"^`dogd_sc\.tell\(gradient="):
        player.tell(WRONG[form])
    assert as_bytes(player.state()) == as_bytes(twin.state())
    for each in (player, twin):
        each.tell(NUMBERS)
    assert np.array_equal(player.ask().points, twin.ask().points)


def test_feedback_whose_square_is_out_of_range_is_refused_without_a_warning():
    player = answered_once(LEARNER)
    with pytest.raises(errors.InvalidArgument, match="must have entries of size at most 1e\\+100"):
        player.tell(bad(_1=1e200))


@pytest.mark.parametrize("size", [1e100, -1e100, 1e51, 1e-320, 0.0, -0.0])
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_the_largest_and_the_smallest_feedback_are_taken_as_they_are(size, compiled):
    player = LEARNER.start()
    assert not compiled or player.compile()
    player.ask()
    player.tell(bad(_1=size))
    assert player.state()["told.feedback"].tobytes() == bad(_1=size)[np.newaxis].tobytes()
    assert np.isfinite(player.ask().points).all()


def test_what_was_told_is_the_players_own():
    """Callers often use one array again and again."""
    player, twin = LEARNER.start(), LEARNER.start()
    feedback = np.array(NUMBERS)
    for each in (player, twin):
        each.ask()
    player.tell(feedback)
    twin.tell(feedback.copy())
    feedback[:] = 7.0
    assert np.array_equal(player.ask().points, twin.ask().points)


def test_feedback_is_taken_in_the_order_in_which_it_is_told():
    """For a learner that goes one step for each, on a set that is hit in between."""
    learner = bl.dbgd(bl.Ball(DIM), 0.9, 0.05)
    players = [learner.start(), learner.start()]
    told = [np.linspace(-0.2, 0.4, learner.interface.feedback_size), zero_feedback(learner) + np.arange(DIM + 1.0) ** 2]
    for player, order in zip(players, (told, told[::-1]), strict=True):
        player.ask()
        player.ask()
        for feedback in order:
            player.tell(feedback)
    assert players[0].state()["told.feedback"].tolist() == [each.tolist() for each in told]
    assert not np.array_equal(players[0].ask().points, players[1].ask().points)


# --- the memory of a burst


def after_a_burst(quiet):
    """A player that was told of 500 rounds at once, and then of one in each of ``quiet`` rounds."""
    player = bl.adaptive_revision(bl.Ball(2), scale=0.5).start()
    for _ in range(500):
        player.ask()
    for number in range(500, 0, -1):
        player.tell([1.0, -0.5], round=number)
    for _ in range(quiet):
        player.tell([0.25, 0.5], round=player.ask().round)
    return player


def rows_of(player):
    return len(player._table.rows.feedback)


def test_a_burst_does_not_keep_its_memory(monkeypatch):
    assert rows_of(after_a_burst(0)) == 512
    small, resumed = after_a_burst(20), after_a_burst(1)
    assert rows_of(small) == 64
    assert as_bytes(resumed.learner.resume(resumed.state()).state()) == as_bytes(resumed.state())
    monkeypatch.setattr(FeedbackTable, "give_back", lambda table, used: None)
    large = after_a_burst(20)
    assert rows_of(large) == 512
    assert as_bytes(large.state()) == as_bytes(small.state()), "no decision depends on it"


def test_a_table_gives_back_only_what_it_does_not_need():
    table = FeedbackTable("there", bl.dogd(bl.Ball(1), 0.5).interface, np.arange(200.0).reshape(200, 1))
    table.give_back(50)
    assert len(table.rows.feedback) == 200, "a quarter is used"
    table.give_back(49)
    assert len(table.rows.feedback) == len(table.rows.no_memos) == 100
    assert table.rows.feedback[:49, 0].tolist() == list(range(49)), "what waits is kept"
