"""If an output stream is closed, full or cannot encode a text, only its output is lost: no file, and no traceback."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from belated.cli import main, terminal
from belated.cli.command import CommandFailed
from belated.papers.report import NAMES

QUICKLY = """
import sys
from belated.cli import main
from belated.output import drawing

drawing._saved = lambda figure, file_format, metadata: file_format.encode()
sys.exit(main())
"""
"""The command line without figures, which take most of the time that is not spent on imports."""

BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def shell(
    redirected: str, *arguments: str, program: tuple[str, ...] = ("-m", "belated.cli"), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the command line in a real process, with its streams redirected as a shell does it."""
    command = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, *program, *arguments]
    return subprocess.run(command, env=BUFFERED | variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("redirected", "code", "shown"),
    [
        ("2>&-", 0, ""),
        (">&-", 1, "belated paper: cannot print: the standard output is closed\n"),
        (">/dev/full", 1, "belated paper: cannot print: No space left on device\n"),
        (">&- 2>&-", 1, ""),
        (">&- 2>/dev/full", 1, ""),
    ],
)
def test_the_report_is_written_whatever_the_streams_are(tmp_path: Path, redirected: str, code: int, shown: str) -> None:
    options = ["--seeds", "1", "--rounds", "5", "--out", str(tmp_path)]
    done = shell(redirected, "paper", *options, program=("-c", QUICKLY))
    assert (done.returncode, done.stderr) == (code, shown)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    assert ("Report:" in done.stdout) == (code == 0)


def test_a_letter_that_the_output_does_not_have_is_printed_as_its_code(tmp_path: Path) -> None:
    out = tmp_path / "é"
    done = shell("", "paper", "--seeds", "1", "--rounds", "5", "--out", str(out), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xe9/report.html" in done.stdout
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize(
    ("redirected", "arguments", "code", "shown"),
    [
        (">/dev/full", ["--help"], 1, "belated: cannot print: No space left on device\n"),
        (">/dev/full", ["paper", "--help"], 1, "belated: cannot print: No space left on device\n"),
        ("2>/dev/full", ["papr"], 2, ""),
        ("2>/dev/full", [], 2, ""),
        ("2>&-", [], 2, ""),
        ("2>&-", ["paper", "--seeds", "0"], 2, ""),
    ],
)
def test_help_and_errors_that_cannot_be_printed(redirected: str, arguments: list[str], code: int, shown: str) -> None:
    done = shell(redirected, *arguments)
    assert (done.returncode, done.stderr) == (code, shown)


def test_inside_python_a_stream_may_be_none_or_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    for stream, reason in [(None, "the standard output is closed"), (closed, "I/O operation on closed file")]:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        with pytest.raises(CommandFailed, match=f"cannot print: {reason}"):
            terminal.say("anything")
        terminal.complain("anything")
    monkeypatch.setattr(sys, "stderr", None)
    assert not terminal.is_watched()
    assert main([]) == 2


def test_a_pipe_without_a_reader_fails_once_only(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        monkeypatch.setattr(sys, "stderr", pipe)
        with pytest.raises(BrokenPipeError):
            terminal.say("nobody reads this")
        terminal.say("nor this")


def test_an_error_that_nobody_reads_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        monkeypatch.setattr(sys, "stderr", pipe)
        terminal.complain("nobody reads this")
