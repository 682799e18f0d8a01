"""Connections: how long a client may take, how many there may be at a time, and how a reply leaves.

Anybody can connect, without a key, and Uvicorn waits for ever: for a head, for a body, for somebody who reads a reply.
Here every connection is in one of five places by what it waits for, in the order in which the waiting began. So a look
at the first of each place finds who is overdue, and no request needs a timer of its own. The same order says whose
connection is closed when there are too many.

Uvicorn writes the head of a reply and its body one after the other. Each write is a call of the system and a packet
that wakes the client, which takes about as long as a decision. So the head waits here for the body.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from operator import itemgetter
from time import monotonic
from typing import Any, NamedTuple

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from belated.service.http.problems import Refused, whole_reply

LARGEST_HEAD = 2**16
"""So many bytes may come that are neither the end of a head nor a part of a body. What came first is not counted."""

LEAST = 2**16
"""So many bytes of a body must come, or of a reply be taken, in each turn of :attr:`Limits.pace`."""

BUSY = 1.0
"""So many seconds without a look at the connections, and the next one is put off."""

PLEASE_GO_ON = b"HTTP/1.1 100"
"""How the only thing begins that is written before the head of a reply, and must not wait for it."""


class Limits(NamedTuple):
    """What connections may take.

    Args:
        head: So many seconds from the connection, or from the first byte on one in use, until a head has come, the
            handshake of TLS included. A packet that was lost three times in a row comes within these.
        pace: So many seconds for a body to come or a reply to be taken; for longer ones, for each ``LEAST`` bytes.
        idle: So many seconds a connection waits for the next request. Proxies wait for 60 s, and should be first to
            close: whoever is closed while it sends must send again.
        connections: So many may be open. Half as many may be without a complete head.
    """

    head: float = 10.0
    pace: float = 30.0
    idle: float = 75.0
    connections: int = 10_000


Place = dict["Connection", float]
"""Connections that wait for the same thing, and since when, the longest first."""


class Room:
    """All connections of a process.

    Args:
        limits: What they may take.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self._swept = limits, monotonic()
        self.open: set[Connection] = set()
        self.heads: Place = {}
        """Without a complete head, since they were accepted or the first byte came."""
        self.bodies: Place = {}
        """With a head, and without all of a body that is read."""
        self.working: Place = {}
        """With a request that is being answered."""
        self.idle: Place = {}
        """With a reply to every request. The rest of a body may come that was refused unread."""
        self.closing: Place = {}
        """Closed as soon as all is written."""
        self.unread: Place = {}
        """Whose client does not read what is written, whatever else they wait for."""

    def enter(self, connection: Connection) -> None:
        """Let a new connection in, and close another one if there are too many."""
        self.open.add(connection)
        self.heads[connection] = monotonic()
        if len(self.heads) > self.limits.connections // 2:
            next(iter(self.heads)).abort()
        elif len(self.open) > self.limits.connections:
            self.close_one()

    def close_one(self) -> None:
        """Close the connection that has kept us waiting longest, for whatever: clients that work do so for moments.

        None is closed whose request is complete, unless its reply is not read.
        """
        places = (self.idle, self.closing, self.unread, self.bodies, self.heads)
        longest = min((next(iter(place.items())) for place in places if place), key=itemgetter(1), default=None)
        if longest is not None:
            longest[0].abort()

    def move(self, connection: Connection, place: Place) -> None:
        """Note what a connection waits for from now on."""
        if connection in self.open:
            del connection.place[connection]
            connection.place = place
            place[connection] = monotonic()

    def leave(self, connection: Connection) -> None:
        """Forget a connection; twice does no harm."""
        self.open.discard(connection)
        self.unread.pop(connection, None)
        connection.place.pop(connection, None)

    def sweep(self) -> None:
        """Look for those that are overdue. Called ten times a second.

        If it was not, the event loop had other work, and what has come meanwhile is to be read first.
        """
        before, self._swept = self._swept, monotonic()
        now, (head, pace, idle, _) = self._swept, self.limits
        if now - before > BUSY:
            return
        limits = (self.heads, head), (self.bodies, pace), (self.idle, idle), (self.closing, pace), (self.unread, pace)
        for place, longest in limits:
            while place:
                first, since = next(iter(place.items()))
                if now - since < longest:
                    break
                del place[first]
                place[first] = now  # if it may go on, its turn is over and another one begins
                first.overdue(place)


class Connection(HttpToolsProtocol):
    """One connection, which counts from the moment in which it was accepted.

    Args:
        room: Where it is counted.
        given: What Uvicorn takes.
    """

    def __init__(self, room: Room, **given: Any) -> None:
        super().__init__(**given)
        self._room, self.place = room, room.heads
        self._size = self._came = self._mark = 0
        self._refusal: Refused | None = None
        self._is_made = self._is_unwanted = False
        self._greeting: asyncio.Task[Any] | None = None
        self._running: RequestResponseCycle | None = None
        room.enter(self)

    def greet(self, accepted: socket.socket) -> None:
        """Agree on TLS. Until that is done, nothing but its task knows how to close the connection.

        Args:
            accepted: The connection.
        """
        longest = self._room.limits.head
        self._greeting = self.loop.create_task(
            self.loop.connect_accepted_socket(
                lambda: self,
                accepted,
                ssl=self.config.ssl,
                ssl_handshake_timeout=longest,
                ssl_shutdown_timeout=longest,
            )
        )
        self._greeting.add_done_callback(lambda greeting: self._greeted(greeting, accepted))

    def _greeted(self, greeting: asyncio.Task[Any], accepted: socket.socket) -> None:
        if not self._is_made:  # it was no TLS, came to no end, or nobody wants it any more
            self._room.leave(self)
            accepted.close()
        if not greeting.cancelled():
            greeting.exception()  # which is so looked at, and of no interest

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin.

        Args:
            transport: The socket, or TLS on it.
        """
        if self._is_unwanted:
            transport.abort()
            return
        self._outgoing, self._is_made = Outgoing(transport, self._ends), True
        super().connection_made(self._outgoing)  # type: ignore[arg-type]  # it has all that a transport has

    def connection_lost(self, exc: Exception | None) -> None:
        """End.

        Args:
            exc: Why, if not because one side wanted it.
        """
        self._room.leave(self)
        if not self._is_made:
            return
        super().connection_lost(exc)
        if self._running is not None:  # Uvicorn tells the last request only
            self._running.disconnected = True
            self._running.message_event.set()

    def abort(self) -> None:
        """End at once, whatever is under way, or as soon as that is possible."""
        self._room.leave(self)
        self._is_unwanted = True
        if self._is_made:
            self._outgoing.abort()
        elif self._greeting is not None:
            self._greeting.cancel()

    def data_received(self, data: bytes) -> None:
        """Take what has come, or refuse the request.

        Args:
            data: The next portion, of any size.
        """
        if self._refusal is not None:
            return
        before, came = self.cycle, self._came
        super().data_received(data)
        goes_on = self._came > came or self.cycle is not before  # a cycle begins where a head has ended
        self._size = 0 if goes_on else self._size + len(data)
        if self._size > LARGEST_HEAD:
            self._refuse(Refused(400, "malformed", f"the head of a request may have at most {LARGEST_HEAD} bytes"))
        self._look()

    def on_headers_complete(self) -> None:
        """Take a head. Headers that come behind a body are nobody's: they could take the place of those before it."""
        super().on_headers_complete()
        self.headers = []
        if self.parser.should_upgrade():  # which we do not, and what follows may be in another protocol
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """Take a part of a body.

        Args:
            body: The part.
        """
        self._came += len(body)
        super().on_body(body)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._outgoing.head_is_next, self._running = True, cycle
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        """Say that a reply is complete, also one without a body, whose head still waits."""
        self._outgoing.flush()
        if self.pipeline:
            super().on_response_complete()  # which begins the next one
        else:  # and would make a timer
            self.flow.resume_reading()
            if self._refusal is not None:
                self._answer(self._refusal)
        self._look()

    def pause_writing(self) -> None:
        """Note that the client does not read."""
        self._room.unread[self] = monotonic()
        self._mark = self._got_on()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that the client reads again."""
        self._room.unread.pop(self, None)
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the form of all errors.

        Args:
            msg: What Uvicorn says, which is the same for all.
        """
        self._refuse(Refused(400, "malformed", "this is no request in the form of HTTP/1.1"))

    def overdue(self, place: Place) -> None:
        """Do what there is to do when a client has taken its time.

        Args:
            place: Where its time was measured.
        """
        room = self._room
        if not self._is_made:
            self.abort()
        elif place is room.heads and not self._has_begun:
            self.transport.close()
        elif place is room.idle:
            if self not in room.unread:
                self.transport.close()
        elif place is not room.heads and self._got_on() - self._mark >= LEAST:
            self._mark = self._got_on()
        elif place is room.heads or place is room.bodies:
            self._refuse(Refused(408, "timeout", "the request did not come in time; nothing was done"))
        else:
            self.abort()

    def _got_on(self) -> int:
        """Grows with each byte of a body that comes, and with each byte of a reply that leaves."""
        return self._came - self.transport.get_write_buffer_size()

    @property
    def _has_begun(self) -> bool:
        """Whether there are bytes of a request whose head is not complete."""
        return self.scope is not None and (self.cycle is None or self.scope is not self.cycle.scope)

    def _look(self) -> None:
        """Note what is waited for, now that something has come or left."""
        room, cycle = self._room, self.cycle
        if cycle is None or cycle.response_complete:
            place = room.idle if cycle is not None and self.scope is cycle.scope else room.heads
        elif cycle.more_body and not self.pipeline:  # while others are before it, it is not read
            place = room.bodies
        else:
            place = room.working
        if self.place is not place and self.place is not room.closing:
            room.move(self, place)
            if place is room.bodies:
                self._mark = self._came

    def _ends(self) -> None:
        self._room.move(self, self._room.closing)
        self._mark = self._got_on()

    def _refuse(self, refusal: Refused) -> None:
        """Answer what cannot become a request, behind the replies to those before it, and close."""
        if self._refusal is not None or self.transport.is_closing():
            return
        self._refusal, cycle = refusal, self.cycle
        if self.pipeline and cycle.more_body:
            self.pipeline.popleft()  # it is refused itself, and was not begun
            is_first = False
        else:
            is_first = cycle is None or cycle.response_complete or cycle.more_body
        if is_first:
            self._answer(refusal)

    def _answer(self, refusal: Refused) -> None:
        if self.transport.is_closing():
            return
        if self._has_begun or (self.cycle is not None and not self.cycle.response_started):
            self._outgoing.write(whole_reply(refusal, self.server_state.default_headers))
        self._outgoing.close()


class Outgoing:
    """A transport whose writes are those of another one, except that the head of a reply waits for what follows it.

    Args:
        transport: The other one.
        on_close: Called when it is to be closed.
    """

    def __init__(self, transport: asyncio.Transport, on_close: Callable[[], None]) -> None:
        self._transport, self._on_close, self._head = transport, on_close, b""
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
        if self._head and not self.is_closing():
            self._transport.write(self._head)
        self._head = b""

    def close(self) -> None:
        """Write what was kept, and close the connection when all is written."""
        self.flush()
        self._on_close()
        self._transport.close()
