"""Reading a plan back: a text that anybody may have written, and that is taken for a plan only if all of it fits.

What is read here names files and places in arrays. So every field is looked at, and a plan in which one of them does
not fit the others is no plan.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from belated.core.errors import InvalidArgument
from belated.sweeps.kinds import KINDS
from belated.sweeps.plan import SCHEMA, SweepPlan

KEY = re.compile("[0-9a-f]{32}")
"""What the key of a run looks like; it names a file."""


def plan_from(text: str | bytes, source: str) -> SweepPlan:
    """The plan that was written as this text.

    Args:
        text: What a file holds.
        source: The file, for the message.

    Raises:
        InvalidArgument: It is no plan, one of another version, or one whose values do not fit together.
    """
    plan = _read(text)
    if plan is None:
        raise InvalidArgument(f"{source}: is no plan of a sweep that this version of belated can read")
    wrong = next((name for name, fits in _FITS.items() if not fits(plan)), None)
    if wrong is not None:
        raise InvalidArgument(f"{source}: was changed or damaged since it was written: `{wrong}` does not fit")
    return plan


def _read(text: str | bytes) -> SweepPlan | None:
    """The plan with whatever its fields hold; nothing if it has other fields than this version writes."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    names = {field.name for field in fields(SweepPlan)}
    if not isinstance(found, dict) or found.pop("schema", None) != SCHEMA or set(found) != names:
        return None
    return SweepPlan(**found)


def _whole(value: Any, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _list(value: Any, of: Callable[[Any], bool], size: int | None = None) -> bool:
    """Whether it is a list of such things: of so many, or of one or more."""
    fits = isinstance(value, list) and (bool(value) if size is None else len(value) == size)
    return fits and all(map(of, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _cell(plan: SweepPlan, cell: Any) -> bool:
    """Whether a cell has what is read of it: tables with names, such as those of the learner and the problem."""
    tables = [cell.get(key) for key in plan.kind.named] if isinstance(cell, Mapping) else [None]
    return all(isinstance(table, Mapping) and _text(table.get("name")) for table in tables)


def _seeds(plan: SweepPlan) -> bool:
    """Whether there are seeds; none of them is written as one ``None``."""
    return plan.seeds == [None] or _list(plan.seeds, lambda seed: _whole(seed, 2**63))


def _axes(plan: SweepPlan) -> bool:
    """Whether every path has values; in a random search it has one for each point."""
    if not isinstance(plan.axes, Mapping) or not plan.axes:
        return False
    size = len(plan.places) if plan.random and isinstance(plan.places, list) else None
    return all(_list(values, lambda value: True, size) for values in plan.axes.values())


def _places(plan: SweepPlan) -> bool:
    """Whether every point has a cell for each learner or model."""
    cell = lambda number: _whole(number, len(plan.cells))  # noqa: E731  # it has no other name
    row = lambda numbers: _list(numbers, cell, len(plan.labels))  # noqa: E731  # the same
    return _list(plan.places, row) and len(plan.places) == math.prod(plan.shape)


_FITS: dict[str, Callable[[SweepPlan], bool]] = {
    "subject": lambda plan: _text(plan.subject) and plan.subject in KINDS,
    "title": lambda plan: _text(plan.title),
    "setting": lambda plan: isinstance(plan.setting, Mapping),
    "measure": lambda plan: _text(plan.measure),
    "random": lambda plan: isinstance(plan.random, bool),
    "labels": lambda plan: _list(plan.labels, _text) and len(set(plan.labels)) == len(plan.labels),
    "seeds": _seeds,
    "axes": _axes,
    "owners": lambda plan: (
        isinstance(plan.owners, Mapping)
        and plan.owners.keys() == plan.axes.keys()
        and all(owner is None or owner in plan.labels for owner in plan.owners.values())
    ),
    "cells": lambda plan: _list(plan.cells, lambda cell: _cell(plan, cell)),
    "places": _places,
    "keys": lambda plan: _list(
        plan.keys,
        lambda row: _list(row, lambda key: _text(key) and KEY.fullmatch(key) is not None, len(plan.seeds)),
        len(plan.cells),
    ),
}
"""Whether each field is what it must be, in an order in which a field may use those before it."""
