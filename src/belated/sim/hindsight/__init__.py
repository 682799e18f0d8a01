"""The best fixed decision in hindsight, with a proof of how good it is.

Regret compares a run with the minimum over the domain of F(x) = sum_t f(x; row_t). That minimum is as much a part of a
result as the run is, so it comes with a certificate: ``value - gap <= min F <= value``, whatever found the point.

=================  =====================================================================================
``objectives``     F as something with a value, a gradient and bounds on its curvature
``quadratics``     sums that are quadratics
``closed_forms``   the quadratics that have one
``accelerated``    for all else: accelerated projected gradients
``sums``           sums that are one quadratic, added up round by round
``certificate``    the gap, from convexity alone
``searches``       all of that for a stream of rows, of which only little is kept
``best``           the functions that people call
=================  =====================================================================================
"""

from belated.sim.hindsight.accelerated import Best, descend
from belated.sim.hindsight.best import begin_search, best_fixed, prefix_bests
from belated.sim.hindsight.objectives import Adder, Objective, Rounding, RowsTotal
from belated.sim.hindsight.searches import Search

__all__ = [
    "Adder",
    "Best",
    "Objective",
    "Rounding",
    "RowsTotal",
    "Search",
    "begin_search",
    "best_fixed",
    "descend",
    "prefix_bests",
]
