"""Runs of players that are told values: bursts, stragglers, feedback that never comes, in any order within a round."""

from dataclasses import dataclass, field

import numpy as np

import belated as bl

DOMAINS = [
    bl.Ball(1),
    bl.Box([-1.0, 0.0], [0.5, 2.0]),
    bl.Ball(3, radius=2.0, centre=[1.0, 0.0, -1.0]),
    bl.Simplex(4),
    bl.L1Ball(5),
    bl.Ball(6),
]
"""One for each n = 1..6; the simplex has no interior."""


def late(rounds, rng):
    """The rounds that are told at the end of each round, in an order that does not depend on the order of play."""
    arriving = {t: [] for t in range(1, rounds + 1)}
    for k in range(1, rounds + 1):
        at = k + int(rng.integers(0, 9))
        if rng.random() < 0.5:
            at += -at % 6  # in bursts
        if at <= rounds and rng.random() < 0.95:
            arriving[at].append(k)
    return {t: [int(k) for k in rng.permutation(told)] for t, told in arriving.items()}


def at_once(rounds):
    return {t: [t] for t in range(1, rounds + 1)}


@dataclass
class Run:
    """A run: lists have an entry for each round, decisions have one more, and values are stored by their round."""

    arrivals: dict
    decisions: list = field(default_factory=list)
    points: list = field(default_factory=list)
    values: dict = field(default_factory=dict)

    def directions(self, probe_radius):
        """u_k by its round, from where the loss was looked at first."""
        pairs = zip(self.points, self.decisions, strict=False)
        return {k: (p[0] - x) / probe_radius for k, (p, x) in enumerate(pairs, start=1)}


def run(learner, arrivals, rng, initial=None, seed=0, size=3.0):
    """Tell a player the values of random bowls, as ``arrivals`` says, and note what it does."""
    player, noted = learner.start(initial, seed), Run(arrivals)
    for t, told in arrivals.items():
        play = player.ask()
        assert all(learner.domain.contains(point) for point in play.points)
        noted.decisions.append(play.decision)
        noted.points.append(play.points)
        row = rng.uniform(-size, size, learner.domain.dim)
        noted.values[t] = [float(row @ x + x @ x + row[0]) for x in play.points]
        for k in told:
            player.tell(noted.values[k], round=k)
    noted.decisions.append(player.ask().decision)
    return noted


def distance(decisions, others):
    """The largest distance between two trajectories in any round."""
    assert len(decisions) == len(others)
    return float(np.abs(np.array(decisions) - np.array(others)).max())
