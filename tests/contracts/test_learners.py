"""What every learner of the catalogue must do, on every domain: a learner is tested by being in the catalogue."""

import contextlib
import copy
import inspect
import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.learners.catalogue import EXAMPLES, NAMED
from belated.learners.playing import inbox, numbers
from belated.learners.verbs import probe
from support.bad_tells import bad_tells
from support.compiler import needs_compiler
from support.interrupting import Interrupted, interrupted_at
from support.players import (
    DIM,
    OTHER_HOMES,
    answered_once,
    as_bytes,
    ask,
    only_for_some,
    telling,
    typical,
    zero_feedback,
)
from support.strategies import domains

every_learner = pytest.mark.parametrize("name", EXAMPLES)


def example(name, domain):
    try:
        return EXAMPLES[name](domain)
    except errors.InvalidArgument:
        assert only_for_some(name) or not np.isfinite(domain.diameter), "only an unbounded domain may be refused"
        return None


def test_every_named_learner_is_public_and_has_an_example():
    assert {label.split(",")[0] for label in EXAMPLES} == set(NAMED)
    for name, function in NAMED.items():
        assert getattr(bl, name) is function
        assert typical(name).name == name


@pytest.mark.parametrize("name", NAMED)
def test_every_named_learner_documents_itself(name):
    page = inspect.getmodule(NAMED[name]).__doc__
    for needed in (".. math::", "symbol", "Source:", "Must be known:", ">>> "):
        assert needed in page


@every_learner
@settings(max_examples=24)  # of each of the eight domains a few
@given(domains(DIM), st.data())
def test_every_point_lies_in_the_domain_whatever_is_told(name, domain, data):
    learner = example(name, domain)
    if learner is None:
        return
    player, size = learner.start(), learner.interface.feedback_size
    numbers = st.floats(-1e3, 1e3, allow_nan=False)
    owed = []
    for _ in range(6):
        turn = ask(player)
        owed.append(turn.round)
        assert turn.points.shape == (learner.interface.queries, DIM)
        assert all(domain.contains(point) for point in turn.points)
        assert learner.decision_domain.contains(turn.decision)
        for _ in range(data.draw(st.integers(0, len(owed)))):
            number = owed.pop(data.draw(st.integers(0, len(owed) - 1)))
            told = data.draw(st.lists(numbers, min_size=size, max_size=size))
            player.tell(telling(learner, told), round=number)


@every_learner
def test_the_first_decision_is_the_centre_or_what_was_given(name):
    learner = typical(name)
    centre = learner.decision_domain.centre
    assert np.array_equal(ask(learner.start()).decision, centre)
    near = learner.decision_domain.project(centre + np.array([0.1, -0.05, -0.05]))
    assert np.array_equal(ask(learner.start(near)).decision, near)


@every_learner
def test_a_bad_context_is_a_clear_error_and_changes_nothing(name):
    learner = typical(name)
    player, twin, size = answered_once(learner), answered_once(learner), learner.interface.context_size
    before = as_bytes(player.state())
    wrong = (
        [None, np.zeros(size + 1), np.full(size, np.nan), "features", [[0.0] * size]] if size else [[1.0], 0.0, "it"]
    )
    for context in wrong:
        with pytest.raises(errors.InvalidArgument, match=rf"`{learner.name}\.ask\(context="):
            player.ask(context)
        assert as_bytes(player.state()) == before
    assert np.array_equal(ask(player).points, ask(twin).points)


@every_learner
def test_a_bad_tell_is_a_clear_error_and_changes_nothing(name):
    learner = typical(name)
    player, twin = answered_once(learner), answered_once(learner)
    before = as_bytes(player.state())
    for arguments, error in bad_tells(learner):
        with pytest.raises(error, match=r"`\w+\.tell\(.*\)`: "):
            player.tell(**arguments)
        assert as_bytes(player.state()) == before
    assert np.array_equal(ask(player).points, ask(twin).points)


@every_learner
def test_a_tell_when_nothing_is_owed_is_refused(name):
    learner = typical(name)
    player = learner.start()
    with pytest.raises((errors.NothingOwed, errors.RoundRequired)):
        player.tell(zero_feedback(learner))
    ask(player)
    player.tell(zero_feedback(learner), round=1)
    before = as_bytes(player.state())
    with pytest.raises((errors.NothingOwed, errors.RoundRequired)):
        player.tell(zero_feedback(learner))
    assert as_bytes(player.state()) == before


@every_learner
def test_a_bad_start_is_refused(name):
    for initial in ([0.0] * (DIM + 1), [np.nan] * DIM, [np.inf] * DIM, "start", [[0.0] * DIM], 0.0):
        with pytest.raises(errors.InvalidArgument, match=r"\.start\(initial="):
            typical(name).start(initial)


@every_learner
def test_a_start_outside_of_the_domain_is_refused(name):
    learner, far = typical(name), [9.0] * DIM
    if np.isinf(learner.domain.diameter):
        assert learner.start(far).ledger.round == 0  # no point is outside
        return
    with pytest.raises(errors.InvalidArgument, match=r"\.start\(initial="):
        learner.start(far)


@every_learner
def test_a_bad_seed_is_refused(name):
    for seed in (-1, 1.5, "0", None):
        with pytest.raises(errors.InvalidArgument, match="seed"):
            typical(name).start(seed=seed)


@every_learner
def test_a_state_is_named_arrays_and_plain_values(name):
    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(item) for key, item in value.items())
        return type(value) in (int, float, str) or (isinstance(value, np.ndarray) and value.dtype.kind in "if")

    state = answered_once(typical(name)).state()
    assert all(isinstance(key, str) and plain(value) for key, value in state.items())


@every_learner
def test_a_saved_state_is_a_copy(name):
    player = answered_once(typical(name))
    before = as_bytes(player.state())
    for value in player.state().values():
        if isinstance(value, np.ndarray):
            value[...] = 7
    assert as_bytes(player.state()) == before


@every_learner
@pytest.mark.parametrize("make", [lambda learner: learner.start(), answered_once])
def test_a_state_survives_a_json_file_and_an_npz_file(name, make, tmp_path):
    learner = typical(name)
    state = make(learner).state()
    through_json = json.loads(json.dumps(state, default=lambda array: array.tolist()))
    np.savez(tmp_path / "state.npz", **state)
    with np.load(tmp_path / "state.npz") as through_npz:
        for again in (through_json, dict(through_npz)):
            assert as_bytes(learner.resume(again).state()) == as_bytes(state)


@every_learner
def test_resuming_gives_the_same_state(name):
    learner = typical(name)
    state = answered_once(learner).state()
    assert as_bytes(learner.resume(copy.deepcopy(state)).state()) == as_bytes(state)


def damaged(state):
    memo_size = state["owed.memo"].shape[1]
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
    for key in [key for key in state if key.startswith("ledger.")]:
        yield key, state | {key: state[key] + 1}
    yield "told.round", state | {"told.round": np.array([77])}
    yield "told.round", state | {"told.round": np.array([0])}
    yield "told.feedback", state | {"told.feedback": -state["told.feedback"]}
    yield (
        "owed.round",
        state | {"owed.round": np.array([2, 77, 4]), "owed.memo": np.zeros((3, memo_size))},
    )
    yield "late.round", state | {"late.round": np.array([1])}
    yield "given_up.round", state | {"given_up.round": np.array([3])}
    yield "closed", state | {"closed": np.array([[1, 3]])}
    yield "closed", state | {"closed": np.array([[1, 100]])}
    for key, value in state.items():
        if key.startswith("policy.") and value.size:
            yield key, state | {key: value + 1e-3}
    yield "digest", state | {"digest": "0" * 32}
    yield "closed", state | {"closed": np.array([[3, 1]])}
    yield "closed", state | {"closed": np.array([[1, 2], [2, 3]])}


@every_learner
def test_a_damaged_state_is_refused(name):
    learner = typical(name)
    state = answered_once(learner).state()
    for key, wrong in damaged(state):
        with pytest.raises(errors.StateMismatch):
            pytest.fail(f"resumed from a state with a bad {key}: {learner.resume(wrong)}")


GARBAGE: Any = (None, True, -1, 1.5, 10**30, {}, b"x", object(), [[1, 2], [3]], np.array(["a"]), np.array([[[]]]))
"""What may stand in a file in place of anything."""


def unwritten(state):
    """States with something that ``state()`` never writes, although much of it could be read."""
    for key, value in state.items():
        for each in GARBAGE[:-1] if np.size(value) == 0 else GARBAGE:  # where nothing is, the last one is nothing, too
            yield key, state | {key: each}
    for key in ("random.state", "random.increment"):
        for text in (f" {state[key]}", f"{state[key]} ", f"0{state[key]}", f"0x{state[key]}", state[key].upper(), ""):
            yield key, state | {key: text}
    yield "schema", state | {"schema": np.array(True)}
    yield "owed.memo", state | {"owed.memo": np.ma.array(state["owed.memo"])}


def test_what_a_state_never_has_is_refused():
    learner = typical("bdogd_sc_two_point")
    state = answered_once(learner, seed=3).state()
    assert state["random.state"] != state["random.state"].upper()
    for key, wrong in unwritten(state):
        with pytest.raises(errors.StateMismatch, match=r"state|resume"):
            pytest.fail(f"resumed from a state with {key}={wrong[key]!r}: {learner.resume(wrong)}")


def test_names_that_a_state_never_has_are_refused(monkeypatch):
    learner = typical("dogd_sc")
    wrong = answered_once(learner).state() | {"extra": 1, 7: None}
    with pytest.raises(errors.StateMismatch, match=r"^state has 'extra', 7, which player\.state\(\) does not write$"):
        learner.resume(wrong)
    monkeypatch.setattr("belated.learners.playing.saving.check_restored", lambda saved, again: None)
    assert learner.resume(wrong), "the mutant: nobody looks"


@pytest.mark.parametrize("nonsense", [None, [1], 3, "state"])
def test_what_is_no_state_is_refused(nonsense):
    with pytest.raises(errors.StateMismatch, match=r"must be what player\.state"):
        typical("dogd_sc").resume(nonsense)


@every_learner
def test_a_resumed_player_keeps_nothing_of_the_state_it_came_from(name):
    learner = typical(name)
    state = answered_once(learner).state()
    player, twin = learner.resume(state), learner.resume(copy.deepcopy(state))
    for value in state.values():
        if isinstance(value, np.ndarray):
            value[...] = 7
    assert np.array_equal(ask(player).points, ask(twin).points)


@every_learner
@pytest.mark.parametrize("copied_by", [copy.copy, copy.deepcopy])
def test_a_copied_player_goes_its_own_way(name, copied_by):
    player = answered_once(typical(name))
    before = as_bytes(player.state())
    twin = copied_by(player)
    first = ask(twin).points
    assert as_bytes(player.state()) == before
    assert np.array_equal(ask(player).points, first)


@every_learner
def test_a_state_of_another_learner_is_refused(name):
    learner = typical(name)
    state = answered_once(learner).state()
    others = [typical(other) for other in EXAMPLES if other != name] + [typical(name, OTHER_HOMES)]
    for other in others:
        assert other != learner
        with pytest.raises(errors.StateMismatch, match="another learner"):
            other.resume(state)


@every_learner
def test_players_share_nothing_and_plays_are_copies(name):
    learner = typical(name)
    one, two = answered_once(learner), answered_once(learner)
    before = as_bytes(two.state())
    turn = ask(one)
    turn.points[:] = 9.0
    turn.decision[:] = 9.0
    assert as_bytes(two.state()) == before
    assert np.array_equal(ask(one).decision, (ask(two), ask(two))[1].decision)


@every_learner
def test_descriptions_are_values(name):
    learner = typical(name)
    assert learner == typical(name)
    assert hash(learner) == hash(typical(name))
    assert copy.deepcopy(learner) == learner
    with pytest.raises(AttributeError):
        learner.name = "other"
    assert name.split(",")[0] in repr(learner)


@every_learner
def test_a_learner_draws_if_and_only_if_it_says_so(name):
    learner = typical(name)
    player = learner.start(seed=5)

    def random():
        return [value for key, value in player.state().items() if key.startswith("random.")]

    before = random()
    for _ in range(3):
        ask(player)
    assert (random() != before) == learner.interface.draws


@every_learner
def test_a_pickled_player_goes_on_as_the_player_does(name):
    """Users may pickle what they like, such as to hand a player to another process."""
    player = answered_once(typical(name))
    twin = pickle.loads(pickle.dumps(player))
    assert as_bytes(twin.state()) == as_bytes(player.state())
    for _ in range(3):
        assert np.array_equal(ask(player).points, ask(twin).points)
    assert as_bytes(twin.state()) == as_bytes(player.state())


def test_an_interrupted_ask_leaves_the_player_as_it_was(monkeypatch):
    """Ctrl-C while directions are drawn: neither the state nor the random stream has moved."""
    learner = typical("bdogd_sc_two_point")
    player, twin = answered_once(learner), answered_once(learner)
    before = as_bytes(player.state())

    def interrupted(estimator, centre, rng, scratch, points, memo):
        rng.standard_normal()
        raise KeyboardInterrupt

    monkeypatch.setitem(probe.implementations, type(learner.policy.estimator), interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(player)
    monkeypatch.undo()
    assert as_bytes(player.state()) == before
    assert np.array_equal(ask(player).points, ask(twin).points)


def test_a_player_says_what_it_is():
    expected = "<dogd_sc player: 3 rounds asked, 2 answered, 0 given up, 1 in flight>"
    assert repr(answered_once(typical("dogd_sc"))) == expected


def test_only_code_of_the_library_is_interrupted_wherever_the_files_lie():
    """Others' code runs in between, such as what Hypothesis does when garbage is collected."""
    hook = compile("x = 1\ny = 2", "/somewhere/belated/lib/hypothesis/internal.py", "exec")
    assert not interrupted_at(1, lambda: exec(hook, {"__name__": "hypothesis.internal"}))
    ours = compile("x = 1\ny = 2", "/elsewhere/player.py", "exec")
    assert interrupted_at(1, lambda: exec(ours, {"__name__": "belated.learners.playing.player"}))


def after_interruptions(learner, at, compiled):
    """What follows from a run whose ask and tell are interrupted at their ``at``-th line and then tried again."""
    player = answered_once(learner)
    if compiled:
        assert player.compile()
    asked = player.ledger.round
    stopped = interrupted_at(at, player.ask)
    if player.ledger.round == asked:
        ask(player)
    try:
        stopped |= interrupted_at(at, lambda: player.tell(zero_feedback(learner), round=3))
        player.tell(zero_feedback(learner), round=3)
    except errors.AlreadyAnswered:
        pass
    return stopped, [ask(player).points, ask(player).points]


@pytest.mark.parametrize(
    ("name", "compiled"),
    [
        ("dogd_sc", False),
        ("bdogd_sc_two_point", False),
        ("bold", False),  # which repeats turns, here from the first on
        pytest.param("dogd_sc", True, marks=needs_compiler),
        pytest.param("bdogd_sc_two_point", True, marks=needs_compiler),
    ],
)
def test_an_interrupt_at_any_line_leaves_a_player_that_goes_on_as_if_nothing_happened(name, compiled, monkeypatch):
    monkeypatch.setattr(numbers, "MOST_COPIED", 0)
    learner = typical(name)
    _, expected = after_interruptions(learner, 10**9, False)
    at, stopped = 1, True
    while stopped:
        stopped, points = after_interruptions(learner, at, compiled)
        assert all(np.array_equal(*pair) for pair in zip(points, expected, strict=True)), f"interrupted at line {at}"
        at += 1 if at < 60 else 7
    assert at > (20 if compiled else 100), "the whole of ask was interrupted"


def told_thrice(learner, at):
    """Three tells, of which the second finds no room in the table and is interrupted at its ``at``-th line."""
    player = learner.start()
    for _ in range(3):
        ask(player)
    player.tell(zero_feedback(learner) + 0.1, round=1)
    stopped = interrupted_at(at, lambda: player.tell(zero_feedback(learner) + 0.2, round=2))
    for number in (2, 3):
        with contextlib.suppress(errors.AlreadyAnswered):
            player.tell(zero_feedback(learner) + 0.1 * number, round=number)
    return stopped, ask(player).points


def in_two_steps(table, row, feedback, put=None):
    """The mutant: the two tables grow one after the other, and are interrupted in between."""
    if row == len(table.rows.feedback):
        table.rows = table.rows._replace(feedback=np.resize(table.rows.feedback, (4 * row, feedback.size)))
        raise Interrupted
    table.rows.feedback[row] = feedback


def test_an_interrupt_while_the_table_of_feedback_grows_breaks_no_later_ask(monkeypatch):
    learner = typical("dogd_sc")
    _, expected = told_thrice(learner, 10**9)
    at, stopped = 1, True
    while stopped:
        stopped, points = told_thrice(learner, at)
        assert np.array_equal(points, expected), f"interrupted at line {at}"
        at += 1
    assert at > 10
    monkeypatch.setattr(inbox.FeedbackTable, "write", in_two_steps)
    with pytest.raises(IndexError):
        told_thrice(learner, 10**9)
