"""The numbers of pictures and tables as they lie in a page: thinned, in seven digits, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from belated.output.page.blocks import Curve, Curves, Intervals, Table
from belated.output.page.thin import thinned

DIGITS = 7
"""How many digits of a number count in the JSON of a picture."""


def shortened(block: Curves) -> Curves:
    """The picture with at most 600 points for each curve; curves over the same points keep the same ones."""
    found: list[Curve] = []
    places = {}
    for curve in block.curves:
        over = tuple(curve.x)
        if over not in places:
            places[over] = thinned([each.y for each in block.curves if tuple(each.x) == over]).tolist()
        kept = places[over]
        x, y, low, high = ([_short(values[each]) for each in kept] if len(values) else [] for values in curve[1:5])
        found.append(curve._replace(x=x, y=y, low=low, high=high))
    return block._replace(curves=tuple(found))


def _short(value: float) -> float:
    """The number in seven digits, or whole if it is."""
    number = float(value)
    if not math.isfinite(number) or number == round(number):
        return number
    return float(f"{number:.{DIGITS}g}")


def curves_data(block: Curves, series: Sequence[int]) -> dict[str, Any]:
    """The numbers of a picture for the script: distinct lists of points, and the curves over them."""
    lists = list(dict.fromkeys(tuple(curve.x) for curve in block.curves))
    found = []
    for curve, number in zip(block.curves, series, strict=True):
        values = {"y": curve.y, "low": curve.low, "high": curve.high}
        found.append(
            {"name": curve.name, "series": number, "over": lists.index(tuple(curve.x))}
            | {key: _plain(each) for key, each in values.items() if len(each)}
        )
    return {
        "file": block.name,
        "x": {"title": block.x.title, "kind": block.x.kind, "names": block.x.names},
        "y": {"title": block.y.title},
        "points": [_plain(each) for each in lists],
        "curves": found,
    }


def intervals_data(block: Intervals) -> dict[str, Any]:
    """The numbers of a picture of intervals for its file: a name, a mean and two ends in each row."""
    rows = [[row.name, *_plain(row[1:4])] for row in block.rows]
    return {"file": block.name, "x": block.x._asdict(), "header": ["name", "mean", "low", "high"], "rows": rows}


def table_data(block: Table) -> dict[str, Any]:
    """The rows of a table for its file: with all digits, or what is shown if there is nothing else."""
    if block.full_header:
        return {
            "file": block.name,
            "header": block.full_header,
            "rows": [[*map(_cell, row)] for row in block.full_rows],
        }
    grouped = any(group.title for group in block.groups)
    rows = [[*[group.title] * grouped, *row] for group in block.groups for row in group.rows]
    return {"file": block.name, "header": [*["group"] * grouped, *block.header], "rows": rows}


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _plain(values: Sequence[float]) -> list[float | int | None]:
    """Numbers for JSON, which knows no infinities; whole ones are written without a point."""
    return [None if not math.isfinite(each) else int(each) if each == round(each) else each for each in values]


def as_json(data: Any) -> Markup:
    """JSON that can stand in a page: nothing in it ends the element or begins a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704  # no sign of HTML is left
