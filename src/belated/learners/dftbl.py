r"""D-FTBL: delayed follow-the-bandit-leader, from one function value a round, in blocks.

In block m, of rounds (m - 1) K + 1, ..., m K, the points y_m + delta u_t are played. At its end

.. math:: y_{m+1} = \arg\min_{y \in X_\delta} \Bigl\langle \sum_{j \text{ complete}} \; \sum_{k \in \text{block } j}
          \tilde g_k, y \Bigr\rangle + \frac{1}{2 \eta} \|y - y_1\|^2, \qquad
          \tilde g_k = \frac{n}{\delta} f_k(y_{m(k)} + \delta u_k) u_k

A block is complete when the feedback of all of its K rounds has been received.

======  ======================  ====================================================================================
symbol  code                    meaning
======  ======================  ====================================================================================
f_k     ``tell(value, round)``  the loss of round k at ``play.point``, which is not the decision
u_k     drawn by ``ask``        uniform on the unit sphere (of the directions in the domain's hull)
n       ``hull_dim``            the number of these directions: the dimension for a set with interior
delta   ``probe_radius``        how far from the decision the loss is looked at
K       ``block_length``        rounds of a block; of the order of sqrt(T)
eta     ``rate``                of the leader
======  ======================  ====================================================================================

Source: Wan and others 2024: O(sqrt(n) T^(3/4) + sqrt(d T)) expected regret, d the largest delay, in its abstract. The
blocks are known here only *second-hand*, from a later paper of the same group; how the source chooses eta and delta
is not reproduced. Derived here, for a start at the centre, |f| at most M, losses that change by at most L times the
distance, G = n M / delta, s = ceil((d - 1) / K) and T a multiple of K: at most
R^2 / (2 eta) + eta T ((G^2 + K L^2) / 2 + L (G sqrt(s K) + s K L)) + delta T (3 L + L R / r),
which is of the source's order at its best eta with K = sqrt(T) and delta of the order sqrt(n) T^(-1/4).

Must be known: T and d for eta, K and delta; and the *round* of each feedback. Losses and delays must not react to the
directions drawn.

Pitfalls: a single feedback that never comes loses its whole block; a last block that is cut short never counts.
:mod:`~belated.learners.one_point_dda` has the same order without blocks, and needs no d.

>>> from belated.domains import Box
>>> player = dftbl(Box([-1.0], [1.0]), rate=0.125, block_length=2, probe_radius=0.5).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([1.0], round=1)
>>> player.tell([0.0], round=2)                     # now the block is complete, and just over: its sum is 2 u_1
>>> (player.ask().decision - first.decision) / (first.point - first.decision)
array([-0.5])
"""

import math
from typing import Any

from belated.core import checks
from belated.domains.base import Domain
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner, checked_domain, checked_probe_radius
from belated.learners.one_point_dda import one_point_dda_probe_radius
from belated.learners.parts.blocks import CompleteBlocks
from belated.learners.parts.estimators import one_point, typical_probe_radius
from belated.learners.parts.leader import Flat, leader
from belated.learners.parts.weights import ConstantWeight


def dftbl(domain: Domain, rate: float, block_length: int, probe_radius: float) -> Learner:
    """Follow the leader of the complete blocks, behind the one-point estimator (Wan and others 2024)."""
    delta = checked_probe_radius("dftbl", checked_domain("dftbl", domain), probe_radius)
    inside, weight = domain.shrink(delta), ConstantWeight(1.0 / checks.moderate("dftbl", "rate", rate))
    length = checks.count("dftbl", "block_length", block_length)
    blocks = CompleteBlocks(one_point(domain, delta), leader(inside, Flat(), weight), domain.dim, length)
    return Learner("dftbl", domain, inside, blocks)


def _tuned(domain: Domain, facts: Facts) -> dict[str, Any]:
    """Blocks of sqrt(T) rounds, and the rate at which the bound above is least."""
    slope, length = facts.lipschitz, max(1, math.isqrt(facts.rounds))
    delta = one_point_dda_probe_radius(domain, facts.rounds, slope, facts.bound)
    noise = domain.hull_dim * facts.bound / delta
    waiting = length * math.ceil((facts.delay - 1) / length)
    cost = (noise**2 + length * slope**2) / 2.0 + slope * (noise * math.sqrt(waiting) + waiting * slope)
    rate = domain.outer_radius / math.sqrt(2.0 * facts.rounds * cost)
    return {"rate": rate, "block_length": length, "probe_radius": delta}


CARD = Card(
    title="Delayed follow-the-bandit-leader",
    losses="convex",
    adversary="oblivious",
    known=("rounds", "lipschitz", "bound", "largest delay"),
    promise="O(sqrt(n) T^(3/4) + sqrt(d T)) in expectation",
    source="Wan and others 2024",
    certainty="order from the abstract; blocks second-hand; constants derived here",
    time="O(n)",
    memory="O(n), and O(n) a round in flight and an incomplete block",
    examples={"": lambda domain: dftbl(domain, 0.001, 4, typical_probe_radius(domain))},
    tuned=_tuned,
)
