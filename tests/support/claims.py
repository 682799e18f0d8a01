"""Clients that remember what they were told, over restarts of the service, and what must be true then.

Each client asks, tells in any order, gives up, and repeats itself: of three requests in ten a second copy is on its way
at the same time, over another connection. A request whose reply was lost is sent again after the restart.
"""

import random
import threading
from contextlib import closing
from http.client import HTTPException
from typing import NamedTuple

from belated.journal import verify
from belated.service.bodies import parts, unpacked
from support.visitors import CLICKS, PRICE

CLIENTS, REPEATED = 8, 0.3
LEARNERS = {"price": PRICE, "clicks": CLICKS}
KINDS = {"ask": "asked", "tell": "told", "give-up": "given_up"}


class Request(NamedTuple):
    """What is wanted of a learner, about one decision."""

    learner: str
    verb: str
    decision: str


class Lost(Exception):
    """There was no reply, or one that says that it is not known what was stored."""


class Client:
    """One client. ``told`` has every reply that it was given, and ``bodies`` what it has sent."""

    def __init__(self, name, seed):
        self.name, self.dice = name, random.Random(f"{seed} {name}")
        self.told, self.bodies, self.unanswered, self.open, self.new = {}, {}, [], [], set()

    def next_request(self):
        chance = self.dice.random()
        if chance < 0.5 or not self.open:
            learner = self.dice.choice(sorted(LEARNERS))
            request = Request(learner, "ask", f"{self.name}-{len(self.bodies)}")
            features = {"page": self.dice.choice("abc"), "n": self.dice.random()}
            self.bodies[request] = {"features": features} if learner == "clicks" else {}
            return request
        asked = self.open.pop(self.dice.randrange(len(self.open)))
        request = asked._replace(verb="tell" if chance < 0.9 else "give-up")
        told = {"label": self.dice.randrange(2)} if asked.learner == "clicks" else {"feedback": self.feedback()}
        self.bodies[request] = told if request.verb == "tell" else {}
        return request

    def feedback(self):
        return [self.dice.uniform(-1, 1), self.dice.uniform(-1, 1)]

    def work(self, served, heard):
        """Go on until the service is gone; ``heard`` is called for each reply."""
        with closing(served.connected()) as first, closing(served.connected()) as second:
            try:
                for request in self.dice.sample(sorted(self.told), min(10, len(self.told))):
                    self.do(served, request, [first], heard)
                while self.unanswered:
                    self.do(served, self.unanswered[0], [first], heard)
                    self.unanswered.pop(0)
                while True:
                    request = self.next_request()
                    both = [first, second] if self.dice.random() < REPEATED else [first]
                    self.unanswered.append(request)
                    self.do(served, request, both, heard)
                    self.unanswered.pop()
            except (OSError, HTTPException, Lost):
                return

    def do(self, served, request, connections, heard):
        """Send a request over each of the connections at once, and compare the replies with all that came before."""
        path = f"/v1/learners/{request.learner}/{request.verb}"
        for connection in connections:
            served.send(connection, "POST", path, {"decision": request.decision, **self.bodies[request]})
        for connection in connections:
            status, reply = served.receive(connection)
            if status == 503:
                raise Lost
            assert status == 200, (request, reply)
            repeated = reply.pop("duplicate")
            before = self.told.setdefault(request, reply)
            assert before == reply, f"{request}: {before} and then {reply}"
            if not repeated:  # of two copies on their way either may come first, but only one is new
                assert request not in self.new, f"{request} counts twice"
                self.new.add(request)
            if before is reply and request.verb == "ask":
                self.open.append(request)
            heard()


def everybody_works(clients, served, stop, after):
    """Let all clients work, and call ``stop`` when so many replies have come; what went wrong in them is raised."""
    count, problems = threading.Semaphore(0), []

    def work(client):
        try:
            client.work(served, count.release)
        except BaseException as problem:
            problems.append(problem)
        count.release(after)  # nobody waits for more replies when a client has ended

    threads = [threading.Thread(target=work, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for _ in range(after):
        count.acquire()
    stop()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def begin(served):
    """Make the learners."""
    with closing(served.connected()) as connection:
        for name, make in LEARNERS.items():
            assert served.done(connection, "POST", "/v1/learners", {"name": name, "make": make})[0] == 201


def check_claims(journal, clients):
    """Raise unless everything that was acknowledged is in the journal once, and nothing that nobody has sent.

    Returns:
        How many replies were given to all clients.
    """
    told = {request: reply for client in clients for request, reply in client.told.items()}
    sent = {request: body for client in clients for request, body in client.bodies.items()}
    found = {}
    for learner in LEARNERS:
        verify(journal, learner)
        for event in journal.read(learner):
            if event.decision is not None:
                assert (learner, event.kind, event.decision) not in found, f"{event.decision} is {event.kind} twice"
                found[learner, event.kind, event.decision] = event
    for (learner, kind, decision), event in found.items():
        verb = next(verb for verb in KINDS if KINDS[verb] == kind)
        given, result = map(unpacked, parts(event.body))
        request = Request(learner, verb, decision)
        assert given == sent[request], "something else was stored than was sent"
        if verb == "ask" and request in told:
            assert {"decision": decision, **result} == told[request], "it was answered otherwise than it was stored"
    for learner, verb, decision in told:
        assert (learner, KINDS[verb], decision) in found, f"{verb} of {decision} was acknowledged, and is lost"
    return len(told)
