"""Curves as SVG: for each pair of scales that the numbers allow, and for each width, one drawing.

The page shows one of the drawings, and a button or the width of the window changes which. Dots are lines of no length
with round ends, so that they stay round however closely somebody looks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from belated.output.page import scales, svg
from belated.output.page.blocks import Axis, Curve, Curves, Look
from belated.output.page.scales import Scale, read_text
from belated.output.page.svg import NARROW, WIDE, Frame
from belated.output.page.thin import straightened

Point = tuple[float, float]

NEARNESS = 0.1
"""How near a line passes the points that it leaves out, in the units of the drawing, of which 420 are its width."""

SIDES = 0.03
"""How much of its length a horizontal axis goes on beyond the first and the last bar or dot."""


def drawings(figure: Curves, looks: Sequence[Look], series: Sequence[int], about: str) -> str:
    """All drawings of a picture, one after the other; all but those that are shown at first are hidden.

    Args:
        figure: The picture, its curves thinned already.
        looks: How each curve looks.
        series: The number of each curve's name on the page, which the script knows it by.
        about: The id of the description.

    Returns:
        SVG, to be put into a page.
    """
    frames = (WIDE, NARROW) if figure.wide else (NARROW,)
    return "".join(
        _drawing(figure, looks, series, frame, x, y, about)
        for frame in frames
        for x in _scales_along(figure)
        for y in _scales_up(figure)
    )


def first_scales(figure: Curves) -> tuple[bool, bool]:
    """Whether each axis is logarithmic at first."""
    both = (_scales_along(figure), _scales_up(figure))
    along, up = (any(scale.log for scale in each) for each in both)
    return figure.x.log and along, figure.y.log and up


def may_be_log(figure: Curves) -> tuple[bool, bool]:
    """Whether the page offers another scale for each axis."""
    return len(_scales_along(figure)) > 1, len(_scales_up(figure)) > 1


def described(figure: Curves) -> str:
    """The picture in words: each curve, where it begins, where it ends, and its extremes."""
    words = []
    for curve in figure.curves:
        known = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
        if not known:
            words.append(f"{curve.name} has no numbers.")
            continue
        (x, first), (end, last) = known[0], known[-1]
        low, high = min(y for _, y in known), max(y for _, y in known)
        words.append(
            f"{curve.name}: {read_text(first)} at {place_text(figure.x, x)}, {read_text(last)} at "
            f"{place_text(figure.x, end)}, at least {read_text(low)} and at most {read_text(high)}."
        )
    return f"{figure.y.title} by {figure.x.title[:1].lower()}{figure.x.title[1:]}. {' '.join(words)}"


def place_text(axis: Axis, value: float) -> str:
    """A place on the horizontal axis in words."""
    return axis.names[round(value)].replace("\n", ", ") if axis.kind == "names" else read_text(value, axis.kind)


def _scales_along(figure: Curves) -> list[Scale]:
    xs = [each for curve in figure.curves for each in curve.x]
    if figure.x.kind == "names":
        return [Scale(False, -0.5, len(figure.x.names) - 0.5)]
    bars = any(curve.mark in ("stems", "dots") for curve in figure.curves)
    plain = scales.linear_scale(xs, padded=False)
    if bars:
        room = SIDES * (plain.high - plain.low)
        plain = Scale(False, plain.low - room, plain.high + room)
    wanted = figure.x.kind != "date" and scales.log_allowed([curve.x for curve in figure.curves])
    return [plain, *([scales.log_scale(xs, padded=bars)] if wanted else [])]


def _scales_up(figure: Curves) -> list[Scale]:
    ys = [each for curve in figure.curves for band in (curve.y, curve.low, curve.high) for each in band]
    bars = any(curve.mark == "stems" for curve in figure.curves)
    plain = scales.linear_scale(ys, padded=True, from_zero=figure.from_zero or bars)
    if plain.low == 0.0 and any(curve.mark == "dots" for curve in figure.curves):
        plain = plain._replace(low=-SIDES * plain.high)  # dots at 0 are whole
    if not scales.log_allowed([curve.y for curve in figure.curves]):
        return [plain]
    upper = [each for curve in figure.curves for values in (curve.y, curve.high) for each in values]
    return [plain, scales.log_scale(upper, padded=True)]  # lower ends may come near to 0, and are cut off


def _drawing(
    figure: Curves, looks: Sequence[Look], series: Sequence[int], frame: Frame, x: Scale, y: Scale, about: str
) -> str:
    lines = max((name.count("\n") for name in figure.x.names), default=0)
    frame = frame._replace(height=frame.height + svg.ROW * lines, bottom=frame.bottom + svg.ROW * lines)
    axes = svg.vertical(frame, figure.y, y) + svg.horizontal(frame, figure.x, x)
    order = range(len(figure.curves) - 1, -1, -1)  # the first is drawn last, above all others
    inside = "".join(_curve(figure.curves[each], looks[each], series[each], frame, x, y) for each in order)
    hidden = (x.log, y.log) != first_scales(figure)
    return svg.drawing(frame, x, y, axes, inside, about=about, label=figure.title, hidden=hidden)


def _curve(curve: Curve, look: Look, series: int, frame: Frame, x: Scale, y: Scale) -> str:
    """One curve: its band, if it has one, and its line, steps, dots or bars."""
    found = ""
    if curve.low and curve.mark != "stems":
        band = [*_points(curve.x, curve.high, frame, x, y)]
        back = [*_points(curve.x, curve.low, frame, x, y, cut=True)]
        paired = [(one, other) for one, other in zip(band, back, strict=True) if one is not None and other is not None]
        if curve.mark == "line":
            upper, lower = (
                (straightened([*each], NEARNESS) for each in zip(*paired, strict=True)) if paired else ([], [])
            )
            edge = [*upper, *reversed(lower)]
            found += svg.element("path", class_=f"band {look.colour}", d=f"{svg.path(edge)}z") if edge else ""
        else:
            bars = [each for one, other in paired for each in (one, other, None)]
            found += svg.element("path", class_=f"whisker {look.colour}", d=svg.path(bars))
    points = [*_points(curve.x, curve.y, frame, x, y)]
    drawn = {"line": _joined, "step": _stepped, "dots": _dotted, "stems": _stems}[curve.mark](points, frame)
    kind = "bar" if curve.mark == "stems" else "dot" if curve.mark == "dots" else "line"
    dash = look.dash if kind == "line" else "solid"
    found += svg.element("path", class_=f"{kind} {look.colour} {dash}", d=svg.path(drawn))
    return svg.element("g", found, data_series=series)


def _points(
    xs: Sequence[float], ys: Sequence[float], frame: Frame, x: Scale, y: Scale, *, cut: bool = False
) -> Iterator[Point | None]:
    """Where numbers lie in the drawing; None for those that have no place, or the lower edge if they are cut off."""
    for one, other in zip(xs, ys, strict=True):
        if not math.isfinite(other) or (x.log and one <= 0.0) or (y.log and other <= 0.0 and not cut):
            yield None
            continue
        height = 1.0 - y.share(other) if not y.log or other > 0.0 else 2.0
        yield x.share(one) * frame.inner_width, max(min(height, 3.0), -2.0) * frame.inner_height


def _joined(points: Sequence[Point | None], frame: Frame) -> Iterator[Point | None]:
    """A line through the points, with gaps where there are none."""
    for gap, several in groupby(points, lambda point: point is None):
        if gap:
            yield None
        else:
            yield from straightened([each for each in several if each is not None], NEARNESS)


def _stepped(points: Sequence[Point | None], frame: Frame) -> Iterator[Point | None]:
    """Each number holds until the next one."""
    before: Point | None = None
    for point in points:
        if point is not None and before is not None:
            yield point[0], before[1]
        yield point
        before = point
    if before is not None:
        yield frame.inner_width, before[1]


def _dotted(points: Sequence[Point | None], frame: Frame) -> Iterator[Point | None]:
    """Dots, with a gap behind each."""
    for point in points:
        yield point
        yield None


def _stems(points: Sequence[Point | None], frame: Frame) -> Iterator[Point | None]:
    """Bars from the lower edge."""
    for point in points:
        if point is not None:
            yield point[0], 1.0 * frame.inner_height
            yield point
            yield None
