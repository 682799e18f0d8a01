"""The problem of the paper and its learners, as all contenders meet them.

f_t(x) = |x|^2 + b_t.x on the unit ball of R^n, b_t drawn by ``default_rng(seed).uniform(-1, 1)``; delays 2, 3, 2, 1, 4,
1, 3, repeated; x_1 has 1/sqrt(n) in every entry, times 1 - delta for bandits. Rates and probe radii are those of
:mod:`belated.papers.wan2021` for T = 1000, whatever the length of a run: a round costs the same, and with the probe
radius of a long run the differences of values lose so many digits that contenders could not be compared.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.core.arrays import Matrix, Vector
from belated.papers import wan2021

DELAYS = wan2021.SETTINGS["low"]
BETA = 2.0
MOST_ROUNDS_PER_CHUNK = 2**13
PAPER = wan2021.setup("low", 1000)


class Parameters(NamedTuple):
    """What distinguishes the learners: h = constant + per_round t + per_feedback N, where points are, and their number.

    ``probe_radius`` is 0 for learners that are told gradients.
    """

    constant: float = 0.0
    per_round: float = 0.0
    per_feedback: float = 0.0
    probe_radius: float = 0.0
    sequential: bool = False


PARAMETERS: Mapping[str, Parameters] = {
    "dogd-sc": Parameters(per_feedback=BETA / 2),
    "ogd-sc": Parameters(per_round=BETA),
    "dogd": Parameters(constant=1 / PAPER.rate),
    "bdogd-sc": Parameters(per_feedback=BETA / 2, probe_radius=PAPER.probe_radius["bdogd-sc"]),
    "dbgd": Parameters(constant=1 / PAPER.rate, probe_radius=PAPER.probe_radius["dbgd"], sequential=True),
}
"""The learners that draw nothing themselves; the loops in C and NumPy know these."""

LEARNERS = (*PARAMETERS, "bdogd-sc-two-point")
"""Those of the paper, the one that others are compared with first."""


def learner(name: str, dim: int) -> bl.Learner:
    """One of the learners on the unit ball."""
    ball, delta = bl.Ball(dim), PAPER.probe_radius.get(name, 0.0)
    match name:
        case "dogd-sc":
            return bl.dogd_sc(ball, BETA)
        case "ogd-sc":
            return bl.ogd_sc(ball, BETA)
        case "dogd":
            return bl.dogd(ball, PAPER.rate)
        case "bdogd-sc":
            return bl.bdogd_sc(ball, BETA, delta)
        case "dbgd":
            return bl.dbgd(ball, PAPER.rate, delta)
        case _:
            return bl.bdogd_sc_two_point(ball, BETA, delta)


def points_a_round(name: str, dim: int) -> int:
    """How many points the learner plays in a round."""
    return learner(name, dim).interface.queries


def first_decision(name: str, dim: int) -> Vector:
    """x_1."""
    return np.full(dim, (1.0 - PAPER.probe_radius.get(name, 0.0)) / math.sqrt(dim))


def law(name: str) -> bl.delays.DelayLaw:
    """The delays that the learner meets; as in the paper, OGD-SC has none."""
    return bl.delays.Fixed(1) if name == "ogd-sc" else bl.delays.Periodic(DELAYS)


def delays_of(name: str) -> tuple[int, ...]:
    """The same, as the list that is repeated."""
    return (1,) if name == "ogd-sc" else DELAYS


def simulated(
    name: str, dim: int, rounds: int, *, seeds: int = 1, delays: bl.delays.DelayLaw | None = None, workers: int = 1
) -> float:
    """The cumulative loss of the first seed, as ``simulate`` finds it."""
    result = bl.simulate(
        {name: learner(name, dim)},
        bl.problems.RandomQuadratic(dim),
        law(name) if delays is None else delays,
        rounds,
        range(seeds),
        initial=first_decision(name, dim),
        record="log",
        progress=False,
        workers=workers,
    )
    return float(result.cumulative_loss[0, 0, -1])


def chunks(dim: int, rounds: int, seed: int = 0) -> Iterator[Matrix]:
    """The losses of one seed, drawn by NumPy alone, in pieces that stay in the processor's cache.

    Args:
        dim: Numbers of a loss.
        rounds: How many losses.
        seed: The seed.

    Yields:
        The next losses, in rows that are written anew for the piece after it.
    """
    rng, most = np.random.default_rng(seed), max(64, min(MOST_ROUNDS_PER_CHUNK, 2**15 // dim))
    place = np.empty((most, dim))
    for start in range(0, rounds, most):
        rows = place[: rounds - start]
        rng.random(out=rows)
        rows *= 2.0
        rows -= 1.0
        yield rows
