"""The table of a reproduction, which is shown on the page and in the terminal and written to ``summary.csv``."""

import csv
import io
import math
from collections.abc import Iterator
from typing import NamedTuple

import xarray as xr

from belated.papers.allowed import THEOREMS, stated
from belated.papers.wan2021 import Reproduction, Setup

COLUMNS = (
    "setting",
    "learner",
    "seeds",
    "cumulative_loss_mean",
    "cumulative_loss_sd",
    "regret_mean",
    "regret_sd",
)

DERIVED = "* The paper states no constants for this learner: the bound is derived here (bl.bounds.of)."
"""What the mark of a bound says."""


class Spread(NamedTuple):
    """A mean over the seeds and the standard deviation about it (divisor: seeds - 1), ``None`` for a single seed."""

    mean: float
    sd: float | None


class SummaryRow(NamedTuple):
    """One learner in one setting, after the last round."""

    setting: str
    learner: str
    seeds: int
    cumulative_loss: Spread
    regret: Spread
    bound: float | None
    """What a theorem of the paper allows as regret, where it has one for this learner."""
    derived: float | None
    """What is derived here, where the paper has no theorem and the learner meets delays."""


def rows(reproduction: Reproduction) -> list[SummaryRow]:
    """A row for every learner in every setting."""
    runs = reproduction.runs
    setups = {each.name: each for each in reproduction.setups}
    return [
        SummaryRow(
            str(setting),
            str(learner),
            len(reproduction.seeds),
            _spread(runs.cumulative_loss.isel(round=-1).sel(setting=setting, learner=learner)),
            _spread(runs.regret.sel(setting=setting, learner=learner)),
            _known(float(runs.bound.sel(setting=setting, learner=learner))),
            _derived(setups[str(setting)], str(learner)),
        )
        for setting in runs.setting.to_numpy()
        for learner in runs.learner.to_numpy()
    ]


def as_csv(table: list[SummaryRow]) -> str:
    """The table as CSV with all digits; the standard deviation of a single seed is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in table:
        writer.writerow((*row[:3], *row.cumulative_loss, *row.regret))
    return text.getvalue()


def as_text(table: list[SummaryRow]) -> str:
    """The table for a terminal; a bound that is not the paper's has a mark, and a line below says so."""
    heads = ("setting", "learner", "cumulative loss", "sd", "regret", "sd", "bound")
    cells = [(row.setting, row.learner, *map(shown, _numbers(row)), _bound(row)) for row in table]
    widths = [max(len(line[i]) for line in (heads, *cells)) for i in range(len(heads))]
    lines = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in (heads, *cells)
    ]
    marked = ["", DERIVED] if any(_bound(row).endswith("*") for row in table) else []
    return "\n".join([*(line.rstrip() for line in lines), *marked])


def shown(value: float | None) -> str:
    """The value with two decimals, or a hyphen for ``None``."""
    return "-" if value is None else f"{value:.2f}"


def _numbers(row: SummaryRow) -> Iterator[float | None]:
    yield from row.cumulative_loss
    yield from row.regret


def _bound(row: SummaryRow) -> str:
    """The bound of the paper, or the one that is derived here, with its mark; as wide with a mark as without."""
    if row.bound is None and row.derived is not None:
        return f"{shown(row.derived)}*"
    return f"{shown(row.bound)} "


def _derived(setup: Setup, learner: str) -> float | None:
    if learner in THEOREMS or learner not in setup.learners():
        return None
    return stated(setup, learner).value(setup.delays)


def _spread(values: xr.DataArray) -> Spread:
    return Spread(float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else None)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
