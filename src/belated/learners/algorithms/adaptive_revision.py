r"""Adaptive revision: descent with a rate for each coordinate that falls with the gradients that overtake each other.

For each coordinate by itself, when the gradient g of round k arrives:

.. math::

    b = G - G_k, \quad
    z \leftarrow z + g^2 + 2 g b, \quad
    z' \leftarrow \max(z', z), \quad
    x \leftarrow x - \eta' g + (\eta - \eta') b, \quad
    G \leftarrow G + g

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g       ``tell(gradient)``      gradient of round k's loss at x_k, the decision of *that* round
G, G_k  ``total``, the memo     the sum of what has arrived by now, and by the time round k was played
b       ``between``             what has arrived in between
z, z'   ``weight``,             both start at 1; b has a sign, so z may fall, and z' does not
        ``largest_weight``
eta'    ``after``               a / sqrt(z'), and eta the same before z' was raised
a       ``scale``               about as far as the best decision is from the first, in any coordinate
======  ======================  ====================================================================

Every round plays the projection of x onto the domain.

Source: McMahan and Streeter 2014. The update agrees with a public implementation of it; the bound is only remembered:
for a about sqrt(2) R and feedback that comes in the order of play, regret is O(R sqrt(max_t sum of g^2 + 2 g b)) for
each coordinate, as long as decisions stay within R of the best one. Without delay it is AdaGrad with eps = 1.

Must be known: a, and which round a feedback belongs to. Not T, L or the delays.

Pitfalls: there is no rule for a, and a value that is several times too large makes regret several times larger. The 1
at which z starts has the unit of a squared gradient: beside much larger gradients it has no effect, and with much
smaller ones the rate is a constant. The analysis is for the whole space. On other domains the projection of x is
played, while x itself may leave the domain. On a box the projection clips each coordinate, so that coordinates stay
separate problems; on other domains nothing more is known of it than that decisions are elements.

>>> from belated.domains import Euclidean
>>> player = adaptive_revision(Euclidean(1), scale=1.0).start()
>>> first, second = player.ask(), player.ask()
>>> player.tell([2.0], round=first.round)           # z = 5
>>> player.ask().point
array([-0.89442719])
>>> player.tell([2.0], round=second.round)          # b = 2, z = 17: the first step should have been shorter
>>> player.ask().point
array([-0.9701425])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import copy_into
from belated.domains.base import Domain, project
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


def adaptive_revision(domain: Domain, scale: float) -> Learner:
    """Descent with a rate for each coordinate that revises earlier steps (McMahan and Streeter 2014).

    Args:
        domain: The set that decisions come from; any domain.
        scale: a > 0: about as far as the best decision is from the first, in any coordinate.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    size = checks.moderate("adaptive_revision", "scale", scale)
    policy = Revision(checked_domain("adaptive_revision", domain), domain.dim, size)
    return Learner("adaptive_revision", domain, domain, policy)


class Revision(NamedTuple):
    """Descent with a rate for each coordinate that revises earlier steps; it plays the projection of x."""

    domain: Domain
    dim: int
    scale: float


class RevisionState(NamedTuple):
    """The decision; and x, G, z and z', with one number for each coordinate."""

    decision: Vector
    unprojected: Vector
    total: Vector
    weight: Vector
    largest_weight: Vector


@interface.on(Revision)
def revision_interface(policy: Revision) -> Interface:
    """One point is played, its gradient told, and G remembered."""
    return Interface(1, "gradient", policy.dim, policy.dim, 0)


@begin.on(Revision)
def begin_revision(policy: Revision, initial: Vector) -> RevisionState:
    """Nothing has arrived; z = z' = 1, as published."""
    ones = np.ones(policy.dim)
    return RevisionState(initial.copy(), initial.copy(), np.zeros(policy.dim), ones, ones.copy())


@decision.on(Revision)
def revision_decision(policy: Revision, state: RevisionState, out: Vector) -> None:
    copy_into(state.decision, out)


@play.on(Revision)
def play_revision(policy: Revision, state: RevisionState, ledger: Ledger, desk: Desk) -> None:
    """Play the decision, and remember G."""
    decision(policy, state, desk.points[0])
    copy_into(state.total, desk.memo)


@receive.on(Revision)
def receive_revision(
    policy: Revision, state: RevisionState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Step, and revise. The order matters: first eta, then z and z', then eta', then x, and G last."""
    for i in range(policy.dim):
        gradient = float(feedback[i])
        between = float(state.total[i]) - float(memo[i])
        before = policy.scale / math.sqrt(float(state.largest_weight[i]))
        state.weight[i] += gradient * gradient + 2.0 * gradient * between
        state.largest_weight[i] = max(float(state.largest_weight[i]), float(state.weight[i]))
        after = policy.scale / math.sqrt(float(state.largest_weight[i]))
        state.unprojected[i] += (before - after) * between - after * gradient
        state.total[i] += gradient


@settle.on(Revision)
def settle_revision(policy: Revision, state: RevisionState, ledger: Ledger) -> None:
    if ledger.arrived > 0:
        project(policy.domain, state.unprojected, state.decision)


CARD = Card(
    title="Adaptive revision",
    losses="convex",
    adversary="adaptive",
    known=("scale",),
    promise="O(R sqrt(sum of g^2 + 2 g b)) per coordinate, for feedback in order of play; none off the whole space",
    source="McMahan and Streeter 2014",
    certainty="update seen in an implementation; bound only remembered",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={"": lambda domain: adaptive_revision(domain, scale=0.5)},
    tuned=lambda domain, facts: {"scale": domain.longest_side / math.sqrt(2.0)},
)
