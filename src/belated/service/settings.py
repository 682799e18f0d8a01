"""What an operator may say about one learner besides what it learns: how long to wait, and how far it may go.

Settings are data that can be changed while a learner is live. Each change is an event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.spelling import suggestion
from belated.domains.base import SLACK, Domain, minimise
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.units import begun, outer_domain

LATE = ("ignore", "accept")
"""What becomes of feedback that comes after its decision has timed out: recorded only, or learned."""

LONGEST = 1e9
"""The longest timeout in seconds, thirty years."""


class Settings(NamedTuple):
    """The settings of one learner; the defaults wait for ever and let it do what it likes.

    Args:
        timeout: So many seconds after it was made, a decision without feedback times out; ``None`` for never.
        outcome: The feedback that is learned when a decision times out; ``None`` for none: the decision is given up,
            or stays open if ``late`` is ``"accept"``.
        late: What becomes of feedback that comes later than that: ``"ignore"`` or ``"accept"``.
        largest_move: How far the point that is played may be from the one played before, as a Euclidean distance;
            ``None`` for any distance.
        lower: The least that each coordinate of a point may be; ``None`` for no bound beside the domain.
        upper: The largest.
    """

    timeout: float | None = None
    outcome: Sequence[float] | None = None
    late: str = "ignore"
    largest_move: float | None = None
    lower: Sequence[float] | None = None
    upper: Sequence[float] | None = None

    @property
    def has_rails(self) -> bool:
        """Whether points may be moved before they are played."""
        return self.largest_move is not None or self.lower is not None or self.upper is not None


def checked_settings(
    where: str, given: Mapping[str, Any], description: Learner | Model, start: Mapping[str, Any]
) -> Settings:
    """Settings, if they are possible for a learner.

    Args:
        where: The call that they were given to.
        given: Arguments of :class:`Settings` by name.
        description: The learner or model.
        start: How it starts; it may have units, in which settings are then.

    Returns:
        The settings, with plain numbers and lists.

    Raises:
        InvalidArgument: A name or a value is wrong, or a model is given settings: its description has its waiting, and
            it has no points.
    """
    for name in given:
        if name not in Settings._fields:
            allowed = f"there is no such setting; {suggestion(str(name), Settings._fields)}"
            checks.refuse(where, str(name), given[name], allowed)
    found = Settings(**given)
    if isinstance(description, Model):
        for name, value in found._asdict().items():
            if value != Settings._field_defaults[name]:
                allowed = "is for learners; a model has a horizon, and what to do while waiting, in its description"
                checks.refuse(where, name, value, allowed)
        return found
    if found.timeout is not None:
        timeout = checks.positive(where, "timeout", found.timeout)
        if timeout > LONGEST:
            checks.refuse(where, "timeout", timeout, f"must be at most {LONGEST:g} seconds")
        found = found._replace(timeout=timeout)
    if found.outcome is not None:
        if found.timeout is None:
            checks.refuse(where, "outcome", found.outcome, "needs a timeout, at which it is learned")
        size = description.interface.feedback_size
        found = found._replace(outcome=checks.moderate_vector(where, "outcome", found.outcome, size).tolist())
        _try(description, start, found.outcome)
    if found.late not in LATE:
        checks.refuse(where, "late", found.late, f"must be one of {', '.join(LATE)}")
    if found.late == "accept" and found.outcome is not None:
        checks.refuse(where, "late", found.late, "must be 'ignore' if an outcome is learned at the timeout")
    return _checked_rails(where, found, description, start)


def _try(learner: Learner, start: Mapping[str, Any], outcome: Any) -> None:
    """Tell an outcome to a player that is thrown away: a learner may take certain numbers only, such as classes."""
    player, context = begun(learner, start), np.zeros(learner.interface.context_size)
    play = player.ask(context if context.size else None)
    player.tell(outcome, round=play.round)


def _checked_rails(where: str, found: Settings, learner: Learner, start: Mapping[str, Any]) -> Settings:
    if not found.has_rails:
        return found
    if learner.interface.queries > 1:
        rail = next(name for name in ("largest_move", "lower", "upper") if getattr(found, name) is not None)
        allowed = "is for learners that play one point: the differences between several points are what they learn from"
        checks.refuse(where, rail, getattr(found, rail), allowed)
    if found.largest_move is not None:
        found = found._replace(largest_move=checks.positive(where, "largest_move", found.largest_move))
    domain = outer_domain(learner, start)
    for name, sign in (("lower", -1.0), ("upper", 1.0)):
        bound = getattr(found, name)
        if bound is not None:
            numbers = checks.moderate_vector(where, name, bound, domain.dim)
            _check_reach(where, name, numbers, sign, domain)
            found = found._replace(**{name: numbers.tolist()})
    if found.lower is not None and found.upper is not None and np.greater(found.lower, found.upper).any():
        checks.refuse(where, "lower", found.lower, f"must not be above upper={found.upper}")
    return found


def _check_reach(where: str, name: str, bound: Vector, sign: float, domain: Domain) -> None:
    """Refuse a bound that no point of the domain keeps: every point that is played would lie outside of the domain."""
    for place in np.flatnonzero(sign * (bound - domain.centre) < 0.0):
        direction, farthest = np.zeros(domain.dim), np.zeros(domain.dim)
        direction[place] = sign
        minimise(domain, direction, farthest)
        reached = float(farthest[place])  # which is infinite if the domain has no end there
        if sign * (reached - bound[place]) > SLACK * max(1.0, abs(reached)):
            most = "at most" if sign < 0.0 else "at least"
            allowed = f"must leave something of {domain!r}, where coordinate {place} is {most} {reached:g}"
            checks.refuse(where, name, bound.tolist(), allowed)


def railed(settings: Settings, point: Sequence[float], before: Sequence[float] | None) -> list[float]:
    """The point that is played in place of a point.

    The bounds are kept always. The largest move is kept, too, unless the bounds were changed so that they cannot be
    reached by it.

    Args:
        settings: The settings.
        point: What the learner would play.
        before: The point that was played before, or ``None``.

    Returns:
        The nearest point within the bounds, or on the way to it as far as the largest move reaches.
    """
    lower = -np.inf if settings.lower is None else np.array(settings.lower)
    upper = np.inf if settings.upper is None else np.array(settings.upper)
    found = np.clip(np.array(point), lower, upper)
    if before is not None and settings.largest_move is not None:
        way = found - np.array(before)
        length = float(np.linalg.norm(way))
        if length > settings.largest_move:
            found = np.clip(before + way * (settings.largest_move / length), lower, upper)
    plain: list[float] = found.tolist()
    return plain
