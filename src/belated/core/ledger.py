r"""The ledger: seven whole numbers per round that say who is owed what.

Nearly every rate in this library is a function of problem constants and these counts. For a run in which round k's
feedback arrives at the end of round k + d_k - 1 (d_k >= 1), F_t is the set of rounds whose feedback arrives at the
end of round t:

==================  =============  =====================================================================
field               symbol         meaning, once round t is over
==================  =============  =====================================================================
``round``           t              rounds played so far
``arrived``         \|F_t\|        feedbacks that arrived in this round
``received``        N_t            feedbacks that arrived in rounds 1..t
``in_flight``       o_t            still missing after this round's arrivals
``outstanding``     sigma_t        missing when x_t was chosen (= o_{t-1})
``play_weight``     V_t            sum over i <= t of 1 + 2 sigma_i
``arrival_weight``  2 W_t          sum over i <= t of \|F_i\| (\|F_i\| + 2 o_i)
==================  =============  =====================================================================

The two weights price the same delays from two ends. V is charged when a round is played and W when feedback arrives, so
``arrival_weight <= play_weight`` always, with equality whenever nothing is in flight.

A ledger is a value: :func:`after_play` and :func:`after_arrivals` return the next one. A round is one call of each, in
that order. Between two calls of compiled code it is kept in an array, because a tuple costs more to hand over than a
round does: :func:`write_ledger`, :func:`read_ledger`.
"""

from typing import NamedTuple

from belated.core.arrays import Integers
from belated.core.verbs import compilable, compiled_as

COUNTS = 7
"""How many numbers a ledger has."""


class Ledger(NamedTuple):
    """The counts after some number of rounds; the default is the ledger before the first.

    Args:
        round: t, rounds played.
        arrived: Feedbacks that arrived in this round.
        received: N_t, feedbacks that arrived so far.
        in_flight: o_t, feedbacks still missing.
        outstanding: sigma_t, feedbacks missing when the round was played.
        play_weight: V_t, the sum of 1 + 2 sigma_i over the rounds played.
        arrival_weight: 2 W_t, the sum of |F_i| (|F_i| + 2 o_i) over the rounds that are over.
    """

    round: int = 0
    arrived: int = 0
    received: int = 0
    in_flight: int = 0
    outstanding: int = 0
    play_weight: int = 0
    arrival_weight: int = 0


def _naming(
    round: int,
    arrived: int,
    received: int,
    in_flight: int,
    outstanding: int,
    play_weight: int,
    arrival_weight: int,
) -> Ledger:
    """Do what :func:`counted` does, as the compiler knows it."""
    return Ledger(round, arrived, received, in_flight, outstanding, play_weight, arrival_weight)


@compiled_as(_naming)
def counted(
    round: int,
    arrived: int,
    received: int,
    in_flight: int,
    outstanding: int,
    play_weight: int,
    arrival_weight: int,
) -> Ledger:
    """The ledger with these counts. The class itself makes it by a Python function, which takes twice as long."""
    return tuple.__new__(Ledger, (round, arrived, received, in_flight, outstanding, play_weight, arrival_weight))


@compilable
def after_play(ledger: Ledger) -> Ledger:
    """A new round is played: one more feedback is owed, and nothing of this round has arrived yet."""
    return counted(
        ledger.round + 1,
        0,
        ledger.received,
        ledger.in_flight + 1,
        ledger.in_flight,
        ledger.play_weight + 1 + 2 * ledger.in_flight,
        ledger.arrival_weight,
    )


@compilable
def after_arrivals(ledger: Ledger, arrived: int) -> Ledger:
    """The round's feedback is in: ``arrived`` of the missing ones have come."""
    in_flight = ledger.in_flight - arrived
    return counted(
        ledger.round,
        arrived,
        ledger.received + arrived,
        in_flight,
        ledger.outstanding,
        ledger.play_weight,
        ledger.arrival_weight + arrived * (arrived + 2 * in_flight),
    )


@compilable
def after_giving_up(ledger: Ledger, lost: int) -> Ledger:
    """``lost`` of the missing feedbacks are not waited for any more."""
    return counted(
        ledger.round,
        ledger.arrived,
        ledger.received,
        ledger.in_flight - lost,
        ledger.outstanding,
        ledger.play_weight,
        ledger.arrival_weight,
    )


@compilable
def write_ledger(ledger: Ledger, counts: Integers) -> None:
    """Keep ``ledger`` in the first ``COUNTS`` places of ``counts``."""
    counts[0] = ledger.round
    counts[1] = ledger.arrived
    counts[2] = ledger.received
    counts[3] = ledger.in_flight
    counts[4] = ledger.outstanding
    counts[5] = ledger.play_weight
    counts[6] = ledger.arrival_weight


def _reading(counts: Integers) -> Ledger:
    """Do what :func:`read_ledger` does, one entry at a time."""
    return Ledger(
        int(counts[0]),
        int(counts[1]),
        int(counts[2]),
        int(counts[3]),
        int(counts[4]),
        int(counts[5]),
        int(counts[6]),
    )


@compiled_as(_reading)
def read_ledger(counts: Integers) -> Ledger:
    """The ledger that :func:`write_ledger` has kept there."""
    return tuple.__new__(Ledger, counts[:COUNTS].tolist())
