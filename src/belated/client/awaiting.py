"""``AsyncClient``: runs scripts in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from belated.client.effects import Effect, Heard, Lost, Rest, Script, Send, Work, seconds_of
from belated.client.retrying import Retries, Timing
from belated.client.verbs import Verbs, check_httpx, no_cookies


class AsyncClient(Verbs):
    """Learners and models behind HTTP, for an event loop: every verb of :class:`Client` returns something to await.

    ``await client[name]`` and ``await client.create(...)`` give players and predictors whose verbs are awaited, too;
    ``async for name in client`` goes over names. It belongs to one event loop.

    Args:
        url: The address of the service, such as ``"http://127.0.0.1:8000"``.
        key: The key that the service has given.
        timeout: How many seconds one try may take.
        retries: When a call is tried again, and for how long.
        spool: A file that keeps reports which cannot be delivered. It belongs to one client at a time. Without one,
            ``tell`` raises ServiceAway.
        transport: What requests are sent by, in place of a network: a transport of httpx, such as
            ``httpx.ASGITransport(app)``.
        timing: Clocks, waiting and chance, for tests.

    Raises:
        InvalidArgument: An argument is not what it must be.
        StoreInUse: Another client has the spool.
        StoreFailed: The spool cannot be opened.
        ModuleNotFoundError: httpx is missing; ``pip install 'belated[client]'`` installs it.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 5.0,
        retries: Retries = Retries(),  # noqa: B008  # a value
        spool: str | Path | None = None,
        transport: Any = None,
        timing: Timing = Timing(),  # noqa: B008  # a value
    ) -> None:
        check_httpx()
        import httpx

        super().__init__(url, key, timeout, retries, spool, timing)
        self._http = httpx.AsyncClient(headers=self._headers, transport=transport, cookies=no_cookies())
        self._lost = (httpx.RequestError, httpx.InvalidURL, ValueError)  # the last for redirects to what is no address
        self._sleep = timing.sleep or asyncio.sleep
        self._ways: dict[type, Callable[[Any], Awaitable[Any]]] = {
            Send: self._send,
            Rest: self._rest,
            Work: self._work,
        }

    def __aiter__(self) -> AsyncIterator[str]:
        return self._each_name()

    async def close(self) -> None:
        """Try once to deliver what waits, and let go of connections and of the spool; twice does no harm."""
        if not self._http.is_closed:
            try:
                await self._run(self._courier.deliverer.some(None, grace=0))
            finally:
                await self._http.aclose()
                self._courier.outbox.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _each_name(self) -> AsyncIterator[str]:
        for name in await self.names():
            yield name

    async def _run(self, script: Script[Any]) -> Any:
        """Do what a script asks for, until it ends."""
        came: Any = None
        go_on: Callable[[Any], Effect] = script.send
        while True:
            try:
                effect = go_on(came)
            except StopIteration as end:
                return end.value
            try:
                came, go_on = await self._ways[type(effect)](effect), script.send
            except BaseException as problem:  # also a task that is cancelled: the script may have to leave a note
                came, go_on = problem, script.throw

    async def _send(self, request: Send) -> Heard | Lost:
        try:
            async with asyncio.timeout(request.timeout):
                reply = await self._http.request(
                    request.method, self._url + request.path, content=request.content, timeout=request.timeout
                )
        except TimeoutError:
            return Lost(f"nothing came within {request.timeout:.3g} s")
        except self._lost as problem:
            return Lost(f"{type(problem).__name__}: {problem}")
        return Heard(reply.status_code, reply.content, seconds_of(reply.headers.get("Retry-After")))

    async def _rest(self, rest: Rest) -> None:
        await self._sleep(rest.seconds)

    async def _work(self, work: Work) -> Any:
        return await asyncio.to_thread(work.job)
