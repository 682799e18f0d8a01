"""``belated serve`` as a process of its own, and a connection to it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from support import serve_process
from support.processes import hear_ctrl_c

PATIENCE = 300.0
"""So many seconds a reply may take on a busy machine."""

PLAIN = {"NUMBA_DISABLE_JIT": "1"}
"""Nothing is compiled, which no bit depends on and a process that lives for seconds only waits for."""


class Served:
    """A process that serves.

    Args:
        process: The process.
        address: Where it serves, as it said.
        key: The key of an admin: the one that it printed, or the one that was known before.
    """

    def __init__(self, process, address, key):
        self.process, self.address, self.key = process, address, key

    def connected(self, context=None):
        """A new connection; ``context`` is for TLS."""
        place = urlsplit(self.address)
        if context is None:
            return HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
        return HTTPSConnection(place.hostname, place.port, timeout=PATIENCE, context=context)

    def send(self, connection, method, path, body=None):
        """Send a request, to which :meth:`receive` gives the reply."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)

    def done(self, connection, method, path, body=None):
        """Send a request and wait: the status and the values of the reply."""
        self.send(connection, method, path, body)
        return self.receive(connection)

    def receive(self, connection):
        """The next reply: its status, and its values."""
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())

    def end(self, number=signal.SIGTERM):
        """Ask the process to end: its exit code, and everything that it has printed meanwhile."""
        self.process.send_signal(number)
        return self.ended()

    def ended(self):
        """Wait for the end of the process: its exit code, and everything that it has printed meanwhile."""
        said, complained = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said, complained


class Within:
    """A service in this process, for clients that expect a :class:`Served`: a reply is there when a request was sent.

    Args:
        visitor: Sends the requests.
    """

    def __init__(self, visitor):
        self._visitor = visitor

    def connected(self):
        return Waiting([])

    def send(self, connection, method, path, body):
        connection.replies.append(self._visitor.send(method, path, json=body))

    def receive(self, connection):
        reply = connection.replies.pop(0)
        return reply.status_code, reply.json()


class Waiting(NamedTuple):
    """Replies that nobody has looked at yet, in the place of a connection."""

    replies: list[Any]

    def close(self):
        """Nothing is open."""


@contextmanager
def serving(store, *options, key=None, slowly=None, broken=(), environment=PLAIN):
    """``belated serve`` for a store, at any free port; it is killed at the end, if it has not ended before."""
    if slowly is None:
        command = [sys.executable, "-m", "belated.cli", "serve"]
    else:
        command = [sys.executable, serve_process.__file__, str(slowly), *broken]
    with subprocess.Popen(
        [*command, "--store", store, "--port", "0", *options],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    ) as process:
        try:
            for line in process.stdout:
                if line.strip().startswith("bl_"):
                    key = line.strip()
                if line.startswith("Serving "):
                    break
            else:
                raise AssertionError(f"it does not serve: {process.stderr.read()}")
            yield Served(process, line.split(" at ")[-1].strip(), key)
        finally:
            process.kill()
