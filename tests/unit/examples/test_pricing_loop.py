"""The pricing loop as a process before a real service: killed, stopped and resumed, it says what it says in process."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.client import Client
from support.serving import ServeProcess, served

EXAMPLE = Path(__file__).parents[3] / "examples" / "pricing_loop.py"


class InProcess:
    """The verbs of the loop over a store in this process."""

    def __init__(self, example: dict[str, Any]) -> None:
        ranges = bl.service.Ranges(**example["RANGES"])
        self._knob = bl.open("memory://").create("price", ranges, initial=[example["FIRST"]])
        self.ask, self.give_up = self._knob.ask, self._knob.give_up

    def tell_many(self, reports: list[tuple[str, list[float]]]) -> None:
        for key, feedback in reports:
            self._knob.tell(feedback, key=key)


def witness(hours: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the example says, without a service."""
    example = runpy.run_path(str(EXAMPLE))
    example["run"](InProcess(example), hours)
    return capsys.readouterr().out.splitlines()


def said(service: ServeProcess, hours: int, after: Callable[[int], None] = lambda lines: None) -> list[str]:
    """What the example says, with something that is done after each line."""
    command = [sys.executable, str(EXAMPLE), "--hours", str(hours)]
    environment = {**os.environ, "BELATED_URL": service.url, "BELATED_KEY": service.key}
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            after(len(lines))
    assert process.returncode == 0
    return lines


def test_a_service_that_is_killed_and_one_that_is_stopped_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path) as service:

        def disturb(lines: int) -> None:
            if lines in (1, 4):
                (service.kill if lines == 1 else service.stop)()
                service.start()

        lines = said(service, 48, disturb)
    assert lines == witness(48, capsys)
    assert len(lines) == 9
    price = float(re.findall(r"price +([\d.]+)", lines[-2])[0])
    share, best = (float(text) for text in re.findall(r"(\d+)% .* ([\d.]+)$", lines[-1])[0])
    assert abs(price - best) < 1.0
    assert share >= 85
    assert float(re.findall(r"price +([\d.]+)", lines[0])[0]) - best > 2.5  # where it began


def test_a_loop_that_is_run_again_goes_on_and_counts_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path) as service:
        assert said(service, 9) == witness(9, capsys)
        whole = witness(18, capsys)
        assert said(service, 18) == whole
        with Client(service.url, service.key) as client:
            before = client["price"].summary()
            assert said(service, 18) == whole
            after = client["price"].summary()
    assert before["asked"] == 18 * 30
    assert before["given_up"] > 0
    names = ("events", "asked", "answered", "given_up", "pending")
    assert [after[name] for name in names] == [before[name] for name in names]
