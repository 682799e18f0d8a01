"""``python -m benchmarks.service``: measure the service, and say which promises were kept.

The service and the bare application take turns, and their ratio is that of neighbours. The exit code is 0 unless
something crashed: speed is looked at, never asserted.
"""

import argparse
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.promises import Promise
from benchmarks.service import optuna_loop, starts
from benchmarks.service.servers import Served, bare, service
from benchmarks.timing import Spread, note, spread

CONNECTIONS, BATCH_CONNECTIONS, BATCH = 64, 4, 1000


class Effort(NamedTuple):
    """How long each thing is measured."""

    turns: int
    seconds: float
    settled: int
    stored: int


FULL, QUICK = Effort(5, 4.0, 1_000_000, 500_000), Effort(2, 1.0, 50_000, 20_000)


class Found(NamedTuple):
    """What was measured."""

    ours: Spread
    bare: Spread
    ratio: Spread
    batch: Spread
    optuna: float
    megabytes: list[float]
    settled: int
    events: int
    from_events: float
    from_snapshot: float


def main() -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description="Measure the service.")
    parser.add_argument("--quick", action="store_true", help="a glance of a minute, with rough numbers")
    parser.add_argument("--out", type=Path, default=Path("out", "bench-service"), metavar="DIR", help="for the report")
    options = parser.parse_args()
    begun, load = time.perf_counter(), os.getloadavg()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), QUICK if options.quick else FULL)
    lines = [f"{promise.verdict:<13} {promise.claim}: {promise.found}" for promise in promises(found)]
    lines += [f"\nLoad of the machine at the start: {load[0]:.2f}; measured in {time.perf_counter() - begun:.0f} s."]
    options.out.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    (options.out / "report.txt").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{text}Report: {options.out / 'report.txt'}; once more: make bench-service\n")
    return 0


def measured(folder: Path, effort: Effort) -> Found:
    """Everything, in a folder for the stores."""
    ours, theirs, batches = [], [], []
    with service(f"sqlite:///{folder}/load.db") as live, bare(_free_port()) as still:
        for turn in range(effort.turns + 1):
            note(f"turn {turn} of {effort.turns}")
            theirs.append(still.requests(CONNECTIONS, effort.seconds))
            ours.append(live.requests(CONNECTIONS, effort.seconds))
            batches.append(_batches(live, effort.seconds))
    note("memory")
    with service(f"sqlite:///{folder}/memory.db") as live:
        megabytes = _memory(live, effort.settled)
    note("opening a large store")
    address = starts.filled(folder / "large.db", effort.stored)
    from_events = median(starts.seconds_to_open(address) for _ in range(3))
    starts.keep_snapshot(address)
    from_snapshot = median(starts.seconds_to_open(address) for _ in range(3))
    note("Optuna")
    optuna = optuna_loop.pairs_per_second(folder / "optuna.db", 2 * effort.seconds)
    ratios = [mine / other for mine, other in zip(ours[1:], theirs[1:], strict=True)]
    return Found(
        spread(ours[1:]),
        spread(theirs[1:]),
        spread(ratios),
        spread(batches[1:]),
        optuna,
        megabytes,
        effort.settled,
        2 * effort.stored,
        from_events,
        from_snapshot,
    )


def _batches(served: Served, seconds: float) -> float:
    done = served.load(BATCH_CONNECTIONS, seconds, BATCH)
    return float(2 * done["pairs"] / done["seconds"])


def _memory(served: Served, settled: int) -> list[float]:
    """Megabytes soon after the start, when three fifths of ``settled`` have settled, and after so many more.

    The filter of ids grows in steps: its third part comes after 0.4 million decisions and its fourth after three
    million, so that there is none within the last measurement of a million.
    """
    done, found = 0, list[float]()
    for until in (settled // 20, settled * 3 // 5, settled * 8 // 5):
        while done < until:
            done += served.load(BATCH_CONNECTIONS, 2.0, BATCH)["pairs"]
        found.append(served.megabytes)
    return found


def promises(found: Found) -> list[Promise]:
    """What we aim at, and whether it was reached in this run."""
    pairs = found.ours.median / 2
    first, early, late = found.megabytes
    return [
        Promise(
            f"at {CONNECTIONS} connections at least half the requests of a bare application",
            f"{found.ratio.median:.2f} ({found.ratio.low:.2f} to {found.ratio.high:.2f}): "
            f"{found.ours.median:,.0f} beside {found.bare.median:,.0f} a second",
            found.ratio.median >= 0.5,
        ),
        Promise(
            "at least 40,000 decisions and feedbacks a second by batches",
            f"{found.batch.median:,.0f} ({found.batch.low:,.0f} to {found.batch.high:,.0f})",
            found.batch.median >= 40_000,
        ),
        Promise(
            "at least 100 times the asks and tells of Optuna on SQLite",
            f"{pairs / found.optuna:,.0f} times by single requests, {found.batch.median / 2 / found.optuna:,.0f} by "
            f"batches; Optuna {found.optuna:.0f} a second",
            pairs >= 100 * found.optuna,
        ),
        Promise(
            f"memory flat over {found.settled:,} settled decisions",
            f"{early:.0f} MB before, {late:.0f} MB after them; {first:.0f} MB soon after the start",
            late <= 1.1 * early,
        ),
        Promise(f"{found.events:,} events opened within 10 s", f"{found.from_events:.1f} s", found.from_events <= 10.0),
        Promise("the same from a snapshot within 1 s", f"{found.from_snapshot:.2f} s", found.from_snapshot <= 1.0),
    ]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
