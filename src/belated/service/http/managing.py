"""Keys, and how the service itself is: alive, ready, in numbers, described."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from belated.core.errors import StoreBusy, StoreFailed
from belated.service.http.calls import Call, Reply

FORMS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What files of the page are, by the ends of their names."""

PAGE: dict[str, tuple[bytes, str]] = {
    "/" if each.name == "index.html" else f"/{each.name}": (each.read_bytes(), FORMS[Path(each.name).suffix])
    for each in sorted(files("belated.service").joinpath("page").iterdir(), key=lambda file: file.name)
    if Path(each.name).suffix in FORMS
}
"""The files of the page and their forms, by their paths. They are read once, and no other file is ever sent."""


SHELTERED = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"referrer-policy", b"no-referrer"),
)
"""Headers of the page. It needs nothing but what comes from here, and nobody may put it into a page of his own."""


async def health(call: Call) -> Any:
    return {"status": "ok"}


async def ready(call: Call) -> Any:
    try:
        await call.service.check_owner()
    except (StoreBusy, StoreFailed) as problem:
        return Reply({"status": "failed", "reason": str(problem)}, 503)
    return {"status": "ready", "clock_behind_seconds": call.service.store.clock_behind}


async def metrics(call: Call) -> Any:
    body, media = call.service.metrics.shown(call.key)
    return Reply(body, media=media.encode())


async def whoami(call: Call) -> Any:
    assert call.key is not None  # noqa: S101  # the route is for those with a key
    return call.key.shown


async def keys(call: Call) -> Any:
    return {"keys": [key.shown for key in call.service.keys]}


async def make_key(call: Call) -> Any:
    service, wanted = call.service, call.body
    service.check_room()
    event, secret = service.keys.make(wanted.label, wanted.scopes, wanted.learners, service.clock())
    service.store.submit([event])
    return {**service.keys[event.decision or ""].shown, "key": secret}


async def remove_key(call: Call) -> Any:
    service, name = call.service, call.place["id"]
    service.check_room()
    event = service.keys.remove(name, service.clock())
    if event is not None:
        service.store.submit([event])
    return service.keys[name].shown


def page_file(path: str) -> Any:
    """A handler that sends one file of the page.

    Args:
        path: One of :data:`PAGE`.

    Returns:
        The handler.
    """
    body, media = PAGE[path]

    reply = Reply(body, media=media.encode(), headers=SHELTERED)

    async def send(call: Call) -> Any:
        return reply

    return send
