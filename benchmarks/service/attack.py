"""``python -m benchmarks.service.attack``: what clients notice of thousands that connect and never come to an end.

A service with 1,024 file handles is measured by turns alone and under attack. The exit code is 1 if a client that works
or a probe of ``/healthz`` was not answered.
"""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.service.servers import Served, service
from benchmarks.timing import note

FILES, CONNECTIONS, PROBE = 1024, 64, 0.5
HALF, SLOW, READERS = 5000, 200, 20


class Prober:
    """Asks ``/healthz`` twice a second, each time on a connection of its own.

    Args:
        port: Where the service is.
    """

    def __init__(self, port: int) -> None:
        self._address, self._ends = f"http://127.0.0.1:{port}/healthz", threading.Event()
        self.seconds, self.failed = list[float](), list[str]()
        self._thread = threading.Thread(target=self._probe)

    def _probe(self) -> None:
        while not self._ends.wait(PROBE):
            begun = time.perf_counter()
            try:
                urllib.request.urlopen(self._address, timeout=10.0).read()  # noqa: S310  # ours
            except OSError as error:
                self.failed.append(str(error))
            self.seconds.append(time.perf_counter() - begun)

    def __enter__(self) -> "Prober":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ends.set()
        self._thread.join()


@contextmanager
def attacked(served: Served, *numbers: int) -> Iterator[list[int]]:
    """Attack a service; how often attackers were closed is known at the end."""
    command = [sys.executable, "-m", "benchmarks.service.attackers", str(served.port), served.key, *map(str, numbers)]
    closed = list[int]()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdin is not None  # noqa: S101  # for types
        assert process.stdout is not None  # noqa: S101
        process.stdout.readline()
        yield closed
        process.stdin.close()
        closed.append(int(process.stdout.readline()))


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service.attack", description="Attack a service.")
    parser.add_argument("--pairs", type=int, default=5, help="so many turns alone and under attack (default: 5)")
    parser.add_argument("--seconds", type=float, default=10.0, help="the length of each (default: 10)")
    parser.add_argument("--half", type=int, default=HALF, help=f"connections that stay half open (default: {HALF})")
    parser.add_argument("--slow", type=int, default=SLOW, help=f"slow ones (default: {SLOW})")
    parser.add_argument("--readers", type=int, default=READERS, help=f"who do not read (default: {READERS})")
    options = parser.parse_args()
    alone, under, closed = list[float](), list[float](), list[int]()
    with tempfile.TemporaryDirectory() as folder, service(f"sqlite:///{folder}/attack.db", FILES) as live:
        live.requests(CONNECTIONS, 2.0)
        first = live.megabytes
        with Prober(live.port) as prober:
            for pair in range(options.pairs):
                note(f"pair {pair + 1} of {options.pairs}")
                alone.append(live.requests(CONNECTIONS, options.seconds))
                with attacked(live, options.half, options.slow, options.readers) as found:
                    under.append(live.requests(CONNECTIONS, options.seconds))
                closed += found
        last, files = live.megabytes, len(list(Path(f"/proc/{live.process.pid}/fd").iterdir()))
    ratios = sorted(each / other for each, other in zip(under, alone, strict=True) if other)
    sys.stdout.write(
        f"{FILES} file handles, {options.half:,} half-open connections, {options.slow:,} slow ones, "
        f"{options.readers:,} that do not read\n"
        f"requests a second: {median(alone):,.0f} alone, {median(under):,.0f} under attack; "
        f"median ratio {median(ratios):.2f} ({', '.join(f'{each:.2f}' for each in ratios)})\n"
        f"connections of attackers that were closed, in each turn: {closed}\n"
        f"/healthz on a new connection: {len(prober.seconds)} times, {len(prober.failed)} not answered, "
        f"median {median(prober.seconds) * 1000:.0f} ms, longest {max(prober.seconds) * 1000:.0f} ms\n"
        f"memory: {first:.0f} MB before, {last:.0f} MB after; {files} open files at the end\n"
    )
    return 1 if prober.failed else 0


if __name__ == "__main__":
    sys.exit(main())
