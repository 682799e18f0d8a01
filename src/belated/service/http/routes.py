"""Every route as data. Whoever adds one here has it checked for its key, described, counted and tested."""

from __future__ import annotations

from belated.service.http import deciding, managing, running, wire
from belated.service.http.calls import ANYBODY, BATCH, NOBODY, SINGLE, Query, Route
from belated.service.names import LONGEST

LEARNER = "/v1/learners/{name}"


def _whole(name: str, least: int, most: int, default: int) -> Query:
    """A whole number in the address."""

    def read(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ValueError
        return number

    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Query(name, schema, f"a whole number from {least} to {most}", read, default)


def _one_of(name: str, *allowed: str) -> Query:
    """One of several words in the address, by default the first."""

    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError
        return text

    return Query(name, {"type": "string", "enum": list(allowed)}, " or ".join(allowed), read, allowed[0])


def _text(name: str) -> Query:
    """A name in the address, which must be given."""

    def read(text: str) -> str:
        if not 1 <= len(text) <= LONGEST:
            raise ValueError
        return text

    schema = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    return Query(name, schema, f"a text of 1 to {LONGEST} letters", read)


LIMIT, STATUS = _whole("limit", 1, 1000, 50), _one_of("status", "all", "open")
AFTER, ID = _whole("after", 0, 2**62, 0), _text("id")

_about_service = (
    Route("GET", "/healthz", NOBODY, managing.health, "Whether the process is alive", returns=wire.Health),
    Route("GET", "/readyz", ANYBODY, managing.ready, "Whether it can work", returns=wire.Health, errors=(503,)),
    Route("GET", "/metrics", "read", managing.metrics, "Numbers for Prometheus", media="text/plain"),
    Route("GET", "/v1/whoami", ANYBODY, managing.whoami, "What this key is for", returns=wire.ShownKey),
)

_about_learners = (
    Route(
        "GET",
        "/v1/catalogue",
        "read",
        running.everything_makeable,
        "Everything that can be made",
        returns=wire.Catalogue,
    ),
    Route("GET", "/v1/learners", "read", running.learners, "Every learner and model", returns=wire.Learners),
    Route(
        *("POST", "/v1/learners", "admin", running.create, "Make a learner or model"),
        takes=wire.Create,
        returns=wire.Summary,
        status=201,
        errors=(409, 503),
    ),
    Route("GET", LEARNER, "read", running.look, "One learner or model", returns=wire.Detail),
    Route(
        *("GET", f"{LEARNER}/decisions", "read", running.decisions, "Decisions that are in memory, newest first"),
        returns=wire.KnownDecisions,
        query=(LIMIT, STATUS),
    ),
    Route(
        *("GET", f"{LEARNER}/decision", "read", running.decision, "One decision from ask to answer"),
        returns=wire.DecisionLife,
        query=(ID,),
        errors=(503,),
    ),
    Route(
        *("GET", f"{LEARNER}/journal", "read", running.journal, "Every event as a line of JSON"),
        query=(AFTER,),
        media="application/x-ndjson",
    ),
)

_commands = tuple(
    Route("POST", f"{LEARNER}/{path}", scope, handler, summary, takes, returns, largest=largest, errors=(409, 503))
    for path, scope, handler, summary, takes, returns, largest in (
        ("ask", "decide", deciding.ask, "Make a decision", wire.Ask, wire.Decided, SINGLE),
        ("ask-many", "decide", deciding.ask_many, "Make up to 1000 decisions", wire.Asks, wire.DecidedMany, BATCH),
        ("tell", "feedback", deciding.tell, "Report what came of a decision", wire.Tell, wire.Told, SINGLE),
        ("tell-many", "feedback", deciding.tell_many, "Report on up to 1000", wire.Tells, wire.ToldMany, BATCH),
        ("give-up", "feedback", deciding.give_up, "Wait for a decision no more", wire.GiveUp, wire.GivenUp, SINGLE),
        ("configure", "admin", running.configure, "Change settings", wire.Configure, wire.Summary, SINGLE),
        ("pause", "admin", running.pause, "Decide the same from now on", wire.Pause, wire.Summary, SINGLE),
        ("resume", "admin", running.resume, "Let it decide again", wire.Nothing, wire.Summary, SINGLE),
        ("archive", "admin", running.archive, "Make no further decisions", wire.Nothing, wire.Summary, SINGLE),
    )
)

_about_keys = (
    Route("GET", "/v1/keys", "admin", managing.keys, "Every key, without its secret", returns=wire.ShownKeys),
    Route(
        *("POST", "/v1/keys", "admin", managing.make_key, "Make a key; its secret is in this reply only"),
        takes=wire.MakeKey,
        returns=wire.NewKey,
        status=201,
        errors=(503,),
    ),
    Route(
        *("DELETE", "/v1/keys/{id}", "admin", managing.remove_key, "Make a key useless"),
        returns=wire.ShownKey,
        errors=(503,),
    ),
)

_page = tuple(
    Route("GET", path, NOBODY, managing.page_file(path), "The page", media=media.partition(";")[0])
    for path, (_, media) in managing.PAGE.items()
)

ROUTES: tuple[Route, ...] = (*_commands, *_about_service, *_about_learners, *_about_keys, *_page)
"""All of them, those first that are called most; the description of the service is added by the application."""
