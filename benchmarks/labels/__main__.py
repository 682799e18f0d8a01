"""``python -m benchmarks.labels``: measure everything, write tables, and say which promises were kept.

The exit code is 0 unless something crashed: quality and speed are looked at, never asserted.
"""

import argparse
import sys
import time
from pathlib import Path

from benchmarks.labels import large, live, purchases, quality, report, speed
from benchmarks.labels.effort import FULL, QUICK
from benchmarks.labels.promises import Findings, promises


def main() -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.labels", description="Measure models with late labels.")
    parser.add_argument("--quick", action="store_true", help="a glance of about a minute, with rough numbers")
    parser.add_argument("--out", type=Path, default=Path("out", "bench-labels"), metavar="DIR", help="for the tables")
    options = parser.parse_args()
    effort, begun, about = QUICK if options.quick else FULL, time.perf_counter(), report.about()
    found = Findings(
        speed=speed.measure(effort),
        live=live.measure(effort),
        purchases=purchases.measure(effort),
        quality=quality.measure(effort),
        large=large.measure(effort),
    )
    about["measured in"] = f"{time.perf_counter() - begun:.0f} s{', with --quick' if options.quick else ''}"
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    tables = report.tables(found)
    for each in tables:
        (out / f"{each.name}.csv").write_text(report.as_csv(each), encoding="utf-8")
    (out / "report.md").write_text(report.as_markdown(tables, about), encoding="utf-8")
    for promise in promises(found):
        sys.stdout.write(f"{promise.verdict:<13} {promise.claim}: {promise.found}\n")
    sys.stdout.write(f"\nReport:   {out / 'report.md'} ({about['measured in']})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
