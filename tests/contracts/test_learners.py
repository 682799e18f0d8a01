"""What every learner of the catalogue must do, on every domain: a learner is tested by being in the catalogue."""

import copy
import inspect
import json

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.core.ledger import after_arrivals, after_play
from belated.learners.catalogue import EXAMPLES, NAMED
from belated.learners.state import copied, named_arrays
from belated.learners.verbs import begin, decision, play, probe, receive, settle
from support.players import answered_once, as_bytes, zero_feedback
from support.strategies import domains

DIM = 3
every_learner = pytest.mark.parametrize("name", EXAMPLES)
BALL = bl.Ball(DIM, radius=1.5, center=[0.5, -0.5, 1.0])


def example(name, domain):
    try:
        return EXAMPLES[name](domain)
    except errors.InvalidArgument:
        assert not np.isfinite(domain.diameter), "only an unbounded domain may be refused"
        return None


def test_every_named_learner_is_public_and_has_an_example():
    assert {label.split(",")[0] for label in EXAMPLES} == set(NAMED)
    for name, function in NAMED.items():
        assert getattr(bl, name) is function
        assert EXAMPLES[name](BALL).name == name


@pytest.mark.parametrize("name", NAMED)
def test_every_named_learner_documents_itself(name):
    page = inspect.getmodule(NAMED[name]).__doc__
    for needed in (".. math::", "symbol", "Source:", "Must be known:", ">>> "):
        assert needed in page


@every_learner
@given(domains(DIM), st.data())
def test_every_point_lies_in_the_domain_whatever_is_told(name, domain, data):
    learner = example(name, domain)
    if learner is None:
        return
    player, size = learner.start(), learner.shape.feedback_size
    numbers = st.floats(-1e3, 1e3, allow_nan=False)
    owed = []
    for _ in range(6):
        turn = player.ask()
        owed.append(turn.round)
        assert turn.points.shape == (learner.shape.queries, DIM)
        assert all(domain.contains(point) for point in turn.points)
        assert learner.decision_domain.contains(turn.decision)
        for _ in range(data.draw(st.integers(0, len(owed)))):
            number = owed.pop(data.draw(st.integers(0, len(owed) - 1)))
            player.tell(data.draw(st.lists(numbers, min_size=size, max_size=size)), round=number)


@every_learner
def test_the_first_decision_is_the_centre_or_what_was_given(name):
    learner = EXAMPLES[name](BALL)
    assert np.array_equal(learner.start().ask().decision, BALL.center)
    near = BALL.center + 0.1
    assert np.array_equal(learner.start(near).ask().decision, near)


def bad_tells(learner):
    size = learner.shape.feedback_size
    good = np.zeros(size)
    nan, infinite = good.copy(), good.copy()
    nan[-1], infinite[0] = np.nan, -np.inf
    wrong_values = [
        (np.zeros(size + 1), errors.InvalidArgument),
        (np.zeros((1, size)), errors.InvalidArgument),
        (0.0, errors.InvalidArgument),
        ([], errors.InvalidArgument),
        (None, errors.InvalidArgument),
        ("gradient", errors.InvalidArgument),
        (np.zeros(size, dtype=complex), errors.InvalidArgument),
        (nan, errors.InvalidArgument),
        (infinite, errors.InvalidArgument),
    ]
    wrong_rounds = [
        (99, errors.UnknownRound),
        (4, errors.UnknownRound),
        (2, errors.AlreadyAnswered),
        (1, errors.AlreadyAnswered),
        (0, errors.InvalidArgument),
        (-1, errors.InvalidArgument),
        (1.5, errors.InvalidArgument),
        (True, errors.InvalidArgument),
        ("3", errors.InvalidArgument),
    ]
    for values, error in wrong_values:
        yield {"feedback": values, "round": 3}, error
    for number, error in wrong_rounds:
        yield {"feedback": good, "round": number}, error
    for beta in (0.0, -1.0, np.nan, np.inf, "2"):
        yield {"feedback": good, "round": 3, "strong_convexity": beta}, errors.InvalidArgument
    if learner.needs_round:
        yield {"feedback": good}, errors.RoundRequired
    if learner.strong_convexity is None:
        yield {"feedback": good, "round": 3, "strong_convexity": 2.0}, errors.InvalidArgument


@every_learner
def test_a_bad_tell_is_a_clear_error_and_changes_nothing(name):
    learner = EXAMPLES[name](BALL)
    player, twin = answered_once(learner), answered_once(learner)
    before = as_bytes(player.state())
    for arguments, error in bad_tells(learner):
        with pytest.raises(error, match=r"`\w+\.tell\(.*\)`: "):
            player.tell(**arguments)
        assert as_bytes(player.state()) == before
    assert np.array_equal(player.ask().points, twin.ask().points)


@every_learner
def test_a_tell_when_nothing_is_owed_is_refused(name):
    learner = EXAMPLES[name](BALL)
    player = learner.start()
    with pytest.raises((errors.NothingOwed, errors.RoundRequired)):
        player.tell(zero_feedback(learner))
    player.ask()
    player.tell(zero_feedback(learner), round=1)
    before = as_bytes(player.state())
    with pytest.raises((errors.NothingOwed, errors.RoundRequired)):
        player.tell(zero_feedback(learner))
    assert as_bytes(player.state()) == before


@every_learner
@pytest.mark.parametrize(
    "initial", [[9.0] * DIM, [0.0] * (DIM + 1), [np.nan] * DIM, [np.inf] * DIM, "start", [[0.0] * DIM], 0.0]
)
def test_a_bad_start_is_refused(name, initial):
    with pytest.raises(errors.InvalidArgument, match=r"\.start\(initial="):
        EXAMPLES[name](BALL).start(initial)


@every_learner
@pytest.mark.parametrize("seed", [-1, 1.5, "0", None])
def test_a_bad_seed_is_refused(name, seed):
    with pytest.raises(errors.InvalidArgument, match="seed"):
        EXAMPLES[name](BALL).start(seed=seed)


@every_learner
def test_overflow_is_an_error_and_changes_nothing(name):
    """Finite feedback whose sum is not: no decision follows from it, and none is played."""
    learner = EXAMPLES[name](bl.Box([-1.0] * DIM, [1.0] * DIM))
    player = learner.start()
    huge = np.full(learner.shape.feedback_size, 1.7e308)
    huge[1:] *= -1
    for number in (1, 2):
        player.ask()
        player.tell(huge, round=number) if number == 2 else None
    player.tell(huge, round=1)
    before = as_bytes(player.state())
    for _ in range(2):
        with pytest.raises(errors.NumericalFailure):
            player.ask()
        assert as_bytes(player.state()) == before


@every_learner
def test_a_state_is_named_arrays_and_plain_values(name):
    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(item) for key, item in value.items())
        return type(value) in (int, float, str) or (isinstance(value, np.ndarray) and value.dtype.kind in "if")

    state = answered_once(EXAMPLES[name](BALL)).state()
    assert all(isinstance(key, str) and plain(value) for key, value in state.items())


@every_learner
def test_a_saved_state_is_a_copy(name):
    player = answered_once(EXAMPLES[name](BALL))
    before = as_bytes(player.state())
    for value in player.state().values():
        if isinstance(value, np.ndarray):
            value[...] = 7
    assert as_bytes(player.state()) == before


@every_learner
@pytest.mark.parametrize("make", [lambda learner: learner.start(), answered_once])
def test_a_state_survives_a_json_file_and_an_npz_file(name, make, tmp_path):
    learner = EXAMPLES[name](BALL)
    state = make(learner).state()
    through_json = json.loads(json.dumps(state, default=lambda array: array.tolist()))
    np.savez(tmp_path / "state.npz", **state)
    with np.load(tmp_path / "state.npz") as through_npz:
        for again in (through_json, dict(through_npz)):
            assert as_bytes(learner.resume(again).state()) == as_bytes(state)


@every_learner
def test_resuming_gives_the_same_state(name):
    learner = EXAMPLES[name](BALL)
    state = answered_once(learner).state()
    assert as_bytes(learner.resume(copy.deepcopy(state)).state()) == as_bytes(state)


def damaged(state):
    for key in state:
        yield key, {name: value for name, value in state.items() if name != key}
    for key, value in state.items():
        if isinstance(value, np.ndarray) and value.size:
            yield key, state | {key: np.concatenate([value, value[-1:], value[-1:]])}
            yield key, state | {key: value.astype(np.float32)}
            yield key, state | {key: value[:0]}
            if value.dtype.kind == "f":
                yield key, state | {key: np.full_like(value, np.nan)}
        elif isinstance(value, (int, float)):
            yield key, state | {key: "x"}
            yield key, state | {key: -1}
    yield "schema", state | {"schema": 2}
    yield "learner", state | {"learner": "somebody"}
    yield "fingerprint", state | {"fingerprint": "0" * 32}
    yield "random.state", state | {"random.state": "not a number"}
    yield "random.increment", state | {"random.increment": 2**130}
    yield "ledger.received", state | {"ledger.received": state["ledger.received"] + 1}
    yield "told.round", state | {"told.round": np.array([77])}
    yield "answered", state | {"answered": np.array([[3, 1]])}
    yield "answered", state | {"answered": np.array([[1, 2], [2, 3]])}


@every_learner
def test_a_damaged_state_is_refused(name):
    learner = EXAMPLES[name](BALL)
    state = answered_once(learner).state()
    for key, wrong in damaged(state):
        with pytest.raises((errors.StateMismatch, errors.InvalidArgument)):
            pytest.fail(f"resumed from a state with a bad {key}: {learner.resume(wrong)}")


@every_learner
def test_a_state_of_another_learner_is_refused(name):
    learner = EXAMPLES[name](BALL)
    state = answered_once(learner).state()
    others = [EXAMPLES[other](BALL) for other in EXAMPLES if other != name] + [EXAMPLES[name](bl.Ball(DIM))]
    for other in others:
        assert other != learner
        with pytest.raises(errors.StateMismatch, match="another learner"):
            other.resume(state)


@every_learner
def test_players_share_nothing_and_plays_are_copies(name):
    learner = EXAMPLES[name](BALL)
    one, two = answered_once(learner), answered_once(learner)
    before = as_bytes(two.state())
    turn = one.ask()
    turn.points[:] = 9.0
    turn.decision[:] = 9.0
    assert as_bytes(two.state()) == before
    assert np.array_equal(one.ask().decision, (two.ask(), two.ask())[1].decision)


@every_learner
def test_descriptions_are_values(name):
    learner = EXAMPLES[name](BALL)
    assert learner == EXAMPLES[name](BALL)
    assert hash(learner) == hash(EXAMPLES[name](BALL))
    assert copy.deepcopy(learner) == learner
    with pytest.raises(AttributeError):
        learner.name = "other"
    assert name.split(",")[0] in repr(learner)


def one_round(policy, state, ledger, rng, feedback, memo, scratch, points, fresh_memo, held):
    ledger = after_arrivals(ledger, 1, 0, 0.0)
    receive(policy, state, ledger, feedback, memo, scratch)
    settle(policy, state, ledger)
    ledger = after_play(ledger)
    play(policy, state, ledger, rng, scratch, points, fresh_memo)
    decision(policy, state, held)
    return ledger


compiled_round = numba.njit(_nrt=False)(one_round)  # type: ignore[call-overload]  # not in numba's stubs
"""Compiled without memory management: learners of the catalogue make no arrays, so a loop over them stays fast."""


@every_learner
@pytest.mark.parametrize("domain_class", [bl.Ball, bl.Simplex])
def test_compiled_arithmetic_gives_the_same_bits(name, domain_class):
    """The same source, interpreted and compiled, to the last bit; on a set with interior and on one without."""
    learner = EXAMPLES[name](domain_class.example(DIM))
    shape, outcomes = learner.shape, []
    for step in (one_round, compiled_round):
        state = begin(learner.policy, learner.decision_domain.center)
        rng, random = np.random.default_rng(3), np.random.default_rng(4)
        ledger, seen = after_play(bl.Player.ledger.fget(learner.start())), []
        for _ in range(5):
            points, memo, held = np.empty((shape.queries, DIM)), np.empty(shape.memo_size), np.empty(DIM)
            scratch = np.empty(shape.scratch_size)
            feedback, old = random.normal(size=shape.feedback_size), random.normal(size=shape.memo_size)
            ledger = step(learner.policy, state, ledger, rng, feedback, old, scratch, points, memo, held)
            seen += [points, memo, held, *(array.copy() for _, array in named_arrays(copied(state), ""))]
        outcomes.append((tuple(ledger), [array.tobytes() for array in seen]))
    assert outcomes[0] == outcomes[1]


def test_an_interrupted_ask_leaves_the_player_as_it_was(monkeypatch):
    """Ctrl-C while directions are drawn: neither the state nor the random stream has moved."""
    learner = EXAMPLES["bdogd_sc_two_point"](BALL)
    player, twin = answered_once(learner), answered_once(learner)
    before = as_bytes(player.state())

    def interrupted(estimator, center, rng, scratch, points, memo):
        rng.standard_normal()
        raise KeyboardInterrupt

    monkeypatch.setitem(probe.implementations, type(learner.policy.estimator), interrupted)
    with pytest.raises(KeyboardInterrupt):
        player.ask()
    monkeypatch.undo()
    assert as_bytes(player.state()) == before
    assert np.array_equal(player.ask().points, twin.ask().points)


def test_a_player_says_what_it_is():
    assert repr(answered_once(EXAMPLES["dogd_sc"](BALL))) == "<dogd_sc player: 3 rounds asked, 2 answered>"
