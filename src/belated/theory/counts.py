"""What every bound begins with: the counts of a run's delays, and its constants, checked.

Feedback that comes after the last round, or never, changes no decision. So a delay that ends after T counts as one that
ends at T, which can only make a bound smaller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Integers
from belated.delays.base import DelayLaw, whole_delays


class Counts(NamedTuple):
    """What the bounds need of the delays, after they are cut off at the last round.

    Args:
        longest: The longest of the cut-off delays.
        arrived: Arrivals of each round.
        in_flight: Feedbacks in flight after each round.
    """

    longest: int
    arrived: Integers
    in_flight: Integers

    @property
    def rounds(self) -> int:
        """T, the number of rounds."""
        return self.arrived.size

    @property
    def first_arrivals(self) -> int:
        """|F_s|: how many feedbacks arrive in the first round in which any arrives."""
        return int(self.arrived[np.argmax(self.arrived > 0)])

    @property
    def outstanding(self) -> Integers:
        """sigma_1, ..., sigma_T: how many feedbacks are missing when each decision is made."""
        return np.concatenate((np.zeros(1, dtype=np.int64), self.in_flight[:-1]))

    @property
    def play_weight(self) -> int:
        """V_T = T + 2 D0: the sum over all rounds of 1 + 2 sigma_t, D0 being the sum of d_t - 1."""
        return self.rounds + 2 * int(self.outstanding.sum())


def counts(delays: ArrayLike) -> Counts:
    """The counts of a run with these delays, each cut off at the last round.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.

    Returns:
        A :class:`Counts`, whose arrays have an entry for each round and are the caller's.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or the delays are labelled and rounds are missing.

    Example:
        >>> counts([3, 1, 1, 7])      # the last would come in round 10
        Counts(longest=3, arrived=array([0, 1, 2, 1]), in_flight=array([1, 1, 0, 0]))
    """
    return counted("counts", delays)


def counted(where: str, delays: ArrayLike) -> Counts:
    """The counts of these delays; ``where`` names the caller in errors."""
    effective = cut_off(where, delays)
    rounds = effective.size
    arrived = np.bincount(np.arange(rounds) + effective - 1, minlength=rounds)
    return Counts(int(effective.max()), arrived, np.arange(1, rounds + 1) - arrived.cumsum())


def cut_off(where: str, delays: ArrayLike) -> Integers:
    """The delays of a whole run, checked; a delay that ends after the last round is cut off to end there."""
    given = whole_run(where, delays)
    return np.minimum(given, np.arange(given.size, 0, -1))


def whole_run(where: str, delays: ArrayLike) -> Integers:
    """The delays of a whole run as they are, checked; labelled ones must have every round."""
    if isinstance(delays, DelayLaw):
        checks.refuse(where, "delays", delays, "is a law; give delays that were drawn, such as run.delays")
    if "seed" in getattr(delays, "dims", ()):
        checks.refuse(where, "delays", delays, "has runs of several seeds; choose one seed: delays.sel(seed=0)")
    given = whole_delays(where, "delays", delays)
    rounds = given.size
    if not _has_every_round(delays, np.arange(1, rounds + 1)):
        wanted = 'must have every round of the run: simulate with record="all"'
        checks.refuse(where, "delays", delays, wanted)
    return given


def _has_every_round(delays: ArrayLike, rounds: Integers) -> bool:
    """Whether the labels of the delays, if they have any, are all rounds.

    An array of xarray has them in a coordinate. A series of pandas has an index, which numbers from 0 on unless it was
    given one: only an index that is called ``round`` is one of rounds, and so is a level of several.
    """
    labels = getattr(delays, "coords", {}).get("round")
    index = getattr(delays, "index", None)
    if "round" in (getattr(index, "names", None) or ()):
        labels = index.get_level_values("round")  # type: ignore[union-attr]
    return labels is None or np.array_equal(labels, rounds)


def positive(where: str, **values: float) -> tuple[float, ...]:
    """The constants of a bound, checked: each must be positive and of moderate size."""
    return tuple(checks.moderate(where, name, value) for name, value in values.items())


def checked_probe(where: str, probe_radius: float, inner_radius: float) -> None:
    """Refuse a probe radius that does not fit into the domain: it must be below the inner radius."""
    if probe_radius >= inner_radius:
        checks.refuse(where, "probe_radius", probe_radius, f"must be < the inner radius {inner_radius:g}")
