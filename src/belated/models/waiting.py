"""What a model does while a label has not come.

A *deadline* is the moment from which no answer is itself an answer: the ``assumed`` label. A prediction has the
deadline that it is given, or else its moment plus the ``horizon`` of the model; without either it waits for ever.

=================  ================================================================================================
``while_waiting``  what is learned, and when
=================  ================================================================================================
``"nothing"``      a label when it comes; the assumed label at the deadline, if none has come by then
``"hold"``         everything at the deadline: the label if it has come by then, the assumed one otherwise
``"assume"``       the assumed label, ``wait`` after the prediction; another one that comes later corrects that, until
                   the deadline if there is one
=================  ================================================================================================

*The trap.* Where positive answers come early and a negative one is nothing but a deadline that has passed, labels that
are learned as they come are nearly all positive for as long as the horizon, and the model learns to predict too much.
``"hold"`` learns the labels of a moment together, and is right, but late. ``"assume"`` is never late and right in the
end: while it waits, it has learned the assumed label of those that will answer otherwise, and predicts too little.

*What a correction does* is a matter of the step, and its page says it. Where the state is a sum, as of
``dual_averaging`` and ``composite`` with ``slopes="decision"``, the state is afterwards what it would be, had the real
label been learned at the moment of the assumption. The other steps are corrected at their present rates, by the
difference of the slopes at the margins of the assumption. A label equal to the assumed one changes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from belated.core import checks
from belated.models.times import check_moment

WAYS = ("nothing", "hold", "assume")

REDUCERS = ("first", "last", "sum", "mean")
"""What becomes of several outcomes of one prediction. All but the first need ``"hold"``: they are known at the end."""


class Waiting(NamedTuple):
    """What is done while a label has not come; ``horizon`` is 0 for none, and ``assumed`` as the link has labels.

    ``wait`` is how long after a prediction its label is assumed, if ``way`` is ``"assume"``.
    """

    way: str
    horizon: float
    assumed: float
    outcomes: str
    wait: float


def checked_waiting(where: str, way: Any, horizon: Any, assumed: float, outcomes: Any, wait: Any) -> Waiting:
    """The policy that arguments of a model stand for; InvalidArgument if they do not go together."""
    if way not in WAYS:
        checks.refuse(where, "while_waiting", way, f"must be one of {', '.join(map(repr, WAYS))}")
    if outcomes not in REDUCERS:
        checks.refuse(where, "outcomes", outcomes, f"must be one of {', '.join(map(repr, REDUCERS))}")
    if outcomes != "first" and way != "hold":
        checks.refuse(where, "outcomes", outcomes, "needs while_waiting='hold': it is known at the deadline only")
    after = 0.0 if horizon is None else checks.positive(where, "horizon", horizon)
    if wait is not None and way != "assume":
        checks.refuse(where, "wait", wait, "needs while_waiting='assume', which it is a part of")
    pause = 0.0 if wait is None else checks.not_negative(where, "wait", wait)
    check_moment(where, "horizon", after)
    check_moment(where, "wait", pause)
    if 0.0 < after <= pause:
        checks.refuse(where, "wait", wait, f"must be less than the horizon {after!r}: nothing is assumed after that")
    return Waiting(way, after, assumed, outcomes, pause)
