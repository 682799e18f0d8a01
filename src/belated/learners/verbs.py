"""The verbs of a learner's parts: what a policy, an arrival rule, a step, a rate and an estimator each must do.

One round of a learner, as the player and the simulator both run it::

    after_giving_up(ledger) -> for each round given up: forget(policy, ...) ->
    after_arrivals(ledger) -> for each arrival: receive(policy, ...) -> settle(policy, ...) ->
    after_play(ledger) -> play(policy, ...)

(Nothing is ever given up in a simulation.) A *policy* is the whole of a learner's behaviour. The usual one,
:class:`~.policies.gradient.Estimated`, hands each feedback through an *estimator* to an *arrival rule*, which moves a
*step*, whose size a *rate* decides.

States are NamedTuples of arrays that the verbs change in place; descriptions are never changed. Verbs that produce a
vector write it into ``out``, and what they need on the way goes into ``scratch``, which means nothing between two
calls: code that neither returns nor makes arrays compiles into a loop without any memory management. What a verb does
must depend on its arguments alone: a player may run a turn twice, on two copies of the state.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.verbs import compiled_as, verb

Policy = Any
"""The whole of a learner's behaviour, a NamedTuple with ``interface``, ``begin``, ``decision``, ``play``, ``receive``
and ``settle``."""

ArrivalRule = Any
"""How gradients that come together are combined, with ``begin``, ``decision``, ``absorb`` and ``settle``."""

Step = Any
"""What a gradient does to the decision, with ``begin``, ``decision`` and ``move``."""

Rate = Any
"""How large a step is: a part with ``inverse_rate``."""

Estimator = Any
"""Where to look for values and which gradient follows from them, with ``interface``, ``probe`` and ``estimate``."""

State = Any
"""What a policy, an arrival rule or a step remembers: a NamedTuple of arrays, nested, which the verbs change."""

Rng = np.random.Generator | None
"""What a policy draws from; ``None`` for those that do not."""


class Interface(NamedTuple):
    r"""What a policy shows and wants: points per round, what a feedback is and its size, numbers remembered per round.

    A policy that remembers something of a round must be told which round a feedback belongs to.

    Args:
        queries: How many points it plays per round.
        feedback: ``"gradient"`` at the only point, ``"values"`` at all points, or ``"label"`` of the round.
        feedback_size: How many numbers one feedback has.
        memo_size: How many numbers it remembers of each round.
        scratch_size: How many numbers of room it needs while it works.
        draws: Whether it plays at random; one that does not is given no generator.
        regulariser: mu of the part (mu / 2) \|x\|^2 of the losses that it knows: gradients are told without that.
        context_size: How many numbers are known of a round before it is played, such as features. They are the first
            numbers of its memo.
        classes: With it, a label is one of 0, 1, ..., ``classes`` - 1.
        label_bound: Without classes, a label is a number of at most this size.
    """

    queries: int
    feedback: str
    feedback_size: int
    memo_size: int
    scratch_size: int
    draws: bool = False
    regulariser: float = 0.0
    context_size: int = 0
    classes: int = 0
    label_bound: float = math.inf


class Desk(NamedTuple):
    """The generator and the buffers that :func:`play` works with in one round.

    Args:
        rng: The generator of the learner's random numbers.
        scratch: Space for intermediate results; what is in it has no meaning before or after the call.
        points: Where the policy writes the points to play, one in each row.
        memo: Where it writes what it must know when the feedback comes, behind the context of the round.
    """

    rng: Rng
    scratch: Vector
    points: Matrix
    memo: Vector


@compiled_as(lambda rng, scratch, points, memo: Desk(rng, scratch, points, memo))
def desk_of(rng: Rng, scratch: Vector, points: Matrix, memo: Vector) -> Desk:
    """The same as ``Desk(rng, scratch, points, memo)``, in half of the time that plain Python takes for a class."""
    return tuple.__new__(Desk, (rng, scratch, points, memo))


@verb
def interface(part: Policy | Estimator) -> Interface:  # type: ignore[empty-body]  # declarations have no body
    """The interface of a policy or an estimator: what it plays and what it is told. It must not change."""


@verb
def begin(part: Policy | ArrivalRule | Step, initial: Vector) -> State:
    """A fresh state for a policy, an arrival rule or a step whose first decision is ``initial``."""


@verb
def decision(part: Policy | ArrivalRule | Step, state: State, out: Vector) -> None:
    """Write into ``out`` the decision x_t that the state of a policy, an arrival rule or a step holds."""


@verb
def play(policy: Policy, state: State, ledger: Ledger, desk: Desk) -> None:
    """Write the round's points, and into its memo what must be known when the feedback comes.

    The context of the round, if there is one, lies in the memo already, and stays there.
    """


@verb
def receive(policy: Policy, state: State, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector) -> None:
    """Take one piece of feedback, with the memo of its round (empty for anonymous learners).

    The ledger already counts all of the round's arrivals, this one and those still to be received.
    """


@verb
def settle(part: Policy | ArrivalRule, state: State, ledger: Ledger) -> None:
    """Finish the round of a policy or an arrival rule: all of its feedback, possibly none, has been received."""


@verb
def adds_up(part: Policy | ArrivalRule) -> bool:  # type: ignore[empty-body]  # declarations have no body
    """Whether the gradients that arrive in a round have no effect but by their sum, added up in order of play.

    The simulator then adds them up when they are sent, and keeps one sum for each round in which some arrive. A policy
    that says so registers ``add_up`` and ``settle_sum`` as well, and an arrival rule ``settle_sum``.
    """


@adds_up.otherwise
def each_counts(part: Policy | ArrivalRule) -> bool:
    """False: the default for policies and arrival rules that receive every feedback by itself."""
    return False


@verb
def add_up(policy: Policy, feedback: Vector, memo: Vector, scratch: Vector, fresh: bool, total: Vector) -> None:
    """Add the gradient of one feedback to ``total``; if ``fresh``, it is the first, and ``total`` is overwritten."""


@verb
def settle_sum(part: Policy | ArrivalRule, state: State, ledger: Ledger, total: Vector) -> None:
    """Do what ``receive`` for each arrival and then ``settle`` do, by the sum of what has arrived.

    If nothing has arrived, ``total`` has no meaning.
    """


@verb
def forget(policy: Policy, state: State, ledger: Ledger, memo: Vector) -> None:
    """Take note that the round of ``memo`` has been given up: its feedback will never come.

    The ledger does not count it as in flight any more. This is not called for policies without a memo.
    """


@forget.otherwise
def forget_nothing(policy: Policy, state: State, ledger: Ledger, memo: Vector) -> None:
    """Do nothing: the default for policies whose state has nothing that waits for a certain round."""


@verb
def oldest_wanted(policy: Policy, state: State, ledger: Ledger) -> int:  # type: ignore[empty-body]  # as above
    """The first round whose feedback may still be of use, after a play; it never falls.

    The player drops the memos of earlier rounds, so neither ``receive`` nor ``forget`` is called for them later. The
    ledger counts their feedback all the same, as the simulator's does, which calls ``receive`` for it.
    """


@oldest_wanted.otherwise
def everything_wanted(policy: Policy, state: State, ledger: Ledger) -> int:
    """Round 1: the default for policies that use feedback however late it comes."""
    return 1


@verb
def full(policy: Policy, state: State, ledger: Ledger) -> bool:  # type: ignore[empty-body]  # as above
    """Whether the state has no room for another round; called before each round, when the ledger counts those before.

    A state has arrays of a fixed size. A policy whose memory grows says here when it must, and in ``enlarged`` how.
    """


@full.otherwise
def never_full(policy: Policy, state: State, ledger: Ledger) -> bool:
    """False: the default for policies whose arrays keep their sizes."""
    return False


@verb
def enlarged(policy: Policy, state: State) -> State:
    """The same state with about twice as much room, so that growing happens seldom. Called from Python only.

    Arrays may grow in their first dimension only, and new rows are added behind the old ones or replace them.
    """


@verb
def sound(policy: Policy, state: State, memo: Vector) -> bool:  # type: ignore[empty-body]  # as above
    """Whether the rows of growing arrays that belong to the round of ``memo`` are finite.

    The player looks through all other arrays by itself in every turn. Growing arrays can be large, so the player calls
    this verb for each round whose feedback is received, and for the round that is played.
    """


@sound.otherwise
def sound_by_nature(policy: Policy, state: State, memo: Vector) -> bool:
    """True: the default for policies whose growing arrays hold nothing that could leave the range of numbers."""
    return True


@verb
def absorb(rule: ArrivalRule, state: State, ledger: Ledger, gradient: Vector) -> None:
    """Take one gradient into an arrival rule. The ledger counts all arrivals of the round already."""


@verb
def move(step: Step, state: State, ledger: Ledger, gradient: Vector) -> None:
    """Change the decision of a step by a gradient, which is that of one feedback or a sum over several."""


@verb
def rest(step: Step, state: State, ledger: Ledger) -> None:
    """End a round in which nothing has arrived: a step that moves without feedback does so here."""


@rest.otherwise
def stay(step: Step, state: State, ledger: Ledger) -> None:
    """Leave the state unchanged: the default for steps that register nothing for a round without feedback."""


@verb
def inverse_rate(rate: Rate, ledger: Ledger) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The inverse rate h_t = 1 / eta_t at the end of round t, whose arrivals the ledger counts.

    It is only called when something has arrived, and must be a finite number > 0.
    """


@verb
def probe(estimator: Estimator, centre: Vector, rng: Rng, scratch: Vector, points: Matrix, memo: Vector) -> None:
    """Write the points around the decision ``centre`` at which an estimator wants the loss, one in each row.

    What must be known when the values come is written into ``memo``.
    """


@verb
def estimate(estimator: Estimator, feedback: Vector, memo: Vector, scratch: Vector, out: Vector) -> None:
    """Write into ``out`` the gradient that follows from the values ``feedback`` at the points of a round."""
