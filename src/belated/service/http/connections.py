"""Connections: what a request may take before anybody knows whose it is.

Uvicorn keeps whatever comes until the head of a request has ended, and so would keep a head that never ends. A body is
bounded by its route, after the key was looked at; the head is bounded here.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 2**16
"""So many bytes may come that are neither the end of a head nor a part of a body. What came first is not counted."""


class Connection(HttpToolsProtocol):
    """One connection, which is closed if a head does not end; the same holds for what may follow a body in chunks."""

    _size, _goes_on = 0, False

    def data_received(self, data: bytes) -> None:
        """Take what has come, or refuse the request.

        Args:
            data: The next portion, of any size.
        """
        self._goes_on = False
        super().data_received(data)
        self._size = 0 if self._goes_on else self._size + len(data)
        if self._size > LARGEST_HEAD and not self.transport.is_closing():
            self.send_400_response("The head of this request is too large.")

    def on_message_begin(self) -> None:
        """Say that a request begins: its head may follow the body of another one in the same portion."""
        self._goes_on = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Say that a head has ended."""
        self._goes_on = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of a body.

        Args:
            body: The part.
        """
        self._goes_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Say that a request has ended."""
        self._goes_on = True
        super().on_message_complete()
