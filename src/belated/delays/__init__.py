"""Laws of delay: how long the feedback of each round takes, described as data.

A delay is a whole number d >= 1, and the feedback of round t arrives at the end of round t + d - 1: with d = 1 it is
there before the next decision. ``NEVER`` is the delay of feedback that does not come.

>>> import numpy as np
>>> law = Periodic([2, 1])
>>> delays = law.draw(np.random.default_rng(0), rounds=4)
>>> delays.tolist()
[2, 1, 2, 1]
>>> order, first = arrivals(delays)
>>> [order[first[t] : first[t + 1]].tolist() for t in (1, 2, 3, 4)]
[[], [1, 2], [], [3, 4]]
"""

from belated.delays.base import LONGEST, NEVER, DelayLaw, Sampler
from belated.delays.compound import Mixture, Never
from belated.delays.heavy import Pareto
from belated.delays.light import Geometric, Poisson, Uniform
from belated.delays.order import Arrivals, arrivals
from belated.delays.scheduled import Burst, Fixed, Periodic, Trace

EVERY: tuple[type[DelayLaw], ...] = (
    Fixed,
    Periodic,
    Burst,
    Trace,
    Uniform,
    Geometric,
    Poisson,
    Pareto,
    Never,
    Mixture,
)
"""Every law of delay. The suite tests for each of them what all laws must satisfy."""

__all__ = [
    "EVERY",
    "LONGEST",
    "NEVER",
    "Arrivals",
    "Burst",
    "DelayLaw",
    "Fixed",
    "Geometric",
    "Mixture",
    "Never",
    "Pareto",
    "Periodic",
    "Poisson",
    "Sampler",
    "Trace",
    "Uniform",
    "arrivals",
]
