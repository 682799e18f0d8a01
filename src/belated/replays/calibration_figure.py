"""The panels of a ranking that show whether probabilities can be taken at their word, one for each candidate.

Predictions are in groups of about equally many. Each group is a dot: how often the label was 1 there, over what was
predicted on average. Dots on the diagonal are right, those below it were predicted too high.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from belated.output.drawing import DOTTED, GREY, SMALL, fitted
from belated.replays.ranking_result import ModelRanking

COLUMNS = 4
"""So many panels at most stand beside each other."""

ROW = 2.9
"""How high a row of panels is, in inches."""


def rows_of_panels(ranking: ModelRanking) -> int:
    """How many rows of panels a ranking needs; none if its predictions are no probabilities."""
    return -(-len(ranking.standings) // COLUMNS) if ranking.has_probabilities else 0


def draw_panels(figure: Any, ranking: ModelRanking, colours: dict[str, str]) -> None:
    """Draw a panel for each candidate.

    Args:
        figure: What is drawn on, a figure of matplotlib or a part of one.
        ranking: The ranking, of predictions that are probabilities.
        colours: The colour of each candidate.
    """
    standings, rows = ranking.standings, rows_of_panels(ranking)
    columns = min(len(standings), COLUMNS)
    panels = figure.subplots(rows, columns, squeeze=False)
    for place, panel in enumerate(panels.flat):
        if place >= len(standings):
            panel.set_visible(False)
            continue
        means, shares, _ = ranking.replay.quality[standings[place].entry].calibration
        _panel(panel, means, shares, colours[standings[place].name])
        panel.set_title(fitted(standings[place].name, 7.2 / columns, SMALL), fontsize=SMALL, fontweight="normal")
    figure.supxlabel("Mean predicted probability", fontsize=10)
    figure.supylabel("Share of labels that were 1", fontsize=10)


def _panel(axes: Axes, means: Any, shares: Any, colour: str) -> None:
    """One panel, as large as its dots need it: rare labels would be a heap in the corner otherwise."""
    end = min(1.05 * max(float(means.max()), float(shares.max())), 1.0) or 1.0
    axes.plot([0.0, end], [0.0, end], color=GREY, linestyle=DOTTED, linewidth=1.2)
    axes.plot(means, shares, "o", color=colour, markersize=4.5, alpha=0.8, clip_on=False)
    axes.set_xlim(0.0, end)
    axes.set_ylim(0.0, end)
    axes.set_aspect("equal")
    axes.locator_params(nbins=4)
    axes.tick_params(labelsize=SMALL)
    axes.grid(visible=True, axis="both")
