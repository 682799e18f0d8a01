"""``Client``: runs scripts in the thread that calls it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any

from belated.client.effects import Effect, Heard, Lost, Rest, Script, Send, Work, seconds_of
from belated.client.retrying import Retries, Timing
from belated.client.verbs import Verbs, check_httpx, no_cookies

AT_THE_SAME_TIME = 8
"""So many requests with a strict limit are under way at most; one more waits, and its time runs."""


class Client(Verbs):
    """Learners and models behind HTTP, with the names that they have in a store of :func:`belated.open`.

    Threads may share it. Make it in the process that uses it, after a fork. Close it, or use it with ``with``.

    Args:
        url: The address of the service, such as ``"http://127.0.0.1:8000"``.
        key: The key that the service has given.
        timeout: How many seconds one try may wait for the network.
        retries: When a call is tried again, and for how long.
        spool: A file that keeps reports which cannot be delivered. It belongs to one client at a time. Without one,
            ``tell`` raises ServiceAway.
        transport: What requests are sent by, in place of a network: a transport of httpx. One for event loops, such as
            ``httpx.ASGITransport(app)``, joins the client with an app in the same process.
        timing: Clocks, waiting and chance, for tests.

    Raises:
        InvalidArgument: An argument is not what it must be.
        StoreInUse: Another client has the spool.
        StoreFailed: The spool cannot be opened.
        ModuleNotFoundError: httpx is missing; ``pip install 'belated[client]'`` installs it.

    Example:
        >>> import belated as bl
        >>> client = bl.client.Client("http://127.0.0.1:8000", "bl_key")  # makes no request
        >>> knob = client.player("price")  # nor does this
        >>> client.close()
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
        if transport is not None and not hasattr(transport, "handle_request"):
            from belated.client.joining import Joined

            transport = Joined(transport)
        self._http = httpx.Client(headers=self._headers, transport=transport, cookies=no_cookies())
        self._lost = (httpx.RequestError, httpx.InvalidURL, ValueError)  # the last for redirects to what is no address
        self._strict = ThreadPoolExecutor(AT_THE_SAME_TIME, "belated-client")
        self._sleep = timing.sleep or time.sleep
        self._ways: dict[type, Callable[[Any], Any]] = {Send: self._send, Rest: self._rest, Work: self._work}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def close(self) -> None:
        """Try once to deliver what waits, and let go of connections and of the spool; twice does no harm."""
        if not self._http.is_closed:
            try:
                self._run(self._courier.deliverer.some(None, grace=0))
            finally:
                self._strict.shutdown(wait=False, cancel_futures=True)
                self._http.close()
                self._courier.outbox.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, script: Script[Any]) -> Any:
        """Do what a script asks for, until it ends."""
        came: Any = None
        go_on: Callable[[Any], Effect] = script.send
        while True:
            try:
                effect = go_on(came)
            except StopIteration as end:
                return end.value
            try:
                came, go_on = self._ways[type(effect)](effect), script.send
            except BaseException as problem:  # also Ctrl-C: the script may have to leave a note
                came, go_on = problem, script.throw

    def _send(self, request: Send) -> Heard | Lost:
        if not request.strict:
            return self._exchange(request)
        future = self._strict.submit(self._exchange, request)
        try:
            return future.result(request.timeout)
        except TimeoutError:
            future.cancel()
            return Lost(f"nothing came within {request.timeout:.3g} s")

    def _exchange(self, request: Send) -> Heard | Lost:
        try:
            reply = self._http.request(
                request.method, self._url + request.path, content=request.content, timeout=request.timeout
            )
        except self._lost as problem:
            return Lost(f"{type(problem).__name__}: {problem}")
        return Heard(reply.status_code, reply.content, seconds_of(reply.headers.get("Retry-After")))

    def _rest(self, rest: Rest) -> None:
        self._sleep(rest.seconds)

    def _work(self, work: Work) -> Any:
        return work.job()
