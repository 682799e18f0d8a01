r"""Expert advice: several learners decide in every round, and delayed Hedge weighs their decisions.

.. math::

    x_t = \sum_i w_{t,i}\, x_t^i, \qquad
    w_{t,i} \propto \exp\Bigl(-\eta_t \sum_{k \text{ received}} \ell_k(x_k^i)\Bigr), \qquad
    \eta_t = \frac{2}{b} \sqrt{\frac{\ln N}{V_t}}

======  ======================  ================================================================================
symbol  code                    meaning
======  ======================  ================================================================================
x_k^i   remembered              what the i-th of the N ``bases`` decided in round k
g_k     ``tell(gradient)``      gradient of round k's loss at x_k, the mean that was played; every base is told it
l_k(x)                          <g_k, x>, the loss linearised; plus (mu / 2) \|x\|^2 if the bases know a regulariser
b                               (L + mu R) Dm, within which the l_k of elements differ; R the largest norm and Dm the
                                diameter of the domain
L       ``lipschitz``           bound on the norms of the gradients told
V_t     ``play_weight``         sum over i <= t of 1 + 2 sigma_i, sigma_i missing when x_i is played
======  ======================  ================================================================================

Source: delayed Hedge over learners is how Wan, Yao, Song and Zhang (2024) choose among rates
(:mod:`~.algorithms.mild_ogd`). Rate and promise are derived here: as losses are convex, regret is at most that of
the mean on the l_k, which is at most that of any one base on the l_k, plus b sqrt(ln N (T + 2 D0)), D0 the sum of
d_t - 1 (``docs/derivations``, Hedge, with losses within b of each other). This holds against one decision as well as
against a path of them. A base's regret on the l_k is what it promises for convex losses, or for a known regulariser.

Must be known: L, a bounded domain, what the bases must know, and which round a feedback belongs to.

Pitfalls: the l_k have no curvature but that of a known regulariser. What a base promises for strongly convex or
exp-concave losses (``dogd_sc``, ``ftdl``, ``ons``) it does not promise here: that would take gradients at its own
decisions, and it is told those at the mean. Such bases may be used, and get large shares if they do well; but
choosing among bases costs the order of sqrt(T), which is more than what such a base promises when it plays alone.

>>> from belated.domains import Ball
>>> from belated.learners.algorithms.dogd import dogd
>>> player = expert_advice([dogd(Ball(1), rate=0.25), dogd(Ball(1), rate=0.75)], lipschitz=1.0).start()
>>> play = player.ask()
>>> player.tell([1.0], round=play.round)            # both said 0
>>> player.ask().point                              # -0.25 and -0.75
array([-0.5])
"""

import math
from collections.abc import Sequence

import numpy as np

from belated.core import checks
from belated.core.arrays import frozen
from belated.domains.base import Domain
from belated.learners.algorithms.composite_ftrl import composite_ftrl
from belated.learners.algorithms.dda import dda
from belated.learners.algorithms.dogd import dogd
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_base
from belated.learners.parts.rates.weights import PlayWeight
from belated.learners.parts.wrappers.experts import Advice, gathered


def expert_advice(bases: Sequence[Learner], lipschitz: float) -> Learner:
    """The mean of what ``bases`` decide, weighed by delayed Hedge.

    Args:
        bases: Learners on one domain that are told gradients, and whose memory does not grow.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: ``bases`` is no learner that can be wrapped so, or a number is out of its range.
    """
    bound = checks.moderate("expert_advice", "lipschitz", lipschitz)
    learners = _checked_bases(bases)
    domain, regulariser, number = learners[0].domain, learners[0].interface.regulariser, len(learners)
    reach = float(np.linalg.norm(domain.centre)) + domain.outer_radius
    spread = (bound + regulariser * reach) * domain.diameter
    weight = PlayWeight(0.5 * spread / math.sqrt(math.log(max(number, 2))))  # with one base there is nothing to weigh
    experts = gathered([learner.policy for learner in learners], domain)
    prior = frozen(np.full(number, 1.0 / number))
    return Learner("expert_advice", domain, domain, Advice(experts, domain, domain.dim, prior, weight, regulariser))


def _checked_bases(bases: Sequence[Learner]) -> list[Learner]:
    """``bases`` if they are told the gradient at one point of the same bounded domain, and agree on the rest."""
    where = "expert_advice"
    if not isinstance(bases, (list, tuple)) or not bases:
        checks.refuse(where, "bases", bases, "must be a list of learners, such as [dogd(ball, 0.1), dogd(ball, 1.0)]")
    learners = [checked_base(where, base) for base in bases]
    first = learners[0]
    for each in learners:
        if each.interface.feedback != "gradient":
            checks.refuse(where, "bases", each.name, "must be told gradients")
        if each.domain != first.domain or each.decision_domain != first.domain:
            checks.refuse(where, "bases", each.name, f"must have the domain of the first base, {first.domain!r}")
        if _given(each) != _given(first):
            checks.refuse(where, "bases", each.name, "must have the regulariser and the context of the first base")
    if not math.isfinite(first.domain.diameter):
        checks.refuse(where, "bases", first.name, "must have a bounded domain: its size decides how far losses differ")
    return learners


def _given(learner: Learner) -> tuple[float, int]:
    return learner.interface.regulariser, learner.interface.context_size


def _example(domain: Domain) -> Learner:
    return expert_advice([dogd(domain, rate=0.05), dogd(domain, rate=0.5), dda(domain, lipschitz=2.0)], lipschitz=2.0)


def _composite_example(domain: Domain) -> Learner:
    cautions = (0.0, 0.03, 0.1, 1.0)
    return expert_advice([composite_ftrl(domain, 0.5, lipschitz=2.0, caution=each) for each in cautions], lipschitz=2.0)


CARD = Card(
    title="Hedge over learners",
    losses="convex, or what the bases promise for linear losses plus a known regulariser",
    adversary="adaptive, if the bases' is",
    known=("lipschitz", "what the bases must know"),
    promise="the best base's on the linearised losses, plus O(sqrt((T + D0) ln N)) for N bases",
    source="this library, after Wan, Yao, Song and Zhang 2024",
    certainty="derived here",
    time="that of all bases",
    memory="that of all bases, and O(n N) per round in flight",
    examples={"": _example, "composite": _composite_example},
    domains="bounded",
)
