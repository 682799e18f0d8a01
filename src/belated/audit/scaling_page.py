"""The page of ``belated scaling``: regret against T, d and n beside what theory allows, and its laws."""

from __future__ import annotations

import numpy as np

from belated.audit.growth import LETTERS, in_words
from belated.audit.scaling import BLOCK, DIM, LOW_DELAYS, SIGNS_DIM, Panel, law_rows
from belated.output.page.blocks import Axis, Block, Curve, Curves, Facts, Group, Look, Section, Table, Text
from belated.output.page.page import page

LOOKS = {"dogd-sc": Look("blue"), "dogd": Look("vermilion")}
BOUNDS = {"dogd-sc": "bound: certificate", "dogd": "bound: dogd_adaptive"}
"""What the bound of each learner is called on the page, with the name of its function in ``bl.bounds``."""

LOWEST = "lower bound, worst losses"

ALONG = {"rounds": "Rounds T", "delay": "Delay d", "dim": "Dimension n"}

HOW = (
    "Regret is the mean over the seeds, with its 95 % interval as a band. Bounds hold for all losses with the same "
    "constants. The lower bound is what some losses with these constants cost every learner; on others, as here, "
    "regret may lie below it. On logarithmic axes a power is a straight line, and its slope is the exponent. For a "
    "logarithm switch log y off."
)

SLOPES = (
    "Beside it is the slope of ln regret against ln x between neighbouring sizes, with its 95 % interval. That of a "
    "power settles at the exponent, and that of a logarithm falls towards 0."
)

TEST = (
    "The exponent is the p of a + b (x^p \N{MINUS SIGN} 1) / p, in which p = 0 is the logarithm. The law is called a "
    "logarithm or a power only if the 95 % interval of p says so."
)


def report_page(panels: list[Panel], header: tuple[str, ...], cells: list[tuple[str, ...]], command: str) -> bytes:
    """The panels as one page that needs no other file.

    Args:
        panels: What was found.
        header: The columns of the table of laws.
        cells: Its rows, one for each panel.
        command: The command that makes the page again.

    Returns:
        The file.
    """
    learners = list(dict.fromkeys(panel.learner for panel in panels))
    full = law_rows(panels)
    header, *lines = ((*row[:4], row[5], row[4]) for row in (header, *cells))  # what holds texts stands on the left
    values = tuple(tuple(row.values()) for row in full)
    laws = Table("laws", header, (Group("", tuple(lines)),), 5, tuple(full[0]), values)
    sections = [Section("Laws", (laws, Text(TEST, "note")))]
    for name in learners:
        own = [panel for panel in panels if panel.learner == name]
        blocks: tuple[Block, ...] = (Text(HOW), Text(SLOPES)) if name == learners[0] else ()
        pictures = (picture(panel) for panel in own for picture in (_regret, _slopes))
        sections.append(Section(f"Regret of {name}", (*blocks, *pictures)))
    sections.append(Section("What was run", (Facts(_facts(panels)),)))
    return page(
        "How regret grows",
        sections,
        kicker="Regret against rounds, delay and dimension",
        lead=_lead(panels),
        command=command,
        files=("growth.csv, every number", "laws.csv and laws.md, the laws", "and the figure as PNG and SVG"),
    )


def _lead(panels: list[Panel]) -> str:
    """The laws by rounds, which are those that the paper is about."""
    laws = {each.learner: in_words(each.growth.laws[each.learner], "T") for each in panels if each.by == "rounds"}
    words = (f"{name} {law.partition(' (')[0]}" for name, law in laws.items())
    return f"How regret grows with the rounds T: {'; '.join(words)}."


def _regret(panel: Panel) -> Curves:
    sizes = panel.growth.sizes.tolist()
    mean, low, high = np.array(panel.growth.regret[panel.learner]).T.tolist()
    curves = (
        Curve(f"regret of {panel.learner}", sizes, mean, low, high, look=LOOKS[panel.learner]),
        Curve(BOUNDS[panel.learner], sizes, panel.bound.tolist(), look=Look(LOOKS[panel.learner].colour, "dashed")),
        Curve(LOWEST, sizes, panel.lowest.tolist(), look=Look("grey", "dotted")),
    )
    letter = LETTERS[panel.by]
    caption = f"Regret: {in_words(panel.growth.laws[panel.learner], letter)}. The bound has {panel.promise}."
    x, y = Axis(ALONG[panel.by], log=True), Axis("Regret", log=True)
    return Curves(f"regret_{panel.learner}_{panel.by}", f"{panel.learner} against {letter}", x, y, curves, caption)


def _slopes(panel: Panel) -> Curves:
    """The slope between each size and the one before it, at the larger of the two."""
    slope, low, high = np.array(panel.growth.laws[panel.learner].slopes).T.tolist()
    own = Curve(
        f"regret of {panel.learner}", panel.growth.sizes.tolist()[1:], slope, low, high, look=LOOKS[panel.learner]
    )
    x, title = Axis(ALONG[panel.by], log=True), f"Slope of {panel.learner} against {LETTERS[panel.by]}"
    return Curves(f"slope_{panel.learner}_{panel.by}", title, x, Axis("Local slope"), (own,))


def _facts(panels: list[Panel]) -> tuple[tuple[str, str], ...]:
    delays = ", ".join(map(str, LOW_DELAYS))
    sizes = (f"{LETTERS[each.by]} from {each.growth.sizes[0]:,.0f} to {each.growth.sizes[-1]:,.0f}" for each in panels)
    rounds = (f"{LETTERS[each.by]}: {each.rounds:,}" for each in panels)
    return (
        ("dogd-sc", f"The losses of the paper in {DIM} entries; its low delays, {delays}, or every delay d."),
        (
            "dogd",
            f"Losses with random signs in {SIGNS_DIM} entries, told when a block of {BLOCK}, or d, rounds is over; the "
            "rate tunes itself.",
        ),
        ("Sizes", "; ".join(dict.fromkeys(sizes))),
        ("Rounds of a run", "; ".join(dict.fromkeys(rounds))),
    )
