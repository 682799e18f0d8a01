r"""The arithmetic of the bounds on delayed leaders, for all prefixes of a run at once.

Each function takes the counts of a run (:mod:`~belated.theory.prefixes`) and constants that have been checked, and
returns a number for each prefix. What a leader pays in round t depends on sigma_t only, which a shorter run shares, so
every prefix of the sums belongs to a prefix of the run.

=======================  ===========================================================================================
function                 number
=======================  ===========================================================================================
``averaging``            R L sqrt(2 V_T)
``averaging_in_sums``    a_T P + (L^2 / 2) sum_t (1 + 2 sigma_t) / a_t with a_t = scale sqrt(V_t)
``charged``              sum_t c_t / (mu t)
``balanced``             a_T P for the weight ``Balanced``
``noisy``                the sum of the charges of the weight ``Noisy``
``given_up``             V_T and \|S\| of skipping
=======================  ===========================================================================================

``balanced`` calls the function by which the learner itself computes a weight. The rule of skipping, however, is written
here a second time, so that the bound does not depend on the wrapper that it is about.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.learners.parts.rates.weights import Balanced, Noisy, balance
from belated.theory.prefixes import Prefixes


def averaging(play_weight: Integers, radius: float, bound: float) -> Vector:
    """2 sqrt(P) L sqrt(V), P = R^2 / 2: the bound of dual averaging for a start at the centre."""
    curve: Vector = radius * bound * np.sqrt(2.0 * play_weight)
    return curve


def averaging_in_sums(seen: Prefixes, scale: float, reach: float, bound: float) -> Vector:
    r"""The bound of dual averaging with a_t = ``scale`` sqrt(V_t), ``reach`` being max \|u - x_1\|^2 / 2."""
    held = scale * np.sqrt(seen.play_weights)
    costs: Vector = (0.5 + seen.outstanding) / held
    curve: Vector = held[seen.rounds - 1] * reach + bound * bound * seen.through(costs)
    return curve


def charged(seen: Prefixes, charges: Any, curvature: float) -> Vector:
    """The sum of c_t / (mu t) for each prefix: the bound of a leader without a weight."""
    return seen.through(charges / (curvature * seen.every_round))


def balanced(seen: Prefixes, weight: Balanced) -> Vector:
    """a_T P for each prefix: what the rounds have cost, which a balanced weight makes equal to its own cost."""
    reach, mu, before, spent = weight.reach, weight.curvature, 0.0, []
    charges = weight.own + weight.late * seen.outstanding
    for number, charge in enumerate(charges.tolist(), start=1):
        before += charge / (mu * number + balance(reach, mu * number, charge, before))
        spent.append(before)
    return np.array(spent)[seen.rounds - 1]


def noisy(seen: Prefixes, weight: Noisy) -> Vector:
    """The sum of G^2 + 2 L (G sqrt(sigma_t) + L sigma_t) for each prefix."""
    late = weight.noise * np.sqrt(seen.outstanding) + weight.lipschitz * seen.outstanding
    return seen.through(weight.noise * weight.noise + 2.0 * weight.lipschitz * late)


def given_up(seen: Prefixes) -> tuple[Integers, Integers]:
    r"""V_T and \|S\| for each prefix; \|S\| counts what is given up before round T is played.

    A round is given up at the end of round t if it is missing and older than sqrt(2 V_t).
    """
    ends, arrived, too_late = seen.ends.tolist(), [0, *seen.arrived.tolist()], [0] * (seen.ends.size + 2)
    weight, missing, lost, oldest = 0, 0, 0, 1
    weights, losses = [], []
    for t in range(1, len(ends) + 1):
        weight += 1 + 2 * missing
        weights.append(weight)
        losses.append(lost)
        missing += 1 - arrived[t] + too_late[t]
        while oldest <= t and ((end := ends[oldest - 1]) <= t or (t - oldest) ** 2 > 2 * weight):
            if end > t:
                too_late[end] += 1  # when it comes it is not waited for any more
                lost += 1
                missing -= 1
            oldest += 1
    return np.array(weights)[seen.rounds - 1], np.array(losses)[seen.rounds - 1]
