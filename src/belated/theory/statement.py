"""What a bound is: a statement about a kind of learner, and the same with all of its constants filled in.

A :class:`Statement` is what a paper or a page of ``docs/derivations`` proves, with the function that reads its
constants off a learner and a problem. A :class:`Bound` is a statement together with these constants, so that only
delays are missing to make it a number.

``certainty`` is one of these:

=======================================================  ===============================================================
words                                                    meaning
=======================================================  ===============================================================
``proved here``                                          proved on a page of this documentation, and tried on runs that
                                                         are made to come near to it
``proved in the paper``                                  printed in the paper with its proof, which we have followed
                                                         line by line
``as printed, with a wrong constant``                    printed so in the paper, but its proof has another constant:
                                                         kept for comparison, and never chosen by default
=======================================================  ===============================================================

Any of them may end in ``, in expectation``: then it bounds the mean of the regret over the learner's own draws, and a
single run may exceed it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Vector
from belated.learners.learner import Learner
from belated.losses.base import Constants
from belated.theory.prefixes import prefixes as counted
from belated.theory.prefixes import whole

PROVED_HERE = "proved here"
IN_PAPER = "proved in the paper"
WRONG = "as printed, with a wrong constant"
IN_EXPECTATION = ", in expectation"


class Lacks(Exception):  # it is no error: whoever looks for a bound goes on with the next statement
    """A statement is about this kind of learner, but something that it assumes is missing; the text says what."""


class Setting(NamedTuple):
    """What a statement reads its constants from.

    Args:
        learner: The learner.
        losses: L, beta and alpha of the losses over the learner's domain.
        start: The first decision.
    """

    learner: Learner
    losses: Constants
    start: Vector


class Statement(NamedTuple):
    """A regret bound of one kind of learner, with nothing filled in.

    Args:
        name: Its name, in ``of(..., statement=name)``.
        formula: The bound, in LaTeX.
        source: Where it is proved.
        certainty: How sure it is; the module says which words there are.
        read: The constants for a setting; ``None`` if this is no learner of its kind. Raises :class:`Lacks` if it is
            one, and something is missing.
        curve: The bound for each prefix, from the counts of a run and from these constants, by name.
        concave: Whether the bound without delays is a concave function of T, as copies of a learner need it.
    """

    name: str
    formula: str
    source: str
    certainty: str
    read: Callable[[Setting], Mapping[str, Any] | None]
    curve: Callable[..., Vector]
    concave: bool = False


@dataclass(frozen=True, repr=False)
class Bound:
    """A bound in which everything is filled in but the delays; :func:`~belated.theory.bounds.of` makes it.

    Args:
        statement: What is proved, in general.
        constants: The constants that it is computed with, by name.
        learner: The learner whose regret it bounds; ``None`` for a lower bound, which is about all of them.
        measured: Whether the problem's constants were measured on a sample of its losses, and may be broken by others.
        losses: L, beta and alpha of the losses that it was made for; ``None`` if it was made without a problem.
    """

    statement: Statement
    constants: Mapping[str, Any]
    learner: Learner | None
    measured: bool = False
    losses: Constants | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))

    @property
    def name(self) -> str:
        """The name of the statement, such as ``"theorem_1"``."""
        return self.statement.name

    @property
    def formula(self) -> str:
        """The bound as a formula, in LaTeX."""
        return self.statement.formula

    @property
    def source(self) -> str:
        """Where the bound is proved: a paper, or a page of the documentation."""
        return self.statement.source

    @property
    def certainty(self) -> str:
        """How sure it is: ``proved here``, ``proved in the paper``, or ``as printed, with a wrong constant``.

        Each may be followed by ``, in expectation``.
        """
        return self.statement.certainty

    @property
    def proved(self) -> bool:
        """Whether the statement is proved as it stands, in the paper or here."""
        return not self.certainty.startswith(WRONG)

    @property
    def in_expectation(self) -> bool:
        """Whether it bounds the mean over the learner's own draws only, and not every single run."""
        return self.certainty.endswith(IN_EXPECTATION)

    def value(self, delays: ArrayLike) -> float:
        """The bound after the last round of a run with these delays.

        Args:
            delays: The delays of all rounds of the run, in order of play, each at least 1. A delay that ends after the
                last round counts as one that ends there.

        Returns:
            The bound; infinite if the delays are not those for which the statement is made, such as any delay at all
            for a learner whose bound is about feedback without delay.

        Raises:
            InvalidArgument: A delay is not a whole number of at least 1, or the delays are labelled and rounds are
                missing.

        Example:
            >>> import belated as bl
            >>> learner = bl.dogd_sc(bl.Ball(10), strong_convexity=2.0)
            >>> bound = bl.bounds.of(learner, bl.problems.RandomQuadratic(10), statement="theorem_1")
            >>> round(bound.value([2, 3, 2, 1, 4, 1, 3] * 100), 1)
            2636.0
        """
        return float(self.statement.curve(whole(f"{self.name}.value", delays), **self.constants)[0])

    def curve(self, delays: ArrayLike, prefixes: ArrayLike | None = None) -> Vector:
        """The bound after each of some rounds: entry i is ``value(delays[:prefixes[i]])``, for all of them in one pass.

        Args:
            delays: The delays of all rounds of the run, in order of play, each at least 1.
            prefixes: The rounds after which the bound is wanted, in any order; by default every round.

        Returns:
            The bounds, an array that the caller may change; infinite where nothing is promised.

        Raises:
            InvalidArgument: A delay is not a whole number of at least 1, the delays are labelled and rounds are
                missing, or a prefix is no round of the run.

        Example:
            >>> import belated as bl
            >>> bound = bl.bounds.of(bl.dogd(bl.Ball(2), rate=0.25), bl.problems.SignFlips(2, period=5))
            >>> bound.curve([3, 1, 1, 1])
            array([2.125, 2.5  , 2.875, 3.   ])
        """
        return self.statement.curve(counted(f"{self.name}.curve", delays, prefixes), **self.constants)

    def starting_at(self, initial: Vector) -> Bound | None:
        """The same statement for another first decision; ``None`` if it promises nothing for that one.

        Args:
            initial: The first decision, an element of the domain of the learner's decisions.

        Returns:
            A bound with the constants of this start.
        """
        if self.learner is None or self.losses is None:
            return self
        try:
            constants = self.statement.read(Setting(self.learner, self.losses, initial))
        except Lacks:
            return None
        return None if constants is None else replace(self, constants=constants)

    def __repr__(self) -> str:
        return f"<Bound {self}>"

    def __str__(self) -> str:
        of = f" of {self.learner.name}" if self.learner is not None else ""
        numbers = ", ".join(f"{name}={_shown(value)}" for name, value in self.constants.items())
        measured = ", for constants measured on the rows" if self.measured else ""
        return f"{self.name}{of} ({self.certainty}{measured}): {numbers}; {self.source}"

    def _repr_latex_(self) -> str:
        """The formula, as notebooks show it."""
        return f"${self.formula}$"


def _shown(value: Any) -> str:
    """A constant in a few characters."""
    if isinstance(value, Bound):
        return value.name
    return f"{value:.4g}" if isinstance(value, (int, float, np.number)) else str(value)
