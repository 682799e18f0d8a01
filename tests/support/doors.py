"""A learner or model behind each of its doors: requests of HTTP, and calls in the same process. Both can be closed and
opened again in the middle, which goes on from a snapshot.
"""

import asyncio
import json

import numpy as np

import belated as bl
from belated.models.model import Model
from belated.service.descriptions import written
from belated.service.http.app import app
from belated.service.http.service import Service
from support.asgi import Draft, handed_over

NAME = "it"


class Door:
    """What both doors share: a store with one learner or model in it."""

    def __init__(self, address, clock):
        self.address, self.clock, self.store = address, clock, bl.open(address, clock)
        self.enter()

    def enter(self):
        """Whatever is to be done when the store has been opened."""

    def leave(self):
        """Whatever is to be done before it is closed."""

    def reopen(self):
        """Close the store with a snapshot, and go on from that."""
        self.leave()
        assert self.store.keep_snapshots(1) == 1
        self.store.close()
        self.store = bl.open(self.address, self.clock)
        assert self.store.desk(NAME).life.kept > 1
        self.enter()

    def state(self):
        return self.store.desk(NAME).life._run.state()

    def close(self):
        self.leave()
        self.store.close()


class Direct(Door):
    """Calls of ``bl.open``."""

    def create(self, description, **start):
        self.store.create(NAME, description, **start)

    def ask(self, key):
        return self.store[NAME].ask(key=key).points

    def tell(self, key, feedback):
        assert self.store[NAME].tell(feedback, key=key)

    def predict(self, key, features):
        return self.store[NAME].predict(features, key).value

    def learn(self, key, label):
        self.store[NAME].learn(key, label)


class Http(Door):
    """Requests, JSON and back."""

    key = None

    def enter(self):
        service = Service(self.store)
        self.key = service.make_first_key() or self.key
        self._app, self._runner = app(service), asyncio.Runner()

    def leave(self):
        self._runner.close()

    def post(self, path, body):
        """The status and the values of the reply to a request."""
        headers = [(b"content-type", b"application/json"), (b"authorization", b"Bearer " + self.key.encode())]
        reply = self._runner.run(
            handed_over(self._app, Draft("POST", path.encode(), b"", headers, [json.dumps(body).encode()]))
        )
        return reply.status, json.loads(reply.body)

    def _about_it(self, verb, body):
        status, reply = self.post(f"/v1/learners/{NAME}/{verb}", body)
        assert status == 200, reply
        return reply

    def create(self, description, initial=None, seed=0):
        body = {"name": NAME, "description": written(description)}
        if not isinstance(description, Model):
            body |= {"seed": seed, "initial": None if initial is None else np.asarray(initial).tolist()}
        assert self.post("/v1/learners", body)[0] == 201

    def ask(self, key):
        return np.array(self._about_it("ask", {"decision": key})["points"])

    def tell(self, key, feedback):
        reply = self._about_it("tell", {"decision": key, "feedback": np.asarray(feedback).tolist()})
        assert reply["learned"]
        assert not reply["duplicate"]

    def predict(self, key, features):
        return self._about_it("ask", {"decision": key, "features": features})["value"]

    def learn(self, key, label):
        self._about_it("tell", {"decision": key, "label": label})
