"""What a problem is, and what all problems whose losses are drawn have in common.

A problem of your own needs ``loss`` and ``rows(seed, rounds)``, which gives all rows at once. For runs that are longer
than memory it also has ``sampler(seed)``, which gives them in chunks: the same rows, however they are cut. More is
optional:

==========================  =========================================================================================
``constants(domain)``       bounds of the losses over a set; :class:`OwnProblem` measures them on a sample
``domain``                  the natural set of decisions
``comparators``             decisions that move, for :func:`belated.dynamic_regret`
``longest_run``             how many rounds there are
``digest()``                a text that changes whenever any row does, or ``None``: by it `simulate(store=...)` knows
                            the problem at once, and need not draw all rows to know it by them
==========================  =========================================================================================
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import astuple
from typing import Any, Protocol, TypeVar

import numpy as np

from belated.core import checks, streams
from belated.core.arrays import Matrix, Vector
from belated.core.parts import fingerprint, identity
from belated.core.region import Region, check_region
from belated.domains import Domain
from belated.losses.base import Constants, Loss

Self = TypeVar("Self", bound="DrawnProblem")


class Problem(Protocol):
    """Anything with a loss and, for every seed, its rows."""

    @property
    def loss(self) -> Loss:
        """The family of losses that all rounds share."""

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows of rounds 1..``rounds``, a row each.

        Args:
            seed: A whole number, at least 0.
            rounds: How many rounds.

        Returns:
            A table with a row for each round.
        """


class RowSampler(Protocol):
    """The rows of one seed, from the first round on.

    One with an attribute ``valid`` that is true vouches for its rows: they are tables for the problem's loss, all
    numbers finite. Those of others are looked at.
    """

    def take(self, rounds: int) -> Matrix:
        """The rows of the next ``rounds`` rounds; those taken before may be gone then.

        Args:
            rounds: How many rounds, at least 0.

        Returns:
            A table with a row for each round.
        """


class StreamedProblem(Problem, Protocol):
    """A problem whose rows can be had in chunks."""

    def sampler(self, seed: int) -> RowSampler:
        """Start at the first round.

        Args:
            seed: A whole number, at least 0.

        Returns:
            A sampler that begins with round 1; every call begins anew.
        """


class MeasuredConstants(Constants):
    """Constants that were measured on a sample of rows, and hold for these: rows that were not drawn may break them."""

    __slots__ = ()


class OwnProblem(ABC):
    """A base for problems of your own: with a ``loss`` and ``rows``, the constants are measured by the loss."""

    loss: Loss
    """What all rounds share; set it in ``__init__``."""

    @abstractmethod
    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows of rounds 1..``rounds``, a row each.

        Args:
            seed: A whole number, at least 0.
            rounds: How many rounds.

        Returns:
            A table with a row for each round.
        """

    def constants(self, domain: Region, seeds: Iterable[int] = range(10), rounds: int = 1000) -> MeasuredConstants:
        """L, beta and alpha over a domain, as the loss knows them for the rows of some seeds.

        They hold for certain for these rows: for a simulation with the same seeds and at most as many rounds. About
        other rows they say nothing. The true L is at least the one measured, and may be infinite; the true beta is at
        most, the true alpha at least, the one measured. Who can tell the largest row there is overrides this method.

        Args:
            domain: The set of decisions.
            seeds: The seeds that are drawn.
            rounds: How many rounds are drawn of each.

        Returns:
            The largest L and alpha and the smallest beta of all rows drawn.

        Raises:
            InvalidArgument: No seeds, not a number of rounds, or a domain of another dimension.
        """
        where = f"{type(self).__name__}.constants"
        number = checks.count(where, "rounds", rounds)
        drawn = list(seeds)
        if not drawn:
            checks.refuse(where, "seeds", seeds, "must be one or more seeds")
        return MeasuredConstants(*constants_of(self.loss, (self.rows(seed, number) for seed in drawn), domain))


def constants_of(loss: Loss, tables: Iterable[Matrix], domain: Region) -> Constants:
    """L, beta and alpha over ``domain`` that hold for every row of every table, of which there is at least one."""
    lipschitz, strong_convexity, smoothness = zip(*(loss.constants(rows, domain) for rows in tables), strict=True)
    return Constants(max(lipschitz), min(strong_convexity), max(smoothness))


class DrawnProblem(ABC):
    """A problem whose losses are drawn, from ``numpy.random.default_rng(seed)`` and from nothing else.

    The docstring of each says how, in a few lines of plain NumPy, so that anybody can regenerate the losses without
    this library. Members are frozen dataclasses of plain numbers.
    """

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """The family of losses that all rounds share."""

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The natural set of decisions; a run starts at its centre unless told otherwise."""

    @classmethod
    @abstractmethod
    def example(cls: type[Self]) -> Self:
        """A typical member of the family."""

    @abstractmethod
    def _begin(self, rng: np.random.Generator) -> RowSampler:
        """The rows that ``rng`` makes, from the first round on."""

    @abstractmethod
    def _extremes(self, centre: Vector) -> Matrix:
        """Rows at the edge of what can be drawn whose constants, over any set about ``centre``, hold for all others."""

    def rows(self, seed: int, rounds: int) -> Matrix:
        """The rows of rounds 1..``rounds``, a row each.

        Args:
            seed: A whole number, at least 0.
            rounds: How many rounds.

        Returns:
            A table with a row for each round.
        """
        number = checks.count(f"{type(self).__name__}.rows", "rounds", rounds, least=0)
        return self.sampler(seed).take(number)

    def sampler(self, seed: int) -> RowSampler:
        """The same rows in chunks, from the first round on.

        Args:
            seed: A whole number, at least 0.

        Returns:
            A sampler that begins with round 1.

        Raises:
            InvalidArgument: ``seed`` is no whole number of at least 0.
        """
        return self._begin(streams.losses(checks.count(f"{type(self).__name__}.sampler", "seed", seed, least=0)))

    def constants(self, domain: Region) -> Constants:
        """L, beta and alpha over a domain, whatever is drawn.

        Args:
            domain: The set of decisions.

        Returns:
            Bounds that hold for every row that can be drawn.

        Raises:
            InvalidArgument: The domain has another dimension.
        """
        check_region(f"{type(self).__name__}.constants", domain, self.loss.dim)
        return self.loss.constants(self._extremes(domain.centre), domain)

    def digest(self) -> str:
        """A digest of the family and of its numbers, which the rows are a function of."""
        return fingerprint((identity(type(self)), *astuple(self)))  # type: ignore[call-overload]  # members are dataclasses


def within(where: str, name: str, value: Any, least: float, most: float) -> None:
    """Refuse a number that does not lie in [``least``, ``most``]."""
    if not least <= checks.number(where, name, value) <= most:
        checks.refuse(where, name, value, f"must lie in [{least:g}, {most:g}]")
