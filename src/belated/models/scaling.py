r"""Numeric features brought to a common scale while they come, so that no single value can do harm.

A number v of a feature becomes

.. math::

    z = \operatorname{clip}\Bigl(\frac{v - c}{s}, -4, 4\Bigr)

with the centre c and the spread s of the values that came before. Both follow the values with bounded influence:

.. math::

    r = \operatorname{clip}(v - c, -16 s, 16 s), \qquad
    c \leftarrow c + a r, \qquad s \leftarrow s + a (|r| - s), \qquad a = \max(1 / n, 10^{-4}),

n the number of values so far. A value therefore moves the centre by at most 16 a s and makes the spread at most
1 + 15 a times as large, however far away it is. The first eight values are kept: until there are eight, the centre is
their median and the spread the mean distance from it without the largest one, so a strange first value does no harm,
either. s is the mean absolute deviation, 0.8 standard deviations of normal values.

While all values are equal the spread is 0, and so is z. A value that then differs gets z = 4 or -4 and counts in full,
since there is nothing to compare it with. A feature that is
zero nearly always and something else in fewer than one case in sixteen is treated like that in the long run: its
spread falls, and z says whether the value is there, and its sign.
"""

import math
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix, Vector
from belated.core.verbs import compilable

LARGEST_SCALED = 4.0
"""z lies between minus this and this."""

INFLUENCE = 16.0
"""How many spreads away from the centre a value counts at the most."""

LEAST_STEP = 1e-4
"""a falls to this and no further, so that the scale follows features that drift, over ten thousand values."""

FIRST = 8
"""So many values are kept before centre and spread go on by themselves."""


class Scales(NamedTuple):
    """What is known of each numeric feature, in one entry or row for each.

    The fields are how many values were ``seen``, their ``centre`` and ``spread``, and the ``first`` of them,
    which are in ascending order and followed by zeros.
    """

    seen: Integers
    centre: Vector
    spread: Vector
    first: Matrix


def no_scales(number: int) -> Scales:
    """The scales of so many features of which no value has come."""
    return Scales(np.zeros(number, dtype=np.int64), np.zeros(number), np.zeros(number), np.zeros((number, FIRST)))


@compilable
def scaled(scales: Scales, which: int, value: float) -> float:
    """Scale a value of feature ``which`` by the values that came before it; changes nothing."""
    if scales.seen[which] == 0:
        return 0.0
    distance = value - float(scales.centre[which])
    spread = float(scales.spread[which])
    if abs(distance) >= LARGEST_SCALED * spread:
        return 0.0 if distance == 0.0 else math.copysign(LARGEST_SCALED, distance)
    return distance / spread


@compilable
def notice(scales: Scales, which: int, value: float) -> None:
    """Let centre and spread of feature ``which`` follow a value."""
    count = scales.seen[which] + 1
    scales.seen[which] = count
    if count <= FIRST:
        place = count - 1
        while place > 0 and scales.first[which, place - 1] > value:
            scales.first[which, place] = scales.first[which, place - 1]
            place -= 1
        scales.first[which, place] = value
        middle, even = count // 2, count % 2 == 0
        centre = float(scales.first[which, middle])
        if even:
            centre += 0.5 * (float(scales.first[which, middle - 1]) - centre)
        begin, end = 0, count
        if (
            count > 2
        ):  # the largest distance is at one of the ends, and is left out; taken off later, it leaves no digit
            below, above = centre - float(scales.first[which, 0]), float(scales.first[which, count - 1]) - centre
            begin, end = (1, count) if below > above else (0, count - 1)
        total = 0.0
        for i in range(begin, end):
            total += abs(float(scales.first[which, i]) - centre)
        scales.centre[which] = centre
        scales.spread[which] = total / (end - begin)
        return
    step = max(1.0 / count, LEAST_STEP)
    centre, spread = float(scales.centre[which]), float(scales.spread[which])
    reach = INFLUENCE * spread if spread > 0.0 else math.inf  # the first value that differs is all that is known
    moved = min(max(value - centre, -reach), reach)
    scales.centre[which] = centre + step * moved
    scales.spread[which] = spread + step * (abs(moved) - spread)
