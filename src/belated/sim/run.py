"""One learner on the losses of one seed, a piece at a time.

A run is a consumer: whoever has the next piece of losses and delays hands it over, and the same piece may go to several
runs. The loop is given: the compiled one, or the plain function, which does the same more slowly.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks, streams
from belated.core.arrays import Integers, Matrix
from belated.core.errors import NumericalFailure
from belated.core.ledger import COUNTS, read_ledger
from belated.learners import Learner
from belated.learners.verbs import begin, enlarged, full
from belated.losses.base import Loss
from belated.sim.calendar import Calendar, empty_calendar, piece_for, with_room
from belated.sim.feedback import exchange
from belated.sim.loop import ROUND, Desk, Record, run_piece
from belated.sim.plan import Plan

Loop = Callable[..., bool]


class Run:
    """A run from its first round on; ``record`` has what is known of it so far."""

    def __init__(
        self, name: str, learner: Learner, loss: Loss, plan: Plan, initial: ArrayLike | None, seed: int
    ) -> None:
        self._name, self._policy, self._loss, self._plan, self._seed = name, learner.policy, loss, plan, seed
        interface, dim = learner.interface, learner.domain.dim
        self._state = begin(learner.policy, learner.first_decision(initial))
        self._kind = exchange(interface)
        self._rng = streams.learner(seed) if interface.draws else None
        bound = interface.label_bound
        self._limits = f"is not finite or beyond {checks.LARGEST_ENTRY:g}"
        self._limits += f", or its label is beyond the learner's label_bound {bound:g}" if math.isfinite(bound) else ""
        sizes = interface.feedback_size, interface.memo_size
        self._calendar = empty_calendar(plan.rounds, piece_for(plan.rounds, *sizes), *sizes)
        self._desk = Desk(
            counts=np.zeros(COUNTS, dtype=np.int64),
            progress=np.zeros(2, dtype=np.int64),
            totals=np.zeros(2),
            scratch=np.empty(interface.scratch_size),
            points=np.empty((interface.queries, dim)),
            values=np.empty(interface.queries),
            held=np.empty(dim),
        )
        size = plan.recorded.size
        self.record = Record(
            rounds=np.append(plan.recorded, 0),  # a round that never comes, where the loop looks after the last one
            losses=np.empty((size, 2)),
            arrived=np.empty(size, dtype=np.int64),
            in_flight=np.empty(size, dtype=np.int64),
        )

    def arguments(self, rows: Matrix, delays: Integers) -> tuple[Any, ...]:
        """What the loop is called with, for the next piece."""
        return (
            self._policy,
            self._state,
            self._loss,
            self._kind,
            rows,
            delays,
            self._plan.rounds,
            self._rng,
            self._calendar,
            self._desk,
            self.record,
        )

    def take(self, loop: Loop, rows: Matrix, delays: Integers) -> None:
        """Play the next piece."""
        self._desk.progress[ROUND] = 0
        while self._desk.progress[ROUND] < len(rows):
            self._calendar = with_room(self._calendar, int(self._desk.counts[0]))
            if full(self._policy, self._state, read_ledger(self._desk.counts)):
                self._state = enlarged(self._policy, self._state)
            if not loop(*self.arguments(rows, delays)):
                raise NumericalFailure(
                    f"`simulate`: the loss of {self._name} in round {self._desk.counts[0]} of seed {self._seed}, or "
                    f"its gradient, {self._limits}"
                )


def plain_loop(
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
    """The loop as Python runs it, a round at a time, so that one which goes wrong is known.

    Numbers out of range are found by their effect, as compiled code finds them.
    """
    for done in range(int(desk.progress[ROUND]), len(rows)):
        desk.progress[ROUND] = 0
        row, delay = rows[done : done + 1], delays[done : done + 1]
        try:
            with np.errstate(all="ignore"):
                fine = run_piece(policy, state, loss, kind, row, delay, rounds, rng, calendar, desk, record)
        except ArithmeticError:
            desk.counts[0] += 1
            fine = False
        if not fine:
            return False
        if desk.progress[ROUND] == 0:  # the calendar has no room
            desk.progress[ROUND] = done
            return True
        desk.progress[ROUND] = done + 1
    return True
