"""What a script may ask of the one who runs it.

A script is a generator: it yields effects, and is sent what came of them.

=============  ====================================================  =================================
effect         what is to be done                                    what is sent back
=============  ====================================================  =================================
:class:`Send`  send a request                                        a :class:`Heard`, or :class:`Lost`
:class:`Rest`  wait                                                  nothing
:class:`Work`  do something that may wait for a disk                 what it returns
=============  ====================================================  =================================

An error of the work is thrown into the script. That a request has failed is no error here, and scripts decide about it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Send(NamedTuple):
    """A request, and the seconds that it may take: all of it if ``strict``, and otherwise each wait for the network."""

    method: str
    path: str
    content: bytes
    timeout: float
    strict: bool = False


class Rest(NamedTuple):
    """So many seconds in which nothing is to be done."""

    seconds: float


class Work(NamedTuple):
    """Something that may wait for a disk."""

    job: Callable[[], Any]


class Heard(NamedTuple):
    """What came back: a status, a body, and in how many seconds one may come again, if that was said."""

    status: int
    content: bytes
    retry_after: float = 0.0


class Lost(NamedTuple):
    """No reply came. Whether the request was heard is not known."""

    reason: str


Effect = Send | Rest | Work
Script = Generator[Effect, Any, T]


def seconds_of(header: str | None) -> float:
    """The seconds of a header ``Retry-After``. A date there counts as nothing said: clocks differ.

    Example:
        >>> seconds_of("2"), seconds_of("Tue, 17 Nov 2026 19:44:53 GMT"), seconds_of(None)
        (2.0, 0.0, 0.0)
    """
    text = (header or "").strip()
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0.0
