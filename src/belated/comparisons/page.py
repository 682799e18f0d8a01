"""The page of a comparison: the ranking, the curves of every learner, and the delays that they meet."""

from __future__ import annotations

import numpy as np

from belated.comparisons.comparison import Comparison
from belated.comparisons.promises import delays_of, promises
from belated.comparisons.ranking import interval
from belated.comparisons.setting import Setting, WrittenSetting
from belated.comparisons.tables import COLUMNS, as_rows, cells, legend
from belated.comparisons.wording import described
from belated.delays import DelayLaw
from belated.output.page.blocks import (
    Axis,
    Block,
    Code,
    Curve,
    Curves,
    Facts,
    Group,
    Intervals,
    Row,
    Section,
    Table,
    Text,
)
from belated.output.page.delays import law, traffic
from belated.output.page.page import banded, page

MOST_DRAWN = 200_000
"""Of a longer run, the delays of so many rounds are shown."""

MOST_LAWS = 4
"""So many laws of delay are shown; most comparisons have one."""

FAR = 10.0
"""How many times the least score the largest may be before the scale is logarithmic at first."""

USE = (
    "Point at a name to see one learner among the others, click it to hide it everywhere; point at a curve to read "
    "numbers, drag to look closer, and take the numbers along as CSV."
)

TOLD = (
    "An argument that a setting does not give is the one that theory recommends. It is computed from the constants of "
    "the problem, the number of rounds, and the delays of the first seed."
)


def report_page(comparison: Comparison, files: tuple[str, ...]) -> bytes:
    """The comparison as one page.

    Args:
        comparison: What was found.
        files: The names of the files beside the page.

    Returns:
        The file.
    """
    setting = comparison.setting
    first = comparison.ranking[0]
    tied = [each.learner for each in comparison.ranking if each.tied]
    unsure = f", and cannot be told from {' and '.join(tied)}" if tied else ""
    if comparison.seeds < 2:
        unsure = "; one seed says nothing of chance"
    score = cells(comparison)[1][0][2]
    sections = (
        Section("Ranking", _ranking(comparison)),
        Section(f"{setting.measure.title} by round", (Text(USE, "note"), *_curves(comparison))),
        *_bounds(comparison),
        Section("Delays", _delays(setting)),
        Section("What was run", _run(comparison)),
    )
    return page(
        setting.title,
        sections,
        kicker="Learners beside each other",
        lead=f"{first.learner} is first with a {setting.measure.title.lower()} of {score}{unsure}.",
        warnings=(*comparison.notes, *["Interrupted: seeds or learners are missing."] * comparison.interrupted),
        command="belated compare setting.toml" if isinstance(setting, WrittenSetting) else None,
        files=files,
    )


def _ranking(comparison: Comparison) -> tuple[Block, ...]:
    header, body = cells(comparison)
    seeds = f", with its 95 % interval over {comparison.seeds} seeds" if comparison.seeds > 1 else ""
    x = Axis(f"{comparison.setting.measure.title} after round {comparison.setting.rounds:,}", log=_far(comparison))
    rows = tuple(
        Row(each.learner, *each.score, words=line[2], rank=line[0])
        for each, line in zip(comparison.ranking, body, strict=True)
    )
    caption = f"Mean {comparison.setting.measure.title.lower()}{seeds}; less is better."
    full = tuple(
        tuple(int(cell) if isinstance(cell, bool) else cell for cell in row.values()) for row in as_rows(comparison)
    )
    table = Table("ranking", header, (Group("", tuple(body)),), 2, COLUMNS, full)
    picture = Intervals("ranking_figure", "Who is best", x, rows, caption, wide=True)
    return picture, table, Text(" ".join(legend(comparison)), "note")


def _curves(comparison: Comparison) -> tuple[Curves, ...]:
    """The measure by round, and the cumulative loss beside it where that is something else."""
    measure, curves = comparison.setting.measure, comparison.curves
    rounds = curves["round"].to_numpy().tolist()
    shown = {"score": measure.title, "cumulative_loss": "Cumulative loss"}
    if measure.name == "loss":
        del shown["cumulative_loss"]
    found = []
    for variable, title in shown.items():
        series = []
        for each in comparison.ranking:
            table = curves[variable].sel(learner=each.learner).to_numpy()
            mean, low, high = np.array([interval(column) for column in table.T]).T.tolist()
            several = comparison.seeds > 1
            series.append(Curve(each.learner, rounds, mean, low if several else (), high if several else ()))
        y = Axis(title, log=_far(comparison))
        bands = banded(series, "the 95 % interval of this mean")
        words = f"Mean over the seeds. {bands}" if comparison.seeds > 1 else "One seed."
        found.append(Curves(variable, title, Axis("Round"), y, tuple(series), words, wide=True))
    return tuple(found)


def _bounds(comparison: Comparison) -> tuple[Section, ...]:
    """Regret beside its bound, for the learners that have one; no section if there is none."""
    found = promises(comparison)
    if not found:
        return ()
    words = (
        "What the sharpest statement that is proved allows as regret, for the delays of seed "
        f"{comparison.curves['seed'].to_numpy()[0]}, beside the regret in that seed. A bound holds for all losses with "
        "the same constants, so that it says little of who is better on these. Learners that are not here have no "
        "bound whose constants are known and hold for this problem; ",
        Code("bl.bounds.of"),
        " says why.",
    )
    rows = tuple(
        (each.learner, each.statement, each.certainty, f"{each.regret:,.2f}", f"{each.bound:,.2f}") for each in found
    )
    header = ("learner", "statement", "certainty", "regret", "bound")
    table = Table("bounds", header, (Group("", rows),), 3, header, tuple(tuple(each) for each in found))
    return (Section("Bounds", (Text(words), table)),)


def _delays(setting: Setting) -> tuple[Block, ...]:
    """For each law of delay, how delays are spread, and what arrives and is in flight in the first seed."""
    laws: dict[DelayLaw, list[str]] = {}
    for label, entry in setting.entries.items():
        laws.setdefault(entry.delays, []).append(label)
    shown = min(setting.rounds, MOST_DRAWN)
    some = f", rounds 1 to {shown:,}" if shown < setting.rounds else ""
    blocks: list[Block] = [Text(f"As drawn for seed {setting.seeds[0]}{some}.")]
    for place, (each, labels) in enumerate(list(laws.items())[:MOST_LAWS]):
        words = described(each)
        if len(laws) > 1:
            blocks.append(Text(f"{words[:1].upper()}{words[1:]}: met by {', '.join(labels)}."))
        drawn = delays_of(each, setting.seeds[0], shown)
        number = f"_{place + 1}" if place else ""
        blocks.append(law(f"delays{number}", f"Delays {words}", drawn))
        blocks += traffic(f"traffic{number}", drawn)
    if len(laws) > MOST_LAWS:
        blocks.append(Text(f"There are {len(laws) - MOST_LAWS} more laws of delay.", "note"))
    return tuple(blocks)


def _run(comparison: Comparison) -> tuple[Block, ...]:
    """The objects of the comparison and, of a setting in words, what was known and told."""
    setting = comparison.setting
    facts = [
        ("Setting", comparison.summary),
        ("Problem", repr(setting.problem)),
        ("Domain", repr(setting.domain)),
        ("Delays", repr(setting.delays)),
        ("Seeds", ", ".join(map(str, comparison.curves["seed"].to_numpy().tolist()))),
    ]
    if not isinstance(setting, WrittenSetting):
        return (Facts(tuple(facts)),)
    if setting.about:
        facts.insert(0, ("About", setting.about))
    known = ", ".join(f"{name.replace('_', ' ')} {value:.6g}" for name, value in setting.facts._asdict().items())
    facts.append(("What the learners may be told", f"{TOLD} Here: {known}."))
    told = [
        (".".join(map(str, key[1:])), ", ".join(f"{name} = {value!r}" for name, value in arguments.items()))
        for key, arguments in setting.told.items()
        if arguments
    ]
    more = (Table("told", ("learner", "was told besides"), (Group("", tuple(told)),), 2),) if told else ()
    return Facts(tuple(facts)), *more


def _far(comparison: Comparison) -> bool:
    scores = [each.score.mean for each in comparison.ranking]
    return min(scores) > 0.0 and max(scores) > FAR * min(scores)
