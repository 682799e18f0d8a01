r"""Hints: a guess at what is missing, so that an optimistic learner need not wait for it.

When round t is played, the feedbacks of sigma_t earlier rounds are missing, and that of round t itself. A hint h_t is a
guess at the sum of these sigma_t + 1 vectors. They are what the learner adds up: gradients, or regrets made of them.

================  =============================  =============================================================
part              h_t                            needs
================  =============================  =============================================================
``NoHint``        0                              nothing
``LastGradient``  (sigma_t + 1) times the last   losses that change slowly; 0 before the first has come
                  vector received
``GivenHint``     what the caller says           ``ask(context=h_t)``, as many numbers as the domain has
================  =============================  =============================================================

"Last" is in order of arrival, also among those that come in one round.
"""

from typing import NamedTuple

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.verbs import verb

__all__ = [
    "GivenHint",
    "LastGradient",
    "NoHint",
]


class NoHint(NamedTuple):
    """Guess nothing: the hint is zero in every round."""


class LastGradient(NamedTuple):
    """Guess that every missing vector is equal to the last one received."""


class GivenHint(NamedTuple):
    """Take the guess from the caller: it is the context of the round, ``ask(context=h_t)``."""


Hint = NoHint | LastGradient | GivenHint

NO_HINT = NoHint()


@verb
def context_size(hint: Hint, dim: int) -> int:  # type: ignore[empty-body]  # declarations have no body
    """How many numbers the caller must give with each round: the size of the context."""


@context_size.on(NoHint, LastGradient)
def no_context(hint: NoHint | LastGradient, dim: int) -> int:
    """None: these hints need nothing from the caller."""
    return 0


@context_size.on(GivenHint)
def given_context(hint: GivenHint, dim: int) -> int:
    """As many numbers as the guess has."""
    return dim


@verb
def guess(hint: Hint, last: Vector, missing: int, memo: Vector, out: Vector) -> None:
    """Write h_t, a guess at the sum of ``missing`` vectors; ``last`` is the last received, ``memo`` has the context."""


@guess.on(NoHint)
def guess_nothing(hint: NoHint, last: Vector, missing: int, memo: Vector, out: Vector) -> None:
    """Write zero, whatever is missing."""
    for i in range(out.size):
        out[i] = 0.0


@guess.on(LastGradient)
def guess_more_of_the_last(hint: LastGradient, last: Vector, missing: int, memo: Vector, out: Vector) -> None:
    """Write ``missing`` times the last vector, as if all missing ones were equal to it."""
    for i in range(out.size):
        out[i] = missing * last[i]


@guess.on(GivenHint)
def guess_as_told(hint: GivenHint, last: Vector, missing: int, memo: Vector, out: Vector) -> None:
    """Write the context of the round, with which its memo begins."""
    for i in range(out.size):
        out[i] = memo[i]


def checked_hint(where: str, hint: Hint) -> Hint:
    """``hint`` if it has registered the verbs of a hint; InvalidArgument otherwise."""
    if not (guess.knows(hint) and context_size.knows(hint)):
        checks.refuse(where, "hint", hint, "must be a hint: NoHint(), LastGradient() or GivenHint()")
    return hint
