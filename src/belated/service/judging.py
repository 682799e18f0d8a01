"""How feedback is turned into a loss that an operator can watch.

Of a model it is the loss of the prediction, by the model's own link. Of a learner that is told values it is the first
value. A gradient says nothing of how large the loss was, and neither does the label of a learner: there is none then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from belated.learners.learner import Learner
from belated.losses.prediction import link_value
from belated.models.labels import READERS
from belated.models.links import margin_of
from belated.models.model import Model

Judge = Callable[[Mapping[str, Any], Mapping[str, Any]], float]
"""The loss of what was decided, from that and from what was told, both as plain values."""


def judge_of(description: Learner | Model) -> Judge | None:
    """What turns accepted feedback into a loss.

    Args:
        description: The learner or model.

    Returns:
        A function, which raises nothing; ``None`` if there is no loss to be seen.
    """
    if isinstance(description, Model):
        link, read = description.link, READERS[description.labels]

        def loss(result: Mapping[str, Any], given: Mapping[str, Any]) -> float:
            try:
                return float(link_value(link, margin_of(link, result["value"]), read("learn", "label", given["label"])))
            except (OverflowError, ValueError):  # beyond all numbers
                return math.inf

        return loss
    if description.interface.feedback == "values":
        return lambda result, given: _first(given["feedback"])
    return None


def _first(feedback: Any) -> float:
    """The first of several values; a learner that is told one may be told it without a list."""
    return float(feedback[0] if isinstance(feedback, list) else feedback)


def loss_name(description: Learner | Model) -> str:
    """What a loss of :func:`judge_of` is called."""
    if not isinstance(description, Model):
        return "value"
    name = type(description.link).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).removeprefix("_")
