"""Shares of experts: numbers that add up to 1, by which predictions are averaged."""

from __future__ import annotations

import math

from belated.core.arrays import Vector
from belated.core.verbs import compilable


@compilable
def deal(shares: Vector, part: float) -> None:
    """Deal out a part of all shares evenly, so that an expert which is behind can come back."""
    for k in range(shares.size):
        shares[k] = (1.0 - part) * float(shares[k]) + part / shares.size


@compilable
def reweigh(shares: Vector, against: Vector) -> None:
    """Multiply the shares by exp(-against), and divide by their sum; nothing overflows.

    The first entries of ``against`` are what speaks against each expert.
    """
    least = math.inf
    for k in range(shares.size):
        if shares[k] > 0.0:
            least = min(least, float(against[k]))
    total = 0.0
    for k in range(shares.size):
        shares[k] *= math.exp(min(least - float(against[k]), 0.0))
        total += float(shares[k])
    for k in range(shares.size):
        shares[k] /= total
