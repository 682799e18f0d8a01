"""The rows of all questions that were scored, kept in temporary files until the best weights for them are known.

A log may be larger than memory, and the best weights in hindsight need every row many times. So slots and values go to
two files without names, which the system deletes by itself, and are mapped into memory to be read. Of each question
only its time, its label, its weight and the places of its row are in memory, 40 bytes.
"""

from __future__ import annotations

import tempfile
from array import array
from typing import IO, Any, NamedTuple

import numpy as np

from belated.core.arrays import Integers, Vector
from belated.models.rows import Row, Slots

BUFFER = 1 << 20


class Recorded(NamedTuple):
    """Rows one behind the other, each from its place in ``starts`` to the next; values that are all 1 are left out."""

    slots: Slots
    starts: Integers
    values: Vector
    value_starts: Integers
    labels: Vector
    weights: Vector


class ScoredRows:
    """Rows with their labels and times, as they are scored."""

    def __init__(self) -> None:
        self._slots: IO[bytes] = tempfile.TemporaryFile(buffering=BUFFER)  # noqa: SIM115  # it is closed by close
        self._values: IO[bytes] = tempfile.TemporaryFile(buffering=BUFFER)  # noqa: SIM115
        self._starts, self._value_starts = array("q", [0]), array("q", [0])
        self._labels, self._times, self._weights = array("d"), array("q"), array("d")

    def add(self, row: Row, label: float, time: int, weight: float = 1.0) -> None:
        """Keep a row; OSError if there is no room for it."""
        self._slots.write(row.slots.tobytes())
        self._values.write(row.values.tobytes())
        self._starts.append(self._starts[-1] + row.slots.size)
        self._value_starts.append(self._value_starts[-1] + row.values.size)
        self._labels.append(label)
        self._times.append(time)
        self._weights.append(weight)

    def recorded(self) -> Recorded:
        """All rows, in the order in which they were scored."""
        return Recorded(
            _mapped(self._slots, np.uint32),
            np.array(self._starts),
            _mapped(self._values, np.float64),
            np.array(self._value_starts),
            np.array(self._labels),
            np.array(self._weights),
        )

    def times(self) -> Integers:
        """When the questions were asked."""
        return np.array(self._times)

    def close(self) -> None:
        """Free the files; arrays that are mapped to them stay readable for as long as they are in use."""
        self._slots.close()
        self._values.close()


def _mapped(file: IO[bytes], kind: Any) -> Any:
    """The numbers in a file as an array; an empty file cannot be mapped."""
    file.flush()
    if not file.seek(0, 2):
        return np.empty(0, dtype=kind)
    return np.asarray(np.memmap(file, dtype=kind, mode="r+"))
