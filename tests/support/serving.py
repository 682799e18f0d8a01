"""``belated serve`` as a process of its own, which can be ended, killed and started again at the same address."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACE, FIRST = "Serving ", "bl_"
"""How the line begins that says where it serves, and how keys do."""

PLAIN = {"NUMBA_DISABLE_JIT": "1"}
"""Short lives are not compiled, which would take most of their time and changes no bit."""


class ServeProcess:
    """A service over a file of SQLite.

    Args:
        folder: Where the file is.
    """

    def __init__(self, folder: Path) -> None:
        self._store, self._port = f"sqlite:///{folder / 'served.db'}", "0"
        self.url = self.key = ""
        self.start()

    def start(self) -> None:
        """Start it, and return when it serves."""
        command = [sys.executable, "-m", "belated.cli", "serve", "--store", self._store, "--port", self._port]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **PLAIN})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip().startswith(FIRST):
                self.key = line.strip()
            if line.startswith(PLACE):
                self.url = line.split()[-1]
                self._port = self.url.rpartition(":")[2]
                return
        raise AssertionError(f"it has ended with {self._process.wait()}")

    def stop(self) -> int:
        """Let it end as an operator does; its exit code."""
        self._process.terminate()
        return self._ended()

    def kill(self) -> None:
        """Let it end as a failure does."""
        self._process.kill()
        self._ended()

    def _ended(self) -> int:
        assert self._process.stdout is not None
        self._process.stdout.close()
        return self._process.wait()


@contextmanager
def served(folder: Path) -> Iterator[ServeProcess]:
    """A service that is ended at the end, however that comes."""
    found = ServeProcess(folder)
    try:
        yield found
    finally:
        found.kill()
