r"""Units: a learner decides in the unit box, and people see and tell numbers in units of their own.

A point u of the unit box stands for x = lower + (upper - lower) u, coordinate by coordinate. A value v stands for
s (v - middle), with s = 2 / (b - a) for values from a to b and their middle, so that values lie in [-1, 1]. By the
chain rule a gradient g in people's units is s (upper - lower) g in the unit box. Each coordinate has its own width: a
price of 5 to 20 and a budget of up to a million can be parts of one decision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Matrix, Vector
from belated.core.play import Play
from belated.domains.base import Domain
from belated.domains.box import Box
from belated.learners.learner import Learner
from belated.learners.playing.player import Player

FARTHEST = 100.0
"""A value may lie outside of its declared range, as far as so many times half of that: more is a wrong unit."""


ROUNDING = 1e-9
"""A value that is outside by no more than this part of the range is outside by rounding."""


class Units(NamedTuple):
    """The affine map between people's units and the unit box.

    Args:
        lower: The least of each coordinate.
        upper: The largest of each.
        low: The least value.
        high: The largest value.
    """

    lower: Vector
    upper: Vector
    low: float
    high: float

    @property
    def width(self) -> Vector:
        """How wide each coordinate's range is."""
        found: Vector = self.upper - self.lower
        return found

    @property
    def slope(self) -> float:
        """What one unit of value is in the scale of [-1, 1]."""
        return 2.0 / (self.high - self.low)

    def outside(self, points: Matrix) -> Matrix:
        """Points of the unit box in people's units; rounding does not lead out of the range."""
        found: Matrix = np.clip(self.lower + self.width * points, self.lower, self.upper)
        return found

    def inside(self, point: Any) -> Vector:
        """A point in people's units as one of the unit box."""
        found: Vector = (point - self.lower) / self.width
        return found

    def stray(self, feedback: Any) -> float | None:
        """The first of some values that is outside of the declared range; ``None`` if all are inside.

        Args:
            feedback: One value or a list of them, in people's units.
        """
        low, high = self.low, self.high
        for value in feedback if isinstance(feedback, list) else (feedback,):
            if not low <= value <= high:  # which is seldom, so rounding is looked at only then
                slack = ROUNDING * (high - low)
                if not low - slack <= value <= high + slack:
                    return float(value)
        return None

    def warning(self, value: float) -> str:
        """What to say to whoever has told a value that is outside of the declared range, and was learned."""
        return (
            f"{value:.12g} is outside of the values from {self.low:.12g} to {self.high:.12g} that were declared. It "
            "was learned as it is. Check its sign and its unit; if such values are right, create another learner, "
            "with wider values."
        )

    def domain(self) -> Domain:
        """Where points lie, in people's units."""
        return Box(self.lower, self.upper)


def units_of(given: Mapping[str, Any]) -> Units:
    """The units that the start of a learner has, from plain values.

    Args:
        given: ``lower``, ``upper`` and ``values``.

    Returns:
        The units.

    Raises:
        InvalidArgument: A range is empty, or has numbers that are no moderate ones.
    """
    size = len(given["lower"])
    lower = checks.moderate_vector("create", "lower", given["lower"], size)
    upper = checks.moderate_vector("create", "upper", given["upper"], size)
    low, high = checks.moderate_vector("create", "values", given["values"], 2).tolist()
    for name, narrow, wide in (("lower", lower, upper), ("values", np.array([low]), np.array([high]))):
        width = wide - narrow
        if not (width > 1e-9 * np.maximum(np.abs(narrow), np.abs(wide))).all() or width.min() < checks.SMALLEST:
            checks.refuse(
                "create", name, given[name], "must be below the other end of the range, by more than rounding"
            )
    return Units(lower, upper, low, high)


def units_of_values(learner: Learner, start: Mapping[str, Any]) -> Units | None:
    """The units of a learner that is told values and has a declared range for them, else ``None``."""
    return units_of(start["units"]) if "units" in start and learner.interface.feedback == "values" else None


def first_point(units: Units, learner: Learner, initial: Any) -> Vector:
    """The first decision in the unit box, from people's units.

    A learner that tries points around its decision cannot begin at the edge. It begins as near as it can.

    Args:
        units: The units.
        learner: The learner, on the unit box.
        initial: The point.

    Returns:
        The nearest decision that the learner can begin with.

    Raises:
        InvalidArgument: The point is not within the ranges.
    """
    point = checks.moderate_vector("create", "initial", initial, units.lower.size)
    if (point < units.lower).any() or (point > units.upper).any():
        checks.refuse("create", "initial", initial, "must lie within the ranges")
    return learner.decision_domain.project(units.inside(point))


def _gradient(units: Units, feedback: Vector) -> Vector:
    scaled: Vector = feedback * units.width * units.slope
    return scaled


def _values(units: Units, feedback: Vector) -> Vector:
    scaled: Vector = (feedback - 0.5 * (units.low + units.high)) * units.slope
    if not (np.abs(scaled) <= FARTHEST).all():
        wanted = f"is far outside of the values from {units.low:g} to {units.high:g} that were declared"
        checks.refuse("tell", "feedback", feedback.tolist(), wanted)
    return scaled


SCALED: Mapping[str, Callable[[Units, Vector], Vector]] = {"gradient": _gradient, "values": _values}
"""How feedback of each kind that has units is scaled."""


def scaled_feedback(units: Units, kind: str, feedback: Any, size: int) -> Vector:
    """Feedback in people's units, in those of the unit box.

    Values outside of the declared range are taken as they are: to refuse them would lose what was learned. Those that
    are farther outside than :data:`FARTHEST` are in a wrong unit.

    Args:
        units: The units.
        kind: What the learner is told.
        feedback: The feedback.
        size: How many numbers it must have.

    Returns:
        The same, scaled.

    Raises:
        InvalidArgument: It has another size, no finite numbers, or values far outside of the declared range.
    """
    numbers = checks.real_array("tell", "feedback", feedback)
    if numbers.shape != (size,):
        got = numbers.size if numbers.ndim == 1 else f"shape {numbers.shape}"
        wanted = f"must have {size} number{'' if size == 1 else 's'}, got {got}"
        checks.refuse("tell", "feedback", numbers.tolist(), wanted)
    if not np.isfinite(numbers).all() or not (np.abs(numbers) <= checks.LARGEST_ENTRY).all():
        checks.refuse("tell", "feedback", feedback, f"must be finite, and at most {checks.LARGEST_ENTRY:g} in size")
    return SCALED[kind](units, numbers)


class ScaledPlayer:
    """A player in people's units, with the verbs that a run needs of a player.

    Args:
        player: A player on the unit box.
        units: The units.
    """

    def __init__(self, player: Player, units: Units) -> None:
        self.inner, self._units, self._interface = player, units, player.learner.interface
        self.give_up, self.compile, self.state = player.give_up, player.compile, player.state

    def ask(self, context: Any = None) -> Play:
        """Play the next round, with points in people's units."""
        play = self.inner.ask(context)
        return play._replace(points=self._units.outside(play.points))

    def tell(self, feedback: Any, round: int | None = None) -> None:
        """Hand over the feedback of a round, after it was scaled."""
        kind, size = self._interface.feedback, self._interface.feedback_size
        self.inner.tell(scaled_feedback(self._units, kind, feedback, size), round=round)

    def resumed(self, state: Mapping[str, Any]) -> ScaledPlayer:
        """A player in the same units that goes on from a state of this one's inner player."""
        return ScaledPlayer(self.inner.learner.resume(state), self._units)


def begun(learner: Learner, start: Mapping[str, Any]) -> Any:
    """A player, in people's units if its start has some.

    Args:
        learner: The learner.
        start: ``initial``, ``seed`` and ``units``, each of which may be missing.

    Returns:
        A player that has not been asked yet.

    Raises:
        InvalidArgument: An argument is not what it must be.
    """
    initial, seed = start.get("initial"), start.get("seed", 0)
    if "units" not in start:
        return learner.start(initial, seed)
    units = units_of(start["units"])
    first = None if initial is None else first_point(units, learner, initial)
    return ScaledPlayer(learner.start(first, seed), units)


def outer_domain(learner: Learner, start: Mapping[str, Any]) -> Domain:
    """Where the points lie that a learner plays, in people's units if its start has some."""
    return units_of(start["units"]).domain() if "units" in start else learner.domain
