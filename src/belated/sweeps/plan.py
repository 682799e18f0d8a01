"""A plan: what a sweep runs, as plain values that every worker can read, and that outlive the code that made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from belated.comparisons.wording import counted
from belated.comparisons.writing import quoted
from belated.sweeps.cells import Cell
from belated.sweeps.kinds import KINDS, Kind
from belated.sweeps.words import canonical

SCHEMA = "belated sweep plan 3"
"""What a plan holds, and how. Of kind 1 the order of the axes was lost, so that its points cannot be told apart; kind 2
did not say what a sweep is about."""


@dataclass(frozen=True)
class SweepPlan:
    """The points of a sweep, the cells that they share, and the key of every run.

    ============  ======================================================================================================
    field         meaning
    ============  ======================================================================================================
    ``subject``   what it is about: the name of a kind of sweep
    ``title``     a line about it
    ``setting``   what was written, with the table ``grid`` or ``random``
    ``measure``   the measure as people call it; less is better
    ``random``    whether the points were drawn
    ``axes``      every path that is varied, with its values: of a grid its list, of a random search those of all points
    ``owners``    for each path, the learner or model whose setting it is; ``None`` for circumstances, which all meet
    ``labels``    the learners or models by their names in the results
    ``seeds``     the seeds on which every cell is run; on a log there are none, which is written as ``None`` alone
    ``cells``     the words of the cells
    ``places``    for each point, the number of the cell of each learner or model
    ``keys``      for each cell, the key of its run on each seed
    ============  ======================================================================================================
    """

    subject: str
    title: str
    setting: Mapping[str, Any]
    measure: str
    random: bool
    axes: Mapping[str, list[Any]]
    owners: Mapping[str, str | None]
    labels: list[str]
    seeds: list[int | None]
    cells: list[Cell]
    places: list[list[int]]
    keys: list[list[str]]

    @property
    def kind(self) -> Kind:
        """What the sweep is about, in words."""
        return KINDS[self.subject]

    @property
    def seeded(self) -> bool:
        """Whether cells are run on seeds."""
        return self.seeds != [None]

    @property
    def extent(self) -> str:
        """How many points, learners or models and seeds there are, in words."""
        parts = [counted(len(self.places), "point"), counted(len(self.labels), self.kind.one)]
        return ", ".join([*parts, *[counted(len(self.seeds), "seed")] * self.seeded])

    @property
    def plain_python(self) -> bool:
        """Whether runs hold Python's lock, so that only processes do several of them at once."""
        return self.kind.plain_python

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
        """What is varied at one point for all learners or models."""
        return {name: value for name, value in self.values(point).items() if self.owners[name] is None}

    def own(self, point: int, label: str) -> dict[str, Any]:
        """What is varied at one point for one of them alone, by the names that it has in the table of that one."""
        values = self.values(point).items()
        prefix = f"{self.kind.table}.{quoted(label)}."
        return {name.removeprefix(prefix): value for name, value in values if self.owners[name] == label}

    @cached_property
    def stages(self) -> list[list[int]]:
        """The numbers of the cells that run together: those that differ in nothing but what they compare."""
        groups: dict[str, list[int]] = {}
        for number, cell in enumerate(self.cells):
            shared = {key: value for key, value in cell.items() if key not in self.kind.apart}
            groups.setdefault(canonical(shared), []).append(number)
        return list(groups.values())

    @cached_property
    def namesakes(self) -> list[list[int]]:
        """The numbers of the cells in which all things have the same names, so that they may have the same code."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, cell in enumerate(self.cells):
            groups.setdefault(tuple(cell[table]["name"] for table in self.kind.named), []).append(number)
        return list(groups.values())

    @cached_property
    def text(self) -> str:
        """The plan as JSON, always the same for the same plan. Axes are in their order, by which points are counted."""
        fields = {"schema": SCHEMA, **asdict(self)}
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def digest(self) -> str:
        """What the plan is called: 32 hexadecimal digits of its text."""
        return hashlib.blake2b(self.text.encode(), digest_size=16).hexdigest()
