"""The best fixed decision in hindsight, with a proof of how good it is.

Regret compares a run with the minimum over the domain of F(x) = sum_t f(x; row_t). That minimum is as much a part of a
result as the run is, so it comes with a certificate: ``value - gap <= min F <= value``, whatever found the point.

=================  =====================================================================================
``objectives``     F as something with a value, a gradient and bounds on its curvature
``quadratics``     sums that are quadratics
``closed_forms``   the quadratics that have one
``descent``        for all else: accelerated projected gradients
``certificate``    the gap, from convexity alone
``best``           the two functions that people call
=================  =====================================================================================
"""

from belated.sim.hindsight.best import best_fixed, prefix_bests
from belated.sim.hindsight.descent import Best, descend
from belated.sim.hindsight.objectives import Objective, Rounding, RowsTotal, total_gradient, total_value

__all__ = [
    "Best",
    "Objective",
    "Rounding",
    "RowsTotal",
    "best_fixed",
    "descend",
    "prefix_bests",
    "total_gradient",
    "total_value",
]
