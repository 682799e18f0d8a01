r"""FTRL-Proximal: the leader of all gradients that came, held near every decision, with a rate for each coordinate.

.. math::

    x \leftarrow \arg\min_{x \in X} \sum_s \Bigl(\langle g_s, x \rangle
          + \tfrac12 \sum_i \Bigl(\frac{1}{\eta_{s,i}} - \frac{1}{\eta_{s-1,i}}\Bigr) (x_i - x_{s,i})^2\Bigr),
    \qquad \eta_{s,i} = \frac{a}{\sqrt{S_{s,i}}}

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_s     ``tell(gradient)``      the s-th gradient to arrive, each followed by a step of its own
x_s                             the decision when it arrived
S_s,i   ``squares``             eps plus the sum of the squares of coordinate i over g_1, ..., g_s
eps     1e-20                   holds the first decision until there is a gradient
a       ``scale``               size of the steps; Dinf / sqrt(2), Dinf the longest side, is best
======  ======================  ====================================================================

Source: McMahan and Streeter 2010; McMahan 2011. Without delay, on a box with sides of at most Dinf, regret at most
(Dinf^2 / (2 a) + a) sum over i of sqrt(S_i), as for :mod:`~.algorithms.adagrad`: derived from the lemma that the
regret of a proximal leader is at most its regularisers plus half its squared gradients in the dual norms, which is
remembered. In the whole space the two are the same algorithm. With delay no bound is claimed.

Must be known: a, and a domain that is a box or the whole space. Not T, L or the delays; feedback is anonymous.

Pitfalls: unlike AdaGrad it remembers what pushed it into the boundary, and leaves it later. Under delay it does what
:mod:`~.algorithms.solid` would make of it: the bowl stands where the gradient *arrived*, not where it was taken.

>>> from belated.domains import Box
>>> player = ftrl_proximal(Box([-1], [1]), scale=1.5).start()
>>> for gradient in (3.0, -4.0):                    # clipped to -1 in between; AdaGrad would go on to 0.2
...     play = player.ask()
...     player.tell([gradient])
>>> player.ask().point
array([-0.1])
"""

import math
from typing import Any

from belated.core import checks
from belated.domains.base import Domain
from belated.domains.box import Box
from belated.domains.euclidean import Euclidean
from belated.learners.algorithms.adagrad import OFFSET
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.steps.diagonal import Proximal


def ftrl_proximal(domain: Domain, scale: float) -> Learner:
    """The leader held near its decisions, with a rate for each coordinate (McMahan and Streeter 2010)."""
    size = checks.moderate("ftrl_proximal", "scale", scale)
    return from_arrivals("ftrl_proximal", domain, Sequential(Proximal(_separable(domain), size, OFFSET)))


def _separable(domain: Any) -> Domain:
    """``domain`` if it is a product of intervals."""
    if not isinstance(checked_domain("ftrl_proximal", domain), Box | Euclidean):
        checks.refuse("ftrl_proximal", "domain", domain, "must be a Box or Euclidean: coordinates are held separately")
    return checked_domain("ftrl_proximal", domain)


CARD = Card(
    title="FTRL-Proximal, diagonal",
    losses="convex",
    adversary="adaptive",
    known=("scale",),
    promise="O(sum over coordinates of sqrt(sum of g^2)) on a box without delay",
    source="McMahan and Streeter 2010; McMahan 2011",
    certainty="derived here from a remembered lemma, without delay; nothing is claimed with",
    time="O(n)",
    memory="O(n)",
    examples={"": lambda domain: ftrl_proximal(domain, scale=0.5)},
    domains="box, whole space",
    tuned=lambda domain, facts: {"scale": domain.longest_side / math.sqrt(2.0)},
)
