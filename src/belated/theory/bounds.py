r"""Regret bounds: of a learner on a problem, and as numbers for given delays and constants.

``of(learner, problem)`` is the bound of a learner with everything filled in but the delays. Its ``value(delays)`` is a
number and its ``curve(delays)`` one for every round; ``all_of`` has every statement that is known about the learner,
and ``lower`` what no learner can do better. The following functions are the same numbers from constants that are given
one by one:

=========================  ================================  ===========================================
function                   bounds the regret of              proved in
=========================  ================================  ===========================================
``theorem_1``              ``dogd_sc``                       the paper
``theorem_2``              ``bdogd_sc``                      the paper
``theorem_3``              ``bdogd_sc_two_point``, expected  the paper
``certificate``            ``dogd_sc``                       ``docs/derivations/dogd_sc.md``
``dogd``                   ``dogd``, constant rate           ``docs/derivations/dogd.md``
``sequential_dogd``        ``solid(dogd)``, constant rate    ``docs/derivations/dogd.md``
``dbgd``                   ``dbgd``, constant rate           ``docs/derivations/dogd.md``
``dogd_adaptive``          ``dogd``, count-adaptive rate     ``docs/derivations/dogd.md``
``dda``                    ``dda``                           ``docs/derivations/dda.md``
``ftdl``                   ``ftdl``                          ``docs/derivations/curvature_ftrl.md``
``curvature_ftrl``         ``curvature_ftrl``                ``docs/derivations/curvature_ftrl.md``
``composite_ftrl``         ``composite_ftrl``, caution 1     ``docs/derivations/composite_ftrl.md``
``vaw``                    ``vaw``                           ``docs/derivations/vaw.md``
``ons``                    ``ons``                           ``docs/derivations/ons.md``
``one_point_dda``          ``one_point_dda``, expected       ``docs/derivations/one_point_dda.md``
``hedge``                  ``hedge``                         ``docs/derivations/hedge.md``
``skipping``               ``skipping`` around ``dda``       ``docs/derivations/skipping.md``
``flaxman``                ``flaxman``, expected             ``docs/derivations/without_delay.md``
``lower_convex``,          every learner, from below         ``docs/derivations/lower.md``
``lower_strongly_convex``
=========================  ================================  ===========================================

Each function takes the delays of a whole run, in order of play, and constants by name. ``vaw`` and ``ons`` can only be
computed after a run, because they also need its features, or its gradients and decisions. The docstring of each
function says what the bound assumes of the learner, above all its first decision. The functions are defined in
:mod:`~belated.theory.theorems`, :mod:`~belated.theory.gradient_descent`, :mod:`~belated.theory.leaders` and
:mod:`~belated.theory.least_squares`.

Feedback that comes after the last round, or never, changes no decision. So a delay that ends after T counts as one that
ends at T, which can only make a bound smaller.
"""

from belated.theory.counts import Counts as Counts
from belated.theory.counts import counts as counts
from belated.theory.finding import all_of as all_of
from belated.theory.finding import of as of
from belated.theory.gradient_descent import certificate as certificate
from belated.theory.gradient_descent import dbgd as dbgd
from belated.theory.gradient_descent import dogd as dogd
from belated.theory.gradient_descent import dogd_adaptive as dogd_adaptive
from belated.theory.gradient_descent import flaxman as flaxman
from belated.theory.gradient_descent import sequential_dogd as sequential_dogd
from belated.theory.leaders import composite_ftrl as composite_ftrl
from belated.theory.leaders import curvature_ftrl as curvature_ftrl
from belated.theory.leaders import dda as dda
from belated.theory.leaders import ftdl as ftdl
from belated.theory.leaders import hedge as hedge
from belated.theory.leaders import one_point_dda as one_point_dda
from belated.theory.leaders import skipping as skipping
from belated.theory.least_squares import ons as ons
from belated.theory.least_squares import vaw as vaw
from belated.theory.lower import lower as lower
from belated.theory.lower import lower_convex as lower_convex
from belated.theory.lower import lower_strongly_convex as lower_strongly_convex
from belated.theory.statement import Bound as Bound
from belated.theory.theorems import theorem_1 as theorem_1
from belated.theory.theorems import theorem_2 as theorem_2
from belated.theory.theorems import theorem_3 as theorem_3

__all__ = [
    "Bound",
    "Counts",
    "all_of",
    "certificate",
    "composite_ftrl",
    "counts",
    "curvature_ftrl",
    "dbgd",
    "dda",
    "dogd",
    "dogd_adaptive",
    "flaxman",
    "ftdl",
    "hedge",
    "lower",
    "lower_convex",
    "lower_strongly_convex",
    "of",
    "one_point_dda",
    "ons",
    "sequential_dogd",
    "skipping",
    "theorem_1",
    "theorem_2",
    "theorem_3",
    "vaw",
]
