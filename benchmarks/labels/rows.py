"""Rows whose features are hashed already, for the comparison of speed: 30 of 2^20 slots, all values 1.

Slots are uniform, which is as hard for the processor's cache as can be, or follow Zipf's law as words do. All
contenders get the same rows: ours as arrays, Vowpal Wabbit as a file of text whose features are the numbers of slots,
which it takes as they are, and river as mappings.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from belated.core.arrays import Vector

BITS, LENGTH = 20, 30
"""The table has 2^20 slots, and a row has 30 of them."""

ZIPF = 1.1
"""The exponent of Zipf's law."""

KINDS = ("uniform", "Zipf")


class Rows(NamedTuple):
    """Rows and their labels, -1 or +1."""

    slots: NDArray[np.uint32]
    labels: Vector


def rows_of(kind: str, number: int) -> Rows:
    """So many rows; a quarter of the labels are +1."""
    rng, dim = np.random.default_rng(7), 1 << BITS
    if kind == "uniform":
        slots = rng.integers(0, dim, (number, LENGTH), dtype=np.uint32)
    else:
        shares = np.cumsum(1.0 / np.arange(1, dim + 1) ** ZIPF)
        places = np.searchsorted(shares / shares[-1], rng.random((number, LENGTH)))
        slots = rng.permutation(dim).astype(np.uint32)[np.minimum(places, dim - 1)]
    return Rows(slots, np.where(rng.random(number) < 0.25, 1.0, -1.0))


def write_text(rows: Rows, path: Path) -> None:
    """Write rows as Vowpal Wabbit reads them."""
    with path.open("w", encoding="ascii") as file:
        for label, slots in zip(rows.labels.tolist(), rows.slots.tolist(), strict=True):
            file.write(f"{label:.0f} | {' '.join(map(str, slots))}\n")


def as_mappings(rows: Rows, first: int, number: int) -> list[tuple[dict[Any, float], bool]]:
    """Some rows as river takes them, with their labels."""
    chosen = slice(first, first + number)
    pairs = zip(rows.slots[chosen].tolist(), rows.labels[chosen].tolist(), strict=True)
    return [(dict.fromkeys(slots, 1.0), label > 0.0) for slots, label in pairs]
