"""The page about the wire format is true and whole: its examples are sent, and nothing that there is may be missing."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

import httpx

import belated as bl
from belated.client.joining import Joined
from belated.service.http import problems
from belated.service.http.app import app, described_routes
from belated.service.http.managing import PAGE
from belated.service.http.service import Service
from support.pages import blocks, is_shown, table

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "wire.md").read_text(encoding="utf-8")
HTTP = Path(problems.__file__).parent


class Exchange(NamedTuple):
    """A request of the page, and what the page says is answered."""

    method: str
    path: str
    body: str
    status: int
    reply: str


def exchanges(text: str) -> list[Exchange]:
    """The examples of a page: a request, an empty line, and a reply."""
    found = []
    for block in blocks(text):
        if block.language == "text":
            request, reply = block.source.split("\n\n")
            (first, _, body), (status, _, shown) = request.partition("\n"), reply.partition("\n")
            method, path = first.split(" ")
            found.append(Exchange(method, path, body.strip(), int(status), shown))
    return found


def refused_types() -> set[str]:
    """Every type of error that code in the folder of the service names, and those of the library's own errors."""
    found = {status.type for _, status in problems.STATUSES} | {problems.INTERNAL.type}
    for path in HTTP.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refused":
                found.add(ast.literal_eval(node.args[1]))
    return found


def missing(text: str) -> set[str]:
    """Routes and types of errors that a page does not name."""
    routes = {f"{route.method} {route.path}" for route in described_routes() if route.path not in PAGE}
    named = set(re.findall(r"\*\*((?:GET|POST|DELETE) [^*]+)\*\*", text))
    types = {name for row in table(text, "status")[1:] for name in re.findall(r"`([a-z_]+)`", row[1])}
    return (routes ^ named) | (refused_types() ^ types)


def test_every_route_and_every_type_of_error_is_on_the_page() -> None:
    assert missing(TEXT) == set()


def test_a_route_or_a_type_that_is_not_on_the_page_is_noticed() -> None:
    assert missing(TEXT.replace("**GET /v1/whoami**", "There")) == {"GET /v1/whoami"}
    assert missing(TEXT.replace("| 503 | `busy` |", "| 503 | busy |")) == {"busy"}
    assert missing(f"{TEXT}\n**GET /v1/tea** makes tea") == {"GET /v1/tea"}


def test_the_scope_of_each_route_is_what_the_page_says() -> None:
    """In the paragraph that names a route, or at the head of its section."""
    words = {"nobody": "no key", "anybody": "any key"}
    for route in described_routes():
        if route.path not in PAGE:
            name = re.escape(f"**{route.method} {route.path}**")
            section = next(part for part in re.split(r"^## ", TEXT, flags=re.MULTILINE) if re.search(name, part))
            said = re.findall(name + r"[^(.:]*\(`?([a-z ]+)`?\)", section)
            wanted = words.get(route.needs, route.needs)
            assert said == [wanted] or f"They need the scope `{wanted}`." in section, route.path


def test_every_example_is_what_the_service_does() -> None:
    found = exchanges(TEXT)
    assert {f"{each.method} {each.path.partition('?')[0]}" for each in found} >= {
        f"{route.method} {route.path}".replace("{name}", "price").replace("{id}", "2")
        for route in described_routes()
        if route.path not in {*PAGE, "/metrics", "/openapi.json"} and not route.path.endswith(("journal", "archive"))
    }
    with bl.open("memory://") as store:
        service = Service(store)
        headers = {"authorization": f"Bearer {service.make_first_key()}", "content-type": "application/json"}
        with httpx.Client(
            base_url="http://service", headers=headers, transport=Joined(httpx.ASGITransport(app(service)))
        ) as http:
            for each in found:
                reply = http.request(each.method, each.path, content=each.body.encode())
                assert reply.status_code == each.status, (each, reply.text)
                assert is_shown(each.reply, reply.text), (each, reply.text)


def test_an_example_that_is_wrong_is_noticed() -> None:
    assert is_shown('{"a":1,\n "b":...}', '{"a":1,"b":[2,3]}')
    assert not is_shown('{"a":1,"b":...}', '{"a":2,"b":3}')
    assert not is_shown('{"a":1}', '{"a":1,"b":3}')
