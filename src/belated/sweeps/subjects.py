"""What a sweep is about, for those who plan and run it: what makes its cells, and what runs them.

Planning and workers know nothing else of settings and logs. A subject remembers what it has looked at; so one is made
for each plan, and thrown away with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from belated.comparisons.document import Document
from belated.sweeps.cells import Cell
from belated.sweeps.kinds import LOG, SETTING, Kind
from belated.sweeps.log_cells import Logs
from belated.sweeps.plan import SweepPlan
from belated.sweeps.scores import Score
from belated.sweeps.setting_cells import Settings


class Stage(Protocol):
    """Cells that run together, by their numbers in the plan."""

    def keys(self, seed: Any) -> dict[int, str]:
        """The key of every cell on one seed, or on none."""

    def prepare(self, number: int) -> None:
        """Compile what a cell needs, if that is not done yet."""

    def run(self, numbers: Sequence[int], seed: Any) -> Mapping[int, Score | Exception]:
        """Run some of the cells in one pass: what each has found, or why it has failed.

        Whatever is raised may be the fault of one of them, so that others may still run without it.
        """


class Subject(Protocol):
    """Makes the cells of a plan, the things that they stand for, and the stages that run them."""

    def made(self, alone: Document, label: str) -> tuple[Cell, Any]:
        """The cell of a document with one learner or model, and the thing that it was found valid by."""

    def again(self, cell: Cell) -> Any:
        """The thing of a cell that was planned elsewhere."""

    def seeds(self, thing: Any) -> list[int | None]:
        """The seeds on which every cell is run; ``None`` alone if there are none."""

    def measure(self, things: Sequence[Any]) -> str:
        """What cells are judged by, as people call it."""

    def stage(self, things: Mapping[int, Any], plan: SweepPlan) -> Stage:
        """The stage of cells that run together."""


SUBJECTS: Mapping[str, Callable[[], Subject]] = {SETTING.name: Settings, LOG.name: Logs}


def subject_for(kind: Kind) -> Subject:
    """What makes cells of that kind, and has looked at nothing yet."""
    return SUBJECTS[kind.name]()
