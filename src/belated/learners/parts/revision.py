"""The revising policy: a late gradient also corrects the steps that were taken while it was missing.

Gradients that came in between were given the rate of their time; when the missing one raises the weights, they get the
rate that they would have had. The formula is that of :mod:`belated.learners.adaptive_revision`.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.domains.arithmetic import copy_into
from belated.domains.base import Domain, project
from belated.learners.verbs import Rng, Shape, begin, decision, play, receive, settle, shape


class Revision(NamedTuple):
    """Descent with a rate for each coordinate, that revises; it plays the projection of x."""

    domain: Domain
    dim: int
    scale: float


class RevisionState(NamedTuple):
    """The decision and, a number for each coordinate, x, G, z and z'."""

    decision: Vector
    unprojected: Vector
    total: Vector
    weight: Vector
    largest_weight: Vector


@shape.on(Revision)
def revision_shape(policy: Revision) -> Shape:
    """One point, its gradient; G is remembered."""
    return Shape(1, "gradient", policy.dim, policy.dim, 0)


@begin.on(Revision)
def begin_revision(policy: Revision, initial: Vector) -> RevisionState:
    """Nothing has arrived; z = z' = 1, as published."""
    ones = np.ones(policy.dim)
    return RevisionState(initial.copy(), initial.copy(), np.zeros(policy.dim), ones, ones.copy())


@decision.on(Revision)
def revision_decision(policy: Revision, state: RevisionState, out: Vector) -> None:
    """The projection of x."""
    copy_into(state.decision, out)


@play.on(Revision)
def play_revision(
    policy: Revision, state: RevisionState, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector
) -> None:
    """The decision; G is remembered."""
    decision(policy, state, points[0])
    copy_into(state.total, memo)


@receive.on(Revision)
def receive_revision(
    policy: Revision, state: RevisionState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Step, and revise. The order matters: the rate before, the weights, the rate after, x, and G last."""
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
    """Project what has moved."""
    if ledger.arrived > 0:
        project(policy.domain, state.unprojected, state.decision)
