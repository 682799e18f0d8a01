"""``python -m benchmarks.service.bare PORT``: the least that a Starlette application can do with an ask.

It reads the JSON of a request and answers with a reply of the same form as the service's. It has no key, no learner and
no storage, so it is the bar for what those cost.
"""

import sys
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

REPLY = {"round": 1, "points": [[0.1] * 10], "duplicate": False}


class Ask(msgspec.Struct):
    """What the service takes, too."""

    decision: str | None = None


class Tell(msgspec.Struct):
    """What the service takes, too."""

    decision: str
    feedback: list[float]


_asks, _tells, _encoder = msgspec.json.Decoder(Ask), msgspec.json.Decoder(Tell), msgspec.json.Encoder()


def _reply(values: Any) -> Response:
    return Response(_encoder.encode(values), media_type="application/json")


async def ask(request: Request) -> Response:
    """Answer with the same decision always."""
    return _reply({"decision": _asks.decode(await request.body()).decision, **REPLY})


async def tell(request: Request) -> Response:
    """Answer as if something were learned."""
    return _reply({"decision": _tells.decode(await request.body()).decision, "learned": True, "duplicate": False})


def main() -> None:
    """Serve until somebody ends it."""
    routes = [
        Route("/v1/learners/{name}/ask", ask, methods=["POST"]),
        Route("/v1/learners/{name}/tell", tell, methods=["POST"]),
        Route("/healthz", lambda request: Response(), methods=["GET"]),
    ]
    uvicorn.run(Starlette(routes=routes), port=int(sys.argv[1]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
