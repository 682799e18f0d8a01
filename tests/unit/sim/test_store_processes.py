"""A store and real processes: a Ctrl-C in the middle, two that go on at once, and the bits of an uninterrupted run."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belated.sim import plan
from belated.sim.store_keys import Keys
from support import store_process
from support.processes import hear_ctrl_c
from support.store_process import LEARNERS, NEVER_SLOW, SEEDS, simulated

FINISHED = 3
"""Seeds that are finished when Ctrl-C comes."""


@pytest.fixture
def short_chunks(monkeypatch):
    """As in the processes: how sums are cut decides their last bits."""
    monkeypatch.setattr(plan, "LEAST_ROUNDS_PER_CHUNK", 10)
    monkeypatch.setattr(plan, "MOST_ROUNDS_PER_CHUNK", 10)


def started(folder, slow_from):
    """A process that has imported everything and waits."""
    return subprocess.Popen(
        [sys.executable, store_process.__file__, str(folder), str(slow_from)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )


def ready(process):
    assert process.stdout.readline() == "ready\n", process.stderr.read()


def ended(process):
    """What it says at its end."""
    out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    return json.loads(out.splitlines()[-1])


def begin(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def test_after_ctrl_c_two_processes_go_on_at_once_to_the_bits_of_an_uninterrupted_run(tmp_path, short_chunks):
    """The second of the two is this one."""
    processes = stopped, other = [started(tmp_path, slow_from) for slow_from in (FINISHED, NEVER_SLOW)]
    try:
        whole = simulated(None)  # while both import what they need
        for each in processes:
            ready(each)
        begin(stopped)
        assert stopped.stdout.readline() == "slow\n"
        stopped.send_signal(signal.SIGINT)
        interrupted, seeds, _, ran = ended(stopped)
        assert (interrupted, seeds, ran) == (True, [0, 1, 2], [0, 1, 2, 3])
        kept = {path: path.read_bytes() for path in tmp_path.iterdir()}
        assert len(kept) == FINISHED * (len(LEARNERS) + 1)

        begin(other)
        here = simulated(tmp_path)
        interrupted, seeds, bits, ran = ended(other)
    finally:
        for each in processes:
            each.kill()
            each.communicate()
    assert here == (interrupted, seeds, bits) == whole
    assert set(ran) <= {3, 4}, "what was finished is not run again"
    assert {path: path.read_bytes() for path in kept} == kept
    assert len(list(tmp_path.iterdir())) == SEEDS * (len(LEARNERS) + 1), "nothing unfinished is left"


def test_a_store_that_confuses_seeds_would_have_other_bits(tmp_path: Path, monkeypatch, short_chunks):
    """The mutant, by which the comparison of bits is seen to be one."""
    assert simulated(tmp_path / "good") == simulated(None)
    of_seed = Keys.of_seed
    monkeypatch.setattr(Keys, "of_seed", lambda self, seed: of_seed(self, 0))
    simulated(tmp_path / "bad")
    assert simulated(tmp_path / "bad") != simulated(None)
