r"""Adversaries: the worst losses that gradients of a given size allow, and what a bound is told of a run.

An adversary of a family chooses the sign s_t of every gradient g_t = s_t L v, where v is a direction of length 1. The
loss of a round is then the least convex function, or the least with the promised curvature, that has this gradient at
the decision x_t. No other loss with the same gradient has more regret, so that it is enough to search for signs.

==================  ===========================================  ====================================================
family              f_t(x), up to a constant                     for learners whose losses are
==================  ===========================================  ====================================================
``Convex``          <g_t, x>                                     convex
``StronglyConvex``  <g_t, x> + (beta / 2) \|x - x_t\|^2          strongly convex
``ExpConcave``      <g_t, x> + (gamma / 2) <g_t, x - x_t>^2      exp-concave
``Composite``       <g_t, x> + (mu / 2) \|x\|^2                  convex, plus a known regulariser
==================  ===========================================  ====================================================

Each family is a loss of :mod:`belated.losses` with certain rows, so that :func:`instance` turns a run into a problem
which ``simulate`` can run. The sum of the losses has its least value in closed form, which :func:`regret` uses.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from belated.audit.run_bounds import AfterRun, Played, RunBound
from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.core.parts import Part
from belated.core.verbs import compilable, verb
from belated.domains.base import project
from belated.losses import Linear as LinearLoss
from belated.losses import Quadratic, SquaredError
from belated.losses.base import Loss

__all__ = ["AfterRun", "Composite", "Convex", "ExpConcave", "Played", "RunBound", "StronglyConvex"]


class Line(NamedTuple):
    """The direction of all gradients, at its full length L, and the least and largest value of <slope, x>."""

    slope: Vector
    low: float
    high: float


class Adversary(Part):
    """A family of losses; members register :func:`regret` and say which loss of the library they are."""

    __slots__ = ()

    lipschitz: float
    """L, the norm of every gradient."""

    @abstractmethod
    def instance(self, gradients: Matrix, decisions: Matrix) -> tuple[Loss, Matrix]:
        """The losses of a run as a loss of the library and its rows.

        Args:
            gradients: g_1 to g_T in T rows.
            decisions: x_1 to x_T in T rows.

        Returns:
            The loss and a table with a row for each round.
        """


@verb
def regret(losses: Any, domain: Any, line: Line, signs: Integers, decisions: Matrix, spare: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The regret of ``decisions`` on the losses with these signs, against the best fixed element of ``domain``.

    ``spare`` is room for one point.
    """


class _ConvexFields(NamedTuple):
    lipschitz: float


class Convex(Adversary, _ConvexFields):
    """Linear losses <g_t, x>, the worst convex ones.

    Args:
        lipschitz: L > 0, the norm of every gradient.
    """

    __slots__ = ()

    def __new__(cls, lipschitz: float = 1.0) -> Convex:
        """Check the arguments and make the family."""
        return cls._make((checks.moderate("Convex", "lipschitz", lipschitz),))

    def instance(self, gradients: Matrix, decisions: Matrix) -> tuple[Loss, Matrix]:
        return LinearLoss(gradients.shape[1]), gradients


class _StronglyConvexFields(NamedTuple):
    strong_convexity: float
    lipschitz: float


class StronglyConvex(Adversary, _StronglyConvexFields):
    """Losses <g_t, x> + (beta / 2) |x - x_t|^2, the worst that are beta-strongly convex.

    Args:
        strong_convexity: beta > 0, the curvature of every loss.
        lipschitz: L > 0, the norm of every gradient at the decision of its round.
    """

    __slots__ = ()

    def __new__(cls, strong_convexity: float, lipschitz: float = 1.0) -> StronglyConvex:
        """Check the arguments and make the family."""
        beta = checks.moderate("StronglyConvex", "strong_convexity", strong_convexity)
        return cls._make((beta, checks.moderate("StronglyConvex", "lipschitz", lipschitz)))

    def instance(self, gradients: Matrix, decisions: Matrix) -> tuple[Loss, Matrix]:
        beta = self.strong_convexity
        return Quadratic(gradients.shape[1], curvature=beta), gradients - beta * decisions


class _ExpConcaveFields(NamedTuple):
    gamma: float
    lipschitz: float


class ExpConcave(Adversary, _ExpConcaveFields):
    """Losses <g_t, x> + (gamma / 2) <g_t, x - x_t>^2, which are curved along their gradient only.

    Args:
        gamma: gamma > 0, as the surrogates of ``ons`` have it: (1/2) min(1 / (4 L Dm), alpha).
        lipschitz: L > 0, the norm of every gradient at the decision of its round.
    """

    __slots__ = ()

    def __new__(cls, gamma: float, lipschitz: float = 1.0) -> ExpConcave:
        """Check the arguments and make the family."""
        bend = checks.moderate("ExpConcave", "gamma", gamma)
        return cls._make((bend, checks.moderate("ExpConcave", "lipschitz", lipschitz)))

    def instance(self, gradients: Matrix, decisions: Matrix) -> tuple[Loss, Matrix]:
        """Half a squared error: z_t = sqrt(gamma) g_t, and the label is <z_t, x_t> - 1 / sqrt(gamma)."""
        features = math.sqrt(self.gamma) * gradients
        labels = np.sum(features * decisions, axis=1) - 1.0 / math.sqrt(self.gamma)
        return SquaredError(gradients.shape[1]), np.column_stack((features, labels))


class _CompositeFields(NamedTuple):
    regulariser: float
    lipschitz: float


class Composite(Adversary, _CompositeFields):
    """Losses <g_t, x> + (mu / 2) |x|^2 of which the learner knows the second part and is told g_t alone.

    Args:
        regulariser: mu > 0, as the learner has it.
        lipschitz: L > 0, the norm of every gradient without the part of the regulariser.
    """

    __slots__ = ()

    def __new__(cls, regulariser: float, lipschitz: float = 1.0) -> Composite:
        """Check the arguments and make the family."""
        mu = checks.moderate("Composite", "regulariser", regulariser)
        return cls._make((mu, checks.moderate("Composite", "lipschitz", lipschitz)))

    def instance(self, gradients: Matrix, decisions: Matrix) -> tuple[Loss, Matrix]:
        return LinearLoss(gradients.shape[1], l2=self.regulariser), gradients


FAMILIES: dict[str, type[Adversary]] = {each.__name__: each for each in (Convex, StronglyConvex, ExpConcave, Composite)}
"""Every family by its name, as files know it."""


@compilable
def _along(line: Line, point: Vector) -> float:
    """<slope, point>, added up in the order of the entries."""
    total = 0.0
    for i in range(point.size):
        total += float(line.slope[i]) * float(point[i])
    return total


@regret.on(Convex)
def convex_regret(losses: Convex, domain: Any, line: Line, signs: Integers, decisions: Matrix, spare: Vector) -> float:
    """The sum of <g_t, x_t> minus the least value of <g_1 + ... + g_T, u>."""
    suffered, balance = 0.0, 0
    for t in range(signs.size):
        suffered += float(signs[t]) * _along(line, decisions[t])
        balance += int(signs[t])
    return suffered - min(balance * line.low, balance * line.high)


@regret.on(StronglyConvex)
def strongly_convex_regret(
    losses: StronglyConvex, domain: Any, line: Line, signs: Integers, decisions: Matrix, spare: Vector
) -> float:
    """The best u is the projection of the mean decision minus the mean gradient over beta."""
    rounds, beta = signs.size, losses.strong_convexity
    balance = 0
    for t in range(rounds):
        balance += int(signs[t])
    for i in range(spare.size):
        total = 0.0
        for t in range(rounds):
            total += float(decisions[t, i])
        spare[i] = total / rounds - balance * float(line.slope[i]) / (beta * rounds)
    project(domain, spare, spare)
    gained = 0.0
    for t in range(rounds):
        square = 0.0
        for i in range(spare.size):
            apart = float(decisions[t, i]) - float(spare[i])
            gained += float(signs[t]) * float(line.slope[i]) * apart
            square += apart * apart
        gained -= 0.5 * beta * square
    return gained


@regret.on(ExpConcave)
def exp_concave_regret(
    losses: ExpConcave, domain: Any, line: Line, signs: Integers, decisions: Matrix, spare: Vector
) -> float:
    """Only w = <slope, u> counts: the best w is a mean, cut off where the domain ends."""
    rounds, balance, total = signs.size, 0, 0.0
    for t in range(rounds):
        balance += int(signs[t])
        total += _along(line, decisions[t])
    best = min(max(total / rounds - balance / (losses.gamma * rounds), line.low), line.high)
    gained = 0.0
    for t in range(rounds):
        apart = _along(line, decisions[t]) - best
        gained += float(signs[t]) * apart - 0.5 * losses.gamma * apart * apart
    return gained


@regret.on(Composite)
def composite_regret(
    losses: Composite, domain: Any, line: Line, signs: Integers, decisions: Matrix, spare: Vector
) -> float:
    """The best u is the projection of minus the mean gradient over mu."""
    rounds, balance = signs.size, 0
    for t in range(rounds):
        balance += int(signs[t])
    for i in range(spare.size):
        spare[i] = -balance * float(line.slope[i]) / (losses.regulariser * rounds)
    project(domain, spare, spare)
    gained = 0.0
    for t in range(rounds):
        for i in range(spare.size):
            here, there = float(decisions[t, i]), float(spare[i])
            gained += float(signs[t]) * float(line.slope[i]) * (here - there)
            gained += 0.5 * losses.regulariser * (here * here - there * there)
    return gained
