"""The served click predictor before a real service: it learns, and a service that is away costs predictions only."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

from belated.client import Client
from support.serving import ServeProcess, served

EXAMPLE = Path(__file__).parents[3] / "examples" / "served_click_predictor.py"
LONG = 60.0
"""So many seconds are enough for a prediction on any machine."""


def said(service: ServeProcess, hours: int) -> list[str]:
    """What the example prints, line by line."""
    options = ["--url", service.url, "--key", service.key, "--hours", str(hours), "--within", str(LONG)]
    command = [sys.executable, str(EXAMPLE), *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_predictor_beats_the_constant_and_may_be_run_again(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        whole, again = (said(service, hours) for hours in (24, 5))
        with Client(service.url, service.key) as client:
            counts = client["example-clicks"].summary()
    assert again[:5] == whole[:5]
    assert len(whole) == 25
    ours, constant, fallbacks = re.findall(r"log-loss ([\d.]+), .* ([\d.]+); (\d+) of 1440", whole[-1])[0]
    assert float(ours) < 0.93 * float(constant)
    assert (int(fallbacks), counts["asked"], counts["answered"]) == (0, 1440, 22 * 60)


def test_while_the_service_is_away_predictions_are_fallbacks_and_no_report_is_lost(tmp_path: Path) -> None:
    example = runpy.run_path(str(EXAMPLE))
    retries, spool = example["IMPATIENT"], tmp_path / "clicks.spool"
    with (
        served(tmp_path) as service,
        Client(service.url, service.key, retries=retries, spool=spool, timeout=LONG) as client,
    ):
        client.create(example["NAME"], example["MODEL"])
        lines = example["run"](client, 10, LONG)
        with_service = [next(lines) for _ in range(4)]
        service.kill()
        without = [next(lines) for _ in range(2)]
        waiting = client.spooled
        service.start()
        last = list(lines)
        counts = client["example-clicks"].summary()
        assert (client.spooled, client.refused()) == (0, [])
    assert not any("fallbacks" in line for line in with_service + last[:-1])
    assert all(line.endswith(", 60 fallbacks") for line in without)
    assert waiting == 2 * 60  # of the hours before
    assert last[-1].endswith("; 120 of 600 are fallbacks")
    assert (counts["asked"], counts["answered"], counts["pending"]) == (8 * 60, 6 * 60, 2 * 60)
