"""Stores: where events are kept, behind one protocol, and the addresses by which they are opened.

========================  ==================================================  ======================================
address                   store                                               what is promised when ``append`` returns
========================  ==================================================  ======================================
``memory://``             a list in this process                              nothing beyond the life of the process
``sqlite:///knob.db``     a file, which one process may write                 survives a killed process and a power cut
``postgresql://...``      a PostgreSQL server (``belated[postgresql]``)       what the server promises for a commit
========================  ==================================================  ======================================

``sqlite:///knob.db`` is a path from the current folder, ``sqlite:////var/knob.db`` one from the root.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, NoReturn, Protocol

from belated.core import checks
from belated.journal.events import Event

GENERATIONS = 2
"""So many snapshots of a stream are kept."""


class End(NamedTuple):
    """The last event of a stream: its number, digest and time. A stream that does not exist ends at 0."""

    number: int
    chain: bytes
    at: int


class Kept(NamedTuple):
    """A snapshot as it is kept. It is a cache: the events are the truth, and whoever reads it checks it.

    Args:
        number: The number of the last event that is in it.
        body: Its bytes.
    """

    number: int
    body: bytes


class Part(NamedTuple):
    """A part of a snapshot. Parts are kept one by one, so that no event waits until a whole snapshot is written.

    Args:
        number: The number of the last event that is in the snapshot.
        part: Its place in the snapshot, from 0.
        body: Its bytes.
        is_last: Whether the snapshot is complete with it.
    """

    number: int
    part: int
    body: bytes
    is_last: bool


def whole(parts: Iterable[tuple[int, bytes]]) -> list[Kept]:
    """Snapshots from their parts, which follow each other and have the number of their snapshot.

    A damaged file may have anything in the place of bytes; such a snapshot is not whole, and is passed over.
    """
    return [
        Kept(number, b"".join(body for _, body in found if isinstance(body, bytes)))
        for number, found in groupby(parts, key=lambda part: part[0])
    ]


class Store(Protocol):
    """What every store can do, from any thread. Writes wait for each other; reading does not wait for a write.

    One object at a time may have a store open. It may lose it unawares: PostgreSQL takes the lock back when the
    connection ends, and a file can be replaced. What was read before then counts only if a later :meth:`append`, which
    may have no events, succeeds. After :meth:`close`, every call raises StoreFailed.
    """

    address: str
    """The address, without a password."""

    def append(self, events: Sequence[Event]) -> None:
        """Add events to the ends of their streams: all of them, or none.

        When it returns, the events are as durable as the store promises.

        Args:
            events: The events, in the order of their numbers within each stream. No event is looked into:
                :func:`~belated.journal.events.chained` has checked it. If there are none, all that is done is to see
                whether this object may still write the store.

        Raises:
            Conflict: A number does not follow the end of its stream, or an event about the same decision, kind and
                key is stored already. Nothing was stored.
            StoreFailed: The store could not write, and will not try again. Whether the events are stored is not known;
                open the store anew and read.
        """

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream in their order.

        Args:
            stream: The stream; one that does not exist has no events.
            after: Only events with a larger number than this.

        Returns:
            An iterator, which reads in portions as it goes on.

        Raises:
            StoreFailed: The store could not be read. Nothing was changed.
            StoreDamaged: The store cannot be understood. Nothing was changed; restore a back-up.
        """

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""

    def find(self, stream: str, decision: str) -> list[Event]:
        """All events about one decision, in their order.

        Args:
            stream: The stream.
            decision: The decision; one that does not exist has no events.

        Returns:
            The events, a list of yours.

        Raises:
            StoreFailed: The store cannot be read.
        """

    def end(self, stream: str) -> End:
        """The last event of a stream.

        Args:
            stream: The stream; one that does not exist ends at 0.

        Returns:
            Its number, digest and time.
        """

    def keep(self, stream: str, part: Part) -> None:
        """Keep a part of a snapshot. Of all snapshots of the stream, the two with the largest numbers stay.

        Args:
            stream: The stream.
            part: The part, which follows the one before it. The first replaces a snapshot with the same number.

        Raises:
            StoreFailed: The store could not write, and will not try again.
        """

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream that are kept.

        Args:
            stream: The stream.

        Returns:
            The one with the largest number first. Parts of it may be missing, if a process was killed meanwhile.
        """

    def check(self) -> None:
        """Look for damage that reading the events does not show, such as a lost end. It changes nothing.

        Together with :func:`~belated.journal.verify` for each stream, it is everything that can be known.

        Raises:
            StoreDamaged: The store is not what was written. Restore a back-up.
            StoreFailed: The store cannot be read.
        """

    def close(self) -> None:
        """Let go of the store; doing it twice does no harm."""


PATH = re.compile(r"[\w./ \\-]{1,100}")
"""What looks like the path of a file, and has no sign in it before which a password may stand."""

HOSTS = r"(?:[^\s:@/?#]|:\d+(?=[,/?]|$)|\[[\da-fA-F:.]+\])*"
ADDRESS = re.compile(
    rf"(?P<scheme>\w+://)(?:(?P<user>[^\s:@/?#]*)(?::[^\s@/]*)?@)?"
    rf"(?:(?P<place>{HOSTS}/[^\s@?]*)(?:\?.*)?|(?P<hosts>{HOSTS})(?:\?[^@]*)?)"
)
"""An address of which it is plain where a password stands: behind the user's name, or behind the question mark."""


def open_store(address: str) -> Store:
    """Open a store, or make it if it is not there.

    Args:
        address: ``"memory://"``, ``"sqlite:///path"`` or ``"postgresql://user@host/name"``.

    Returns:
        The store. Whoever opens it closes it.

    Raises:
        InvalidArgument: There is no such kind of store.
        StoreInUse: Another process writes to this store.
        StoreFailed: The store cannot be opened, or was made by a later version.
        StoreDamaged: The store is not what was written.
        ModuleNotFoundError: A package is missing; ``pip install 'belated[postgresql]'`` installs it.

    Example:
        >>> store = open_store("memory://")
        >>> store.streams()
        []
    """
    if not isinstance(address, str) or "://" not in address:
        if isinstance(address, str) and not PATH.fullmatch(address):
            _refuse_kind(HIDDEN, "")  # it may be an address with a mistake in it, and a password
        _refuse_kind(address, f"sqlite:///{address}" if isinstance(address, str) else "")
    scheme = address.split("://", 1)[0] + "://"
    if scheme not in EVERY:
        shown = shown_address(address)
        _refuse_kind(shown, shown.replace("postgres://", "postgresql://", 1) if scheme == "postgres://" else "")
    return EVERY[scheme](address)


def _refuse_kind(address: object, meant: str) -> NoReturn:
    """Refuse an address of no kind that there is; ``meant`` is one that may have been meant, or empty."""
    hint = f"; did you mean {meant}?" if meant else ""
    checks.refuse("open_store", "address", address, f"must begin with one of {', '.join(EVERY)}{hint}")


HIDDEN = "..."
"""What is shown in place of an address in which a password may stand anywhere."""


def shown_address(address: str) -> str:
    """An address that may be shown to people: without a password, and without the parameters behind ``?``.

    Where it is not plain what the password is, such as if it has a slash in it, only the kind of the store is shown.

    Example:
        >>> shown_address("postgresql://ada:secret@host:5432/db"), shown_address("postgresql://ada:sec/ret@host/db")
        ('postgresql://ada@host:5432/db', 'postgresql://...')
    """
    found = ADDRESS.fullmatch(address)
    if found is None:
        return address.partition("://")[0] + "://" + HIDDEN
    user = "" if found["user"] is None else f"{found['user']}@"
    return f"{found['scheme']}{user}{found['place'] or found['hosts'] or ''}"


def _memory(address: str) -> Store:
    from belated.journal.memory import MemoryStore

    if address != "memory://":
        checks.refuse(
            "open_store", "address", shown_address(address), "must be memory:// alone: such a store has no name"
        )
    return MemoryStore()


def _sqlite(address: str) -> Store:
    from belated.journal.sqlite import open_sqlite

    path = address.removeprefix("sqlite:///")
    if path == address or not path:
        checks.refuse(
            "open_store",
            "address",
            shown_address(address),
            "must be sqlite:///path, with three slashes before the path",
        )
    return open_sqlite(Path(path))


def _postgresql(address: str) -> Store:
    from belated.journal.postgresql import open_postgresql

    return open_postgresql(address)


EVERY: dict[str, Callable[[str], Store]] = {
    "memory://": _memory,
    "sqlite://": _sqlite,
    "postgresql://": _postgresql,
}
"""What opens each kind of address."""
