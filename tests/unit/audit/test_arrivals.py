"""The counts of the proofs, against their definitions one by one."""

import numpy as np
from hypothesis import given

from belated.audit.arrivals import arrivals
from belated.delays import NEVER
from support.runs import arrivals_by_round
from support.strategies import delay_sequences

ROUNDS = 12


@given(delay_sequences(ROUNDS))
def test_the_counts_are_those_of_the_definitions(delays):
    seen, table, rounds = arrivals(np.array(delays)), arrivals_by_round(delays), len(delays)
    assert seen.number[:rounds].tolist() == [len(table[t]) for t in range(1, rounds + 1)]
    late = sorted(t for t in table if t > rounds and table[t])
    assert seen.number[rounds:].tolist() == [len(table[t]) for t in late], (
        "virtual rounds without arrivals are left out"
    )
    for k, delay in enumerate(delays, start=1):
        due = k + delay - 1
        assert seen.of[k - 1] == (due if due <= rounds else rounds + 1 + late.index(due))
    missing = [sum(k + d - 1 >= t for k, d in enumerate(delays[: t - 1], start=1)) for t in range(1, rounds + 2)]
    assert seen.outstanding.tolist() == missing
    assert seen.lateness == sum(missing[:-1])
    assert seen.in_flight[-1] == 0
    assert seen.longest <= max(delays)


def test_what_never_comes_costs_no_memory():
    seen = arrivals(np.full(5, NEVER))
    assert seen.of.tolist() == [6, 7, 8, 9, 10]
    assert seen.longest == 6


def test_sums_are_over_what_arrives_together():
    seen = arrivals(np.array([2, 1, 9]))
    assert seen.sums(np.array([[1.0], [2.0], [4.0]])).ravel().tolist() == [0.0, 3.0, 0.0, 4.0]
