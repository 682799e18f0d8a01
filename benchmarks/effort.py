"""How long to measure: thoroughly for numbers that are quoted, at a glance to see that all of it works."""

from typing import NamedTuple


class Effort(NamedTuple):
    """What is measured, and how often.

    ======================  =========================================================================================
    field                   meaning
    ======================  =========================================================================================
    ``seconds``             how long a single run should take: long enough for the clock, and short beside the times
                            for which a shared machine is disturbed
    ``repetitions``         how often all contenders have their turn
    ``dims``                n, of the comparison with C and NumPy
    ``horizons``            T, with how many seeds of each are run together: more of the short ones
    ``turns``               how often the longer scalings are repeated
    ``longest_delays``      D of the delays uniform on 1..D
    ``delay_rounds``        T of these runs: many times the longest delay
    ``seeds``               numbers of seeds, of runs of ``seed_rounds`` rounds
    ``core_seeds``          seeds for the comparison of one core with all
    ``memory_horizons``     T of the runs whose peak memory is compared
    ``warm_starts``         how often a warm start is measured; with 0, no start is
    ======================  =========================================================================================
    """

    seconds: float
    repetitions: int
    dims: tuple[int, ...]
    horizons: dict[int, int]
    turns: int
    longest_delays: tuple[int, ...]
    delay_rounds: int
    seeds: tuple[int, ...]
    seed_rounds: int
    core_seeds: int
    memory_horizons: tuple[int, int]
    warm_starts: int


FULL = Effort(
    seconds=0.4,
    repetitions=9,
    dims=(2, 10, 100, 1000, 10_000),
    horizons={10**5: 30, 10**6: 5, 10**7: 1, 10**8: 1},
    turns=3,
    longest_delays=(1, 10, 100, 1000, 10**4, 10**5, 10**6),
    delay_rounds=10**7,
    seeds=(1, 3, 10, 30, 100),
    seed_rounds=10**5,
    core_seeds=100,
    memory_horizons=(10**5, 10**8),
    warm_starts=3,
)

QUICK = Effort(
    seconds=0.1,
    repetitions=3,
    dims=(2, 10, 1000),
    horizons={10**5: 3, 10**6: 1},
    turns=2,
    longest_delays=(1, 1000, 10**5),
    delay_rounds=10**6,
    seeds=(1, 10),
    seed_rounds=10**5,
    core_seeds=20,
    memory_horizons=(10**5, 10**6),
    warm_starts=0,
)
