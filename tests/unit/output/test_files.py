"""Files are put into place whole and together, also by processes that are killed or not alone; mutants fail."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from belated.output import files

OLD = {"runs.nc": b"old runs", "summary.csv": b"old summary", "report.html": b"old report"}
NEW = {"runs.nc": b"new runs" * 1000, "summary.csv": b"new summary", "report.html": b"new report"}

STOPPED_AT = """
import os, sys, time
from pathlib import Path
from belated.output import files

directory, function, count, mutant = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
owner = {"fsync": os, "replace": Path, "unlink": Path}[function]
real = getattr(owner, function)

def stopping(*arguments, **options):
    global count
    count -= 1
    if count == 0:
        print("here", flush=True)
        time.sleep(60)
    return real(*arguments, **options)

def written_in_place(directory, contents):
    for name, content in contents.items():
        files._write(directory / name, content)

setattr(owner, function, stopping)
if mutant == "seal kept":
    Path.unlink = lambda path, missing_ok=False: None
place = written_in_place if mutant == "in place" else files.place
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
    killed_at(filled(tmp_path), "fsync", 1, "in place")
    assert seen(tmp_path) != OLD


def together(directory: Path) -> bool:
    """Whether all files were placed by one process, if the last one is there."""
    return "report.html" not in seen(directory) or seen(directory) in (OLD, NEW)


MOVES = [("unlink", 1), ("replace", 1), ("replace", 2), ("replace", 3)]


@pytest.mark.parametrize(("function", "count"), MOVES)
def test_killed_while_moving_every_file_is_whole_and_the_page_has_its_own_beside_it(
    tmp_path: Path, function: str, count: int
) -> None:
    killed_at(filled(tmp_path), function, count)
    assert together(tmp_path)
    assert all(content in (OLD[name], NEW[name]) for name, content in seen(tmp_path).items())
    files.place(tmp_path, NEW)
    assert seen(tmp_path) == NEW


def test_a_mutant_that_keeps_the_old_page_is_noticed(tmp_path: Path) -> None:
    killed_at(filled(tmp_path), "replace", 2, "seal kept")
    assert not together(tmp_path)


def test_what_the_killed_have_left_is_removed_when_it_is_old(tmp_path: Path) -> None:
    killed_at(filled(tmp_path), "fsync", 2)
    (left,) = tmp_path.glob(".*")
    assert sorted(path.name for path in left.iterdir()) == ["runs.nc", "summary.csv"]
    files.place(tmp_path, NEW)
    assert left.exists()  # somebody may still be writing there
    yesterday = time.time() - files.DAY - 1
    os.utime(left, (yesterday, yesterday))
    files.place(tmp_path, NEW)
    assert not left.exists()
    assert seen(tmp_path) == NEW


def test_what_only_looks_left_by_the_killed_is_kept(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "report.html").write_text("mine")
    out = tmp_path / "out"
    (out / f"{files.PREFIX}mine").mkdir(parents=True)
    (out / f"{files.PREFIX}mine" / "diary.txt").write_text("mine")
    (out / f"{files.PREFIX}file").write_text("mine")
    (out / f"{files.PREFIX}link").symlink_to(elsewhere)
    for path in out.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    before = sorted(tmp_path.rglob("*"))
    files.check_place(out, NEW)
    assert sorted(tmp_path.rglob("*")) == before


IN_STEP = """
import sys, time
from pathlib import Path
from belated.output import files

base, me, other = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
files._write = lambda path, content: path.write_bytes(content)  # more turns in less time than with a disk

def wait(step):
    (base / f"{me}-{step}").touch()
    while not (base / f"{other}-{step}").exists():
        pass

for turn in range(300):
    wait(f"{turn}-start")
    place = base / str(turn) / "new" / "one"
    files.place(place, {name: me.encode() for name in ("runs.nc", "summary.csv", "report.html")})
    wait(f"{turn}-end")
    found = {path.name: path.read_bytes() for path in place.iterdir()}
    if set(found) != {"runs.nc", "summary.csv", "report.html"} or len(set(found.values())) != 1:
        sys.exit(f"turn {turn}: {found}")
"""


def test_two_processes_can_write_into_one_new_directory(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", IN_STEP, str(tmp_path), *names] for names in (("a", "b"), ("b", "a"))]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for command in commands]
    try:
        # Until both have ended or one has failed, for which the other would wait for ever.
        while (codes := [process.poll() for process in processes]) != [0, 0] and not any(codes):
            time.sleep(0.05)
    finally:
        for process in processes:
            process.kill()
    assert [(process.communicate()[1], process.returncode) for process in processes] == [("", 0), ("", 0)]


def test_who_comes_while_another_moves_its_files_waits(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STOPPED_AT, str(filled(tmp_path)), "replace", "2", ""]
    second = f"from pathlib import Path; from belated.output import files; files.place(Path({str(tmp_path)!r}), {OLD})"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as moving:
        assert moving.stdout is not None
        assert moving.stdout.readline() == "here\n"
        with subprocess.Popen([sys.executable, "-c", second]) as waiting:
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(timeout=2)
            moving.kill()
            assert waiting.wait(timeout=30) == 0
    assert seen(tmp_path) == OLD


def test_a_directory_that_cannot_be_made_however_often_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError):
        files.place(tmp_path / "link", NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_regular_file_stays_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.html")
    with pytest.raises(OSError, match=r"report.html is no regular file"):
        files.place(tmp_path, {"runs.nc": b"runs", "report.html": b"report"})
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").is_fifo()
