"""A comparison as files, and as a table for a terminal.

================  =====================================================================================================
file              what is in it
================  =====================================================================================================
``runs.nc``       the curves of every learner and seed, labelled (netCDF 3; ``xarray.open_dataset``)
``figure.svg``    the picture, and ``figure.png``
``setting.toml``  the setting as it was run: ``belated compare setting.toml`` runs it again
``ranking.csv``   the table with all digits
================  =====================================================================================================
"""

import csv
import io
import math

import numpy as np

import belated
from belated.comparisons.comparison import Comparison
from belated.comparisons.figure import draw
from belated.comparisons.ranking import Interval
from belated.comparisons.writing import as_toml

NAMES = ("runs.nc", "figure.svg", "figure.png", "setting.toml", "ranking.csv")
"""The files, in the order in which they are put into place."""

COLUMNS = (
    "rank",
    "learner",
    "seeds",
    "score_mean",
    "score_low",
    "score_high",
    "behind_mean",
    "behind_low",
    "behind_high",
    "tied_with_first",
    "cumulative_loss_mean",
    "cumulative_loss_low",
    "cumulative_loss_high",
)


def contents(comparison: Comparison) -> dict[str, bytes]:
    """Every file by its name."""
    picture = draw(comparison)
    return {
        "runs.nc": _runs(comparison),
        "figure.svg": picture.svg,
        "figure.png": picture.png,
        "setting.toml": f"{as_toml(comparison.setting.tables, _preamble(comparison))}\n".encode(),
        "ranking.csv": as_csv(comparison).encode(),
    }


def rows(comparison: Comparison) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the ranking, for people."""
    measure = comparison.setting.measure.title.lower()
    header = ("rank", "learner", measure, "95 % interval", "behind the first", "95 % interval")
    digits = _decimals([standing.score.mean for standing in comparison.ranking])
    body: list[tuple[str, ...]] = [
        (
            f"{'=' if standing.tied else ''}{standing.rank}",
            standing.learner,
            f"{standing.score.mean:.{digits}f}",
            _ends(standing.score, digits),
            "-" if standing.rank == 1 else f"{standing.behind.mean:.{digits}f}",
            "-" if standing.rank == 1 else _ends(standing.behind, digits),
        )
        for standing in comparison.ranking
    ]
    return header, body


def as_csv(comparison: Comparison) -> str:
    """The ranking with the digits that floating point has; ends of intervals are empty for a single seed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for standing in comparison.ranking:
        numbers = [*standing.score, *standing.behind, int(standing.tied), *standing.cumulative_loss]
        writer.writerow([standing.rank, standing.learner, comparison.seeds, *("" if x != x else x for x in numbers)])
    return text.getvalue()


def _preamble(comparison: Comparison) -> str:
    """What the tables do not say: what was known of the first seed, and what learners were told because of it."""
    facts = comparison.setting.facts._asdict()
    known = ", ".join(f"{name} {value:.6g}" for name, value in facts.items())
    lines = [
        f"belated {belated.__version__}. Known of the first seed: {known}.",
        "Told to learners besides what is below:",
    ]
    for key, arguments in comparison.setting.told.items():
        if arguments:
            words = ", ".join(f"{name} = {value!r}" for name, value in arguments.items())
            lines.append(f"  {'.'.join(map(str, key[1:]))}: {words}")
    return "\n".join(lines)


def _runs(comparison: Comparison) -> bytes:
    setting = comparison.setting
    runs = comparison.curves.copy()
    runs["score"].attrs["description"] = f"{setting.measure.title}, of the rounds up to this one"
    runs["cumulative_loss"].attrs["description"] = "sum of the losses suffered, each averaged over the round's points"
    runs.attrs = {
        "title": setting.title,
        "measure": setting.measure.name,
        "interrupted": int(comparison.interrupted),
        "setting": as_toml(setting.tables),
        "belated": belated.__version__,
        **{name: float(value) for name, value in setting.facts._asdict().items()},
    }
    runs = runs.assign_coords({name: runs[name].astype(np.int32) for name in ("seed", "round")})
    return bytes(runs.to_netcdf(engine="scipy"))


def _decimals(scores: list[float]) -> int:
    """As many for the whole table as the smallest score needs for three digits, and at least two."""
    smallest = min((abs(score) for score in scores if score != 0.0), default=1.0)
    return min(max(2, 2 - math.floor(math.log10(smallest))), 8)


def _ends(given: Interval, digits: int) -> str:
    return "-" if given.low != given.low else f"{given.low:.{digits}f} to {given.high:.{digits}f}"
