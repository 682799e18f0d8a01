"""What people give, as it is sent, and what they get of a reply."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from belated.client import calls
from belated.client.results import RemotePlay, RemotePrediction
from belated.core import checks
from belated.service.names import checked_name


def asked(context: ArrayLike | None) -> dict[str, Any]:
    """What is sent with an ask for a decision."""
    return {} if context is None else {"context": finite("context", context).tolist()}


def told(key: str, feedback: ArrayLike) -> dict[str, Any]:
    """What is sent to tell the feedback of a decision."""
    return {"decision": checked_name("tell", "key", key), "feedback": finite("feedback", feedback).tolist()}


def learned(key: str, label: Any, weight: float, report: str) -> dict[str, Any]:
    """What is sent to tell the label of an example."""
    values = {"decision": checked_name("learn", "key", key), "label": calls.plain(label)}
    if weight != 1.0:
        values["weight"] = checks.number("learn", "weight", weight)
    if report != calls.FIRST_REPORT:
        values["report"] = checked_name("learn", "report", report)
    return values


def finite(argument: str, value: ArrayLike) -> Any:
    """Real numbers, none of which JSON would turn into a gap."""
    found = checks.real_array("client", argument, value)
    if not np.isfinite(found).all():
        checks.refuse("client", argument, value, "must be finite")
    return found


def play(reply: dict[str, Any], fallback: bool = False) -> RemotePlay:
    """The decision that a reply tells of; ValueError if that cannot be one."""
    points = np.array(msgspec.convert(reply.get("points"), list[list[float]]), dtype=float)
    if not points.size:
        raise ValueError("it has no point")
    return RemotePlay(reply["decision"], points, reply["duplicate"], fallback)


def prediction(reply: dict[str, Any], fallback: bool = False) -> RemotePrediction:
    """The prediction that a reply tells of; ValueError if that cannot be one."""
    value = msgspec.convert(reply.get("value"), float)
    return RemotePrediction(reply["decision"], value, reply["duplicate"], fallback)
