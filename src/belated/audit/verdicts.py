"""Verdicts on assumptions: what is assumed, whether that holds, and on what evidence.

==================  ====================================================================================================
status              meaning
==================  ====================================================================================================
``holds``           it is true of every loss and every point, because the problem or the domain says so
``violated``        it is false: the problem says so, or a round of a run has shown it
``cannot be seen``  neither: nothing that is known proves it, and nothing that was met refutes it
==================  ====================================================================================================

``evidence`` is ``known`` for what follows from the definition of losses, domain and learner, ``measured`` for what was
met in runs, and ``none`` where there is nothing to look at. What is known can prove and refute; what is measured can
only refute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

HOLDS, VIOLATED, UNSEEN = "holds", "violated", "cannot be seen"
KNOWN, MEASURED, NONE = "known", "measured", "none"


class Verdict(NamedTuple):
    """What was found about one assumption.

    Args:
        line: What is assumed, such as ``"Assumption 1: Lipschitz losses"`` or ``"must be known: strong convexity"``.
        status: ``"holds"``, ``"violated"`` or ``"cannot be seen"``.
        evidence: ``"known"``, ``"measured"`` or ``"none"``.
        reason: What was found, in a sentence with its numbers.
        round: The round in which a violation was met; ``None`` if it is not about a round.
        seed: The seed of the run in which it was met; ``None`` likewise.
        numbers: The numbers of the reason, by name.
    """

    line: str
    status: str
    evidence: str
    reason: str
    round: int | None = None
    seed: int | None = None
    numbers: Mapping[str, float] = MappingProxyType({})

    def about(self, line: str) -> Verdict:
        """The same finding about another line."""
        return self._replace(line=line)


def finding(status: str, evidence: str, reason: str, **numbers: float) -> Verdict:
    """A verdict whose line is filled in later."""
    return Verdict("", status, evidence, reason, numbers=MappingProxyType(numbers))


def all_of_them(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several assumptions together: the first that is violated, else the first that cannot be seen."""
    return min(verdicts, key=lambda each: (VIOLATED, UNSEEN, HOLDS).index(each.status))


def any_of_them(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on alternatives: the first that holds, else the first that cannot be seen.

    Alternatives of which there is nothing to look at, such as constants that were not told, stand behind the others.
    """
    given = list(verdicts)
    chosen = [each for each in given if each.evidence != NONE] or given
    return min(chosen, key=lambda each: (HOLDS, UNSEEN, VIOLATED).index(each.status))
