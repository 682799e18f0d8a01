"""Reading a sweep back: all of its runs as one labelled data set, which says what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from belated.sweeps.failures import Failure
from belated.sweeps.folder import SweepFolder
from belated.sweeps.plan import SweepPlan
from belated.sweeps.scores import Score
from belated.sweeps.words import canonical

DONE, FAILED, MISSING = "done", "failed", "missing"
"""What may have become of a run."""


def collected(plan: SweepPlan, folder: SweepFolder, found: dict[str, Score]) -> tuple[xr.Dataset, tuple[Failure, ...]]:
    """The data set of a sweep, and its failures. Runs that were ``found`` are not read again; others are added there.

    The dimensions are learner or model, then the paths that are varied, or ``sample`` for a random search, then seed,
    if there are seeds. Numbers are ``nan`` where ``state`` is not ``"done"``.
    """
    failures: dict[str, Failure] = {}
    for key in (key for keys in plan.keys for key in keys):
        score = found[key] if key in found else folder.run(key)
        failure = None if score is not None else folder.failure(key)
        if score is not None:
            found[key] = score
        elif failure is not None:
            failures[key] = failure
    return _dataset(plan, found, failures), tuple(failures.values())


def _dataset(plan: SweepPlan, found: Mapping[str, Score], failures: Mapping[str, Failure]) -> xr.Dataset:
    states = [[_state(key, found, failures) for key in keys] for keys in plan.keys]
    nothing = Score(np.nan, np.nan)
    numbers = np.array([[found.get(key, nothing) for key in keys] for keys in plan.keys])
    cells = np.array(plan.places).T  # learner or model, point
    names = ("sample",) if plan.random else tuple(plan.axes)
    seeds = {"seed": plan.seeds} if plan.seeded else {}
    dimensions = (plan.kind.one, *names, *seeds)
    shape = (len(plan.labels), *plan.shape, *map(len, seeds.values()))
    coordinates: dict[str, Any] = {plan.kind.one: plan.labels, **seeds}
    for name, values in plan.axes.items():
        coordinates[name] = ("sample" if plan.random else name, labels_of(values))
    variables = {name: numbers[..., Score._fields.index(name)] for name in plan.kind.numbers}
    return xr.Dataset(
        {
            name: (dimensions, values[cells].reshape(shape))
            for name, values in {**variables, "state": np.array(states)}.items()
        },
        coords=coordinates,
        attrs={"title": plan.title, "measure": plan.measure},
    )


def labels_of(values: list[Any]) -> list[Any]:
    """The values of an axis as labels: numbers, and texts if one of them is something else.

    Numbers are as they are, unless a whole one is beyond 64 bits, which no array has: then all of them are real ones.
    """
    if all(map(is_number, values)):
        beyond = any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values)
        return [float(value) for value in values] if beyond else values
    return [in_words(value) for value in values]


def is_number(value: Any) -> bool:
    """Whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def in_words(value: Any) -> str:
    """A value as people read it: a thing with a name alone is its name."""
    if isinstance(value, Mapping) and set(value) == {"name"}:
        return str(value["name"])
    return value if isinstance(value, str) else canonical(value)


def _state(key: str, found: Mapping[str, Score], failures: Mapping[str, Failure]) -> str:
    return DONE if key in found else FAILED if key in failures else MISSING
