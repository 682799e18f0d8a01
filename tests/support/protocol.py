"""One run: a player against a stream of losses whose feedback is late.

This is the protocol itself, through the same ``ask`` and ``tell`` that a live caller uses: round t is asked and
suffered, and at its end the feedback of every round in F_t = {k : k + d_k - 1 = t} is told, in order of play. What
would arrive after the last round is dropped.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Matrix, Vector
from belated.core.errors import NumericalFailure
from belated.delays import Arrivals
from belated.learners import Learner
from belated.losses.base import Loss, gradient, value


class Curves(NamedTuple):
    """Losses a round: averaged over the points that were played, and at the decision in their centre."""

    played: Vector
    center: Vector


def run(
    learner: Learner,
    loss: Loss,
    rows: Matrix,
    arrivals: Arrivals,
    initial: ArrayLike | None,
    seed: int,
    tick: Callable[[int], object],
) -> Curves:
    """Play one round for every row; ``tick`` is called with the number of rounds done since the last call."""
    player = learner.start(initial, seed)
    rounds, wants_gradient = len(rows), learner.shape.feedback == "gradient"
    curves = Curves(np.empty(rounds), np.empty(rounds))
    feedback: dict[int, Vector] = {}
    for t in range(1, rounds + 1):
        play, row = player.ask(), rows[t - 1]
        values = np.array([value(loss, row, point) for point in play.points])
        curves.played[t - 1] = values.sum() / values.size
        if wants_gradient:
            curves.center[t - 1] = values[0]
            feedback[t] = np.empty(len(play.decision))
            gradient(loss, row, play.decision, feedback[t])
        else:
            curves.center[t - 1] = value(loss, row, play.decision)
            feedback[t] = values
        finite = math.isfinite(curves.played[t - 1]) and math.isfinite(curves.center[t - 1])
        if not (finite and np.isfinite(feedback[t]).all()):
            raise NumericalFailure(
                f"`simulate`: the loss of {learner.name} in round {t} of seed {seed}, or its gradient, is not finite"
            )
        for k in arrivals.order[arrivals.first[t] : arrivals.first[t + 1]]:
            player.tell(feedback.pop(int(k)), round=int(k))
        tick(1)
    return curves
