"""A chain: the proof of one algorithm, as steps that can be checked on a run.

A theorem is about constants, such as a bound L on the gradients. Each of them is used in few of the steps, and these
may fail if it is wrong. A constant is the learner's own, known from the losses and the domain, or measured on the run.
Whoever claims another one can have the claim checked in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn

from belated.audit.certificate import Step
from belated.audit.run import Run
from belated.core import checks
from belated.learners import Learner

Constants = dict[str, float]


class Chain(NamedTuple):
    """The proof of one algorithm.

    Args:
        algorithm: The name of the learners that it is about.
        theorem: What is proved, and where.
        claims: What may be claimed, by name, each with its meaning.
        constants: From a run and what is claimed, all constants of the proof.
        steps: From a run and the constants, the steps in their order.
    """

    algorithm: str
    theorem: str
    claims: Mapping[str, str]
    constants: Callable[[Run, Constants], Constants]
    steps: Callable[[Run, Constants], list[Step]]


def unlike(learner: Learner, what: str) -> NoReturn:
    """Refuse a learner that has the name of an algorithm, and not the parts that its proof is about."""
    checks.refuse("certify", "run", learner.name, f"must be a run of {what}")
