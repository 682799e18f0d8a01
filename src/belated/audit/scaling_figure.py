"""The picture of regret beside theory: a row for each learner, with its regret against T, against d and against n.

Both axes are logarithmic, so that a power is a straight line. Only DOGD-SC against T has a regret that is a straight
line against ln T itself; there the height is not logarithmic, and the bound, which lies far above, is divided by a
number so that it can be seen.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from belated.audit.growth import LETTERS, Law
from belated.audit.laws import LOGARITHM, POWER
from belated.audit.scaling import Panel
from belated.output.drawing import BLUE, DASHED, GREY, SMALL, SOLID, VERMILION, Drawing, blank, drawn

COLOURS = {"dogd-sc": BLUE, "dogd": VERMILION}
COLUMNS = 3
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
"""Digits as they stand in an exponent."""


def draw(panels: list[Panel]) -> Drawing:
    """The picture as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(panels))


def painted(panels: list[Panel]) -> Figure:
    """The picture: three panels in each row."""
    rows = -(-len(panels) // COLUMNS)
    with blank(3.7 * COLUMNS, 3.2 * rows) as figure:
        for axes, panel in zip(figure.subplots(rows, COLUMNS, squeeze=False).flatten(), panels, strict=False):
            _panel(axes, panel)
        return figure


def _panel(axes: Axes, panel: Panel) -> None:
    sizes, letter, law = panel.growth.sizes, LETTERS[panel.by], panel.growth.laws[panel.learner]
    mean, low, high = np.array(panel.growth.regret[panel.learner]).T
    colour, straight = COLOURS[panel.learner], law.law == LOGARITHM and panel.by == "rounds"
    axes.fill_between(sizes, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(
        sizes, mean, color=colour, linestyle=SOLID, marker="o", markersize=3.5, label=f"regret: {_law(law, letter)}"
    )
    parts = _divisor(float(panel.bound[-1] / mean[-1])) if straight else 1
    name = f"bound / {parts}" if parts > 1 else "bound"
    axes.plot(sizes, panel.bound / parts, color=GREY, linestyle=DASHED, label=f"{name}: {panel.promise}")
    axes.set_xscale("log")
    _label(axes.xaxis)
    if straight:
        axes.set_ylim(bottom=0.0)
    else:
        axes.set_yscale("log")
        tops = np.concatenate((mean, panel.bound))
        axes.set_ylim(tops.min() / 2.0, tops.max() * 6.0)  # above, the legend has room
        _label(axes.yaxis)
    axes.set_title(f"{panel.learner} against {letter}", fontsize=11)
    axes.set_xlabel(letter)
    axes.set_ylabel("Regret")
    axes.legend(fontsize=SMALL, frameon=False, loc="lower right" if straight else "upper left")


def _label(axis: Axis) -> None:
    """Powers of ten as plain text, since formulas are switched off in the house's figures."""
    axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, place: _power_of_ten(round(float(np.log10(value))))))
    axis.set_minor_formatter(NullFormatter())


def _power_of_ten(power: int) -> str:
    return f"10{str(power).translate(RAISED)}"


def _divisor(ratio: float) -> int:
    """A round number that brings the bound to the height of the regret: 1, 2, 5, 10, 20, ..."""
    choices = [digit * 10**power for power in range(7) for digit in (1, 2, 5)]
    return max([choice for choice in choices if choice <= ratio], default=1)


def _law(law: Law, letter: str) -> str:
    power = law.exponent
    wide = f"{power.value:.2f} \N{PLUS-MINUS SIGN} {power.high - power.value:.2f}"
    return {LOGARITHM: f"a + b ln {letter}", POWER: f"exponent {wide}"}.get(law.law, law.law)
