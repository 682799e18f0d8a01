"""The folder of a sweep, which all workers share: what is finished lies there, and nowhere else.

============================  =========================================================================================
file                          what it is
============================  =========================================================================================
``plan.json``                 the plan of the last sweep in this folder
``plans/DIGEST.json``         every plan, for the workers
``runs/ab/cdef....parquet``   what a run has found, named by its key
``failures/ab/cdef....json``  why a run has failed
============================  =========================================================================================

Files are written under a hidden name and then given their own in one step, so that each is complete or not there. None
is ever replaced: two workers that do the same run write the same bytes, and the second leaves the file of the first. A
worker that is killed in between leaves a hidden file, which a later sweep removes when it is a day old. Nobody waits
until the disk has a file: one that a power cut has damaged does not fit its checksum, counts as missing, and is run
again.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from belated.output import files
from belated.sweeps import parquet
from belated.sweeps.failures import Failure, failure_from
from belated.sweeps.plan import SweepPlan
from belated.sweeps.plan_reading import plan_from
from belated.sweeps.scores import Score

UNFINISHED = ".unfinished-"
DAY = 24 * 60 * 60
PLAN = "plan.json"
RUNS, FAILURES = "runs/??/*.parquet", "failures/??/*.json"


class SweepFolder:
    """Plans, runs and failures under a path. Several processes, on several machines, may use it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def open(self, plan: SweepPlan) -> None:
        """Make the folder if need be, put the plan there, and remove what killed processes have left long ago."""
        files.place(self.path, {PLAN: plan.text.encode()})
        own, content = self._plan(plan.digest), plan.text.encode()
        if own.exists() and own.read_bytes() != content:  # damaged: its name says what is in it
            own.unlink(missing_ok=True)
        self._place(own, content)
        for left in self.path.glob(f"*/**/{UNFINISHED}*"):
            with suppress(OSError):
                if left.stat().st_mtime < time.time() - DAY:
                    left.unlink()

    def plan(self, digest: str | None = None) -> SweepPlan:
        """A plan by its digest, or that of the last sweep."""
        path = self.path / PLAN if digest is None else self._plan(digest)
        return plan_from(path.read_bytes(), str(path))

    def keys(self) -> tuple[set[str], set[str]]:
        """The keys of the runs and of the failures that there are files of, whatever is in these."""
        found = ({path.parent.name + path.stem for path in self.path.glob(each)} for each in (RUNS, FAILURES))
        return next(found), next(found)

    def run(self, key: str) -> Score | None:
        """What a run has found; ``None`` if it is not finished, or if its file is not as it was written."""
        return parquet.read(self._run(key), key)

    def keep(self, key: str, content: bytes) -> None:
        """Put the file of a finished run into its place. That of an earlier failure is left where it is."""
        self._place(self._run(key), content)

    def failure(self, key: str) -> Failure | None:
        """Why a run has failed; ``None`` if it has not, or if the record is not as it was written."""
        try:
            return failure_from(self._failure(key).read_text("utf-8"))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def keep_failure(self, failure: Failure) -> None:
        """Put the record of a failure into its place."""
        self._place(self._failure(failure.key), failure.text.encode())

    def forget(self, key: str) -> None:
        """Remove a damaged file of a run and the record of its failure, so that it is run again."""
        if self.run(key) is None:  # and no other process has finished it meanwhile
            self._run(key).unlink(missing_ok=True)
        self._failure(key).unlink(missing_ok=True)

    def _plan(self, digest: str) -> Path:
        return self.path / "plans" / f"{digest}.json"

    def _run(self, key: str) -> Path:
        return self.path / "runs" / key[:2] / f"{key[2:]}.parquet"

    def _failure(self, key: str) -> Path:
        return self.path / "failures" / key[:2] / f"{key[2:]}.json"

    def _place(self, path: Path, content: bytes) -> None:
        """Write a file that is not there yet: complete, and in one step."""
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.parent / f"{UNFINISHED}{uuid4().hex}"
        try:
            with hidden.open("xb") as file:
                file.write(content)
            _named(hidden, path)
        finally:
            hidden.unlink(missing_ok=True)


def _named(hidden: Path, path: Path) -> None:
    """Give a file its name, unless another has it."""
    try:
        os.link(hidden, path)
    except FileExistsError:
        return
    except OSError:  # a file system without second names: there the last of two equal files stays
        if not path.exists():
            hidden.replace(path)
