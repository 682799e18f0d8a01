"""Where runs are done: on this machine, on a Dask cluster or on a Ray cluster, all of them through joblib.

=================  =====================================================================================================
file               what is in it
=================  =====================================================================================================
``local``          threads or processes of this machine
``dask_engine``    a Dask cluster; the only file that imports distributed
``ray_engine``     a Ray cluster; the only file that imports ray
``futures``        what the two clusters share: a backend of joblib that hands over tasks and gets futures
=================  =====================================================================================================

An engine is a context manager. Within it ``joblib.Parallel`` runs its calls there, and it yields how many workers there
are. Nothing else of this library knows which engine is used.
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager

from belated.core import checks
from belated.core.spelling import suggestion
from belated.sweeps.plan import SweepPlan

ENGINES = {"local": "local", "dask": "dask_engine", "ray": "ray_engine"}
"""Every engine by its name, with the file that has it."""


def check(name: object) -> None:
    """Refuse the name of an engine that there is not, and one whose package is missing."""
    if not isinstance(name, str) or name not in ENGINES:
        hint = suggestion(name, ENGINES) if isinstance(name, str) else f"there are {', '.join(ENGINES)}"
        checks.refuse("sweep", "engine", name, f"must be an engine; {hint}")
    importlib.import_module(f"{__name__}.{ENGINES[name]}")


def opened(name: str, plan: SweepPlan, workers: int | None) -> AbstractContextManager[int]:
    """The engine of that name.

    Args:
        name: One of :data:`ENGINES`.
        plan: What will be run, by which an engine may choose its kind of workers.
        workers: How many there should be; ``None`` for as many as there are cores. A cluster that is running already
            has those that it has.

    Returns:
        A context manager, which yields the number of workers.

    Raises:
        InvalidArgument: There is no such engine.
        ModuleNotFoundError: Its package is missing; the message says what to install.
    """
    check(name)
    engine = importlib.import_module(f"{__name__}.{ENGINES[name]}")
    found: AbstractContextManager[int] = engine.opened(plan, workers)
    return found
