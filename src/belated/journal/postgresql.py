"""A store in PostgreSQL, by psycopg: one statement and one transaction for each batch of events.

Statements for single rows would cost a journey to the server each. So a batch is sent as one array for each column, and
``unnest`` makes rows of them. What is stored already is left out by ``ON CONFLICT DO NOTHING``; if fewer rows come back
than were sent, the transaction is rolled back.

*Durable.* ``synchronous_commit`` is set on the connection, since a server may have it off.

*One writer.* The process that opens the store holds an advisory lock of the session; the server takes it back when the
connection ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from belated.core.errors import Conflict, StoreFailed, StoreInUse
from belated.core.extras import needing
from belated.journal.events import START, Event
from belated.journal.memory import GENERATIONS, conflict_text
from belated.journal.migrations import migrations
from belated.journal.store import End, Kept, shown_address

CHUNK = 10_000
"""So many events are read at once."""

WRITER = 0x62656C61
"""The number of the advisory lock."""

COLUMNS = "stream, number, kind, decision, key, at, body, chain"
ARRAYS = "%s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::bytea[], %s::bytea[]"
INSERT = (
    f"INSERT INTO belated_events ({COLUMNS}) SELECT * FROM unnest({ARRAYS}) "  # noqa: S608  # all of it is written here
    "ON CONFLICT DO NOTHING RETURNING number"
)
READ = f"SELECT {COLUMNS} FROM belated_events WHERE stream = %s AND number > %s ORDER BY number LIMIT {CHUNK}"  # noqa: S608
END = "SELECT number, chain, at FROM belated_events WHERE stream = %s ORDER BY number DESC LIMIT 1"
