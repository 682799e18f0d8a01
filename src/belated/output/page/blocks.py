"""What a page is made of: words, tables, verdicts and pictures. All of them are tuples of texts and plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

Numbers: TypeAlias = Sequence[float]
"""Floats; what is not a number, or infinite, is a gap."""


class Code(str):
    """A piece of text that is set in letters of equal width, such as a command or the name of a file."""


Words: TypeAlias = "str | tuple[str, ...]"
"""A text, or several pieces of one, of which some are :class:`Code`."""

COLOURS = ("blue", "vermilion", "green", "purple", "ochre", "sky", "ink")
"""The colours of series, after Okabe and Ito, darker on light ground and lighter on dark; grey is for marks."""

DASHES = ("solid", "dashed", "dotted", "mixed")
"""The dashes of lines. There are as many pairs of a colour and dashes as 7 times 4, since these have no factor in
common."""

MARKS = ("line", "step", "dots", "stems")
"""How a curve is drawn: points joined by a line, as steps that end at the next point, as dots, or as bars from 0."""


class Look(NamedTuple):
    """The colour of a series, of :data:`COLOURS` or ``"grey"``, and its dashes, of :data:`DASHES`."""

    colour: str
    dash: str = "solid"


class Axis(NamedTuple):
    """What is along one side of a picture."""

    title: str
    kind: str = "number"
    """``"number"``; ``"date"``, in milliseconds since 1970; ``"span"``, in seconds; or ``"names"``: 0, 1, 2, ..."""
    log: bool = False
    """Whether it is logarithmic at first, if the numbers allow that; a button of the page changes it."""
    names: tuple[str, ...] = ()
    """Of the kind ``"names"``: what 0, 1, 2, ... are called; a line break begins a second line."""


class Curve(NamedTuple):
    """One series of a picture of curves."""

    name: str
    """What it is called. Series of the same name are shown and hidden together on the whole page."""
    x: Numbers
    """Where its points are, in ascending order."""
    y: Numbers
    low: Numbers = ()
    """The lower end of a band about it, or nothing."""
    high: Numbers = ()
    mark: str = "line"
    """One of :data:`MARKS`."""
    look: Look | None = None
    """How it looks; the default depends on how many names there were on the page before this one."""


class Curves(NamedTuple):
    """A picture of curves over one horizontal axis."""

    name: str
    """The name of the file of numbers that the page offers, without its ending."""
    title: str
    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    caption: Words = ""
    wide: bool = False
    """Whether it has the whole width of the page, where there is one; otherwise two pictures stand side by side."""
    from_zero: bool = False
    """Whether the vertical axis begins at 0 even if all numbers are far above it."""


class Row(NamedTuple):
    """A mean with its interval, as one line of :class:`Intervals`; without an interval its ends are not numbers."""

    name: str
    mean: float
    low: float
    high: float
    words: str
    """The number that is written at the end of the line."""
    rank: str = ""
    filled: bool = True
    """Whether the mean is a dot; otherwise it is a ring."""
    look: Look | None = None


class Intervals(NamedTuple):
    """A picture of means with their intervals, one below the other."""

    name: str
    title: str
    x: Axis
    rows: tuple[Row, ...]
    caption: Words = ""
    wide: bool = False


class Group(NamedTuple):
    """Rows of a table under a heading; the heading is empty where the table has only one group."""

    title: str
    rows: tuple[tuple[str, ...], ...]


class Table(NamedTuple):
    """A table for people, and the same with all digits for the file that the page offers."""

    name: str
    """The name of that file, without its ending."""
    header: tuple[str, ...]
    groups: tuple[Group, ...]
    texts: int = 1
    """How many columns, from the left, hold texts; the others hold numbers."""
    full_header: tuple[str, ...] = ()
    """What the columns of the file are called; nothing if the file has what is shown."""
    full_rows: tuple[tuple[str | float | None, ...], ...] = ()


class Text(NamedTuple):
    """A paragraph; its manner is ``"plain"``, ``"note"``, small, or ``"warning"``."""

    words: Words
    manner: str = "plain"


class Verdict(NamedTuple):
    """A statement, whether it held, what that was judged by, and what was found, each with a name."""

    statement: str
    verdict: str
    """``"held"``, ``"did not hold"`` or ``"cannot be judged"``."""
    criterion: str
    findings: tuple[tuple[str, str], ...]


class Verdicts(NamedTuple):
    """Several statements with their verdicts."""

    verdicts: tuple[Verdict, ...]


class Facts(NamedTuple):
    """Names and what they are, as a list."""

    facts: tuple[tuple[str, Words], ...]


Block: TypeAlias = "Text | Table | Facts | Verdicts | Curves | Intervals"


class Section(NamedTuple):
    """A part of a page under a heading. Pictures that follow each other stand side by side where there is room."""

    heading: str
    blocks: tuple[Block, ...]
