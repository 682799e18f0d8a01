"""``belated serve`` as a process of its own, and a connection to it."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

import belated as bl
from belated.service.http import connections
from belated.service.http.service import Service
from belated.service.http.serving import Server, opened_socket
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


def make_certificate(chain, key):
    """Write a certificate that signs itself, and its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("there is no program openssl to make a certificate with")
    options = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    options += ["-subj", "/CN=localhost"]
    options += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(chain)]
    subprocess.run([program, *options], check=True, capture_output=True)


class ServedHere(Served):
    """A service in a thread of this process, whose time passes only when that is wanted.

    Args:
        address: Where it serves.
        key: The key of an admin.
        store: Its store.
        server: The server.
        room: Its connections.
        loop: Its event loop.
        clock: The time, in seconds.
    """

    def __init__(self, address, key, store, server, room, loop, clock):
        super().__init__(None, address, key)
        self.store, self._server, self.room, self._loop, self._clock = store, server, room, loop, clock

    @property
    def tasks(self):
        """Requests that are being answered."""
        return self._server.server_state.tasks

    def pass_time(self, seconds):
        """Let time pass, and the service notice it."""

        async def notice():
            self._clock[0] += seconds
            self.room.sweep()  # which may say that nobody was read from for so long
            self.room.sweep()

        asyncio.run_coroutine_threadsafe(notice(), self._loop).result(PATIENCE)

    def wait_until(self, holds):
        """Wait until something is true of its connections, which another thread changes."""
        until = time.monotonic() + PATIENCE
        while not holds(self.room):
            assert time.monotonic() < until
            time.sleep(0.002)


@contextmanager
def serving_here(limits=connections.Limits(), certificate=None):  # noqa: B008  # a value
    """A service in a thread of this process, with a store in memory."""
    ready, loops, room, clock = threading.Event(), [], connections.Room(limits), [0.0]

    def on_ready():
        loops.append(asyncio.get_running_loop())
        ready.set()

    with (
        pytest.MonkeyPatch.context() as patch,
        bl.open("memory://") as store,
        opened_socket("127.0.0.1", 0) as listening,
    ):
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**14)  # so it is soon noticed who does not read
        patch.setattr(connections, "monotonic", lambda: clock[0])
        service = Service(store)
        scheme = "http" if certificate is None else "https"
        address, key = f"{scheme}://127.0.0.1:{listening.getsockname()[1]}", service.make_first_key()
        server = Server(service, room, certificate, on_ready)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            yield ServedHere(address, key, store, server, room, loops[0], clock)
        finally:
            server.should_exit = True
            thread.join()
