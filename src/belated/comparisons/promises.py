"""What theory allows to the learners of a comparison, for the delays of its first seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.comparisons.comparison import Comparison
from belated.core import streams
from belated.core.arrays import Integers
from belated.core.errors import InvalidArgument
from belated.delays import DelayLaw
from belated.theory import bounds


class Promised(NamedTuple):
    """The regret of a learner in the first seed beside its bound, with the name and certainty of the statement."""

    learner: str
    statement: str
    certainty: str
    regret: float
    bound: float


def promises(comparison: Comparison) -> list[Promised]:
    """The sharpest bound of each learner that has one on this problem, in the order of the ranking.

    Args:
        comparison: What was found. Only regret has bounds: of another measure there are none.

    Returns:
        A tuple for each learner with a bound that is finite for the delays of the first seed.
    """
    setting = comparison.setting
    if setting.measure.name != "regret":
        return []
    seed = comparison.curves["seed"].to_numpy().tolist()[0]
    found = []
    ranked = [each.learner for each in comparison.ranking if each.learner in setting.entries]
    for label in ranked:
        entry = setting.entries[label]
        try:
            bound = bounds.of(entry.learner, setting.problem, initial=entry.initial)
        except InvalidArgument:  # no statement is known, or what it assumes does not hold here
            continue
        value = bound.value(delays_of(entry.delays, seed, setting.rounds))
        certainty = f"{bound.certainty}{', constants measured' if bound.measured else ''}"
        regret = float(comparison.curves["score"].sel(learner=label, seed=seed).isel(round=-1))
        if np.isfinite(value):
            found.append(Promised(label, bound.name, certainty, regret, value))
    return found


def delays_of(law_of_delay: DelayLaw, seed: int, rounds: int) -> Integers:
    """The delays that a simulation draws for a seed, drawn again."""
    return law_of_delay.sampler(streams.delays(seed)).take(rounds)
