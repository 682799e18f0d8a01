"""One course played, and many signs tried for the same delays, in one function that compiles.

A bound looks at the delays of a run and, for the most part, at nothing else. So the search asks for it once for each
list of delays, in Python, and tries many signs for that list here, where a round takes some nanoseconds. The verbs are
those that players and simulations call; the loop around them is much shorter than that of ``sim``, because a course is
so short that all of its feedback is kept in one table.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from belated.audit.adversaries import Line, regret
from belated.audit.changes import change_signs
from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger, after_arrivals, after_play
from belated.core.stacks import overwrite
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.learners.verbs import Desk, Interface, full, play, receive, settle

NONE = -1
"""The end of the list of a round's arrivals."""


class Room(NamedTuple):
    """What playing needs, made once for each number of rounds; nothing in it has a meaning before a call.

    ``feedback``, ``memos`` and ``decisions`` have a row for each round. The arrivals of round t are ``first[t]``, then
    ``following`` of each.
    """

    scratch: Vector
    points: Matrix
    feedback: Matrix
    memos: Matrix
    decisions: Matrix
    first: Integers
    following: Integers
    trial: Integers
    spare: Vector


def room_for(interface: Interface, dim: int, rounds: int) -> Room:
    """Room for runs of so many rounds."""
    return Room(
        scratch=np.empty(interface.scratch_size),
        points=np.full((1, dim), np.nan),  # a policy that writes none is noticed
        feedback=np.empty((rounds, dim)),
        memos=np.empty((rounds, interface.memo_size)),
        decisions=np.empty((rounds, dim)),
        first=np.empty(rounds, dtype=np.int64),
        following=np.empty(rounds, dtype=np.int64),
        trial=np.empty(rounds, dtype=np.int64),
        spare=np.empty(dim),
    )


@compilable
def play_course(
    policy: Any,
    fresh: Any,
    state: Any,
    domain: Any,
    losses: Any,
    line: Line,
    signs: Integers,
    delays: Integers,
    room: Room,
) -> float:
    """Play a course from ``fresh``, the state before its first round, and return the regret; NaN if there is no room.

    ``room.decisions`` and ``room.feedback`` have the decisions and the gradients afterwards.
    """
    overwrite(state, fresh)
    rounds = signs.size
    for t in range(rounds):
        room.first[t] = NONE
    for back in range(rounds):  # from the last round on, so that lists are in order of play
        k = rounds - 1 - back
        end = k + int(delays[k]) - 1
        room.following[k] = room.first[end]
        room.first[end] = k
    ledger = Ledger(0, 0, 0, 0, 0, 0, 0)
    for t in range(rounds):
        if full(policy, state, ledger):
            return math.nan
        ledger = after_play(ledger)
        play(policy, state, ledger, Desk(None, room.scratch, room.points, room.memos[t]))
        copy_into(room.points[0], room.decisions[t])
        for i in range(line.slope.size):
            room.feedback[t, i] = float(signs[t]) * float(line.slope[i])
        arrived = 0
        k = int(room.first[t])
        while k != NONE:
            arrived += 1
            k = int(room.following[k])
        ledger = after_arrivals(ledger, arrived)
        k = int(room.first[t])
        while k != NONE:
            receive(policy, state, ledger, room.feedback[k], room.memos[k], room.scratch)
            k = int(room.following[k])
        settle(policy, state, ledger)
    return float(regret(losses, domain, line, signs, room.decisions, room.spare))


def press(
    policy: Any,
    fresh: Any,
    state: Any,
    domain: Any,
    losses: Any,
    line: Line,
    signs: Integers,
    delays: Integers,
    tape: Integers,
    walking: bool,
    room: Room,
) -> float:
    """Play a course, then one for each row of ``tape``, and keep the signs with the largest regret.

    Args:
        policy: The learner's.
        fresh: Its state before the first round.
        state: Room for its state.
        domain: Where decisions lie.
        losses: The family of the losses.
        line: The direction of the gradients.
        signs: The signs to begin with, in whose place the best ones are written.
        delays: The delays of all courses.
        tape: Changes of signs, as ``changes.tape`` makes them.
        walking: Whether a row of the tape goes on from the course before it, rather than from the best one.
        room: Arrays to work with.

    Returns:
        The largest regret, that of ``signs``; NaN if no course has a regret that is a number.
    """
    best = play_course(policy, fresh, state, domain, losses, line, signs, delays, room)
    for t in range(signs.size):
        room.trial[t] = signs[t]
    for row in range(tape.shape[0]):
        if not walking:
            for t in range(signs.size):
                room.trial[t] = signs[t]
        for i in range(tape.shape[1]):
            change_signs(room.trial, int(tape[row, i, 0]), int(tape[row, i, 1]), int(tape[row, i, 2]))
        found = play_course(policy, fresh, state, domain, losses, line, room.trial, delays, room)
        if found >= best or math.isnan(best):
            best = found
            for t in range(signs.size):
                signs[t] = room.trial[t]
    return best
