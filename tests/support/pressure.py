"""Runs whose regret comes near to its bound: late feedback of every kind, and gradients that react to the learner.

Losses are the worst that a gradient allows, so that the linearised regret is the regret itself: linear losses in the
convex case, and <g_t, x> + (beta / 2) |x - x_t|^2 in the strongly convex case.
"""

from typing import Any, NamedTuple

import numpy as np

import belated as bl
from belated.delays import NEVER
from support.runs import arrivals_by_round


class Run(NamedTuple):
    """x_1..x_T and g_1..g_T in rows; what was tried, where that is not the decision."""

    domain: Any
    decisions: np.ndarray
    gradients: np.ndarray
    tried: np.ndarray

    @property
    def linear_regret(self):
        total = self.gradients.sum(axis=0)
        return float(np.sum(self.gradients * self.decisions) - total @ self.domain.minimise(total))

    def strongly_convex_regret(self, beta):
        total, rounds = self.gradients.sum(axis=0), len(self.decisions)
        best = self.domain.project(self.decisions.mean(axis=0) - total / (beta * rounds))
        bowls = beta / 2 * np.sum((self.decisions - best) ** 2)
        return float(np.sum(self.gradients * (self.decisions - best)) - bowls)

    def composite_regret(self, regulariser):
        total, rounds = self.gradients.sum(axis=0), len(self.decisions)
        best = self.domain.project(-total / (regulariser * rounds))
        bowls = regulariser / 2 * (np.sum(self.decisions**2) - rounds * float(best @ best))
        return float(np.sum(self.gradients * (self.decisions - best)) + bowls)

    def bent_regret(self, gamma):
        """Regret of <g_t, x> + (gamma / 2) <g_t, x - x_t>^2, against what projected gradients find to be best."""
        g, at = self.gradients, np.sum(self.gradients * self.decisions, axis=1)
        matrix = gamma * g.T @ g
        linear, size = g.sum(axis=0) - gamma * g.T @ at, 1 / np.linalg.norm(matrix, 2)
        u = self.domain.minimise(linear)
        for _ in range(100):
            u = self.domain.project(u - size * (linear + matrix @ u))
        return float(np.sum(at) - np.sum(g @ u + gamma / 2 * (g @ u - at) ** 2))


def some_rounds(rng):
    """A random number of rounds from 20 to 120, more often a small one."""
    return int(20 * 6 ** rng.random() ** 2)


def some_delays(rng, rounds):
    kind = rng.integers(8)
    if kind == 0:
        return [1] * rounds
    if kind == 1:
        return [int(rng.integers(2, rounds))] * rounds
    if kind == 2:
        return rng.integers(1, rng.integers(2, rounds), rounds).tolist()
    if kind == 3:
        return np.ceil(np.minimum(rng.random(rounds) ** -2.0, 1e9)).astype(int).tolist()
    if kind == 4:
        burst = int(rng.integers(2, rounds))
        return [burst - t % burst for t in range(rounds)]
    if kind == 5:
        return np.where(rng.random(rounds) < rng.random(), NEVER, 1).tolist()
    if kind == 6:
        first, last = sorted(rng.integers(0, rounds, 2).tolist())
        return [last - t + 1 if first <= t <= last else 1 for t in range(rounds)]
    return [NEVER] * rounds if rng.random() < 0.3 else (rounds + rng.integers(-rounds // 2, 5, rounds)).tolist()


def some_domain(rng, dims=3, offset=1.0):
    dim, size = int(rng.integers(1, dims + 1)), float(10 ** rng.uniform(-1, 1))
    centre = offset * size * rng.uniform(-2, 2, dim)
    if rng.random() < 0.6:
        return bl.Ball(dim, size, centre)
    sides = size * rng.uniform(0.2, 1.0, dim)
    return bl.Box(centre - sides, centre + sides)


def some_start(rng, domain):
    return domain.project(domain.centre + domain.outer_radius * rng.normal(size=domain.dim))


def adversary(rng, centre, lipschitz):
    """g_t as a function of t, of x_t and of whether anything arrived since x_{t-1}."""
    dim, kind, block = centre.size, rng.integers(6), int(rng.integers(2, 40))
    ahead = rng.normal(size=dim)
    ahead *= lipschitz / np.linalg.norm(ahead)
    sign = 1.0

    def gradient(t, x, arrived):
        nonlocal sign
        if kind == 0:
            return ahead
        if kind == 1:
            return ahead if (t - 1) // block % 2 else -ahead
        if kind == 2:  # what the decision is on the wrong side of
            return ahead if ahead @ (x - centre) >= 0 else -ahead
        if kind == 3:
            return ahead * rng.choice([-1.0, 1.0])
        if kind == 4:
            drawn = rng.normal(size=dim)
            return drawn * (lipschitz / np.linalg.norm(drawn))
        sign = -sign if arrived else sign  # it has just turned where the learner was pushed
        return sign * ahead

    return gradient


def play(learner, delays, gradient, initial=None, seed=0, tell=None):
    """A run of a player; ``tell`` makes the feedback of (play, gradient), by default the gradient itself."""
    player, arrivals = learner.start(initial, seed), arrivals_by_round(delays)
    decisions, gradients, tried, told = [], [], [], {}
    for t in range(1, len(delays) + 1):
        turn = player.ask()
        decisions.append(turn.decision)
        tried.append(turn.point)
        gradients.append(gradient(t, turn.decision, bool(arrivals.get(t - 1))))
        told[t] = gradients[-1] if tell is None else tell(turn, gradients[-1])
        for k in arrivals.get(t, ()):
            player.tell(told.pop(k), round=k)
    return Run(learner.domain, np.array(decisions), np.array(gradients), np.array(tried))
