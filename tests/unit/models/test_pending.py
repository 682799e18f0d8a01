"""Rows that wait: whatever is taken and given back, every row is what it was, and memory is that of the most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.models import pending as room
from belated.models.pending import (
    FULL,
    NOTES,
    UNIT,
    USED_ENTRIES,
    USED_UNITS,
    WAITING,
    enlarged,
    give_back,
    notes_of,
    nothing_pending,
    room_of,
    row_values,
    row_words,
    taken,
    units_of,
)


class Waiting:
    """The rows that wait, beside a plain dictionary of them."""

    def __init__(self, notes=0):
        self.pending, self.rows, self.number = nothing_pending(2, entries=1, units=2, notes=notes), {}, 0

    def take(self, size, valued, rng):
        self.number += 1
        slots = rng.integers(0, 2**24, size).astype(np.uint32)
        values = rng.normal(size=size) if valued else np.empty(0)
        while (entry := taken(self.pending, self.number, slots, values)) == FULL:
            before = self.pending
            self.pending = enlarged(before, room_of(before, size, valued))
            assert self.pending.words.size > before.words.size or self.pending.number.size > before.number.size
        assert entry not in self.rows
        self.rows[entry] = slots, values, self.number
        notes_of(self.pending, entry)[:] = self.number

    def give(self, which):
        if self.rows:
            entry = sorted(self.rows)[which % len(self.rows)]
            del self.rows[entry]
            give_back(self.pending, entry)

    def check(self):
        assert int(self.pending.counts[WAITING]) == len(self.rows)
        for entry, (slots, values, number) in self.rows.items():
            assert row_words(self.pending, entry).tolist() == slots.tolist()
            assert row_values(self.pending, entry).tolist() == values.tolist()
            assert self.pending.number[entry] == number
            notes = notes_of(self.pending, entry)
            assert notes.tolist() == [number] * (slots.size * int(self.pending.counts[NOTES]))


steps = st.lists(st.tuples(st.booleans(), st.integers(1, 9), st.booleans()), max_size=60)


@given(steps, st.integers(0, 2**32), st.integers(0, 3))
def test_rows_and_notes_are_what_they_were(plan, seed, notes):
    rng, waiting = np.random.default_rng(seed), Waiting(notes)
    for takes, size, valued in plan:
        if takes:
            waiting.take(size, valued, rng)
        else:
            waiting.give(size)
        waiting.check()


def test_memory_is_that_of_the_most_that_waited():
    rng, waiting = np.random.default_rng(0), Waiting()
    for number in range(3000):
        waiting.take(5 + number % 3, number % 2 == 0, rng)
        if len(waiting.rows) > 20:
            waiting.give(number)
    assert int(waiting.pending.counts[USED_ENTRIES]) == 21
    assert int(waiting.pending.counts[USED_UNITS]) <= 1 + 6 * 21 * 6, "each of six sizes at most 21 times"
    assert waiting.pending.number.size < 60


@pytest.mark.parametrize("size", range(1, 20))
@pytest.mark.parametrize("valued", [False, True])
def test_a_block_holds_its_row(size, valued):
    words = units_of(size, valued) * UNIT
    assert words >= size + (2 * size if valued else 0)
    assert words < size + (2 * size if valued else 0) + 8


@pytest.mark.parametrize("valued", [False, True])
def test_rows_without_notes_take_no_more_memory_for_there_being_some(valued):
    for size in range(1, 20):
        assert room_of(nothing_pending(1), size, valued) == units_of(size, valued)
        assert room_of(nothing_pending(1, notes=2), size, valued) == units_of(size, valued + 2)


def play_in_turns():
    """Ten wait at a time, all of one size, so that blocks are used again and again."""
    rng, waiting = np.random.default_rng(0), Waiting()
    for number in range(300):
        waiting.take(3, True, rng)
        waiting.check()
        if number >= 10:
            waiting.give(number)
    assert int(waiting.pending.counts[USED_UNITS]) == 1 + 11 * units_of(3, True)


def test_blocks_of_one_size_are_used_again():
    play_in_turns()


def forgets_the_chain(pending, entry):
    room.give_back(pending, entry)
    pending.heads[:] = 0


def keeps_the_block(pending, entry):
    heads = pending.heads.copy()
    room.give_back(pending, entry)
    pending.heads[:] = heads
    pending.counts[USED_UNITS] -= units_of(abs(int(pending.size[entry])), pending.size[entry] < 0)


@pytest.mark.parametrize("mutant", [forgets_the_chain, keeps_the_block])
def test_giving_back_wrongly_would_be_caught(mutant, monkeypatch):
    monkeypatch.setitem(globals(), "give_back", mutant)
    with pytest.raises(AssertionError):
        play_in_turns()


def test_a_full_room_is_left_as_it_was():
    pending = nothing_pending(1, entries=1, units=3)
    taken(pending, 1, np.zeros(4, dtype=np.uint32), np.empty(0))
    before = [array.copy() for array in pending]
    assert taken(pending, 2, np.zeros(4, dtype=np.uint32), np.empty(0)) == FULL
    assert taken(pending, 2, np.zeros(40, dtype=np.uint32), np.empty(0)) == FULL
    assert all(np.array_equal(one, two) for one, two in zip(before, pending, strict=True))
    assert room.FULL < 0
