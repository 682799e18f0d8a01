"""A plan: what a sweep runs, as plain values that every worker can read, and that outlive the code that made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from belated.comparisons.writing import quoted
from belated.sweeps.cells import Cell
from belated.sweeps.stages import stage_words

SCHEMA = "belated sweep plan 2"
"""What a plan holds, and how. Of kind 1 the order of the axes was lost, so that its points cannot be told apart."""


@dataclass(frozen=True)
class SweepPlan:
    """The points of a sweep, the cells that they share, and the key of every run.

    ============  ======================================================================================================
    field         meaning
    ============  ======================================================================================================
    ``title``     a line about it
    ``setting``   what was written, with the table ``grid`` or ``random``
    ``measure``   the measure as people call it; less is better
    ``random``    whether the points were drawn
    ``axes``      every path that is varied, with its values: of a grid its list, of a random search those of all points
    ``owners``    for each path, the learner whose setting it is; ``None`` for circumstances, which all learners meet
    ``labels``    the learners by their names in the results
    ``seeds``     the seeds on which every cell is run
    ``cells``     the words of the cells
    ``places``    for each point, the number of the cell of each learner
    ``keys``      for each cell, the key of its run on each seed
    ============  ======================================================================================================
    """

    title: str
    setting: Mapping[str, Any]
    measure: str
    random: bool
    axes: Mapping[str, list[Any]]
    owners: Mapping[str, str | None]
    labels: list[str]
    seeds: list[int]
    cells: list[Cell]
    places: list[list[int]]
    keys: list[list[str]]

    @property
    def runs(self) -> int:
        """How many runs there are, each counted once."""
        return len(self.cells) * len(self.seeds)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has; of a random search the number of its points."""
        return (len(self.places),) if self.random else tuple(len(values) for values in self.axes.values())

    def values(self, point: int) -> dict[str, Any]:
        """What is varied, at one point."""
        found = {}
        for name, values in reversed(list(self.axes.items())):
            point, place = (point, point) if self.random else divmod(point, len(values))
            found[name] = values[place]
        return {name: found[name] for name in self.axes}

    def circumstances(self, point: int) -> dict[str, Any]:
        """What is varied at one point for all learners."""
        return {name: value for name, value in self.values(point).items() if self.owners[name] is None}

    def own(self, point: int, label: str) -> dict[str, Any]:
        """What is varied at one point for one learner alone, by the names that it has in the learner's table."""
        values = self.values(point).items()
        prefix = f"learners.{quoted(label)}."
        return {name.removeprefix(prefix): value for name, value in values if self.owners[name] == label}

    @cached_property
    def stages(self) -> list[list[int]]:
        """The numbers of the cells that run together."""
        groups: dict[str, list[int]] = {}
        for number, cell in enumerate(self.cells):
            groups.setdefault(stage_words(cell), []).append(number)
        return list(groups.values())

    @cached_property
    def kinds(self) -> list[list[int]]:
        """The cells that have a learner and a problem of the same names, and so perhaps the same code."""
        groups: dict[tuple[str, str], list[int]] = {}
        for number, cell in enumerate(self.cells):
            groups.setdefault((cell["learner"]["name"], cell["problem"]["name"]), []).append(number)
        return list(groups.values())

    @cached_property
    def alike(self) -> dict[int, int]:
        """For each cell, how many runs are of its kind."""
        return {number: len(group) * len(self.seeds) for group in self.kinds for number in group}

    @cached_property
    def text(self) -> str:
        """The plan as JSON, always the same for the same plan. Axes are in their order, by which points are counted."""
        fields = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def digest(self) -> str:
        """What the plan is called: 32 hexadecimal digits of its text."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()
