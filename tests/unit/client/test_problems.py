"""What the service refuses becomes the errors that are raised in process; what is not the service is told apart."""

import re
from pathlib import Path

import msgspec
import pytest

from belated.client.effects import Heard
from belated.client.problems import AWAY, FOR_GOOD, TYPES, error_of, problem_of
from belated.core import errors
from belated.service.http import problems

WIRE = {
    "malformed": (400, errors.ServiceFailed),
    "unauthorized": (401, errors.NotAllowed),
    "forbidden": (403, errors.NotAllowed),
    "not_found": (404, errors.ServiceFailed),
    "unknown_learner": (404, KeyError),
    "unknown_decision": (404, errors.UnknownDecision),
    "unknown_key": (404, errors.InvalidArgument),
    "method_not_allowed": (405, errors.ServiceFailed),
    "timeout": (408, errors.ServiceAway),
    "already_answered": (409, errors.AlreadyAnswered),
    "name_taken": (409, errors.NameTaken),
    "archived": (409, errors.Archived),
    "too_large": (413, errors.InvalidArgument),
    "unsupported_media_type": (415, errors.ServiceFailed),
    "invalid_argument": (422, errors.InvalidArgument),
    "busy": (503, errors.StoreBusy),
    "store_failed": (503, errors.StoreFailed),
    "internal": (500, errors.ServiceFailed),
}


def heard(status, values):
    return Heard(status, msgspec.json.encode(values))


def test_every_type_is_mapped_with_its_status():
    assert {type: status for type, (status, _) in TYPES.items()} == {type: status for type, (status, _) in WIRE.items()}


def test_the_service_says_nothing_else():
    """Its own table, and every refusal that is written in its files."""
    files = Path(problems.__file__).parent.glob("*.py")
    written = re.findall(r'Refused\(\s*(\d+), "(\w+)"', "".join(file.read_text(encoding="utf-8") for file in files))
    said = {(int(status), type) for status, type in written} | {tuple(status) for _, status in problems.STATUSES}
    assert len(said) > 12
    assert said | {tuple(problems.INTERNAL)} <= {(status, type) for type, (status, _) in WIRE.items()}


@pytest.mark.parametrize(("error", "status"), problems.STATUSES, ids=[error.__name__ for error, _ in problems.STATUSES])
def test_errors_of_in_process_come_back_as_themselves_or_as_what_they_are_sent_as(error, status):
    sent = problems.problem(error("words"))
    found = problem_of(Heard(status.code, sent))
    others = {"StateMismatch": "StoreFailed", "NumericalFailure": "InvalidArgument", "BelatedError": "InvalidArgument"}
    assert type(found).__name__ == {"UnknownKey": "InvalidArgument", **others}.get(error.__name__, error.__name__)
    assert str(found) == "words"


@pytest.mark.parametrize("type", WIRE)
def test_a_refusal_is_the_error_of_in_process(type):
    status, wanted = WIRE[type]
    found = problem_of(heard(status, {"error": {"type": type, "message": "words", "argument": "decision"}}))
    assert isinstance(found, wanted)
    assert isinstance(found, errors.BelatedError)
    assert str(found) == "words"
    assert getattr(found, "argument", "decision") == "decision"


def test_every_error_is_for_good_or_for_a_time_or_about_the_key():
    kinds = {type(error_of({"type": each, "message": "", "argument": None})) for each in WIRE}
    for kind in kinds:
        assert sum(issubclass(kind, group) for group in (AWAY, FOR_GOOD, errors.NotAllowed)) == 1, kind


@pytest.mark.parametrize(
    ("status", "body", "wanted"),
    [
        (404, b"<html>", errors.ServiceFailed),
        (302, b"", errors.ServiceFailed),
        (418, b'{"error": {"type": "teapot", "message": "short"}}', errors.ServiceFailed),
        (400, b'{"error": "odd"}', errors.ServiceFailed),
        (400, b'["odd"]', errors.ServiceFailed),
        (429, b"slowly", errors.ServiceAway),
        (502, b"", errors.ServiceAway),
        (503, b"\xff", errors.ServiceAway),
        (503, b"[" * 100_000, errors.ServiceAway),
        (400, b'{"error": {"type": ["busy"], "message": "odd"}}', errors.ServiceFailed),
        (404, b'{"error": "unknown_decision"}', errors.ServiceFailed),
        (404, b'{"error": {"type": "unknown_decision"}}', errors.ServiceFailed),
        (404, b'{"error": {"type": "unknown_decision", "message": "odd"}}', errors.ServiceFailed),
        (404, b'{"error": {"type": "unknown_decision", "message": 7, "argument": null}}', errors.ServiceFailed),
        (409, b'{"error": {"type": "unknown_decision", "message": "odd", "argument": null}}', errors.ServiceFailed),
        (500, b'{"error": {"type": "invalid_argument", "message": "odd", "argument": null}}', errors.ServiceFailed),
        (503, b'{"error": {"type": "unknown_decision", "message": "odd", "argument": null}}', errors.ServiceFailed),
        (403, b'{"error": {"type": "forbidden", "message": "odd"}}', errors.ServiceFailed),
        (404, b'{"error": {"type": "gone", "message": "odd", "argument": null}}', errors.ServiceFailed),
    ],
)
def test_what_does_not_come_from_the_service_is_said_to_be_so(status, body, wanted):
    assert type(problem_of(Heard(status, body))) is wanted


def test_an_answer_is_no_problem():
    assert problem_of(Heard(200, b"{}")) is None
    assert problem_of(Heard(201, b"{}")) is None


def test_an_unknown_learner_reads_like_other_errors():
    """``str`` of a KeyError would be in quotes."""
    assert str(errors.UnknownLearner("there is no learner 'x'")) == "there is no learner 'x'"
