"""``sweep``: settings, or models on a log, that are varied, on one machine or a cluster, each run once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from belated.comparisons.document import Document
from belated.comparisons.shipped import document as document_named
from belated.core import checks
from belated.core.errors import InvalidArgument
from belated.output import files
from belated.sim.watching import is_shown
from belated.sweeps import engines, parquet
from belated.sweeps.collecting import collected
from belated.sweeps.folder import SweepFolder
from belated.sweeps.outcome import Sweep
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.running import run
from belated.sweeps.words import plain
from belated.sweeps.work import remember


def sweep(
    setting: str | Path | Mapping[str, Any],
    folder: str | Path,
    *,
    grid: Mapping[str, Any] | None = None,
    random: Mapping[str, Any] | None = None,
    engine: str = "local",
    workers: int | None = None,
    retry_failed: bool = False,
    progress: bool | None = None,
) -> Sweep:
    """Run a setting, or models on a log, with other values again and again, and find the best of them.

    A run that is finished is a file in ``folder``, named by all that its numbers depend on. So the same call goes on
    where an earlier one was stopped, and one with more values or seeds does only what is new. A run that fails is
    recorded with its traceback, and the others go on. Ctrl-C ends a sweep early, with what is finished.

    Args:
        setting: A setting in words, as ``belated compare`` reads it: the name of one that is shipped, a file
            ``*.toml``, or its tables as a dictionary. It may have the table ``grid`` or ``random`` itself. In place of
            a problem, delays and learners it may have a table ``log``, with a ``source``, the other arguments of
            ``read_log`` and a ``stretch``, which multiplies every delay, and a table ``models``, such as
            ``{"default": {"name": "logistic", "bits": 18}}``.
        folder: Where runs are kept. All workers must see it under this path.
        grid: Lists of values by their paths, such as ``{"delays.mean": [5, 50]}`` or ``{"log.stretch": [0, 1]}``;
            every combination is tried.
        random: Ranges by their paths, such as ``{"samples": 20, "learners.dogd.rate": {"from": 0.001, "to": 1.0,
            "scale": "log"}}``, with the number of samples and, if wanted, a ``seed``.
        engine: Where runs are done: ``"local"``, ``"dask"`` or ``"ray"``. No bit depends on it.
        workers: How many there are. Default: one for each core. A cluster that is running already has its own.
        retry_failed: Whether runs that have failed before are tried again.
        progress: Whether to show a bar on the standard error. Default: if that is a terminal.

    Returns:
        The labelled data set, the best settings, the failures, and ways to show and save them.

    Raises:
        InvalidArgument: Something cannot be understood or used, at any point of the sweep; nothing was run.
        ModuleNotFoundError: A package is missing; the message says what to install.
        WorkersDiffer: A worker has other versions or files than this process, or the file of a log was changed
            meanwhile; what does not fit is not kept.
        WorkersLost: The workers have died or cannot write, and nothing more was finished. What is finished is kept.

    Example:
        >>> import belated as bl, tempfile
        >>> setting = {"rounds": 50, "seeds": 3, "initial": 0.5, "problem": {"name": "random-quadratic", "dim": 2},
        ...            "delays": {"name": "geometric", "mean": 5}, "learners": {"dogd-sc": {}, "dogd": {}}}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found = bl.sweep(setting, folder, grid={"delays.mean": [2, 20]})
        >>> found.data.score.sizes
        Frozen({'learner': 2, 'delays.mean': 2, 'seed': 3})
    """
    place = files.checked_folder("sweep", "folder", folder)
    document, name = _document(setting)
    for key, table in (("grid", grid), ("random", random)):
        if table is not None:
            document = document.with_option(f"sweep({key}=...)", (key,), _as_written(key, table))
    return swept(document, name, place, engine, workers, retry_failed, is_shown(progress))


def swept(
    document: Document, name: str, place: Path, engine: str, workers: int | None, retry_failed: bool, progress: bool
) -> Sweep:
    """Plan what a document describes, run what is left of it, and collect all of it."""
    number = None if workers is None else checks.count("sweep", "workers", workers)
    engines.check(engine)
    parquet.check_installed()
    plan, stages = plan_of_sweep(document, name)
    remember(plan, stages)
    folder = SweepFolder(place)
    folder.open(plan)
    count = run(plan, folder, engine=engine, workers=number, retry_failed=retry_failed, progress=progress)
    data, failures = collected(plan, folder, count.results)
    done = len(count.results) - count.found  # who was interrupted has not counted all of them
    return Sweep(plan, data, failures, count.found, done, count.interrupted)


def read(folder: str | Path) -> Sweep:
    """Read the last sweep of a folder back, without running anything.

    It needs no code of the time when it was run: results are found though the library has changed since, unless plans
    are written in another way now.

    Args:
        folder: Where the sweep was kept.

    Returns:
        What is there: ``data.state`` says which runs are done, have failed, or are missing.

    Raises:
        InvalidArgument: There is no sweep in this folder, or one of another version.
        ModuleNotFoundError: pyarrow is missing; the message says what to install.
    """
    place = SweepFolder(files.checked_folder("read", "folder", folder))
    parquet.check_installed()
    try:
        plan = place.plan()
    except OSError as error:
        message = f"`read(folder={str(folder)!r})`: has no sweep: {error.strerror or error}"
        raise InvalidArgument(message, "folder") from None
    read = {key: place.run(key) for keys in plan.keys for key in keys}
    found = {key: score for key, score in read.items() if score is not None}
    data, failures = collected(plan, place, found)
    return Sweep(plan, data, failures, found=len(found))


def _document(setting: Any) -> tuple[Document, str]:
    if isinstance(setting, Mapping):
        return Document("setting", "", _as_written("setting", setting)), "sweep"
    if not isinstance(setting, str | Path):
        checks.refuse("sweep", "setting", setting, "must be the name of a setting, a file *.toml, or tables")
    return document_named(setting)


def _as_written(name: str, table: Any) -> Any:
    try:
        return plain(table)
    except RecursionError:
        checks.refuse("sweep", name, table, "must not hold itself")
