"""What ``certify`` returns: a row for each step of a proof, and whether all of them hold.

Numbers are rounded, so a step may miss by a little and hold all the same: by ``TOLERANCE`` times the size of the
numbers that its two sides are added up from. Rounding does less: 10^5 additions lose at most about 10^-11 of that size,
and the projections of this library about 10^-12. What a bug changes is larger by far: 10^-9 of a decision is nothing
that a wrong rate, a lost gradient or a missing projection would leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from belated.audit.text import table
from belated.core.errors import ProofBroken

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 1e-9
"""By how much a step may miss, relative to the sizes of the numbers that its sides are added up from."""


class Step(NamedTuple):
    """One step of a proof on one run: an equation or an inequality, ``left`` <= ``right``.

    Of a statement about every round this has the two sides of one round: of the one with the least slack, or of the
    first in which it fails. Of a statement about a sum it has the sums, and the round whose own terms leave least. An
    equation has the distance of its two sides on the left, and 0 on the right.

    Args:
        name: The name that the step is called by.
        source: Where it stands: in the paper, or on the page of the derivation.
        statement: What it says, in the symbols of the source.
        left: The left side.
        right: The right side.
        slack: ``right - left``.
        round: The round of least slack, or the first that fails; ``None`` if the statement is about no round of the
            run.
        allowance: What rounding may have done: the step holds if ``slack >= -allowance``.
        holds: Whether it holds on this run.
    """

    name: str
    source: str
    statement: str
    left: float
    right: float
    slack: float
    round: int | None
    allowance: float
    holds: bool


class Certificate(NamedTuple):
    """The chain of a proof on one run, a :class:`Step` for each step; ``str`` of it is a table.

    Args:
        algorithm: The algorithm whose proof it is.
        theorem: What is proved, and where.
        rounds: T, the rounds of the run.
        constants: The constants that the steps were checked with, by name: those claimed, and for all others those of
            the learner, of the losses or measured on the run.
        steps: The steps, in the order of the proof: first what the algorithm does, then what follows from it.
    """

    algorithm: str
    theorem: str
    rounds: int
    constants: dict[str, float]
    steps: tuple[Step, ...]

    @property
    def holds(self) -> bool:
        """Whether every step holds on this run."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the steps that do not hold, in the order of the proof: the first is nearest to the cause."""
        return tuple(step.name for step in self.steps if not step.holds)

    def require(self) -> None:
        """Do nothing if every step holds.

        Raises:
            ProofBroken: A step does not hold. The message and the fields ``step`` and ``round`` name the first.
        """
        for step in self.steps:
            if not step.holds:
                raise ProofBroken(self._about(step), step.name, step.round)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON or for a page.

        Returns:
            The fields by name, a dict for each step in ``steps``, and ``holds``.
        """
        steps = [step._asdict() for step in self.steps]
        return {**self._asdict(), "constants": dict(self.constants), "steps": steps, "holds": self.holds}

    def to_frame(self) -> pd.DataFrame:
        """The steps as a table of pandas, a row for each.

        Returns:
            A DataFrame with the fields of a step as columns.
        """
        import pandas as pd

        return pd.DataFrame(self.steps, columns=list(Step._fields))

    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """What a table of the steps has in it, as text.

        Returns:
            The header, and a tuple of the same length for each step.
        """
        header = ("", "step", "stands in", "says", "left", "right", "slack", "round")
        return header, [_cells(step) for step in self.steps]

    def __str__(self) -> str:
        lines = [self.title, table(*self.cells()), self.verdict]
        return "\n\n".join(lines)

    @property
    def title(self) -> str:
        """One line: whose proof on how many rounds, and the constants."""
        known = ", ".join(f"{name.replace('_', ' ')} {value:.6g}" for name, value in self.constants.items())
        return f"{self.theorem}, on {self.rounds} rounds of {self.algorithm.replace('_', '-')}; {known}"

    @property
    def verdict(self) -> str:
        """One line: that every step holds, or the first that does not."""
        broken = [step for step in self.steps if not step.holds]
        if not broken:
            return f"All {len(self.steps)} steps hold."
        return f"BROKEN: {self._about(broken[0])}"

    def _about(self, step: Step) -> str:
        where = "" if step.round is None else f" in round {step.round}"
        also = [name for name in self.failed if name != step.name]
        after = f"; also broken: {', '.join(also)}" if also else ""
        return (
            f"the step '{step.name}' of {self.algorithm} ({step.source}) does not hold{where}: {step.statement}; "
            f"the left side is {step.left:.9g}, the right side {step.right:.9g}{after}"
        )


def _cells(step: Step) -> tuple[str, ...]:
    """The cells of a row, in the order of the header."""
    mark, where = "ok" if step.holds else "FAILS", "-" if step.round is None else str(step.round)
    sides = tuple(f"{number:.4g}" for number in (step.left, step.right, step.slack))
    return (mark, step.name, step.source, step.statement, *sides, where)
