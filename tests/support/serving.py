"""``belated serve`` that is killed and started again, at the same address and over the same file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from support.served import serving


class ServeProcess:
    """A service over a file of SQLite, with the key of an admin.

    Args:
        folder: Where the file is.
    """

    def __init__(self, folder: Path) -> None:
        self._store, self._life = f"sqlite:///{folder / 'served.db'}", ExitStack()
        self.url, self.key = "http://127.0.0.1:0", ""
        self.start()

    def start(self) -> None:
        """Start it, and return when it serves."""
        port = self.url.rpartition(":")[2]
        served = self._life.enter_context(serving(self._store, "--port", port, key=self.key))
        self.url, self.key = served.address, served.key

    def kill(self) -> None:
        """End it as a failure does; twice does no harm."""
        self._life.close()


@contextmanager
def served(folder: Path) -> Iterator[ServeProcess]:
    """A service that is ended at the end, however that comes."""
    found = ServeProcess(folder)
    try:
        yield found
    finally:
        found.kill()
