"""What both clients share: everything but the way in which a script is run."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.client import calls
from belated.client.courier import Courier
from belated.client.effects import Script, Work
from belated.client.outbox import Outbox
from belated.client.remote import Remote, RemotePlayer, RemotePredictor
from belated.client.retrying import Retries, Sender, Timing
from belated.core import checks
from belated.service.names import checked_name

KINDS: dict[str, type[Remote]] = {"learner": RemotePlayer, "model": RemotePredictor}

WAYS = {"algorithm": "make", "fingerprint": "description", "ranges": "ranges"}
"""Mappings that describe a learner are told apart by a name that each of them has; beside it, how they are sent."""


class Verbs:
    """The verbs of a client. What they return is what its way of running scripts makes of a result."""

    def __init__(
        self, url: str, key: str | None, timeout: float, retries: Retries, spool: str | Path | None, timing: Timing
    ) -> None:
        self._url, self._headers = _checked_url(url), _headers(key)
        sender = Sender(_checked(retries), checks.positive("client", "timeout", timeout), timing, key is not None)
        self._courier = Courier(sender, Outbox(spool), spool is not None)

    def create(
        self,
        name: str,
        description: Any,
        *,
        initial: ArrayLike | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> Any:
        """Begin the life of a learner or model, or go on with it if it is there already, with these settings.

        Args:
            name: Its name, 1 to 200 characters that can be printed, without ``/``.
            description: A learner or a model, or a mapping: ``{"algorithm": "dogd_sc", "arguments": {...}}``, or
                ``{"ranges": {...}}`` for a learner that suits these ranges.
            initial: The first decision of a learner, as ``learner.start`` takes it. One that goes on has made it.
            seed: The seed of a learner that plays at random, also from the beginning of its life.
            **settings: How long to wait, and how far it may go: see :class:`~belated.service.settings.Settings`.

        Returns:
            A :class:`RemotePlayer`, or a :class:`RemotePredictor` for a model.

        Raises:
            InvalidArgument: An argument is not what it must be, or the name belongs to another learner.
            NotAllowed: The key is not one of an administrator.
            ServiceAway: The service cannot be reached.
        """
        values: dict[str, Any] = {"name": checked_name("create", "name", name), **_described(description)}
        if values.get("description", {}).get("kind") != "model":
            values.update({"seed": seed} if seed else {})
            values.update({} if initial is None else {"initial": np.asarray(initial).tolist()})
        if settings:
            values["settings"] = {setting: calls.plain(value) for setting, value in settings.items()}
        return self._run(self._handle(name, calls.created(values, _kind)))

    def __getitem__(self, name: str) -> Any:
        """The player or predictor of a name; KeyError if there is none. Needs a key that may read."""
        return self._run(self._handle(name, calls.described(name, _kind)))

    def player(self, name: str) -> RemotePlayer:
        """The learner of a name, without a request: also while the service is away, and for keys that may not read.

        Args:
            name: Its name.

        Returns:
            The player. If there is no such learner, its calls say so.
        """
        return RemotePlayer(name, self._courier, self._run)

    def predictor(self, name: str) -> RemotePredictor:
        """The model of a name, without a request.

        Args:
            name: Its name.

        Returns:
            The predictor. If there is no such model, its calls say so.
        """
        return RemotePredictor(name, self._courier, self._run)

    def names(self) -> Any:
        """The names of all learners and models that the key may see.

        Returns:
            A sorted list.
        """
        return self._run(self._courier.simple(calls.listed()))

    @property
    def spooled(self) -> int:
        """How many reports wait in the spool."""
        return self._courier.outbox.waiting

    def flush(self) -> Any:
        """Deliver what waits in the spool, and decisions that are to be taken back.

        Returns:
            Nothing. ``refused()`` has what the service has refused.

        Raises:
            ServiceAway: The service cannot be reached; what was not delivered goes on waiting.
            NotAllowed: The key is not good for it; what was not delivered goes on waiting.
        """
        return self._run(self._courier.deliverer.everything())

    def refused(self) -> Any:
        """What waited in the spool, and was refused by the service for good.

        Returns:
            A list of :class:`Refused`, the oldest first.
        """
        return self._run(_worked(Work(self._courier.outbox.refused)))

    def _run(self, script: Script[Any]) -> Any:
        """Run a script."""
        raise NotImplementedError

    def _handle(self, name: str, call: calls.Call[type[Remote]]) -> Script[Remote]:
        kind: type[Remote] = yield from self._courier.simple(call)
        return kind(name, self._courier, self._run)


def _kind(values: Any) -> type[Remote]:
    return KINDS[values["kind"]]


def _worked(work: Work) -> Script[Any]:
    return (yield work)


def _described(description: Any) -> dict[str, Any]:
    """A description, as it is sent."""
    if isinstance(description, Mapping):
        for name, way in WAYS.items():
            if name in description:
                return {way: description["ranges"] if way == "ranges" else dict(description)}
        checks.refuse("create", "description", description, f"must be a learner, a model, or have one of {[*WAYS]}")
    from belated.service.descriptions import written  # loads every learner

    return {"description": written(description)}


def no_cookies() -> CookieJar:
    """A jar that takes nothing. Whoever else answers at the address must not get into later requests by a cookie."""
    return CookieJar(DefaultCookiePolicy(allowed_domains=[]))


def check_httpx() -> None:
    """Say what to install if httpx is missing."""
    try:
        import httpx  # noqa: F401  # whether it can be
    except ModuleNotFoundError as missing:
        if missing.name != "httpx":
            raise
        raise ModuleNotFoundError(
            "a client needs the package httpx: pip install 'belated[client]'", name=missing.name
        ) from missing


def _checked_url(url: str) -> str:
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        checks.refuse("client", "url", url, "must be an address that begins with http:// or https://")
    found = url.rstrip("/")
    if found.endswith("/v1"):
        checks.refuse("client", "url", url, "give the address without /v1, which the client adds")
    return found


def _headers(key: str | None) -> dict[str, str]:
    found = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is None:
        return found
    if not isinstance(key, str) or not key or not key.isascii() or not key.isprintable():
        checks.refuse("client", "key", "...", "must be a key as the service has shown it")
    return {**found, "Authorization": f"Bearer {key}"}


def _checked(retries: Retries) -> Retries:
    checks.count("client", "tries", retries.tries)
    for name in ("first", "longest", "budget"):
        checks.positive("client", name, getattr(retries, name))
    return retries
