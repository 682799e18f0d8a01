"""A comparison that can be run: a problem, learners with all that they must know, and the delays that each meets.

A setting is made of objects. :mod:`~belated.comparisons.comparing` takes them from a caller in Python, and
:mod:`~belated.comparisons.reading` makes them from words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from belated.comparisons.measures import Measure
from belated.comparisons.positions import Key
from belated.core import checks
from belated.core.arrays import Vector
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.card import Facts
from belated.sim.problems import Problem

MOST_SEEDS = 100_000
MOST_ROUNDS = 2**31 - 1
"""The largest number that the files of a report have."""


class Entry(NamedTuple):
    """A learner, where it starts (``None``: at the centre), and the delays that it meets."""

    learner: Learner
    initial: Vector | None
    delays: DelayLaw


@dataclass(frozen=True)
class Setting:
    """What is compared on what.

    ============  =======================================================================================
    field         meaning
    ============  =======================================================================================
    ``title``     a line about it
    ``rounds``    how many rounds every run has
    ``seeds``     the seeds on which every learner is run
    ``measure``   what learners are ranked by
    ``problem``   what is to be learned
    ``domain``    where all decisions lie
    ``delays``    the law of delay of those learners that have none of their own
    ``entries``   the learners by their names in the results
    ============  =======================================================================================
    """

    title: str
    rounds: int
    seeds: tuple[int, ...]
    measure: Measure
    problem: Problem
    domain: Domain
    delays: DelayLaw
    entries: Mapping[str, Entry]


@dataclass(frozen=True)
class WrittenSetting(Setting):
    """A setting that was read from words.

    ============  =======================================================================================
    field         meaning
    ============  =======================================================================================
    ``name``      what it is called: the name of its file
    ``about``     what it models, and what to look for
    ``facts``     what was known of its problem and of its delays
    ``told``      what each learner was told because of that, by its key
    ``tables``    what was written
    ============  =======================================================================================
    """

    name: str
    about: str
    facts: Facts
    told: Mapping[Key, Mapping[str, Any]]
    tables: Mapping[str, Any]


def first_decision(where: str, given: Any, learner: Learner) -> Vector | None:
    """Where a learner starts if that is ``given``: one number stands for every entry, and ``None`` for the centre.

    A learner that looks around starts at the nearest decision that leaves room for it.
    """
    if given is None:
        return None
    domain, inside = learner.domain, learner.decision_domain
    point = checks.spread_vector(where, "initial", given, domain.dim)
    if not domain.contains(point):
        checks.refuse(where, "initial", given, f"must lie in {domain!r}")
    return point if inside.contains(point) else np.array(inside.project(point))


def is_label(text: object) -> bool:
    """Whether a learner can be called so in tables and figures."""
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()
