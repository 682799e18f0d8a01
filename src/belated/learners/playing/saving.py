"""A player as named arrays and plain values, and back.

What is saved has a digest of itself. To resume, a player is built from the saved values, asked for its own state, and
must come out with the same digest: whatever was damaged or changed on the way, in type or in meaning, does not get
through.
"""

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument, StateMismatch
from belated.core.ledger import Ledger
from belated.core.rounds import RoundSet
from belated.learners.playing.state import (
    generator_values,
    named_arrays,
    plain,
    restored,
    restored_generator,
    saved_array,
)
from belated.learners.verbs import begin, enlarged, full

if TYPE_CHECKING:
    from belated.learners.learner import Learner

SCHEMA = 1


class Books(NamedTuple):
    """What a player keeps.

    The first rows of ``feedback`` wait for the next ask; ``told`` are their rounds, negative where none was told.
    ``memos`` are what is remembered of rounds in flight, ``answered`` the rounds that have been.
    """

    ledger: Ledger
    policy_state: Any
    random_state: Any
    told: dict[int, None]
    feedback: Matrix
    memos: dict[int, Vector]
    answered: RoundSet


def saved_state(learner: "Learner", books: Books) -> dict[str, Any]:
    """The state of a player, with its digest."""
    interface, told = learner.interface, [max(number, 0) for number in books.told]
    owed = {number: memo for number, memo in books.memos.items() if number <= books.ledger.round}
    state = {
        "schema": SCHEMA,
        "learner": learner.name,
        "fingerprint": learner.fingerprint,
        **{f"ledger.{name}": value for name, value in books.ledger._asdict().items()},
        **{name: array.copy() for name, array in named_arrays(books.policy_state, "policy")},
        **generator_values(books.random_state),
        "told.feedback": books.feedback[: len(told)].copy(),
        "told.round": np.array(told, dtype=np.int64),
        "owed.round": np.array(list(owed), dtype=np.int64),
        "owed.memo": np.array(list(owed.values())).reshape(len(owed), interface.memo_size),
        "answered": books.answered.ranges(),
    }
    return state | {"digest": _digest(state)}


def restored_books(learner: "Learner", saved: Mapping[str, Any]) -> tuple[Books, Any]:
    """The books that :func:`saved_state` was given, and the digest that it wrote down."""
    if not isinstance(saved, Mapping):
        raise StateMismatch(f"`{learner.name}.resume({checks.shown(saved)})`: must be what player.state() returned")
    try:
        values = plain(saved)
        _check_owner(learner, values)
        return _books(learner, values), values["digest"]
    except KeyError as missing:
        raise StateMismatch(f"state has no {missing.args[0]!r}") from None
    except InvalidArgument as problem:
        raise StateMismatch(str(problem)) from None


def _check_owner(learner: "Learner", saved: Mapping[str, Any]) -> None:
    if saved["schema"] != SCHEMA:
        raise StateMismatch(f"state['schema'] is {checks.shown(saved['schema'])}; this version reads {SCHEMA}")
    if saved["learner"] != learner.name:
        raise StateMismatch(f"the state belongs to another learner, {saved['learner']}, not to {learner.name}")
    if saved["fingerprint"] != learner.fingerprint:
        raise StateMismatch(f"the state belongs to another learner: {learner.name} with other arguments")


def _books(learner: "Learner", saved: Mapping[str, Any]) -> Books:
    interface = learner.interface
    feedback = saved_array(saved, "told.feedback", np.float64, (None, interface.feedback_size))
    rounds = saved_array(saved, "told.round", np.int64, (len(feedback),))
    owed = saved_array(saved, "owed.round", np.int64, (None,))
    memos = saved_array(saved, "owed.memo", np.float64, (len(owed), interface.memo_size))
    told = {number or -1 - place: None for place, number in enumerate(rounds.tolist())}
    return Books(
        _ledger(saved),
        restored(_large_enough(learner, saved), saved, "policy"),
        restored_generator(streams.learner(0), saved).bit_generator.state,
        told,
        np.concatenate([feedback, np.empty((1, interface.feedback_size))]),
        {int(number): memo for number, memo in zip(owed, memos, strict=True)},
        RoundSet.from_ranges(saved_array(saved, "answered", np.int64, (None, 2))),
    )


def _large_enough(learner: "Learner", saved: Mapping[str, Any]) -> Any:
    """A fresh state with as much room as the saved one has, all arrays together: single ones may be damaged."""
    state = begin(learner.policy, learner.decision_domain.center)
    while full.knows(learner.policy):
        arrays = dict(named_arrays(state, "policy"))
        if sum(array.size for array in arrays.values()) >= sum(np.size(saved[name]) for name in arrays):
            break
        state = enlarged(learner.policy, state)
    return state


def _ledger(saved: Mapping[str, Any]) -> Ledger:
    names = [f"ledger.{name}" for name in Ledger._fields]
    return Ledger(*[checks.count("resume", name, saved[name], least=0) for name in names])


def _digest(state: Mapping[str, Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, value in state.items():
        array = isinstance(value, np.ndarray)
        content = value.tobytes() if array else repr(value).encode()
        digest.update(f"{name}:{value.shape if array else ''}:{len(content)}:".encode() + content)
    return digest.hexdigest()
