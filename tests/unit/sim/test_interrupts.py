"""Ctrl-C in a real process: what was finished is kept and is what it would have been, and nothing hangs.

The process says when it has come to a certain seed, goes on slowly from there, and is sent the signal of Ctrl-C.
"""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import belated as bl
from support.compiler import needs_compiler
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


COMPILING = """
import os, sys, time
from contextlib import suppress
import belated as bl
from belated.cli import main
from belated.core import numba_door

def slowly(way, kinds, original=numba_door.Way.compiled):
    signs = ["compiling\\n"]
    while True:  # as deaf as the compiler
        with suppress(KeyboardInterrupt):
            if signs:
                os.write(1, signs.pop().encode())  # not print, whose lock the thread would have when the process ends
            original(way, kinds)
            time.sleep(600)

numba_door.Way.compiled = slowly
learner = bl.dogd_sc(bl.Ball(2), 2.0)

def simulate():
    bl.simulate({"one": learner}, bl.problems.RandomQuadratic(2), bl.delays.Fixed(2), 20_000, [0], progress=True)

def play():
    player = learner.start()
    try:
        player.compile()
    except KeyboardInterrupt:
        print(player.ask().round, flush=True)
        raise

def command():
    setting = "--problem random-quadratic:dim=2 --delays fixed:delay=2 --learner dogd-sc --rounds 20000 --seeds 1"
    sys.exit(main(["compare", *setting.split(), "--out", sys.argv[2]]))

try:
    globals()[sys.argv[1]]()
except KeyboardInterrupt:
    print("heard", flush=True)
"""


@needs_compiler
@pytest.mark.parametrize(
    ("what", "code", "out", "err"),
    [
        ("simulate", 0, "heard\n", None),
        ("play", 0, "1\nheard\n", ""),
        ("command", 130, "", "belated compare: interrupted\n"),
    ],
)
def test_ctrl_c_while_something_is_compiled_is_heard_and_the_process_ends_beside_the_compiler(
    tmp_path, what, code, out, err
):
    """Compiling never ends here, so a process that waited for it would not, either."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMPILING, what, str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "compiling\n"
        process.send_signal(signal.SIGINT)
        shown, complaints = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, shown) == (code, out), complaints
    assert "Traceback" not in complaints
    assert err in (None, complaints)
    assert not (tmp_path / "out").exists()
