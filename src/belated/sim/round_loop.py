"""The round loop: one chunk of a run, as plain Python or, many hundred times faster, compiled.

This is the protocol of ``ask`` and ``tell`` with nothing between the parts: round t is played and suffered, its
feedback is filed under the round in which it arrives, and what arrives at the end of t is received in order of play.
Everything that differs between learners, domains and losses is behind their verbs, so the compiler makes a loop of its
own for each combination, without a call or a choice left in it.

The loop makes no arrays. What it needs lies in the tuples below, which are made once a run.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import after_arrivals, after_play, read_ledger, write_ledger
from belated.core.vectors import within_limit
from belated.domains.base import SLACK, contains
from belated.learners.verbs import Desk, full, play
from belated.sim.calendar import BLOCKS, NONE, Calendar
from belated.sim.delivery import deal, deliver, due, letter, post
from belated.sim.feedback import answer, introduce

PLAYED, CENTRE = 0, 1
"""Places in ``Workspace.totals`` and columns of ``Record.losses``: losses at the points played, and at the decision."""

MOST_CHECKED = 1000
"""In how many of its recorded rounds a run is seen to play inside its domain: all, or so many, evenly spread."""

ROUND, RECORDED = 0, 1
"""Places in ``Workspace.progress``: rounds of the present call that are done, and recorded rounds so far."""


class Record(NamedTuple):
    """What is kept of a run: at each of ``rounds``, the losses so far and the counts of the ledger."""

    rounds: Integers
    losses: Matrix
    arrived: Integers
    in_flight: Integers


class Workspace(NamedTuple):
    """What a run works with: its ledger, its sums so far, and room for points and the rest."""

    counts: Integers
    progress: Integers
    totals: Vector
    scratch: Vector
    points: Matrix
    decided: Vector


def play_chunk(
    policy: Any,
    state: Any,
    domain: Any,
    loss: Any,
    kind: Any,
    rows: Matrix,
    delays: Integers,
    rounds: int,
    rng: np.random.Generator | None,
    calendar: Calendar,
    workspace: Workspace,
    record: Record,
) -> bool:
    """Play a round for each of ``rows``, a chunk of a run of ``rounds``.

    False if the last round that was played went wrong: its loss or gradient is out of range, or one of its points lies
    outside of ``domain``. Points are looked at in recorded rounds, the last one always among them, and in no more than
    ``MOST_CHECKED`` of these: what that costs does not grow with the run.

    Stops early where the calendar or the state has no room, to be called again with a larger one:
    ``workspace.progress`` says how many of the rounds are done.
    """
    ledger = read_ledger(workspace.counts)
    done = int(workspace.progress[ROUND])
    recorded = int(workspace.progress[RECORDED])
    played = float(workspace.totals[PLAYED])
    centre = float(workspace.totals[CENTRE])
    size = calendar.first.size
    week = ledger.round // size
    here = ledger.round % size
    fine = True
    upcoming = int(record.rounds[recorded])
    spacing = 1 + record.arrived.size // MOST_CHECKED
    while fine and done < rows.shape[0]:
        delay = int(delays[done])
        at = here + delay - 1 if delay <= rounds - ledger.round else NONE
        if at >= size and calendar.free[BLOCKS] == NONE:
            break
        if full(policy, state, ledger):
            break
        if here == 0 and not deal(kind.delivery, calendar, week, policy, workspace.scratch):
            break
        ledger = after_play(ledger)
        row = rows[done]
        sent = letter(kind.delivery, calendar, week, at)
        introduce(kind.context, loss, row, sent.memo)
        play(policy, state, ledger, Desk(rng, workspace.scratch, workspace.points, sent.memo))
        cost = answer(kind.answer, policy, state, loss, row, workspace.points, workspace.decided, sent.feedback)
        fine = math.isfinite(cost.played) and math.isfinite(cost.centre) and within_limit(sent.feedback)
        played += cost.played
        centre += cost.centre
        post(kind.delivery, calendar, at, sent, policy, workspace.scratch)
        ledger = after_arrivals(ledger, due(kind.delivery, calendar, here))
        deliver(kind.delivery, calendar, here, policy, state, ledger, workspace.scratch)
        if upcoming == ledger.round:
            record.losses[recorded, PLAYED] = played
            record.losses[recorded, CENTRE] = centre
            record.arrived[recorded] = ledger.arrived
            record.in_flight[recorded] = ledger.in_flight
            recorded += 1
            upcoming = int(record.rounds[recorded])
            if (record.arrived.size - recorded) % spacing == 0:
                for j in range(workspace.points.shape[0]):
                    fine = fine and contains(domain, workspace.points[j], SLACK)
        done += 1
        here += 1
        if here == size:
            here = 0
            week += 1
    workspace.progress[ROUND] = done
    workspace.progress[RECORDED] = recorded
    workspace.totals[PLAYED] = played
    workspace.totals[CENTRE] = centre
    write_ledger(ledger, workspace.counts)
    return fine
