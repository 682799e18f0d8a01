"""SQLite on a disk that loses power, is full or does not sync: what ``append`` has confirmed is there afterwards."""

import random
from contextlib import closing

import pytest

from belated.core.errors import StoreDamaged, StoreFailed
from belated.journal import Kept, verify
from belated.journal.sqlite import SqliteStore
from support.journals import following, keep
from support.power_disk import Disk

APPENDS = 30


class Unsynced(SqliteStore):
    """Broken: a commit does not wait for the disk at all."""

    setting = "OFF"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._writer.execute(f"PRAGMA synchronous = {self.setting}")


class SyncedLater(Unsynced):
    """Broken: the log is synced only before it is copied into the file."""

    setting = "NORMAL"


def write(store, confirmed, dice):
    """Append batches to two streams, with a snapshot now and then, and note what was confirmed."""
    for i in range(APPENDS):
        events = following(store, "a", dice.randint(1, 4), body=bytes(dice.randint(0, 900)))
        events += following(store, "b", dice.randint(0, 2))
        store.append(events)
        confirmed.extend(events)
        if i % 7 == 0:
            keep(store, "a", Kept(events[0].number, bytes(3000)), size=1000)


def check_that_nothing_is_missing(path, confirmed):
    """Raise unless a store has all that was confirmed, and is whole."""
    with closing(SqliteStore(path)) as store:
        for stream in ("a", "b"):
            expected = [event for event in confirmed if event.stream == stream]
            found = list(store.read(stream))
            assert found[: len(expected)] == expected
            assert verify(store, stream).events == len(found)


def restored(image, folder):
    """Write the files of an image to a new folder."""
    folder.mkdir(parents=True)
    for name, content in image.items():
        (folder / name.rpartition("/")[2]).write_bytes(content)
    return folder / "store.db"


def check_power_cuts(store_class, folder, cuts):
    """Cut the power at random operations of the disk, and look what is there."""
    dice, disk, confirmed, images = random.Random(1), Disk(), [], []
    folder.mkdir()

    def watch():
        if dice.random() < 0.3:
            images.append((len(confirmed), disk.image(dice if len(images) % 2 else None)))

    disk.watch = watch
    with closing(store_class(folder / "store.db", None, disk.connect)) as store:
        write(store, confirmed, random.Random(2))
        disk.watch = lambda: None
        images.append((len(confirmed), disk.image()))
    assert len(images) > cuts
    for i, (count, image) in enumerate([*dice.sample(images, cuts), images[-1]]):
        check_that_nothing_is_missing(restored(image, folder / str(i)), confirmed[:count])


def test_a_power_cut_takes_nothing_that_was_confirmed(tmp_path):
    check_power_cuts(SqliteStore, tmp_path / "disk", 60)


@pytest.mark.parametrize("broken", [Unsynced, SyncedLater])
def test_a_store_that_does_not_sync_is_caught(tmp_path, broken):
    with pytest.raises((AssertionError, StoreFailed, StoreDamaged)):
        check_power_cuts(broken, tmp_path / "disk", 20)


def check_fault(store_class, folder, fault, operations):
    """The disk becomes faulty after some operations of it, for one append, and is well again."""
    disk, confirmed, left = Disk(), [], [operations]
    folder.mkdir()

    def watch():
        left[0] -= 1
        if left[0] == 0:
            disk.fault = fault

    with closing(store_class(folder / "store.db", None, disk.connect)) as store:
        disk.watch = watch
        with pytest.raises(StoreFailed, match=r"could not be written.*may be stored or not\..*open the store anew"):
            write(store, confirmed, random.Random(3))
        disk.fault, disk.watch = None, lambda: None
        before = [list(store.read(stream)) for stream in ("a", "b")]
        for _ in range(2):  # although the disk is well again
            with pytest.raises(StoreFailed, match="nothing more is written"):
                store.append(following(store, "a", 1))
            with pytest.raises(StoreFailed, match="nothing more is written"):
                keep(store, "a", Kept(1, b""))
        assert [list(store.read(stream)) for stream in ("a", "b")] == before
        image = disk.image()
    check_that_nothing_is_missing(folder / "store.db", confirmed)
    check_that_nothing_is_missing(restored(image, folder / "cut"), confirmed)


@pytest.mark.parametrize("fault", ["full", "sync"])
@pytest.mark.parametrize("operations", [1, 2, 7, 20, 43, 60, 77, 98])
def test_a_faulty_disk_ends_the_store_and_nothing_confirmed_is_missing(tmp_path, fault, operations):
    check_fault(SqliteStore, tmp_path / "disk", fault, operations)


class Retrying(SqliteStore):
    """Broken: what could not be written is written again."""

    def append(self, events):
        try:
            super().append(events)
        except StoreFailed:
            self._failed = ""
            super().append(events)


class Hopeful(SqliteStore):
    """Broken: confirms what could not be written."""

    def append(self, events):
        try:
            super().append(events)
        except StoreFailed:
            self._failed = ""


class GoingOn(SqliteStore):
    """Broken: reports an error, and takes the next events."""

    def append(self, events):
        self._failed = ""
        super().append(events)


@pytest.mark.parametrize("fault", ["full", "sync"])
@pytest.mark.parametrize("broken", [Retrying, Hopeful, GoingOn])
def test_a_store_that_goes_on_after_an_error_is_caught(tmp_path, fault, broken):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_fault(broken, tmp_path / "disk", fault, 20)
