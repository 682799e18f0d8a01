"""The verbs of a learner's parts: what a policy, an arrival rule, a step, a rate and an estimator each have to say.

One round of a learner, as the player and the simulator both run it::

    after_arrivals(ledger) -> for each arrival: receive(policy, ...) -> settle(policy, ...) -> after_play(ledger) ->
    play(policy, ...)

A *policy* is the whole of a learner's behaviour. The usual one, :class:`~.policies.gradient.Estimated`,
hands each feedback through an *estimator* to an *arrival rule*, which moves a *step*, whose size a *rate* decides.

States are NamedTuples of arrays that the verbs change in place; descriptions are never changed. Verbs that produce a
vector write it into ``out``, and what they need on the way goes into ``scratch``, which means nothing between two
calls: code that neither returns nor makes arrays compiles into a loop without any memory management.
"""

from typing import Any, NamedTuple

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.core.ledger import Ledger
from belated.core.verbs import verb

Rng = np.random.Generator | None
"""What a policy draws from; ``None`` for those that do not."""


class Interface(NamedTuple):
    r"""What a policy shows and wants: points a round, what a feedback is and its size, numbers remembered a round.

    A feedback is a ``"gradient"`` at the only point, the ``"values"`` at all points, or the ``"label"`` of the round.
    A policy that remembers something of a round needs to be told which round a feedback belongs to. ``scratch_size``
    is the room it needs while it works. ``draws`` says whether it plays at random; one that does not is given no
    generator. ``regulariser`` is mu of the part (mu / 2) \|x\|^2 of the losses that it knows: gradients are told
    without that. ``context_size`` numbers are known of a round before it is played, such as its features: they are
    the first ones of its memo. With ``classes``, a label is one of 0, 1, ..., ``classes`` - 1.
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


@verb
def interface(part: Any) -> Interface:  # type: ignore[empty-body]  # declarations have no body
    """The interface of a policy or an estimator. Asked once, at construction."""


@verb
def begin(part: Any, initial: Vector) -> Any:
    """A fresh state for a policy, an arrival rule or a step whose first decision is ``initial``."""


@verb
def decision(part: Any, state: Any, out: Vector) -> None:
    """Write into ``out`` the decision x_t that the state of a policy, an arrival rule or a step holds."""


@verb
def play(policy: Any, state: Any, ledger: Ledger, rng: Rng, scratch: Vector, points: Matrix, memo: Vector) -> None:
    """Write the round's points, a row each, and into ``memo`` what must be known when the feedback comes.

    The context of the round, if there is one, lies in ``memo`` already, and stays there.
    """


@verb
def receive(policy: Any, state: Any, ledger: Ledger, feedback: Vector, memo: Vector, scratch: Vector) -> None:
    """Take one piece of feedback, with the memo of its round (empty for anonymous learners).

    The ledger already counts all of the round's arrivals, this one and those still to be received.
    """


@verb
def settle(part: Any, state: Any, ledger: Ledger) -> None:
    """All of the round's feedback, possibly none, has been received: a policy or arrival rule finishes the round."""


@verb
def full(policy: Any, state: Any, ledger: Ledger) -> bool:  # type: ignore[empty-body]  # declarations have no body
    """Whether the state has no room for another round; asked before each, when the ledger counts those before.

    A state has arrays of a fixed size. A policy whose memory grows says here when it has to, and how in ``enlarged``.
    """


@full.otherwise
def never_full(policy: Any, state: Any, ledger: Ledger) -> bool:
    """Most policies remember the same of every run."""
    return False


@verb
def enlarged(policy: Any, state: Any) -> Any:
    """The same state with more room: about twice as much, so that this happens seldom. Called from Python only."""


@verb
def absorb(rule: Any, state: Any, ledger: Ledger, gradient: Vector) -> None:
    """An arrival rule takes one gradient."""


@verb
def move(step: Any, state: Any, ledger: Ledger, gradient: Vector) -> None:
    """A step changes its decision by a gradient (of one feedback, or summed over several)."""


@verb
def rest(step: Any, state: Any, ledger: Ledger) -> None:
    """The round is over and nothing has arrived: a step that moves even so does it now."""


@rest.otherwise
def stay(step: Any, state: Any, ledger: Ledger) -> None:
    """Most steps do not."""


@verb
def inverse_rate(rate: Any, ledger: Ledger) -> float:  # type: ignore[empty-body]  # declarations have no body
    """h_t = 1 / eta_t at the end of round t, this round's arrivals counted; asked only when something has arrived."""


@verb
def probe(estimator: Any, center: Vector, rng: Rng, scratch: Vector, points: Matrix, memo: Vector) -> None:
    """Write the points around the decision ``center`` at which an estimator wants feedback, and its memo."""


@verb
def estimate(estimator: Any, feedback: Vector, memo: Vector, scratch: Vector, out: Vector) -> None:
    """Write into ``out`` the gradient that the feedback stands for."""
