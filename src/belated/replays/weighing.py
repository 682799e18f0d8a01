"""Weights of a log: which of them a replay can honour, and why not all.

A weight counts in learning, ``learn(..., weight=w)``, and in every mean of the score. A question of weight 0 is asked
and given up: nobody learns from it, and it is not scored.

What is learned without being told, at a deadline or by assumption, is learned with the weight 1, because a model hears
of a weight with the label. So a log that has weights other than 1 cannot have deadlines, and models that learn from it
can have neither a horizon nor ``while_waiting="assume"``.
"""

from __future__ import annotations

from collections.abc import Mapping

from belated.core import checks
from belated.core.checks import LARGEST, SMALLEST
from belated.logs.events import Asked
from belated.models import Model


def untold_by(models: Mapping[str, Model]) -> str:
    """Why these models learn labels that nobody tells, in words; empty if they do not."""
    for name, model in models.items():
        if model.waiting.horizon > 0.0:
            return f"models[{name!r}] has a horizon"
        if model.waiting.way == "assume":
            return f"models[{name!r}] assumes labels"
    return ""


def check_weight(event: Asked, untold: str) -> None:
    """InvalidArgument if the weight of a question cannot be honoured; ``untold`` is what :func:`untold_by` says."""
    if event.weight == 1.0:
        return
    if event.deadline is not None or untold:
        why = "it has a deadline" if event.deadline is not None else untold
        allowed = (
            f"must be 1 in the question {event.key!r}, because {why}: what a model learns without being told, it "
            "learns with the weight 1; read the log without weights, or do without"
        )
        checks.refuse("replay", "weight", event.weight, allowed)
    if event.weight != 0.0 and not SMALLEST <= event.weight <= LARGEST:
        allowed = f"must be 0 or lie in [{SMALLEST:g}, {LARGEST:g}], and does not in the question {event.key!r}"
        checks.refuse("replay", "weight", event.weight, allowed)
