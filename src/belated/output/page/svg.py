"""The little of SVG that drawings are made of: a frame with marks and numbers, and room inside it for what is drawn.

What is drawn lies in an inner ``svg`` of its own, which cuts off what is outside of it. The script looks closer by
giving that element another ``viewBox``; lines keep their width, because they do not scale.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from belated.output.page.blocks import Axis
from belated.output.page.scales import Scale, tick_text, ticks


class Frame(NamedTuple):
    """The size of a drawing and of the room inside it, in the units of the drawing."""

    size: str
    """``"narrow"`` or ``"wide"``: where the page shows it."""
    width: float
    height: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def inner_width(self) -> float:
        """The width of the room for what is drawn."""
        return self.width - self.left - self.right

    @property
    def inner_height(self) -> float:
        """The height of the room for what is drawn."""
        return self.height - self.top - self.bottom


NARROW = Frame("narrow", 420, 280, 46, 24, 12, 40)
WIDE = Frame("wide", 860, 320, 52, 24, 14, 40)

ROW = 13.0
"""The height of a line of letters."""

LETTER = 6.6
"""The usual width of a letter in the units of a drawing."""


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """One element of SVG; an attribute that is None is left out, and ``_`` in its name stands for a hyphen."""
    words = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{words}>{content}</{tag}>"


def _text(value: object) -> str:
    return rounded(value) if isinstance(value, float) else str(value)


def rounded(value: float) -> str:
    """A coordinate with two decimals and no zeros at its end.

    >>> rounded(12.5), rounded(-0.001), rounded(3.0)
    ('12.5', '0', '3')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def drawing(
    frame: Frame, x: Scale, y: Scale | None, axes: str, inside: str, *, about: str, label: str, hidden: bool
) -> str:
    """One drawing: its axes, and what is drawn inside them.

    Args:
        frame: Its size.
        x: The horizontal scale, which the script needs to read numbers out.
        y: The vertical one; None if there is none, and nothing to read out.
        axes: The elements of the axes.
        inside: What is drawn.
        about: The id of the description.
        label: What the drawing is called.
        hidden: Whether another drawing of the same picture is shown at first.

    Returns:
        The element.
    """
    views = [each for scale in (x, y) if scale is not None for each in (scale.low, scale.high)]
    box = (frame.left, frame.top, frame.inner_width, frame.inner_height)
    inner = element(
        "svg",
        inside,
        class_="inner",
        x=frame.left,
        y=frame.top,
        width=frame.inner_width,
        height=frame.inner_height,
        viewBox=f"0 0 {rounded(frame.inner_width)} {rounded(frame.inner_height)}",
        preserveAspectRatio="none",
    )
    return element(
        "svg",
        element("g", axes, class_="axes") + inner,
        class_=f"drawing {frame.size}",
        viewBox=f"0 0 {rounded(frame.width)} {rounded(frame.height)}",
        role="img",
        aria_label=label,
        aria_describedby=about,
        data_x="log" if x.log else "linear",
        data_y=None if y is None else "log" if y.log else "linear",
        data_box=" ".join(map(rounded, box)),
        data_view=" ".join(f"{each!r}" for each in views),
        hidden="" if hidden else None,
    )


def horizontal(frame: Frame, axis: Axis, scale: Scale, *, grid: bool = False) -> str:
    """The horizontal axis: its marks, their names and its title; with ``grid``, lines go up from the marks."""
    base = frame.height - frame.bottom
    if axis.kind == "names":
        places = [(float(place), name) for place, name in enumerate(axis.names)]
    else:
        found = ticks(scale, axis.kind, max(2, round(frame.inner_width / (95 if axis.kind == "date" else 62))))
        step = found[1] - found[0] if len(found) > 1 else 0.0
        places = [(value, tick_text(value, axis.kind, step)) for value in found]
    parts = []
    for value, text in places:
        place = frame.left + scale.share(value) * frame.inner_width
        up = frame.top if grid else base
        parts.append(element("path", d=f"M{rounded(place)} {rounded(up)}V{rounded(base + 4)}", class_="grid"))
        parts += [
            element("text", escape(line), x=place, y=base + 16 + ROW * number, text_anchor=_anchor(frame, place, line))
            for number, line in enumerate(text.split("\n"))
        ]
    title = element(
        "text", escape(axis.title), x=frame.width - frame.right, y=frame.height - 5, class_="title", text_anchor="end"
    )
    return "".join(parts) + title


def _anchor(frame: Frame, place: float, text: str) -> str:
    """Letters stay inside the drawing."""
    half = 0.5 * LETTER * len(text)
    if place + half > frame.width:
        return "end"
    return "start" if place < half else "middle"


def vertical(frame: Frame, axis: Axis, scale: Scale) -> str:
    """The vertical axis: lines across at its marks, their numbers, and its title above."""
    found = ticks(scale, axis.kind, 5)
    parts = []
    for value in found:
        place = frame.top + (1.0 - scale.share(value)) * frame.inner_height
        across = f"M{rounded(frame.left)} {rounded(place)}H{rounded(frame.width - frame.right)}"
        parts.append(element("path", d=across, class_="grid"))
        parts.append(
            element("text", tick_text(value, axis.kind, 0.0), x=frame.left - 6, y=place + 4, text_anchor="end")
        )
    return "".join(parts) + element("text", escape(axis.title), x=0, y=12, class_="title")


def path(points: Iterable[tuple[float, float] | None]) -> str:
    """A line through points; None is a gap. The steps from point to point are written, which is shorter."""
    text, pen = [], None
    for point in points:
        if point is None:
            pen = None
            continue
        x, y = round(point[0] * 100), round(point[1] * 100)
        if pen is None:
            text.append(f"M{_hundredths(x)} {_hundredths(y)}l0 0")
        elif (x, y) != pen:
            text.append(f"l{_hundredths(x - pen[0])} {_hundredths(y - pen[1])}")
        pen = x, y
    return "".join(text).replace(" -", "-")


def _hundredths(number: int) -> str:
    """A whole number of hundredths, as short as SVG reads it."""
    text = rounded(number / 100)
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
