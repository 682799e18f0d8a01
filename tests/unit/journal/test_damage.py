"""A damaged file of SQLite, or log of one: it is refused, whichever bit is wrong, and nothing is changed."""

import random
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

import belated as bl
from belated.core.errors import StoreDamaged, StoreFailed
from belated.journal import Kept, export_lines, open_store, sqlite, verify
from belated.journal.sqlite import SqliteStore, open_sqlite
from belated.journal.sqlite_damage import check_log
from belated.journal.sqlite_file import connected
from support.flipping import FRAME_HEAD, LOG_HEAD, PAGE, Flipping
from support.journals import BEGIN, after, following, keep


@pytest.fixture
def path(tmp_path):
    """A store with 40 events, closed."""
    with closing(open_store(f"sqlite:///{tmp_path}/store.db")) as store:
        store.append(after(BEGIN, "a", 40))
    return tmp_path / "store.db"


def hide(path, root, number):
    """Let a page forget its last cells: of the events (page 2), or of the index (page 3)."""
    content = bytearray(path.read_bytes())
    start = (root - 1) * PAGE
    cells = int.from_bytes(content[start + 3 : start + 5])
    content[start + 3 : start + 5] = (cells - number).to_bytes(2)
    path.write_bytes(content)


def refused(path, match=None):
    """Raise unless all who open a store for writing refuse it, and leave it as it is."""
    before = {each: each.read_bytes() for each in path.parent.glob("store.db*")}
    for opening in (open_store, bl.open):
        with pytest.raises((StoreDamaged, StoreFailed), match=match):
            opening(f"sqlite:///{path}")
    assert all(each.read_bytes() == content for each, content in before.items() if each.suffix != ".db-shm")


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
@pytest.mark.parametrize("flips", [40, pytest.param(10_000, marks=pytest.mark.soak(sampled=False))])
def test_no_wrong_bit_is_called_whole(tmp_path, flips, killed):
    """A wrong bit in the last transaction of a log looks as if a power cut had ended it; here these are left out."""
    flipping = Flipping(tmp_path, killed)
    places = flipping.places(random.Random(f"{flips}"))
    end = last_transaction(flipping.files["-wal"]) if killed else None
    chosen = [next(places) for _ in range(flips)]
    found = {(place, bit): flipping.said(place, bit) for place, bit in chosen if end is None or place < end}
    assert not [each for each in found.items() if "silent" in each[1]]
    assert {"refused", "harmless"} - {said.check for said in found.values()} <= ({"harmless"} if killed else set())


def last_transaction(log):
    """Where the last transaction of a log begins."""
    length = FRAME_HEAD + PAGE
    ends = [i for i in range((len(log) - LOG_HEAD) // length) if int.from_bytes(log[LOG_HEAD + i * length + 4 :][:4])]
    return LOG_HEAD + (ends[-2] + 1) * length


@pytest.mark.parametrize("small", [sqlite.SMALL, 0], ids=["small", "large"])
@pytest.mark.parametrize("root", [2, 3], ids=["table", "index"])
def test_a_lost_end_is_found(path, root, small, monkeypatch):
    monkeypatch.setattr(sqlite, "SMALL", small)
    hide(path, root, 5)
    refused(path, "is damaged")
    with closing(open_sqlite(path, reading=True)) as store, pytest.raises(StoreDamaged, match="restore a back-up"):
        store.check()


def test_an_entry_of_the_index_that_is_wrong_is_found(path, monkeypatch):
    """The decision is found no more, and nothing else has changed."""
    content = path.read_bytes()
    place = content.index(b"ad-17", 2 * PAGE)
    path.write_bytes(content[: place + 4] + b"6" + content[place + 5 :])
    refused(path, "index one_of_each")
    monkeypatch.setattr(sqlite, "SMALL", 0)
    with closing(open_store(f"sqlite:///{path}")) as store:
        assert store.find("a", "d-17") == []
        with pytest.raises(StoreDamaged, match="index one_of_each"):
            store.check()


@pytest.mark.parametrize(
    ("was", "became"),
    [(b"one_of_each ON", b"one_of_eaci ON"), (b"WHERE decision", b"WHERE Eecision"), (b"kind, key)", b"kind, kdy)")],
)
def test_tables_that_are_described_otherwise_are_refused(path, was, became):
    content = path.read_bytes()
    assert content.count(was) == 1
    path.write_bytes(content.replace(was, became))
    refused(path)


def test_numbers_that_are_not_in_order_are_refused_without_a_check_of_each_page(path, monkeypatch):
    with closing(connected(str(path))) as other:
        other.execute("DELETE FROM events WHERE number = 20")
    monkeypatch.setattr(sqlite, "SMALL", 0)
    refused(path, "not numbered from 1")


def test_reading_a_damaged_file_comes_to_an_end(path):
    """Pages that point to each other could be read for ever."""

    class Turning:
        def __init__(self, given):
            self.given, self.close = given, given.close

        def execute(self, text, values=()):
            return self.given.execute(text, ("a", 0) if text == sqlite.READ else values)

    store = SqliteStore(path, None, lambda name: Turning(connected(name)))
    with closing(store), pytest.raises(StoreDamaged, match="event 40 of 'a' follows event 40"):
        list(islice(store.read("a"), 100))


def test_what_can_be_saved_of_a_damaged_store_is_exported(path):
    hide(path, 3, 5)
    with closing(open_sqlite(path, reading=True)) as store:
        exported = export_lines(store)
        lines = [next(exported) for _ in range(40)]
        with pytest.raises(StoreDamaged, match="is damaged"):
            next(exported)
    assert '"number":40' in lines[-1]


def test_a_store_that_is_opened_for_reading_is_not_written(path):
    with closing(open_sqlite(path, reading=True)) as store:
        for call in (lambda: store.append(following(store, "a", 1)), lambda: keep(store, "a", Kept(1, b""))):
            with pytest.raises(StoreFailed, match="opened for reading"):
                call()
        assert verify(store, "a").events == 40
    assert sorted(each.name for each in path.parent.iterdir()) == ["store.db", "store.db.lock"]


# the write-ahead log


@pytest.fixture
def killed(tmp_path):
    """A file and its log as a killed process leaves them: ten transactions, and the copy's path."""
    with closing(open_store(f"sqlite:///{tmp_path}/used.db")) as store:
        for _ in range(10):
            store.append(following(store, "a", 1))
        for end in ("", "-wal"):
            Path(f"{tmp_path}/store.db{end}").write_bytes(Path(f"{tmp_path}/used.db{end}").read_bytes())
    return tmp_path / "store.db"


def turn_round(path, place):
    with path.open("rb+") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1]))


def test_a_log_that_is_whole_is_used(killed):
    with closing(open_store(f"sqlite:///{killed}")) as store:
        assert verify(store, "a").events == 10


@pytest.mark.parametrize("place", [0, 5, 9, 20, 30], ids=["magic", "version", "page size", "salt", "checksum"])
def test_a_log_with_a_wrong_head_is_refused(killed, place):
    turn_round(killed.with_name("store.db-wal"), place)
    refused(killed, "head of its write-ahead log")


@pytest.mark.parametrize("place", [0, 4, 8, 12, 16, 23, FRAME_HEAD, FRAME_HEAD + PAGE - 1])
def test_a_log_of_which_committed_events_would_be_left_out_is_refused(killed, place):
    turn_round(killed.with_name("store.db-wal"), LOG_HEAD + 2 * (FRAME_HEAD + PAGE) + place)
    refused(killed, "transactions would be left out")
    with closing(open_sqlite(killed, reading=True)) as store, pytest.raises(StoreDamaged, match="left out"):
        store.check()


def test_a_last_transaction_that_is_not_whole_is_left_out(killed):
    """It was never confirmed, if a power cut has ended it; that it was damaged later cannot be told from this."""
    log = killed.with_name("store.db-wal")
    turn_round(log, last_transaction(log.read_bytes()) + FRAME_HEAD)
    with closing(open_store(f"sqlite:///{killed}")) as store:
        assert verify(store, "a").events == 9
        store.check()


def test_what_was_rolled_back_and_lies_behind_the_end_of_a_log_does_no_harm(tmp_path):
    path = tmp_path / "used.db"
    with closing(SqliteStore(path)) as store:
        store._writer.execute("PRAGMA cache_size = 10")  # so that a transaction is in the log before its end
        store._writer.execute("BEGIN")
        store._writer.execute(sqlite.KEEP, ("a", 1, 0, bytes(100 * PAGE)))
        store._writer.execute("ROLLBACK")
        size = Path(f"{path}-wal").stat().st_size
        assert size > 50 * PAGE
        for _ in range(3):
            store.append(following(store, "a", 1))
            assert Path(f"{path}-wal").stat().st_size == size
            check_log(str(path), "here")


def test_a_log_of_which_every_byte_order_is_known(killed):
    """SQLite writes checksums in the order of its machine, and reads both."""
    log = killed.with_name("store.db-wal")
    content, sums = bytearray(log.read_bytes()), [0, 0]

    def add(data):
        for i in range(0, len(data), 8):
            for j in (0, 1):
                word = int.from_bytes(data[i + 4 * j : i + 4 * j + 4], order)
                sums[j] = (sums[j] + word + sums[1 - j]) % 2**32
        return b"".join(each.to_bytes(4) for each in sums)

    order = "little" if content[3] % 2 else "big"  # the other one
    content[3] ^= 1
    content[24:32] = add(content[:24])
    for start in range(LOG_HEAD, len(content), FRAME_HEAD + PAGE):
        frame = slice(start + FRAME_HEAD, start + FRAME_HEAD + PAGE)
        content[start + 16 : start + FRAME_HEAD] = add(content[start : start + 8] + content[frame])
    log.write_bytes(content)
    check_log(str(killed), "here")
    with closing(sqlite3.connect(killed)) as other:
        assert other.execute("SELECT count(*) FROM events").fetchone() == (10,)
