"""``python -m benchmarks``: measure everything, write tables and figures, and say which promises were kept.

The exit code is 0 unless something crashed or the contenders disagree: speed is looked at, never asserted.
"""

import argparse
import sys
import time
from pathlib import Path

from benchmarks import loops, memory, players, plots, report, scaling, starts
from benchmarks.c_loop import CLoops, compiler
from benchmarks.effort import FULL, QUICK, Effort
from benchmarks.promises import Findings, promises
from benchmarks.timing import note


def main() -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure how fast belated is.")
    parser.add_argument("--quick", action="store_true", help="a glance of about a minute, with rough numbers")
    parser.add_argument("--out", type=Path, default=Path("out", "bench"), metavar="DIR", help="default: out/bench")
    options = parser.parse_args()
    begun = time.perf_counter()
    command = compiler()
    about = report.circumstances(command)
    found = measured(None if command is None else CLoops(command), QUICK if options.quick else FULL)
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    about["measured in"] = f"{time.perf_counter() - begun:.0f} s{', with --quick' if options.quick else ''}"
    (out / "bench.json").write_text(report.as_json(found, about), encoding="utf-8")
    (out / "bench.md").write_text(report.as_markdown(found, about), encoding="utf-8")
    for name, drawing in plots.drawings(found).items():
        (out / name).write_bytes(drawing)
    for promise in promises(found):
        sys.stdout.write(f"{promise.verdict:<13} {promise.claim}: {promise.found}\n")
    sys.stdout.write(f"\nReport:   {out / 'bench.md'} ({about['measured in']})\n")
    return 0


def measured(c_loops: CLoops | None, effort: Effort) -> Findings:
    """Everything, one after the other."""
    if c_loops is None:
        note("there is no C compiler (cc, or $CC), so nothing is compared with C")
    dimensions = loops.measure_dimensions(c_loops, effort)
    learners, costs = loops.measure_learners(c_loops, effort)
    return Findings(
        dimensions,
        learners,
        costs,
        players.measure(effort),
        scaling.against_rounds(effort),
        scaling.scaling({speed.dim: speed.seconds[loops.SIMULATE] for speed in dimensions}),
        *scaling.against_delay(c_loops, effort),
        scaling.against_seeds(effort),
        scaling.against_cores(c_loops, effort),
        memory.peaks(effort),
        starts.measure(effort) if effort.warm_starts else None,
    )


if __name__ == "__main__":
    sys.exit(main())
