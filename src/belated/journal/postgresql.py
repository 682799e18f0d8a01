"""A store in PostgreSQL, by psycopg: one statement and one transaction for each batch of events.

Statements for single rows would cost a journey to the server each. So a batch is sent as one array for each column, and
``unnest`` makes rows of them. The statement stores nothing if a stream does not end where the batch begins, and leaves
out what is stored already; if fewer rows were stored than sent, the transaction is rolled back.

*Durable.* ``synchronous_commit`` is set on the connection and read back, since a server may have it off.

*One writer.* The connection that writes holds an advisory lock. The server takes the lock back when that connection
ends, and nothing is written by another one, so a writer that has lost its lock cannot write. Whether it has lost it is
seen by any statement on that connection: ``append`` of no events sends an empty one. The lock is of one schema: stores
in other schemas or databases of the server do not notice it.

*Fail-stop.* After an error of a write, or when the connection that writes is lost, the object writes nothing any more.
A connection that only reads holds nothing, so it is opened anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from belated.core import checks
from belated.core.errors import Conflict, StoreFailed, StoreInUse
from belated.journal.events import START, Event
from belated.journal.migrations import check_version, migrations
from belated.journal.order import firsts, taken_text
from belated.journal.store import GENERATIONS, HIDDEN, End, Kept, Part, shown_address, whole

if TYPE_CHECKING:
    from psycopg import Connection

FORM = "postgresql://user:password@host:port/database, with signs such as / ? # @ in a password as %2F %3F %23 %40"

CONNECTION = {
    "autocommit": True,
    "application_name": "belated",
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""How connections are made, where the address says nothing else: a server that has gone silent counts as lost after ten
seconds, and not after the quarter of an hour that systems wait by themselves."""

CHUNK, CHUNK_BYTES = 10_000, 8 * 2**20
"""So many events are read at once, or fewer if their bodies have so many bytes."""

WRITER = 0x62656C61
"""The first half of the advisory lock's number: the letters ``bela``. The second half is the schema's own number."""

COLUMNS = "stream, number, kind, decision, key, at, body, chain"

# The schema of the store: where the tables are, or else where they would be made.
SCHEMA = """SELECT oid, nspname FROM pg_namespace WHERE oid = coalesce(
    (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('belated_schema')),
    (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))"""

ALIVE = "SELECT 1"
UNLOCK = "SELECT pg_advisory_unlock_all()"
LOCK = "SELECT pg_try_advisory_lock(%s, (%s::bigint - 2147483648)::integer)"

# How many events were stored: all of a batch, or fewer if one is not allowed.
INSERT = f"""WITH fits AS (
    SELECT bool_and(first.number = 1 + coalesce(
        (SELECT number FROM belated_events WHERE stream = first.stream ORDER BY number DESC LIMIT 1), 0)) AS all_fit
    FROM unnest(%b::text[], %b::bigint[]) AS first (stream, number)
), stored AS (
    INSERT INTO belated_events ({COLUMNS})
    SELECT new.* FROM fits, unnest(%b::text[], %b::bigint[], %b::text[], %b::text[], %b::text[], %b::bigint[],
        %b::bytea[], %b::bytea[]) AS new
    WHERE fits.all_fit
    ON CONFLICT DO NOTHING RETURNING 1
) SELECT count(*) FROM stored"""  # noqa: S608  # all of it is written here

# The next events of a stream: those before which there are not too many bytes of bodies.
FIND = f"SELECT {COLUMNS} FROM belated_events WHERE stream = %s AND decision = %s"  # noqa: S608
READ = f"""SELECT {COLUMNS} FROM (
    SELECT {COLUMNS}, sum(octet_length(body)) OVER (ORDER BY number) - octet_length(body) AS bytes_before FROM (
        SELECT {COLUMNS} FROM belated_events WHERE stream = %s AND number > %s ORDER BY number LIMIT {CHUNK}) AS next
) AS measured WHERE bytes_before < {CHUNK_BYTES} ORDER BY number"""  # noqa: S608

END = "SELECT number, chain, at FROM belated_events WHERE stream = %s ORDER BY number DESC LIMIT 1"
# By jumps along the primary key, so that it does not take longer where streams are long.
STREAMS = """WITH RECURSIVE names (stream) AS (
    (SELECT stream FROM belated_events ORDER BY stream LIMIT 1)
    UNION ALL SELECT (SELECT stream FROM belated_events WHERE stream > names.stream ORDER BY stream LIMIT 1)
    FROM names WHERE stream IS NOT NULL
) SELECT stream FROM names WHERE stream IS NOT NULL"""
KEEP = "INSERT INTO belated_snapshots (stream, number, part, body) VALUES (%s, %s, %s, %b)"
REPLACE = "DELETE FROM belated_snapshots WHERE stream = %s AND number = %s"
FORGET = """DELETE FROM belated_snapshots WHERE stream = %s AND number NOT IN (
    SELECT DISTINCT number FROM belated_snapshots WHERE stream = %s ORDER BY number DESC LIMIT %s)"""
KEPT = "SELECT number, body FROM belated_snapshots WHERE stream = %s ORDER BY number DESC, part"

# Every query has its index. A plan that was made while the tables were empty, and is kept, must not leave it aside. And
# a store that has nothing to do for a night must not be sent away.
SETTINGS = """SELECT set_config(name, CASE name WHEN 'idle_session_timeout' THEN '0' ELSE 'off' END, false)
    FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_bitmapscan', 'idle_session_timeout')"""

SET_VERSION = """INSERT INTO belated_schema (version) VALUES (%s)
    ON CONFLICT (only_row) DO UPDATE SET version = excluded.version"""


def open_postgresql(address: str) -> PostgresqlStore:
    """Open a store on a server for writing, or make its tables.

    Args:
        address: ``"postgresql://user@host/database"``, with the parameters of libpq behind a question mark. The tables
            are in the first schema of the search path.

    Returns:
        The store.

    Raises:
        InvalidArgument: It cannot be understood as an address.
        StoreInUse: Another connection writes to it.
        StoreFailed: It cannot be reached, or was made by a later version.
        ModuleNotFoundError: psycopg is missing; ``pip install 'belated[postgresql]'`` installs it.
    """
    try:
        import psycopg
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"`open_store({shown_address(address)!r})`: PostgreSQL needs the package psycopg: "
            "pip install 'belated[postgresql]'",
            name=error.name,
        ) from error
    shown = shown_address(address)
    try:
        parameters: dict[str, Any] = {**CONNECTION, **psycopg.conninfo.conninfo_to_dict(address)}
    except psycopg.Error:  # what it says may quote a part of a password
        parameters = {}
    if not parameters or shown.endswith(HIDDEN):
        checks.refuse("open_store", "address", shown, f"must have the form {FORM}")
    writer: Connection | None = None
    try:
        writer = psycopg.connect(**parameters)
        schema = _locked_schema(writer, shown)
        _make_durable(writer, shown)
        _migrate(writer, shown)

        def connect() -> Connection:
            reader: Connection = psycopg.connect(**parameters)
            _stay_in(reader, schema)
            return reader

        return PostgresqlStore(shown, writer, connect)
    except BaseException as problem:
        if writer is not None:
            writer.close()
        if isinstance(problem, psycopg.Error):
            text = " ".join(str(problem).split())
            raise StoreFailed(f"{shown} cannot be opened: {text}. Nothing was changed.") from problem
        raise


class PostgresqlStore:
    """Events in tables of a server.

    Args:
        address: The address, without a password.
        writer: The connection that holds the lock.
        connect: Makes a connection that reads, so that reading does not wait for writing, and another one in its place
            if it is lost.
    """

    def __init__(self, address: str, writer: Connection, connect: Callable[[], Connection]) -> None:
        self.address = address
        self._writer, self._reader, self._connect = writer, connect(), connect
        self._writing, self._reading = Lock(), Lock()
        self._failed = ""

    def append(self, events: Sequence[Event]) -> None:
        """Add events, all or none, by one statement; see :class:`~belated.journal.store.Store`."""
        first_of = firsts(events).values()
        columns = [list(column) for column in zip(*events, strict=True)]
        heads = [[event.stream for event in first_of], [event.number for event in first_of]]
        with self._writing:
            self._check_usable()
            try:
                if not events:
                    self._writer.execute(ALIVE)
                    return
                with self._writer.transaction():
                    ((stored,),) = self._writer.execute(INSERT, heads + columns)
                    if stored < len(events):
                        raise Conflict(taken_text(events))
            except Conflict:
                raise
            except Exception as problem:
                self._stop(problem)

    def _stop(self, problem: Exception) -> NoReturn:
        text = " ".join(str(problem).split())
        self._failed = (
            f"{self.address} could not be written ({text}), so nothing more is written to it. Events that were not "
            "confirmed may be stored or not. Mend the cause, and open the store anew."
        )
        self._writer.close()  # which also gives the lock back, for whoever opens the store anew
        raise StoreFailed(self._failed) from problem

    def _check_usable(self) -> None:
        if self._failed:
            raise StoreFailed(self._failed)

    def read(self, stream: str, after: int = 0) -> Iterator[Event]:
        """The events of a stream behind a number, read in portions."""
        while rows := self._rows(READ, (stream, after)):
            yield from map(Event._make, rows)
            after = rows[-1][1]

    def streams(self) -> list[str]:
        """The names of all streams, sorted."""
        return sorted(name for (name,) in self._rows(STREAMS, ()))

    def find(self, stream: str, decision: str) -> list[Event]:
        """All events about one decision, in their order."""
        # Sorted here: for the sake of the order, the server might go through the whole stream.
        return sorted(map(Event._make, self._rows(FIND, (stream, decision))))

    def end(self, stream: str) -> End:
        """The last event of a stream."""
        rows = self._rows(END, (stream,))
        return End._make(rows[0]) if rows else End(0, START, 0)

    def keep(self, stream: str, part: Part) -> None:
        """Keep a part of a snapshot; of whole snapshots, the newest and the one before it."""
        with self._writing:
            self._check_usable()
            try:
                with self._writer.transaction():
                    if not part.part:
                        self._writer.execute(REPLACE, (stream, part.number))
                    self._writer.execute(KEEP, (stream, part.number, part.part, part.body))
                    if part.is_last:
                        self._writer.execute(FORGET, (stream, stream, GENERATIONS))
            except Exception as problem:
                self._stop(problem)

    def kept(self, stream: str) -> list[Kept]:
        """The snapshots of a stream, the newest first."""
        return whole(self._rows(KEPT, (stream,)))

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """The rows of a query, by a new connection if the one that reads was lost since the last query."""
        try:
            with self._reading:
                try:
                    return _fetched(self._reader, query, values)
                except Exception:
                    if self._failed or not self._reader.closed:
                        raise
                    self._reader = self._connect()
                    return _fetched(self._reader, query, values)
        except Exception as problem:
            text = " ".join(str(problem).split())
            raise StoreFailed(
                f"{self.address} could not be read ({text}). Nothing was changed; open the store anew."
            ) from problem

    def check(self) -> None:
        """Do nothing but ask the server: it has checksums of its pages, and tools that look at its indexes."""
        self._rows("SELECT 1", ())

    def close(self) -> None:
        """Close the connections, and let other processes write."""
        with self._writing:
            self._failed = self._failed or f"{self.address} is closed"
            with suppress(Exception):  # a lost connection holds no lock
                self._writer.execute(UNLOCK)  # the server would notice only later that nobody is there any more
            self._writer.close()
            self._reader.close()


def _fetched(connection: Connection, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(query.encode(), values).fetchall()


def _locked_schema(writer: Connection, address: str) -> str:
    """The schema of the store, which a connection has locked for itself and stays in."""
    if writer.info.parameter_status("server_encoding") != "UTF8":
        raise StoreFailed(f"{address} cannot be opened: the database must have the encoding UTF8. Nothing was changed.")
    found = writer.execute(SCHEMA).fetchone()
    if found is None:
        raise StoreFailed(f"{address} cannot be opened: its search path has no schema. Nothing was changed.")
    number, name = found
    _stay_in(writer, name)
    ((alone,),) = writer.execute(LOCK, (WRITER, number))
    if not alone:
        raise StoreInUse(
            f"{address} is in use: another connection writes to the store in the schema {name!r}. Nothing was changed; "
            "stop the other process, or let both use one service."
        )
    return str(name)


def _stay_in(connection: Connection, schema: str) -> None:
    """Let a connection find nothing in another schema than the one that is locked, and every query its index."""
    from psycopg.sql import SQL, Identifier

    connection.execute(SQL("SET search_path = {}").format(Identifier(schema)))
    connection.execute(SETTINGS)


def _make_durable(writer: Connection, address: str) -> None:
    """See to it that commits are durable."""
    writer.execute("SET synchronous_commit = on")
    ((found,),) = writer.execute("SHOW synchronous_commit")
    if found != "on":
        raise StoreFailed(f"{address} cannot be opened: synchronous_commit stays {found}. Nothing was changed.")


def _migrate(writer: Connection, address: str) -> None:
    """Make the tables, or bring them up to date, in one transaction."""
    steps = migrations("postgresql")
    ((made,),) = writer.execute("SELECT to_regclass('belated_schema') IS NOT NULL")
    version = next(iter(writer.execute("SELECT version FROM belated_schema")))[0] if made else 0
    check_version(address, version, len(steps))
    if version == len(steps):
        return
    with writer.transaction():
        for statement in [each for step in steps[version:] for each in step]:
            writer.execute(statement.encode())
        writer.execute(SET_VERSION, (len(steps),))
