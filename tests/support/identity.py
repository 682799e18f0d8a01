"""The step identity of DOGD-SC: h_t (x_t - x'_{t+1}) = sum of g_k over F_t, and x_{t+1} = Pi(x'_{t+1}).

h_t is recomputed here from the delays, the gradients from the losses at the decisions of their own rounds. A learner
that passes is the algorithm; one that differs from it anywhere fails.
"""

import numpy as np

from support.runs import arrivals_by_round

TOLERANCE = 1e-9


class Violated(AssertionError):
    """Raised if a run does not satisfy the step identity."""


def check_dogd_sc_steps(trace, gradient, domain, delays, beta):
    """Raise :class:`Violated` unless the trace is a run of Algorithm 1; ``gradient(k, x)`` is that of round k."""
    arrived, received = arrivals_by_round(delays), 0
    for t in range(1, len(delays) + 1):
        x, after, before_projection = trace.decisions[t - 1], trace.decisions[t], trace.unprojected[t - 1]
        received += len(arrived[t])
        if not arrived[t]:
            if not np.array_equal(x, after):
                raise Violated(f"round {t}: the decision moved although nothing arrived")
            continue
        h = beta / 2 * received
        total = np.sum([gradient(k, trace.decisions[k - 1]) for k in arrived[t]], axis=0)
        gap = np.abs(h * (x - before_projection) - total).max()
        if gap > TOLERANCE * (1.0 + np.abs(total).max() + h * np.abs(x).max()):
            raise Violated(f"round {t}: h (x - x') misses the sum of the arrived gradients by {gap:.2e}")
        if np.abs(after - domain.project(before_projection)).max() > TOLERANCE:
            raise Violated(f"round {t}: the decision is not the projection of x'")


def violated(*arguments) -> bool:
    try:
        check_dogd_sc_steps(*arguments)
    except Violated:
        return True
    return False
