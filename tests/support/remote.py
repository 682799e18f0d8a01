"""A service for tests of the client, in the same process, and ways in which a network fails."""

from __future__ import annotations

import asyncio
import threading
from functools import cache

import httpx

import belated as bl
from belated.client import Retries, Timing
from belated.service.http.app import app
from belated.service.http.service import Service

URL = "http://belated.test"


@cache
def loop():
    """An event loop in a thread of its own, in which all services of a test process live."""
    found = asyncio.new_event_loop()
    threading.Thread(target=found.run_forever, name="services", daemon=True).start()
    return found


class Served:
    """The service, over a store in memory. It takes requests of httpx, and whoever sends them may do anything."""

    def __init__(self):
        self.store = bl.open("memory://", clock=lambda: 10**12)
        service = Service(self.store)
        self._key, self._app = service.make_first_key(), httpx.ASGITransport(app(service))

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {self._key}"
        return asyncio.run_coroutine_threadsafe(self._answer(request), loop()).result()

    async def _answer(self, request):
        found = await self._app.handle_async_request(request)
        return httpx.Response(found.status_code, headers=found.headers, content=await found.aread())


def refusal(status, type, message="no", argument=None):
    """A reply of the service that refuses something."""
    return httpx.Response(status, json={"error": {"type": type, "message": message, "argument": argument}})


class Network(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Carries requests to a service, and does with each what the next fault says; without a fault it works.

    ===========  ===========================================================
    ``down``     the request is not heard
    ``lost``     the request is heard, and the reply is lost
    ``twice``    the request is heard twice; the first reply is lost
    ``502``      something in between answers; the request is not heard
    ``503``      the same, after the request was heard
    ``busy``     the service has no time
    ===========  ===========================================================

    A function in place of a word answers the request itself; the service does not hear it.
    """

    def __init__(self, service, faults=()):
        self.service, self.faults, self.always, self.sent = service, list(faults), None, []

    def handle_request(self, request):
        request.read()
        return self._answer(request)

    async def handle_async_request(self, request):
        await request.aread()
        return self._answer(request)

    def _answer(self, request):
        self.sent.append((request.method, request.url.path, request.content))
        fault = self.faults.pop(0) if self.faults else self.always
        if callable(fault):
            return fault(request)
        if fault == "down":
            raise httpx.ConnectError("refused")
        if fault == "502":
            return httpx.Response(502, text="<html>")
        if fault == "busy":
            reply = refusal(503, "busy")
            reply.headers["Retry-After"] = "1"
            return reply
        reply = self.service(request)
        if fault == "lost":
            raise httpx.ReadTimeout("too late")
        if fault == "503":
            return httpx.Response(503)
        return self.service(request) if fault == "twice" else reply


class Times:
    """A clock that goes on while somebody sleeps, and ids that count."""

    def __init__(self, ids="id"):
        self.now, self.slept, self.ids, self.made = 1000.0, [], ids, 0

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_in_loop(self, seconds):
        self.sleep(seconds)

    def new_id(self):
        self.made += 1
        return f"{self.ids}-{self.made}"

    def timing(self, in_loop=False):
        sleep = self.sleep_in_loop if in_loop else self.sleep
        return Timing(lambda: self.now, lambda: self.now, sleep, lambda: 1.0, self.new_id)


PATIENT = Retries(tries=12, first=0.1, longest=1.0, budget=1000.0)
