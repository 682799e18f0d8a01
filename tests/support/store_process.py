"""A simulation with a store as a process of its own, for tests that interrupt one or let two of them share a folder.

``python store_process.py FOLDER SLOW_FROM`` says that it is ready, waits for a line, and simulates. From the seed
``SLOW_FROM`` on it is slow, and says so when it has come there. At its end it prints, as JSON, whether it was
interrupted, the seeds it has, a digest of the bits of its result, and the seeds that it has run itself.
"""

import hashlib
import json
import sys
import time
from pathlib import Path

import belated as bl
from belated.sim import plan, simulate
from belated.sim.jobs import Simulation

ROUNDS, SEEDS, NEVER_SLOW = 150, 5, 99
BALL = bl.Ball(2)
LEARNERS = {"one": bl.dogd_sc(BALL, 2.0), "two": bl.bdogd_sc_two_point(BALL, 2.0, 0.1)}


class Sampled(bl.problems.RandomQuadratic):
    """Its rows take their time from some seed on, if they are drawn for a run and not for a key."""

    slow_from, running = NEVER_SLOW, False

    def sampler(self, seed):
        slow = self.running and seed >= self.slow_from
        return Slow(super().sampler(seed)) if slow else super().sampler(seed)


class Slow:
    def __init__(self, given):
        self.given = given

    def take(self, rounds):
        _say("slow")
        time.sleep(0.1)
        return self.given.take(rounds)


def simulated(folder):
    """Run it, one job after the other; what the result says of itself."""
    result = simulate(LEARNERS, Sampled(2), bl.delays.Geometric(4.0), ROUNDS, SEEDS, store=folder, workers=1)
    bits = hashlib.blake2b()
    for name, array in sorted(result.to_dataset().data_vars.items()):
        bits.update(f"{name} {array.dims} {array.shape}".encode() + array.values.tobytes())
    return result.interrupted, result.regret["seed"].values.tolist(), bits.hexdigest()


def _say(words):
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def main():
    folder, slow_from = sys.argv[1:]
    plan.LEAST_ROUNDS_PER_CHUNK = plan.MOST_ROUNDS_PER_CHUNK = 10
    Sampled.slow_from = int(slow_from)
    ran, original = [], Simulation.run

    def noted(self, job, loops, tick, *others):
        ran.append(job.seed)
        Sampled.running = True
        return original(self, job, loops, tick, *others)

    Simulation.run = noted
    _say("ready")
    sys.stdin.readline()
    _say(json.dumps([*simulated(Path(folder)), ran]))


if __name__ == "__main__":
    main()
