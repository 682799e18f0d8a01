"""Live players that remember much: how long an ask takes, and how large the state is, as rounds are lost.

Of every ten rounds one is never answered; the others are answered three rounds later. In one run nobody says so, in the
other the lost rounds are given up after fifty rounds. An ask should take as long in the last tenth of the run as in the
first. A state should be as large as what is in flight::

    python -m benchmarks.live_memory [ROUNDS]
"""

import sys
from collections.abc import Iterator
from time import process_time
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.learners import Learner, Player
from benchmarks.timing import note

DIM, ROUNDS, LATE, PATIENCE = 10, 100_000, 3, 50


class Tenth(NamedTuple):
    """One tenth of a run: microseconds of the processor per round (ask and tell), and what is there at its end."""

    microseconds: float
    in_flight: int
    numbers: int
    saving: float


def learners() -> dict[str, Learner]:
    """Those whose memory grows with what is in flight."""
    ball = bl.Ball(DIM)
    return {
        "bold": bl.bold(bl.ogd_sc(ball, 2.0)),
        "gold": bl.gold(ball, rate=0.001, probe_radius=0.1),
        "skipping": bl.skipping(bl.dda(ball, lipschitz=5.0)),
        "restarting": bl.restarting(bl.dogd_sc(ball, 2.0), first=1000),
        "dftbl": bl.dftbl(ball, rate=0.001, block_length=10, probe_radius=0.1),
    }


def lived(player: Player, rounds: int, gives_up: bool) -> Iterator[Tenth]:
    """Play, and look at every tenth."""
    feedback = np.linspace(-0.1, 0.1, player.learner.interface.feedback_size)
    for tenth in range(10):
        begun = process_time()
        for number in range(tenth * rounds // 10 + 1, (tenth + 1) * rounds // 10 + 1):
            player.ask()
            answered = number - LATE
            if answered > 0 and answered % 10:
                player.tell(feedback, round=answered)
            lost = number - PATIENCE
            if gives_up and lost > 0 and lost % 10 == 0:
                player.give_up(lost)
        taken, begun = process_time() - begun, process_time()
        state = player.state()
        size = sum(np.size(value) for value in state.values())
        yield Tenth(taken / (rounds / 10) * 1e6, player.ledger.in_flight, size, process_time() - begun)


def main() -> None:
    """Print the first, the fifth and the last tenth of each run."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    note(f"{rounds} rounds in R^{DIM}, one of ten never answered; microseconds of the processor per ask and tell")
    heads = ("", "lost rounds", "1st tenth", "5th", "10th", "last / first", "in flight", "numbers", "state() ms")
    note("{:11} {:9}".format(*heads[:2]) + "".join(f"{head:>14}" for head in heads[2:]))
    for name, learner in learners().items():
        for gives_up in (False, True):
            player = learner.start()
            player.compile()
            tenths = list(lived(player, rounds, gives_up))
            first, fifth, last = tenths[0], tenths[4], tenths[-1]
            times = f"{first.microseconds:14.1f}{fifth.microseconds:14.1f}{last.microseconds:14.1f}"
            ratio = f"{last.microseconds / first.microseconds:14.2f}"
            sizes = f"{last.in_flight:14}{last.numbers:14}{1e3 * last.saving:14.1f}"
            note(f"{name:11} {'given up' if gives_up else 'forgotten':9}{times}{ratio}{sizes}")


if __name__ == "__main__":
    main()
