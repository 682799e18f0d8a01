r"""AdaGrad, diagonal: descent with a rate for each coordinate that falls with the gradients seen there.

.. math::

    S_i \leftarrow S_i + g_i^2, \qquad x \leftarrow \Pi_X\Bigl(x - a \frac{g}{\sqrt{S}}\Bigr)

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g       ``tell(gradient)``      gradient of a round's loss at its decision; one step for each, in order of arrival
S_i     ``squares``             eps plus the sum of the squares of coordinate i, this one counted
eps     ``eps``                 keeps a coordinate that has had no gradient from a division by zero
a       ``scale``               size of the steps; Dinf / sqrt(2), Dinf the longest side, is best
======  ======================  ====================================================================

Source: Duchi, Hazan and Singer 2011; McMahan and Streeter 2010. Without delay, on a box with sides of at most Dinf,
regret is at most (Dinf^2 / (2 a) + a) sum over i of sqrt(S_i). That is sure: it is the usual sum over the steps, for
each coordinate by itself. River's ``optim.AdaGrad(lr, eps)`` is this learner in the whole space. Under delay a gradient
g is used when it arrives, as if it were that of the present decision, which is what :mod:`~.algorithms.solid` makes of
the learner without delay. Regret then has a further sum, of <g, x_k - x> for x_k the decision of g's round and x that
at its arrival. The rate does not account for this sum, so no bound is claimed.

Must be known: a. Not T, L or the delays; feedback is anonymous. The scale of the gradients does not matter, apart from
eps.

Pitfalls: the first step of a coordinate has length a, however small its gradient. On a box and in the whole space the
projection is the one that the theory asks for, in the norm of the rates. On other domains it is the Euclidean one, a
heuristic, and nothing is promised. For rates that fall with delay see :mod:`~.algorithms.adaptive_revision`.

>>> from belated.domains import Box
>>> player = adagrad(Box([-1, -1], [1, 1]), scale=0.5).start()
>>> play = player.ask()
>>> player.tell([4.0, -0.01])
>>> player.ask().point
array([-0.5,  0.5])
"""

import math

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.steps.diagonal import DiagonalDescent

EPS = 1e-20
"""eps by default: far below the square of any gradient that matters."""


def adagrad(domain: Domain, scale: float, *, eps: float = EPS) -> Learner:
    """Descent with a rate for each coordinate (Duchi, Hazan and Singer 2011; McMahan and Streeter 2010).

    Args:
        domain: Where decisions are taken from; the theory is for a box or the whole space.
        scale: The size of the steps; the longest side of the box, divided by sqrt(2), is best.
        eps: What the sums of squared gradients begin with. The default is there against a division by zero only; a
            larger one makes the first steps shorter.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``domain`` is none, or a number does not lie in [1e-50, 1e50].

    Example:
        >>> from belated import Euclidean
        >>> player = adagrad(Euclidean(10), scale=0.1, eps=1e-8).start()     # as river has it by default
    """
    size, offset = checks.moderate("adagrad", "scale", scale), checks.moderate("adagrad", "eps", eps)
    step = DiagonalDescent(checked_domain("adagrad", domain), size, offset)
    return from_arrivals("adagrad", domain, Sequential(step))


CARD = Card(
    title="AdaGrad, diagonal",
    losses="convex",
    adversary="adaptive",
    known=("scale",),
    promise="O(sum over coordinates of sqrt(sum of g^2)) on a bounded box without delay; none on other domains",
    source="Duchi, Hazan and Singer 2011; McMahan and Streeter 2010",
    certainty="derived here, without delay; nothing is claimed with",
    time="O(n)",
    memory="O(n)",
    examples={"": lambda domain: adagrad(domain, scale=0.5)},
    tuned=lambda domain, facts: {"scale": domain.longest_side / math.sqrt(2.0)},
)
