"""The round loop: one piece of a run, as plain Python or, many hundred times faster, compiled.

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
from belated.learners.turn import moderate
from belated.learners.verbs import play, receive, settle
from belated.losses.base import value
from belated.sim.calendar import (
    BLOCKS,
    NONE,
    Calendar,
    deal_out,
    place_for_piece,
    release,
    slot_for_round,
)
from belated.sim.feedback import answer

PLAYED, CENTER = 0, 1
"""Columns of ``Record.totals`` and ``Record.losses``: at the points that were played, and at the decision."""

ROUND, RECORDED = 0, 1
"""Places in ``Run.progress``: rounds of the present piece that are done, and recorded rounds so far."""


class Record(NamedTuple):
    """What is kept of a run: at each of ``rounds``, the losses so far and the counts of the ledger."""

    rounds: Integers
    losses: Matrix
    arrived: Integers
    in_flight: Integers


class Desk(NamedTuple):
    """What a run works with: its ledger, its sums so far, and room for points, values and the rest."""

    counts: Integers
    curvature: Vector
    progress: Integers
    totals: Vector
    scratch: Vector
    points: Matrix
    values: Vector
    held: Vector


def run_piece(
    policy: Any,
    state: Any,
    loss: Any,
    kind: Any,
    rows: Matrix,
    delays: Integers,
    rounds: int,
    rng: np.random.Generator | None,
    calendar: Calendar,
    desk: Desk,
    record: Record,
) -> bool:
    """Play a round for each of ``rows``, a piece of a run of ``rounds``; false if a loss or gradient is out of range.

    Stops early where no block of the calendar is free, to be called again with an enlarged one: ``desk.progress`` says
    how many rounds are done.
    """
    ledger = read_ledger(desk.counts, desk.curvature)
    done = int(desk.progress[ROUND])
    recorded = int(desk.progress[RECORDED])
    start = ledger.round - done
    size = calendar.first.size
    piece = start // size
    queries = desk.points.shape[0]
    played = float(desk.totals[PLAYED])
    center = float(desk.totals[CENTER])
    if done == 0:
        deal_out(calendar, piece)
    fine = True
    while fine and done < rows.shape[0] and calendar.free[BLOCKS] != NONE:
        ledger = after_play(ledger)
        desk.counts[0] = ledger.round  # for whoever has to say where an error came from
        row = rows[done]
        at = done + int(delays[done]) - 1
        shelf = calendar.soon
        slot = size
        if at < size:
            if start + at < rounds:
                slot = slot_for_round(calendar, at)
        elif start + at < rounds:
            shelf = calendar.later
            slot = place_for_piece(calendar, piece + at // size, at % size)
        play(policy, state, ledger, rng, desk.scratch, desk.points, shelf.memo[slot])
        total = 0.0
        for j in range(queries):
            desk.values[j] = value(loss, row, desk.points[j])
            total += float(desk.values[j])
        total /= queries
        out = shelf.feedback[slot]
        at_center = answer(kind, policy, state, loss, row, desk.points, desk.values, desk.held, out)
        fine = math.isfinite(total) and math.isfinite(at_center) and moderate(out)
        played += total
        center += at_center
        dealt = int(calendar.dealt_end[done - 1]) if done > 0 else 0
        from_before = int(calendar.dealt_end[done]) - dealt
        ledger = after_arrivals(ledger, from_before + int(calendar.length[done]))
        slot = int(calendar.first[done])
        for k in range(ledger.arrived):
            if k < from_before:
                shelf = calendar.dealt
                here = dealt + k
            else:
                shelf = calendar.soon
                here = slot
                slot = int(calendar.following[here])
                release(calendar, here)
            receive(policy, state, ledger, shelf.feedback[here], shelf.memo[here], desk.scratch)
        calendar.length[done] = 0
        settle(policy, state, ledger)
        if record.rounds[recorded] == ledger.round:
            record.losses[recorded, PLAYED] = played
            record.losses[recorded, CENTER] = center
            record.arrived[recorded] = ledger.arrived
            record.in_flight[recorded] = ledger.in_flight
            recorded += 1
        done += 1
    desk.progress[ROUND] = done
    desk.progress[RECORDED] = recorded
    desk.totals[PLAYED] = played
    desk.totals[CENTER] = center
    write_ledger(ledger, desk.counts, desk.curvature)
    return fine
