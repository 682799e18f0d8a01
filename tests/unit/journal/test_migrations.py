"""The tables that all migrations leave are those of the schema file, by the word of the database."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest

from belated.journal import Kept, open_store, verify
from belated.journal.migrations import migrations, statements
from belated.journal.sqlite import open_sqlite
from belated.journal.sqlite_damage import APPLICATION
from support.journals import BEGIN, after, keep

SQL = files("belated.journal") / "sql"


def schema(kind):
    return statements((SQL / f"{kind}_schema.sql").read_text(encoding="utf-8"))


def of_sqlite(made):
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in made:
            connection.execute(statement)
        rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").fetchall()
    return [(*row[:3], re.sub(r"\s+", " ", row[3] or "")) for row in rows]


COLUMNS = """SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default, collation_name
    FROM information_schema.columns WHERE table_schema = %s ORDER BY 1, 2"""
INDEXES = (
    "SELECT tablename, indexname, replace(indexdef, %s || '.', '') FROM pg_indexes WHERE schemaname = %s ORDER BY 2"
)
RULES = """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = %s::regnamespace ORDER BY 2"""


def of_postgresql(databases, made):
    name = databases.new_address().rpartition("%3D")[2]
    databases.execute(f"SET search_path = {name}")
    try:
        for statement in made:
            databases.execute(statement)
        found = (
            databases.execute(COLUMNS, (name,)),
            databases.execute(INDEXES, (name, name)),
            databases.execute(RULES, (name,)),
        )
    finally:
        databases.execute("RESET search_path")
    return found


def all_migrations(kind):
    return [statement for step in migrations(kind) for statement in step]


def test_migrations_of_sqlite_leave_the_schema():
    found = of_sqlite(all_migrations("sqlite"))
    assert found == of_sqlite(schema("sqlite"))
    assert {"events", "snapshots", "one_of_each"} <= {name for _, name, _, _ in found}


def test_migrations_of_postgresql_leave_the_schema(databases):
    found = of_postgresql(databases, all_migrations("postgresql"))
    assert found == of_postgresql(databases, schema("postgresql"))
    assert {row[0] for row in found[0]} == {"belated_events", "belated_snapshots", "belated_schema"}


@pytest.mark.parametrize(
    "change", [("number > 0", "number > 1"), ("UNIQUE", ""), ("kind, key", "key"), ("IS NOT NULL", "IS NULL")]
)
def test_a_schema_that_differs_is_noticed(databases, change):
    def changed(kind):
        return "@".join(schema(kind)).replace(*change, 1).split("@")

    assert of_sqlite(changed("sqlite")) != of_sqlite(schema("sqlite"))
    assert of_postgresql(databases, changed("postgresql")) != of_postgresql(databases, schema("postgresql"))


def test_a_new_store_has_the_schema(tmp_path):
    open_store(f"sqlite:///{tmp_path}/store.db").close()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    assert version == len(migrations("sqlite"))
    assert tables == (len(of_sqlite(schema("sqlite"))),)


def test_the_files_are_numbered_without_a_gap():
    for kind in ("sqlite", "postgresql"):
        found = sorted(each.name for each in SQL.iterdir() if re.fullmatch(rf"{kind}_\d+\.sql", each.name))
        assert found == [f"{kind}_{i:04d}.sql" for i in range(1, len(migrations(kind)) + 1)]


def test_a_built_package_has_the_files(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=Path(__file__).parents[3], check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    with ZipFile(wheel) as archive:
        found = {Path(name).name for name in archive.namelist() if name.startswith("belated/journal/sql/")}
    assert found == {each.name for each in SQL.iterdir()}


def test_statements_are_split_at_their_ends():
    assert statements("-- a; comment\nA\n  B;\n\nC;\n-- end\n") == ["A\n  B", "C"]


def test_a_store_of_the_first_version_can_be_looked_at_before_it_is_brought_up_to_date(tmp_path):
    """Its snapshots are in one part each; they are left behind when the store is opened for writing."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        for statement in migrations("sqlite")[0]:
            old.execute(statement)
        old.execute("INSERT INTO snapshots VALUES ('a', 1, x'01')")
        for event in after(BEGIN, "a", 3):
            old.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", event)
        old.execute(f"PRAGMA application_id = {APPLICATION}")
        old.execute("PRAGMA user_version = 1")
    before = path.read_bytes()
    with closing(open_sqlite(path, reading=True)) as store:
        store.check()
        assert verify(store, "a").events == 3
        assert store.kept("a") == [Kept(1, b"\x01")]
    assert path.read_bytes() == before
    with closing(open_sqlite(path)) as store:
        assert list(store.read("a")) == after(BEGIN, "a", 3)
        assert store.kept("a") == []
        keep(store, "a", Kept(3, b"new"))
        assert store.kept("a") == [Kept(3, b"new")]
