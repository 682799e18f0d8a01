"""``belated paper`` with a clock at every part of it: a process of its own, which prints seconds by part as JSON.

It runs on one core, so that nothing is done at the same time as something else and the parts add up. What its worker
thread spends on the best fixed decisions is taken from what the main thread sees as the run.
"""

import importlib
import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

IMPORTS, CODE, RUNS, BESTS = "imports", "compiling or loading code", "running", "best fixed decisions"
FIGURES, REPORT, CLAIMS = "figures", "report and files", "claims and summary"


class Clock:
    """Seconds by part; those of a part within another one count for the inner one only."""

    def __init__(self) -> None:
        self.main: defaultdict[str, float] = defaultdict(float)
        self.worker: defaultdict[str, float] = defaultdict(float)
        self._within = threading.local()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """The time of what is done meanwhile."""
        outer, self._within.inner = getattr(self._within, "inner", 0.0), 0.0
        start = time.perf_counter()
        try:
            yield
        finally:
            taken = time.perf_counter() - start
            own = self.main if threading.current_thread() is threading.main_thread() else self.worker
            own[name] += taken - self._within.inner
            self._within.inner = outer + taken

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, whose time counts for a part."""

        def call(*arguments: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*arguments, **named)

        return call

    def parts(self) -> dict[str, float]:
        """All of them; the main thread waited while the worker thread worked."""
        found = dict(self.main)
        for name, seconds in self.worker.items():
            found[name] = found.get(name, 0.0) + seconds
            found[RUNS] -= seconds
        return found


def profiled(out: Path) -> dict[str, float]:
    """The parts of ``belated paper``."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    clock = Clock()
    with clock.part(IMPORTS):
        from belated.core import compiling

        # Before the others are imported, which take the name from there.
        compiling.compiled = clock.timed(CODE, compiling.compiled)
        from belated.papers import claims, figures, summary, wan2021
        from belated.sim.hindsight.searches import Search

        importlib.import_module("belated.papers.report")  # which `write` imports
    for method in ("take", "bests"):
        setattr(Search, method, clock.timed(BESTS, getattr(Search, method)))
    figures.draw = clock.timed(FIGURES, figures.draw)
    with clock.part(RUNS):
        reproduction = wan2021.reproduce()
    with clock.part(REPORT):
        wan2021.write(reproduction, out)
    with clock.part(CLAIMS):
        claims.claims(reproduction)
        summary.as_text(summary.rows(reproduction))
    return clock.parts()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(profiled(Path(sys.argv[1]))))
