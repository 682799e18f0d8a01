"""The description of the service is true: requests made up from it, good and bad, are answered as it says.

All checks of Schemathesis are on. One of them is told of a status that is used on purpose: 422 also says that a value
has the right type, and that this learner cannot use it.
"""

import json
from dataclasses import replace
from typing import get_args

import pytest
import schemathesis
from schemathesis.engine import events, from_schema

from belated.service.http import endpoint, wire
from belated.service.http.app import app
from belated.service.http.endpoint import Endpoint
from belated.service.http.routes import ROUTES
from belated.service.keys import SCOPES
from support.visitors import CLICKS, PRICE, visiting

QUICK, LONG = 6, 500

SETTINGS = """
seed = 1
[generation]
max-examples = {examples}
deterministic = true
no-shrink = true
database = "none"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]
"""

KNOWN = {
    "name": ["price", "clicks"],
    "id": ["2", "3", "4"],
    "decision": ["a", "b", "c", "d", "e", "f"],
    "feedback": [[0.5, -0.25]],
    "label": [1],
    "features": [{"page": "shoes"}],
    "make": [PRICE, CLICKS],
    "settings": [{"timeout": 60.0}],
}
"""What is there, or can be made of it. Without a hint nobody would guess the name of a learner or of a decision."""


def hinted(described):
    """A description of the same requests, which names those values that are known here as well."""
    for path, operations in described["paths"].items():
        for operation in operations.values():
            for place in operation.get("parameters", ()):
                known = ["spare"] if path.endswith(("/archive", "/pause")) else KNOWN.get(place["name"])
                if place["in"] == "path":
                    place["schema"] = {"anyOf": [{"enum": known}, place["schema"]]}
    for name in ("Ask", "Tell", "GiveUp", "Create", "Configure"):
        fields = described["components"]["schemas"][name]["properties"]
        for field in fields.keys() & KNOWN.keys() - {"name"}:
            inner = {key: fields[field].pop(key) for key in [*fields[field]] if key != "default"}
            fields[field]["anyOf"] = [{"enum": KNOWN[field]}, inner]
    return described


def found(examples, change=lambda described: None, only=None):
    """Everything that Schemathesis finds, and how many requests had which status."""
    failures, statuses = [], {}
    with visiting() as visitor:
        assert visitor.post("/v1/learners", {"name": "spare", "make": PRICE}).status_code == 201
        for _ in KNOWN["id"]:
            assert visitor.post("/v1/keys", {"label": "web", "scopes": ["read"]}).status_code == 201
        for decision in KNOWN["decision"]:
            visitor.post("/v1/learners/price/ask", {"decision": decision})
            visitor.post("/v1/learners/clicks/ask", {"decision": decision, "features": {"page": "shoes"}})
        described = hinted(json.loads(visitor.get("/openapi.json").content))
        change(described)
        settings = schemathesis.Config.from_str(SETTINGS.format(examples=examples))
        schema = schemathesis.openapi.from_dict(described, config=settings)
        schema.app = app(visitor.service)
        schema.config.headers = {"Authorization": f"Bearer {visitor.key}"}
        for event in from_schema(schema if only is None else schema.include(path=only)).execute():
            assert not isinstance(event, events.FatalError | events.NonFatalError), event
            if not isinstance(event, events.ScenarioFinished):
                continue
            for sent in event.recorder.interactions.values():
                status = sent.response.status_code
                statuses[status] = statuses.get(status, 0) + 1
            for case, checks in event.recorder.checks.items():
                for each in checks:
                    if each.failure_info is not None and went_there(event.recorder, case):
                        message = each.failure_info.failure.message
                        failures.append((each.name, event.recorder.label, message, each.failure_info.code_sample))
    return failures, statuses


def went_there(recorder, case):
    """Whether a request had the path that it was meant to have: a bare ? or # in a name ends the path."""
    sent = recorder.interactions[case].request.uri.partition("?")[0].partition("#")[0]
    return sent.endswith(recorder.cases[case].value.operation.path.rpartition("}")[2])


def test_the_service_is_as_it_is_described():
    failures, statuses = found(QUICK)
    assert failures == []
    assert {200, 201, 400, 401, 404, 405, 409, 415, 422} <= set(statuses)
    assert sum(statuses.values()) > 1000


@pytest.mark.soak(sampled=False)
def test_the_service_is_as_it_is_described_for_long():
    assert found(LONG)[0] == []


def test_the_scopes_of_keys_are_described():
    assert get_args(wire.Scope) == SCOPES


# --- the checks have power: each of these is a service, or a description, with one mistake


async def sick(call):
    return {"health": "ok"}


def test_a_reply_of_another_form_is_noticed(monkeypatch):
    changed = tuple(replace(route, handler=sick) if route.path == "/v1/whoami" else route for route in ROUTES)
    monkeypatch.setattr("belated.service.http.app.ROUTES", changed)
    assert "response_schema_conformance" in {failure[0] for failure in found(1, only="/v1/whoami")[0]}


def test_a_status_that_is_not_described_is_noticed():
    def forget(described):
        del described["paths"]["/v1/learners/{name}"]["get"]["responses"]["404"]

    failures, _ = found(QUICK, forget, "/v1/learners/{name}")
    assert "status_code_conformance" in {failure[0] for failure in failures}


def test_a_key_that_is_not_looked_at_is_noticed(monkeypatch):
    monkeypatch.setattr(Endpoint, "_key", lambda self, scope: next(iter(self._service.keys)))
    assert "ignored_auth" in {failure[0] for failure in found(1, only="/v1/keys")[0]}


def test_arguments_that_are_not_checked_are_noticed(monkeypatch):
    given = {"limit": 5, "status": "all"}
    monkeypatch.setattr(endpoint, "_query", lambda route, text: given)
    failures, _ = found(QUICK, only="/v1/learners/{name}/decisions")
    assert "negative_data_rejection" in {failure[0] for failure in failures}
