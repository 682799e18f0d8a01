"""The points of a random search: values drawn from ranges, each path from a stream of its own.

A further path, or a longer search, leaves the values of the other paths as they were: the first ten samples of twenty
are those of a search with ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SCALES = ("uniform", "log")
"""How values may be spread over a range: evenly, or evenly in their logarithms."""


@dataclass(frozen=True)
class Range:
    """Where the values of a path come from: between two ends, whole numbers if both ends are, or out of ``choices``."""

    low: float
    high: float
    scale: str
    choices: tuple[Any, ...]

    @property
    def whole(self) -> bool:
        """Whether only whole numbers are drawn."""
        return isinstance(self.low, int) and isinstance(self.high, int)


def drawn(spread: Range, samples: int, seed: int, stream: int) -> tuple[Any, ...]:
    """So many values of a range; ``stream`` is the number of its path.

    >>> drawn(Range(1, 6, "uniform", ()), 4, seed=0, stream=0)
    (4, 2, 1, 1)
    """
    shares = np.random.default_rng([seed, stream]).random(samples)
    return tuple(_WAYS[spread.scale](spread, float(share)) for share in shares)


def _uniform(spread: Range, share: float) -> float:
    if spread.whole:
        return min(int(spread.high), math.floor(spread.low + share * (spread.high - spread.low + 1)))
    return spread.low + share * (spread.high - spread.low)


def _log(spread: Range, share: float) -> float:
    low, high = math.log(spread.low), math.log(spread.high)
    value = min(max(math.exp(low + share * (high - low)), spread.low), spread.high)
    return round(value) if spread.whole else value


def _choice(spread: Range, share: float) -> Any:
    return spread.choices[int(share * len(spread.choices))]


_WAYS: dict[str, Callable[[Range, float], Any]] = {"uniform": _uniform, "log": _log, "choice": _choice}
