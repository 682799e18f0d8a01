r"""The calendar: feedback on its way, by the round at whose end it arrives.

A round must find its arrivals in a time that does not depend on how far ahead feedback was sent, with a million of them
on their way and no bound on the longest delay. So there are two scales. A run goes in *weeks* of a fixed number of
rounds, and feedback is filed

* under its round, if that is in the present week: in a list for every round of the week;
* under its week, if that is a later one: in a chain of blocks for every week to come. When the week begins, its
  chain is *dealt out*: sorted by round into one table.

Both keep the order of play, and a round receives what was dealt out to it before what is in its list, which is younger.
The second scale is what makes long delays cheap. Blocks are filled, dealt out and received from one end to the other,
so that memory is always read and written in order: that is fast also where all that is under way is much larger than
the processor's cache, while finding single arrivals in it would cost more than all else in a round.

What arrives after the last round, or never, is not stored; a spare place takes what has to be written anyway.

Where only the sum of what arrives together matters, a round has that sum in place of a list, and weeks are dealt out
straight into the sums.
"""

from typing import NamedTuple

import numpy as np

from belated.core.arrays import Anything, Integers, Matrix
from belated.core.vectors import copy_into
from belated.core.verbs import compilable

NONE = -1
"""The end of a list or chain."""

SHORTEST_WEEK, LONGEST_WEEK = 256, 8192
"""Rounds of a week: so few that what is dealt out stays in the processor's cache, so many that chains are few."""

SHORTEST_WEEK_OF_SUMS = 64
"""The same where sums are kept: every week, however short, costs some numbers for as long as a run lasts."""

SLOTS, BLOCKS = 0, 1
"""Places in ``Calendar.free``: how many slots of the present week are free, and the first free block."""


class Shelf(NamedTuple):
    """Rows of feedback, each with what was remembered for it."""

    feedback: Matrix
    memo: Matrix


class Calendar(NamedTuple):
    """Feedback on its way. All arrays are changed in place, by the loop and between two of its chunks.

    A week has ``2**shift`` rounds, so that a round finds its week without a division.

    ==========================  ===================  ================================================================
    field                       index                meaning
    ==========================  ===================  ================================================================
    ``soon``                    slot                 feedback that arrives in the week in which it was sent
    ``sums``                    round of the week    the sum of its feedback, where sums are kept in place of lists
    ``spare``                   0                    feedback that is not kept
    ``first``, ``last``,        round of the week    its list: first slot, last slot, and length
    ``length``
    ``following``               slot                 the next slot of the same list
    ``free_slots``              0, 1, ...            a stack of free slots: the same few again and again
    ``dealt``                   0, 1, ...            feedback of earlier weeks that arrives in this one, by round
    ``dealt_end``               round of the week    where in ``dealt`` the next round's begins
    ``later``                   place                feedback that arrives in a later week; a block is ``block`` places
    ``arrival``                 place                the round of its week in which it arrives
    ``next_block``              block                the next block of the same chain, or of those that are free
    ``chain``, ``chain_end``    week                 its first and last block
    ``waiting``                 week                 how many wait in its chain
    ==========================  ===================  ================================================================
    """

    block: int
    shift: int
    soon: Shelf
    sums: Matrix
    spare: Shelf
    first: Integers
    last: Integers
    length: Integers
    following: Integers
    free_slots: Integers
    free: Integers
    dealt: Shelf
    dealt_end: Integers
    later: Shelf
    arrival: Integers
    next_block: Integers
    chain: Integers
    chain_end: Integers
    waiting: Integers


def week_for(rounds: int, feedback_size: int, memo_size: int, sum_size: int = 0) -> int:
    """About how many rounds a week has: as many as have room in a megabyte with one feedback each, within bounds.

    Sums are written again in every week, all of them, so they are to stay in a faster cache.
    """
    if sum_size:
        return min(rounds, max(SHORTEST_WEEK_OF_SUMS, min(LONGEST_WEEK, 2**15 // sum_size)))
    fitting = 2**17 // (feedback_size + memo_size)
    return min(rounds, max(SHORTEST_WEEK, min(LONGEST_WEEK, fitting)))


def empty_calendar(
    rounds: int, rounds_per_week: int, feedback_size: int, memo_size: int, sum_size: int = 0
) -> Calendar:
    """A calendar for a run of so many rounds, with nothing under way and no blocks yet.

    A week has so many rounds, or as many more as make them a power of two. If ``sum_size`` is given, the calendar is
    one of sums of so many numbers.
    """
    fitting = max(1, 512 // (feedback_size + memo_size))  # so that a block has about a page of memory
    shift = (rounds_per_week - 1).bit_length()
    rounds_per_week = 1 << shift
    weeks = -(-rounds // rounds_per_week)

    def zeros(size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)

    def shelf(rows: int) -> Shelf:
        return Shelf(np.zeros((rows, feedback_size)), np.zeros((rows, memo_size)))

    return Calendar(
        block=min(32, 1 << (fitting.bit_length() - 1)),
        shift=shift,
        soon=shelf(0 if sum_size else rounds_per_week),
        sums=np.zeros((rounds_per_week if sum_size else 0, sum_size)),
        spare=shelf(1),
        first=zeros(rounds_per_week),
        last=zeros(rounds_per_week),
        length=zeros(rounds_per_week),
        following=zeros(rounds_per_week),
        free_slots=np.arange(rounds_per_week, dtype=np.int64),
        free=np.array([rounds_per_week, NONE], dtype=np.int64),
        dealt=shelf(0),
        dealt_end=zeros(rounds_per_week),
        later=shelf(0),
        arrival=zeros(0),
        next_block=zeros(0),
        chain=zeros(weeks),
        chain_end=zeros(weeks),
        waiting=zeros(weeks),
    )


def with_room(calendar: Calendar, played: int) -> Calendar:
    """The same calendar with a free block and, if a week begins after ``played`` rounds, with room to deal it out.

    Where there are sums, nothing is dealt out but to these.
    """
    week, within = divmod(played, calendar.first.size)
    deals = within == 0 and not len(calendar.sums)
    dealt = int(calendar.waiting[week]) - len(calendar.dealt.feedback) if deals else 0
    if dealt > 0:
        calendar = calendar._replace(dealt=_longer_shelf(calendar.dealt, dealt))
    if calendar.free[BLOCKS] != NONE:
        return calendar
    blocks = calendar.next_block.size
    more = max(blocks, 16)  # twice as many, so that a long run pays for this a few times only
    next_block = _longer(calendar.next_block, more)
    next_block[blocks:] = [*range(blocks + 1, blocks + more), NONE]
    calendar.free[BLOCKS] = blocks
    return calendar._replace(
        later=_longer_shelf(calendar.later, more * calendar.block),
        arrival=_longer(calendar.arrival, more * calendar.block),
        next_block=next_block,
    )


def _longer_shelf(shelf: Shelf, more: int) -> Shelf:
    return Shelf(_longer(shelf.feedback, more), _longer(shelf.memo, more))


def _longer(array: Anything, more: int) -> Anything:
    longer = np.empty((len(array) + more, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


@compilable
def slot_for_round(calendar: Calendar, at: int) -> int:
    """A free slot, put at the end of the list of round ``at`` of the present week."""
    calendar.free[SLOTS] -= 1
    slot = int(calendar.free_slots[calendar.free[SLOTS]])
    if calendar.length[at] == 0:
        calendar.first[at] = slot
    else:
        calendar.following[calendar.last[at]] = slot
    calendar.last[at] = slot
    calendar.length[at] += 1
    return slot


@compilable
def place_for_later(calendar: Calendar, week: int, at: int) -> int:
    """A place at the end of a later week's chain, for what arrives in round ``at``, counted from the start of ``week``.

    There must be a free block.
    """
    week += at >> calendar.shift
    within = int(calendar.waiting[week]) & (calendar.block - 1)
    if within == 0:
        fresh = calendar.free[BLOCKS]
        calendar.free[BLOCKS] = calendar.next_block[fresh]
        if calendar.waiting[week] == 0:
            calendar.chain[week] = fresh
        else:
            calendar.next_block[calendar.chain_end[week]] = fresh
        calendar.chain_end[week] = fresh
    calendar.waiting[week] += 1
    place = int(calendar.chain_end[week]) * calendar.block + within
    calendar.arrival[place] = at & (calendar.first.size - 1)
    return place


@compilable
def first_place(calendar: Calendar, week: int) -> int:
    """The first place in the chain of a week for which something waits."""
    return int(calendar.chain[week]) * calendar.block


@compilable
def next_place(calendar: Calendar, place: int) -> int:
    """The place behind ``place`` in the same chain; behind the last one it has no meaning."""
    if (place + 1) & (calendar.block - 1):
        return place + 1
    return int(calendar.next_block[place // calendar.block]) * calendar.block


@compilable
def free_chain(calendar: Calendar, week: int) -> None:
    """Free the blocks of a week's chain, in which nothing waits any more."""
    if calendar.waiting[week] > 0:
        calendar.next_block[calendar.chain_end[week]] = calendar.free[BLOCKS]
        calendar.free[BLOCKS] = calendar.chain[week]
        calendar.waiting[week] = 0


@compilable
def deal_out(calendar: Calendar, week: int) -> None:
    """Sort what waits for ``week``, which begins, by its rounds, and free the blocks; ``dealt`` must have the room."""
    waiting = int(calendar.waiting[week])
    for at in range(calendar.dealt_end.size):
        calendar.dealt_end[at] = 0
    place = first_place(calendar, week)
    for _ in range(waiting):
        calendar.dealt_end[calendar.arrival[place]] += 1
        place = next_place(calendar, place)
    end = 0
    for at in range(calendar.dealt_end.size):
        end += int(calendar.dealt_end[at])
        calendar.dealt_end[at] = end - calendar.dealt_end[at]
    place = first_place(calendar, week)
    for _ in range(waiting):
        to = int(calendar.dealt_end[calendar.arrival[place]])
        calendar.dealt_end[calendar.arrival[place]] = to + 1
        copy_into(calendar.later.feedback[place], calendar.dealt.feedback[to])
        copy_into(calendar.later.memo[place], calendar.dealt.memo[to])
        place = next_place(calendar, place)
    free_chain(calendar, week)


@compilable
def dealt_before(calendar: Calendar, at: int) -> int:
    """Where in ``dealt`` that of round ``at`` of the present week begins."""
    return int(calendar.dealt_end[at - 1]) if at > 0 else 0


@compilable
def release(calendar: Calendar, slot: int) -> None:
    """What was in ``slot`` has been received."""
    calendar.free_slots[calendar.free[SLOTS]] = slot
    calendar.free[SLOTS] += 1
