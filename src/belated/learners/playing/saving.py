"""A player as named arrays and plain values, and back.

What is saved has a digest of itself. To resume, a player is built from the saved values, asked for its own state, and
must come out with the same names and the same digest: whatever was damaged, added or changed on the way, in type or in
meaning, does not get through.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Integers, Matrix, Vector
from belated.core.errors import InvalidArgument, StateMismatch
from belated.core.ledger import Ledger
from belated.core.parts import leaves
from belated.core.rounds import RoundSet
from belated.learners.parts.rates.given import RoundFunction
from belated.learners.playing.inbox import Inbox
from belated.learners.playing.numbers import growing_arrays
from belated.learners.playing.state import (
    generator_values,
    named_arrays,
    plain,
    restored,
    restored_generator,
    saved_array,
    saved_text,
    state_digest,
)
from belated.learners.verbs import State, begin

if TYPE_CHECKING:
    from belated.learners.learner import Learner
    from belated.learners.playing.player import Player

SCHEMA = 1


class Contents(NamedTuple):
    """Everything that a player keeps.

    The first rows of ``feedback`` wait for the next ask; their rounds, and others that wait, are in ``waiting``.
    ``memos`` are what is remembered of open rounds, ``closed`` the rounds that are known to be answered or given up.
    """

    ledger: Ledger
    policy_state: State
    random_state: Any
    waiting: Inbox
    feedback: Matrix
    memos: dict[int, Vector]
    closed: RoundSet


def first_contents(learner: "Learner", initial: ArrayLike | None, seed: int) -> Contents:
    """Those of a player that has not been asked yet; arguments as for ``learner.start``."""
    first = learner.first_decision(initial)
    rng = streams.learner(checks.count(f"{learner.name}.start", "seed", seed, least=0, most=2**256))
    state, table = begin(learner.policy, first), np.empty((1, learner.interface.feedback_size))
    return Contents(Ledger(), state, rng.bit_generator.state, Inbox(), table, {}, RoundSet())


def saved_state(learner: "Learner", contents: Contents) -> dict[str, Any]:
    """The state of a player, with its digest."""
    told, memos = contents.waiting, contents.memos
    state = {
        "schema": SCHEMA,
        "learner": learner.name,
        "fingerprint": learner.fingerprint,
        "functions": _identities(learner),
        **{f"ledger.{name}": value for name, value in contents.ledger._asdict().items()},
        **{name: array.copy() for name, array in named_arrays(contents.policy_state, "policy")},
        **generator_values(contents.random_state),
        "told.feedback": contents.feedback[: len(told)].copy(),
        "told.round": _rounds(max(number, 0) for number in told),
        "late.round": _rounds(contents.waiting.late),
        "given_up.round": _rounds(contents.waiting.given_up),
        "owed.round": _rounds(memos),
        "owed.memo": np.array(list(memos.values())).reshape(len(memos), learner.interface.memo_size),
        "closed": contents.closed.ranges(),
    }
    return state | {"digest": state_digest(state)}


def _rounds(numbers: Iterable[int]) -> Integers:
    return np.array(list(numbers), dtype=np.int64)


def resumed(make: "Callable[[Learner, Contents], Player]", learner: "Learner", saved: Mapping[str, Any]) -> "Player":
    """The player that ``make`` builds from the contents that :func:`saved_state` was given.

    Args:
        make: Builds a player. Numbers that no player ever had may make it fail in many ways, such as by an overflow.
        learner: The learner that the state must belong to.
        saved: What ``Player.state`` returned, or what somebody takes for it.

    Raises:
        StateMismatch: It is something else, belongs to another learner, or is damaged.
    """
    contents = _restored_contents(learner, saved)
    try:
        player = make(learner, contents)
        again = player.state()
    except (ArithmeticError, ValueError, IndexError) as problem:
        failed = f"{type(problem).__name__}: {problem}"
        raise StateMismatch(f"the state was changed or damaged since it was saved: {failed}") from problem
    check_restored(saved, again)
    return player


def _restored_contents(learner: "Learner", saved: Mapping[str, Any]) -> Contents:
    """The contents that :func:`saved_state` was given. Whether it was so is for :func:`check_restored` to say.

    Args:
        learner: The learner that the state must belong to.
        saved: What ``Player.state`` returned, or what somebody takes for it.

    Raises:
        StateMismatch: It is something else, or belongs to another learner.
    """
    if not isinstance(saved, Mapping):
        raise StateMismatch(f"`{learner.name}.resume({checks.shown(saved)})`: must be what player.state() returned")
    try:
        values = plain(saved)
        _check_owner(learner, values)
        return _contents(learner, values)
    except KeyError as missing:
        raise StateMismatch(f"state has no {missing.args[0]!r}") from None
    except InvalidArgument as problem:
        raise StateMismatch(str(problem)) from None


def check_restored(saved: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    """Raise StateMismatch unless ``again``, the state of a player resumed from ``saved``, has its names and digest."""
    unknown = [checks.shown(name) for name in saved if name not in again]
    if unknown:
        raise StateMismatch(f"state has {', '.join(unknown)}, which player.state() does not write")
    if str(saved["digest"]) != again["digest"]:
        raise StateMismatch("the state was changed or damaged since it was saved: it does not have its digest")


def _check_owner(learner: "Learner", saved: Mapping[str, Any]) -> None:
    if checks.count("resume", "schema", saved["schema"], least=0) != SCHEMA:
        raise StateMismatch(f"state['schema'] is {checks.shown(saved['schema'])}; this version reads {SCHEMA}")
    name = saved_text(saved, "learner")
    if name != learner.name:
        raise StateMismatch(f"the state belongs to another learner, {name}, not to {learner.name}")
    saved_text(saved, "digest")
    identity = saved_text(saved, "fingerprint"), saved_text(saved, "functions")
    if identity != (learner.fingerprint, _identities(learner)):
        raise StateMismatch(_what_differs(learner, saved))


def _functions(learner: "Learner") -> list[RoundFunction]:
    """The functions that the caller has given the learner, which its fingerprint knows by a digest only."""
    return [leaf for leaf in leaves(learner.policy) if isinstance(leaf, RoundFunction)]


def _identities(learner: "Learner") -> str:
    """What the functions are known by, one in each line."""
    return "\n".join(function.identity for function in _functions(learner))


def _what_differs(learner: "Learner", saved: Mapping[str, Any]) -> str:
    before = saved["functions"].split("\n")
    others = [function.name for function in _functions(learner) if function.identity not in before]
    if others and before != [""]:
        return (
            f"the state was saved with another function than {', '.join(others)}, which {learner.name} has for a rate: "
            "its code, a value that it reads or the name given to rates.of_round has changed since, or the state was "
            "saved by another version of Python"
        )
    return f"the state belongs to another learner: {learner.name} with other arguments"


def _contents(learner: "Learner", saved: Mapping[str, Any]) -> Contents:
    interface = learner.interface
    feedback = saved_array(saved, "told.feedback", np.float64, (None, interface.feedback_size))
    told = saved_array(saved, "told.round", np.int64, (len(feedback),))
    late, given_up = (saved_array(saved, f"{name}.round", np.int64, (None,)) for name in ("late", "given_up"))
    owed = saved_array(saved, "owed.round", np.int64, (None,))
    memos = saved_array(saved, "owed.memo", np.float64, (len(owed), interface.memo_size))
    waiting = Inbox((number or -1 - place, None) for place, number in enumerate(told.tolist()))
    waiting.stamped = bool(told.any())
    for kind, numbers in (("late", late), ("given_up", given_up)):
        for number in numbers.tolist():
            waiting.enter(kind, number)
    fresh = begin(learner.policy, learner.decision_domain.centre)
    return Contents(
        _ledger(saved),
        restored(fresh, saved, "policy", growing_arrays(learner.policy, fresh)),
        restored_generator(streams.learner(0), saved).bit_generator.state,
        waiting,
        np.concatenate([feedback, np.empty((1, interface.feedback_size))]),
        {int(number): memo for number, memo in zip(owed, memos, strict=True)},
        RoundSet.from_ranges(saved_array(saved, "closed", np.int64, (None, 2))),
    )


def _ledger(saved: Mapping[str, Any]) -> Ledger:
    names = [f"ledger.{name}" for name in Ledger._fields]
    return Ledger(*[checks.count("resume", name, saved[name], least=0) for name in names])
