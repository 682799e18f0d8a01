"""One learner on the losses of one seed, a chunk at a time.

A run is a consumer: whoever has the next chunk of losses and delays hands it over, and the same chunk may go to several
runs. The loop is given: the compiled one, or the plain function, which does the same more slowly.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.core import streams
from belated.core.arrays import Integers, Matrix
from belated.core.ledger import COUNTS, read_ledger
from belated.learners import Learner
from belated.learners.verbs import adds_up, begin, enlarged, full
from belated.losses.base import Loss
from belated.sim.calendar import Calendar, empty_calendar, week_for, with_room
from belated.sim.failure import Failure
from belated.sim.feedback import exchange
from belated.sim.plan import Plan
from belated.sim.round_loop import ROUND, Record, Workspace

Loop = Callable[..., bool]


class Run:
    """A run from its first round on; ``record`` has what is known of it so far.

    It starts at ``initial``, which has been checked (:meth:`Learner.first_decision`), or at the centre.
    """

    def __init__(
        self, name: str, learner: Learner, loss: Loss, plan: Plan, initial: ArrayLike | None, seed: int
    ) -> None:
        self._name, self._learner, self._loss, self._plan, self._seed = name, learner, loss, plan, seed
        self._policy = learner.policy
        interface, dim = learner.interface, learner.domain.dim
        first = learner.decision_domain.centre if initial is None else initial
        self._state = begin(learner.policy, np.array(first, dtype=float))
        self._kind = exchange(learner)
        self._rng = streams.learner(seed) if interface.draws else None
        self._calendar = calendar_for(learner, plan.rounds)
        self._workspace = Workspace(
            counts=np.zeros(COUNTS, dtype=np.int64),
            progress=np.zeros(2, dtype=np.int64),
            totals=np.zeros(2),
            scratch=np.empty(interface.scratch_size),
            points=np.full((interface.queries, dim), np.nan),  # a policy that writes none is noticed
            decided=np.full(dim, np.nan),
        )
        size = plan.recorded.size
        self.record = Record(
            rounds=np.append(plan.recorded, 0),  # a round that never comes, where the loop looks after the last one
            losses=np.empty((size, 2)),
            arrived=np.empty(size, dtype=np.int64),
            in_flight=np.empty(size, dtype=np.int64),
        )

    def arguments(self, rows: Matrix, delays: Integers) -> tuple[Any, ...]:
        """What the loop is called with, for the next chunk."""
        return (
            self._policy,
            self._state,
            self._learner.domain,
            self._loss,
            self._kind,
            rows,
            delays,
            self._plan.rounds,
            self._rng,
            self._calendar,
            self._workspace,
            self.record,
        )

    def take(self, loop: Loop, rows: Matrix, delays: Integers) -> None:
        """Play the rounds of the next chunk of losses."""
        self._workspace.progress[ROUND] = 0
        while self._workspace.progress[ROUND] < len(rows):
            self._calendar = with_room(self._calendar, int(self._workspace.counts[0]))
            if full(self._policy, self._state, read_ledger(self._workspace.counts)):
                self._state = enlarged(self._policy, self._state)
            try:
                fine = loop(*self.arguments(rows, delays))
            except ArithmeticError as problem:
                raise self._failure().of_exception(problem) from problem
            except Exception as problem:  # a stranger's part may raise anything
                problem.add_note(self._failure().place)
                raise
            if not fine:
                raise self._failure().of_numbers(self._workspace.points)

    def _failure(self) -> Failure:
        """Who, when and where, for an error about the round that was played last."""
        return Failure(self._name, self._learner, self._seed, read_ledger(self._workspace.counts))


def calendar_for(learner: Learner, rounds: int, rounds_per_week: int | None = None) -> Calendar:
    """An empty calendar for the feedback of a learner, in weeks that suit its size if their length is not given."""
    interface, sum_size = learner.interface, learner.domain.dim if adds_up(learner.policy) else 0
    sizes = interface.feedback_size, interface.memo_size, sum_size
    return empty_calendar(rounds, rounds_per_week or week_for(rounds, *sizes), *sizes)
