"""The pictures on the pages about logs, as blocks of numbers: of a log, of a ranking, of the cost of delay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from belated.logs.summary import LogSummary
from belated.output.page.blocks import Axis, Curve, Curves, Intervals, Look, Row
from belated.replays.delay_result import DelayCost
from belated.replays.ranking_result import ModelRanking
from belated.replays.result import CONSTANT, Replay
from belated.replays.tables import decimals, number, span

MOST_POINTS = 70
"""Losses by time have at most so many points; more would be a thicket."""

FAR = 20.0
"""How many times the 5 % quantile of delay the largest may be before ages are on a logarithmic scale at first."""

FIRST_DATE, LAST_DATE = -62_135_596_800_000_000, 253_402_214_400_000_000
"""The years 1 and 9999 in microseconds; an axis that goes on beyond them has numbers."""

MANY_MOMENTS, TOGETHER = 150, 8
"""A curve of more points than the first is drawn as a band, of so many points each."""


def of_log(summary: LogSummary) -> tuple[Curves, ...]:
    """Questions in flight by time, the share answered by an age, and the mean label by age where labels have one."""
    found = [_in_flight(summary), _answered(summary)]
    uneven = summary.lopsidedness
    if uneven is not None:
        colour = "vermilion" if uneven.misleading else "blue"
        ages = uneven.ages.tolist()
        curves = (
            Curve("mean label", ages, uneven.means.tolist(), mark="dots", look=Look(colour)),
            Curve("mean of all labels", ages, [uneven.overall] * len(ages), look=Look("ink", "dotted")),
        )
        x = _ages(summary)
        found.append(Curves("labels", "Mean label by the age of the answer", x, Axis("Mean label"), curves))
    return tuple(found)


def of_ranking(ranking: ModelRanking) -> tuple[Intervals, Curves]:
    """How far each model is behind the first, and by how much it is better than the constant over time."""
    looks = {each.name: Look("ink", "dotted") for each in ranking.standings if each.name == CONSTANT}
    places = decimals([each.mean_loss for each in ranking.standings])
    rows = [
        Row(
            each.name,
            *each.behind,
            words=number(each.mean_loss, places),
            rank=f"{'=' if each.tied else ''}{each.rank}",
            look=looks.get(each.name),
        )
        for each in ranking.standings
    ]
    for mark in ranking.marks:
        ahead = (-mark.regret.mean, -mark.regret.upper, -mark.regret.lower)
        words = number(mark.mean_loss, places)
        rows.append(Row(f"{mark.name}, in hindsight", *ahead, words=words, filled=False, look=Look("grey")))
    caption = "How far each is behind the first; the numbers are the mean losses. Less is better."
    x = Axis(f"Mean {ranking.loss} behind the first, with 95 % interval")
    ranks = Intervals("ranking_figure", "Who is best", x, tuple(rows), caption, wide=True)

    begins, losses, weights = joined(ranking.replay)
    axis, xs = _moments(begins, ranking.unit, "When the question was asked")
    means = losses / weights
    base = means[ranking.replay.names.index(CONSTANT)]
    curves = [
        Curve(each.name, xs, (means[ranking.replay.names.index(each.entry)] - base).tolist(), look=looks.get(each.name))
        for each in ranking.standings
    ]
    y = Axis(f"Mean {ranking.loss} minus that of the constant")
    words = "The loss of all goes up and down with the log, so that of the constant is subtracted: below 0 is better."
    return ranks, Curves("losses", "Loss by time", axis, y, tuple(curves), words, wide=True)


def of_calibration(ranking: ModelRanking) -> Curves:
    """How often the label was 1 where a probability was predicted; a dot for each group of predictions."""
    curves, end = [], 0.0
    for each in ranking.standings:
        means, shares, _ = ranking.replay.quality[each.entry].calibration
        look = Look("ink") if each.name == CONSTANT else None
        curves.append(Curve(each.name, means.tolist(), shares.tolist(), mark="dots", look=look))
        end = max(end, float(means.max()), float(shares.max()))
    curves.append(Curve("as predicted", [0.0, end], [0.0, end], look=Look("grey", "dotted")))
    groups = max(len(ranking.replay.quality[each.entry].calibration[0]) for each in ranking.standings)
    caption = (
        f"Predictions are in groups of about equally many, at most {groups}, and each dot is a group. On the dotted "
        "line labels were 1 as often as predicted, below it less often."
    )
    x, y = Axis("Mean predicted probability"), Axis("Share of labels that were 1")
    title = "Can probabilities be taken at their word?"
    return Curves("calibration", title, x, y, tuple(curves), caption, from_zero=True, wide=True)


def of_cost(cost: DelayCost) -> Curves:
    """The loss by the factor that all delays are multiplied by; the points stand side by side, 0 among them."""
    now = cost.point(1.0)
    xs = [float(place) for place in range(len(cost.points))]
    names = []
    for each in cost.points:
        name = "at once" if each.factor == 0.0 else f"\N{MULTIPLICATION SIGN} {each.factor:g}"
        known = not math.isnan(cost.median_delay) and each.factor > 0.0
        names.append(f"{name}\n{span(each.factor * cost.median_delay, cost.unit)}" if known else name)
    means = [each.mean_loss for each in cost.points]
    ends = [(now.mean_loss + each.change.lower, now.mean_loss + each.change.upper) for each in cost.points]
    low, high = ([], []) if all(math.isnan(one) for one, _ in ends) else zip(*ends, strict=True)
    curves = (
        Curve(f"mean {cost.loss}", xs, means, low, high, mark="dots", look=Look("blue")),
        Curve("the log as it is", xs, [now.mean_loss] * len(xs), look=Look("ink", "dotted")),
    )
    caption = (
        f"{cost.model} model, {cost.scored:,} questions, the same for all factors; the bars are 95 % intervals of the "
        "change. Below each factor stands the median delay of an answer."
    )
    x = Axis("All delays, multiplied", "names", names=tuple(names))
    y = Axis(f"Mean {cost.loss}, less is better")
    return Curves("cost_of_delay_figure", "The loss by the delay of labels", x, y, curves, caption, wide=True)


def joined(result: Replay) -> tuple[Any, Any, Any]:
    """Begins, losses and weights of blocks, of which neighbours are joined until there are few enough to look at."""
    together = -(-len(result.starts) // MOST_POINTS) or 1
    places = np.arange(0, len(result.starts), together)
    losses = np.add.reduceat(result.losses, places, axis=1)
    return result.starts[places], losses, np.add.reduceat(result.weights, places)


def _in_flight(summary: LogSummary) -> Curves:
    times, numbers = summary.times, summary.in_flight.astype(float)
    look, low, high, caption = Look("blue"), [], [], ""
    if len(times) > MANY_MOMENTS:
        places = np.arange(0, len(times), TOGETHER)
        low, high = np.minimum.reduceat(numbers, places).tolist(), np.maximum.reduceat(numbers, places).tolist()
        numbers = np.add.reduceat(numbers, places) / np.diff([*places, len(times)])
        times = times[places]
        caption = f"Mean, least and most of {TOGETHER} moments each; in_flight.csv has every moment."
    axis, xs = _moments(times, summary.unit, "Time")
    curve = Curve("in flight", xs, numbers.tolist(), low, high, look=look)
    title = "Questions in flight, whose answers come later"
    return Curves("in_flight", title, axis, Axis("Questions"), (curve,), caption, wide=True, from_zero=True)


def _answered(summary: LogSummary) -> Curves:
    x = _ages(summary)
    ages = [0.0, *summary.ages.tolist()]
    shares = [0.0, *(100.0 * summary.share_answered).tolist()]
    curve = Curve("answered, %", ages, shares, mark="step", look=Look("blue"))
    longest = f"The longest: {span(ages[-1], summary.unit)}." if len(ages) > 1 else ""
    y = Axis("Share of questions, %")
    return Curves("answered", "Share of questions answered by an age", x, y, (curve,), longest, from_zero=True)


def _ages(summary: LogSummary) -> Axis:
    """The axis of ages, logarithmic at first where they are far apart."""
    kind = "span" if summary.unit == "seconds" else "number"
    low = summary.quantile(0.05) if summary.answered else 0.0
    positive = summary.ages[summary.ages > 0.0]
    far = len(positive) > 1 and (low <= 0.0 or float(positive[-1]) > FAR * low)
    return Axis("Age of the question" + ("" if kind == "span" else f" ({summary.unit})"), kind, log=far)


def _moments(times: Any, unit: str, title: str) -> tuple[Axis, list[float]]:
    """An axis of times and where they are on it: dates on the calendar, in milliseconds, and numbers otherwise."""
    if unit != "seconds":
        return Axis(f"{title} (ticks)"), times.tolist()
    if len(times) and not FIRST_DATE < int(times[0]) <= int(times[-1]) < LAST_DATE:
        return Axis(f"{title} (microseconds since 1970)"), times.tolist()
    return Axis(f"{title} (UTC)", "date"), (times / 1000.0).tolist()
