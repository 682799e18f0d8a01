r"""FTRL-Proximal: the leader of all gradients that came, held near every decision, with a rate for each coordinate.

.. math::

    x \leftarrow \arg\min_{x \in X} \sum_s \Bigl(\langle g_s, x \rangle
          + \tfrac12 \sum_i \Bigl(\frac{1}{\eta_{s,i}} - \frac{1}{\eta_{s-1,i}}\Bigr) (x_i - x_{s,i})^2\Bigr)
          + \lambda_1 \|x\|_1 + \tfrac{\lambda_2}{2} \|x\|^2,
    \qquad \eta_{s,i} = \frac{a}{b + \sqrt{S_{s,i}}}

========  ======================  ====================================================================
symbol    code                    meaning
========  ======================  ====================================================================
g_s       ``tell(gradient)``      the s-th gradient to arrive; each is followed by one step
x_s                               the decision when it arrived; x_0 is the first one
S_s,i     ``squares``             eps plus the sum of the squares of coordinate i over g_1, ..., g_s
eps, b    ``eps``, ``beta``       hold the first decision until there is a gradient: 1e-20 and 0
a         ``scale``               size of the steps; Dinf / sqrt(2), Dinf the longest side, is best
lambda    ``l1``, ``l2``          penalties: the first makes entries zero, the second small; both 0
========  ======================  ====================================================================

The sum begins with s = 0, where g_0 = 0 and 1 / eta_{-1} = 0.

Source: McMahan and Streeter 2010; McMahan 2011; with beta, l1 and l2 McMahan and others 2013, whose Algorithm 1 (alpha
is ``scale``) is this in the whole space from 0 with ``eps=0``, and what Vowpal Wabbit has as ``--ftrl``. Without delay,
on a box with sides of at most Dinf, regret at most (Dinf^2 / (2 a) + a) sum over i of sqrt(S_i), as for
:mod:`~.algorithms.adagrad`: derived from the lemma that the regret of a proximal leader is at most its regularisers
plus half its squared gradients in the dual norms, which is remembered. In the whole space, without penalties, the two
are the same algorithm. Started at 0, penalties add at most l1 \|u\|_1 + (l2 / 2) \|u\|^2 to the regret against u, and
beta (beta / (2 a)) \|u\|^2. With delay no bound is claimed.

Must be known: a, and a domain that is a box or the whole space. Not T, L or the delays; feedback is anonymous.

Pitfalls: the sum of gradients keeps growing while a decision is clipped at the boundary, so that the decision leaves
the boundary later than AdaGrad's does. Under delay the bowl of a gradient stands about the decision at which the
gradient *arrived*, and not about the one at which it was taken.

>>> from belated.domains import Box
>>> player = ftrl_proximal(Box([-1], [1]), scale=1.5).start()
>>> for gradient in (3.0, -4.0):                    # clipped to -1 in between; AdaGrad would go on to 0.2
...     play = player.ask()
...     player.tell([gradient])
>>> player.ask().point
array([-0.1])
"""

import math

from belated.core import checks
from belated.domains.base import Domain
from belated.domains.box import Box
from belated.domains.euclidean import Euclidean
from belated.learners.algorithms.adagrad import EPS
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain, from_arrivals
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.steps.diagonal import Proximal


def ftrl_proximal(
    domain: Domain, scale: float, *, eps: float = EPS, beta: float = 0.0, l1: float = 0.0, l2: float = 0.0
) -> Learner:
    """The leader held near its decisions, a rate per coordinate (McMahan and Streeter 2010; McMahan and others 2013).

    Args:
        domain: A box or the whole space.
        scale: The size of the steps, alpha elsewhere; the longest side of the box, divided by sqrt(2), is best.
        eps: What the sums of squared gradients begin with. It may be 0 if ``beta`` or ``l2`` is not.
        beta: What the roots of these sums begin with; it makes the first steps shorter.
        l1: The weight of the penalty |x|_1, which makes entries exactly zero.
        l2: The weight of the penalty |x|^2 / 2.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: The domain is another one, or a number is out of range.

    Example:
        >>> player = ftrl_proximal(Euclidean(10), scale=0.1, eps=0.0, beta=1.0, l1=1.0, l2=1.0).start()
    """
    where = "ftrl_proximal"
    size = checks.moderate(where, "scale", scale)
    given = {"eps": eps, "beta": beta, "l1": l1, "l2": l2}
    offset, first, sparse, small = (_not_huge(name, value) for name, value in given.items())
    if offset == first == small == 0.0:
        checks.refuse(where, "eps", eps, "must be > 0, or beta or l2: else the first step divides by zero")
    step = Proximal(_separable(domain), size, offset, first, sparse, small)
    return from_arrivals(where, domain, Sequential(step))


def _not_huge(name: str, value: float) -> float:
    """``value`` if it is 0 or lies in the range of ``checks.moderate``; InvalidArgument otherwise."""
    return (
        0.0
        if checks.not_negative("ftrl_proximal", name, value) == 0.0
        else checks.moderate("ftrl_proximal", name, value)
    )


def _separable(domain: Domain) -> Domain:
    """``domain`` if it is a product of intervals; InvalidArgument otherwise."""
    if not isinstance(checked_domain("ftrl_proximal", domain), Box | Euclidean):
        checks.refuse("ftrl_proximal", "domain", domain, "must be a Box or Euclidean: coordinates are held separately")
    return checked_domain("ftrl_proximal", domain)


CARD = Card(
    title="FTRL-Proximal, diagonal",
    losses="convex",
    adversary="adaptive",
    known=("scale",),
    promise="O(sum over coordinates of sqrt(sum of g^2)) on a bounded box without delay",
    source="McMahan and Streeter 2010; McMahan 2011; McMahan and others 2013",
    certainty="derived here from a remembered lemma, without delay; nothing is claimed with",
    time="O(n)",
    memory="O(n)",
    examples={
        "": lambda domain: ftrl_proximal(domain, scale=0.5),
        "with penalties": lambda domain: ftrl_proximal(domain, scale=0.5, beta=0.1, l1=0.2, l2=0.1),
    },
    domains="box, whole space",
    tuned=lambda domain, facts: {"scale": domain.longest_side / math.sqrt(2.0)},
)
