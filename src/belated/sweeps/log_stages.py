"""A stage of models: all of them that go through the same log, which is read once for all, and the keys of their runs.

A key is what the numbers of a run depend on: the words of the cell, the model by its fingerprint, the bytes of every
file of the log, and the versions that :func:`~belated.sim.store_keys.environment` knows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from belated.core.errors import BadRow, InvalidArgument, NumericalFailure, WorkersDiffer
from belated.core.parts import fingerprint
from belated.logs.log import Log
from belated.models import Model
from belated.replays.result import CONSTANT, Replay, difference_of
from belated.replays.stretched_replay import replay_stretched
from belated.replays.tables import skipped
from belated.sim.store_keys import environment
from belated.sweeps.cells import Cell
from belated.sweeps.scores import Score
from belated.sweeps.words import canonical

SCHEMA = "belated sweep run of a model 1"
"""What the file of a run holds, and how; another number is another kind of file."""


class Source(NamedTuple):
    """A log that can be read: itself, the words that say all of it, its stretch, and the files that it is read from."""

    log: Log
    words: Mapping[str, Any]
    stretch: float
    files: tuple[Path, ...]

    def digests(self) -> tuple[str, ...]:
        """A digest of the bytes that each file has now."""
        return tuple(_digest_now(path) for path in self.files)


class OnLog(NamedTuple):
    """What a cell stands for: a model, and the log that it goes through."""

    model: Model
    source: Source


class LogStage:
    """Models that go through one log, by the numbers of their cells in the plan.

    Args:
        entries: The models, with the same log.
        cells: The words of the cells.
    """

    def __init__(self, entries: Mapping[int, OnLog], cells: Sequence[Cell]) -> None:
        self._source = next(iter(entries.values())).source
        self._digests = self._source.digests()
        self._models = {number: entry.model for number, entry in entries.items()}
        self._words = {number: canonical(cells[number]) for number in entries}

    def keys(self, seed: None) -> dict[int, str]:
        """The key of every cell; a log has no seeds."""
        return {
            number: fingerprint((SCHEMA, environment(), self._words[number], model.fingerprint, self._digests))
            for number, model in self._models.items()
        }

    def prepare(self, number: int) -> None:
        """Do nothing: models compile themselves while they run."""

    def run(self, numbers: Sequence[int], seed: None) -> dict[int, Score | Exception]:
        """Let some of the models live through the log, in one pass.

        Raises:
            WorkersDiffer: A file of the log is another one than when the keys were made.
            InvalidArgument: A model cannot take an example of the log, or its weights.
        """
        names = {number: f"{self._models[number].name} (cell {number})" for number in numbers}
        models = {names[number]: self._models[number] for number in numbers}
        self._check_files()
        found: Replay | Exception
        try:
            found = replay_stretched(models, self._source.log, self._source.stretch)
        except (BadRow, OSError) as problem:  # what is wrong with the log is wrong for all models
            found = problem
        self._check_files()  # a pass may take long
        if isinstance(found, Exception):
            return dict.fromkeys(numbers, found)
        if found.interrupted:
            raise KeyboardInterrupt
        return {number: self._score(found, names[number]) for number in numbers}

    def _score(self, found: Replay, name: str) -> Score | Exception:
        if not found.scored.sum():
            return InvalidArgument(
                f"{self._source.log!r}: must have answers: no question can be scored{skipped(self._source.log.counts)}"
            )
        losses = found.losses[found.names.index(name)]
        mean, low, high = difference_of(losses, found.weights)
        if not math.isfinite(mean):
            return NumericalFailure(f"the mean loss of {name} is not finite: {mean}")
        return Score(mean, float(losses.sum()), low, high, found.mean_loss(CONSTANT))

    def _check_files(self) -> None:
        """Whether all files are there as they were when the keys were made."""
        try:
            now = self._source.digests()
        except OSError:
            now = ()
        if now != self._digests:
            raise WorkersDiffer(
                f"a file of {self._source.log!r} was changed while the sweep ran. What was finished before is kept; "
                "the same call runs all models on the log as it is now"
            )


def _digest_now(path: Path) -> str:
    status = path.stat()
    about = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return _digest(path, about)


@lru_cache(1024)
def _digest(path: Path, about: tuple[int, ...]) -> str:
    """A digest of the bytes of a file, which is not read again before something that the system says of it changes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
