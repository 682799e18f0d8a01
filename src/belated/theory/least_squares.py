r"""Bounds on the regret of learners that keep a matrix. They are computed after a run, from its data.

=================  =================================================================================================
function           promise
=================  =================================================================================================
``vaw``            (lambda / 2) \|u\|^2 + Y^2 sum_t (1/2 + sigma_t + e_t) z_t' A_t^{-1} z_t
``ons``            (a / 2) Dm^2 + the sum over t, and over k = t and all k missing at t, of
                   \|g_t\|_t (1 + gamma \|<g_k, x_t - x_k>\|) \|g_k\|_t
=================  =================================================================================================

Symbols: sigma_t what is missing when round t is played, e_t the number of rounds, up to the last, in which the feedback
of round t is missing, \|v\|_t^2 = v' A_t^{-1} v. A_t is made of *all* rounds up to t, whether their feedback has come
or not, so the bounds need more than the feedback that the learner has received.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.learners.parts.cholesky import add_outer
from belated.theory.counts import counted, cut_off, positive

_ROUNDING = 1e-9


def vaw(
    delays: ArrayLike, features: ArrayLike, *, regulariser: float, label_bound: float, comparator: ArrayLike
) -> float:
    r"""The bound on the regret of ``vaw(Euclidean(n), lambda, Y)`` against u, for a start at zero.

    .. math:: \frac\lambda2 \|u\|^2 + Y^2 \sum_t \bigl(\tfrac12 + \sigma_t + e_t\bigr) z_t' A_t^{-1} z_t, \qquad
              A_t = \lambda I + \sum_{k \le t} z_k z_k'

    Regret is that of half the squared error, with forecasts clipped to Y. Proved in ``docs/derivations/vaw.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        features: z_1 to z_T in T rows.
        regulariser: lambda, as it was told to the learner.
        label_bound: Y, as it was told to the learner; no label may exceed it in size.
        comparator: u, usually the best weights in hindsight.

    Returns:
        The largest regret against u that is possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, or an
            array does not fit the delays or has an entry that is not finite and moderate.

    Example:
        >>> known = {"regulariser": 1.0, "label_bound": 6.0, "comparator": [0.0]}
        >>> round(vaw([1, 1], [[1.0], [1.0]], **known), 9)          # 36 / 2 * (1/2 + 1/3)
        15.0
    """
    held, most = positive("vaw", regulariser=regulariser, label_bound=label_bound)
    missing, waits = counted("vaw", delays).outstanding, cut_off("vaw", delays) - 1
    table = _table("vaw", "features", features, waits.size)
    other = checks.moderate_vector("vaw", "comparator", comparator, table.shape[1])
    total, factor = 0.0, math.sqrt(held) * np.eye(table.shape[1])
    for row, count in zip(table, 0.5 + missing + waits, strict=True):
        add_outer(factor, row.copy())
        total += float(count) * float(_squares(factor, row[None])[0])
    return held / 2.0 * float(other @ other) + most * most * total


def ons(
    delays: ArrayLike,
    gradients: ArrayLike,
    decisions: ArrayLike,
    *,
    lipschitz: float,
    exp_concavity: float,
    diameter: float,
    weight: float | None = None,
) -> float:
    r"""The bound on the regret of ``ons(domain, L, alpha, weight)``, from its decisions and all gradients of the run.

    .. math::

        \frac a2 D_m^2 + \sum_t \|g_t\|_{A_t^{-1}} \sum_{k \in U_t \cup \{t\}}
        \bigl(1 + \gamma |\langle g_k, x_t - x_k \rangle|\bigr) \|g_k\|_{A_t^{-1}}, \qquad
        A_t = a I + \gamma \sum_{k \le t} g_k g_k'

    U_t are the rounds missing when x_t is chosen, gamma = min(1 / (4 L Dm), alpha) / 2, and a is the weight, by default
    1 / (gamma Dm^2). The start may be any. Proved in ``docs/derivations/ons.md``.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        gradients: g_1 to g_T in T rows, including those that never came; none is longer than L.
        decisions: x_1 to x_T in T rows.
        lipschitz: L, as it was told to the learner: a bound on the norms of the gradients.
        exp_concavity: alpha, as it was told to the learner.
        diameter: Dm, the diameter of the domain, ``domain.diameter``.
        weight: a, as it was told to the learner; by default 1 / (gamma Dm^2), as there.

    Returns:
        The largest regret possible after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, a constant is not positive and moderate, an array
            does not fit the delays or has an entry that is not finite and moderate, or a gradient is longer than L.

    Example:
        >>> known = {"lipschitz": 1.0, "exp_concavity": 2.0, "diameter": 0.125, "weight": 1.0}
        >>> round(ons([1], [[1.0]], [[0.0]], **known), 9)           # gamma = 1: 1 / 128 + 1 / 2
        0.5078125
    """
    where = "ons"
    bound, alpha, across = positive(where, lipschitz=lipschitz, exp_concavity=exp_concavity, diameter=diameter)
    gamma = 0.5 * min(1.0 / (4.0 * bound * across), alpha)
    held = 1.0 / (gamma * across * across) if weight is None else checks.moderate(where, "weight", weight)
    ends = cut_off(where, delays) + np.arange(np.size(delays))
    slopes = _table(where, "gradients", gradients, ends.size)
    _check_lengths(where, slopes, bound)
    points = _table(where, "decisions", decisions, ends.size, slopes.shape[1])
    total, factor = 0.0, math.sqrt(held) * np.eye(slopes.shape[1])
    waiting = np.empty(0, dtype=np.int64)
    for t, (slope, point) in enumerate(zip(slopes, points, strict=True)):
        waiting = np.append(waiting[ends[waiting] > t], t)
        add_outer(factor, math.sqrt(gamma) * slope)
        norms = np.sqrt(_squares(factor, slopes[waiting]))
        along = np.abs(np.sum(slopes[waiting] * (point - points[waiting]), axis=1))
        total += float(norms[-1]) * float(np.sum((1.0 + gamma * along) * norms))
    return held / 2.0 * across * across + total


def _check_lengths(where: str, gradients: Matrix, lipschitz: float) -> None:
    """Refuse gradients longer than L, for which nothing is proved; a relative excess of 1e-9 counts as rounding."""
    lengths = np.sqrt(np.sum(gradients * gradients, axis=1))
    longest = int(np.argmax(lengths))
    if lengths[longest] > lipschitz * (1.0 + _ROUNDING):
        allowed = f"must have norms of at most lipschitz = {lipschitz:g}, row {longest} has {lengths[longest]:g}"
        checks.refuse(where, "gradients", gradients, allowed)


def _squares(factor: Matrix, rows: Matrix) -> Vector:
    """The numbers v' A^{-1} v for every row v, A = U' U: the squares of what solves U' h = v."""
    halves = rows.T.copy()
    for k in range(len(factor)):
        halves[k] /= factor[k, k]
        halves[k + 1 :] -= np.outer(factor[k, k + 1 :], halves[k])
    squares: Vector = np.sum(halves * halves, axis=0)
    return squares


def _table(where: str, name: str, value: ArrayLike, rounds: int, columns: int | None = None) -> Matrix:
    """A table with a row for each round, checked: its entries must be so small that their squares can be added."""
    table = checks.matrix(where, name, value, columns)
    if len(table) != rounds:
        checks.refuse(where, name, value, f"must have a row for each of the {rounds} delays, got {len(table)}")
    largest = float(np.abs(table).max())
    if largest > checks.LARGEST_ENTRY:
        most = checks.LARGEST_ENTRY
        checks.refuse(where, name, value, f"must have entries of size at most {most:g}, the largest is {largest:g}")
    return table
