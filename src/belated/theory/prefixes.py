r"""The counts of a run, and of every shorter run that it begins with, in one pass.

A bound for T rounds cuts delays off at round T, and its curve has such a number for every p <= T. The run that ends
after round p has the counts of the long run in all rounds before p. Only its last round differs: whatever is missing
then counts as coming at the end of round p, so that sigma_p + 1 feedbacks arrive there and none is left in flight. So
each count of all prefixes together takes O(T) operations, apart from one binary search for the longest delay.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Integers, Vector
from belated.theory.counts import whole_run


class Prefixes(NamedTuple):
    """The counts of all rounds of a run, and the rounds after which a bound is wanted.

    Entry t - 1 of an array belongs to round t. Feedback that comes after the last round is nowhere among the arrivals.

    Args:
        rounds: The prefixes p for which a bound is wanted, each between 1 and T, in any order.
        ends: The round at whose end each feedback comes; T + 1 for all that come later or never.
        arrived: The arrivals of each round.
        outstanding: sigma_t, what is missing when each decision is made.
    """

    rounds: Integers
    ends: Integers
    arrived: Integers
    outstanding: Integers

    @property
    def every_round(self) -> Integers:
        """The numbers 1 to T of all rounds of the whole run."""
        return np.arange(1, self.ends.size + 1)

    @property
    def received(self) -> Integers:
        """N_t, how many feedbacks have come by the end of each round."""
        return self.arrived.cumsum()

    @property
    def in_flight(self) -> Integers:
        """o_t, how many feedbacks are missing after the arrivals of each round."""
        missing: Integers = self.outstanding + 1 - self.arrived
        return missing

    @property
    def last_arrivals(self) -> Integers:
        """For each prefix, what comes at its end: all that is missing, and the feedback of the round itself."""
        late: Integers = self.outstanding[self.rounds - 1] + 1
        return late

    @property
    def play_weights(self) -> Integers:
        """V_t = sum over i <= t of 1 + 2 sigma_i, for each round of the whole run."""
        weights: Integers = self.every_round + 2 * self.outstanding.cumsum()
        return weights

    @property
    def play_weight(self) -> Integers:
        """V_p = p + 2 D0 for each prefix p."""
        return self.play_weights[self.rounds - 1]

    @property
    def most_outstanding(self) -> Integers:
        """For each prefix, the largest sigma_t of its rounds."""
        return np.maximum.accumulate(self.outstanding)[self.rounds - 1]

    @property
    def first_arrivals(self) -> Integers:
        r"""\|F_s\| for each prefix: all of its feedback if nothing comes before its end."""
        first = int(np.argmax(self.arrived > 0)) + 1 if self.arrived.any() else self.ends.size + 1
        return np.where(self.rounds <= first, self.rounds, self.arrived[min(first, self.ends.size) - 1])

    @property
    def longest(self) -> Integers:
        """For each prefix, the longest delay after all of them are cut off at its end.

        That is the largest age, in any round up to p, of the oldest feedback that has not come before that round.
        """
        reach = np.maximum.accumulate(self.ends)
        ages = self.every_round - np.searchsorted(reach, self.every_round, side="left")
        return np.maximum.accumulate(ages)[self.rounds - 1]

    def before(self, terms: Any) -> Vector:
        """For each prefix p, the sum of the terms of rounds 1 to p - 1."""
        total: Vector = np.concatenate((np.zeros(1), np.cumsum(terms)))[self.rounds - 1]
        return total

    def through(self, terms: Any) -> Vector:
        """For each prefix p, the sum of the terms of rounds 1 to p."""
        total: Vector = np.cumsum(terms, dtype=np.float64)[self.rounds - 1]
        return total


def prefixes(where: str, delays: ArrayLike, wanted: ArrayLike | None = None) -> Prefixes:
    """The counts of a run with these delays; ``where`` names the caller in errors.

    Args:
        where: The name of the caller, for error messages.
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        wanted: The rounds after which a bound is wanted; by default every round.

    Returns:
        The counts, whose arrays are the caller's.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, the delays are labelled and rounds are missing, or
            a prefix is no round of the run.

    Example:
        >>> short = prefixes("example", [3, 1, 1, 7])
        >>> short.longest, short.last_arrivals
        (array([1, 2, 3, 3]), array([1, 2, 2, 1]))
    """
    given = whole_run(where, delays)
    rounds = given.size
    numbers = np.arange(1, rounds + 1)
    ends = numbers + np.minimum(given, rounds - numbers + 2) - 1
    arrived = np.bincount(ends, minlength=rounds + 2)[1 : rounds + 1]
    outstanding = numbers - 1 - np.concatenate((np.zeros(1, dtype=np.int64), arrived.cumsum()[:-1]))
    return Prefixes(_checked(where, wanted, rounds), ends, arrived, outstanding)


def whole(where: str, delays: ArrayLike) -> Prefixes:
    """The counts with the whole run as the only prefix, for bounds that are one number."""
    counted = prefixes(where, delays)
    return counted._replace(rounds=counted.rounds[-1:])


def _checked(where: str, wanted: ArrayLike | None, rounds: int) -> Integers:
    """The prefixes as whole numbers; all of them by default."""
    if wanted is None:
        return np.arange(1, rounds + 1)
    given = checks.any_array(where, "prefixes", wanted, "rounds of the run")
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iu":
        checks.refuse(
            where, "prefixes", wanted, "must be one or more whole numbers, the rounds after which it is wanted"
        )
    if given.min() < 1 or given.max() > rounds:
        checks.refuse(where, "prefixes", wanted, f"must lie between 1 and the number of delays, {rounds}")
    return given.astype(np.int64)
