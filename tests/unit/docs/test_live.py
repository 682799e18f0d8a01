"""The page "Live in ten minutes", lived through: its requests, its Python and its kill, before a real service."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.pages import blocks, is_shown, run_page
from support.serving import ServeProcess, served

TEXT = (Path(__file__).parents[3] / "docs" / "live.md").read_text(encoding="utf-8")
PROMPT = "$ "
HURRIED, PATIENT = "within=0.2", "within=60.0"
"""What the page lets a web server wait, and what is enough on any machine."""


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Every command of the page with what it prints, and every block of Python, which has its output in itself."""
    for block in blocks(text):
        if block.language == "python":
            yield f"```python\n{block.source}```\n", ""
        elif block.language == "console":
            for each in re.split(rf"^{re.escape(PROMPT)}", block.source, flags=re.MULTILINE)[1:]:
                command, _, printed = each.partition("\n")
                yield command, printed


def answer(service: ServeProcess, command: str) -> str:
    """What the command ``api`` of the page prints."""
    _, path, *body = shlex.split(command)
    url, headers = f"{service.url}/v1/{path}", {"Authorization": f"Bearer {service.key}"}
    if not body:
        return httpx.get(url, headers=headers).text
    return httpx.post(url, headers={**headers, "Content-Type": "application/json"}, content=body[0], timeout=60).text


def test_the_page_can_be_lived_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found: list[str] = []
    shared: dict[str, Any] = {}
    with served(tmp_path) as service:
        monkeypatch.setenv("BELATED_URL", service.url)
        monkeypatch.setenv("BELATED_KEY", service.key)
        for command, printed in steps(TEXT):
            word = command.split()[0]
            found.append(word)
            if word == "```python":
                run_page(command.replace(HURRIED, PATIENT), "live", shared)
            elif word == "api":
                got = answer(service, command)
                assert is_shown(printed, got), (command, got)
                if command.startswith("api keys "):
                    monkeypatch.setenv("WEB_KEY", json.loads(got)["key"])
            elif word == "kill":
                service.kill()
            elif word == "belated" and "kill" in found:
                service.start()
    assert found.count("api") > 10
    assert HURRIED in TEXT
    assert {"kill", "belated", "export", "api()"} <= set(found)
