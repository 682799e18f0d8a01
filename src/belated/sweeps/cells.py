"""The cells of a sweep: one learner in one setting each, as plain words.

Many points of a sweep share cells: a learner whose own arguments are varied leaves all other learners as they are. So
cells are made for every point, and kept once. The words of a cell say all that it is: defaults are written out, and
delays or a first decision of a learner's own stand where those of the setting would.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.reading import KEYS, OWN
from belated.comparisons.recommending import Look, Looked, look_at
from belated.core.checks import shown
from belated.domains.base import Domain
from belated.sim.problems import Problem
from belated.sweeps.axes import Axis
from belated.sweeps.words import canonical

Cell = Mapping[str, Any]
"""The tables of a cell: ``rounds``, ``measure``, ``problem``, ``delays``, ``learner`` and ``told_of``, and ``domain``
and ``initial`` if the setting has them. ``told_of`` is the seed whose delays its learner may know."""


def at_point(document: Document, axes: tuple[Axis, ...], values: tuple[Any, ...]) -> Document:
    """The setting of one point: what is varied has its value there, and errors about that name the path."""
    tables, options = dict(document.tables), dict(document.options)
    for axis, value in zip(axes, values, strict=True):
        tables = _placed(document, axis, tables, axis.path, value)
        options[axis.path] = f"{document.position(axis.place)} = {shown(value)}"
    return replace(document, tables={key: tables[key] for key in tables if key in KEYS}, options=options)


def with_one_learner(document: Document, label: str) -> Document:
    """The same setting with only one of its learners."""
    return replace(document, tables={**document.tables, "learners": {label: document.tables["learners"][label]}})


def cell_of(tables: Mapping[str, Any], label: str, rounds: int, seed: int) -> Cell:
    """The cell of a learner in a setting that has been found valid."""
    learner = {"name": label, **_table(tables["learners"][label])}
    own = {key: learner.pop(key) for key in OWN if key in learner}
    shared = {key: tables[key] for key in ("domain", "initial") if key in tables}
    found = {
        "rounds": rounds,
        "measure": tables.get("measure", "regret"),
        "problem": _table(tables["problem"]),
        "delays": _table(tables["delays"]),
        **shared,
        **own,
        "learner": learner,
        "told_of": seed,
    }
    return found | {key: _table(found[key]) for key in ("domain", "delays") if key in found}


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


def _table(thing: Any) -> dict[str, Any]:
    """A thing as a table, which may be written as its name alone."""
    return {"name": thing} if isinstance(thing, str) else dict(thing)


def _placed(document: Document, axis: Axis, table: Any, path: tuple[str, ...], value: Any) -> Any:
    """A copy of the table with the value at the path; a name on the way becomes a table with that name."""
    if not path:
        return value
    if isinstance(table, list):
        document.refuse(axis.place, "must not lead into a list; vary the list as a whole")
    inner = _table(table) if isinstance(table, str | Mapping) else {}
    return {**inner, path[0]: _placed(document, axis, inner.get(path[0]), path[1:], value)}
