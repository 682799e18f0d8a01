"""The page that lists domains, losses, problems and laws of delay lists all of them, as they are really made."""

from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated import delays, domains, losses
from belated.sim import problems
from support.pages import table

SECTIONS = {
    part.partition("\n")[0]: part
    for part in (Path(__file__).parents[3] / "docs" / "whats_there.md").read_text(encoding="utf-8").split("\n## ")[1:]
}
REGISTRIES = {
    "Domains": domains.EVERY,
    "Losses": losses.EVERY,
    "Problems": problems.EVERY,
    "Laws of delay": delays.EVERY,
}


def made(section: str) -> list[tuple[Any, list[str]]]:
    """What each row of a section's table makes, with the row."""
    return [(eval(row[0].strip("`"), {"bl": bl}), row) for row in table(SECTIONS[section], "made by")[1:]]


@pytest.mark.parametrize("section", REGISTRIES)
def test_every_family_is_listed_once_in_the_order_of_its_registry(section: str) -> None:
    assert tuple(type(part) for part, _ in made(section)) == REGISTRIES[section]


def test_there_is_no_other_section() -> None:
    assert set(SECTIONS) == set(REGISTRIES)


def test_rows_of_losses_have_the_size_that_is_written() -> None:
    for loss, row in made("Losses"):
        features = getattr(loss, "features", 0)
        sizes = {"n numbers": loss.dim, "n + 1 numbers": loss.dim + 1, "m + 1 numbers": features + 1}
        assert loss.row_size == sizes[row[2].partition(":")[0]], row


def test_domains_of_problems_are_those_that_are_written() -> None:
    kinds: dict[str, type[Any]] = {"unit ball": bl.Ball, "ball": bl.Ball, "interval": bl.Box, "simplex": bl.Simplex}
    for problem, row in made("Problems"):
        (kind,) = [kind for words, kind in kinds.items() if row[2].startswith(words)]
        assert type(problem.domain) is kind, row
        assert row[2].startswith("unit ball") == (problem.domain == bl.Ball(problem.loss.dim)), row
