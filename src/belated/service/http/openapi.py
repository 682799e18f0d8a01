"""The description of the service by OpenAPI 3.1, made from the routes and the types that they take and return."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import msgspec

from belated.service.http.calls import NOBODY, Route
from belated.service.http.wire import Problem
from belated.service.names import LONGEST

REASONS = {
    400: "The body is no JSON.",
    401: "There is no key, or it is not known.",
    403: "The key is not for this.",
    404: "There is no such learner, decision or key.",
    409: "Something else was said before.",
    413: "The request is too large.",
    415: "The body is not said to be JSON.",
    422: "An argument is not what it must be.",
    503: "Nothing was accepted, or it is not known whether it was stored. Repeat the request.",
}
"""What the statuses of errors mean."""

PLACES = {
    "name": ("The name of the learner or model.", {"type": "string", "minLength": 1, "maxLength": LONGEST}),
    "id": ("The id of the key.", {"type": "string", "minLength": 1, "maxLength": LONGEST}),
}
"""What may stand in paths."""


def description(routes: Iterable[Route]) -> dict[str, Any]:
    """The description of routes.

    Args:
        routes: The routes.

    Returns:
        An OpenAPI document as plain values.
    """
    listed = list(routes)
    types = [kind for route in listed for kind in (route.takes, route.returns) if kind is not None]
    unique = list(dict.fromkeys([*types, Problem]))
    schemas, components = msgspec.json.schema_components(unique, ref_template="#/components/schemas/{name}")
    by_type = dict(zip(unique, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in listed:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "belated",
            "version": version("belated"),
            "description": "Decisions now, outcomes days later, nothing lost in between.",
        },
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    replies: dict[str, Any] = {str(route.status): _reply("As it should be.", route, schemas)}
    if route.status == 201 and route.method == "POST" and 409 in route.errors:
        replies["200"] = _reply("An equal one was there.", route, schemas)
    for status in _statuses(route):
        replies[str(status)] = {
            "description": REASONS[status],
            "content": _content("application/json", schemas[Problem]),
        }
    if route.returns is not None and route.path == "/readyz":
        replies["503"] = _reply("It cannot work.", route, schemas)
    found: dict[str, Any] = {
        "summary": route.summary,
        "operationId": _operation_id(route),
        "responses": replies,
        "security": [] if route.needs == NOBODY else [{"key": []}],
    }
    if route.needs != NOBODY:
        found["description"] = (
            f"Needs a key of the scope `{route.needs}`." if route.needs != "anybody" else "Needs a key."
        )
    if route.takes is not None:
        needed = any(field.required for field in msgspec.structs.fields(route.takes))  # no body is an empty object
        found["requestBody"] = {"required": needed, "content": _content("application/json", schemas[route.takes])}
    parameters = [
        {"name": name, "in": "path", "required": True, "description": words, "schema": schema}
        for name, (words, schema) in PLACES.items()
        if f"{{{name}}}" in route.path
    ]
    for each in route.query:
        schema = {**each.schema} if each.default is ... else {**each.schema, "default": each.default}
        parameters.append({"name": each.name, "in": "query", "required": each.default is ..., "schema": schema})
    if parameters:
        found["parameters"] = parameters
    return found


def _statuses(route: Route) -> list[int]:
    found = [] if route.needs == NOBODY else [401, 403]
    if route.takes is not None:
        found += [400, 413, 415, 422]
    if route.query:
        found += [422]
    if "{" in route.path:
        found += [404]
    return sorted({*found, *route.errors})


def _reply(words: str, route: Route, schemas: dict[Any, Any]) -> dict[str, Any]:
    schema = {"type": "string"} if route.returns is None else schemas[route.returns]
    return {"description": words, "content": _content(route.media, schema)}


def _content(media: str, schema: Any) -> dict[str, Any]:
    return {media: {"schema": schema}}


def _operation_id(route: Route) -> str:
    words = [word.strip("{}") for word in route.path.split("/") if word and word != "v1"]
    return "_".join([route.method.lower(), *words]).replace("-", "_").replace(".", "_")
