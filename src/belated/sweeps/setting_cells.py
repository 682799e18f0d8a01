"""Sweeps over settings: their cells, each of which is one learner in one setting, and how these are made.

The words of a cell say all that it is: defaults are written out, and delays or a first decision of a learner's own
stand where those of the setting would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.reading import KEYS, OWN, setting_of
from belated.comparisons.recommending import Look, Looked, look_at
from belated.comparisons.setting import WrittenSetting
from belated.domains.base import Domain
from belated.sim.problems import Problem
from belated.sweeps.cells import Cell, as_table
from belated.sweeps.plan import SweepPlan
from belated.sweeps.stages import Stage
from belated.sweeps.words import canonical


class Settings:
    """Makes cells and stages of settings, and looks at the losses of each problem only once."""

    def __init__(self) -> None:
        self._looks = Looks()

    def made(self, alone: Document, label: str) -> tuple[Cell, WrittenSetting]:
        """The cell of a document with one learner, and the setting that it was found valid by."""
        setting = setting_of(alone, "cell", self._looks.of(alone))
        return cell_of(alone.tables, label, setting.rounds, setting.seeds[0]), setting

    def again(self, cell: Cell) -> WrittenSetting:
        """The setting of a cell that was planned."""
        document = document_of(cell, cell["learner"]["name"])
        return setting_of(document, "cell", self._looks.of(document))

    def seeds(self, setting: WrittenSetting) -> list[int | None]:
        """The seeds on which every cell is run."""
        return list(setting.seeds)

    def measure(self, settings: Sequence[WrittenSetting]) -> str:
        """What cells are judged by, as people call it; it may be varied."""
        return " or ".join(sorted({setting.measure.title for setting in settings}))

    def stage(self, settings: Mapping[int, WrittenSetting], plan: SweepPlan) -> Stage:
        """The stage of cells that run together, by their numbers in the plan."""
        alike = {number: len(group) * len(plan.seeds) for group in plan.namesakes for number in group}
        return Stage(settings, plan.cells, alike)


def cell_of(tables: Mapping[str, Any], label: str, rounds: int, seed: int) -> Cell:
    """The cell of a learner in a setting that has been found valid.

    It has ``rounds``, ``measure``, ``problem``, ``delays``, ``learner`` and ``told_of``, and ``domain`` and ``initial``
    if the setting has them. ``told_of`` is the seed whose delays its learner may know.
    """
    learner = {"name": label, **as_table(tables["learners"][label])}
    own = {key: learner.pop(key) for key in OWN if key in learner}
    shared = {key: tables[key] for key in ("domain", "initial") if key in tables}
    found = {
        "rounds": rounds,
        "measure": tables.get("measure", "regret"),
        "problem": as_table(tables["problem"]),
        "delays": as_table(tables["delays"]),
        **shared,
        **own,
        "learner": learner,
        "told_of": seed,
    }
    return found | {key: as_table(found[key]) for key in ("domain", "delays") if key in found}


def document_of(cell: Cell, label: str) -> Document:
    """The setting of a cell, to be read again."""
    tables = {key: value for key, value in cell.items() if key in KEYS}
    return Document("cell", "", {**tables, "seeds": [cell["told_of"]], "learners": {label: cell["learner"]}})


class Looks:
    """Looks at the losses of cells, which takes a tenth of a second: at those of the same words only once."""

    def __init__(self) -> None:
        self._found: dict[str, Looked] = {}

    def of(self, document: Document) -> Look:
        """What looks at the losses of a setting, or knows already what it would see."""
        words = canonical([document.tables.get(key) for key in ("problem", "domain", "rounds", "seeds")])

        def look(problem: Problem, domain: Domain, rounds: int, seed: int) -> Looked:
            if words not in self._found:
                self._found[words] = look_at(problem, domain, rounds, seed)
            return self._found[words]

        return look
