"""The files of ``belated scaling``.

===============  ======================================================================================================
file             what is in it
===============  ======================================================================================================
``growth.csv``   every learner at every size: mean regret, local slope, each with its 95 % interval, and the bounds
``laws.csv``     every learner by rounds, delay and dimension: the law, its exponent with interval, and the theory
``laws.md``      the same as a table in Markdown
``figure.svg``   regret beside its bound, and ``figure.png``
``report.html``  all of it on one page, which can be looked into
===============  ======================================================================================================
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from belated.audit.scaling import Panel, law_rows, rows
from belated.audit.scaling_figure import draw
from belated.audit.scaling_page import report_page

NAMES = ("growth.csv", "laws.csv", "laws.md", "figure.png", "figure.svg", "report.html")
"""The files, in the order in which they are put into place: the page, which names the others, is last."""

HEADER = ("learner", "against", "regret", "exponent, 95 %", "R^2 against the logarithm", "the bound has")


def contents(panels: list[Panel], command: str) -> dict[str, bytes]:
    """Every file by its name; the page has the command that makes it again."""
    picture = draw(panels)
    found = {
        "growth.csv": _csv(rows(panels)),
        "laws.csv": _csv(law_rows(panels)),
        "laws.md": as_markdown(panels).encode(),
        "figure.png": picture.png,
        "figure.svg": picture.svg,
        "report.html": report_page(panels, HEADER, cells(panels), command),
    }
    return {name: found[name] for name in NAMES}


def cells(panels: list[Panel]) -> list[tuple[str, ...]]:
    """The laws in words, a row for each panel."""
    return [
        (
            row["learner"],
            row["letter"],
            row["law"],
            f"{row['exponent']:.3f} [{row['exponent_low']:.3f}, {row['exponent_high']:.3f}]",
            f"{row['straight']:.4f}",
            row["theory"],
        )
        for row in law_rows(panels)
    ]


def as_markdown(panels: list[Panel]) -> str:
    """The laws as a table in Markdown."""
    lines = [HEADER, ("---",) * len(HEADER), *cells(panels)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _csv(table: Iterable[Mapping[str, Any]]) -> bytes:
    listed = list(table)
    file = io.StringIO()
    writer = csv.DictWriter(file, list(listed[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(listed)
    return file.getvalue().encode()
