r"""Bounds on the regret of delayed gradient descent, from counts.

=================  =================================================================================================
function           promise
=================  =================================================================================================
``dogd``           DOGD at a constant rate eta: Dm^2 / (2 eta) + eta L^2 (T / 2 + D0)
``dogd_adaptive``  DOGD at the rate ``count_adaptive``: sqrt(2) Dm L sqrt(T + 2 D0)
``certificate``    DOGD-SC after the fact: sum_t (\|F_t\| / h_t) [(beta R L + L^2) o_t + L^2 \|F_t\| / 2]
=================  =================================================================================================

Symbols: L a bound on the norms of the gradients, Dm the diameter of the domain, D0 the sum of d_t - 1; beta strong
convexity, R the radius of the domain about its centre, \|F_t\| arrivals and o_t what is still in flight after round t,
h_t = (beta / 2)(\|F_1\| + ... + \|F_t\|). Any first decision will do.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from belated.theory.counts import counted, positive


def dogd(delays: ArrayLike, *, rate: float, diameter: float, lipschitz: float) -> float:
    """The bound Dm^2 / (2 eta) + eta L^2 (T / 2 + D0) on the regret of ``dogd(domain, rate=eta)``.

    It is least, Dm L sqrt(T + 2 D0), at eta = Dm / (L sqrt(T + 2 D0)). Proved in ``docs/derivations/dogd.md``.

    Must be known: eta, and L and Dm for the losses and the domain. All that enters of Dm is how far the first decision
    is from the others: from the centre, the radius may be given for ``diameter``.

    >>> dogd([3, 1, 1, 1], rate=0.25, diameter=2.0, lipschitz=1.0)      # 4 / (2 / 4) + (4 / 2 + 2) / 4
    9.0
    """
    eta, across, bound = positive("dogd", rate=rate, diameter=diameter, lipschitz=lipschitz)
    return across * across / (2.0 * eta) + eta * bound * bound * counted("dogd", delays).play_weight / 2.0


def dogd_adaptive(delays: ArrayLike, *, diameter: float, lipschitz: float) -> float:
    """The bound sqrt(2) Dm L sqrt(T + 2 D0) on the regret of ``dogd(domain, count_adaptive(domain, L))``.

    Within sqrt(2) of the best constant rate, which has to know T and D0. Proved in ``docs/derivations/dogd.md``.

    Must be known: L and Dm, as they were told to the rate. Here Dm cannot be replaced by the radius.

    >>> dogd_adaptive([3, 1, 1, 1], diameter=2.0, lipschitz=1.0)        # T + 2 D0 = 8
    8.0
    """
    across, bound = positive("dogd_adaptive", diameter=diameter, lipschitz=lipschitz)
    return across * bound * math.sqrt(2.0 * counted("dogd_adaptive", delays).play_weight)


def certificate(delays: ArrayLike, *, strong_convexity: float, radius: float, lipschitz: float) -> float:
    """A bound on the regret of DOGD-SC from the counts of its run; at most Theorem 1's, usually far below.

    It bounds how far decisions drift while feedback is in flight by counting, round by round, the feedbacks that wait,
    where the paper charges every one of them twice the largest delay. Proved in ``docs/derivations/dogd_sc.md``.

    Must be known: beta, L and R. All that enters of R is half the diameter, which may be given for ``radius``.
    """
    beta, outer, bound = positive("certificate", strong_convexity=strong_convexity, radius=radius, lipschitz=lipschitz)
    seen = counted("certificate", delays)
    some = seen.arrived > 0
    arrived, in_flight, h = seen.arrived[some], seen.in_flight[some], beta / 2.0 * seen.arrived.cumsum()[some]
    drift = (beta * outer * bound + bound * bound) * in_flight
    return float(np.sum(arrived / h * (drift + bound * bound * arrived / 2.0)))
