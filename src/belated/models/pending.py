"""The rows that wait for their labels, in a few arrays.

A prediction that waits has an *entry*: its number, the margins that were predicted, and where its row is. Rows lie in
one array of 32-bit words, in blocks whose sizes are multiples of four words. A row without values takes one word for
each slot; one with values takes three, since a value is a real number of 64 bits. The same memory is therefore seen in
two ways, as ``words`` and as ``reals``. Steps that must remember something of each slot until the label comes have
their *notes* behind the values: as many real numbers for each slot as ``counts[NOTES]`` says, and for most steps none.

A block that is free again is the first to be taken by the next row of its size. Free blocks of one size form a chain:
``heads`` has the first block of each size, and the first word of a block the next one. Free entries form a chain
through their numbers, which are negative then. So taking and giving back cost the same however many wait, and memory
is that of the most that ever waited.

=============  =====================================================================================
``number``     number of the prediction, from 1 on; for a free entry -1 minus the entry that is free next
``block``      first block of the row, in units of four words
``size``       how many slots the row has; negative if it has values, too
``margins``    one or more real numbers for each entry, as the model wants
``words``      the rows; word 0 is not used, so that 0 can end a chain
``reals``      the same memory
``heads``      for each size, the block that is free next, or 0
``counts``     see the places below
=============  =====================================================================================
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from belated.core.arrays import Integers, Vector
from belated.core.verbs import compilable
from belated.models.features import MOST_ENTRIES
from belated.models.rows import Slots

UNIT = 4
"""Words in the smallest block."""

FREE, USED_ENTRIES, USED_UNITS, WAITING, NOTES, MADE = 0, 1, 2, 3, 4, 5
"""Places in ``counts``: the entry that is free next, or -1; how many were ever used, of both; how many wait now; how
many notes there are for each slot of a row, which never changes; the number of the last prediction."""

FULL = -1
"""In place of an entry: there is no room."""


class Pending(NamedTuple):
    """What waits, as described above."""

    number: Integers
    block: NDArray[np.int32]
    size: NDArray[np.int32]
    margins: NDArray[Any]
    words: Slots
    reals: Vector
    heads: NDArray[np.int32]
    counts: Integers


def nothing_pending(
    margins: int, dtype: type = np.float64, entries: int = 16, units: int = 64, notes: int = 0
) -> Pending:
    """Room for so many entries, and for rows of so many units; ``margins`` numbers are kept of each prediction."""
    words = _words(units)
    return Pending(
        number=np.zeros(entries, dtype=np.int64),
        block=np.zeros(entries, dtype=np.int32),
        size=np.zeros(entries, dtype=np.int32),
        margins=np.zeros((entries, margins), dtype=dtype),
        words=words,
        reals=words.view(np.float64),
        heads=np.zeros(units_of(MOST_ENTRIES, 1 + notes) + 2, dtype=np.int32),
        counts=np.array([-1, 0, 1, 0, notes, 0], dtype=np.int64),  # unit 0 is not used
    )


def _words(units: int) -> Slots:
    """Words that begin where a real number may: an array of real numbers, seen as words."""
    return np.zeros(units * UNIT // 2).view(np.uint32)


@compilable
def units_of(size: int, reals: int) -> int:
    """How many units of four words a row takes that has so many real numbers for each slot: its value, and notes.

    Slots are padded to whole units, so that real numbers begin where they may.
    """
    return (size + 3) // 4 + (size * reals + 1) // 2


@compilable
def room_of(pending: Pending, size: int, valued: bool) -> int:
    """How many units a row takes here, with its notes."""
    return units_of(size, (1 if valued else 0) + int(pending.counts[NOTES]))


@compilable
def taken(pending: Pending, number: int, slots: Slots, values: Vector) -> int:
    """Make an entry for a row.

    Args:
        pending: Where to.
        number: The number of the prediction, from 1 on.
        slots: The slots of the row.
        values: Its values; empty if all are 1.

    Returns:
        The entry, or ``FULL`` if there is no room; then nothing has changed.
    """
    counts, size, valued = pending.counts, slots.size, values.size > 0
    units = room_of(pending, size, valued)
    entry, block = counts[FREE], pending.heads[units]
    if entry < 0 and counts[USED_ENTRIES] == pending.number.size:
        return FULL
    if block == 0 and (counts[USED_UNITS] + units) * UNIT > pending.words.size:
        return FULL
    if entry < 0:
        entry = counts[USED_ENTRIES]
        counts[USED_ENTRIES] += 1
    else:
        counts[FREE] = -1 - pending.number[entry]
    if block == 0:
        block = np.int32(counts[USED_UNITS])
        counts[USED_UNITS] += units
    else:
        pending.heads[units] = np.int32(pending.words[UNIT * block])
    counts[WAITING] += 1
    counts[MADE] = number
    pending.number[entry] = number
    pending.block[entry] = block
    pending.size[entry] = -size if valued else size
    start = UNIT * int(block)
    for i in range(size):
        pending.words[start + i] = slots[i]
    if valued:
        first = values_start(start, size)
        for i in range(size):
            pending.reals[first + i] = values[i]
    return int(entry)


@compilable
def values_start(start: int, size: int) -> int:
    """Where in ``reals`` the values of a row begin whose slots begin at word ``start``."""
    return start // 2 + 2 * ((size + 3) // 4)


@compilable
def give_back(pending: Pending, entry: int) -> None:
    """Free an entry and its block."""
    size = abs(int(pending.size[entry]))
    units = room_of(pending, size, pending.size[entry] < 0)
    block = pending.block[entry]
    pending.words[UNIT * int(block)] = np.uint32(pending.heads[units])
    pending.heads[units] = block
    pending.number[entry] = -1 - pending.counts[FREE]
    pending.counts[FREE] = entry
    pending.counts[WAITING] -= 1


@compilable
def notes_span(pending: Pending, entry: int) -> tuple[int, int]:
    """Where in ``reals`` the notes of a row that waits begin and end.

    The first note of all its slots comes first, then the second, and so on. The caller takes the view: code with a
    function that returns one cannot be compiled without numba's counting of references, which takes as long as all the
    arithmetic of an event.
    """
    size = int(pending.size[entry])
    first = values_start(UNIT * int(pending.block[entry]), abs(size)) + max(-size, 0)
    return first, first + abs(size) * int(pending.counts[NOTES])


def notes_of(pending: Pending, entry: int) -> Vector:
    """The notes of a row that waits, as a view."""
    first, end = notes_span(pending, entry)
    return pending.reals[first:end]


def block_words(pending: Pending, entry: int) -> Slots:
    """All of the block of a row that waits, as a view."""
    start, size = UNIT * int(pending.block[entry]), int(pending.size[entry])
    return pending.words[start : start + UNIT * room_of(pending, abs(size), size < 0)]


def row_words(pending: Pending, entry: int) -> Slots:
    """The slots of a row that waits, as a view; compiled code takes its views in place."""
    start = UNIT * int(pending.block[entry])
    return pending.words[start : start + abs(int(pending.size[entry]))]


def row_values(pending: Pending, entry: int) -> Vector:
    """The values of a row that waits, as a view; empty if all are 1."""
    size = int(pending.size[entry])
    first = values_start(UNIT * int(pending.block[entry]), abs(size))
    return pending.reals[first : first + max(-size, 0)]


def enlarged(pending: Pending, units: int) -> Pending:
    """The same with more room: at least one entry more, and ``units`` units."""
    counts = pending.counts
    entries = pending.number.size
    if counts[FREE] < 0 and counts[USED_ENTRIES] == entries:
        entries = _more(entries, 1)
    have = pending.words.size // UNIT
    wanted = have if counts[USED_UNITS] + units <= have else _more(have, units)
    words = _words(wanted)
    words[: pending.words.size] = pending.words
    return pending._replace(
        **{name: _longer(getattr(pending, name), entries) for name in ("number", "block", "size", "margins")},
        words=words,
        reals=words.view(np.float64),
    )


def _more(have: int, least: int) -> int:
    """An eighth more, so that little is reserved in vain where hundreds of thousands wait."""
    return have + max(have // 8, least, 16)


def _longer(array: NDArray[Any], entries: int) -> NDArray[Any]:
    longer = np.zeros((entries, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
