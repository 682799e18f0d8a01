"""The catalogue: every named learner, with its card and the arguments of a typical use.

A learner is a function that :mod:`belated.learners` exports and that has the name of its file, in which there is a
``CARD``. Nothing is listed here: a learner is found, described and tested by being exported. What can be seen from the
learner itself is looked up in its example, see :class:`Feedback`.
"""

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, isfunction, signature
from types import MappingProxyType
from typing import Any, NamedTuple

from belated import learners
from belated.core.errors import BelatedError, InvalidArgument
from belated.domains import EVERY
from belated.domains.base import Domain
from belated.learners import algorithms
from belated.learners.card import Card, Facts
from belated.learners.learner import Learner
from belated.learners.verbs import Interface


def _found() -> Iterator[tuple[str, Callable[..., Learner], Card]]:
    for name, value in sorted(vars(learners).items()):
        if isfunction(value) and value.__module__ == f"{algorithms.__name__}.{name}":
            yield name, value, value.__globals__["CARD"]


NAMED: Mapping[str, Callable[..., Learner]] = MappingProxyType({name: function for name, function, _ in _found()})
"""Every named algorithm, in the order of the alphabet."""

CARDS: Mapping[str, Card] = MappingProxyType({name: card for name, _, card in _found()})
"""The card of each."""

EXAMPLES: Mapping[str, Callable[[Domain], Learner]] = MappingProxyType(
    {
        f"{name}, {variant}" if variant else name: example
        for name, card in CARDS.items()
        for variant, example in card.examples.items()
    }
)
"""A typical use of each on a given domain, under the name of the algorithm and, after a comma, of the variant."""


def typical(label: str, dim: int = 3) -> Learner:
    """The example of that label on a ball or, for learners that are not for it, on the first domain that they take."""
    refusal = None
    for family in EVERY:
        try:
            return EXAMPLES[label](family.example(dim))
        except InvalidArgument as error:
            refusal = refusal or error
    raise refusal or LookupError(label)


def recommended(name: str, domain: Domain, facts: Facts, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for the learner of that name besides those that are ``given``, as its theory recommends for the facts.

    What is optional is not recommended to those who have given something else that is left out by default, such as the
    other one of two bounds, unless the card says that it is given ``beside``.
    """
    parameters, known = signature(NAMED[name]).parameters, {**facts._asdict(), "domain": domain}
    missing = {key for key, each in parameters.items() if each.default is Parameter.empty and key not in given}
    advice = {key: value for key, value in known.items() if key in missing}
    decided = any(parameters[key].default is None and key not in CARDS[name].beside for key in given)
    needed = missing - advice.keys()
    try:
        advice |= CARDS[name].tuned(domain, facts) if needed or not decided else {}
    except (BelatedError, ArithmeticError):
        if needed:  # else it was only advice
            raise
    return {key: value for key, value in advice.items() if key in missing or not (decided or key in given)}


class Feedback(NamedTuple):
    """What a learner shows and is told, in words. In them n is the dimension of the domain."""

    told: str
    """``"gradient"``, ``"values at n + 1 points"``, ``"label"``."""
    points: str
    """How many it plays a round: ``"1"``, ``"n + 1"``."""
    needs_round: bool
    context: str
    """How many numbers it knows of a round before it plays, such as features: ``"none"``, ``"n"``."""
    draws: bool
    """Whether it plays at random."""


def feedback(name: str) -> Feedback:
    """What the learner of that name shows and is told."""
    dims = 3, 5  # two of them, to see what grows
    small, large = (typical(name, dim).interface for dim in dims)
    points = _size(dims, (small.queries, large.queries))
    context = _size(dims, (small.context_size, large.context_size))
    return Feedback(_told(small, points), points, typical(name).needs_round, context, small.draws)


def _told(interface: Interface, points: str) -> str:
    if interface.feedback == "values":
        return "value" if points == "1" else f"values at {points} points"
    return f"{interface.feedback} without the regulariser" if interface.regulariser > 0.0 else interface.feedback


def _size(dims: tuple[int, int], sizes: tuple[int, int]) -> str:
    """A number that may grow with the dimension: ``"none"``, ``"2"``, ``"n"``, ``"n + 1"``, ``"2 n"``."""
    slope = (sizes[1] - sizes[0]) // (dims[1] - dims[0])
    rest = sizes[0] - slope * dims[0]
    growing = {0: "", 1: "n"}.get(slope, f"{slope} n")
    if not growing:
        return str(rest) if rest else "none"
    return growing + (f" {'-' if rest < 0 else '+'} {abs(rest)}" if rest else "")
