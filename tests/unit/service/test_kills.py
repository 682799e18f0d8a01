"""A process that is killed at any moment: what it was answered is there when the store is opened again."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import belated as bl
from belated.journal import verify

CHILD = """
import sys, threading, time
import belated as bl
from belated.journal.sqlite import SqliteStore
from belated.service import door

path, first, hasty = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "hasty"
append = SqliteStore.append

def slowly(store, events):
    time.sleep(0.01)  # so that answers which do not wait for the disk are early by far
    append(store, events)

SqliteStore.append = slowly
if hasty:
    def do(store, desk, command):
        return store.begin(desk, command)[0]

    door.DurableStore.do = do
store = bl.open(f"sqlite:///{path}")
knob, said = store.create("price", bl.dogd_sc(bl.Ball(2), 2.0)), threading.Lock()

def say(*words):
    with said:
        print(*words, flush=True)

def work(name):
    for number in range(10_000):
        key = f"{first}-{name}-{number}"
        play = knob.ask(key=key)
        say("asked", key, play.points.tobytes().hex())
        if number % 3:
            knob.tell([0.5, -0.25], key=key)
            say("told", key)
            if number % 2:
                knob.tell([0.5, -0.25], key=key)

for name in range(4):
    threading.Thread(target=work, args=(name,), daemon=True).start()
time.sleep(60)
"""


def killed(path: Path, run: int, lines: int, way: str) -> list[list[str]]:
    """Everything that a child was answered before it was killed, after so many answers."""
    command = [sys.executable, "-c", CHILD, str(path), str(run), way]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        heard = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        heard += process.stdout.readlines()
    return [line.split() for line in heard if line.endswith("\n")]


def nothing_is_lost(path: Path, way: str, runs: int) -> None:
    rng, heard = np.random.default_rng(0), []
    for run in range(runs):
        heard += killed(path, run, int(rng.integers(1, 60)), way)
        with bl.open(f"sqlite:///{path}") as store:
            journal, knob = store._store, store["price"]
            verify(journal, "price")
            told = [event.decision for event in journal.read("price") if event.kind == "told"]
            assert len(told) == len(set(told))
            for what, key, *points in heard:
                assert knob.ask(key=key).repeated, (what, key)
                if what == "asked":
                    assert [knob.ask(key=key).points.tobytes().hex()] == points
                else:
                    assert key in told


def test_nothing_that_was_answered_is_lost(tmp_path):
    nothing_is_lost(tmp_path / "knob.db", "patient", runs=4)


def test_a_store_that_answers_before_it_has_stored_is_caught(tmp_path):
    with pytest.raises(AssertionError):
        nothing_is_lost(tmp_path / "knob.db", "hasty", runs=4)
