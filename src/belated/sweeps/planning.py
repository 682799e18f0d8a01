"""From what somebody wrote to a plan. Every cell is made once before anything runs, so all errors are found here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.reading import text_of
from belated.core.checks import shown
from belated.sweeps.axes import axes_of
from belated.sweeps.cells import Cell, at_point, with_one
from belated.sweeps.kinds import Kind, check_keys
from belated.sweeps.plan import SweepPlan
from belated.sweeps.subjects import Stage, Subject, subject_for
from belated.sweeps.words import canonical, words_of

MOST_RUNS = 1_000_000


def plan_of_sweep(document: Document, name: str) -> tuple[SweepPlan, list[Stage]]:
    """The plan of a document, and its stages, which a worker of this process need not make again.

    Args:
        document: A setting as ``belated compare`` reads it, or a log and models, with a table ``grid`` or ``random``.
        name: What the sweep is called if it has no title.

    Raises:
        InvalidArgument: Something cannot be understood or used, at any point of the sweep. The message says where it
            stands, with the value at which it is wrong.
        ModuleNotFoundError: A log needs a package that is missing; the message says what to install.
    """
    kind = check_keys(document)
    axes = axes_of(document)
    words_of(document, (), document.tables)
    labels = _labels(document, kind)
    subject = subject_for(kind)
    found, places = _Cells(subject, kind), []
    for values in axes.points():
        point = at_point(document, axes.axes, values)
        places.append([found.number(point, label) for label in labels])
        if len(found.cells) * len(subject.seeds(found.things[0])) > MOST_RUNS:
            document.refuse((), f"must have at most {MOST_RUNS} runs")
    bare = SweepPlan(
        subject=kind.name,
        title=text_of(document, "title", name),
        setting=dict(document.tables),
        measure=subject.measure(found.things),
        random=axes.random,
        axes={axis.name: list(axis.values) for axis in axes.axes},
        owners={axis.name: axis.owner for axis in axes.axes},
        labels=labels,
        seeds=subject.seeds(found.things[0]),
        cells=found.cells,
        places=places,
        keys=[],
    )
    stages = [subject.stage({each: found.things[each] for each in group}, bare) for group in bare.stages]
    keys: list[list[str]] = [[] for _ in bare.cells]
    for stage in stages:
        for seed in bare.seeds:
            for number, key in stage.keys(seed).items():
                keys[number].append(key)
    return replace(bare, keys=keys), stages


def _labels(document: Document, kind: Kind) -> list[str]:
    tables = document.tables.get(kind.table)
    if not isinstance(tables, Mapping) or not tables:
        example = f"[{kind.table}.{kind.label}]"
        document.refuse((kind.table,), f"must be tables, one or more, such as {example}, not {shown(tables)}")
    for label in tables:
        if not isinstance(label, str):
            document.refuse((kind.table,), f"must have texts for names, not {shown(label)}")
    return list(tables)


class _Cells:
    """The different cells of a sweep, with the things that they were found valid by."""

    def __init__(self, subject: Subject, kind: Kind) -> None:
        self._subject, self._table = subject, kind.table
        self._numbers: dict[str, int] = {}
        self.cells: list[Cell] = []
        self.things: list[Any] = []

    def number(self, point: Document, label: str) -> int:
        """The number of the cell of one learner or model at one point, which is made if it is new."""
        alone = with_one(point, self._table, label)
        written = f"written {canonical(alone.tables)}"
        if written not in self._numbers:
            cell, thing = self._subject.made(alone, label)
            known = self._numbers.setdefault(canonical(cell), len(self.cells))
            if known == len(self.cells):
                self.cells.append(cell)
                self.things.append(thing)
            self._numbers[written] = known
        return self._numbers[written]
