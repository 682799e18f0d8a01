"""What was measured, as tables in Markdown and as plain data in JSON."""

import json
import os
import platform
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numba
import numpy as np

import belated
from benchmarks.c_loop import FLAGS
from benchmarks.loops import NUMPY, SIMULATE, TUNED, C, Speed
from benchmarks.promises import Findings, Promise, promises
from benchmarks.scaling import Scaling
from benchmarks.starts import Starts
from benchmarks.timing import Spread

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def circumstances(compiler: str | None) -> dict[str, str]:
    """When and on what; the load before anything of ours ran tells how much the machine had to do for others."""
    load = ", ".join(f"{each:.2f}" for each in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": platform.platform(),
        "load average at the start": load,
        "versions": f"belated {belated.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"numba {numba.__version__}, matplotlib {matplotlib.__version__}",
        "C": f"{_version(compiler)}, {' '.join(FLAGS)}" if compiler else "no compiler found, so there is no C column",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _version(compiler: str) -> str:
    done = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True)  # noqa: S603  # found by us
    return done.stdout.splitlines()[0]


def as_json(found: Findings, about: Mapping[str, str]) -> str:
    """Everything, with seconds as seconds."""
    kept = [promise._asdict() | {"verdict": promise.verdict} for promise in promises(found)]
    return json.dumps({"about": about, "promises": kept, "findings": _plain(found)}, indent=1)


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {name: _plain(field) for name, field in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def as_markdown(found: Findings, about: Mapping[str, str]) -> str:
    """The whole report."""
    parts = [
        "# Benchmarks",
        "\n".join(f"- {name}: {text}" for name, text in about.items()),
        "Numbers are medians, with quartiles in brackets. Contenders took turns, and each ratio is "
        "of two runs that followed one another. "
        "Seconds are those of the processor, except for several cores and for starts, where the wall's clock counts.",
        "## Targets",
        promise_table(promises(found)),
        "## DOGD-SC against C and NumPy",
        'Rounds a second, one worker; drawing the losses is part of every contender. Setting "low" of the paper.',
        _dimensions(found.dimensions),
        "![Rounds a second against the dimension, and learners beside C](speed.png)",
        "## The learners of the paper at n = 10",
        "*A point* is one of those that a learner plays in a round: its cost, in rounds of DOGD-SC.",
        _learners(found),
        "## ask and tell, n = 10",
        ("After compiling." if found.players.compiled else "Not compiled: this version has no `player.compile`."),
        _players(found),
        "## Scaling",
        "DOGD-SC, n = 10 unless the table says otherwise. The exponent is the slope of log time against log size.",
        _scaling("T", "a round", found.rounds),
        _scaling("n", "a round", found.dims),
        _scaling("longest delay", "a round", found.delay),
        *([] if found.delay_in_c is None else [_scaling("longest delay, in C", "a round", found.delay_in_c)]),
        _scaling("seeds", "in all", found.seeds),
        _cores(found),
        "![Time against rounds, dimension, longest delay and seeds](scaling.png)",
        "## Peak memory, n = 10",
        table(("T", "MB"), [(f"{rounds:.0e}", f"{peak:.1f}") for rounds, peak in found.peaks.items()]),
        *([] if found.starts is None else _starts(found.starts)),
    ]
    return "\n\n".join(parts) + "\n"


def promise_table(kept: Sequence[Promise]) -> str:
    """The verdicts."""
    return table(("", "claim", "found"), [(each.verdict, each.claim, each.found) for each in kept])


def _dimensions(speeds: Sequence[Speed]) -> str:
    header = ("n", *(f"{who}, rounds/s" for who in (SIMULATE, C, NUMPY, TUNED)), "of C", "x NumPy", "x NumPy, tuned")
    rows = [
        (
            str(speed.dim),
            *(_rate(speed.seconds.get(who)) for who in (SIMULATE, C, NUMPY, TUNED)),
            *(_ratio(speed.times_as_fast.get(who)) for who in (C, NUMPY, TUNED)),
        )
        for speed in speeds
    ]
    return table(header, rows)


def _learners(found: Findings) -> str:
    rows = [
        (
            speed.learner,
            str(speed.points),
            _rate(speed.seconds[SIMULATE]),
            _rate(speed.seconds.get(C)),
            _ratio(speed.times_as_fast.get(C)),
            _ratio(found.costs[speed.learner]),
        )
        for speed in found.learners
    ]
    return table(("learner", "points per round", "simulate, rounds/s", "C, rounds/s", "of C", "a point"), rows)


def _players(found: Findings) -> str:
    players = found.players
    rows = [
        (who, _span(took), _ratio(players.of_numpy[who]) if who in players.of_numpy else "1")
        for who, took in players.seconds.items()
    ]
    return table(("", "time a round", "in rounds of the NumPy loop"), rows)


def _scaling(size: str, what: str, found: Scaling) -> str:
    rows = [(f"{each:,}", _span(took)) for each, took in found.seconds.items()]
    return table((size, f"time {what}"), [*rows, ("exponent", f"{found.exponent:.3f}")])


def _cores(found: Findings) -> str:
    cores = found.cores
    rows = [(str(number), _span(took)) for number, took in cores.seconds.items()]
    title = f"time for {cores.seeds} seeds of {cores.rounds:.0e} rounds"
    gains = [("gain", _ratio(cores.gain)), ("gain of loops in C at the same time", _ratio(cores.possible))]
    return table(("cores", title), rows + gains)


def _starts(starts: Starts) -> list[str]:
    times = [("belated paper, cold", duration(starts.cold)), ("belated paper, warm", _span(starts.warm))]
    times += [(name, _span(took)) for name, took in starts.small.items()]
    cold, warm = starts.cold_parts, starts.warm_parts
    parts = [(name, duration(took), duration(warm.get(name, 0.0))) for name, took in cold.items()]
    parts.append(("sum", duration(sum(cold.values())), duration(sum(warm.values()))))
    return [
        "## Starts",
        "*Cold* is the first start ever, with nothing compiled and no fonts looked for yet.",
        table(("command", "time"), times),
        "The parts of `belated paper`, on one core:",
        table(("part", "cold", "warm"), parts),
        "![The parts of a cold and of a warm start](starts.png)",
        "Imports of a warm start by package, each without what it imports from others:",
        table(("package", "time"), [(name, duration(took)) for name, took in starts.imports.items()]),
    ]


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    size, unit = next(((size, unit) for size, unit in UNITS if seconds >= size), UNITS[-1])
    return f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:.0f} {unit}"


def _span(took: Spread) -> str:
    return f"{duration(took.median)} ({duration(took.low)} to {duration(took.high)})"


def _rate(took: Spread | None) -> str:
    return "-" if took is None else f"{round(float(f'{1 / took.median:.3g}')):,}"


def _ratio(found: Spread | None) -> str:
    if found is None:
        return "-"
    digits = 0 if found.median >= 10 else 2
    return f"{found.median:.{digits}f} ({found.low:.{digits}f} to {found.high:.{digits}f})"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
