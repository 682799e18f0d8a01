"""One run through ``ask`` and ``tell``, as a live caller would do it: what the simulator must equal, bit for bit.

Round t is asked and suffered, and at its end the feedback of every round in F_t = {k : k + d_k - 1 = t} is told, in
order of play. What would arrive after the last round is dropped.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Matrix, Vector
from belated.delays import Arrivals
from belated.learners import Learner
from belated.losses.base import Loss, gradient, value


class Curves(NamedTuple):
    """The losses of each round: averaged over the points that were played, and at the decision in their centre."""

    played: Vector
    centre: Vector


def run(
    learner: Learner,
    loss: Loss,
    rows: Matrix,
    arrivals: Arrivals,
    initial: ArrayLike | None,
    seed: int,
) -> Curves:
    """Play one round for every row."""
    player = learner.start(initial, seed)
    rounds, interface = len(rows), learner.interface
    curves = Curves(np.empty(rounds), np.empty(rounds))
    feedback: dict[int, Vector] = {}
    for t in range(1, rounds + 1):
        row = rows[t - 1]
        play = player.ask(row[: interface.context_size] if interface.context_size else None)
        values = np.array([value(loss, row, point) for point in play.points])
        curves.played[t - 1] = sum(values.tolist()) / values.size
        if interface.feedback == "gradient":
            curves.centre[t - 1] = values[0]
            feedback[t] = np.empty(len(play.decision))
            gradient(loss, row, play.decision, feedback[t])
            if interface.regulariser:
                feedback[t] -= interface.regulariser * play.decision
        elif interface.feedback == "label":
            curves.centre[t - 1] = values[0]
            feedback[t] = row[-1:].copy()
        else:
            curves.centre[t - 1] = value(loss, row, play.decision)
            feedback[t] = values
        for k in arrivals.order[arrivals.first[t] : arrivals.first[t + 1]]:
            player.tell(feedback.pop(int(k)), round=int(k))
    return curves
