"""What a search has found: a run that can be simulated, drawn, written to a file and read again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from belated.audit.adversaries import Adversary
from belated.audit.stage import Contest, Judged, Press, Stage
from belated.core.arrays import Integers, Matrix, Vector
from belated.delays import Trace
from belated.sim.problems import Recorded

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class WorstCase:
    """A run near its bound.

    ===============  ===============================================================================================
    field            meaning
    ===============  ===============================================================================================
    ``ratio``        ``regret`` / ``bound``
    ``regret``       of the learner, against the best fixed decision
    ``bound``        what the bound says for these delays
    ``signs``        of the gradients, 1 or -1, by round
    ``delays``       by round; none ends after the last round
    ``gradients``    g_1 to g_T in T rows
    ``decisions``    x_1 to x_T in T rows, as the learner has played them
    ``losses``       the family of the losses, from :mod:`belated.adversaries`
    ``learner``      the name of the learner
    ``fingerprint``  the digest of the learner's description
    ``courses``      how many courses were tried
    ===============  ===============================================================================================

    The losses of the run, with the decisions in them, are a problem: ``bl.simulate({"it": learner}, **case.setting)``.
    """

    ratio: float
    regret: float
    bound: float
    signs: Integers
    delays: Integers
    gradients: Matrix
    decisions: Matrix
    losses: Adversary
    learner: str
    fingerprint: str
    courses: int

    @property
    def rounds(self) -> int:
        """T, the number of rounds."""
        return self.delays.size

    @property
    def initial(self) -> Vector:
        """The first decision of the run, x_1."""
        first: Vector = self.decisions[0]
        return first

    @property
    def problem(self) -> Recorded:
        """The losses of the run as a problem. Terms that do not depend on the decision are left out."""
        loss, rows = self.losses.instance(self.gradients, self.decisions)
        return Recorded(loss, rows)

    @property
    def setting(self) -> dict[str, Any]:
        """All arguments of ``simulate`` but the learners: problem, delays, rounds, seeds and the first decision."""
        return {
            "problem": self.problem,
            "delays": Trace(self.delays),
            "rounds": self.rounds,
            "seeds": [0],
            "initial": self.initial,
        }

    def __repr__(self) -> str:
        signs = "".join("+" if sign > 0 else "-" for sign in self.signs.tolist())
        delays = " ".join(map(str, self.delays.tolist()))
        start = np.array2string(self.initial, precision=3)
        return (
            f"<WorstCase of {self.learner}: {self.ratio:.4f} of the bound after {self.rounds} rounds "
            f"with L = {self.losses.lipschitz:g}, signs {signs}, delays {delays}, start {start}>"
        )

    def figure(self) -> Figure:
        """The feedback of the run while it is on its way, by signs, and the decisions meanwhile.

        Returns:
            A figure of matplotlib, not known to pyplot: ``case.figure().savefig("figure.pdf")``.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
        """
        from belated.audit.course_figure import painted  # matplotlib is heavy, and need not be there

        return painted(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file of JSON, from which :meth:`load` reads it again, bit for bit.

        Args:
            path: Where to write. Folders that do not exist are made, and an old file is replaced.

        Raises:
            InvalidArgument: ``path`` is no path.
            OSError: The file cannot be written.
        """
        from belated.audit.case_file import write

        write(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> WorstCase:
        """Read a run that :meth:`save` has written. No code is run from a file.

        Args:
            path: Where the file is.

        Returns:
            The run, equal to the one that was saved in every number.

        Raises:
            InvalidArgument: ``path`` is no path.
            OSError: The file cannot be read; FileNotFoundError if there is none.
            StateMismatch: The file is of another kind or version, or it was changed since it was written.
        """
        from belated.audit.case_file import read

        return read(Path(path))


def found_case(contest: Contest, best: Judged, courses: int, loop: Press) -> WorstCase:
    """The worst case that a judged course is; the course is played once more, for its decisions."""
    run = Stage(contest, best.course.rounds, loop).played(best.course)
    learner = contest.learner
    return WorstCase(
        ratio=best.ratio,
        regret=best.regret,
        bound=best.bound,
        signs=best.course.signs,
        delays=best.course.delays,
        gradients=run.gradients,
        decisions=run.decisions,
        losses=contest.losses,
        learner=learner.name,
        fingerprint=learner.fingerprint,
        courses=courses,
    )
