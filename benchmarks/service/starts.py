"""How long a store with many events takes to open, by its events alone and from a snapshot."""

import subprocess
import sys
from pathlib import Path

import belated as bl
from belated.service.desk import Outcome

OPEN = """
import sys, time
import belated as bl
bl.dogd_sc(bl.Ball(10), 2.0).start().compile()
begun = time.perf_counter()
store = bl.open(sys.argv[1])
print(time.perf_counter() - begun)
store._writer.close()
store.journal.close()
"""
"""Opens a store in a process that has loaded everything, and leaves no snapshot behind."""


def filled(path: Path, pairs: int) -> str:
    """A new store with so many decisions, each of them answered, and without a snapshot.

    Args:
        path: The file.
        pairs: How many decisions.

    Returns:
        The address of the store.
    """
    address = f"sqlite:///{path}"
    store = bl.open(address, compiled=True)
    store.create("price", bl.dogd_sc(bl.Ball(10), 2.0))
    desk, feedback = store.desk("price"), [0.1, -0.2] * 5

    def some(now: int) -> Outcome:
        for _ in range(min(pairs, 1000)):
            decision = desk.ask(None, {}, now).reply["decision"]
            desk.tell(decision, {"feedback": feedback}, now)
        return Outcome({})

    for _ in range(max(1, pairs // 1000)):
        store.begin(desk, some)[1].result()
    store._writer.close()  # without a snapshot, which closing the store itself would keep
    store.journal.close()
    return address


def seconds_to_open(address: str) -> float:
    """How long a process that has loaded everything takes to open a store."""
    command = [sys.executable, "-c", OPEN, address]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # ourselves
    return float(done.stdout)


def keep_snapshot(address: str) -> None:
    """Open a store and close it, which keeps a snapshot."""
    bl.open(address, compiled=True).close()
