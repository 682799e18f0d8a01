"""Every statement about the regret of a learner, in one list.

Each module here is about one family of learners, and exports ``STATEMENTS``: for each learner the sharpest proved
statement first. A statement is found, listed and tested by being in such a tuple.
"""

from belated.theory.statement import Statement
from belated.theory.statements import bandits, copies, dogd, dogd_sc, leaders, mixed

EVERY: tuple[Statement, ...] = tuple(
    statement for module in (dogd_sc, dogd, bandits, leaders, mixed, copies) for statement in module.STATEMENTS
)
"""All statements; of those about one learner the sharper stands before the others."""
