"""SQLite stores: files of others are left alone, settings are read back, links share a lock, and copies are whole."""

import errno
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from shutil import which

import pytest

import belated as bl
from belated.client.outbox import Outbox
from belated.core.errors import Conflict, InvalidArgument, StoreDamaged, StoreFailed, StoreInUse
from belated.journal import Kept, chained, open_store, sqlite_file, verify
from belated.journal.sqlite import SqliteStore, open_sqlite
from belated.journal.sqlite_file import DURABLE, STATEMENTS, connected
from support.journals import BEGIN, after, following, keep


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def address(path):
    return f"sqlite:///{path}"


def test_commits_are_durable(path):
    with closing(open_store(address(path))) as store:
        for setting, (_, wanted) in DURABLE.items():
            assert store._writer.execute(f"PRAGMA {setting}").fetchone() == (wanted,)


@pytest.mark.parametrize("setting", DURABLE)
def test_a_setting_that_is_not_accepted_is_noticed(path, setting):
    class Deaf:
        """A connection that ignores a setting, as SQLite does on file systems that do not have it."""

        def __init__(self, given):
            self.execute_given, self.close = given.execute, given.close

        def execute(self, text, *values):
            return self.execute_given("SELECT 1" if text.startswith(f"PRAGMA {setting} =") else text, *values)

    def connect(name):
        given = connected(name)
        for words in ("synchronous = NORMAL", "journal_mode = DELETE"):
            given.execute(f"PRAGMA {words}")
        return Deaf(given)

    with pytest.raises(StoreFailed, match=f"does not allow {setting}="):
        SqliteStore(path, None, connect)


def test_a_database_of_another_program_is_left_as_it_is(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="of another program, and was left as it is"):
        open_store(address(path))
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_left_as_it_is(path):
    path.write_bytes(b"a letter to my aunt, which is long enough to be read as a header" * 50)
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match="cannot be opened"):
        open_store(address(path))
    assert path.read_bytes() == before


def test_a_store_of_a_later_version_is_left_as_it_is(path):
    open_store(address(path)).close()
    with closing(connected(str(path))) as later:
        later.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StoreFailed, match=r"later version.*version 99.*up to 2\. Install the later one"):
        open_store(address(path))
    assert path.read_bytes() == before


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(StoreFailed, match="No such file"):
        open_store(address(tmp_path / "nobody" / "store.db"))


def test_a_failed_opening_gives_the_lock_back(path):
    path.write_bytes(b"no database" * 100)
    for _ in range(2):
        with pytest.raises(StoreFailed):
            open_store(address(path))
    path.unlink()
    open_store(address(path)).close()


def test_a_link_to_a_store_has_the_same_lock(path, tmp_path):
    with closing(open_store(address(path))):
        (tmp_path / "link.db").symlink_to(path)
        with pytest.raises(StoreInUse):
            open_store(address(tmp_path / "link.db"))


@pytest.mark.parametrize("reading", [False, True])
def test_a_file_with_two_names_is_refused_whichever_is_used(path, reading):
    """Its locks lie beside its names, so there would be two of them."""
    other = path.with_name("other.db")
    with closing(open_store(address(path))) as store:
        other.hardlink_to(path)
        with pytest.raises(StoreFailed, match=r"2 names \(hard links\)"):
            open_sqlite(other, reading)
        store.append(after(BEGIN, "a", 1))
    with pytest.raises(StoreFailed, match="Remove the others, or make a copy"):
        open_sqlite(path, reading)
    other.unlink()
    open_sqlite(path, reading).close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_files_are_for_their_owner_alone(path, tmp_path):
    def modes():
        return {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}

    before = os.umask(0)
    try:
        with closing(open_store(address(path))) as store, closing(Outbox(tmp_path / "spool.db")):
            store.append(after(BEGIN, "a", 1))
            store.backup(tmp_path / "copy.db")
            names = {f"{name}.db{end}" for name in ("store", "spool") for end in ("", "-wal", "-shm", ".lock")}
            assert modes() == dict.fromkeys({*names, "copy.db"}, 0o600)
        for name in ("store.db", "store.db.lock", "spool.db"):
            (tmp_path / name).chmod(0o640)
        with closing(open_store(address(path))) as store, closing(Outbox(tmp_path / "spool.db")):
            store.append(following(store, "a", 1))
            assert modes() == dict.fromkeys(names, 0o640) | {"copy.db": 0o600, "spool.db.lock": 0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize("size", [0, 1, 511])
@pytest.mark.parametrize("reading", [False, True])
def test_a_file_that_was_cut_off_is_no_new_store(path, size, reading):
    open_store(address(path)).close()
    content = path.read_bytes()[:size]
    path.write_bytes(content)
    with pytest.raises(StoreFailed, match=rf"has {size} bytes. Remove it if a new store is meant.*restore a back-up"):
        open_sqlite(path, reading)
    assert path.read_bytes() == content


@pytest.mark.parametrize("reading", [False, True])
def test_half_a_file_is_damaged_and_the_error_says_what_to_do(path, reading):
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 500))
    content = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="restore a back-up"):
        open_sqlite(path, reading).check()
    assert path.read_bytes() == content


def test_a_database_without_tables_is_no_new_store(path):
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("DROP TABLE t")
    with pytest.raises(StoreFailed, match=r"is empty\. Remove the file if a new store is meant"):
        open_store(address(path))


def test_a_log_without_its_file_is_kept(path):
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 3))
        content = path.with_name("store.db-wal").read_bytes()
    path.unlink()
    path.with_name("store.db-wal").write_bytes(content)
    with pytest.raises(StoreFailed, match="Put the file back; or remove the log"):
        open_store(address(path))
    assert path.with_name("store.db-wal").read_bytes() == content
    assert not path.exists()


KILLED = """
import os, pathlib, sys
from belated.journal import open_store
pathlib.Path.replace = lambda *arguments: os.kill(os.getpid(), 9)
open_store(f"sqlite:///{sys.argv[1]}")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
def test_a_process_that_is_killed_while_it_makes_a_store_leaves_none(path):
    found = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert found.returncode == -9
    assert sorted(each.name for each in path.parent.iterdir()) == ["store.db.lock", "store.db.part"]
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 1))
    assert sorted(each.name for each in path.parent.iterdir()) == ["store.db", "store.db.lock"]


READING = """
import os, sys
from belated.cli import main
for folder in ("stopped", "used", "killed"):
    for command in ("check", "export", "replay"):
        print(folder, main(["store", command, f"sqlite:///{sys.argv[1]}/{folder}/store.db"]), file=sys.stderr)
"""


@pytest.mark.skipif(os.name == "nt" or (os.geteuid() == 0 and not which("setpriv")), reason="needs setpriv, or no root")
def test_what_only_reads_works_where_nothing_can_be_written(tmp_path):
    """Of a log that SQLite cannot read there, it says so; root, who may write everywhere, gives that right away."""
    folders = [tmp_path / name for name in ("stopped", "used", "killed")]
    for folder in folders:
        folder.mkdir()
        with bl.open(address(folder / "store.db")) as store:
            store.create("price", bl.dogd_sc(bl.Ball(2), 2.0)).ask(key="a")
            content = (folder / "store.db-wal").read_bytes()
    (tmp_path / "killed" / "store.db-wal").write_bytes(content)
    (tmp_path / "stopped" / "store.db.lock").unlink()
    (tmp_path / "stopped" / "store.db").chmod(0o400)
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    with closing(open_store(address(tmp_path / "used" / "store.db"))):
        for folder in folders:
            folder.chmod(0o500)
        try:
            command = [*drop, sys.executable, "-c", READING, str(tmp_path)]
            said = subprocess.run(command, check=False, capture_output=True, text=True).stderr.splitlines()
        finally:
            for folder in folders:
                folder.chmod(0o700)
    assert said[:3] == ["stopped 0"] * 3
    assert [each.name for each in folders[0].iterdir()] == ["store.db"]
    assert ["in use (process" in each or each for each in said[3:9]] == [True, "used 1"] * 3
    assert ["copy the file, and the one" in each or each for each in said[9:]] == [True, "killed 1"] * 3


def test_a_file_system_without_locks_is_named(path, monkeypatch):
    def cannot(file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(sqlite_file, "_lock", cannot)
    with pytest.raises(StoreFailed, match=r"No locks available.*local disk"):
        open_store(address(path))


def test_two_writers_without_a_lock_do_not_overwrite_each_other(path):
    """Somebody has deleted the file with the lock, say: the numbers are the second guard."""
    with closing(SqliteStore(path)) as one, closing(SqliteStore(path)) as two:
        one.append(after(BEGIN, "a", 2))
        with pytest.raises(Conflict, match="the stream ends at 2"):
            two.append(after(BEGIN, "a", 1, key="other"))
        two.append(following(two, "a", 1))
        assert [event.number for event in one.read("a")] == [1, 2, 3]
        assert verify(one, "a").events == 3


def test_a_conflict_that_cannot_be_rolled_back_ends_the_store(path):
    class Broken:
        """A connection that forgets how to end a transaction."""

        def __init__(self, given):
            self.given, self.executemany, self.close = given, given.executemany, given.close

        def execute(self, text, *values):
            if text == "ROLLBACK":
                raise sqlite3.OperationalError("disk I/O error")
            return self.given.execute(text, *values)

    with closing(SqliteStore(path, None, lambda name: Broken(connected(name)))) as store:
        store.append(after(BEGIN, "a", 1))
        for events in (repeating(store, STATEMENTS), following(store, "a", 1)):  # the first take two statements
            with pytest.raises(StoreFailed, match="disk I/O error"):
                store.append(events)


@pytest.mark.parametrize("further", [0, STATEMENTS], ids=["one statement", "two statements"])
def test_events_of_which_one_is_stored_already_change_nothing(path, further):
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 3))
        with pytest.raises(Conflict, match="is stored already"):
            store.append(repeating(store, further))
        assert (verify(store, "a").events, list(store.read("b"))) == (3, [])
        store.append(following(store, "a", 1 + further))
        assert verify(store, "a").events == 4 + further


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let anybody remove a file that is open")
@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
@pytest.mark.parametrize("which", ["", "-wal", ".lock"], ids=["file", "log", "lock"])
@pytest.mark.parametrize("asks", [False, True], ids=["writes", "asks"])
def test_nothing_is_confirmed_that_went_to_a_file_which_is_not_there(path, which, replaced, asks):
    """Neither events, nor that the store is still this one's: without its lock, another process may have it."""
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 3))
        events, file = following(store, "a", 1), path.with_name(path.name + which)
        file.rename(path.with_name("elsewhere.db"))
        if replaced:
            file.touch()
        for _ in range(2):
            with pytest.raises(StoreFailed, match="removed or replaced"):
                store.append([] if asks else events)


def test_who_meets_another_writer_reads_the_end_again(path):
    """Two writers, of whom nobody has kept the other away: numbers still follow each other, and nothing is lost."""
    with closing(SqliteStore(path)) as one, closing(SqliteStore(path)) as other:
        one.append(after(BEGIN, "a", 1))
        other.append(following(other, "a", 1))
        with pytest.raises(Conflict, match="is stored already"):
            one.append(after(one.end("a")._replace(number=1), "a", 1))
        one.append(following(one, "a", 1))
        assert [event.number for event in one.read("a")] == [1, 2, 3]


def repeating(store, further):
    """Events of another stream, and one that tells what the first event of the stream has told."""
    (told, *_), end = store.read("a"), store.end("a")
    again = chained(end.chain, "a", end.number + 1, told.kind, told.decision, told.key, told.at, told.body)
    return [*after(BEGIN, "b", further), again]


def test_a_damaged_file_is_called_damaged(path):
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 3000, body=bytes(100)))
    content = bytearray(path.read_bytes())
    size = 4096
    for page in range(5, len(content) // size):
        content[page * size : page * size + 100] = b"\xff" * 100
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="restore a back-up"):
        open_store(address(path))
    with closing(open_sqlite(path, reading=True)) as store, pytest.raises(StoreDamaged, match="restore a back-up"):
        verify(store, "a")


def test_another_program_that_holds_the_file_ends_the_store(path):
    def impatient(name):
        return sqlite3.connect(name, timeout=0, isolation_level=None, check_same_thread=False)

    with closing(SqliteStore(path, None, impatient)) as store, closing(connected(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreFailed, match="locked"):
            store.append(after(BEGIN, "a", 1))
        other.execute("ROLLBACK")
        with pytest.raises(StoreFailed, match="nothing more is written"):
            store.append(after(BEGIN, "a", 1))


def test_a_back_up_is_made_while_the_store_is_in_use(path, tmp_path):
    with closing(open_store(address(path))) as store:
        store.append(after(BEGIN, "a", 100))
        keep(store, "a", Kept(100, b"state"))
        events = list(store.read("a"))
        store.backup(tmp_path / "copy.db")
        store.append(following(store, "a", 1))
        with pytest.raises(InvalidArgument, match="back-ups are not overwritten"):
            store.backup(tmp_path / "copy.db")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["copy.db", "store.db", "store.db.lock"]
    with closing(open_store(address(tmp_path / "copy.db"))) as copy:
        assert list(copy.read("a")) == events
        assert copy.kept("a") == [Kept(100, b"state")]
        assert verify(copy, "a").events == 100
        copy.append(following(copy, "a", 1))


def test_a_back_up_that_fails_leaves_no_file(path, tmp_path):
    with closing(open_store(address(path))) as store:
        with pytest.raises(StoreFailed, match="could not be copied"):
            store.backup(tmp_path / "nobody" / "copy.db")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite_file.os, "fsync", lambda _: 1 / 0)
            with pytest.raises(StoreFailed, match="could not be copied"):
                store.backup(tmp_path / "copy.db")
        store.append(after(BEGIN, "a", 1))
        store.close()
        with pytest.raises(StoreFailed, match="closed"):
            store.backup(tmp_path / "copy.db")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["store.db", "store.db.lock"]
