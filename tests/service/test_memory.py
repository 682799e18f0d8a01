"""Memory does not grow with the number of decisions that were asked and settled, through the routes of the service.

The requests are handed to the application without a socket, in batches, so that a million of them take minutes. The
journal is a file: what is in memory is what the service keeps there, and not its events.
"""

import gc
import os
import tracemalloc
from pathlib import Path

import pytest

import belated as bl
from support.doors import NAME, Http

BATCH = 1000
PAGE = os.sysconf("SC_PAGE_SIZE")


def settled(door, first, count):
    """Ask for so many decisions and tell what came of each, in batches of a thousand, a few of them given up."""
    for start in range(first, first + count, BATCH):
        names = [f"decision {number}" for number in range(start, start + BATCH)]
        status, asked = door.post(f"/v1/learners/{NAME}/ask-many", {"asks": [{"decision": name} for name in names]})
        assert (status, len(asked["replies"])) == (200, BATCH)
        *told, last = names
        tells = [{"decision": name, "feedback": [0.001 * (place % 7), -0.25]} for place, name in enumerate(told)]
        status, replies = door.post(f"/v1/learners/{NAME}/tell-many", {"tells": tells})
        assert all(reply["learned"] for reply in replies["replies"])
        assert door.post(f"/v1/learners/{NAME}/give-up", {"decision": last})[0] == 200


def begun(path):
    door = Http(f"sqlite:///{path}", lambda: 1_800_000_000_000_000)
    door.create(bl.dogd_sc(bl.Ball(2), 2.0))
    door.store.desk(NAME).life.compile()  # which would otherwise be done in the middle, and takes memory once
    return door


def grown(door, warm, count):
    """By how many bytes what Python has taken grows over so many decisions, when ``warm`` were settled before."""
    settled(door, 0, warm)
    tracemalloc.start()
    try:
        settled(door, warm, count // 2)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        settled(door, warm + count // 2, count // 2)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_settled_decisions(tmp_path, monkeypatch):
    """The last decisions are kept in memory, here five hundred, so that few are enough to fill that."""
    monkeypatch.setattr("belated.service.decisions.RECENT", 500)
    door = begun(tmp_path / "knob.db")
    assert grown(door, 2000, 4000) < 2000 * 50, "more than 50 bytes for each decision"
    door.close()


def test_a_service_that_forgets_nothing_is_caught(tmp_path, monkeypatch):
    monkeypatch.setattr("belated.service.decisions.RECENT", 10**9)
    door = begun(tmp_path / "knob.db")
    assert grown(door, 2000, 4000) > 2000 * 200
    door.close()


def resident():
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux says how much memory a process has")
def test_a_million_decisions_leave_memory_flat(tmp_path):
    """From the first tenth to the end. Beside ids that were seen, at a few bits for each, nothing is left of them."""
    door = begun(tmp_path / "knob.db")
    settled(door, 0, 100_000)
    gc.collect()
    before = resident()
    settled(door, 100_000, 900_000)
    gc.collect()
    assert resident() - before < 32 * 2**20
    assert door.store.desk(NAME).life.figures.given_up == 1000
    door.close()
