"""The locked lists in ``locks/`` are parts of one resolution, so that they can be installed on top of each other."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WHOLE = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LISTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "locks").iterdir())}


def pins(text: str) -> set[str]:
    """Every requirement of a locked list: name, version, marker and hashes, without the comments."""
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return {re.sub(r"\s*\\\n\s*", " ", block).strip() for block in re.split(r"\n(?=\S)", code)} - {""}


def strangers(whole: str, lists: dict[str, str]) -> set[str]:
    """What one side has and the other has not."""
    return pins(whole) ^ set[str]().union(*map(pins, lists.values()))


def test_the_lists_together_are_the_resolution() -> None:
    assert strangers(WHOLE, LISTS) == set()


@pytest.mark.parametrize("old", ["numpy==2", "--hash=sha256:0"])
def test_a_list_of_another_resolution_is_noticed(old: str) -> None:
    assert old in LISTS["run"]
    assert strangers(WHOLE, {**LISTS, "run": LISTS["run"].replace(old, old[:-1] + "9", 1)}) != set()


def test_there_is_a_list_for_what_belated_needs_and_for_each_group_that_is_added() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert set(LISTS) == {"run"} | (groups.keys() - {"install"})  # the run list has that one
