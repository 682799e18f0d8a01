"""PostgreSQL stores: the server may stop at once, settings are read back, and schemas do not know each other."""

import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest

import belated
from belated.core.errors import StoreBusy, StoreFailed, StoreInUse
from belated.journal import End, Kept, Writer, open_store, verify
from belated.journal.postgresql import END, KEPT, READ, STREAMS, PostgresqlStore
from support.journals import BEGIN, after, following, keep
from support.postgres import Databases, crash, hurried, started, stopped


@pytest.fixture
def address(databases):
    return databases.new_address()


def schema_of(address):
    return address.rpartition("%3D")[2]


def test_commits_are_durable_although_the_server_says_otherwise(databases, address):
    with closing(open_store(f"{address}%20-csynchronous_commit%3Doff")) as store:
        assert store._writer.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_plans_that_are_made_while_the_tables_are_empty_use_indexes(address):
    with closing(open_store(address)) as store:
        for query, values in [(END, ("a",)), (READ, ("a", 0)), (STREAMS, ()), (KEPT, ("a",))]:
            plan = "\n".join(row[0] for row in store._reader.execute(f"EXPLAIN {query}".encode(), values))
            assert "Index" in plan
            assert "Seq Scan" not in plan.replace("CTE", "")
            assert "Bitmap" not in plan


def test_tables_are_found_where_they_were_made(databases, address):
    """A schema that comes first on the search path later neither hides a store nor gives it a second lock."""
    name = schema_of(address)
    with closing(open_store(address)) as store:
        store.append(after(BEGIN, "a", 1))
    databases.execute(f"CREATE SCHEMA earlier_{name}")
    longer = f"{databases.uri}&options=-csearch_path%3Dearlier_{name},{name}"
    with closing(open_store(longer)) as store:
        assert store.end("a").number == 1
        with pytest.raises(StoreInUse, match=f"the schema '{name}'"):
            open_store(address)


def test_a_search_path_without_a_schema(databases):
    with pytest.raises(StoreFailed, match="no schema"):
        open_store(f"{databases.uri}&options=-csearch_path%3Dnobody")


def test_a_store_of_a_later_version_is_refused(databases, address):
    open_store(address).close()
    databases.execute(f"UPDATE {schema_of(address)}.belated_schema SET version = 99")
    with pytest.raises(StoreFailed, match=r"later version.*version 99.*Install the later one"):
        open_store(address)


def test_a_database_that_cannot_hold_all_texts_is_refused(databases):
    databases.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    place = databases.uri.partition("?")[2]
    with pytest.raises(StoreFailed, match="encoding UTF8"):
        open_store(f"postgresql://postgres@/latin?{place}")


def test_a_server_that_is_not_there_and_no_password_is_shown(tmp_path):
    with pytest.raises(StoreFailed, match="cannot be opened") as caught:
        open_store(f"postgresql://bob:secret@/knob?host={tmp_path}&password=secret")
    assert "secret" not in str(caught.value)
    assert "postgresql://bob@/knob" in str(caught.value)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'belated\[postgresql\]'$"):
        open_store("postgresql://bob:secret@host/knob")


def test_the_package_is_imported_in_one_file():
    sources = Path(belated.__file__).parent.rglob("*.py")
    found = [each.name for each in sources if re.search(r"(import|from) psycopg", each.read_text(encoding="utf-8"))]
    assert found == ["postgresql.py"]


def check_a_lost_connection(store_class, databases, address):
    """The server ends the connection that writes. The store must fail, and stay so."""
    given = open_store(address)
    given._reader.close()
    with closing(store_class(given.address, given._writer, given._connect)) as store:
        _check_a_lost_connection(store, databases, address)


def _check_a_lost_connection(store, databases, address):
    store.append(after(BEGIN, "a", 3))
    databases.execute("SELECT pg_terminate_backend(%s, 10000)", (store._writer.info.backend_pid,))
    events = following(store, "a", 1)
    for _ in range(2):
        with pytest.raises(StoreFailed, match=r"could not be written.*open the store anew"):
            store.append(events)
        with pytest.raises(StoreFailed):
            keep(store, "a", Kept(1, b""))
    assert [event.number for event in store.read("a")] == [1, 2, 3]
    with closing(open_store(address)) as new:  # the lock went with the connection
        assert new.end("a").number == 3
        new.append(events)
        with pytest.raises(StoreFailed):
            store.append(following(store, "a", 1))
        assert new.end("a").number == 4


def test_a_lost_connection_ends_the_store(databases, address):
    check_a_lost_connection(PostgresqlStore, databases, address)


class Reconnecting(PostgresqlStore):
    """Broken: writes by a new connection, which does not have the lock."""

    def append(self, events):
        try:
            super().append(events)
        except StoreFailed:
            self._failed = ""
            parameters = self._reader.info.get_parameters()
            self._writer = psycopg.connect(**{**parameters, "dbname": self._reader.info.dbname}, autocommit=True)
            super().append(events)


def test_a_store_that_connects_again_is_caught(databases, address):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_a_lost_connection(Reconnecting, databases, address)


def test_a_connection_that_reads_is_made_anew_when_it_was_lost(databases, address):
    with closing(open_store(address)) as store:
        store.append(after(BEGIN, "a", 3))
        for _ in range(2):
            databases.execute("SELECT pg_terminate_backend(%s, 10000)", (store._reader.info.backend_pid,))
            assert store.end("a").number == 3
            store.append(following(store, "a", 1)[:0])
    with pytest.raises(StoreFailed, match=r"could not be read.*Nothing was changed"):
        store.end("a")  # and is not made anew for a store that was closed


def test_a_store_sees_that_it_is_lost_without_a_write(databases, address):
    with closing(open_store(address)) as store:
        store.append([])
        databases.execute("SELECT pg_terminate_backend(%s, 10000)", (store._writer.info.backend_pid,))
        with closing(open_store(address)) as new:
            new.append(after(BEGIN, "a", 1))
            with pytest.raises(StoreFailed, match="could not be written"):
                store.append([])
            with pytest.raises(StoreFailed):
                store.append([])


def test_a_server_that_stops_at_once_has_what_was_confirmed():
    """An own server, since it is stopped as by a crash, while a thread hands over events as fast as they are taken."""
    server = started(Path(tempfile.mkdtemp(prefix="belated-")))
    hurried(server)  # the machine does not crash, and a busy disk would make this slow
    with closing(Databases(server)) as databases:
        address = databases.new_address()
        with closing(open_store(address)) as store, closing(Writer(store, limit=1000)) as writer:
            with ThreadPoolExecutor(1) as pool:
                feeding = pool.submit(feed, writer)
                while store.end("a").number < 100:
                    writer.submit([]).exception(60)
                crash(server)
                given = feeding.result(60)
            confirmed = [event for event, future in given if future.exception(60) is None]
            assert 100 <= len(confirmed) < len(given)
            assert isinstance(given[-1][1].exception(), StoreFailed)
            server.ensure_postgres_running()
            with pytest.raises(StoreFailed, match="nothing more is written"):  # although the server is back
                store.append(after(BEGIN, "b", 1))
            with closing(open_store(address)) as new:
                assert list(new.read("a"))[: len(confirmed)] == confirmed
                assert verify(new, "a").events <= len(given)
                assert new.streams() == ["a"]
    stopped(server)


def feed(writer):
    """Submit event after event until the writer refuses them; each with its future."""
    given, end = [], BEGIN
    with suppress(StoreFailed):
        while True:
            (event,) = after(end, "a", 1)
            try:
                given.append((event, writer.submit([event])))
                end = End(event.number, event.chain, event.at)
            except StoreBusy:
                writer.submit([]).exception(60)
    return given
