"""When feedback arrives, with the virtual rounds of the proofs.

A proof lets feedback that arrives after round T move the decision on, in rounds T + 1, T + 2, ... that nobody plays.
Virtual rounds in which nothing arrives change nothing and are left out, so there are at most T of them, even if
feedback never comes. The delays that are left are at most those of the run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Integers, Matrix


class Arrivals(NamedTuple):
    r"""The counts of a run of T rounds, up to the last virtual one.

    Args:
        rounds: T.
        of: t' = t + d_t - 1 for t = 1..T, the round in which the feedback of round t arrives.
        number: \|F_t\| for t = 1 up to the last virtual round.
    """

    rounds: int
    of: Integers
    number: Integers

    @property
    def longest(self) -> int:
        """The longest delay d of the run."""
        return int((self.of - np.arange(self.rounds)).max())

    @property
    def busy(self) -> Integers:
        """The rounds in which something arrives, in order; the first is s."""
        return np.flatnonzero(self.number) + 1

    @property
    def received(self) -> Integers:
        """N_t: how many have arrived by the end of round t."""
        return self.number.cumsum()

    @property
    def in_flight(self) -> Integers:
        """o_t: how many are missing after the arrivals of round t."""
        played = np.minimum(np.arange(1, self.number.size + 1), self.rounds)
        return np.asarray(played - self.received)

    @property
    def outstanding(self) -> Integers:
        """sigma_1, ..., sigma_{T+1}: how many are missing when each decision is made."""
        return np.concatenate((np.zeros(1, dtype=np.int64), self.in_flight[: self.rounds]))

    @property
    def lateness(self) -> int:
        """D0: the sum of d_t - 1, a delay that ends after T counting as one that ends at T."""
        return int((np.minimum(self.of, self.rounds) - np.arange(1, self.rounds + 1)).sum())

    def sums(self, vectors: Matrix) -> Matrix:
        """For each round, the sum of what arrives in it; ``vectors`` has a row for each round that is played."""
        found = np.zeros((self.number.size, vectors.shape[1]))
        np.add.at(found, self.of - 1, vectors)
        return found


def arrivals(delays: Integers) -> Arrivals:
    """The arrivals of a run with these delays.

    >>> found = arrivals(np.array([1, 7, 9, 7, 1]))       # round 2 would arrive in 8, round 3 in 11, round 4 in 10
    >>> found.of, found.number
    (array([1, 6, 8, 7, 5]), array([1, 0, 0, 0, 1, 1, 1, 1]))
    """
    rounds = delays.size
    of = np.arange(rounds) + delays
    late = of > rounds
    of[late] = rounds + 1 + np.unique(of[late], return_inverse=True)[1]
    return Arrivals(rounds, of, np.bincount(of, minlength=rounds + 1)[1:])
