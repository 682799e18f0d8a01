r"""Bounds of copies of a learner, each of which has a run without delay: BOLD, and Weinberger and Ordentlich.

Regret is at most the sum of R(T_i) over the copies, T_i being the rounds that copy i plays and R the base's bound
without delay. BOLD has sigma_max + 1 copies, and it depends on the delays how many rounds each of them plays. If R is
concave, the sum is largest if all play equally many. Copies that play in turn have floor(T / d) or ceil(T / d) rounds.
Both need feedback that comes before its copy plays again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from belated.core.arrays import Vector
from belated.learners.learner import Learner
from belated.learners.parts.wrappers.copies import Copies, Idle, InTurn
from belated.theory.prefixes import Prefixes
from belated.theory.statement import PROVED_HERE, Bound, Lacks, Setting, Statement
from belated.theory.statements import dogd, dogd_sc, leaders

Read = Mapping[str, Any] | None

_BASES = tuple(each for each in (*dogd_sc.STATEMENTS, *dogd.STATEMENTS, *leaders.STATEMENTS) if each.concave)
"""The statements that may be summed over copies, the sharpest of a learner first."""


def _base(setting: Setting) -> Bound:
    """The bound of the learner that is copied."""
    learner = setting.learner
    base = Learner(f"the base of {learner.name}", learner.domain, learner.decision_domain, learner.policy.base)
    reasons = []
    for statement in _BASES:
        try:
            known = statement.read(setting._replace(learner=base))
        except Lacks as lack:
            reasons.append(str(lack))
            continue
        if known is not None:
            return Bound(statement, known, base)
    why = f": {reasons[0]}" if reasons else "; it is known for ogd, ogd_sc, dogd, dda, ftdl, hedge and composite_ftrl"
    raise Lacks(f"its base must have a bound without delay that is a concave function of T{why}")


def _bold(setting: Setting) -> Read:
    policy = setting.learner.policy
    if type(policy) is not Copies or type(policy.turns) is not Idle:
        return None
    return {"base": _base(setting)}


def _in_turn(setting: Setting) -> Read:
    policy = setting.learner.policy
    if type(policy) is not Copies or type(policy.turns) is not InTurn:
        return None
    return {"base": _base(setting), "delay": policy.turns.number}


def _alone(base: Bound, rounds: int) -> Vector:
    """The base's bound without delay after 0, 1, ..., T rounds."""
    return np.concatenate((np.zeros(1), base.curve(np.ones(rounds, dtype=np.int64))))


def _bold_curve(seen: Prefixes, base: Bound) -> Vector:
    copies = seen.most_outstanding + 1
    alone = _alone(base, seen.ends.size)
    curve: Vector = copies * np.interp(seen.rounds / copies, np.arange(1, alone.size), alone[1:])
    return curve


def _in_turn_curve(seen: Prefixes, base: Bound, delay: int) -> Vector:
    each, more = np.divmod(seen.rounds, delay)
    alone = _alone(base, seen.ends.size)
    fewer = np.minimum(each + 1, alone.size - 1)  # not used where no copy plays one round more
    curve = more * alone[fewer] + (delay - more) * alone[each]
    return np.where(seen.longest > delay, np.inf, curve)


STATEMENTS = (
    Statement(
        "bold",
        r"(\sigma_{\max} + 1)\, R\Bigl(\frac{T}{\sigma_{\max} + 1}\Bigr),\quad R \text{ the base's without delay}",
        "docs/derivations/without_delay.md; Joulani, Gyorgy and Szepesvari 2013",
        PROVED_HERE,
        _bold,
        _bold_curve,
    ),
    Statement(
        "weinberger_ordentlich",
        r"\sum_{i=1}^d R(T_i),\quad T_i = \lfloor T / d \rfloor \text{ or } \lceil T / d \rceil,"
        r"\ R \text{ the base's without delay}, \text{ if no delay is above } d",
        "docs/derivations/without_delay.md; Weinberger and Ordentlich 2002",
        PROVED_HERE,
        _in_turn,
        _in_turn_curve,
    ),
)
