"""The application in a process: one event loop, from an open socket to the end by a signal.

SIGTERM and Ctrl-C drain: no connection is accepted any more, requests that have begun are answered, then the store is
closed. If the journal fails, memory is ahead of it and nobody can tell by how much; then the process ends, and starting
it again reads what is true.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import uvicorn

from belated.core.errors import InvalidArgument, StoreFailed
from belated.service.http.app import app
from belated.service.http.connections import Connection, Limits, Room
from belated.service.http.service import Service

DRAIN = 30
"""So many seconds requests have to end when the process is to end."""

BACKLOG = 2048

SENT_AHEAD = 2**17
"""So many bytes of replies the system takes for each connection before they are read. It takes twice as many, and would
take megabytes: so much of a journal would be read for everybody who asks for it and reads nothing."""

KEPT_BACK = 128
"""So many open files are not for connections: the store, the log, and connections that are just being closed."""

TAKE_BREATH = 0.05
"""So many seconds nobody is accepted after the system has refused to."""

SWITCH = 0.0005
"""So many seconds a thread keeps the interpreter's lock from others. The default of 5 ms lets the journal wait for the
event loop for most of its time."""

GARBAGE = 50_000
"""So many new objects are made between two searches for cycles, of which requests make none."""


MISMATCH = "KEY_VALUES_MISMATCH"
"""What OpenSSL calls a key of another certificate."""


class Certificate(NamedTuple):
    """The files that TLS needs.

    Args:
        chain: The certificate, and those between it and the root.
        key: Its private key.
    """

    chain: Path
    key: Path


def check_certificate(certificate: Certificate) -> None:
    """Refuse files with which TLS cannot be spoken, and name the one that is wrong.

    Args:
        certificate: The files.

    Raises:
        InvalidArgument: A file cannot be read or has something else in it, or they do not belong together.
    """
    chain, key = str(certificate.chain), str(certificate.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_verify_locations(chain)
    except ssl.SSLError as error:
        raise InvalidArgument(f"--certificate: {chain!r} has no certificate that can be read", "certificate") from error
    except OSError as error:
        raise InvalidArgument(f"--certificate: {chain!r} cannot be read: {error.strerror}", "certificate") from error
    try:
        context.load_cert_chain(chain, key)
    except ssl.SSLError as error:
        wrong = "is not the key of the certificate" if error.reason == MISMATCH else "has no key that can be read"
        raise InvalidArgument(f"--private-key: {key!r} {wrong}", "private_key") from error
    except OSError as error:
        raise InvalidArgument(f"--private-key: {key!r} cannot be read: {error.strerror}", "private_key") from error


class Server(uvicorn.Server):
    """Uvicorn's server, which also says when it is ready, and ends when the journal has failed.

    Args:
        service: The learners and keys.
        room: Where connections are counted.
        certificate: The files for TLS; ``None`` for none.
        on_ready: Called when requests are answered.
    """

    def __init__(
        self,
        service: Service,
        room: Room,
        certificate: Certificate | None = None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app(service).answer,
                interface="asgi3",  # which uvicorn cannot see of a method that is no coroutine function
                http=partial(Connection, room),  # type: ignore[arg-type]  # it is only called
                ws="none",
                log_level="error",  # no line for each request that is no HTTP, which anybody can send
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=DRAIN,
                ssl_certfile=None if certificate is None else certificate.chain,
                ssl_keyfile=None if certificate is None else certificate.key,
            )
        )
        self._service, self._room, self._on_ready = service, room, on_ready
        self._accepting: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([] if self.config.ssl else sockets)
        if self.started:  # and signals are taken from now on
            if self.config.ssl:
                self._accepting = [asyncio.create_task(self._accept(each)) for each in sockets or ()]
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        self._room.sweep()
        return await super().on_tick(counter) or self._service.store.failed is not None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for each in self._accepting:
            each.cancel()
        for connection in tuple(self._room.heads):
            connection.abort()
        await super().shutdown(sockets)

    async def _accept(self, listening: socket.socket) -> None:
        """Accept connections for TLS. The event loop would do it, and tell nobody before the handshake is over."""
        listening.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, _ = await loop.sock_accept(listening)
            except ConnectionError:  # of one that has gone meanwhile
                continue
            except OSError:  # too many open files, although room was left for others: the next try would fail as well
                self._room.close_one()
                await asyncio.sleep(TAKE_BREATH)
                continue
            connection = Connection(
                self._room, config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )
            connection.greet(accepted)


def opened_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, so that whoever has it can tell where before anything is served.

    Args:
        host: The address to listen at.
        port: The port; 0 for any that is free.

    Returns:
        The socket.

    Raises:
        OSError: The address is in use, or not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENT_AHEAD)  # what it accepts has it from there
        found.bind((host, port))
        found.listen(BACKLOG)
    except BaseException:
        found.close()
        raise
    return found


def room_for_connections() -> int:
    """How many connections this process may have, by its limit of open files, which is raised first if it may be."""
    most = Limits().connections
    try:
        import resource
    except ImportError:  # Windows, where handles are not limited like this
        return most
    given = resource.getrlimit(resource.RLIMIT_NOFILE)
    files, highest = (sys.maxsize if each == resource.RLIM_INFINITY else each for each in given)
    if files < most + KEPT_BACK:
        files = min(most + KEPT_BACK, highest)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, given[1]))
    return min(most, max(files // 2, files - KEPT_BACK))


def run(
    service: Service,
    listening: socket.socket,
    certificate: Certificate | None = None,
    on_ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until a signal comes.

    Args:
        service: The learners and keys.
        listening: Where.
        certificate: The files for TLS; ``None`` for none.
        on_ready: Called when requests are answered.

    Raises:
        StoreFailed: The journal has failed. Everything that was acknowledged is in it; start anew.
    """
    server = Server(service, Room(Limits(connections=room_for_connections())), certificate, on_ready)
    _prepare_interpreter()
    with _signals_taken():
        server.run(sockets=[listening])
    if service.store.failed is not None:
        raise StoreFailed(*service.store.failed.args)


def _prepare_interpreter() -> None:
    """Let threads take turns more often, and do not search for cycles in what stays as long as the process."""
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, *gc.get_threshold()[1:])


@contextmanager
def _signals_taken() -> Iterator[None]:
    """Let signals do nothing but end the server: it raises them again when it has ended, and the store is open then."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
