"""Connections: what a request may take before anybody knows whose it is, and how a reply leaves.

Uvicorn keeps whatever comes until the head of a request has ended, and so would keep a head that never ends. A body is
bounded by its route, after the key was looked at; the head is bounded here.

Uvicorn writes the head of a reply and its body one after the other. Each write is a call of the system and a packet
that wakes the client, which takes about as long as a decision. So the head waits here for the body.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

LARGEST_HEAD = 2**16
"""So many bytes may come that are neither the end of a head nor a part of a body. What came first is not counted."""

PLEASE_GO_ON = b"HTTP/1.1 100"
"""How the only thing begins that is written before the head of a reply, and must not wait for it."""


class Connection(HttpToolsProtocol):
    """One connection, which is closed if a head does not end; the same holds for what may follow a body in chunks."""

    _size, _has_body = 0, False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin.

        Args:
            transport: The socket, or TLS on it.
        """
        self._outgoing = Outgoing(transport)
        super().connection_made(self._outgoing)  # type: ignore[arg-type]  # it has all that a transport has

    def data_received(self, data: bytes) -> None:
        """Take what has come, or refuse the request.

        Args:
            data: The next portion, of any size.
        """
        before, self._has_body = self.cycle, False
        super().data_received(data)
        goes_on = self._has_body or self.cycle is not before  # a cycle begins where a head has ended
        self._size = 0 if goes_on else self._size + len(data)
        if self._size > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too large.")

    def on_body(self, body: bytes) -> None:
        """Take a part of a body.

        Args:
            body: The part.
        """
        self._has_body = True
        super().on_body(body)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._outgoing.head_is_next = True
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """Say that a reply is complete, also one without a body, whose head still waits."""
        self._outgoing.flush()
        super().on_response_complete()


class Outgoing:
    """A transport whose writes are those of another one, except that the head of a reply waits for what follows it.

    Args:
        transport: The other one.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport, self._head = transport, b""
        self.is_closing = transport.is_closing
        self.head_is_next = False
        """Whether a request was handed to the application, and the head of its reply was not written yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write, or keep it for a moment; do nothing if nobody reads any more.

        Args:
            data: The head of a reply, or anything else.
        """
        if self.is_closing():
            return
        if self.head_is_next and not data.startswith(PLEASE_GO_ON):
            self.head_is_next, self._head = False, data
        elif self._head:
            self._transport.writelines((self._head, data))
            self._head = b""
        else:
            self._transport.write(data)

    def flush(self) -> None:
        """Write what was kept, if anything was."""
        if self._head:
            self._transport.write(self._head)
            self._head = b""

    def close(self) -> None:
        """Write what was kept, and close the connection when all is written."""
        self.flush()
        self._transport.close()
