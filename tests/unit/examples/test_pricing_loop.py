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
        self._knob = bl.open("memory://").create(example["NAME"], ranges, initial=[example["FIRST"]])
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


def test_a_loop_that_is_resumed_before_a_service_that_is_killed_says_what_it_says_in_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path) as service:

        def kill(lines: int) -> None:
            if lines == 3:
                service.kill()
                service.start()

        assert said(service, 6) == witness(6, capsys)
        lines = said(service, 48, kill)
        with Client(service.url, service.key) as client:
            counts = client["example-price"].summary()
    assert lines == witness(48, capsys)
    example = runpy.run_path(str(EXAMPLE))
    reported = [each.reported < 48 for hour in range(48) for each in example["customers"](hour)]
    lost = sum(len(example["lost"](hour)) for hour in range(48))
    wanted = (len(reported), sum(reported), lost, len(reported) - sum(reported) - lost)
    assert tuple(counts[name] for name in ("asked", "answered", "given_up", "pending")) == wanted
    assert lost > 0
    check_what_was_earned(lines)


def check_what_was_earned(lines: list[str]) -> None:
    """It begins far from the best price, ends near it, and has earned nearly as much."""
    assert len(lines) == 9
    first, last = (float(re.findall(r"price +([\d.]+)", line)[0]) for line in (lines[0], lines[-2]))
    share, best = (float(text) for text in re.findall(r"(\d+)% .* ([\d.]+)$", lines[-1])[0])
    assert first - best > 2.5
    assert abs(last - best) < 1.0
    assert share >= 85
