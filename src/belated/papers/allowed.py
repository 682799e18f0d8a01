"""What theory allows as regret to the learners of the experiment: theorems as printed, corrected, and the sharpest.

Theorem 1 is right as it is printed. Theorems 2 and 3 have corrected statements, which ``docs/errata.md`` explains. The
sharpest statement of each learner is the one that :func:`belated.theory.bounds.of` chooses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from belated.papers.wan2021 import DOMAIN, PROBLEM, Setup
from belated.theory import bounds

THEOREMS: Mapping[str, int] = MappingProxyType({"dogd-sc": 1, "bdogd-sc": 2, "bdogd-sc-two-point": 3})
"""Which theorem of the paper is about which learner."""

CORRECTED: Mapping[str, str] = MappingProxyType(
    {"bdogd-sc": "theorem_2_corrected", "bdogd-sc-two-point": "theorem_3_corrected"}
)
"""The statements that take the place of a printed one."""


class Allowed(NamedTuple):
    """The bounds on the regret of one learner after the last round, and the name of the sharpest statement.

    ``printed`` is ``None`` without a theorem of the paper, and ``corrected`` where nothing is to be corrected.
    """

    printed: float | None
    corrected: float | None
    sharpest: float
    statement: str


def stated(setup: Setup, learner: str, statement: str | None = None) -> bounds.Bound:
    """A bound of one of the learners that meet delays: the sharpest that is proved, or a statement by its name."""
    return bounds.of(setup.learners()[learner], PROBLEM, initial=setup.initial()[learner], statement=statement)


def lowest() -> bounds.Bound:
    """What no learner can go below on the worst losses with the constants of the experiment."""
    return bounds.lower(PROBLEM, DOMAIN)


def allowed(setup: Setup, learner: str) -> Allowed:
    """What is allowed after all rounds to one of the learners that meet delays."""
    corrected = stated(setup, learner, CORRECTED[learner]).value(setup.delays) if learner in CORRECTED else None
    sharpest = stated(setup, learner)
    return Allowed(setup.bounds().get(learner), corrected, sharpest.value(setup.delays), sharpest.name)
