"""Processes that serve: the service on a new store, and the bare application."""

import json
import math
import re
import resource
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

PATIENCE = 120.0
"""Seconds in which a server must have started, also one that compiles for the first time."""

PAIRS = Path(__file__).with_name("pairs.lua")

PRICE = {
    "name": "price",
    "make": {"algorithm": "dogd_sc", "arguments": {"domain": {"Ball": {"dim": 10}}, "strong_convexity": 2.0}},
}
"""The learner that decides: that of the paper, in ten dimensions."""


class Served(NamedTuple):
    """A server that answers."""

    process: "subprocess.Popen[str]"
    port: int
    key: str

    @property
    def megabytes(self) -> float:
        """How much memory it holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def requests(self, connections: int, seconds: float) -> float:
        """Requests a second of asks and tells, by wrk if it is installed, which costs the least, else by Python."""
        tool = shutil.which("wrk")
        if tool is None:
            done = self.load(connections, seconds)
            return float(done["requests"] / done["seconds"])
        command = [tool, "-t1", f"-c{connections}", f"-d{math.ceil(seconds)}", "-s", str(PAIRS)]
        command += [f"http://127.0.0.1:{self.port}", "--", self.key, uuid.uuid4().hex[:8]]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  # found by us
        if "Non-2xx" in said or "Socket errors" in said:
            raise RuntimeError(f"requests were refused: {said}")
        return float(said.partition("Requests/sec:")[2].split()[0])

    def load(self, connections: int, seconds: float, batch: int = 0) -> dict[str, Any]:
        """Let clients in another process work, and return what they did."""
        command = [sys.executable, "-m", "benchmarks.service.load", str(self.port), self.key]
        command += [str(connections), str(seconds), str(batch)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # ourselves
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@contextmanager
def service(store: str, files: int | None = None) -> Iterator[Served]:
    """``belated serve`` on a store, with the learner of these measurements, and perhaps a limit of open files."""

    def limit() -> None:
        if files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    command = [sys.executable, "-m", "belated.cli", "serve", "--store", store, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=limit) as process:  # noqa: S603
        try:
            said = ""
            for line in process.stdout or ():
                said += line
                if "Serving" in line:
                    break
            key = re.search(r"bl_\S+", said)
            port = int(said.rpartition(":")[2])
            served = Served(process, port, key[0] if key else "")
            if key:
                _create(served)
            yield served
        finally:
            process.terminate()


@contextmanager
def bare(port: int) -> Iterator[Served]:
    """The bare application at a port."""
    command = [sys.executable, "-m", "benchmarks.service.bare", str(port)]
    with subprocess.Popen(command, text=True) as process:  # noqa: S603  # ourselves
        try:
            _wait(port)
            yield Served(process, port, "none")
        finally:
            process.terminate()


def _create(served: Served) -> None:
    request = urllib.request.Request(  # it is ours
        f"http://127.0.0.1:{served.port}/v1/learners",
        json.dumps(PRICE).encode(),
        {"Authorization": f"Bearer {served.key}", "Content-Type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=PATIENCE).read()  # noqa: S310  # it is ours


def _wait(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1.0).read()
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"nobody answers at port {port}")
