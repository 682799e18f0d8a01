"""The page: blocks in, one file of HTML out.

Pictures are drawn here, once for every scale, and their numbers lie beside them as JSON, thinned and in seven digits:
what the page draws, reads out and offers as files are the same numbers. The same blocks give the same bytes.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import resources
from itertools import groupby
from typing import Any, NamedTuple

import jinja2
import numpy as np
from markupsafe import Markup

from belated.output.page import figure as curves
from belated.output.page import intervals
from belated.output.page.blocks import (
    COLOURS,
    DASHES,
    Axis,
    Block,
    Code,
    Curve,
    Curves,
    Facts,
    Intervals,
    Look,
    Section,
    Table,
    Text,
    Verdicts,
)
from belated.output.page.data import as_json, curves_data, intervals_data, shortened, table_data
from belated.output.page.scales import read_text
from belated.output.version import installed_version

MANY = 6
"""A picture of more curves shows the bands of those only that somebody points at."""


def banded(curves: Sequence[Curve], what: str) -> str:
    """What the bands of a picture are, in a sentence that is true of the page.

    Args:
        curves: The curves of the picture.
        what: What a band is, such as ``"its 95 % interval"``.

    Returns:
        The sentence. It is empty if no curve has a band; of many curves it says that pointing shows them.

    Example:
        >>> curve = Curve("dogd-sc", [1, 2], [0.5, 0.7], low=[0.4, 0.6], high=[0.6, 0.8])
        >>> banded([curve], "its 95 % interval")
        'The band is its 95 % interval.'
        >>> banded([curve] * 7, "its 95 % interval")
        'Point at a name to see the band of a curve, which is its 95 % interval.'
    """
    marks = {curve.mark for curve in curves if len(curve.low)}
    if not marks:
        return ""
    if "line" not in marks:
        return f"The pale bar at a point is {what}."
    if len(curves) > MANY:
        return f"Point at a name to see the band of a curve, which is {what}."
    return f"The band is {what}."


class Entry(NamedTuple):
    """A series in the legend of a picture: its number on the page, how it looks, and its last number."""

    name: str
    series: int
    look: Look
    mark: str
    last: str
    band: str


class Picture(NamedTuple):
    """A picture as the template needs it."""

    id: str
    title: str
    caption: Any
    wide: bool
    drawings: Markup
    about: str
    legend: tuple[Entry, ...]
    at: str
    """What the numbers in the legend belong to: the last place on the horizontal axis."""
    switches: tuple[tuple[str, bool], ...]
    """The axes whose scale can be changed, and whether each is logarithmic at first."""
    many: bool
    data: Markup


def page(
    title: str,
    sections: Sequence[Section],
    *,
    kicker: str = "",
    lead: str = "",
    warnings: Sequence[str] = (),
    command: str | None = None,
    files: Sequence[str] = (),
) -> bytes:
    """Make a page that needs nothing beside itself.

    Args:
        title: Its title.
        sections: Its parts, from top to bottom.
        kicker: A line above the title: what kind of page this is.
        lead: What was found, in a sentence or two below the title.
        warnings: What a reader must know, each as a paragraph of its own that stands out.
        command: The command that makes the page again; None if there is none.
        files: The names of the files with the full data, which lie beside the page.

    Returns:
        The file, in UTF-8. Letters that no text can have, as in names of files, are written as their codes.

    Example:
        >>> from belated.output.page.blocks import Axis, Curve, Curves
        >>> figure = Curves("loss", "Loss", Axis("Round"), Axis("Loss"), (Curve("dogd-sc", [1, 2], [0.5, 0.7]),))
        >>> made = page("My run", [Section("Figures", (figure,))], command="belated paper")
        >>> made.startswith(b"<!DOCTYPE html>"), b"://" in made
        (True, False)
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("belated.output", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["code"] = lambda piece: isinstance(piece, Code)
    maker = _Maker()
    parts = [(section.heading, maker.parts(section.blocks)) for section in sections]
    text = environment.get_template("page.html.jinja").render(
        title=title,
        kicker=kicker,
        lead=lead,
        warnings=warnings,
        sections=parts,
        command=command,
        files=files,
        versions={"belated": installed_version(), "NumPy": np.__version__, "Python": platform.python_version()},
        style=Markup(_source("page.css")),  # noqa: S704  # our own file
        script=Markup(_source("scales.js") + _source("page.js")),  # noqa: S704  # our own files
    )
    return text.encode("utf-8", "backslashreplace")


class _Maker:
    """Turns blocks into what the template needs; names of series get their numbers and looks as they appear."""

    def __init__(self) -> None:
        self._series: dict[str, int] = {}
        self._looks: dict[str, Look] = {}
        self._ids = 0

    def parts(self, blocks: Sequence[Block]) -> list[tuple[str, Any]]:
        """Pairs of a kind and its contents; pictures that follow each other are together."""
        found: list[tuple[str, Any]] = []
        for _, several in groupby(blocks, lambda block: isinstance(block, Curves | Intervals)):
            together = list(several)
            pictures = [self._picture(block) for block in together if isinstance(block, Curves | Intervals)]
            found += [("pictures", pictures)] if pictures else [self._words(block) for block in together]
        return found

    def _words(self, block: Any) -> tuple[str, Any]:
        if isinstance(block, Table):
            return "table", {"id": self._id("table"), "table": block, "data": as_json(table_data(block))}
        kinds = {Text: "text", Facts: "facts", Verdicts: "verdicts"}
        return kinds[type(block)], block

    def _picture(self, block: Curves | Intervals) -> Picture:
        return self._curves(block) if isinstance(block, Curves) else self._intervals(block)

    def _curves(self, block: Curves) -> Picture:
        block = shortened(block)
        own = self._id("figure")
        series = [self._number(curve.name) for curve in block.curves]
        looks = [self._look(curve.name, curve.look) for curve in block.curves]
        legend = [
            Entry(curve.name, number, look, curve.mark, *_last(curve))
            for curve, number, look in zip(block.curves, series, looks, strict=True)
        ]
        offered, first = curves.may_be_log(block), curves.first_scales(block)
        switches = tuple((name, log) for name, log, may in zip("xy", first, offered, strict=True) if may)
        last = max((curve.x[-1] for curve in block.curves if len(curve.x)), default=0.0)
        return Picture(
            own,
            block.title,
            block.caption,
            block.wide,
            Markup(curves.drawings(block, looks, series, f"{own}-about")),  # noqa: S704  # escaped where it is made
            curves.described(block),
            tuple(legend),
            _at(block.x, last),
            switches,
            len(block.curves) > MANY,
            as_json(curves_data(block, series)),
        )

    def _intervals(self, block: Intervals) -> Picture:
        own = self._id("figure")
        series = [self._number(row.name) for row in block.rows]
        looks = [self._look(row.name, row.look) for row in block.rows]
        switches = (("x", intervals.first_scale(block)),) if intervals.may_be_log(block) else ()
        return Picture(
            own,
            block.title,
            block.caption,
            block.wide,
            Markup(intervals.drawings(block, looks, series, f"{own}-about")),  # noqa: S704  # escaped where it is made
            intervals.described(block),
            (),
            "",
            switches,
            False,
            as_json(intervals_data(block)),
        )

    def _id(self, kind: str) -> str:
        self._ids += 1
        return f"{kind}-{self._ids}"

    def _number(self, name: str) -> int:
        return self._series.setdefault(name, len(self._series))

    def _look(self, name: str, given: Look | None) -> Look:
        """What was given, or what the name had before, or the next pair of a colour and dashes."""
        if given is not None:
            return self._looks.setdefault(name, given)
        place = len(self._looks)
        return self._looks.setdefault(name, Look(COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]))


def _last(curve: Curve) -> tuple[str, str]:
    """The last number of a curve in words, and the ends of its band there."""
    if not len(curve.y):
        return "-", ""
    ends = f"{read_text(curve.low[-1])} to {read_text(curve.high[-1])}" if len(curve.low) else ""
    return read_text(curve.y[-1]), ends if "-" not in ends.split(" to ") else ""


def _at(axis: Axis, value: float) -> str:
    return f"{axis.title.partition(';')[0]}: {curves.place_text(axis, value)}"


def _source(name: str) -> str:
    return resources.files("belated.output.page").joinpath(name).read_text(encoding="utf-8")
