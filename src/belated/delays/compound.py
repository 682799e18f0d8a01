"""Laws made of other laws.

Each inner law, and the choice between them, draws from a generator of its own. If they shared one generator, their
draws would interleave differently when a run is cut into other chunks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Integers, Vector, frozen
from belated.delays.base import NEVER, DelayLaw, Source
from belated.delays.light import Geometric, Uniform
from belated.delays.scheduled import Fixed


class _NeverFields(NamedTuple):
    law: DelayLaw
    probability: float


class Never(DelayLaw, _NeverFields):
    """The delays of ``law``, except that each round's feedback is lost with this probability, independently.

    Args:
        law: The law of the delays of feedback that comes.
        probability: The chance, from 0 to 1, that a round's feedback never comes.
    """

    __slots__ = ()

    def __new__(cls, law: DelayLaw, probability: float) -> Never:
        """Check the arguments and make the law."""
        return cls._make((_law("Never", "law", law), checks.probability("Never", "probability", probability)))

    @classmethod
    def example(cls) -> Never:
        """A law under which three feedbacks in ten never come."""
        return cls(Uniform(1, 5), 0.3)

    @property
    def longest_run(self) -> float:
        """For how many rounds the inner law has delays."""
        return self.law.longest_run

    def _begin(self, rng: np.random.Generator) -> Source:
        for_losing, for_law = rng.spawn(2)
        inner = self.law.sampler(for_law)

        def next_delays(first: int, rounds: int) -> Integers:
            lost = for_losing.random(rounds) < self.probability
            return np.where(lost, NEVER, inner.take(rounds))

        return next_delays


class _MixtureFields(NamedTuple):
    laws: tuple[DelayLaw, ...]
    weights: Vector


class Mixture(DelayLaw, _MixtureFields):
    """In each round one of ``laws``, chosen with probability proportional to its weight, independently.

    In each round every law gives a delay, and one of these is used. So a law that depends on the round, such as a list,
    counts the rounds of the run.

    Args:
        laws: One or more laws of delay.
        weights: A number >= 0 for each law, not all of them 0.
    """

    __slots__ = ()

    def __new__(cls, laws: Iterable[DelayLaw], weights: ArrayLike) -> Mixture:
        """Check the arguments and make the law."""
        parts = tuple(_law("Mixture", "laws", law) for law in checks.items("Mixture", "laws", laws, "laws of delay"))
        if not parts:
            checks.refuse("Mixture", "laws", parts, "must name at least one law")
        given = checks.vector("Mixture", "weights", weights, len(parts))
        if (given < 0.0).any() or not (given > 0.0).any():
            checks.refuse("Mixture", "weights", weights, "must be >= 0 and not all 0")
        relative = given / given.max()  # first, so that the sum of huge weights stays finite
        return cls._make((parts, frozen(relative / relative.sum())))

    @classmethod
    def example(cls) -> Mixture:
        """A law that gives three rounds in four no delay, and the others twenty rounds on average."""
        return cls([Fixed(1), Geometric(20.0)], [3.0, 1.0])

    @property
    def longest_run(self) -> float:
        """For how many rounds every one of the laws has delays."""
        return min(law.longest_run for law in self.laws)

    def _begin(self, rng: np.random.Generator) -> Source:
        for_choosing, *for_laws = rng.spawn(1 + len(self.laws))
        inner = [law.sampler(own) for law, own in zip(self.laws, for_laws, strict=True)]

        def next_delays(first: int, rounds: int) -> Integers:
            chosen = for_choosing.choice(len(inner), rounds, p=self.weights)
            candidates = np.stack([sampler.take(rounds) for sampler in inner])
            delays: Integers = candidates[chosen, np.arange(rounds)]
            return delays

        return next_delays


def _law(where: str, name: str, value: object) -> DelayLaw:
    if not isinstance(value, DelayLaw):
        checks.refuse(where, name, value, "must be a law of delay")
    return value
