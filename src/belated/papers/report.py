"""The files of a reproduction: its figures, its table, its data, and the page that shows them."""

import base64
import platform
from collections.abc import Mapping

import jinja2
import numpy as np

from belated.output.drawing import Drawing
from belated.output.version import installed_version
from belated.papers import figures
from belated.papers.claims import claims
from belated.papers.summary import SummaryRow, as_csv, rows, shown
from belated.papers.wan2021 import CONSTANTS, DIM, LABELS, SETTINGS, Reproduction

FIGURES = {
    "figure1": ("ogd-sc", "dogd", "dogd-sc"),
    "figure2": ("ogd-sc", "dbgd", "bdogd-sc", "bdogd-sc-two-point"),
}
"""The learners of each figure: with gradients, and from function values only."""

THEOREMS = {"dogd-sc": 1, "bdogd-sc": 2, "bdogd-sc-two-point": 3}

FEEDBACK = {
    "ogd-sc": "gradient, without delay",
    "bdogd-sc": f"values at {DIM + 1} points",
    "dbgd": f"values at {DIM + 1} points",
    "bdogd-sc-two-point": "values at 2 points",
}

NAMES = ("runs.nc", "summary.csv", *(f"{name}.{kind}" for name in FIGURES for kind in ("png", "svg")), "report.html")
"""The files, in the order in which they are moved to their places: the page, which refers to the others, is last."""


def contents(reproduction: Reproduction) -> dict[str, bytes]:
    """The contents of every file, by its name."""
    table = rows(reproduction)
    drawings = {name: figures.draw(reproduction, learners) for name, learners in FIGURES.items()}
    made = {
        "runs.nc": bytes(reproduction.runs.to_netcdf(engine="scipy")),
        "summary.csv": as_csv(table).encode(),
        **{f"{name}.{kind}": getattr(drawing, kind) for name, drawing in drawings.items() for kind in drawing._fields},
        "report.html": page(reproduction, table, drawings).encode(),
    }
    return {name: made[name] for name in NAMES}


def page(reproduction: Reproduction, table: list[SummaryRow], drawings: Mapping[str, Drawing]) -> str:
    """The report as one HTML page that needs no other file."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("belated.papers", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = shown
    return environment.get_template("report.html.jinja").render(
        reproduction=reproduction,
        seeds=_seeds(reproduction.seeds),
        command=_command(reproduction),
        settings=SETTINGS,
        constants=CONSTANTS,
        dim=DIM,
        labels=LABELS,
        theorems=THEOREMS,
        feedback=FEEDBACK,
        table=table,
        claims=claims(reproduction),
        images={name: _inlined(drawing.svg) for name, drawing in drawings.items()},
        alternatives={name: _described(learners, table) for name, learners in FIGURES.items()},
        versions={"belated": installed_version(), "NumPy": np.__version__, "Python": platform.python_version()},
    )


def _inlined(svg: bytes) -> str:
    """The image as a data URL. Two SVGs that were pasted into one page would share the names of their parts."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def _described(learners: tuple[str, ...], table: list[SummaryRow]) -> str:
    """The alternative text of a figure: what it shows, in words."""
    ends = {(row.setting, row.learner): shown(row.cumulative_loss.mean) for row in table}
    sides = [
        f"with {setting} delays " + ", ".join(f"{LABELS[name]} {ends[setting, name]}" for name in learners)
        for setting in SETTINGS
    ]
    return f"Curves of the cumulative loss by round. After the last round, {'; '.join(sides)}."


def _seeds(seeds: tuple[int, ...]) -> str:
    if len(seeds) > 2 and seeds == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def _command(reproduction: Reproduction) -> str | None:
    """The command that makes this page, if there is one: it always starts with seed 0."""
    seeds = reproduction.seeds
    if seeds != tuple(range(len(seeds))):
        return None
    return f"belated paper --seeds {len(seeds)} --rounds {reproduction.rounds}"
