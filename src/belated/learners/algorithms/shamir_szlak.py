r"""Shamir and Szlak: two descents that share windows of rounds, for losses in random order within each window.

There are two decisions, a and b. In every window of M rounds, the first tau rounds play a and the others b. Feedback is
tau rounds late. At the end of round t

.. math::

    a \leftarrow \Pi_X\Bigl(a - \frac{Dm}{L \sqrt{(1 + 2 \tau) i}} g_{t - M}\Bigr) \text{ if } a \text{ has played } t,
    \qquad
    b \leftarrow \Pi_X\Bigl(b - \frac{Dm}{L \sqrt j} g_{t - \tau}\Bigr) \text{ if } b \text{ has played } t

======  ======================  ====================================================================
symbol  code                    meaning
======  ======================  ====================================================================
g_k     ``tell(gradient)``      gradient of round k's loss at the decision of that round
tau     ``delay`` - 1           with a delay of 1 feedback is there before the next round, and tau = 0
M       ``window``              rounds within which losses may be reordered, at least ``delay``
i, j    ``received``            the number of steps of a, and of b, the present one included
Dm      ``domain.diameter``     diameter of the domain
L       ``lipschitz``           bound on the norms of the gradients
======  ======================  ====================================================================

It is meant for a problem whose losses come in random order within windows of M rounds,
:class:`~belated.sim.problems.locally_permuted.LocallyPermuted`, with the same delay for all rounds, ``Fixed(delay)``.

Source: Shamir and Szlak 2017: O(sqrt(T) (1 + sqrt(tau^2 / M))) in expectation; for losses in any order it would be
sqrt(tau T). This is from the abstract. From the caption of a figure, quoted by others, is who learns from what: a
learns from the first tau rounds of the *previous* window, b from the first M - tau of the same one, each exactly tau
rounds back. Rates and constants are derived here, for linear losses and M that divides T: expected regret is at most
(3/2) Dm L (sqrt(T) + sqrt((1 + 2 tau) tau T / M)). In short: when b plays round t it has heard of nothing from round
t - tau on in this window, so that swapping g_t and g_{t-tau} changes no expectation. Its expected loss in round t is
what it would be for g_{t-tau}, by which it makes its next step. So b has no delay. To a, which plays tau T / M rounds,
the last tau of its own are missing, which costs sqrt(1 + 2 tau).

Must be known: the delay, M, L, and a bounded domain; and which round a feedback belongs to.

Pitfalls: for losses that are not linear the argument needs the gradient of a late loss at the *present* decision, which
nobody tells, so that nothing is promised. Losses must not depend on what was played in their own window. In any other
order, or with other delays, nothing is promised: see :mod:`~.algorithms.dogd`. What is told of the last tau rounds
of a window is not used.

How it is computed: rounds 1..M are the first window, M + 1..2M the second, and so on. The policy ``first`` plays the
first tau rounds of each window. It is told of a round that it has played at the end of the round at the same place of
the next window; until then the feedback is kept, in one row for each of the tau places. Feedback that comes later than
that is told at once. The policy ``second`` plays the other rounds of the window. It is told of every round whose
feedback comes within the window of that round, whoever has played it: with a delay of tau + 1, of rounds 1..M - tau of
the window while it plays rounds tau + 1..M. So ``second`` hears of as many rounds as it plays, of each one tau rounds
later, and never of the last tau rounds of a window. A round remembers its number.

>>> from belated.domains import Ball
>>> player = shamir_szlak(Ball(1), delay=2, window=3, lipschitz=2.0).start()
>>> first, second = player.ask(), player.ask()      # a, then b
>>> player.tell([0.5], round=first.round)           # b has a step: 2 / 2 times 0.5
>>> player.ask().point                              # b again
array([-0.5])
>>> player.ask().point                              # a, as at first; at the end of this round it has its step
array([0.])
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers, Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.vectors import copy_into
from belated.core.verbs import compilable
from belated.domains.base import Domain
from belated.learners.card import Card
from belated.learners.learner import Learner, checked_domain
from belated.learners.parts.policies.arrivals import Sequential
from belated.learners.parts.policies.gradient import Direct
from belated.learners.parts.rates import SquareRoot, scale
from belated.learners.parts.steps.descent import Descent
from belated.learners.parts.wrappers.replay import Replay
from belated.learners.verbs import Desk, Interface, Policy, State, begin, decision, interface, play, receive, settle


def shamir_szlak(domain: Domain, delay: int, window: int, lipschitz: float) -> Learner:
    """Two descents for losses that are permuted within windows, with one fixed delay (Shamir and Szlak 2017).

    Args:
        domain: The set that decisions come from; it must be bounded.
        delay: The delay of every round, at least 1.
        window: Rounds M within which losses may be reordered, at least ``delay``.
        lipschitz: Bound L > 0 on the norms of all gradients that will be told.

    Returns:
        The learner; its ``start()`` begins a run.

    Raises:
        InvalidArgument: An argument is out of its range, or the domain is not for this learner.
    """
    lag = checks.count("shamir_szlak", "delay", delay) - 1
    length = checks.count("shamir_szlak", "window", window)
    if length <= lag:
        checks.refuse("shamir_szlak", "window", window, f"must be >= the delay {delay}")
    steepness = scale("shamir_szlak", checked_domain("shamir_szlak", domain), lipschitz)
    first = _descent(domain, steepness * math.sqrt(1 + 2 * lag))
    return Learner("shamir_szlak", domain, domain, Windows(first, _descent(domain, steepness), length, lag))


def _descent(domain: Domain, steepness: float) -> Replay:
    """Gradient descent whose rate counts the steps that it has made."""
    return Replay(Direct(Sequential(Descent(domain, SquareRoot(steepness))), domain.dim))


class Windows(NamedTuple):
    """Two policies without a memo; in every window of ``window`` rounds, ``first`` plays the first ``lag``."""

    first: Policy
    second: Policy
    window: int
    lag: int


class WindowsState(NamedTuple):
    """The states of both policies; ``early``, which is 1 if ``first`` plays the present round, else 0; what is kept.

    ``kept`` has one row of feedback for each place of ``first`` in a window, and ``of`` the round of each row, or 0 for
    none.
    """

    first: State
    second: State
    early: Integers
    kept: Matrix
    of: Integers


@interface.on(Windows)
def windows_interface(policy: Windows) -> Interface:
    """That of either policy; the number of the round is remembered."""
    return interface(policy.second)._replace(memo_size=1)


@begin.on(Windows)
def begin_windows(policy: Windows, initial: Vector) -> WindowsState:
    """Both policies begin at the same decision."""
    return WindowsState(
        begin(policy.first, initial),
        begin(policy.second, initial),
        np.zeros(1, dtype=np.int64),
        np.zeros((max(1, policy.lag), initial.size)),
        np.zeros(max(1, policy.lag), dtype=np.int64),
    )


@decision.on(Windows)
def windows_decision(policy: Windows, state: WindowsState, out: Vector) -> None:
    if state.early[0] == 1:
        decision(policy.first, state.first, out)
    else:
        decision(policy.second, state.second, out)


@play.on(Windows)
def play_windows(policy: Windows, state: WindowsState, ledger: Ledger, desk: Desk) -> None:
    """Let that policy play to which the place in the window belongs."""
    desk.memo[0] = ledger.round
    if (ledger.round - 1) % policy.window < policy.lag:
        state.early[0] = 1
        play(policy.first, state.first, ledger, Desk(desk.rng, desk.scratch, desk.points, desk.memo[:0]))
    else:
        state.early[0] = 0
        play(policy.second, state.second, ledger, Desk(desk.rng, desk.scratch, desk.points, desk.memo[:0]))


@receive.on(Windows)
def receive_windows(
    policy: Windows, state: WindowsState, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector
) -> None:
    """Keep feedback for ``first``, or tell it at once if it is due; tell ``second`` what comes within its window."""
    number = int(memo[0])
    place = (number - 1) % policy.window
    if place < policy.lag:
        if number + policy.window <= ledger.round:
            receive(policy.first, state.first, ledger, feedback, memo[:0], scratch)
        else:
            _tell_what_was_kept(policy, state, ledger, place)
            copy_into(feedback, state.kept[place])
            state.of[place] = number
    if (number - 1) // policy.window == (ledger.round - 1) // policy.window:
        receive(policy.second, state.second, ledger, feedback, memo[:0], scratch)


@compilable
def _tell_what_was_kept(policy: Windows, state: WindowsState, ledger: Ledger, place: int) -> None:
    """Tell ``first`` of the earlier round whose feedback is kept at this place, if there is one."""
    if 0 < state.of[place] < ledger.round:
        state.of[place] = 0
        nothing = state.kept[place, :0]
        receive(policy.first, state.first, ledger, state.kept[place], nothing, nothing)


@settle.on(Windows)
def settle_windows(policy: Windows, state: WindowsState, ledger: Ledger) -> None:
    """At a place of ``first``, tell it what was kept of the window before; then both policies end the round."""
    place = (ledger.round - 1) % policy.window
    if place < policy.lag:
        _tell_what_was_kept(policy, state, ledger, place)
    settle(policy.first, state.first, ledger)
    settle(policy.second, state.second, ledger)


CARD = Card(
    title="Two descents for locally permuted losses",
    losses="linear, in random order within windows of M rounds",
    adversary="oblivious within a window",
    known=("the delay, fixed", "the window M", "lipschitz", "bounded domain"),
    promise="O(sqrt(T) (1 + d / sqrt(M))) in expectation",
    source="Shamir and Szlak 2017",
    certainty="from the abstract and the caption of a figure, as quoted; rates and constants derived here",
    time="O(n) and a projection",
    memory="O(n d)",
    examples={"": lambda domain: shamir_szlak(domain, delay=3, window=8, lipschitz=2.0)},
    domains="bounded",
)
