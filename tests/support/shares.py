"""Runs on a simplex, and delays of all kinds for them."""

import numpy as np

from support.runs import arrivals_by_round


def decisions_of(learner, gradient, delays, initial=None, contexts=None):
    """x_1, ..., x_{T+1}, played with ``gradient(t, x)`` as the feedback of round t."""
    player, arrived, told, decisions = learner.start(initial), arrivals_by_round(delays), {}, []
    for t in range(1, len(delays) + 2):
        play = player.ask() if contexts is None else player.ask(contexts[t - 1])
        decisions.append(play.decision)
        if t <= len(delays):
            told[t] = gradient(t, play.decision)
            for k in arrived[t]:
                player.tell(told[k], round=k)
    return np.array(decisions)


def mixed_delays(rng, rounds):
    """Long and short ones at random, a burst, and a few that never come."""
    delays = rng.integers(1, 9, rounds)
    burst = rng.integers(1, rounds // 2)
    delays[burst : burst + 5] = np.arange(5, 0, -1)[: len(delays[burst : burst + 5])]
    delays[rng.integers(0, rounds, 2)] = 10 * rounds
    return delays.tolist()
