"""Runs of a player that is told given gradients, or gradients of its own decisions, at given rounds and in given order.

Unlike ``support.runs`` nothing is read from the player's state: a run is its decisions.
"""

import numpy as np

from support.runs import arrivals_by_round


def decisions(learner, gradient, delays, initial=None, seed=0, order=list):
    """x_1, ..., x_{T+1}; ``gradient(k, x)`` is what round k is told, ``order`` rearranges what comes together."""
    player, arrived, feedback, seen = learner.start(initial, seed), arrivals_by_round(delays), {}, []
    for t in range(1, len(delays) + 1):
        seen.append(player.ask().decision)
        feedback[t] = gradient(t, seen[-1])
        for k in order(arrived[t]):
            player.tell(feedback[k], round=k)
    return np.array([*seen, player.ask().decision])


def arrival_order(delays, order=list):
    """The rounds whose feedback comes within the run, in the order in which it is told, and N_t after each round."""
    arrived = arrivals_by_round(delays)
    by_round = [order(arrived[t]) for t in range(1, len(delays) + 1)]
    return [k for rounds in by_round for k in rounds], np.cumsum([len(rounds) for rounds in by_round])


def quadratic(rows):
    """The gradients of the losses |x|^2 + <row, x>."""
    return lambda k, x: 2.0 * x + rows[k - 1]


def latest_first(rounds):
    return rounds[::-1]
