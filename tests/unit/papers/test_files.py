"""Files are put into place whole or not at all, also by processes that are really killed; a mutant fails the check."""

import subprocess
import sys
from pathlib import Path

import pytest

from belated.papers import files

OLD = {"runs.nc": b"old runs", "summary.csv": b"old summary", "report.html": b"old report"}
NEW = {"runs.nc": b"new runs" * 1000, "summary.csv": b"new summary", "report.html": b"new report"}

STOPPED_AT = """
import os, sys, time
from pathlib import Path
from belated.papers import files

directory, function, count, mutant = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
owner = {"fsync": os, "replace": Path}[function]
real = getattr(owner, function)

def stopping(*arguments):
    global count
    count -= 1
    if count == 0:
        print("here", flush=True)
        time.sleep(60)
    return real(*arguments)

def written_in_place(directory, contents):
    for name, content in contents.items():
        files._write(directory / name, content)

setattr(owner, function, stopping)
place = written_in_place if mutant == "mutant" else files.place
place(directory, {"runs.nc": b"new runs" * 1000, "summary.csv": b"new summary", "report.html": b"new report"})
"""
"""Writes the new files, but stands still at the n-th call of a function, so that it can be killed there."""


def seen(directory: Path) -> dict[str, bytes]:
    """What somebody who lists the directory sees."""
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.startswith(".")}


def filled(directory: Path) -> Path:
    for name, content in OLD.items():
        (directory / name).write_bytes(content)
    return directory


def killed_at(directory: Path, function: str, count: int, mutant: str = "") -> None:
    """Let another process write into the directory and kill it at the n-th call of a function."""
    command = [sys.executable, "-c", STOPPED_AT, str(directory), function, str(count), mutant]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.kill()


def test_new_directories_are_made(tmp_path: Path) -> None:
    files.place(tmp_path / "a" / "b", NEW)
    assert seen(tmp_path / "a" / "b") == NEW
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(NEW)


def test_old_files_are_replaced_and_others_left(tmp_path: Path) -> None:
    (filled(tmp_path) / "notes.txt").write_bytes(b"mine")
    files.place(tmp_path, NEW)
    assert seen(tmp_path) == NEW | {"notes.txt": b"mine"}


@pytest.mark.parametrize("count", [1, 2, 3])
def test_killed_while_writing_the_old_files_are_untouched(tmp_path: Path, count: int) -> None:
    killed_at(filled(tmp_path), "fsync", count)
    assert seen(tmp_path) == OLD
    files.place(tmp_path, NEW)  # and what it left behind is in nobody's way
    assert seen(tmp_path) == NEW


def test_a_mutant_that_writes_in_place_is_noticed(tmp_path: Path) -> None:
    killed_at(filled(tmp_path), "fsync", 1, "mutant")
    assert seen(tmp_path) != OLD


@pytest.mark.parametrize("count", [1, 2, 3])
def test_killed_while_moving_every_file_is_whole_and_the_page_comes_last(tmp_path: Path, count: int) -> None:
    killed_at(filled(tmp_path), "replace", count)
    names = list(NEW)
    assert seen(tmp_path) == {name: (NEW if i < count - 1 else OLD)[name] for i, name in enumerate(names)}


@pytest.mark.parametrize("stopped", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: BaseException
) -> None:
    def fail(descriptor: int) -> None:
        raise stopped

    monkeypatch.setattr("os.fsync", fail)
    for directory in (filled(tmp_path), tmp_path / "new" / "one"):
        with pytest.raises(type(stopped)):
            files.place(directory, NEW)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(OLD)
    assert seen(tmp_path) == OLD


def test_the_check_finds_what_placing_would_meet_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "summary.csv").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    files.check_place(tmp_path / "new" / "one", NEW)
    for place, error in [
        ("file", NotADirectoryError),
        ("file/below", NotADirectoryError),
        ("taken", IsADirectoryError),
        ("x" * 300, OSError),
    ]:
        with pytest.raises(error):
            files.check_place(tmp_path / place, NEW)
    assert sorted(tmp_path.rglob("*")) == before
