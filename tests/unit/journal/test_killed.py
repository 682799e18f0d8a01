"""A process that is killed while it writes: what it has confirmed is there, and the store can be opened at once."""

import os
import random
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

import belated
from belated.core.errors import StoreInUse
from belated.journal import open_store, verify
from support import journal_process

PATHS = os.pathsep.join([str(Path(belated.__file__).parents[1]), str(Path(journal_process.__file__).parents[1])])


@contextmanager
def writing(address, *options):
    """A process that writes to a store; it is killed at the end, if not before."""
    command = [sys.executable, journal_process.__file__, address, *options]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "open\n"
            yield process
        finally:
            process.kill()


def opened(address):
    """A store whose last process has just been killed; a server needs a moment to notice that."""
    for _ in range(1000):
        try:
            return open_store(address)
        except StoreInUse:
            if address.startswith("sqlite"):
                raise
            time.sleep(0.01)
    raise AssertionError("the lock stays")


def check_a_kill(address, lines, *options):
    """Kill the process when it has said so many numbers, and compare with all that it has said."""
    with writing(address, *options) as process:
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        said += process.stdout.read().splitlines()  # what it said before it was dead
    with closing(opened(address)) as store:
        found = verify(store, "a")
        assert found.events >= max(int(each) for each in said if each.strip())


@pytest.mark.parametrize("seed", range(5))
def test_what_a_killed_process_has_confirmed_is_there(tmp_path, seed):
    check_a_kill(f"sqlite:///{tmp_path}/store.db", random.Random(seed).randint(1, 200))


def test_what_a_killed_process_has_confirmed_is_on_the_server(databases):
    check_a_kill(databases.new_address(), 30)


def test_a_process_that_confirms_before_it_stores_is_caught(tmp_path):
    with pytest.raises(AssertionError):
        check_a_kill(f"sqlite:///{tmp_path}/store.db", 50, "--hopeful")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_second_process_is_refused_until_the_first_is_killed(request, tmp_path, kind):
    if kind == "sqlite":
        address = f"sqlite:///{tmp_path}/store.db"
    else:
        address = request.getfixturevalue("databases").new_address()
    with writing(address) as process, pytest.raises(StoreInUse, match="in use") as caught:
        open_store(address)
    assert kind == "postgresql" or f"process {process.pid}" in str(caught.value)
    opened(address).close()
