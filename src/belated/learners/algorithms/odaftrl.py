r"""ODAFTRL: optimistic delayed adaptive FTRL with entropy; AdaHedgeD and DUB are two tunings of it.

.. math::

    w_t = \arg\min_w \Bigl\langle \sum_{k \text{ received}} g_k + h_t, w \Bigr\rangle
          + \lambda_t \sum_i w_i \ln\frac{w_i}{w_{1,i}}

========  ======================  ======================================================================
symbol    code                    meaning
========  ======================  ======================================================================
g_k       ``tell(gradient)``      the losses of the n corners in round k (or a gradient at x_k)
h_t       ``hint``                a guess at the sum of all missing gradients, that of round t included
lambda_t  ``tuning``              how strongly the first decision w_1 holds: a number, ``dub(domain)`` or
                                  ``ada_hedge_d(domain)``, which it is by default
========  ======================  ======================================================================

w_t are the shares of the corners of a simplex, and x_t, which is played, is the mean of the corners with these shares
(:mod:`~belated.learners.parts.steps.entropy`). Where the sum in front is 0 in every entry, x_1 is played.

Source: Flaspohler and others 2021, "Online Learning with Optimism and Delay". The tunings, what is remembered of them
and what is derived for any delays stand in :mod:`~belated.learners.parts.rates.tunings`. AdaHedgeD: regret at most
(ln(1 / w_{1,i}) / ln n + 1) times the sum of delta against corner i, whatever the delays: twice the sum from equal
shares. DUB: at most 2 (2 max A + sqrt(sum of a^2 + 2 alpha b)) from equal shares, if feedback comes in the order of
play. Both are O(sqrt(d T ln n)) then, and small for good hints. Losses and delays may be chosen by an adversary who
sees everything.

Must be known: with a tuning that learns, which round a feedback belongs to, and nothing else: not T, the range of the
losses or the delays. With a constant lambda feedback is anonymous, and the right constant depends on all of these.

Pitfalls: AdaHedgeD starts with lambda = 0, and plays only the corners that have lost the least until these lose more
than others for the first time. The tuning looks at feedbacks that come together in the order in which they are told,
and another order gives another lambda. A hint that is much too large is as bad as a long delay.

How it is computed: the hint belongs to the round that is played, so the decision is made when the round is.

>>> from belated.domains import Simplex
>>> player = odaftrl(Simplex(2)).start()
>>> play = player.ask()
>>> player.tell([1.0, 0.0], round=play.round)       # lambda = 0.5 / ln 2: half was lost beyond the least
>>> player.ask().point                              # odds 1 : e^(1 / lambda) = 1 : 4
array([0.2, 0.8])
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.ledger import Ledger
from belated.core.vectors import copy_into
from belated.domains.base import Domain
from belated.domains.simplex import Simplex
from belated.learners.card import Card
from belated.learners.learner import Learner
from belated.learners.parts.policies.hints import NO_HINT, Hint, LastGradient, checked_hint, context_size, guess
from belated.learners.parts.rates.tunings import REMEMBERED, Tuning, ada_hedge_d, dub, learn, mark, mark_size
from belated.learners.parts.rates.weights import ConstantWeight, checked_weight, weigh
from belated.learners.parts.steps.entropy import checked_simplex, shares, soften, spread
from belated.learners.verbs import Desk, Interface, begin, decision, interface, play, receive, settle


def odaftrl(domain: Domain, tuning: float | Tuning | None = None, hint: Hint = NO_HINT) -> Learner:
    """Optimistic delayed FTRL with entropy (Flaspohler and others 2021); AdaHedgeD unless another tuning is given.

    Args:
        domain: A simplex: every corner stands for an expert.
        tuning: How strongly the leader is held: a number lambda > 0, ``bl.tunings.dub(domain)``, or AdaHedgeD by
            default.
        hint: A guess at what is missing: ``bl.hints.NoHint()``, ``LastGradient()`` or ``GivenHint()``.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    simplex = checked_simplex("odaftrl", domain)
    chosen: float | Tuning = ada_hedge_d(simplex) if tuning is None else tuning
    if isinstance(chosen, float | int) or not weigh.knows(chosen):
        chosen = ConstantWeight(checks.moderate("odaftrl", "tuning", tuning))
    weight = checked_weight("odaftrl", "tuning", chosen, spent=1.0)
    policy = Optimistic(simplex, simplex.dim, weight, checked_hint("odaftrl", hint))
    return Learner("odaftrl", simplex, simplex, policy)


class Optimistic(NamedTuple):
    """The leader of the gradients received and a hint, held near the first decision by lambda_t times an entropy."""

    domain: Simplex
    dim: int
    tuning: Tuning
    hint: Hint


class OptimisticState(NamedTuple):
    """x_t; x_1 and its shares; the sum of the gradients; the last one; the last lambda_t; what the tuning remembers."""

    decision: Vector
    initial: Vector
    prior: Vector
    linear: Vector
    last: Vector
    held: Vector
    spent: Vector


@interface.on(Optimistic)
def optimistic_interface(policy: Optimistic) -> Interface:
    """One point is played, its gradient told; a hint that the caller gives, and the tuning's marks, are remembered."""
    n = policy.dim
    context = context_size(policy.hint, n)
    return Interface(1, "gradient", n, context + mark_size(policy.tuning, n), 4 * n, context_size=context)


@begin.on(Optimistic)
def begin_optimistic(policy: Optimistic, initial: Vector) -> OptimisticState:
    nothing, prior = np.zeros(initial.size), shares(policy.domain, initial)
    return OptimisticState(
        initial.copy(), initial.copy(), prior, nothing, nothing.copy(), np.zeros(1), np.zeros(REMEMBERED)
    )


@decision.on(Optimistic)
def optimistic_decision(policy: Optimistic, state: OptimisticState, out: Vector) -> None:
    copy_into(state.decision, out)


@receive.on(Optimistic)
def receive_optimistic(
    policy: Optimistic, state: OptimisticState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Add the gradient, and let the tuning look at it."""
    for i in range(policy.dim):
        state.linear[i] += feedback[i]
        state.last[i] = feedback[i]
    marked = memo[memo.size - mark_size(policy.tuning, policy.dim) :]
    learn(policy.tuning, state.spent, state.prior, state.linear, feedback, marked, scratch)


@settle.on(Optimistic)
def settle_optimistic(policy: Optimistic, state: OptimisticState, ledger: Ledger) -> None:
    """Do nothing: the decision needs the hint, which is known when the next round is played."""


@play.on(Optimistic)
def play_optimistic(policy: Optimistic, state: OptimisticState, ledger: Ledger, desk: Desk) -> None:
    """Follow the leader of the gradients received plus the hint; where that sum is zero, play the first decision."""
    n = policy.dim
    aim, weights = desk.scratch[:n], desk.scratch[n : 2 * n]
    guess(policy.hint, state.last, ledger.in_flight, desk.memo, aim)
    somewhere = False
    for i in range(n):
        aim[i] += state.linear[i]
        somewhere = somewhere or aim[i] != 0.0
    weight = weigh(policy.tuning, state.spent, ledger)
    state.held[0] = weight
    if somewhere:
        soften(state.prior, aim, weight, weights)
        spread(policy.domain, weights, state.decision)
    else:
        copy_into(state.initial, state.decision)
    mark(policy.tuning, state.spent, aim, weight, desk.memo[desk.memo.size - mark_size(policy.tuning, n) :])
    decision(policy, state, desk.points[0])


CARD = Card(
    title="ODAFTRL, the optimistic delayed leader: AdaHedgeD and DUB",
    losses="convex",
    adversary="adaptive",
    known=(),
    promise="O(sqrt(d T ln n)) for feedback in order of play, less with good hints",
    source="Flaspohler and others 2021",
    certainty="update read in the authors' code; some terms of the tunings remembered; validity derived here",
    time="O(n)",
    memory="O(n), and O(n) per round in flight",
    examples={
        "": odaftrl,
        "dub": lambda domain: odaftrl(domain, dub(checked_simplex("odaftrl", domain))),
        "last gradient": lambda domain: odaftrl(domain, hint=LastGradient()),
        "constant": lambda domain: odaftrl(domain, tuning=4.0, hint=LastGradient()),
    },
    domains="simplex",
)
