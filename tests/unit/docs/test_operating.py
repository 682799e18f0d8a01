"""The page for operators names what there is: every metric and every setting."""

from __future__ import annotations

import re
from pathlib import Path

from belated.service.settings import Settings
from support.pages import table
from support.visitors import visiting

TEXT = (Path(__file__).parents[3] / "docs" / "operating.md").read_text(encoding="utf-8")


def first_words(heading: str) -> set[str]:
    """The names in the first column of a table."""
    return {name for row in table(TEXT, heading)[1:] for name in re.findall(r"`(\w+)`", row[0])}


def test_every_metric_is_on_the_page() -> None:
    with visiting() as visitor:
        shown = visitor.get("/metrics").text
    names = set(re.findall(r"^# HELP (\w+) ", shown, flags=re.MULTILINE))
    assert first_words("metric") == names


def test_every_setting_is_on_the_page() -> None:
    assert first_words("setting") == set(Settings._fields)
