"""From what somebody wrote to a plan. Every cell is made once before anything runs, so all errors are found here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from belated.comparisons.document import Document
from belated.comparisons.reading import KEYS, setting_of
from belated.comparisons.setting import WrittenSetting
from belated.core.checks import shown
from belated.sweeps.axes import axes_of
from belated.sweeps.cells import Cell, Looks, at_point, cell_of, with_one_learner
from belated.sweeps.plan import SweepPlan
from belated.sweeps.stages import Stage
from belated.sweeps.words import canonical, words_of

MOST_RUNS = 1_000_000


def plan_of_sweep(document: Document, name: str) -> tuple[SweepPlan, list[Stage]]:
    """The plan of a document, and its stages, which a worker of this process need not make again.

    Args:
        document: A setting as ``belated compare`` reads it, with a table ``grid`` or ``random``.
        name: What the sweep is called if it has no title.

    Raises:
        InvalidArgument: Something cannot be understood or used, at any point of the sweep. The message says where it
            stands, with the value at which it is wrong.
    """
    document.check_keys((), document.tables, (*KEYS, "grid", "random"), "a sweep")
    axes = axes_of(document)
    words_of(document, (), document.tables)
    labels = _labels(document)
    found, places = _Cells(name), []
    for values in axes.points():
        point = at_point(document, axes.axes, values)
        places.append([found.number(point, label) for label in labels])
        if len(found.cells) * len(found.settings[0].seeds) > MOST_RUNS:
            document.refuse((), f"must have at most {MOST_RUNS} runs")
    first = found.settings[0]
    titles = {setting.measure.title for setting in found.settings}
    bare = SweepPlan(
        title=first.title,
        setting=dict(document.tables),
        measure=" or ".join(sorted(titles)),
        random=axes.random,
        axes={axis.name: list(axis.values) for axis in axes.axes},
        owners={axis.name: axis.owner for axis in axes.axes},
        labels=labels,
        seeds=list(first.seeds),
        cells=found.cells,
        places=places,
        keys=[],
    )
    made = found.settings
    stages = [Stage({each: made[each] for each in group}, bare.cells, bare.alike) for group in bare.stages]
    keys: list[list[str]] = [[] for _ in bare.cells]
    for stage in stages:
        for seed in bare.seeds:
            for number, key in stage.keys(seed).items():
                keys[number].append(key)
    return replace(bare, keys=keys), stages


def _labels(document: Document) -> list[str]:
    learners = document.tables.get("learners")
    if not isinstance(learners, Mapping) or not learners:
        document.refuse(
            ("learners",), f"must be tables, one or more, such as [learners.dogd-sc], not {shown(learners)}"
        )
    return list(learners)


class _Cells:
    """The different cells of a sweep, with the settings that they were found valid by."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._looks = Looks()
        self._numbers: dict[str, int] = {}
        self.cells: list[Cell] = []
        self.settings: list[WrittenSetting] = []

    def number(self, point: Document, label: str) -> int:
        """The number of the cell of one learner at one point, which is made if it is new."""
        alone = with_one_learner(point, label)
        written = f"written {canonical(alone.tables)}"
        if written not in self._numbers:
            setting = setting_of(alone, self._name, self._looks.of(alone))
            cell = cell_of(alone.tables, label, setting.rounds, setting.seeds[0])
            known = self._numbers.setdefault(canonical(cell), len(self.cells))
            if known == len(self.cells):
                self.cells.append(cell)
                self.settings.append(setting)
            self._numbers[written] = known
        return self._numbers[written]
