"""Which loop a run uses: compiled where that pays, plain Python elsewhere.

Compiling takes seconds, a plain round a tenth of a millisecond and some microseconds a number, and the two give the
same results bit for bit. So short simulations run as they are. The choice depends on nothing but the number of rounds
and the size of the losses, not on what a cache happens to hold.
"""

import warnings
from inspect import signature
from typing import Any

import numpy as np

from belated.core.arrays import Integers, Matrix
from belated.core.compiling import compiled, layout
from belated.core.errors import CannotCompile, PlainPython, RunsAsPython
from belated.learners import Learner
from belated.losses.base import Loss
from belated.sim.calendar import Calendar
from belated.sim.plan import Plan
from belated.sim.round_loop import ROUND, Record, Workspace, play_chunk
from belated.sim.run import Loop, Run

NUMBERS_WORTH_COMPILING = 100_000
"""Numbers that a learner's losses have over all rounds and seeds, from which on its loop is compiled."""

LEAST_NUMBERS_PER_ROUND = 10
"""A round counts as so many numbers at least: small ones take plain Python as long as those of ten."""


_WORKSPACE = list(signature(play_chunk).parameters).index("workspace")


def loop_for(name: str, learner: Learner, loss: Loss, plan: Plan, seeds: int) -> Loop:
    """The loop for the runs of ``learner`` on ``loss``, for so many seeds."""
    if plan.rounds * seeds * max(loss.row_size, LEAST_NUMBERS_PER_ROUND) < NUMBERS_WORTH_COMPILING:
        return plain_loop
    arguments = example_arguments(name, learner, loss, plan)
    try:
        return _guarded(compiled(play_chunk, *arguments), arguments)
    except PlainPython:
        return plain_loop
    except CannotCompile as problem:
        warnings.warn(
            f"{name} runs as plain Python, which takes many times as long: {problem}. If that is an "
            "implementation of yours and you want it so, register it with `on(..., compiled=False)`",
            RunsAsPython,
            stacklevel=4,  # the caller of `simulate`
        )
        return plain_loop


def example_arguments(name: str, learner: Learner, loss: Loss, plan: Plan) -> tuple[Any, ...]:
    """What the loop is called with in runs of ``learner`` on ``loss``: these kinds of values, and other numbers."""
    rows, delays = np.zeros((1, loss.row_size)), np.ones(1, dtype=np.int64)
    rows.flags.writeable = False  # so that code which writes into the rows of others does not compile
    return Run(name, learner, loss, plan, None, seed=0).arguments(rows, delays)


def _guarded(code: Loop, example: tuple[Any, ...]) -> Loop:
    """Machine code that is not let loose on a run of other kinds than that of the ``example`` it was compiled for.

    All that a run works with is made before its first chunk, or is of the same kind ever after. What is the same object
    in the example is of the same kind, and need not be looked into.
    """
    wanted = layout(example)

    def loop(*arguments: Any) -> bool:
        workspace = arguments[_WORKSPACE]
        if workspace.counts[0] == 0 and not all(map(_fits, arguments, example, wanted[1:])):
            raise CannotCompile(
                "`simulate`: a part of the learner or of the loss is of another kind in one run than in another"
            )
        return code(*arguments)

    return loop


def _fits(argument: Any, known: Any, wanted: Any) -> bool:
    return argument is known or layout(argument) == wanted


def plain_loop(
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
    """The loop as Python runs it, a round at a time, so that one which goes wrong is known.

    Numbers out of range are found by their effect, as compiled code finds them. What a part raises goes on to the
    caller, with the round counted in which it did.
    """
    for done in range(int(workspace.progress[ROUND]), len(rows)):
        workspace.progress[ROUND] = 0
        row, delay = rows[done : done + 1], delays[done : done + 1]
        try:
            with np.errstate(all="ignore"):
                fine = play_chunk(
                    policy, state, domain, loss, kind, row, delay, rounds, rng, calendar, workspace, record
                )
        except Exception:  # whatever it is, the error that is made of it names the round
            workspace.counts[0] += 1
            raise
        if not fine:
            return False
        if workspace.progress[ROUND] == 0:  # the calendar has no room
            workspace.progress[ROUND] = done
            return True
        workspace.progress[ROUND] = done + 1
    return True
