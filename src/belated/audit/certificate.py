"""What ``certify`` returns: a row for each step of a proof, and whether all of them hold.

Numbers are rounded, so a step may miss by a little and hold all the same: by ``TOLERANCE`` times the size of the
numbers that its two sides are added up from. Rounding does less: 10^5 additions lose at most about 10^-11 of that size,
and the projections of this library about 10^-12. What a bug changes is larger by far: 10^-9 of a decision is nothing
that a wrong rate, a lost gradient or a missing projection would leave.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from belated.audit.text import paragraph, table
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

    It is not the bound that is called a certificate, ``bl.bounds.certificate``: that is a number which follows from the
    delays, and this says whether the steps of a proof hold on one run.

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

    def text(self, width: int = 100, *, verbose: bool = False, lead: str = "") -> str:
        """The steps as a table, a line for each; below those that fail it has what they say, and where it stands.

        Args:
            width: How long lines may be.
            verbose: Whether that is shown of every step.
            lead: What the title begins with, such as the name of the run.

        Returns:
            The title, the table, and a line that says whether all steps hold.
        """
        header, rows = self.cells()
        head, rule, *lines = table(_short(header), [_short(row) for row in rows]).splitlines()
        shown = [head, rule]
        for line, step in zip(lines, self.steps, strict=True):
            shown.append(line)
            if verbose or not step.holds:
                shown.append(paragraph(f"{step.source}: {step.statement}", width, indent=" " * 7))
        return "\n\n".join((paragraph(f"{lead}{self.title}", width), "\n".join(shown), self.summary))

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        held = len(self.steps) - len(self.failed)
        return f"<Certificate: {self.theorem}, {held} of {len(self.steps)} steps hold>"

    @property
    def title(self) -> str:
        """One line: whose proof on how many rounds, and the constants."""
        known = ", ".join(f"{name.replace('_', ' ')} {value:.6g}" for name, value in self.constants.items())
        return f"{self.theorem}, on {self.rounds} rounds of {self.algorithm.replace('_', '-')}; {known}"

    @property
    def summary(self) -> str:
        """One short line: that every step holds, or which do not, without what they say."""
        if self.holds:
            return self.verdict
        first = next(step for step in self.steps if not step.holds)
        where = "" if first.round is None else f" in round {first.round}"
        more = f", and {len(self.failed) - 1} more" if len(self.failed) > 1 else ""
        return f"BROKEN: the step '{first.name}' does not hold{where}{more} of {len(self.steps)} steps."

    @property
    def verdict(self) -> str:
        """One line: that every step holds, or the first that does not, with what it says and its two sides."""
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
    slack = 0.0 if abs(step.slack) <= step.allowance else step.slack  # no more than rounding
    sides = tuple(f"{number:.4g}" for number in (step.left, step.right, slack))
    return (mark, step.name, step.source, step.statement, *sides, where)


def _short(cells: tuple[str, ...]) -> tuple[str, ...]:
    """A row without where the step stands and what it says, which are long."""
    return (*cells[:2], *cells[4:])
