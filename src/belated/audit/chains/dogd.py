r"""The proof of ``docs/derivations/dogd.md`` for DOGD at a constant rate eta, statement 1.

The page lets feedback that comes after round T arrive at the end of T. Here it arrives in virtual rounds, as in the
paper's proof of Theorem 1, so that the steps are those that the learner made. The sum of the costs w_t =
\|F_t\| (\|F_t\|/2 + o_t) over all rounds is T/2 + D0 all the same: each virtual round lowers o_t^2 by 2 w_t, until it
is 0.
"""

from __future__ import annotations

import numpy as np

from belated.audit.arrivals import Arrivals, arrivals
from belated.audit.certificate import Step
from belated.audit.chain import Chain, Constants
from belated.audit.descent import Descent, definition, descent, drift
from belated.audit.evaluating import along_hull, losses_at
from belated.audit.losing import convexity_step, gradient_step, norms_step, regret_step
from belated.audit.run import Run
from belated.audit.stating import Label, every, lengths, once, products
from belated.core import checks
from belated.core.arrays import Vector
from belated.learners import Learner

CLAIMS = {
    "lipschitz": "L, a bound on the norms of the gradients; default: the longest that was told",
    "total_lateness": "D0, the sum of d_t - 1, delays cut off at round T; default: that of the run",
}


def _inverse(learner: Learner) -> float:
    """1 / eta of a constant rate."""
    rate = getattr(getattr(getattr(learner.policy, "arrivals", None), "step", None), "rate", None)
    inverse = getattr(rate, "inverse", None)
    if inverse is None:
        own = type(rate).__name__
        wanted = f"has a chain only at a constant rate, as dogd(domain, rate=0.01) has; this one has {own}"
        checks.refuse("certify", "run", learner.name, wanted)
    return float(inverse)


def _constants(run: Run, claimed: Constants) -> Constants:
    known = {
        "rate": 1.0 / _inverse(run.learner),
        "lipschitz": float(lengths(along_hull(run.learner.domain, run.feedback)).max()),
        "total_lateness": float(arrivals(run.delays).lateness),
    }
    return known | claimed


def convexity(run: Run, source: str) -> Step:
    """The losses are convex, in each round between x_t and u."""
    statement = "f_t(x_t) - f_t(u) <= g_t.(x_t - u), u the best fixed decision"
    return convexity_step(Label("convexity", source, statement), run, run.feedback, 0.0)


def _step_inequality(proof: Descent, u: Vector, lipschitz: float) -> Step:
    statement = "G_t.(x_t - u) <= (|x_t - u|^2 - |x_{t+1} - u|^2) / (2 eta) + (eta/2) L^2 |F_t|^2"
    busy = proof.arrivals.busy
    h, number = proof.h[busy - 1], proof.arrivals.number[busy - 1]
    before, after = proof.x[busy - 1] - u, proof.x[busy] - u
    left = products(proof.total[busy - 1], before)
    apart, nearer = lengths(before) ** 2, lengths(after) ** 2
    cost = lipschitz**2 * number**2 / (2.0 * h)
    size = lengths(proof.total[busy - 1]) * lengths(before) + h / 2.0 * (apart + nearer) + cost
    return every(Label("step inequality", "step 3", statement), left, h / 2.0 * (apart - nearer) + cost, size, busy)


def _counts(seen: Arrivals, lateness: float) -> Step:
    statement = "sum of w_t = |F_t| (|F_t|/2 + o_t) over all rounds <= T/2 + D0"
    costs = seen.number * (seen.number / 2.0 + seen.in_flight)
    allowed = seen.rounds / 2.0 + lateness
    return once(Label("counts", "step 1", statement), float(costs.sum()), allowed, allowed, int(costs.argmax()) + 1)


def _steps(run: Run, known: Constants) -> list[Step]:
    inverse, lipschitz, lateness = _inverse(run.learner), known["lipschitz"], known["total_lateness"]
    seen, best = arrivals(run.delays), run.comparator
    proof = descent(run, run.learner.domain, run.feedback, seen, np.full(seen.number.size, inverse))
    start, *rest = definition(run, proof, "setting", "h_t = 1/eta")
    reach = inverse / 2.0 * float(np.sum((run.decisions[0] - best.point) ** 2))
    bound = reach + lipschitz**2 / inverse * (run.rounds / 2.0 + lateness)
    statement = "R_T <= |x_1 - u|^2 / (2 eta) + eta L^2 (T/2 + D0)"
    return [
        start,
        gradient_step(run, "setting"),
        *rest,
        convexity(run, "step 2"),
        drift(proof, lipschitz, "step 5", "|x_{t'} - x_t| <= eta L sum of |F_i| over i = t, ..., t' - 1"),
        _step_inequality(proof, best.point, lipschitz),
        norms_step(proof.g, lipschitz, "setting"),
        _counts(seen, lateness),
        # The bound is that of the best decision found, and regret that of the best there is: their losses differ by
        # at most the gap.
        regret_step(Label("bound", "statement 1", statement), run, losses_at(run, run.decisions[:-1]), bound, best.gap),
    ]


CHAIN = Chain("dogd", "Statement 1 of docs/derivations/dogd.md", CLAIMS, _constants, _steps)
