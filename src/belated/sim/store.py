"""A folder that keeps what is finished of simulations, so that the same call goes on where it was stopped.

There is one file for each run of a learner on a seed and one for the delays and best decisions of a seed, named by
their keys (:mod:`~belated.sim.store_keys`). So a folder may serve any number of simulations: one with other learners,
seeds or rounds has other files, and what two of them share is found by both.

Files are NumPy's ``.npz`` archives of plain arrays, nothing pickled, with a digest of key and arrays. They are written
under a name of their own and then moved to their place, so that several processes may use a folder at once: they may do
the same work twice, but then they write the same numbers. A file that is truncated or changed does not fit its digest;
it counts as missing, and is written anew when its run is finished again.
"""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from belated.core import checks
from belated.core.arrays import Anything
from belated.core.parts import fingerprint
from belated.sim.jobs import Done, Job, Simulation
from belated.sim.round_loop import Record
from belated.sim.store_keys import Keys, SeedKeys

UNFINISHED = ".unfinished-"
"""What the names of files begin with that are being written."""

DAY = 24 * 60 * 60

RECORD, SEARCH = ("losses", "arrived", "in_flight"), ("delays", "bests")
"""The arrays of the two kinds of files."""


class Folder:
    """Named arrays under keys, each file complete or not there."""

    def __init__(self, where: str, folder: Any) -> None:
        if not isinstance(folder, str | os.PathLike) or not str(folder):
            checks.refuse(where, "store", folder, "must be the path of a folder")
        try:
            self._path = Path(folder)
            self._path.mkdir(parents=True, exist_ok=True)
            probe = self._path / f"{UNFINISHED}{uuid4().hex}"
            probe.touch(exist_ok=False)
            probe.unlink()
        except (OSError, ValueError, TypeError) as problem:  # the last two: letters that no path can have, and bytes
            checks.refuse(where, "store", str(folder), f"must be a folder that can be written to: {problem}")
        for left in self._path.glob(f"{UNFINISHED}*"):  # by processes that were killed
            with suppress(OSError):
                if left.stat().st_mtime < time.time() - DAY:
                    left.unlink()

    def read(self, key: str, names: Sequence[str]) -> dict[str, Anything] | None:
        """The arrays under ``key``; ``None`` if there are none, or if the file is not as it was written."""
        try:
            with (self._path / f"{key}.npz").open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                arrays = {name: file[name] for name in names}
                digest = str(file["digest"])
        except Exception:  # a damaged archive may fail in any way
            return None
        return arrays if digest == _digest(key, arrays) else None

    def write(self, key: str, arrays: Mapping[str, Anything]) -> None:
        """Put the arrays under ``key``, in place of what may be there."""
        content: dict[str, Any] = {**arrays, "digest": np.array(_digest(key, arrays))}
        hidden = self._path / f"{UNFINISHED}{uuid4().hex}"
        try:
            with hidden.open("xb") as file:
                np.savez(file, **content)
            hidden.replace(self._path / f"{key}.npz")
        finally:
            hidden.unlink(missing_ok=True)


def _digest(key: str, arrays: Mapping[str, Anything]) -> str:
    return fingerprint((key, *arrays.items()))


class Store:
    """What a folder has of one simulation.

    A disk that is full must not cost what was computed: what cannot be written is left out, and ``problem`` says why.
    """

    def __init__(self, folder: Folder, simulation: Simulation) -> None:
        self._folder, self._simulation = folder, simulation
        self._keys = Keys(simulation)
        self.problem: OSError | None = None
        self._of_seed: dict[int, SeedKeys] = {}

    def found(self, seed: int) -> Done:
        """What there is of a seed, as a job that has found it."""
        keys = self._of_seed[seed] = self._keys.of_seed(seed)
        recorded = self._simulation.plan.recorded
        read = {name: self._folder.read(key, RECORD) for name, key in keys.learners.items()}
        records = {name: Record(recorded, **arrays) for name, arrays in read.items() if arrays is not None}
        search = self._folder.read(keys.search, SEARCH)
        job = Job(seed, list(records), search is not None)
        return Done(job, records, **(search or {"delays": np.empty(0, dtype=np.int64), "bests": np.empty((0, 2))}))

    def keep_records(self, job: Job, records: Mapping[str, Record]) -> None:
        """Write what the learners of a job have done; may be called from several threads, as :meth:`keep` may."""
        keys = self._of_seed[job.seed].learners
        self._write({keys[name]: {each: getattr(record, each) for each in RECORD} for name, record in records.items()})

    def keep(self, done: Done) -> Done:
        """Write what the first job of a seed has found besides the records, which are kept before it is looked for."""
        if done.job.first:
            key = self._of_seed[done.job.seed].search
            self._write({key: {each: getattr(done, each) for each in SEARCH}})
        return done

    def _write(self, files: Mapping[str, Mapping[str, Anything]]) -> None:
        try:
            for key, arrays in files.items():
                self._folder.write(key, arrays)
        except OSError as problem:
            self.problem = problem
