r"""The proof of ``docs/derivations/dda.md``, for delayed dual averaging with a rate from counts.

The weight a_t is sqrt(2) (L / R) sqrt(V_t), V_t the sum of 1 + 2 sigma_i over i <= t, and the anchor is x_1.
"""

from __future__ import annotations

import math

import numpy as np

from belated.audit.arrivals import Arrivals, arrivals
from belated.audit.certificate import Step
from belated.audit.chain import Chain, Constants, unlike
from belated.audit.chains.dogd import convexity
from belated.audit.evaluating import losses_at
from belated.audit.leading import definition, drift, leading, one_gradient
from belated.audit.losing import gradient_step, norms_step, regret_step
from belated.audit.run import Run
from belated.audit.stating import Label, once
from belated.core.arrays import Vector
from belated.learners import Learner

CLAIMS = {
    "lipschitz": "L, a bound on the norms of the gradients; default: what the learner was told",
    "total_lateness": "D0, the sum of d_t - 1, delays cut off at round T; default: that of the run",
}


def _scale(learner: Learner) -> float:
    """sqrt(2) L / R, by which the root of V_t is multiplied."""
    weight = getattr(getattr(getattr(learner.policy, "arrivals", None), "step", None), "weight", None)
    scale = getattr(weight, "scale", None)
    if scale is None:
        unlike(learner, "a leader whose weight grows with the counts")
    return float(scale)


def _constants(run: Run, claimed: Constants) -> Constants:
    radius = run.learner.domain.outer_radius
    known = {
        "radius": radius,
        "lipschitz": _scale(run.learner) * radius / math.sqrt(2.0),
        "total_lateness": float(arrivals(run.delays).lateness),
    }
    return known | claimed


def _counts(seen: Arrivals, costs: Vector, lateness: float) -> Step:
    statement = "sum of (1 + 2 sigma_t) / sqrt(V_t) <= 2 sqrt(T + 2 D0)"
    shares = (1.0 + 2.0 * seen.outstanding[:-1]) / np.sqrt(costs[:-1])
    slack = 2.0 * np.diff(np.sqrt(np.concatenate(([0.0], costs[:-1])))) - shares
    allowed = 2.0 * math.sqrt(seen.rounds + 2.0 * lateness)
    where = int(np.argmin(slack)) + 1
    return once(Label("counts", "step 6", statement), float(shares.sum()), allowed, allowed, where)


def _steps(run: Run, known: Constants) -> list[Step]:
    lipschitz, lateness, radius = known["lipschitz"], known["total_lateness"], known["radius"]
    seen, best, first = arrivals(run.delays), run.comparator, run.decisions[0]
    costs = (1.0 + 2.0 * seen.outstanding).cumsum()
    proof = leading(run, run.learner.domain, seen, first, _scale(run.learner) * np.sqrt(costs))
    reach, distance = radius**2 / 2.0, float(np.sum((best.point - first) ** 2)) / 2.0
    bound = math.sqrt(reach) * lipschitz * math.sqrt(run.rounds + 2.0 * lateness) * (1.0 + distance / reach)
    formula = "x_t minimises <sum of g received, x> + (a_t/2) |x - x_1|^2 on X, a_t = sqrt(2) (L/R) sqrt(V_t)"
    statement = "R_T <= sqrt(P) L sqrt(T + 2 D0) (1 + |u - x_1|^2 / (2 P)), P = R^2 / 2"
    start, leader = definition(run, proof, "setting", formula)
    return [
        start,
        gradient_step(run, "setting"),
        leader,
        convexity(run, "step 5"),
        drift(proof, run.decisions[:-1], lipschitz, "step 4", "a_t"),
        one_gradient(proof, lipschitz, "step 2", "a_t"),
        norms_step(proof.g, lipschitz, "setting"),
        _counts(seen, costs, lateness),
        # See dogd: the bound is that of the decision found.
        regret_step(Label("bound", "statement", statement), run, losses_at(run, run.decisions[:-1]), bound, best.gap),
    ]


CHAIN = Chain("dda", "The statement of docs/derivations/dda.md", CLAIMS, _constants, _steps)
