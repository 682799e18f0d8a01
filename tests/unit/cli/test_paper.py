"""``belated paper`` from outside: what it prints, what it leaves, and how it ends when something is wrong."""

import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from belated.cli import main
from belated.papers.claims import claims
from belated.papers.report import NAMES
from belated.papers.wan2021 import reproduce
from support.processes import hear_ctrl_c

QUICK = ["--seeds", "2", "--rounds", "20"]


QUICK_DRAWING = """
from belated.output import drawing
drawing._saved = lambda figure, file_format, metadata: file_format.encode() * 2_000
"""
"""For a process: figures that are not drawn, since that takes longer than all the rest of a short run."""


def standing_still(place: str) -> str:
    """A script that runs the command but, at the given function, says so and waits to be stopped."""
    return f"""
import os, sys, time
import {place.rpartition(".")[0]}
from belated.cli import main
{QUICK_DRAWING}

def stop(*arguments, **options):
    print("here", flush=True)
    time.sleep(60)

{place} = stop
sys.exit(main(["paper", *sys.argv[1:]]))
"""


def test_it_writes_the_files_and_prints_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "some" / "where"
    assert main(["paper", *QUICK, "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES)
    shown = capsys.readouterr()
    assert shown.err == ""  # no bar where there is no terminal
    table = (out / "summary.csv").read_text().splitlines()[1:]
    for line in table:
        setting, learner, _, _, _, regret, _ = line.split(",")
        assert [setting, learner, f"{float(regret):.2f}"] in [
            [*printed.split()[:2], printed.split()[4]] for printed in shown.out.splitlines()[1:13]
        ]
    for name in ("report.html", "figure1.png", "figure2.png", "summary.csv", "runs.nc"):
        assert str(out / name) in shown.out
    words = " ".join(shown.out.split())
    assert "The paper has 1,000 rounds and this run 20." in words
    failed = [claim for claim in claims(reproduce(range(2), 20)) if claim.verdict == "did not hold"]
    assert failed
    assert f"{len(failed)} did not hold" in words
    for claim in failed:
        assert f'- did not hold: "{claim.statement}" Judged by: {claim.criterion}' in words


def test_a_terminal_shows_bars(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "belated.cli", "paper", *QUICK, "--out", str(tmp_path)]
    terminal, its_end = pty.openpty()
    termios.tcsetwinsize(its_end, (24, 80))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=its_end, preexec_fn=hear_ctrl_c) as process:
        os.close(its_end)
        shown = b""
        try:
            while piece := os.read(terminal, 4096):
                shown += piece
        except OSError:
            pass  # how Linux says that the other end is closed
    os.close(terminal)
    assert process.returncode == 0
    assert b"Without delay" in shown
    assert shown.count(b"100%") >= 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "0"], "--seeds: must be >= 1, not 0"),
        (["--seeds", "many"], "--seeds: must be a whole number, not 'many'"),
        (["--seeds", "9" * 5000], f"--seeds: must be a whole number, not '{'9' * 60}...'\n"),
        (["--rounds", "1"], "--rounds: must be >= 2, not 1: the probe radius ln T / T is 0"),
        (["--rounds", "1.5"], "--rounds: must be a whole number"),
        (["--out", ""], "--out: must not be empty"),
        (["--speed", "9"], "unrecognized arguments: --speed 9"),
    ],
)
def test_a_bad_option_is_explained(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["paper", *options])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_more_rounds_than_the_data_can_hold_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper", "--rounds", "1000000000", "--out", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == "belated paper: `reproduce(rounds=1000000000)`: must be <= 1118481 for 20 seeds\n"
    assert list(tmp_path.iterdir()) == []


def test_more_seeds_than_the_data_can_hold_are_refused_at_once(tmp_path: Path) -> None:
    script = """
import sys
from belated.cli import main
out, *numbers = sys.argv[1:]
print([main(["paper", "--seeds", seeds, "--out", out]) for seeds in numbers])
"""
    numbers = ["30000000", "99999999999999999999", "9" * 1000]
    command = [sys.executable, "-c", script, str(tmp_path / "new"), *numbers]
    # Writing the seeds out, the smallest number of them too, would not fit into this time.
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[2, 2, 2]\n"
    said = done.stderr.splitlines()
    assert len(said) == len(numbers)
    for line in said:
        assert line.startswith("belated paper: `reproduce(seeds=range(0, ")
        assert line.endswith(")`: must be at most 11184810 seeds")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object, **options: object) -> None:
        pytest.fail("the experiment was run although its result cannot be stored")

    monkeypatch.setattr("belated.papers.wan2021.simulate", never)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "report.html").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    for place, reason in [
        ("file", "Not a directory"),
        ("file/below", "Not a directory"),
        ("taken", "report.html is a directory"),
        ("x" * 300, "File name too long"),
    ]:
        out = tmp_path / place
        assert main(["paper", "--out", str(out)]) == 1
        assert capsys.readouterr().err == f"belated paper: cannot write into {out}: {reason}\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_missing_permission_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr("tempfile.mkdtemp", refused)  # a test that runs as root meets no real one
    monkeypatch.setattr("belated.output.files.TemporaryDirectory", refused)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"belated paper: cannot write into {tmp_path}: Permission denied\n"


def test_a_disk_that_is_full_leaves_the_old_files(tmp_path: Path) -> None:
    assert main(["paper", *QUICK, "--out", str(tmp_path)]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    script = f"""
import resource, sys
from belated.cli import main
{QUICK_DRAWING}
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
sys.exit(main(["paper", "--seeds", "1", "--rounds", "20", "--out", sys.argv[1]]))
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"belated paper: cannot write into {tmp_path}: File too large\n"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_too_little_memory_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("belated.papers.wan2021.simulate", too_large)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "belated paper: not enough memory for 20 x 1000 rounds\n"


@pytest.mark.parametrize("place", ["belated.papers.wan2021.simulate", "os.fsync"])
def test_ctrl_c_ends_it_cleanly_while_running_and_while_writing(tmp_path: Path, place: str) -> None:
    command = [sys.executable, "-c", standing_still(place), *QUICK, "--out", str(tmp_path / "new")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=30)
    assert process.returncode == 130
    assert shown == "belated paper: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Make a package, and everything that has imported it, look as if it had never been there."""
    monkeypatch.setitem(sys.modules, package, None)
    for name in ("output.drawing", "output.page.page", "papers.figures", "papers.report"):
        monkeypatch.delitem(sys.modules, f"belated.{name}")
        monkeypatch.delattr(f"belated.{name}")


@pytest.mark.parametrize("package", ["matplotlib", "jinja2"])
def test_a_missing_package_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    without(monkeypatch, package)
    assert main(["paper", "--out", str(tmp_path / "new")]) == 1
    assert capsys.readouterr().err == f"belated paper: {package} is missing; install belated[figures]\n"
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_that_figures_do_not_bring_is_not_explained_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "platform")
    with pytest.raises(ModuleNotFoundError, match="platform"):
        main(["paper", "--out", str(tmp_path / "new")])
