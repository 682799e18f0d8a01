"""What a run has found, as the numbers that are kept of it."""

from __future__ import annotations

import math
from typing import NamedTuple


class Score(NamedTuple):
    """What a run has found at its end; a number that its kind of sweep does not have is not a number.

    ====================  ==============================================================================================
    field                 meaning
    ====================  ==============================================================================================
    ``score``             what is compared: the measure of a setting, or the mean loss on a log
    ``cumulative_loss``   the sum of the losses suffered; on a log with weights, the weighted one
    ``low``, ``high``     the 95 % interval of the mean loss on a log; none with fewer than two blocks of time
    ``constant``          the mean loss that the running mean of the labels has on the log
    ====================  ==============================================================================================
    """

    score: float
    cumulative_loss: float
    low: float = math.nan
    high: float = math.nan
    constant: float = math.nan
