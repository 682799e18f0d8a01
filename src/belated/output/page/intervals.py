"""Means with their intervals as SVG: a line for each, with its name on the left and its number on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from belated.output.page import scales, svg
from belated.output.page.blocks import Intervals, Look, Row
from belated.output.page.scales import Scale
from belated.output.page.svg import LETTER, NARROW, WIDE, Frame, element, rounded

LINE = 21.0
"""The height of a line in the units of a drawing."""

LEAST = 0.3
"""A logarithmic axis begins where the lower end of an interval is, but not below this share of the mean: there may be
no end to it. What goes on beyond it is marked by a triangle."""

WIDEST_NAME = {"narrow": 22, "wide": 44}
"""How many letters of a name are shown."""


def drawings(figure: Intervals, looks: Sequence[Look], series: Sequence[int], about: str) -> str:
    """All drawings of a picture: for each scale that the numbers allow, and for each width.

    Args:
        figure: The picture.
        looks: How each row looks.
        series: The number of each row's name on the page.
        about: The id of the description.

    Returns:
        SVG, to be put into a page.
    """
    frames = (WIDE, NARROW) if figure.wide else (NARROW,)
    return "".join(
        _drawing(figure, looks, series, _framed(figure, frame), scale, about)
        for frame in frames
        for scale in _scales(figure)
    )


def first_scale(figure: Intervals) -> bool:
    """Whether the axis is logarithmic at first."""
    return figure.x.log and may_be_log(figure)


def may_be_log(figure: Intervals) -> bool:
    """Whether the page offers another scale."""
    return len(_scales(figure)) > 1


def described(figure: Intervals) -> str:
    """The picture in words: each row with its mean and its interval."""
    words = []
    for row in figure.rows:
        ends = f" ({scales.read_text(row.low)} to {scales.read_text(row.high)})" if math.isfinite(row.low) else ""
        words.append(f"{row.name} {scales.read_text(row.mean)}{ends}")
    return f"{figure.x.title}: {'; '.join(words)}."


def _scales(figure: Intervals) -> list[Scale]:
    means = [row.mean for row in figure.rows]
    plain = scales.linear_scale([each for row in figure.rows for each in row[1:4]], padded=True)
    if not scales.log_allowed([[each] for each in means] + [means]):
        return [plain]
    ends = [each for row in figure.rows for each in (row.mean, max(row.low, LEAST * row.mean), row.high)]
    return [plain, scales.log_scale(ends, padded=True)]


def _framed(figure: Intervals, frame: Frame) -> Frame:
    """Room for the longest name on the left, for the longest number on the right, and for all lines."""
    most = WIDEST_NAME[frame.size]
    names = max(min(len(row.name), most) for row in figure.rows) + max(len(row.rank) for row in figure.rows) + 2.5
    words = max(len(row.words) for row in figure.rows)
    height = 14 + LINE * len(figure.rows) + frame.bottom
    left, right = min(LETTER * names, 0.5 * frame.width), min(12 + LETTER * words, 0.25 * frame.width)
    return frame._replace(height=height, top=10.0, left=left, right=right)


def _drawing(
    figure: Intervals, looks: Sequence[Look], series: Sequence[int], frame: Frame, scale: Scale, about: str
) -> str:
    axes = svg.horizontal(frame, figure.x, scale, grid=True)
    inside = ""
    for place, (row, look, number) in enumerate(zip(figure.rows, looks, series, strict=True)):
        height = 2 + LINE * (place + 0.5)
        axes += _names(row, frame, frame.top + height + 4, number)
        inside += element("g", _row(row, look, frame, scale, height), data_series=number)
    hidden = scale.log != first_scale(figure)
    return svg.drawing(frame, scale, None, axes, inside, about=about, label=figure.title, hidden=hidden)


def _names(row: Row, frame: Frame, height: float, number: int) -> str:
    """The rank and the name before a line, of which a long one is cut off, and the number behind the line."""
    most = WIDEST_NAME[frame.size]
    name = row.name if len(row.name) <= most else f"{row.name[: most - 1]}\N{HORIZONTAL ELLIPSIS}"
    title = element("title", escape(row.name)) if name != row.name else ""
    return element(
        "g",
        element("text", escape(row.rank), x=0, y=height)
        + element("text", escape(name) + title, x=frame.left - 8, y=height, text_anchor="end", class_="name")
        + element("text", escape(row.words), x=frame.width, y=height, text_anchor="end", class_="name"),
        data_series=number,
    )


def _row(row: Row, look: Look, frame: Frame, scale: Scale, height: float) -> str:
    def place(value: float) -> float:
        share = scale.share(value) if not scale.log or value > 0.0 else -0.1
        return share * frame.inner_width

    found = ""
    if math.isfinite(row.low) and math.isfinite(row.high):
        ends = f"M{rounded(place(row.low))} {rounded(height)}H{rounded(place(row.high))}"
        found = element("path", class_=f"whisker {look.colour}", d=ends)
        if place(row.low) < 0.0:
            title = element("title", "The interval goes on beyond the axis.")
            tip = f"M0 {rounded(height)}l7 -5v10z"
            found += element("path", title, class_=f"beyond {look.colour}", d=tip)
    dot = f"M{rounded(place(row.mean))} {rounded(height)}l0 0"
    found += element("path", class_=f"dot {look.colour} solid", d=dot)
    return found + ("" if row.filled else element("path", class_="hole", d=dot))
