"""The page about sweeps: its files can be planned, and the error that it shows is the one that comes.

Its Python needs a cluster, except for that about logs; ``tests/unit/sweeps/test_engines.py`` runs it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from belated.comparisons.document import parsed
from belated.core.errors import InvalidArgument
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.report import NAMES
from support.pages import blocks, run_page, table

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")
WHOLE, DRAWN, MODELS = [block.source for block in blocks(TEXT) if block.language == "toml"]


def test_the_grid_has_as_many_points_as_the_page_says() -> None:
    plan, _ = plan_of_sweep(parsed("my.toml", WHOLE), "my")
    assert len(plan.places) == 12
    assert "here there are twelve" in TEXT


def test_the_random_search_can_be_planned() -> None:
    text = WHOLE.partition("[grid]")[0] + DRAWN
    plan, _ = plan_of_sweep(parsed("my.toml", text), "my")
    assert len(plan.places) == 50


def test_the_sweep_over_a_log_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.toml").write_text(MODELS, encoding="utf-8")
    _, _, section = TEXT.partition("## Over a log\n")
    assert run_page(section.partition("\n## ")[0], "sweep") == 3


def test_the_error_on_the_page_is_the_one_that_comes() -> None:
    (shown,) = [block.source.strip() for block in blocks(TEXT) if block.language == "text"]
    with pytest.raises(InvalidArgument) as error:
        plan_of_sweep(parsed("my.toml", WHOLE.replace('"delays.mean"', '"delays.meen"')), "my")
    assert shown == f"belated sweep: {error.value}"


def test_every_file_is_on_the_page() -> None:
    named = {name for row in table(TEXT, "file")[1:] for name in re.findall(r"`([\w.]+)`", row[0])}
    assert named >= set(NAMES)


def test_every_test_that_the_page_names_is_there() -> None:
    names = [name for row in table(TEXT, "promise")[1:] for name in re.findall(r"`(tests/[\w./]+)`", row[1])]
    assert len(names) >= 5
    assert all((ROOT / name).is_file() for name in names)
