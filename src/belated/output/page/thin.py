"""Which points of long curves are kept: at most 600, with the ends and the extremes among them.

Of these, a drawing leaves out the points through which its line goes anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers, Vector

MOST_POINTS = 600
"""So many points of a curve are on a page; a screen could hardly show more."""


def thinned(curves: Sequence[ArrayLike], most: int = MOST_POINTS) -> Integers:
    """Choose the places at which curves over the same points are drawn.

    A sixth of the places are the first ones, because learners learn most at the beginning and a logarithmic axis shows
    it. All other points are cut into stretches of about equal length. In each stretch the least and the largest value
    of every curve are kept, and the last point of all. There are as many stretches as leave at most ``most`` points.

    Args:
        curves: The values of each curve; all have the same length. What is not a number is no extreme.
        most: How many places to keep. It is exceeded only if the extremes of all curves over one stretch are more.

    Returns:
        The places in ascending order, a new array.

    Example:
        >>> thinned([[0, 1, 2, 9, 3, 4, 5, 6, 7, 8]], most=6).tolist()
        [0, 1, 3, 5, 9]
    """
    tables = [np.asarray(each, dtype=float) for each in curves]
    size = len(tables[0]) if tables else 0
    if size <= most:
        return np.arange(size)
    stretches = most
    kept = np.arange(size)
    while len(kept) > most and stretches > 1:
        stretches = max(1, stretches * 4 // 5)
        kept = _kept(tables, max(1, most // 6), size, stretches)
    return kept


def _kept(tables: Sequence[Vector], first: int, size: int, stretches: int) -> Integers:
    """The first points, the last one, and the extremes of every curve in each of so many stretches."""
    edges = np.unique(np.linspace(first, size, stretches + 1).astype(np.int64))
    found = {*range(first), size - 1}
    for table in tables:
        known = np.isfinite(table)
        low, high = np.where(known, table, np.inf), np.where(known, table, -np.inf)
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            found.add(begin + int(low[begin:end].argmin()))
            found.add(begin + int(high[begin:end].argmax()))
    return np.array(sorted(found), dtype=np.int64)


def straightened(points: Sequence[tuple[float, float]], nearness: float) -> list[tuple[float, float]]:
    """Leave out points of a line so that it still passes every one of them as near as that.

    From the last point that was kept, the slopes are known that pass all points since then; when the next point is
    not reached by any of them, the one before it is kept.

    Args:
        points: Pairs of coordinates, the first of which ascend.
        nearness: The largest vertical distance of a point to the new line.

    Returns:
        Some of the points, the first and the last among them.

    Example:
        >>> straightened([(0, 0), (1, 1), (2, 2.05), (3, 3), (4, 0)], 0.1)
        [(0, 0), (3, 3), (4, 0)]
    """
    kept = list(points[:1])
    low, high = -np.inf, np.inf
    for before, (x, y) in pairwise(points):
        along, up = x - kept[-1][0], y - kept[-1][1]
        if along <= 0.0 or not low * along <= up <= high * along:
            if before != kept[-1]:
                kept.append(before)
            low, high = -np.inf, np.inf
            along, up = x - before[0], y - before[1]
            if along <= 0.0:  # straight up or down, or nowhere
                kept += [(x, y)] if up else []
                continue
        low, high = max(low, (up - nearness) / along), min(high, (up + nearness) / along)
    return [*kept, points[-1]] if len(points) > 1 and kept[-1] != points[-1] else kept
