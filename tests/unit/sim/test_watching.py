"""Progress is shown where somebody can see it, and a standard error that fails ends nothing."""

import io
import os
import subprocess
import sys

import pytest

import belated as bl
from belated.sim import watching

LEARNERS = {"slow": bl.dogd(bl.Ball(2), 0.1), "fast": bl.dogd(bl.Ball(2), 0.5)}
PROBLEM = bl.problems.RandomQuadratic(2)
LAWS = {"slow": bl.delays.Fixed(2), "fast": bl.delays.Fixed(1)}


class Failing(io.StringIO):
    """A terminal that takes nothing."""

    def __init__(self, problem: Exception) -> None:
        super().__init__()
        self.problem = problem

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        raise self.problem

    def flush(self) -> None:
        raise self.problem


def closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


STREAMS = {
    "none": None,
    "closed": closed(),
    "unread": Failing(BrokenPipeError(32, "Broken pipe")),
    "full": Failing(OSError(28, "No space left on device")),
}


@pytest.mark.parametrize("progress", [None, True])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_standard_error_that_fails_ends_nothing(
    stream: str, progress: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    law = LAWS["slow"]
    expected = bl.simulate(LEARNERS, PROBLEM, law, 5, 2, progress=False)
    ranking = bl.compare(LEARNERS, PROBLEM, LAWS, 5, 2, progress=False).ranking
    monkeypatch.setattr(sys, "stderr", STREAMS[stream])
    found = bl.simulate(LEARNERS, PROBLEM, law, 5, 2, progress=progress)
    assert found.to_dataset().identical(expected.to_dataset())
    assert bl.compare(LEARNERS, PROBLEM, LAWS, 5, 2, progress=progress).ranking == ranking


SCRIPT = """
import os, sys
import belated as bl

learners = {"it": bl.dogd(bl.Ball(2), 0.1)}
for progress in (None, True):
    bl.simulate(learners, bl.problems.RandomQuadratic(2), bl.delays.Fixed(2), 300, 3, progress=progress)
    os.write(1, f"done {progress}, ".encode())
"""


@pytest.mark.parametrize("kind", ["closed", "unread"])
def test_a_process_whose_standard_error_is_gone_comes_to_its_end(kind: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", SCRIPT]
    if kind == "closed":
        command = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writer, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stdout) == (0, b"done None, done True, ")


def test_what_can_be_written_is_written() -> None:
    under = io.StringIO()
    stream = watching.Unfailing(under)
    assert stream.write("seen") == 4
    stream.flush()
    assert under.getvalue() == "seen"
    assert watching.Unfailing(sys.__stdout__).fileno() == 1


@pytest.mark.parametrize("stream", STREAMS)
def test_nothing_is_shown_unasked_where_nobody_looks(stream: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", STREAMS[stream])
    assert watching.is_shown(None) == isinstance(STREAMS[stream], Failing)
    assert watching.is_shown(True)
    assert not watching.is_shown(False)
