"""From delays to arrivals: the feedback of which rounds comes at the end of each round.

====================================  ======  ==================================================================
code                                  symbol  meaning
====================================  ======  ==================================================================
``delays[t - 1]``                     d_t     the delay of round t
``order[first[t] : first[t + 1]]``    F_t     the rounds whose feedback arrives at the end of round t,
                                              {k : k + d_k - 1 = t}, in order of play
====================================  ======  ==================================================================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers
from belated.delays.base import whole_delays


class Arrivals(NamedTuple):
    """The rounds sorted by their arrival, as one flat table: F_t is ``order[first[t] : first[t + 1]]``, t = 1..T."""

    order: Integers
    first: Integers


def arrivals(delays: ArrayLike) -> Arrivals:
    """Sort rounds 1..T by the arrival of their feedback; rounds whose feedback would come after round T are left out.

    Args:
        delays: The delay of each round, whole numbers from 1 to ``NEVER``.

    Returns:
        The flat table described at :class:`Arrivals`.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1.

    Example:
        >>> order, first = arrivals([3, 1, 1, 7])
        >>> [order[first[t] : first[t + 1]].tolist() for t in (1, 2, 3, 4)]
        [[], [2], [1, 3], []]
    """
    late = whole_delays("arrivals", "delays", delays)
    rounds = np.arange(1, late.size + 1)
    arrival = rounds + late - 1
    seen = arrival <= late.size
    counts = np.bincount(arrival[seen], minlength=late.size + 1)
    first = np.concatenate(([0], np.cumsum(counts)))
    return Arrivals(rounds[seen][np.argsort(arrival[seen], kind="stable")], first)
