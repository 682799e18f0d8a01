"""A visitor of the service: requests without a socket, one after the other or several at once."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

import belated as bl
from belated.service.door import DurableStore
from belated.service.http.app import app
from belated.service.http.service import Service

NEVER = 3600.0


class Visitor:
    """Sends requests to a service, by default with the key of an admin."""

    def __init__(self, service: Service, key: str) -> None:
        self.service, self.key = service, key
        self._runner = asyncio.Runner()
        transport = httpx.ASGITransport(app(service), raise_app_exceptions=True)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://service", timeout=NEVER)

    def send(self, method: str, path: str, *, key: str | None = None, **request: Any) -> httpx.Response:
        """One request; the key "" is for none."""
        return self._runner.run(self.sending(method, path, key=key, **request))

    async def sending(self, method: str, path: str, *, key: str | None = None, **request: Any) -> httpx.Response:
        chosen = self.key if key is None else key
        headers = {**({"Authorization": f"Bearer {chosen}"} if chosen else {}), **request.pop("headers", {})}
        return await self._client.request(method, path, headers=headers, **request)

    def get(self, path: str, **request: Any) -> httpx.Response:
        return self.send("GET", path, **request)

    def post(self, path: str, body: Any = None, **request: Any) -> httpx.Response:
        return self.send("POST", path, json={} if body is None else body, **request)

    def run(self, scenario: Any) -> Any:
        """Run a coroutine in the loop of the service."""
        return self._runner.run(scenario)

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()


PRICE = {"algorithm": "dogd_sc", "arguments": {"domain": {"Ball": {"dim": 2}}, "strong_convexity": 2.0}}
CLICKS = {"algorithm": "logistic", "arguments": {"bits": 10}}


@contextmanager
def visiting(store: DurableStore | None = None, **options: Any) -> Iterator[Visitor]:
    """A visitor of a service with a learner ``price`` and a model ``clicks``, in a store in memory by default."""
    with bl.open("memory://", **options) if store is None else store as opened:
        service = Service(opened)
        secret = service.make_first_key()
        assert secret is not None
        visitor = Visitor(service, secret)
        try:
            for name, make in (("price", PRICE), ("clicks", CLICKS)):
                assert visitor.post("/v1/learners", {"name": name, "make": make}).status_code == 201
            yield visitor
        finally:
            visitor.close()
