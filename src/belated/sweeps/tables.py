"""The tables of a sweep: the best setting of every learner or model, and all responses."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from belated.comparisons.tables import decimals
from belated.sweeps.collecting import in_words, is_number
from belated.sweeps.responses import Response, compared

if TYPE_CHECKING:
    from belated.sweeps.outcome import Sweep


def cells(sweep: Sweep) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The header and the rows of the best settings, for people; with the column ``with`` if settings are varied."""
    circumstances = [name for name, owner in sweep.plan.owners.items() if owner is None]
    varied = len(circumstances) < len(sweep.plan.owners)
    header = (
        *circumstances,
        sweep.plan.kind.one,
        *["with"] * varied,
        *sweep.plan.kind.marks,
        sweep.plan.measure.lower(),
        "95 % interval",
    )
    digits = decimals([each.mean for each in sweep.best])
    rows = []
    for each in sweep.best:
        own = ", ".join(f"{name} = {_shown(value)}" for name, value in each.own.items()) or "-"
        values = map(_shown, each.circumstances.values())
        marks = [f"{getattr(each, mark):.{digits}f}" for mark in sweep.plan.kind.marks]
        rows.append((*values, each.label, *[own] * varied, *marks, *_score(each, digits)))
    return header, rows


def legend(sweep: Sweep) -> list[str]:
    """How to read the best settings, and what else has to be known."""
    kind = sweep.plan.kind
    alone = _alone(sweep)
    if alone and not sweep.best:
        return [*alone, *sweep.notes]
    left = [label for label in sweep.plan.labels if label not in {each.label for each in sweep.best}]
    without = [f"No setting of {', '.join(left)} {kind.whole}."] if left else []
    chosen = [kind.chosen] * any(sweep.plan.owners.values())
    return [kind.less, *chosen, *_at_an_end(sweep), *alone, *without, *sweep.notes]


def _alone(sweep: Sweep) -> list[str]:
    """A sentence on points of a random search that are compared with no other."""
    if not sweep.plan.random or len(compared(sweep.responses)) == len(sweep.responses):
        return []
    varied = ", ".join(name for name, owner in sweep.plan.owners.items() if owner is None)
    where = f"Left out are values of {varied} that a single point has, since nothing is compared there"
    return [f"{where}: look at the pictures, or give {varied} as a list of a few values."]


def _at_an_end(sweep: Sweep) -> list[str]:
    """A sentence on settings whose best value is at an end of a list."""
    plan = sweep.plan
    chosen = [(each.label, plan.values(each.point)) for each in sweep.best] if not plan.random else []
    found = dict.fromkeys(
        name
        for label, values in chosen
        for name, value in values.items()
        if plan.owners[name] == label and _is_end(value, plan.axes[name])
    )
    several = "s" if len(found) > 1 else ""
    return [f"Try values beyond the list{several} of {', '.join(found)}: the best is at an end."] * bool(found)


def _is_end(value: Any, values: list[Any]) -> bool:
    """Whether it is the least or the largest of some numbers, of which some are between these two."""
    return len(values) > 2 and all(map(is_number, values)) and value in (min(values), max(values))


def as_text(sweep: Sweep) -> str:
    """The best settings in columns of letters, with lines below that say how to read them."""
    header, body = cells(sweep)
    lines = [header, *body]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    lines.insert(1, tuple("-" * width for width in widths))
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*padded, "", *legend(sweep)])


def as_markdown(sweep: Sweep) -> str:
    """The best settings as a table in Markdown."""
    header, body = cells(sweep)
    lines = [header, ("---",) * len(header), *body]
    escaped = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return "\n".join([*escaped, "", " ".join(legend(sweep))])


def as_csv(sweep: Sweep) -> str:
    """All responses with the digits that floating point has; what there is not is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    numbers = ("score_mean", "score_low", "score_high", "done", "failed", "missing")
    writer.writerow([sweep.plan.kind.one, *sweep.plan.axes, *numbers])
    for each in sweep.responses:
        score: list[Any] = [None] * 3 if each.score is None else list(each.score)
        values = map(_plain, sweep.plan.values(each.point).values())
        row = [each.label, *values, *score, each.done, each.failed, each.missing]
        writer.writerow(["" if cell is None or cell != cell else cell for cell in row])
    return text.getvalue()


def failures_csv(sweep: Sweep) -> str:
    """Every failure in a line; the folder of the sweep has the tracebacks under the keys."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["key", sweep.plan.kind.one, *["seed"] * sweep.plan.seeded, "error", "message"])
    for each in sweep.failures:
        writer.writerow([each.key, each.name, *[each.seed] * sweep.plan.seeded, each.error, each.message])
    return text.getvalue()


def _plain(value: Any) -> Any:
    return value if is_number(value) else in_words(value)


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else in_words(value)


def _score(response: Response, digits: int) -> tuple[str, str]:
    score = response.score
    if score is None:
        return "-", "-"
    ends = "-" if score.low != score.low else f"{score.low:.{digits}f} to {score.high:.{digits}f}"
    return f"{score.mean:.{digits}f}", ends
