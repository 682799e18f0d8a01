"""The page of a sweep: the best settings, and a picture for each path that is varied.

The pictures are those of :mod:`~belated.sweeps.figure`: response curves of a grid, and every point of a random search.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from belated.comparisons.ranking import Interval
from belated.comparisons.wording import counted
from belated.output.page.blocks import Axis, Block, Curve, Curves, Facts, Group, Section, Table, Text
from belated.output.page.page import banded, page
from belated.sweeps.collecting import in_words, labels_of
from belated.sweeps.outcome import Sweep
from belated.sweeps.responses import NOTHING, Response, curve_of
from belated.sweeps.tables import cells, legend

FAR = 10.0
"""How many times the least value the largest may be before an axis is logarithmic at first."""


def report_page(sweep: Sweep, files: tuple[str, ...]) -> bytes:
    """The sweep as one page.

    Args:
        sweep: What was found.
        files: The names of the files beside the page.

    Returns:
        The file.
    """
    summary = _summary(sweep)
    header, body = cells(sweep)
    full = tuple((*row[:-2], *_ends(each)) for row, each in zip(body, sweep.best, strict=True))
    named = (*header[:-2], "score_mean", "score_low", "score_high")
    words = len(header) - 2 - len(sweep.plan.kind.marks)  # behind them are numbers
    table = Table("best", tuple(header), (Group("", tuple(body)),), words, named, full)
    pictures = tuple(_picture(sweep, number, name) for number, name in enumerate(sweep.plan.axes, start=1))
    kind = sweep.plan.kind
    facts = (
        ("Runs", summary),
        *_written(sweep.plan.setting),
        ("Varied", "; ".join(f"{name}: {', '.join(map(str, _known(sweep, name)))}" for name in sweep.plan.axes)),
        *[("Seeds", ", ".join(map(str, sweep.plan.seeds)))] * sweep.plan.seeded,
    )
    blocks: tuple[Block, ...] = (table, Text(" ".join(legend(sweep)), "note"))
    return page(
        sweep.plan.title,
        (
            Section(f"The best setting of every {kind.one}", blocks),
            Section("Responses", (Text(_how(sweep)), *pictures)),
            Section("What was run", (Facts(facts),)),
        ),
        kicker=kind.kicker,
        lead=f"{summary[:1].upper()}{summary[1:]}.",
        warnings=sweep.notes,
        command="belated sweep sweep.toml --out .",
        files=files,
    )


def _written(setting: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was written besides what is varied, a line for each key."""
    others = ("title", "about", "seeds", "grid", "random")
    return [(key.capitalize(), _spoken(value)) for key, value in setting.items() if key not in others]


def _spoken(value: Any) -> str:
    """A value for people: of a table its names and values, those of tables within it in brackets."""
    if not isinstance(value, Mapping):
        return in_words(value)
    parts = [f"{name} ({_spoken(each)})" if each else name for name, each in value.items() if isinstance(each, Mapping)]
    return ", ".join(
        [f"{name} = {_spoken(each)}" for name, each in value.items() if not isinstance(each, Mapping)] + parts
    )


def _how(sweep: Sweep) -> str:
    """What is drawn of a random search, or of a grid."""
    kind = sweep.plan.kind
    if sweep.plan.random:
        return f"Every point: {kind.mean}."
    reached = f"For each value, what a {kind.one} reaches with its best other settings"
    return f"{reached}: {kind.mean}, averaged over other circumstances."


def _summary(sweep: Sweep) -> str:
    """How many runs are complete, whoever did them and when: the same runs give the same page."""
    plan = sweep.plan
    failed = f", {len(sweep.failures)} failed" if sweep.failures else ""
    missing = f", {sweep.missing} missing" if sweep.missing else ""
    complete = f"{sweep.found + sweep.done} of {counted(plan.runs, 'run')} complete"
    return f"{plan.extent}: {complete}{failed}{missing}"


def _picture(sweep: Sweep, number: int, name: str) -> Curves | Text:
    """The score of every learner or model by one path; values that are no numbers stand side by side."""
    plan, labels, known = sweep.plan, labels_of(sweep.plan.axes[name]), _known(sweep, name)
    numeric = not isinstance(known[0], str)
    places = [float(label) if numeric else float(known.index(label)) for label in labels]
    curves = []
    for label in plan.labels:
        if plan.owners[name] in (None, label):
            points = sorted((places[place], score) for place, score in _scores(sweep, label, name).items())
            curves.append(_curve(label, points, "dots" if plan.random else "line"))
    if not any(len(curve.x) for curve in curves):
        return Text(f"{plan.measure} by {name}: {NOTHING}.")
    means = [each.mean for each in sweep.responses if each.whole]
    x = Axis(name, log=_far(known)) if numeric else Axis(name, "names", names=tuple(map(str, known)))
    y = Axis(plan.measure, log=_far(means))
    words = banded(curves, plan.kind.band)
    return Curves(f"responses_{number}", f"{plan.measure} by {name}", x, y, tuple(curves), words)


def _ends(response: Response) -> tuple[float | None, ...]:
    return (None, None, None) if response.score is None else tuple(response.score)


def _known(sweep: Sweep, name: str) -> list[Any]:
    return list(dict.fromkeys(labels_of(sweep.plan.axes[name])))


def _scores(sweep: Sweep, label: str, name: str) -> dict[int, Interval]:
    """Scores by their place in the list of values: of a random search every point, of a grid the response curve."""
    if not sweep.plan.random:
        return curve_of(sweep.plan, sweep.data, sweep.responses, label, name)
    mine = [each for each in sweep.responses if each.label == label and each.whole]
    return {each.point: each.score for each in mine if each.score is not None}


def _curve(label: str, points: list[tuple[float, Interval]], mark: str) -> Curve:
    scores = [score for _, score in points]
    known = bool(scores) and not any(math.isnan(each.low) for each in scores)
    low, high = ([each.low for each in scores], [each.high for each in scores]) if known else ([], [])
    return Curve(label, [x for x, _ in points], [each.mean for each in scores], low, high, mark=mark)


def _far(values: list[Any]) -> bool:
    numbers = [each for each in values if not isinstance(each, str)]
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > FAR
