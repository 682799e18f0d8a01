"""How figures look, and how they become files.

Colours are those of Okabe and Ito, which colour-blind people can distinguish. Figures are drawn without pyplot and with
matplotlib's own defaults, so that nobody's settings change them and they change nobody's, and the same data give the
same SVG, byte for byte.
"""

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Literal, NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "font.size": 10.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.8,
    "svg.hashsalt": "belated",
    "text.parse_math": False,  # somebody's names may have dollars in them
    "xtick.color": "#555555",
    "xtick.labelcolor": "#222222",
    "ytick.color": "#555555",
    "ytick.labelcolor": "#222222",
}


BLACK, BLUE, VERMILION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
SKY, PURPLE, ORANGE, GREY = "#56B4E9", "#CC79A7", "#E69F00", "#999999"
SOLID, DOTTED, DASHED, DASH_DOTTED = "-", (0, (1, 1.3)), (0, (5, 2)), (0, (6, 1.5, 1.2, 1.5))

SMALL = 9.0
"""The size of letters where there is much to write."""

Dashes = str | tuple[int, tuple[float, ...]]


class Drawing(NamedTuple):
    """A figure as it is written to files."""

    png: bytes
    svg: bytes


@contextmanager
def blank(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Iterator[Figure]:
    """A figure to draw on; everything drawn within has the house's style.

    Args:
        width: Of the figure, in inches.
        height: Likewise.
        layout: ``"constrained"`` lets matplotlib find room for labels, which takes seconds where there are many axes;
            ``None`` leaves axes where they are put.
    """
    with matplotlib.style.context(["default", STYLE]):
        yield Figure(figsize=(width, height), layout=layout)


def drawn(figure: Figure) -> Drawing:
    """The figure as files; to be called within :func:`blank`."""
    with _any_letters():
        return Drawing(_saved(figure, "png", {}), _saved(figure, "svg", {"Date": None, "Creator": None}))


def text_width(text: str, size: float) -> float:
    """How wide a line of text in letters of that size is, in inches."""
    with _any_letters():
        points, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(points) / 72.0


def fitted(text: str, inches: float, size: float) -> str:
    """The text, or its beginning and three dots if the whole is wider than that."""
    shown, letters = text, len(text)
    while (width := text_width(shown, size)) > inches and letters > 1:
        letters = max(1, min(letters - 1, int(letters * inches / width)))
        shown = f"{text[:letters]}..."
    return shown


def in_two_lines(text: str, inches: float, size: float) -> str:
    """The text, in two lines if the whole is too wide and it can be broken after a space or hyphen; fitted if not."""
    if text_width(text, size) <= inches:
        return text
    ends = [place for place, letter in enumerate(text, start=1) if letter in " -" and text[place:].strip()]
    heads = [text[:end].rstrip(" ") for end in ends if text_width(text[:end].rstrip(" "), size) <= inches]
    head = heads[-1] if heads else ""
    if not head.strip("=0123456789 "):  # a rank alone is no line
        return fitted(text, inches, size)
    return f"{head}\n{fitted(text[len(head) :].lstrip(' '), inches, size)}"


def apart(ends: Sequence[float], line: float) -> list[float]:
    """Where to write the names of curves that end at ``ends``: there, or so far above that names are a line apart."""
    places = list(ends)
    for below, above in pairwise(np.argsort(ends, kind="stable")):
        places[above] = max(places[above], places[below] + line)
    return places


@contextmanager
def _any_letters() -> Iterator[None]:
    """Somebody's names may have letters that the font has not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def _saved(figure: Figure, file_format: str, metadata: dict[str, None]) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=file_format, dpi=150, metadata=metadata)
    return file.getvalue()
