"""Ctrl-C in a real process: what was finished is kept and is what it would have been, and nothing hangs.

The process says when it has come to a certain seed, goes on slowly from there, and is sent the signal of Ctrl-C.
"""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest

import belated as bl
from support.processes import hear_ctrl_c

SCRIPT = """
import json, sys, time
import belated as bl
from belated.sim import plan

slow_from, workers, alone = json.loads(sys.argv[1])
plan.LEAST_ROUNDS_PER_CHUNK = plan.MOST_ROUNDS_PER_CHUNK = 10

class Slow(bl.problems.RandomQuadratic):
    def sampler(self, seed):
        given = super().sampler(seed)
        if seed < slow_from:
            return given

        class Sampler:
            def take(self, rounds):
                print(seed, flush=True)
                time.sleep(0.1)
                return given.take(rounds)

        return Sampler()

ball = bl.Ball(2)
learners = {"one": bl.dogd_sc(ball, 2.0), "two": bl.bdogd_sc_two_point(ball, 2.0, 0.1)}
learners = {"one": learners["one"]} if alone else learners
result = bl.simulate(learners, Slow(2), bl.delays.Geometric(4.0), 600, range(9), workers=workers)
print(json.dumps([result.interrupted, result.cumulative_loss["seed"].values.tolist(),
                  result.cumulative_loss.values.tolist(), result.best_loss.values.tolist(),
                  repr(result)]))
"""


def interrupted(slow_from: int, workers: int, alone: bool = False) -> tuple[int, str, str]:
    """Run until slow seeds are all that is under way, and press Ctrl-C."""
    settings = json.dumps([slow_from, workers, alone])
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, settings],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )
    assert process.stdout is not None
    begun: set[str] = set()
    while len(begun) < workers:  # every worker is at a slow one, so the others are done
        begun.add(line := process.stdout.readline())
        assert line, "it has ended too soon"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("workers", [1, 2])
def test_finished_seeds_are_kept_and_are_what_they_would_have_been(workers):
    code, out, err = interrupted(3, workers)
    assert (code, err) == (0, "")
    was_interrupted, seeds, curves, best, shown = json.loads(out.splitlines()[-1])
    assert was_interrupted
    assert seeds == [0, 1, 2]
    assert shown.startswith("<Result (learner: 2, seed: 3, round: 600, interrupted)")
    ball = bl.Ball(2)
    learners = {"one": bl.dogd_sc(ball, 2.0), "two": bl.bdogd_sc_two_point(ball, 2.0, 0.1)}
    whole = bl.simulate(learners, bl.problems.RandomQuadratic(2), bl.delays.Geometric(4.0), 600, seeds)
    assert not whole.interrupted
    assert np.array(curves).tobytes() == whole.cumulative_loss.values.tobytes()
    assert np.array(best) == pytest.approx(whole.best_loss.values, rel=1e-12), "added up in other chunks"


def test_with_nothing_finished_the_interrupt_goes_on():
    code, out, err = interrupted(0, 1, alone=True)
    assert code == -signal.SIGINT
    assert set(out.splitlines()) <= {"0"}
    assert err.splitlines()[-1].startswith("KeyboardInterrupt")
