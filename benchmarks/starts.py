"""Commands from a cold and from a warm start, each in a fresh process, and where their time goes.

*Cold* is the first run ever on a machine: nothing of ours has been compiled, and matplotlib has not looked for its
fonts yet. Both are kept in directories that are empty for the cold start and stay for the warm ones.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.effort import Effort
from benchmarks.timing import Spread, Work, in_turns, note, seconds_of, spread, wall

PAPER = ("-m", "belated.cli", "paper", "--out")
SMALL = {
    "python, nothing else": ("-c", "pass"),
    "import belated": ("-c", "import belated"),
    "belated --help": ("-m", "belated.cli", "--help"),
}
"""Commands that should cost next to nothing, and what nothing costs."""

MOST_PACKAGES = 8
"""How many packages the table of imports names."""

IMPORT_LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \| +(\S+)")


class Starts(NamedTuple):
    """Seconds of the commands, and of the parts of ``belated paper``.

    ``imports`` are those of a warm start, by package.
    """

    cold: float
    warm: Spread
    small: dict[str, Spread]
    cold_parts: dict[str, float]
    warm_parts: dict[str, float]
    imports: dict[str, float]


def measure(effort: Effort) -> Starts:
    """Everything about starting."""
    with tempfile.TemporaryDirectory() as place:
        cache, out = _caches(Path(place, "first")), str(Path(place, "out"))
        note("belated paper, cold")
        cold = seconds_of(lambda: _call([*PAPER, out], cache), wall)
        note("belated paper, warm")
        warm = [seconds_of(lambda: _call([*PAPER, out], cache), wall) for _ in range(effort.warm_starts)]
        note("the parts of belated paper")
        profile, fresh = ["-m", "benchmarks.start_profile", out], _caches(Path(place, "second"))
        cold_parts, warm_parts = (json.loads(_call(profile, fresh).stdout) for _ in range(2))
        imports = _by_package(_call(["-X", "importtime", *PAPER, out], cache).stderr)
    note("small commands")
    small = in_turns({name: Work(partial(_call, line), 1) for name, line in SMALL.items()}, effort.repetitions, wall)
    taken = {name: spread(samples) for name, samples in small.items()}
    return Starts(cold, spread(warm), taken, cold_parts, warm_parts, imports)


def _caches(place: Path) -> dict[str, str]:
    """Where numba and matplotlib are to keep things."""
    return {"NUMBA_CACHE_DIR": str(place / "numba"), "MPLCONFIGDIR": str(place / "matplotlib")}


def _call(line: list[str] | tuple[str, ...], more: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    whole, environment = [sys.executable, *line], os.environ | (more or {})
    return subprocess.run(whole, check=True, capture_output=True, text=True, env=environment)  # noqa: S603  # ourselves


def _by_package(report: str) -> dict[str, float]:
    """Seconds that importing each package took, without the others that it imports; the longest first."""
    found: defaultdict[str, float] = defaultdict(float)
    for microseconds, module in IMPORT_LINE.findall(report):
        top = module.partition(".")[0]
        found["Python's own" if top.lstrip("_") in STANDARD else top] += int(microseconds) / 1e6
    ordered = sorted(found.items(), key=lambda item: -item[1])
    rest = sum(seconds for _, seconds in ordered[MOST_PACKAGES:])
    return dict(ordered[:MOST_PACKAGES]) | {"all others": rest}


STANDARD = {name.lstrip("_") for name in sys.stdlib_module_names}
