"""The table of a reproduction, which is shown on the page and in the terminal and written to ``summary.csv``."""

import csv
import io
import math
from collections.abc import Iterator
from typing import NamedTuple

import xarray as xr

from belated.papers.wan2021 import Reproduction

COLUMNS = (
    "setting",
    "learner",
    "seeds",
    "cumulative_loss_mean",
    "cumulative_loss_sd",
    "regret_mean",
    "regret_sd",
)


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


def rows(reproduction: Reproduction) -> list[SummaryRow]:
    """A row for every learner in every setting."""
    runs = reproduction.runs
    return [
        SummaryRow(
            str(setting),
            str(learner),
            len(reproduction.seeds),
            _spread(runs.cumulative_loss.isel(round=-1).sel(setting=setting, learner=learner)),
            _spread(runs.regret.sel(setting=setting, learner=learner)),
            _known(float(runs.bound.sel(setting=setting, learner=learner))),
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
    """The table for a terminal."""
    heads = ("setting", "learner", "cumulative loss", "sd", "regret", "sd", "bound")
    cells = [(row.setting, row.learner, *map(shown, _numbers(row))) for row in table]
    widths = [max(len(line[i]) for line in (heads, *cells)) for i in range(len(heads))]
    lines = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in (heads, *cells)
    ]
    return "\n".join(line.rstrip() for line in lines)


def shown(value: float | None) -> str:
    """The value with two decimals, or a hyphen for ``None``."""
    return "-" if value is None else f"{value:.2f}"


def _numbers(row: SummaryRow) -> Iterator[float | None]:
    yield from row.cumulative_loss
    yield from row.regret
    yield row.bound


def _spread(values: xr.DataArray) -> Spread:
    return Spread(float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else None)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
