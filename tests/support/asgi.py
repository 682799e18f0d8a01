"""Requests handed to an application as a server does it, byte for byte and without a socket."""

from typing import NamedTuple
from urllib.parse import unquote


class Draft(NamedTuple):
    """A request as it comes out of a socket; ``route`` is what it was meant for, in words."""

    method: str
    path: bytes
    query: bytes
    headers: list[tuple[bytes, bytes]]
    body: list[bytes]
    route: str = ""


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


async def handed_over(app, request):
    """The answer of an application to a request."""
    portions = [
        {"type": "http.request", "body": each, "more_body": place < len(request.body) - 1}
        for place, each in enumerate(request.body)
    ]
    sent = []

    async def receive():
        return portions.pop(0) if portions else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(request.path.decode("latin-1")),
        "raw_path": request.path,
        "query_string": request.query,
        "root_path": "",
        "headers": request.headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, send)
    start, *rest = sent
    return Answer(start["status"], dict(start["headers"]), b"".join(each.get("body", b"") for each in rest))
