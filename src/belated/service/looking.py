"""What is to be seen of one learner, as plain values: the summary that is in every list, and the detail.

Nothing is computed here that a replay would not give again, and looking changes nothing.
"""

from __future__ import annotations

import math
from typing import Any

from belated.learners.learner import Learner
from belated.learners.parts.policies.gradient import Direct, Estimated
from belated.learners.playing.player import Player
from belated.learners.verbs import inverse_rate
from belated.models.model import Model
from belated.service.figures import EDGES, SECOND
from belated.service.judging import loss_name
from belated.service.life import Life


def summary(life: Life, now: int) -> dict[str, Any]:
    """What a list of learners says of one.

    Args:
        life: The life, which has begun.
        now: The time in microseconds, for what happened within the last minute.

    Returns:
        Plain values that JSON can hold.
    """
    described, figures, opened = _described(life), life.figures, life.decisions.open
    return {
        "name": life.name,
        "kind": "model" if isinstance(described, Model) else "learner",
        "algorithm": described.name,
        "created_at": life.began[1],
        "paused": life.fixed is not None,
        "archived": life.archived,
        "events": life.end.number,
        "asked": figures.asked,
        "answered": figures.answered,
        "noted": figures.noted,
        "timed_out": figures.timed_out,
        "given_up": figures.given_up,
        "pending": len(opened),
        "oldest_pending_at": next((each.at for each in opened.values()), None),
        "last_at": life.end.at,
        "asked_per_second": figures.asked_per_second(now),
        "answered_per_second": figures.answered_per_second(now),
        "current": _current(life),
        "loss": _loss(life),
        "rate": None if life.player is None else step_size(life.player),
    }


def detail(life: Life, now: int) -> dict[str, Any]:
    """Everything that is shown of one learner.

    Args:
        life: The life, which has begun.
        now: The time in microseconds.

    Returns:
        The summary, and what takes more room.
    """
    described, figures = _described(life), life.figures
    return {
        **summary(life, now),
        "description": repr(described),
        "settings": life.settings._asdict(),
        "fixed": None if life.fixed is None else _bare(life.fixed),
        "dim": None if isinstance(described, Model) else described.domain.dim,
        "points": None if isinstance(described, Model) else described.interface.queries,
        "context": 0 if isinstance(described, Model) else described.interface.context_size,
        "feedback": "label" if isinstance(described, Model) else described.interface.feedback,
        "delays": {"edges_seconds": [edge / SECOND for edge in EDGES], "counts": list(figures.delays)},
        "losses": [list(point) for point in figures.losses.points],
        "outside": _outside(life),
    }


def step_size(player: Player) -> float | None:
    """By how much a gradient moves the decision of a learner now, if that is one number.

    It is so for learners that descend along gradients, or estimates of them, with one rate that depends on counts.
    Those that have a rate for each coordinate, several copies, or counts of their own have no such number.

    Args:
        player: The player.

    Returns:
        The rate at its last round, or ``None``.
    """
    policy = player.learner.policy
    rates = [part for part in _parts(policy) if inverse_rate.knows(part)]
    if not isinstance(policy, Direct | Estimated) or len(rates) != 1:
        return None
    inverse = float(inverse_rate(rates[0], player.ledger))
    return 1.0 / inverse if 0.0 < inverse < math.inf else None


def _parts(part: Any) -> list[Any]:
    """A part and all parts in it."""
    return [part, *(inner for each in part for inner in _parts(each))] if isinstance(part, tuple) else []


def _described(life: Life) -> Learner | Model:
    assert life.description is not None  # noqa: S101  # who looks at a life looks at one that has begun
    return life.description


def _current(life: Life) -> dict[str, Any] | None:
    """What was decided last, or is decided while it is paused; a model decides by the example."""
    if life.fixed is not None:
        return dict(life.fixed)
    return None if life.last_point is None else {"points": [life.last_point]}


def _bare(fixed: dict[str, Any]) -> Any:
    """What is decided during a pause, in the form in which it is given to ``pause``."""
    return fixed["value"] if "value" in fixed else fixed["points"][0]


def _outside(life: Life) -> dict[str, Any] | None:
    """What was learned although it is outside of the declared range of values, if there is one."""
    if life.units is None:
        return None
    at, value = life.figures.last_outside or (None, None)
    values = [life.units.low, life.units.high]
    return {"count": life.figures.outside, "values": values, "last": value, "last_at": at}


def _loss(life: Life) -> dict[str, Any] | None:
    losses = life.figures.losses
    mean = losses.mean
    return None if mean is None else {"mean": mean, "count": losses.count, "name": loss_name(_described(life))}
