"""Ranges: what somebody knows who wants to turn a knob, and the learner that theory recommends for it.

A price between 5 and 20 euros, a cost between 0 and 100 euros, about 10 000 decisions, feedback at most about 50
decisions late: that is enough. The learner is one of the catalogue on the unit box, tuned as its card says, and units
(:mod:`belated.service.units`) lie between it and the person.

============  =========================  ==========================================================================
feedback      with strong convexity      without
============  =========================  ==========================================================================
``value``     ``one_point_dda``          ``one_point_dda``: one number for each decision
``values``    ``bdogd_sc``               ``dbgd``: a value at each of n + 1 points that are tried together
``gradient``  ``dogd_sc``                ``dogd``
============  =========================  ==========================================================================

How steep the losses are is not asked for. The slope is assumed that a straight line has which goes through the whole
range of values, from -1 to 1 in the scale of the learner, over the unit interval. Curves are steeper in places; to
assume twice as much was worse for 10 000 decisions and the same for 1000 (``docs/making.md``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.errors import BelatedError, InvalidArgument
from belated.core.spelling import suggestion
from belated.domains.base import Domain
from belated.domains.box import Box
from belated.learners import catalogue
from belated.learners.card import Facts
from belated.learners.learner import Learner
from belated.service.descriptions import Description
from belated.service.limits import check_values
from belated.service.units import Units, units_of

STEEPEST = 2.0
"""The slope that is assumed, in the scale of the learner."""

LARGEST_VALUE = 1.0
"""Values lie in [-1, 1] in the scale of the learner."""

Advice = Callable[[Domain, Facts], Mapping[str, Any]]
"""Arguments that are decided here, and not by the card."""


def _by_the_card(domain: Domain, facts: Facts) -> Mapping[str, Any]:
    return {}


def _visible_probes(domain: Domain, facts: Facts) -> Mapping[str, Any]:
    """Probes whose cost is of the order of the bound, sqrt(T): the card's are so small that no value shows them."""
    return {"probe_radius": 0.5 * domain.inner_radius / math.sqrt(facts.rounds)}


CHOSEN: Mapping[tuple[str, bool], tuple[str, Advice]] = {
    ("value", False): ("one_point_dda", _by_the_card),
    ("value", True): ("one_point_dda", _by_the_card),
    ("values", False): ("dbgd", _visible_probes),
    ("values", True): ("bdogd_sc", _by_the_card),
    ("gradient", False): ("dogd", _by_the_card),
    ("gradient", True): ("dogd_sc", _by_the_card),
}
"""Which algorithm is recommended, by the kind of feedback and by whether the losses are known to be strongly convex."""

KINDS = tuple(dict.fromkeys(kind for kind, _ in CHOSEN))

MOST_COORDINATES = 100
MOST_ROUNDS = 10**12


class Ranges(NamedTuple):
    """What is known of a knob, in units of your own; the learner that is recommended for it follows.

    Args:
        lower: The least that each coordinate may be.
        upper: The largest.
        values: The range in which what one decision costs lies: the least and the largest value. Costs are made small;
            of what is to be large, such as revenue, tell the negative. Take the narrowest range that all values will be
            in: with one that is too wide it learns slowly. A value outside of it is learned, with a warning.
        rounds: About how many decisions will be made.
        delay: About how many decisions are made until the feedback of one is there, itself included: 1 if it comes
            before the next decision.
        feedback: What is told of a decision: ``"value"``, ``"values"`` at several points, or ``"gradient"``.
        strong_convexity: How strongly curved costs are, at least, if that is known: the least second derivative of the
            cost by each coordinate, or one number for all.
    """

    lower: Sequence[float]
    upper: Sequence[float]
    values: Sequence[float]
    rounds: int
    delay: int = 1
    feedback: str = "value"
    strong_convexity: Sequence[float] | float | None = None


def read_ranges(given: Any) -> Ranges:
    """Ranges from plain values by name.

    Args:
        given: The arguments of :class:`Ranges`.

    Returns:
        The ranges; what is in them is looked at by :func:`chosen`.

    Raises:
        InvalidArgument: A name is missing or wrong.
    """
    check_values("ranges", "ranges", given, 2)
    if not isinstance(given, Mapping):
        checks.refuse("ranges", "ranges", given, "must be a mapping with lower, upper, values and rounds")
    for name in given:
        if name not in Ranges._fields:
            checks.refuse(
                "ranges", name, given[name], f"there is no such name here; {suggestion(name, Ranges._fields)}"
            )
    for name in Ranges._fields:
        if name not in given and name not in Ranges._field_defaults:
            checks.refuse("ranges", name, None, "must be given")
    return Ranges(**given)


def chosen(said: Description | Ranges, start: Mapping[str, Any]) -> tuple[Description, dict[str, Any]]:
    """The learner or model that is said, and how it starts: that of ranges has units.

    Args:
        said: A learner or model, which is returned as it is, or ranges.
        start: How it starts.

    Returns:
        The description, and the start with ``units`` for ranges.

    Raises:
        InvalidArgument: Ranges are not what they must be.
    """
    if not isinstance(said, Ranges):
        return said, dict(start)
    units = checked_units(said)
    plain = {
        "lower": units.lower.tolist(),
        "upper": units.upper.tolist(),
        "values": [units.low, units.high],
    }
    return recommended(said, units), {**start, "units": plain}


def checked_units(ranges: Ranges) -> Units:
    """The units of ranges, if they are possible."""
    for name in ("lower", "upper", "values"):
        value = np.asarray(checks.real_array("ranges", name, getattr(ranges, name)))
        if value.ndim != 1 or not 1 <= value.size <= MOST_COORDINATES:
            checks.refuse("ranges", name, value, f"must be a list of 1 to {MOST_COORDINATES} numbers")
    return units_of(ranges._asdict())


def recommended(ranges: Ranges, units: Units) -> Learner:
    """The learner on the unit box that theory recommends.

    Args:
        ranges: What is known.
        units: Their units.

    Returns:
        A learner of the catalogue.

    Raises:
        InvalidArgument: A number is out of its range, or nothing can be recommended.
    """
    if not isinstance(ranges.feedback, str) or ranges.feedback not in KINDS:
        checks.refuse("ranges", "feedback", ranges.feedback, f"must be one of {', '.join(KINDS)}")
    rounds = checks.count("ranges", "rounds", ranges.rounds, most=MOST_ROUNDS)
    delay = min(checks.count("ranges", "delay", ranges.delay), rounds)
    curved = ranges.strong_convexity is not None
    curvature = _curvature(ranges.strong_convexity, units) if curved else 0.0
    facts = Facts(rounds, STEEPEST, curvature, LARGEST_VALUE, delay, rounds * delay)
    size = units.lower.size
    domain, (name, own) = Box(np.zeros(size), np.ones(size)), CHOSEN[ranges.feedback, curved]
    try:
        given = own(domain, facts)
        return catalogue.NAMED[name](**given, **catalogue.recommended(name, domain, facts, given))
    except (BelatedError, ArithmeticError, ValueError) as problem:
        raise InvalidArgument(f"`ranges`: nothing can be recommended: {problem}", "ranges") from problem


def _curvature(given: Any, units: Units) -> float:
    """The strong convexity in the unit box: that of the coordinate in which a curve is flattest."""
    numbers = checks.spread_vector("ranges", "strong_convexity", given, units.lower.size)
    if (numbers <= 0.0).any():
        checks.refuse("ranges", "strong_convexity", given, "must be > 0")
    with np.errstate(all="ignore"):
        found = float((numbers * units.width * units.width).min() * units.slope)
    return checks.moderate("ranges", "strong_convexity", found)
