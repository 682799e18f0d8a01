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
from collections.abc import Sequence
from typing import Any

import numpy as np

from belated.core.arrays import Matrix
from belated.core.verbs import compilable

LARGEST_SCALED = 4.0
"""z lies between minus this and this."""

INFLUENCE = 16.0
"""How many spreads away from the centre a value counts at the most."""

LEAST_STEP = 1e-4
"""a falls to this and no further, so that the scale follows features that drift, over ten thousand values."""

FIRST = 8
"""So many values are kept before centre and spread go on by themselves."""


SEEN, CENTRE, SPREAD, KEPT = 0, 1, 2, 3
"""Columns of a table of scales: how many values were seen, their centre and spread, and from here on the first of them.

The first values are in ascending order and followed by zeros.
"""

COLUMNS = KEPT + FIRST

NOTHING_SEEN = (0.0,) * COLUMNS
"""The row of a feature of which no value has come."""


def no_scales(number: int) -> Matrix:
    """A table with a row for each of so many features, of which no value has come."""
    return np.zeros((number, COLUMNS))


@compilable
def scaled(row: Any, value: float) -> float:
    """Scale a value by the row of its feature, that is, by the values that came before it; changes nothing."""
    if row[SEEN] == 0.0:
        return 0.0
    distance: float = value - row[CENTRE]
    spread: float = row[SPREAD]
    if abs(distance) >= LARGEST_SCALED * spread:
        return 0.0 if distance == 0.0 else math.copysign(LARGEST_SCALED, distance)
    return distance / spread


@compilable
def follow(row: Any, value: float) -> None:
    """Let the row of a feature, its centre and its spread, follow a value."""
    seen = row[SEEN] + 1.0
    row[SEEN] = seen
    if seen <= FIRST:
        _follow_first(row, int(seen), value)
        return
    step, centre, spread = 1.0 / seen, row[CENTRE], row[SPREAD]
    if step < LEAST_STEP:  # comparisons, since calls of min and max take Python as long as all the rest
        step = LEAST_STEP
    moved, reach = value - centre, INFLUENCE * spread
    if spread > 0.0 and abs(moved) > reach:  # without a spread, the first value that differs is all that is known
        moved = math.copysign(reach, moved)
    row[CENTRE] = centre + step * moved
    row[SPREAD] = spread + step * (abs(moved) - spread)


@compilable
def _follow_first(row: Any, count: int, value: float) -> None:
    """Keep one of the first values, the ``count``-th, and compute centre and spread from all of them."""
    place = count - 1
    while place > 0 and row[KEPT + place - 1] > value:
        row[KEPT + place] = row[KEPT + place - 1]
        place -= 1
    row[KEPT + place] = value
    middle = count // 2
    centre = row[KEPT + middle]
    if count % 2 == 0:
        centre += 0.5 * (row[KEPT + middle - 1] - centre)
    begin, end = 0, count
    if count > 2:  # the largest distance is at one of the ends, and is left out; taken off later, it leaves no digit
        below, above = centre - row[KEPT], row[KEPT + count - 1] - centre
        begin, end = (1, count) if below > above else (0, count - 1)
    total = 0.0
    for i in range(begin, end):
        total += abs(row[KEPT + i] - centre)
    row[CENTRE], row[SPREAD] = centre, total / (end - begin)


def followed(row: Sequence[float], value: float) -> list[float]:
    """What the row of a feature becomes after a value. As a list, which Python reads faster than a row of an array."""
    fresh = list(row)
    follow(fresh, value)
    return fresh


def scale_table(scales: Matrix, table: Matrix) -> None:
    """Scale all numbers of a table in place, column by column, by rows of scales; NaN stays."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            if table[i, j] == table[i, j]:
                table[i, j] = scaled(scales[j], float(table[i, j]))
