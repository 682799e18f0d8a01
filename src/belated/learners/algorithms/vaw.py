r"""VAW: the forecaster of Vovk, Azoury and Warmuth with late labels, for linear regression without a bounded domain.

Features z_t are known when round t is played, ``ask(context=z_t)``, and labels are late:

.. math::

    A_t = \lambda I + \sum_{k \le t} z_k z_k', \qquad w_t = A_t^{-1} \sum_{k \text{ received}} y_k z_k, \qquad
    w_t \leftarrow w_t \min\Bigl(1, \frac{Y}{|\langle z_t, w_t \rangle|}\Bigr)

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
z_t     ``ask(context)``        the features of round t; in A_t *all* rounds count, the present one too
y_k     ``tell(label)``         the label of round k
lambda  ``regulariser``         of the whole run, as in ridge regression
Y       ``label_bound``         bound on the sizes of the labels: forecasts are clipped to it, and
                                ``tell`` refuses a label that is larger
======  ======================  ====================================================================

Source: Azoury and Warmuth 2001, Vovk 2001; with delays derived in ``docs/derivations``, after the clipping of Qiu,
Esposito and Zhang 2025. With ``label_bound``, for losses (<z_t, w> - y_t)^2 / 2, sigma_t the number of labels missing
when w_t is played and d_t the delay, counted up to the last round, regret against any u is at most (lambda / 2) |u|^2 +
Y^2 times the sum over t of (sigma_t + d_t - 1/2) z_t' A_t^{-1} z_t, which is O(d n log T), d the largest delay. Without
it nothing is promised when labels are late. Features, labels and delays may be chosen by an adversary who sees
everything.

Must be known: the features beforehand, Y, and which round a label belongs to. Not T, the delays or a bound on the
features or on u.

Pitfalls: the domain is the whole space, and no other is allowed. A start elsewhere than at zero is taken for a first
guess: labels are measured from its forecasts. Every round is O(n^2), whether anything arrives or not.

How it is computed: A_t is kept as its Cholesky factor (:mod:`belated.learners.parts.cholesky`), so every round is
O(n^2). Labels are measured from what the first decision w_0 forecasts: w_t = w_0 + A_t^{-1} times the sum of
(y_k - <z_k, w_0>) z_k over the labels received. If the forecast <z_t, w_t> lies beyond ``label_bound``, w_t is scaled
back until it does not.

>>> from belated.domains import Euclidean
>>> player = vaw(Euclidean(1), regulariser=1.0, label_bound=3.0).start()
>>> play = player.ask(context=[1.0])
>>> player.tell([3.0], round=play.round)
>>> player.ask(context=[1.0]).point                 # A = 1 + 1 + 1, b = 3
array([1.])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.reductions import dot
from belated.core.vectors import copy_into
from belated.domains.base import Domain
from belated.domains.euclidean import Euclidean
from belated.learners.card import Card
from belated.learners.learner import Learner
from belated.learners.parts.cholesky import add_outer, solve
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


def vaw(domain: Domain, regulariser: float, label_bound: float | None = None) -> Learner:
    """The forecaster of Vovk, Azoury and Warmuth, with late labels and clipped forecasts.

    Args:
        domain: The whole space, ``bl.Euclidean(dim)``.
        regulariser: lambda > 0 of ridge regression, for the whole run.
        label_bound: Bound Y > 0 on the sizes of the labels, to which forecasts are clipped. ``None`` promises nothing
            under delay.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    if not isinstance(domain, Euclidean):
        checks.refuse("vaw", "domain", domain, "must be the whole space, such as Euclidean(10)")
    ridge = checks.moderate("vaw", "regulariser", regulariser)
    bound = math.inf if label_bound is None else checks.moderate("vaw", "label_bound", label_bound)
    return Learner("vaw", domain, domain, Forecaster(domain.dim, ridge, bound))


class Forecaster(NamedTuple):
    """Linear forecasts from ``dim`` features, clipped to ``label_bound`` in size."""

    dim: int
    regulariser: float
    label_bound: float


class ForecasterState(NamedTuple):
    """w_t; w_0; the sum over the labels received; the Cholesky factor of A_t."""

    decision: Vector
    anchor: Vector
    total: Vector
    factor: Matrix


@interface.on(Forecaster)
def forecaster_interface(policy: Forecaster) -> Interface:
    """One point is played, a label told; the features are the context, and remembered."""
    return Interface(1, "label", 1, policy.dim, policy.dim, context_size=policy.dim, label_bound=policy.label_bound)


@begin.on(Forecaster)
def begin_forecaster(policy: Forecaster, initial: Vector) -> ForecasterState:
    """Nothing is seen yet, so that A = lambda I."""
    factor = math.sqrt(policy.regulariser) * np.eye(policy.dim)
    return ForecasterState(initial.copy(), initial.copy(), np.zeros(policy.dim), factor)


@decision.on(Forecaster)
def forecaster_decision(policy: Forecaster, state: ForecasterState, out: Vector) -> None:
    """Write w_t, as it was played last."""
    copy_into(state.decision, out)


@play.on(Forecaster)
def play_forecaster(policy: Forecaster, state: ForecasterState, ledger: Ledger, desk: Desk) -> None:
    """Add the features of this round to A, and play the weights, scaled back if the forecast is beyond the bound."""
    features, weights = desk.memo[: policy.dim], state.decision
    copy_into(features, desk.scratch)
    add_outer(state.factor, desk.scratch[: policy.dim])
    copy_into(state.total, weights)
    solve(state.factor, weights)
    for i in range(policy.dim):
        weights[i] = float(state.anchor[i]) + float(weights[i])
    forecast = abs(dot(features, weights))
    if forecast > policy.label_bound:
        for i in range(policy.dim):
            weights[i] = float(weights[i]) * (policy.label_bound / forecast)
    copy_into(weights, desk.points[0])


@receive.on(Forecaster)
def receive_label(
    policy: Forecaster, state: ForecasterState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the features of the round times its label, as measured from the forecast of w_0, to the sum."""
    features = memo[: policy.dim]
    surprise = float(feedback[0]) - dot(features, state.anchor)
    for i in range(policy.dim):
        state.total[i] += surprise * float(features[i])


@settle.on(Forecaster)
def settle_forecaster(policy: Forecaster, state: ForecasterState, ledger: Ledger) -> None:
    """Do nothing: the next decision needs the features of its round."""


CARD = Card(
    title="Vovk-Azoury-Warmuth forecaster with late labels",
    losses="squared errors of linear forecasts",
    adversary="adaptive",
    known=("features of the round", "bound on the labels"),
    promise="O(d n log T)",
    source="derived here, after Azoury and Warmuth 2001 and Qiu, Esposito and Zhang 2025",
    certainty="bound derived here; the undelayed forecaster remembered, the delayed one from an abstract",
    time="O(n^2)",
    memory="O(n^2), and O(n) per round in flight",
    domains="the whole space",
    examples={
        "": lambda domain: vaw(domain, regulariser=1.0, label_bound=2.0),
        "unclipped": lambda domain: vaw(domain, regulariser=1.0),
    },
    tuned=lambda domain, facts: {"regulariser": 1.0},
)
