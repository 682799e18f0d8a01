"""The picture of a worst case: when feedback is on its way, and where the learner is meanwhile.

Above, every round has a line from its play to the arrival of its feedback, in the colour of its gradient's sign. Below,
the decision along the line of the gradients is drawn against the round.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from belated.audit.found import WorstCase
from belated.output.drawing import BLACK, BLUE, SMALL, SOLID, VERMILION, Drawing, blank, drawn

MOST_MARKS = 120
"""From so many rounds on, arrivals have no marks of their own."""


def draw(case: WorstCase) -> Drawing:
    """The picture as SVG and PNG."""
    with blank(1.0, 1.0):
        return drawn(painted(case))


def painted(case: WorstCase) -> Figure:
    """The picture: feedback in flight above, decisions below."""
    with blank(7.0, 4.6) as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        _flights(above, case)
        _decisions(below, case)
        figure.suptitle(
            f"{case.learner}: regret {case.regret:.4g}, {case.ratio:.3f} of the bound", fontsize=12, x=0.02, ha="left"
        )
        return figure


def _flights(axes: Axes, case: WorstCase) -> None:
    rounds = np.arange(1, case.rounds + 1)
    colours = [VERMILION if sign > 0 else BLUE for sign in case.signs.tolist()]
    ends = rounds + case.delays - 1
    axes.hlines(rounds, rounds - 0.5, ends + 0.5, colors=colours, linewidth=min(4.0, 160.0 / case.rounds))
    if case.rounds <= MOST_MARKS:
        axes.scatter(ends + 0.5, rounds, c=colours, s=max(3.0, 300.0 / case.rounds), zorder=3)
    axes.invert_yaxis()
    axes.set_ylabel("Round played")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    names = {VERMILION: "gradient +", BLUE: "gradient \N{MINUS SIGN}"}
    handles = [Line2D([], [], color=colour, linewidth=3, label=name) for colour, name in names.items()]
    axes.legend(handles=handles, loc="lower left", fontsize=SMALL, frameon=False)


def _decisions(axes: Axes, case: WorstCase) -> None:
    direction = case.gradients[0] * case.signs[0] / case.losses.lipschitz
    axes.step(np.arange(1, case.rounds + 1), case.decisions @ direction, where="mid", color=BLACK, linestyle=SOLID)
    axes.set_xlabel("Round")
    axes.set_ylabel("Decision")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
