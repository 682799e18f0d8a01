"""What comes in and goes out over HTTP, as types. The description of the service is made from them.

A field that is not named here is refused, so that a typing error is noticed. What a learner takes as context, features,
feedback or label is for the learner to check: here it is any value of JSON.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from belated.service.names import LONGEST

MOST = 1000
"""A batch has at most so many items."""

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST)]
Microseconds = Annotated[int, Meta(description="Microseconds since 1970.")]
Number = int | float
Scope = Literal["decide", "feedback", "read", "admin"]
Features = Annotated[
    dict[str, bool | Number | str | None] | list[Any],
    Meta(description="The example: names with numbers or words, or a list of numbers."),
]


class Given(Struct, forbid_unknown_fields=True):
    """What all requests have in common: nothing may be in them that means nothing."""


class Ask(Given):
    """Somebody wants a decision now."""

    decision: Annotated[Name | None, Meta(description="Your id of the decision. Asking again returns the same.")] = None
    context: list[Number] | UnsetType = UNSET
    features: Features | UnsetType = UNSET


class Asks(Given):
    """Somebody wants several decisions at once."""

    asks: Annotated[list[Ask], Meta(max_length=MOST)]


class Tell(Given):
    """What came of a decision."""

    decision: Name
    feedback: Number | list[Number] | UnsetType = UNSET
    label: bool | Number | str | UnsetType = UNSET
    weight: Number | UnsetType = UNSET
    report: Annotated[Name, Meta(description="Which of several reports on the decision.")] = "1"


class Tells(Given):
    """What came of several decisions."""

    tells: Annotated[list[Tell], Meta(max_length=MOST)]


class GiveUp(Given):
    """Nothing will be told of a decision."""

    decision: Name


class Create(Given):
    """A learner or model to be made: by ``make``, by ``ranges``, or by ``description``."""

    name: Name
    make: dict[str, Any] | None = None
    ranges: dict[str, Any] | None = None
    description: dict[str, Any] | None = None
    seed: Annotated[int, Meta(ge=0)] | None = None
    initial: list[Number] | None = None
    settings: dict[str, Any] = {}


class Configure(Given):
    """Settings that are to be changed."""

    settings: dict[str, Any]


class Pause(Given):
    """What is decided while the learner is paused; by default what was decided last."""

    fixed: Number | list[Number] | None = None


class Nothing(Given):
    """A command of which nothing need be said."""


class MakeKey(Given):
    """A key that is to be made."""

    label: Name
    scopes: Annotated[list[Scope], Meta(min_length=1)]
    learners: list[Name] | None = None


class ErrorBody(Struct):
    """What is wrong with a request."""

    type: str
    message: str
    argument: str | None


class Problem(Struct):
    """The one form of errors."""

    error: ErrorBody


class Decided(Struct, omit_defaults=True):
    """A decision of a learner or a prediction of a model, or in a batch an error in its place."""

    decision: str | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    round: int | UnsetType = UNSET
    points: list[list[float]] | UnsetType = UNSET
    value: float | UnsetType = UNSET
    paused: bool | UnsetType = UNSET
    error: ErrorBody | UnsetType = UNSET


class DecidedMany(Struct):
    """One reply for each ask, in their order."""

    replies: list[Decided]


class Told(Struct):
    """What became of a report, or in a batch an error in its place."""

    decision: str | UnsetType = UNSET
    report: Annotated[str | UnsetType, Meta(description="Which of several reports, if that is not 1.")] = UNSET
    learned: bool | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    warning: Annotated[
        str | UnsetType, Meta(description="What is odd about what was learned: a value outside of the declared range.")
    ] = UNSET
    error: ErrorBody | UnsetType = UNSET


class ToldMany(Struct):
    """One reply for each report, in their order."""

    replies: list[Told]


class GivenUp(Struct):
    """Whether the decision was given up before."""

    decision: str
    duplicate: bool


class Loss(Struct):
    """A mean over everything that was told."""

    mean: float
    count: int
    name: str


class Summary(Struct):
    """A learner or model in numbers."""

    name: str
    kind: str
    algorithm: str
    created_at: Microseconds
    paused: bool
    archived: bool
    events: int
    asked: int
    answered: int
    noted: int
    timed_out: int
    given_up: int
    pending: int
    oldest_pending_at: Microseconds | None
    last_at: Microseconds
    asked_per_second: float
    answered_per_second: float
    current: dict[str, Any] | None
    loss: Loss | None
    rate: float | None
    duplicate: bool | UnsetType = UNSET


class Delays(Struct):
    """How long feedback took: ``counts`` has one number more than there are edges, for what is longer than the last."""

    edges_seconds: list[float]
    counts: list[int]


class Outside(Struct):
    """Reports that were learned with a value outside of the range that was declared for the learner."""

    count: int
    values: Annotated[list[float], Meta(description="The declared range: the least and the largest value.")]
    last: Annotated[float | None, Meta(description="The last such value.")]
    last_at: Microseconds | None


class Detail(Summary, kw_only=True):
    """A learner or model in numbers and words."""

    description: str
    settings: dict[str, Any]
    fixed: Any
    dim: int | None
    points: Annotated[int | None, Meta(description="How many points a decision of a learner has.")]
    context: Annotated[int, Meta(description="How many numbers a learner is told with an ask.")]
    feedback: str
    delays: Delays
    losses: list[tuple[int, float]]
    outside: Annotated[Outside | None, Meta(description="Null if no range of values was declared.")]


class Learners(Struct):
    """Every learner that the key may see."""

    learners: list[Summary]


class KnownDecision(Struct):
    """A decision that is in memory."""

    decision: str
    status: str
    at: Microseconds
    deadline: Microseconds | None
    result: dict[str, Any]


class KnownDecisions(Struct):
    """Decisions that are in memory, the newest first."""

    decisions: list[KnownDecision]


class LifeEvent(Struct):
    """One event of a decision's life."""

    number: int
    kind: str
    key: str | None
    at: Microseconds
    body: dict[str, Any]


class DecisionLife(Struct):
    """A decision from ask to answer."""

    decision: str
    status: str
    events: list[LifeEvent]


class Makeable(Struct):
    """An algorithm, a model or a domain that can be named in ``make``, with a JSON Schema of its arguments."""

    name: str
    arguments: dict[str, Any]
    kind: str | UnsetType = UNSET
    title: str | UnsetType = UNSET


class Catalogue(Struct):
    """Everything that can be made."""

    algorithms: list[Makeable]
    domains: list[Makeable]


class ShownKey(Struct):
    """A key, without its secret."""

    id: str
    label: str
    scopes: list[str]
    learners: list[str] | None
    made_at: Microseconds
    removed: bool


class NewKey(ShownKey, kw_only=True):
    """A key that was just made. Nobody can show the secret again."""

    key: str


class ShownKeys(Struct):
    """Every key, also those that were removed."""

    keys: list[ShownKey]


class Health(Struct):
    """Whether the service can do its work."""

    status: str
    reason: str | UnsetType = UNSET
    clock_behind_seconds: Annotated[
        float | UnsetType, Meta(description="By how much the clock is behind the last event; 0 if it is not.")
    ] = UNSET


def json(values: Any) -> bytes:
    """Plain values or types of this file as JSON."""
    return msgspec.json.encode(values)
