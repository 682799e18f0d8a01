"""Which loop a run uses: compiled where that pays, plain Python elsewhere.

Compiling takes seconds, a plain round a tenth of a millisecond and some microseconds a number, and the two give the
same results bit for bit. So short simulations run as they are. The choice depends on nothing but the number of rounds
and the size of the losses, not on what a cache happens to hold.
"""

import warnings
from inspect import signature
from typing import Any

import numpy as np

from belated.core.compiling import compiled, layout
from belated.core.errors import CannotCompile, PlainPython, RunsAsPython
from belated.learners import Learner
from belated.losses.base import Loss
from belated.sim.loop import run_piece
from belated.sim.plan import Plan
from belated.sim.run import Loop, Run, plain_loop

WORTH_COMPILING = 100_000
"""Numbers that a learner's losses have over all rounds and seeds, from which on its loop is compiled."""

LEAST_A_ROUND = 10
"""A round counts as so many numbers at least: small ones take plain Python as long as those of ten."""


_DESK = list(signature(run_piece).parameters).index("desk")


def loop_for(name: str, learner: Learner, loss: Loss, plan: Plan, seeds: int) -> Loop:
    """The loop for the runs of ``learner`` on ``loss``, for so many seeds."""
    if plan.rounds * seeds * max(loss.row_size, LEAST_A_ROUND) < WORTH_COMPILING:
        return plain_loop
    like = Run(name, learner, loss, plan, None, seed=0)
    rows, delays = np.zeros((1, loss.row_size)), np.ones(1, dtype=np.int64)
    rows.flags.writeable = False  # so that code which writes into the rows of others does not compile
    arguments = like.arguments(rows, delays)
    try:
        return _guarded(compiled(run_piece, *arguments), layout(arguments))
    except PlainPython:
        return plain_loop
    except CannotCompile as problem:
        warnings.warn(
            f"{name} runs as plain Python, which takes many times as long: {problem}. Register your own "
            "implementation with `on(..., compiled=False)` if that is what you want",
            RunsAsPython,
            stacklevel=3,
        )
        return plain_loop


def _guarded(code: Loop, wanted: Any) -> Loop:
    """Machine code that is not let loose on a run of other kinds than it was compiled for.

    All that a run works with is made before its first piece, or is of the same kind ever after.
    """

    def loop(*arguments: Any) -> bool:
        desk = arguments[_DESK]
        if desk.counts[0] == 0 and layout(arguments) != wanted:
            raise CannotCompile(
                "`simulate`: a part of the learner or of the loss is of another kind in one run than in another"
            )
        return code(*arguments)

    return loop
