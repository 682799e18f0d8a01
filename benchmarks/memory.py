"""Peak memory of a short and of a long run of DOGD-SC at n = 10, each in a process of its own.

``python -m benchmarks.memory ROUNDS`` is such a process.
"""

import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.effort import Effort
from benchmarks.setup import simulated
from benchmarks.timing import note


def peaks(effort: Effort) -> dict[int, float]:
    """Megabytes by number of rounds."""
    found = {}
    for rounds in effort.memory_horizons:
        note(f"peak memory at T = {rounds:.0e}")
        line = [sys.executable, "-m", "benchmarks.memory", str(rounds)]
        done = subprocess.run(line, check=True, capture_output=True, text=True)  # noqa: S603  # this file
        found[rounds] = float(done.stdout)
    return found


def own_peak() -> float:
    """The most that this process has had so far, in megabytes.

    Linux gives a new process its parent's peak as ``ru_maxrss`` to begin with, so that it is asked for another number.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    simulated("dogd-sc", 10, int(sys.argv[1]))
    sys.stdout.write(f"{own_peak()}\n")
