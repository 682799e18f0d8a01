"""A service for tests of the client, in the same process, and ways in which a network fails."""

from __future__ import annotations

import json
from urllib.parse import unquote

import httpx

import belated as bl
from belated.client import Retries, Timing
from belated.core import errors
from belated.learners.learner import Learner
from belated.service.descriptions import read_back

URL = "http://belated.test"


class Standing:
    """A stand-in for the service, over a store in memory."""

    def __init__(self):
        self.store = bl.open("memory://", clock=lambda: 10**12)
        self.requests = []

    def __call__(self, request):
        self.requests.append((request.method, request.url.path))
        try:
            return self._answer(request.method, request.url.raw_path.decode(), json.loads(request.content or b"{}"))
        except Refusal as problem:
            return refusal(*problem.args)

    def _answer(self, method, path, body):
        parts = [unquote(part) for part in path.strip("/").split("/")]
        if parts == ["v1", "learners"] and method == "GET":
            return httpx.Response(200, json={"learners": [self._summary(name) for name in self.store]})
        if parts == ["v1", "learners"]:
            return self._create(body)
        name, verb = parts[2], parts[3] if len(parts) > 3 else "look"
        if name not in list(self.store):
            raise Refusal(404, "unknown_learner", f"there is no learner {name!r}")
        if verb.endswith("-many"):
            items = next(iter(body.values()))
            return httpx.Response(200, json={"replies": [self._in_batch(name, verb[:-5], item) for item in items]})
        return httpx.Response(200, json=self._do(name, verb, body))

    def _in_batch(self, name, verb, item):
        try:
            return self._do(name, verb, item)
        except Refusal as problem:
            return refusal(*problem.args).json()

    def _create(self, body):
        settings = body.get("settings", {})
        description = read_back(body["description"])
        known = body["name"] in list(self.store)
        more = {"seed": body.get("seed", 0), "initial": body.get("initial")}
        try:
            self.store.create(
                body["name"], description, **(more if isinstance(description, Learner) else {}), **settings
            )
        except errors.InvalidArgument as problem:
            taken = "another learner" in str(problem)
            raise Refusal(
                *((409, "name_taken") if taken else (422, "invalid_argument")), str(problem), "name"
            ) from None
        return httpx.Response(200 if known else 201, json=self._summary(body["name"]))

    def _do(self, name, verb, body):
        desk = self.store._desks[name]
        decision, report = body.pop("decision", None), body.pop("report", "1")
        doing = {
            "ask": lambda now: desk.ask(decision, body, now),
            "tell": lambda now: desk.tell(decision, body, now, report),
            "give-up": lambda now: desk.give_up(decision, now),
            "configure": lambda now: desk.configure(body["settings"], now),
            "pause": lambda now: desk.pause(body.get("fixed"), now),
            "resume": desk.resume,
            "archive": desk.archive,
        }
        if verb == "look":
            return self._summary(name)
        try:
            found = self.store.do(desk, doing[verb])
        except errors.UnknownDecision as problem:
            raise Refusal(404, "unknown_decision", str(problem)) from None
        except errors.AlreadyAnswered as problem:
            raise Refusal(409, "already_answered", str(problem)) from None
        except errors.InvalidArgument as problem:
            raise Refusal(422, "invalid_argument", str(problem), problem.argument) from None
        shown = {**found.reply, "duplicate": found.duplicate}
        return shown if verb in ("ask", "tell", "give-up") else self._summary(name)

    def _summary(self, name):
        life = self.store._desks[name].life
        kind = "learner" if isinstance(life.description, Learner) else "model"
        return {
            "name": name,
            "kind": kind,
            "paused": life.fixed is not None,
            "archived": life.archived,
            "pending": len(life.decisions.open),
            "settings": life.settings._asdict(),
        }


class Refusal(Exception):
    """What the stand-in refuses."""


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
