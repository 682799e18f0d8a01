"""A run that has failed, as a record that is kept under the run's key: what was raised, where, and in which cell."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Failure:
    """Why a run has failed.

    ==============  =================================================
    field           meaning
    ==============  =================================================
    ``key``         the key of the run
    ``name``        the name of its learner or model
    ``seed``        its seed; ``None`` on a log, which has none
    ``error``       the class of what was raised
    ``message``     what it said
    ``traceback``   where it was raised
    ``cell``        all words of the cell
    ==============  =================================================
    """

    key: str
    name: str
    seed: int | None
    error: str
    message: str
    traceback: str
    cell: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The record as JSON, which people can read."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False)


def failure_of(key: str, name: str, seed: int | None, problem: BaseException, cell: Mapping[str, Any]) -> Failure:
    """The record of what a run has raised; ``name`` is that of its learner or model."""
    lines = "".join(traceback.format_exception(problem))
    return Failure(key, name, seed, type(problem).__name__, str(problem), lines, dict(cell))


def failure_from(text: str) -> Failure:
    """The record that was written as this text."""
    return Failure(**json.loads(text))
