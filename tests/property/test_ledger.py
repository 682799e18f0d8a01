"""The exact identities of the ledger, for any delays whatever.

With d_t the delays, F_t = {k : k + d_k - 1 = t}, T rounds, and t running on after T until everything has arrived:

I1  |F_t| + o_t = sigma_t + 1{t <= T}
I2  sum_t |F_t| = T
I3  sum_{t<=T} sigma_t = sum_t (min(d_t, T - t + 1) - 1), at most D - T
I4  sum_t |F_t|^2 + 2 sum_t |F_t| o_t = T + 2 sum_{t<=T} sigma_t
I5  W_t <= V_t / 2, with equality when nothing is in flight
I6  max |F_t| <= sigma_max + 1 <= d,  o_t <= d - 1,  s <= d_1 <= d, with d the longest delay and s the first arrival

The mutants at the end show that the identities notice each way in which a transition can go wrong.
"""

from collections import Counter
from collections.abc import Callable
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from belated.core.ledger import COUNTS, Ledger, after_arrivals, after_play, read_ledger, write_ledger
from belated.delays import EVERY, NEVER, Burst, DelayLaw, arrivals

Play = Callable[[Ledger], Ledger]
Arrive = Callable[[Ledger, int], Ledger]

any_delays = st.lists(st.integers(1, 6) | st.integers(1, 80) | st.just(NEVER), min_size=1, max_size=40)


def history(delays: list[int], play: Play, arrive: Arrive) -> list[Ledger]:
    """The ledgers after rounds 1..T, and then after each later round in which something arrives."""
    arrived = Counter(k + delay - 1 for k, delay in enumerate(delays, start=1))
    rounds = len(delays)
    ledger, ledgers = Ledger(), []
    for t in range(1, rounds + 1):
        ledger = arrive(play(ledger), arrived[t])
        ledgers.append(ledger)
    for t in sorted(arrived):
        if t > rounds:
            ledger = arrive(ledger, arrived[t])
            ledgers.append(ledger)
    return ledgers


def broken_identities(delays: list[int], play: Play = after_play, arrive: Arrive = after_arrivals) -> set[str]:
    """The names of the identities that do not hold, sums being taken anew from the single rounds."""
    rounds, longest = len(delays), max(delays)
    ledgers = history(delays, play, arrive)
    played = ledgers[:rounds]
    arrived = [ledger.arrived for ledger in ledgers]
    in_flight = [ledger.in_flight for ledger in ledgers]
    missing = [ledger.outstanding for ledger in played] + in_flight[
        rounds - 1 : -1
    ]  # sigma_t = o_{t-1} after T as well
    sum_missing = sum(missing[:rounds])
    truncated = sum(min(delay, rounds - t) - 1 for t, delay in enumerate(delays))
    by_play = list(accumulate([1 + 2 * m for m in missing[:rounds]] + [0] * (len(ledgers) - rounds)))
    by_arrival = list(accumulate(f * (f + 2 * o) for f, o in zip(arrived, in_flight, strict=True)))
    first_arrival = min(k + delay - 1 for k, delay in enumerate(delays, start=1))

    holds = {
        "I1": all(
            f + o == m + (i < rounds) for i, (f, o, m) in enumerate(zip(arrived, in_flight, missing, strict=True))
        ),
        "I2": sum(arrived) == ledgers[-1].received == rounds
        and [ledger.received for ledger in ledgers] == list(accumulate(arrived)),
        "I3": sum_missing == truncated <= sum(delays) - rounds,
        "I4": by_arrival[-1] == by_play[-1] == rounds + 2 * sum_missing,
        "I5": [ledger.play_weight for ledger in ledgers] == by_play
        and [ledger.arrival_weight for ledger in ledgers] == by_arrival
        and all(w <= v and (w == v or o > 0) for v, w, o in zip(by_play, by_arrival, in_flight, strict=True)),
        "I6": max(arrived) <= max(missing[:rounds]) + 1 <= longest
        and max(in_flight) <= longest - 1
        and first_arrival <= delays[0] <= longest,
        "t": [ledger.round for ledger in ledgers] == [min(i, rounds) for i in range(1, len(ledgers) + 1)],
    }
    return {name for name, value in holds.items() if not value}


@given(any_delays)
@example([1] * 9)
@example([9, 8, 7, 6, 5, 4, 3, 2, 1])
@example([30, 31, 30, 31])
@example([NEVER, NEVER])
@example([4, 1, 2, 1, NEVER, 1])
def test_the_identities_hold_for_any_delays(delays: list[int]) -> None:
    assert broken_identities(delays) == set()


@pytest.mark.parametrize("law_class", EVERY)
@given(seed=st.integers(0, 2**32), rounds=st.integers(1, 40))
def test_the_identities_hold_for_every_law(law_class: type[DelayLaw], seed: int, rounds: int) -> None:
    law = law_class.example()
    delays = law.draw(np.random.default_rng(seed), int(min(rounds, law.longest_run)))
    assert broken_identities(delays.tolist()) == set()


@given(any_delays)
def test_counts_are_those_of_the_sets_that_they_count(delays: list[int]) -> None:
    order, first = arrivals(delays)
    pending: set[int] = set()
    ledger = Ledger()
    for t in range(1, len(delays) + 1):
        missing = len(pending)
        pending.add(t)
        come = set(order[first[t] : first[t + 1]].tolist())
        assert come <= pending
        pending -= come
        ledger = after_arrivals(after_play(ledger), len(come))
        assert ledger[:5] == (t, len(come), t - len(pending), len(pending), missing)


def test_time_in_flight_is_charged_once_for_each_round_in_flight() -> None:
    delays = [3, 1, 4, 1, 5, 9, 2, 6]
    ledgers = history(delays, after_play, after_arrivals)[: len(delays)]
    waiting = [min(delay - 1, len(delays) - t) for t, delay in enumerate(delays)]
    assert sum(ledger.in_flight for ledger in ledgers) == sum(waiting)


def test_a_burst_by_hand() -> None:
    ledgers = history(Burst(3).draw(np.random.default_rng(0), 4).tolist(), after_play, after_arrivals)[:4]
    assert ledgers == [
        #      t, |F|, N, o, sigma, V, 2W
        Ledger(1, 0, 0, 1, 0, 1, 0),
        Ledger(2, 0, 0, 2, 1, 4, 0),
        Ledger(3, 3, 3, 0, 2, 9, 9),
        Ledger(4, 0, 3, 1, 0, 10, 9),
    ]


def play_but(**changes: Callable[[Ledger, Ledger], int]) -> Play:
    """:func:`after_play` with some fields computed wrongly, from the ledgers before and after."""

    def play(before: Ledger) -> Ledger:
        after = after_play(before)
        return after._replace(**{name: change(before, after) for name, change in changes.items()})

    return play


def arrive_but(**changes: Callable[[Ledger, Ledger], int]) -> Arrive:
    """:func:`after_arrivals` with some fields computed wrongly, from the ledgers before and after."""

    def arrive(before: Ledger, arrived: int) -> Ledger:
        after = after_arrivals(before, arrived)
        return after._replace(**{name: change(before, after) for name, change in changes.items()})

    return arrive


MUTANT_PLAYS = {
    "the round is not counted": play_but(round=lambda before, after: before.round),
    "nothing new is owed": play_but(in_flight=lambda before, after: before.in_flight),
    "arrivals of the last round linger": play_but(received=lambda before, after: before.received + before.arrived),
    "this round counts as outstanding": play_but(outstanding=lambda before, after: after.in_flight),
    "outstanding is a round old": play_but(outstanding=lambda before, after: before.outstanding),
    "V counts sigma once": play_but(play_weight=lambda before, after: before.play_weight + 1 + before.in_flight),
    "V counts this round": play_but(play_weight=lambda before, after: before.play_weight + 1 + 2 * after.in_flight),
    "V forgets the round itself": play_but(play_weight=lambda before, after: before.play_weight + 2 * before.in_flight),
}
MUTANT_ARRIVALS = {
    "arrivals add up": arrive_but(arrived=lambda before, after: before.received + after.arrived),
    "received is overwritten": arrive_but(received=lambda before, after: after.arrived),
    "received stands still": arrive_but(received=lambda before, after: before.received),
    "nothing leaves the air": arrive_but(in_flight=lambda before, after: before.in_flight),
    "one arrival at most": arrive_but(in_flight=lambda before, after: before.in_flight - min(after.arrived, 1)),
    "W sees those in flight before": arrive_but(
        arrival_weight=lambda before, after: (
            before.arrival_weight + after.arrived * (after.arrived + 2 * before.in_flight)
        )
    ),
    "W forgets those in flight": arrive_but(
        arrival_weight=lambda before, after: before.arrival_weight + after.arrived**2
    ),
    "W is linear in a batch": arrive_but(
        arrival_weight=lambda before, after: before.arrival_weight + after.arrived * (1 + 2 * after.in_flight)
    ),
}


@pytest.mark.parametrize("mutant", MUTANT_PLAYS)
def test_a_wrong_play_is_noticed(mutant: str) -> None:
    assert broken_identities([4, 1, 2, 1, 6, 1, NEVER, 2], play=MUTANT_PLAYS[mutant])


@pytest.mark.parametrize("mutant", MUTANT_ARRIVALS)
def test_a_wrong_arrival_is_noticed(mutant: str) -> None:
    assert broken_identities([4, 1, 2, 1, 6, 1, NEVER, 2], arrive=MUTANT_ARRIVALS[mutant])


# Kept in an array


@given(st.lists(st.integers(0, 2**62), min_size=COUNTS, max_size=COUNTS))
def test_a_ledger_comes_back_from_its_array_as_it_was(counts: list[int]) -> None:
    """In plain numbers, and with nothing written beyond its places: others lie behind it."""
    ledger, kept = Ledger._make(counts), np.full(COUNTS + 1, -7)
    write_ledger(ledger, kept)
    again = read_ledger(kept)
    assert again == ledger
    assert {type(each) for each in again} == {int}
    assert kept[COUNTS] == -7
