"""API keys: who may do what, kept in a stream of the journal like everything else that must not be lost.

A key is 256 random bits. The journal has its SHA-256 only, so whoever reads a back-up cannot use it. It is shown once,
when it is made. Keys are never deleted from the journal; a removed one is an event, too.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from hashlib import sha256
from hmac import compare_digest
from typing import Any, NamedTuple

from belated.core import checks
from belated.core.errors import InvalidArgument, StateMismatch, UnknownKey
from belated.journal.events import START, Event, chained, digest
from belated.journal.store import End
from belated.service.bodies import packed, unpacked
from belated.service.names import checked_learner_name, checked_name

STREAM = "#keys"
"""The stream of the journal that keys are in. No learner has a name like this."""

SCOPES = ("decide", "feedback", "read", "admin")
"""What a key may be for; ``admin`` includes the others."""

PREFIX = "bl_"
"""How keys begin, so that people and scanners of leaked secrets know them."""

MADE, REMOVED = "key_made", "key_removed"
ONCE = "1"


class ApiKey(NamedTuple):
    """One key, without its secret.

    Args:
        id: Its number, as a text.
        label: What people call it.
        scopes: What it may be used for.
        learners: The only learners that it may be used for; ``None`` for all of them.
        digest: The SHA-256 of the secret.
        made_at: When it was made, in microseconds.
        removed: Whether it is of no use any more.
    """

    id: str
    label: str
    scopes: tuple[str, ...]
    learners: tuple[str, ...] | None
    digest: bytes
    made_at: int
    removed: bool = False

    def allows(self, scope: str | None) -> bool:
        """Whether it may be used for something; ``None`` is for what every key may do."""
        return scope is None or scope in self.scopes or "admin" in self.scopes

    def sees(self, learner: str) -> bool:
        """Whether it may be used for a learner."""
        return self.learners is None or learner in self.learners

    @property
    def shown(self) -> dict[str, Any]:
        """What people may see of it."""
        return {
            "id": self.id,
            "label": self.label,
            "scopes": list(self.scopes),
            "learners": None if self.learners is None else list(self.learners),
            "made_at": self.made_at,
            "removed": self.removed,
        }


class Keys:
    """All keys of a store, as a fold over the events of their stream.

    Args:
        events: The events so far.

    Raises:
        StateMismatch: The events are not those that were written.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.end = End(0, START, 0)
        self._by_id: dict[str, ApiKey] = {}
        self._by_digest: dict[bytes, ApiKey] = {}
        for event in events:
            if event.chain != digest(self.end.chain, STREAM, self.end.number + 1, *event[2:7]):
                raise StateMismatch(
                    f"event {event.number} of {STREAM!r} does not follow event {self.end.number}: the store is "
                    "damaged. Restore a back-up."
                )
            self._apply(event)

    def __iter__(self) -> Any:
        return iter(self._by_id.values())

    @property
    def has_admin(self) -> bool:
        """Whether there is a key that can make others, for all learners."""
        return any(not key.removed and "admin" in key.scopes and key.learners is None for key in self)

    def find(self, secret: bytes) -> ApiKey | None:
        """The key of a secret; ``None`` if there is none, or it was removed.

        Args:
            secret: What somebody claims to be a key.
        """
        wanted = sha256(secret).digest()
        known = self._by_digest.get(wanted)
        if known is None or known.removed or not compare_digest(wanted, known.digest):
            return None
        return known

    def make(self, label: str, scopes: Sequence[str], learners: Sequence[str] | None, now: int) -> tuple[Event, str]:
        """Make a key. It can be used at once; tell nobody before the event is stored.

        Args:
            label: What people call it, 1 to 200 characters.
            scopes: One or more of :data:`SCOPES`.
            learners: The only learners that it is for; ``None`` for all of them.
            now: The time.

        Returns:
            The event to be stored, and the secret, which nobody keeps.

        Raises:
            InvalidArgument: An argument is not what it must be.
        """
        checked_name("key", "label", label)
        for scope in scopes:
            if scope not in SCOPES:
                checks.refuse("key", "scopes", scope, f"must be some of {', '.join(SCOPES)}")
        if not scopes:
            checks.refuse("key", "scopes", scopes, f"must name at least one of {', '.join(SCOPES)}")
        only = (
            None if learners is None else sorted({checked_learner_name("key", "learners", name) for name in learners})
        )
        if only is not None and "admin" in scopes:
            raise InvalidArgument("`key`: a key of an admin is for all learners", "learners")
        secret = PREFIX + secrets.token_urlsafe(32)
        body = {
            "label": label,
            "scopes": sorted(set(scopes), key=SCOPES.index),
            "learners": only,
            "digest": sha256(secret.encode()).hexdigest(),
        }
        return self._record(MADE, str(self.end.number + 1), body, now), secret

    def remove(self, name: str, now: int) -> Event | None:
        """Make a key useless from now on.

        Args:
            name: The id of the key.
            now: The time.

        Returns:
            The event to be stored; ``None`` if it was removed before.

        Raises:
            UnknownKey: There is no such key.
        """
        if name not in self._by_id:
            raise UnknownKey(f"there is no key {name!r}")
        return None if self._by_id[name].removed else self._record(REMOVED, name, {}, now)

    def __getitem__(self, name: str) -> ApiKey:
        """The key of an id."""
        return self._by_id[name]

    def _record(self, kind: str, name: str, body: dict[str, Any], now: int) -> Event:
        at = max(now, self.end.at)
        event = chained(self.end.chain, STREAM, self.end.number + 1, kind, name, ONCE, at, packed(body))
        self._apply(event)
        return event

    def _apply(self, event: Event) -> None:
        name = event.decision or ""
        if event.kind == MADE:
            values = unpacked(event.body)
            only = values["learners"]
            learners = None if only is None else tuple(only)
            own = bytes.fromhex(values["digest"])
            key = ApiKey(name, values["label"], tuple(values["scopes"]), learners, own, event.at)
        else:
            key = self._by_id[name]._replace(removed=True)
        self._by_id[name] = self._by_digest[key.digest] = key
        self.end = End(event.number, event.chain, event.at)
