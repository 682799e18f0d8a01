"""Rates that the caller gives round by round: eta_t from a list, or from a function of the round.

A list is kept as an array, so a learner with one compiles like any other. A function is called from Python whenever a
rate is wanted: such a learner is never compiled, in players as in simulations. Where the number of rounds is known,
``listed([function(t) for t in range(1, rounds + 1)])`` makes the same decisions and compiles.

A saved state belongs to one learner with all its arguments, so a function needs an identity that lasts: see
:func:`of_round`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.core.closures import Closure
from belated.core.contents import KnownByText
from belated.core.errors import InvalidArgument
from belated.core.ledger import Ledger
from belated.core.parts import Part
from belated.learners.verbs import inverse_rate


class _ListedFields(NamedTuple):
    rates: Vector


class Listed(Part, _ListedFields):
    """A rate for each round; the last one stays for all rounds after it.

    Args:
        rates: The rate eta_t of round t at place t - 1, each > 0.
    """

    __slots__ = ()

    def __new__(cls, rates: Sequence[float] | Vector) -> Listed:
        """Check the arguments and make the rate."""
        return checked_list("listed", "rates", rates)


class RoundFunction(KnownByText):
    """A function of the round, with the text by which a saved state knows it, and its name for messages.

    ``identity`` is the name that the caller has given it, or a digest of what it does. The names that it and its
    helpers have in Python are not part of that digest; what each name in their code stands for is.
    """

    __slots__ = ("call", "identity", "name")

    def __init__(self, call: Callable[[int], float], identity: str) -> None:
        self.call = call
        self.identity = identity
        self.name = str(getattr(call, "__name__", type(call).__name__))

    def __repr__(self) -> str:
        return self.identity

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RoundFunction) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


class OfRound(NamedTuple):
    """A rate that a function gives for each round.

    Args:
        function: The function, with the text that identifies it; ``of_round`` makes it.
    """

    function: RoundFunction

    def __call__(self, round: int) -> float:
        """The rate of a round, which is checked."""
        rate = self.function.call(round)
        if not _is_rate(rate):
            raise InvalidArgument(
                f"`of_round(function={self.function.name})`: must give a number in [{checks.SMALLEST:g}, "
                f"{checks.LARGEST:g}], but gives {checks.shown(rate)} for round {round}",
                "function",
            )
        return float(rate)


def listed(rates: Sequence[float] | Vector) -> Listed:
    """The rate eta_t of every round t = 1, 2, ... from a list; after its end the last one stays.

    Args:
        rates: At least one number, each in [1e-50, 1e50]. A plain list in place of a rate means the same.

    Returns:
        A rate.

    Raises:
        InvalidArgument: There is no number, or one that is no rate.

    Example:
        >>> from belated import Ball, dogd
        >>> dogd(Ball(2), rate=listed([0.5, 0.25])) == dogd(Ball(2), rate=[0.5, 0.25])
        True
    """
    return Listed(rates)


def of_round(function: Callable[[int], float], name: str | None = None) -> OfRound:
    """The rate eta_t = function(t) for rounds t = 1, 2, ...; it must depend on the round and on nothing else.

    A learner with such a rate is not compiled: see :func:`listed` for one that is.

    Args:
        function: Called with the number of the round; gives a number in [1e-50, 1e50]. A plain function in place of a
            rate means the same.
        name: By what a saved state knows the function. By default that is a digest of its code and of all that it
            reads, so that a state is resumed only by a function that does the same in the same words, in the same
            version of Python; what the function and its helpers are called does not count. With a name you vouch for
            that yourself.

    Returns:
        A rate.

    Raises:
        InvalidArgument: It is no function, or gives no rate for round 1; or it has no name and cannot be looked into,
            such as an object with a ``__call__``, or a function that reads a list or an object.

    Example:
        >>> from belated import Ball, dogd
        >>> learner = dogd(Ball(2), rate=of_round(lambda t: 1.0 / t))
    """
    return checked_function("of_round", "function", function, name)


def checked_list(where: str, name: str, rates: Any) -> Listed:
    """The rates of a list; ``where`` and ``name`` are for errors."""
    values = checks.vector(where, name, rates)
    if values.min() < checks.SMALLEST or values.max() > checks.LARGEST:
        checks.refuse(where, name, rates, f"must have numbers in [{checks.SMALLEST:g}, {checks.LARGEST:g}]")
    return Listed._make((frozen(values),))


def checked_function(where: str, name: str, function: Any, known_as: Any = None) -> OfRound:
    """The rate that a function gives; ``where`` and ``name`` are for errors."""
    if not callable(function):
        checks.refuse(where, name, function, "must be a function of the round")
    if known_as is not None and not (isinstance(known_as, str) and known_as):
        checks.refuse(where, "name", known_as, "must be a text that is not empty")
    try:
        first = function(1)
    except Exception as problem:  # whatever it raises, it is not a function of the round alone
        checks.refuse(where, name, function, f"must be a function of the round, but for round 1 raises {problem!r}")
    if not _is_rate(first):
        wanted = f"must give a number in [{checks.SMALLEST:g}, {checks.LARGEST:g}]"
        checks.refuse(where, name, function, f"{wanted}, but gives {checks.shown(first)} for round 1")
    identity = known_as or _digest(function)
    if identity is None:
        wanted = "cannot be looked into, so a saved state could not know it again: use rates.of_round with a name"
        checks.refuse(where, name, function, wanted)
    return OfRound(RoundFunction(function, identity))


def _is_rate(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and checks.SMALLEST <= value <= checks.LARGEST


def _digest(function: Any) -> str | None:
    """A text that two functions share only if they do the same; ``None`` if that cannot be told."""
    if not isinstance(function, FunctionType):
        return None
    try:
        closure = Closure(function, (), plain=True)
    except Exception:  # something that fails when it is looked at
        return None
    return None if closure.opaque else closure.nameless


@inverse_rate.on(Listed)
def listed_inverse_rate(rate: Listed, ledger: Ledger) -> float:
    """Return 1 / eta_t for the rate of round t, or for the last rate of the list after its end."""
    return 1.0 / float(rate.rates[min(ledger.round, rate.rates.size) - 1])


@inverse_rate.on(OfRound, compiled=False)
def function_inverse_rate(rate: OfRound, ledger: Ledger) -> float:
    """Call the function for this round and return 1 / eta_t."""
    return 1.0 / rate(int(ledger.round))
