r"""What a link tells a scale-free step: a slope that is bounded, in units that do not depend on those of the labels.

=================  =====================================  =============  ====================================
link               push                                   unit           evidence against a margin
=================  =====================================  =============  ====================================
``Logistic``       slope, between -1 and 1                1              loss
``SquaredHinge``   clip(slope, -4, 4) / 4                 1              loss
``SquaredError``   clip((m - y) / spread, -4, 4) / 10     spread         loss / mean squared error so far
``PoissonCount``   clip((e^m - y) / spread, -4, 4) / 4    1              loss
=================  =====================================  =============  ====================================

``spread`` is the standard deviation of the labels so far, of ``PoissonCount`` their mean. Weights move by a push times
the unit. The factors bring the four to a common measure: a step that takes the largest push without overshooting for
the logistic loss, whose curvature is at most 1/4, does so for the others as well. A clipped push keeps one extreme
label from moving weights further than four ordinary ones would.

Margins are counted from an *origin*: the mean of the labels so far for ``SquaredError``, its logarithm for
``PoissonCount``, and 0 for the others. Labels that lie far from 0 need not be learned by the weights then.

Evidence is what shares of experts are multiplied by, exp(-evidence): the logarithm of the density that an expert had
given to the label. So shares are posterior probabilities, for squared errors those of normal errors.
"""

from __future__ import annotations

import math
from typing import Any

from belated.core.arrays import Vector
from belated.core.verbs import compilable, verb
from belated.losses.logistic import Logistic
from belated.losses.prediction import link_slope, link_value
from belated.losses.squared_error import SquaredError
from belated.losses.squared_hinge import SquaredHinge
from belated.models.links import PoissonCount

LARGEST = 4.0
"""A label counts as at most so many spreads away from its prediction."""

LEAST_SPREAD = 1e-9

COUNT, MEAN, SQUARES, ERRORS, ORIGIN = 0, 1, 2, 3, 4
"""Places in what is known of the labels.

How many there were, their mean, the sum of their squared distances from it, that of squared errors, and the margin that
predicts their mean.
"""

STATISTICS = 5
"""How many numbers are known of the labels."""


@verb
def push(link: Any, labels: Vector, margin: float, label: float) -> float:  # type: ignore[empty-body]
    """The slope at a margin, bounded and without a unit."""


@verb
def unit(link: Any, labels: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """What weights are multiples of."""


@verb
def evidence(link: Any, labels: Vector, margin: float, label: float) -> float:  # type: ignore[empty-body]
    """How strongly a label speaks against an expert that had predicted a margin."""


@verb
def origin(link: Any, labels: Vector) -> float:  # type: ignore[empty-body]  # declarations have no body
    """The margin that weights of 0 stand for: where weights begin should not depend on where labels have their zero."""


@origin.otherwise
def zero_origin(link: Any, labels: Vector) -> float:
    """0: labels of two classes have no zero that could be shifted."""
    return 0.0


@compilable
def clipped(number: float) -> float:
    """The number, or the nearer of -4 and 4 if it lies beyond."""
    return min(max(number, -LARGEST), LARGEST)


@compilable
def note_label(link: Any, labels: Vector, label: float, prediction: float) -> None:
    """Let the statistics follow a label, and the error of what was predicted for it."""
    labels[COUNT] += 1.0
    distance = label - float(labels[MEAN])
    labels[MEAN] += distance / float(labels[COUNT])
    labels[SQUARES] += distance * (label - float(labels[MEAN]))
    labels[ERRORS] += (prediction - label) * (prediction - label)
    labels[ORIGIN] = origin(link, labels)


@compilable
def replace_label(link: Any, labels: Vector, assumed: float, label: float, prediction: float) -> None:
    """Put a label in the place of an assumed one that was noted before; rounding makes no sum negative."""
    difference, was = label - assumed, float(labels[MEAN])
    labels[MEAN] += difference / float(labels[COUNT])
    squares = float(labels[SQUARES]) + difference * ((label - float(labels[MEAN])) + (assumed - was))
    labels[SQUARES] = max(squares, 0.0)
    errors = float(labels[ERRORS]) + difference * (label + assumed - 2.0 * prediction)
    labels[ERRORS] = max(errors, 0.0)
    labels[ORIGIN] = origin(link, labels)


@compilable
def spread(labels: Vector) -> float:
    """The standard deviation of the labels; before two of them differ, the size of their mean."""
    deviation = math.sqrt(float(labels[SQUARES]) / float(labels[COUNT])) if labels[COUNT] > 1.0 else 0.0
    return max(deviation if deviation > 0.0 else abs(float(labels[MEAN])), LEAST_SPREAD)


@unit.otherwise
def no_unit(link: Any, labels: Vector) -> float:
    """1: margins have no unit."""
    return 1.0


@evidence.otherwise
def plain_evidence(link: Any, labels: Vector, margin: float, label: float) -> float:
    """The loss itself is the evidence against it."""
    return link_value(link, margin, label)


@push.on(Logistic)
def logistic_push(link: Logistic, labels: Vector, margin: float, label: float) -> float:
    return link_slope(link, margin, label)


@push.on(SquaredHinge)
def squared_hinge_push(link: SquaredHinge, labels: Vector, margin: float, label: float) -> float:
    return 0.25 * clipped(link_slope(link, margin, label))


@push.on(SquaredError)
def squared_error_push(link: SquaredError, labels: Vector, margin: float, label: float) -> float:
    return 0.1 * clipped((margin - label) / spread(labels))


@unit.on(SquaredError)
def squared_error_unit(link: SquaredError, labels: Vector) -> float:
    """Margins have the unit of the labels."""
    return spread(labels)


@origin.on(SquaredError)
def squared_error_origin(link: SquaredError, labels: Vector) -> float:
    """The mean of the labels so far."""
    return float(labels[MEAN])


@evidence.on(SquaredError)
def squared_error_evidence(link: SquaredError, labels: Vector, margin: float, label: float) -> float:
    """Minus the logarithm of a normal density, whose variance is the mean squared error so far."""
    variance = float(labels[ERRORS]) / float(labels[COUNT])
    return link_value(link, margin, label) / max(variance, LEAST_SPREAD * LEAST_SPREAD)


@push.on(PoissonCount)
def poisson_push(link: PoissonCount, labels: Vector, margin: float, label: float) -> float:
    return 0.25 * clipped(link_slope(link, margin, label) / max(float(labels[MEAN]), LEAST_SPREAD))


@origin.on(PoissonCount)
def poisson_origin(link: PoissonCount, labels: Vector) -> float:
    """The logarithm of the mean of the labels so far."""
    return math.log(max(float(labels[MEAN]), LEAST_SPREAD))
