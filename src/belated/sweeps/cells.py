"""The cells of a sweep: one learner in one setting, or one model on one log, as plain words.

Many points of a sweep share cells: a learner whose own arguments are varied leaves all other learners as they are. So
cells are made for every point, and kept once. The words of a cell say all that it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from belated.comparisons.document import Document
from belated.core.checks import shown
from belated.sweeps.axes import Axis

Cell = Mapping[str, Any]
"""The tables of a cell: those of :func:`~belated.sweeps.setting_cells.cell_of` or of
:meth:`~belated.sweeps.log_cells.Logs.made`."""


def at_point(document: Document, axes: tuple[Axis, ...], values: tuple[Any, ...]) -> Document:
    """The document of one point: what is varied has its value there, and errors about that name the path."""
    tables, options = dict(document.tables), dict(document.options)
    for axis, value in zip(axes, values, strict=True):
        tables = _placed(document, axis, tables, axis.path, value)
        options[axis.path] = f"{document.position(axis.place)} = {shown(value)}"
    return replace(document, tables=without_axes(tables), options=options)


def without_axes(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a document without those that say what is varied."""
    return {key: value for key, value in tables.items() if key not in ("grid", "random")}


def with_one(document: Document, table: str, label: str) -> Document:
    """The same document with only one of its learners or models."""
    return replace(document, tables={**document.tables, table: {label: document.tables[table][label]}})


def as_table(thing: Any) -> dict[str, Any]:
    """A thing as a table, which may be written as its name alone."""
    return {"name": thing} if isinstance(thing, str) else dict(thing)


def _placed(document: Document, axis: Axis, table: Any, path: tuple[str, ...], value: Any) -> Any:
    """A copy of the table with the value at the path; a name on the way becomes a table with that name."""
    if not path:
        return value
    if isinstance(table, list):
        document.refuse(axis.place, "must not lead into a list; vary the list as a whole")
    inner = as_table(table) if isinstance(table, str | Mapping) else {}
    return {**inner, path[0]: _placed(document, axis, inner.get(path[0]), path[1:], value)}
