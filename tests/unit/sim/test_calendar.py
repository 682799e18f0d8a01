"""The calendar against a dict of lists: what arrives when, in which order, and that nothing is ever lost or leaked.

The driver does what the round loop does with a calendar, in plain Python; every feedback is its own round number, so
that a wrong one shows. Broken copies of the calendar, made by changing its text, must all be caught.
"""

import inspect
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belated.delays import NEVER
from belated.sim import calendar as the_calendar
from belated.sim.calendar import BLOCKS, NONE, SLOTS


def expected_arrivals(delays: list[int]) -> list[list[int]]:
    """F_t for every round t, from its definition, each in order of play."""
    arrived = defaultdict(list)
    for k, delay in enumerate(delays, start=1):
        arrived[k + delay - 1].append(k)
    return [arrived[t] for t in range(1, len(delays) + 1)]


def free_blocks(calendar: Any) -> set[int]:
    seen: set[int] = set()
    block = int(calendar.free[BLOCKS])
    while block != NONE:
        assert block not in seen, "the free blocks go round in a circle"
        seen.add(block)
        block = int(calendar.next_block[block])
    return seen


def used_blocks(calendar: Any) -> set[int]:
    seen: set[int] = set()
    for week in np.flatnonzero(calendar.waiting):
        block = int(calendar.chain[week])
        for _ in range(math.ceil(int(calendar.waiting[week]) / calendar.block)):
            assert block not in seen, "a block is in two chains"
            seen.add(block)
            last, block = block, int(calendar.next_block[block])
        assert last == calendar.chain_end[week]
    return seen


def check_books(calendar: Any, size: int) -> None:
    """Every slot and every block is either free or in use, and none is both."""
    free = set(calendar.free_slots[: calendar.free[SLOTS]].tolist())
    assert len(free) == calendar.free[SLOTS] == size - int(calendar.length.sum())
    blocks_free, blocks_used = free_blocks(calendar), used_blocks(calendar)
    assert not blocks_free & blocks_used
    assert blocks_free | blocks_used == set(range(calendar.next_block.size))


def driven(
    delays: list[int], size: int, sizes: tuple[int, int] = (2, 1), tools: Any = the_calendar
) -> Iterator[tuple[list[int], Any]]:
    """What a run in weeks of ``size`` rounds, or a few more, receives at the end of each round, with the calendar."""
    rounds = len(delays)
    calendar = tools.empty_calendar(rounds, min(size, rounds), *sizes)
    size = calendar.first.size
    for week, start in enumerate(range(0, rounds, size)):
        calendar = tools.with_room(calendar, start)
        tools.deal_out(calendar, week)
        for done in range(min(size, rounds - start)):
            calendar = tools.with_room(calendar, start + done)
            at = done + delays[start + done] - 1
            shelf, slot = calendar.spare, 0
            if start + at < rounds:
                if at < size:
                    shelf, slot = calendar.soon, tools.slot_for_round(calendar, at)
                else:
                    shelf, slot = calendar.later, tools.place_for_later(calendar, week, at)
            shelf.feedback[slot], shelf.memo[slot] = start + done + 1, -(start + done + 1)
            begin, end = tools.dealt_before(calendar, done), int(calendar.dealt_end[done])
            received = [(calendar.dealt, place) for place in range(begin, end)]
            slot = int(calendar.first[done])
            for _ in range(calendar.length[done]):
                received.append((calendar.soon, slot))
                following = int(calendar.following[slot])
                tools.release(calendar, slot)
                slot = following
            calendar.length[done] = 0
            for each, place in received:
                row, memo = each.feedback[place].tolist(), each.memo[place].tolist()
                assert set(row) | {-number for number in memo} == {row[0]}, "torn apart"
            yield [int(each.feedback[place][0]) for each, place in received], calendar


def check(delays: list[int], size: int, sizes: tuple[int, int] = (2, 1), tools: Any = the_calendar) -> None:
    found = []
    for received, calendar in driven(delays, size, sizes, tools):
        found.append(received)
        check_books(calendar, calendar.first.size)
    assert found == expected_arrivals(delays)
    assert not calendar.waiting.any(), "nothing that arrives within the run is left"
    assert calendar.free[SLOTS] == calendar.first.size


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[int], int]:
    rounds = draw(st.integers(1, 120))
    size = draw(st.integers(1, 40))
    burst = draw(st.integers(1, rounds))
    near, far = st.integers(1, 4), st.integers(1, rounds)
    odd = st.sampled_from([NEVER, NEVER - 1, rounds, rounds + 1, size, size + 1, 2 * size])
    with_the_burst = 0
    drawn = draw(st.lists(st.one_of(near, far, odd, st.just(with_the_burst)), min_size=rounds, max_size=rounds))
    return [max(1, burst - t) if each == with_the_burst else each for t, each in enumerate(drawn)], size


@given(runs(), st.sampled_from([(1, 0), (2, 1), (300, 300), (3, 200)]))
def test_the_right_feedback_arrives_in_the_order_of_play(run, sizes):
    """The sizes give blocks of 32, of 32, of 1 and of 2."""
    check(*run, sizes)


@pytest.mark.parametrize("size", [1, 7, 50, 200])
def test_everything_in_one_round(size):
    check([150 - t for t in range(150)] + [1] * 10, size)
    check([160 - t for t in range(160)], size)


@pytest.mark.parametrize("delay", [1, 2, 50, 51, 99, 100, 101, NEVER])
def test_a_fixed_delay(delay):
    check([delay] * 100, 50)
    check([delay] * 100, 33)


def test_a_run_whose_last_week_is_short():
    check([3] * 101, 50)


@pytest.mark.parametrize(("wanted", "made"), [(1, 1), (2, 2), (3, 4), (16, 16), (17, 32)])
def test_a_week_is_a_power_of_two(wanted, made):
    calendar = the_calendar.empty_calendar(100, wanted, 2, 1)
    assert calendar.first.size == 1 << calendar.shift == made
    assert calendar.chain.size == -(-100 // made)


def blocks_after(delays, size):
    most_under_way = most_used = 0
    arrived = 0
    for t, (received, calendar) in enumerate(driven(delays, size), start=1):
        arrived += len(received)
        most_under_way = max(most_under_way, t - arrived)
        most_used = max(most_used, len(used_blocks(calendar)))
    return calendar.next_block.size, len(calendar.dealt.feedback), most_used, most_under_way


def test_memory_grows_with_what_is_under_way_and_not_with_the_rounds():
    short, long = blocks_after([70] * 500, 16), blocks_after([70] * 4000, 16)
    assert short == long
    allocated, dealt, most_used, most_under_way = blocks_after([700] * 4000, 16)
    assert allocated > short[0]
    assert allocated <= max(16, 2 * (most_used + 1))
    assert most_used <= most_under_way / 32 + 700 / 16 + 2, "a chain for every week that waits, the last block open"
    assert dealt == 16


def test_what_never_arrives_takes_no_memory():
    allocated, dealt, most_used, _ = blocks_after([NEVER] * 3000, 100)
    assert (allocated, dealt, most_used) == (16, 0, 0)
    assert blocks_after([3000] * 3000, 100)[2] == 1, "only the first one's comes, in the last round"


def test_room_is_made_without_losing_anything():
    """One feedback a block, so that the blocks run out in the midst of a week, again and again."""
    check([90 - t % 45 for t in range(400)], 45, sizes=(512, 0))


# The mutants

MUTANTS = {
    "a block ends too early": ("(place + 1) & (calendar.block - 1)", "(place + 2) & (calendar.block - 1)"),
    "a block has no end": ("(place + 1) & (calendar.block - 1)", "place >= 0"),
    "a chain goes on in the block that lies behind": (
        "int(calendar.next_block[place // calendar.block]) * calendar.block",
        "place + 1",
    ),
    "a week has twice its rounds": ("at >> calendar.shift", "at >> (calendar.shift + 1)"),
    "a round of a week is counted from another one": ("at & (calendar.first.size - 1)", "at"),
    "the last that waits is left out": (
        "for _ in range(waiting):\n        to",
        "for _ in range(waiting - 1):\n        to",
    ),
    "a round begins where the one before begins": ("dealt_end[at - 1]", "dealt_end[at - 2]"),
    "a chain forgets its next block": (
        "            calendar.next_block[calendar.chain_end[week]] = fresh\n",
        "            pass\n",
    ),
    "a block stays in the list of the free": (
        "        calendar.free[BLOCKS] = calendar.next_block[fresh]\n",
        "        pass\n",
    ),
    "blocks are not freed": (
        "    calendar.free[BLOCKS] = calendar.chain[week]\n",
        "    pass\n",
    ),
    "the free blocks are forgotten": (
        "    calendar.next_block[calendar.chain_end[week]] = calendar.free[BLOCKS]\n",
        "    calendar.next_block[calendar.chain_end[week]] = NONE\n",
    ),
    "a slot is not released": ("    calendar.free[SLOTS] += 1\n", "    pass\n"),
    "a slot is released twice": ("    calendar.free[SLOTS] += 1\n", "    calendar.free[SLOTS] += 2\n"),
    "a list begins anew": ("    if calendar.length[at] == 0:\n", "    if calendar.length[at] <= 1:\n"),
    "a list goes on where it began": (
        "calendar.following[calendar.last[at]] = slot",
        "calendar.following[calendar.first[at]] = slot",
    ),
    "what was dealt out stays": ("        calendar.dealt_end[at] = 0\n", "        pass\n"),
    "what waited goes on waiting": ("    calendar.waiting[week] = 0\n", "    pass\n"),
    "memos stay behind": ("        copy_into(calendar.later.memo[place], calendar.dealt.memo[to])\n", ""),
    "longer shelves are empty": ("    longer[: len(array)] = array\n", "    pass\n"),
    "one of the new blocks is missing": (
        "[*range(blocks + 1, blocks + more), NONE]",
        "[*range(blocks + 1, blocks + more - 1), NONE, NONE]",
    ),
}


def mutant(old: str, new: str) -> Any:
    text = inspect.getsource(the_calendar)
    assert text.count(old) == 1, f"{old!r} should be there once"
    names: dict[str, Any] = {"__name__": "mutant"}
    exec(text.replace(old, new), names)
    return type("Mutant", (), {name: staticmethod(each) for name, each in names.items() if callable(each)})


def hardest() -> Iterator[tuple[list[int], int, tuple[int, int]]]:
    rng = np.random.default_rng(5)
    yield [int(each) for each in rng.integers(1, 300, 400)], 30, (2, 1)
    yield [int(each) for each in rng.integers(1, 90, 300)], 25, (300, 100)
    yield [150 - t % 150 for t in range(300)], 40, (2, 1)


def test_the_hardest_runs_are_run_as_they_should():
    for delays, size, sizes in hardest():
        check(delays, size, sizes)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught(name):
    with pytest.raises((AssertionError, IndexError)):  # noqa: PT012  # any of the runs may catch it
        for delays, size, sizes in hardest():
            check(delays, size, sizes, mutant(*MUTANTS[name]))
