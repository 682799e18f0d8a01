"""What comes out of a sweep: a labelled data set, the best settings, what has failed, and a figure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import xarray as xr

from belated.comparisons.wording import counted
from belated.output import files
from belated.sweeps import tables
from belated.sweeps.failures import Failure
from belated.sweeps.plan import SweepPlan
from belated.sweeps.responses import Response, best_of, compared, responses_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """Many runs, each done once.

    ================  =================================================================================================
    field             meaning
    ================  =================================================================================================
    ``plan``          the points, the cells and the keys of all runs
    ``data``          an xarray dataset with ``score``, ``cumulative_loss`` and ``state`` (done, failed or missing) by
                      learner, by each path that is varied (or by sample), and by seed. Over a log it is by model and
                      without seeds, and has ``low`` and ``high``, the 95 % interval, and the loss of the ``constant``
    ``failures``      a record for each run that has failed, with its traceback
    ``found``         how many runs were finished before
    ``done``          how many runs this call has finished
    ``interrupted``   whether somebody pressed Ctrl-C before all runs were over
    ================  =================================================================================================
    """

    plan: SweepPlan
    data: xr.Dataset
    failures: tuple[Failure, ...]
    found: int = 0
    done: int = 0
    interrupted: bool = False

    @property
    def missing(self) -> int:
        """How many runs are neither finished nor failed, each counted once."""
        return self.plan.runs - self.found - self.done - len(self.failures)

    @cached_property
    def responses(self) -> tuple[Response, ...]:
        """Every learner or model at every point, with its mean score and a 95 % interval."""
        return responses_of(self.plan, self.data)

    @cached_property
    def best(self) -> tuple[Response, ...]:
        """The best setting of each under each circumstance; only points at which every run is done count.

        Of a random search circumstances are left out that a single point has, since it is compared with no other.
        """
        return best_of(compared(self.responses) if self.plan.random else self.responses)

    @property
    def summary(self) -> str:
        """How many runs there are, and what has become of them, in a line of words."""
        plan = self.plan
        parts = [f"{self.found} found", f"{self.done} done"]
        parts += [f"{len(self.failures)} failed"] * bool(self.failures) + [f"{self.missing} missing"] * bool(
            self.missing
        )
        runs = f"{counted(plan.runs, 'run')} of {counted(len(plan.cells), 'setting')}"
        return f"{plan.extent}: {runs}, {', '.join(parts)}"

    @property
    def notes(self) -> list[str]:
        """What must be known to judge a sweep, in sentences: what has failed, and what is missing."""
        found = []
        if self.failures:
            first = self.failures[0]
            runs = f"{counted(len(self.failures), 'run')} failed"
            whose = first.name if first.seed is None else f"{first.name}, seed {first.seed}"
            found.append(f"{runs}, the first with {first.error}: {first.message} ({whose}).")
        if self.missing:
            found.append(f"{counted(self.missing, 'run')} missing: the same call goes on with what is left.")
        return found

    def __repr__(self) -> str:
        return f"{self.plan.title}\n{self.summary}\n\n{tables.as_text(self)}"

    def to_markdown(self) -> str:
        """The best setting of every learner or model as a table in Markdown, with how to read it."""
        return tables.as_markdown(self)

    def figure(self) -> Figure:
        """Response curves: the scores by each path that is varied, the other paths at their best.

        Returns:
            A figure of matplotlib, not known to pyplot: ``sweep.figure().savefig("figure.pdf")``.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
        """
        from belated.sweeps.figure import painted  # matplotlib is heavy, and need not be there

        return painted(self)

    def save(self, folder: str | Path) -> None:
        """Write tables, figure and data set into a folder, each file whole; those of the same names are replaced.

        Args:
            folder: Where to. It is made if need be.

        Raises:
            ModuleNotFoundError: matplotlib is missing; ``pip install 'belated[figures]'`` installs it.
            InvalidArgument: ``folder`` is no path, is empty, or has letters that no path can have.
            OSError: The files cannot be written.
        """
        from belated.sweeps.report import contents

        place = files.checked_folder("save", "folder", folder)
        files.place(place, contents(self))
