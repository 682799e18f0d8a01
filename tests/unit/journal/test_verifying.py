"""Verification: a gap, a changed byte, swapped rows and a lost end are found, in every store."""

import sqlite3
from contextlib import closing

import pytest

from belated.core.errors import StoreDamaged
from belated.journal import Kept, chained, open_store, verify
from support.journals import BEGIN, after, following, keep

DAMAGES = {
    "gap": (["DELETE FROM {events} WHERE number = 4"], 4, "is missing: event 5 follows event 3"),
    "first": (["DELETE FROM {events} WHERE number = 1"], 1, "is missing: event 2 follows event 0"),
    "body": (["UPDATE {events} SET body = {wrong} WHERE number = 6"], 6, "its digest is wrong"),
    "chain": (["UPDATE {events} SET chain = body WHERE number = 2"], 2, "its digest is wrong"),
    "time": (["UPDATE {events} SET at = at + 1 WHERE number = 7"], 7, "its digest is wrong"),
    "key": (["UPDATE {events} SET key = 'K' WHERE number = 3"], 3, "its digest is wrong"),
    "no key": (["UPDATE {events} SET key = NULL WHERE number = 3"], 3, "its digest is wrong"),
    "kind": (["UPDATE {events} SET kind = 'gave_up' WHERE number = 9"], 9, "its digest is wrong"),
    "swapped": (
        [
            "UPDATE {events} SET number = 99 WHERE number = 3",
            "UPDATE {events} SET number = 3 WHERE number = 4",
            "UPDATE {events} SET number = 4 WHERE number = 99",
        ],
        3,
        "its digest is wrong",
    ),
    "lost end": (["DELETE FROM {events} WHERE number > 8"], 9, "is missing: there is a snapshot after event 10"),
}


@pytest.fixture(params=["sqlite", "postgresql"])
def damage(request, tmp_path):
    """An address, and a function that changes the tables behind the back of the store."""
    if request.param == "sqlite":

        def change(statement):
            with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as connection:
                connection.execute(statement.format(events="events", wrong="x'7b7c'"))

        return f"sqlite:///{tmp_path}/store.db", change
    databases = request.getfixturevalue("databases")
    address = databases.new_address()
    schema = address.rpartition("%3D")[2]
    return address, lambda statement: databases.execute(
        statement.format(events=f"{schema}.belated_events", wrong=r"'\x7b7c'")
    )


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_its_first_place_named(damage, name):
    address, change = damage
    statements, number, what = DAMAGES[name]
    with closing(open_store(address)) as store:
        store.append(after(BEGIN, "a", 10))
        keep(store, "a", Kept(10, b"state"))
        assert verify(store, "a") == (10, store.end("a"))
        for statement in statements:
            change(statement)
        with pytest.raises(StoreDamaged, match=rf"event {number} of 'a' .*{what}.*restore a back-up") as caught:
            verify(store, "a")
    assert (caught.value.stream, caught.value.number) == ("a", number)


@pytest.mark.parametrize("column", ["body", "chain", "kind", "key", "at"])
def test_a_value_of_another_kind_is_found(tmp_path, column):
    """SQLite keeps anything in any column."""
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        store.append(after(BEGIN, "a", 3))
        with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as connection:
            wrong = "7" if column == "body" else "x'ff'"
            connection.execute(f"UPDATE events SET {column} = {wrong} WHERE number = 2")
        with pytest.raises(StoreDamaged, match="event 2 of 'a'"):
            verify(store, "a")


def test_events_that_were_chained_wrongly_are_found():
    store = open_store("memory://")
    store.append(after(BEGIN, "a", 2))
    store.append([chained(bytes(16), "a", 3, "told", None, None, 0, b"")])
    with pytest.raises(StoreDamaged, match="event 3 of 'a'"):
        verify(store, "a")


def test_a_stream_that_does_not_exist_is_whole():
    assert verify(open_store("memory://"), "nobody") == (0, BEGIN)


def test_streams_are_judged_one_by_one():
    store = open_store("memory://")
    store.append(after(BEGIN, "a", 2))
    store.append(following(store, "b", 3))
    assert verify(store, "b").events == 3
