"""The pictures of delays: how long feedback takes, how much arrives in a round, and how much is missing after it."""

from __future__ import annotations

import numpy as np

from belated.core.arrays import Integers
from belated.output.page.blocks import Axis, Curve, Curves, Look

MOST_BARS = 40
"""Of more delays than that no bars are drawn, but the share of feedback that takes longer."""

FAR = 20.0
"""How many times the median the longest delay may be before the axis is logarithmic at first."""

MOST_ROUNDS, STRETCHES, SHORTEST = 60, 100, 10
"""More rounds than the first are drawn as at most so many stretches, each at least so long, since a line from round to
round would be a thicket."""

ARRIVALS, IN_FLIGHT = Look("green"), Look("blue", "dashed")


def law(name: str, title: str, delays: Integers) -> Curves:
    """How delays are spread: a bar for each delay that occurs or, if these are many, the share that takes longer.

    Args:
        name: The name of the picture's file of numbers.
        title: The title of the picture.
        delays: The delays of a run, in order of play, at least one. Those that are longer than the run, or never end,
            are told by their share alone.

    Returns:
        The picture.
    """
    rounds = len(delays)
    values, numbers = np.unique(delays[delays <= rounds], return_counts=True)
    missing = 1.0 - numbers.sum() / rounds
    caption = f"Longer than the run, or never: {100.0 * missing:.3g} %." if missing > 0.0 else ""
    if len(values) <= MOST_BARS:
        shares = (100.0 * numbers / rounds).tolist()
        bars = Curve("share of rounds, %", values.tolist(), shares, mark="stems", look=Look("blue"))
        return Curves(name, title, Axis("Delay in rounds"), Axis("Share of rounds, %"), (bars,), caption)
    left = (100.0 * (1.0 - np.cumsum(numbers) / rounds)).tolist()
    longer = Curve("takes longer, %", values.tolist(), left, mark="step", look=Look("blue"))
    far = bool(values[-1] > FAR * np.median(delays))
    x, y = Axis("Delay in rounds", log=far), Axis("Share of feedback that takes longer, %")
    return Curves(name, title, x, y, (longer,), caption, from_zero=True)


def traffic(name: str, title: str, delays: Integers) -> Curves:
    """What arrives in each round, and what is still missing after it.

    Args:
        name: The name of the picture's file of numbers.
        title: The title of the picture.
        delays: The delays of a run, in order of play, at least one.

    Returns:
        The picture. For more than 60 rounds it has at most 100 stretches: of arrivals the most in one round, since a
        mean would hide that feedback comes in bursts, and of what is in flight the mean, with the least and the most
        as a band. The caption says so.
    """
    arrived, missing = counts(delays)
    rounds = len(delays)
    if rounds <= MOST_ROUNDS:
        xs = list(range(1, rounds + 1))
        curves = (
            Curve("arrivals", xs, arrived.tolist(), mark="step", look=ARRIVALS),
            Curve("in flight", xs, missing.tolist(), look=IN_FLIGHT),
        )
        return Curves(name, title, Axis("Round"), Axis("Feedbacks"), curves, from_zero=True)
    edges = np.linspace(0, rounds, min(STRETCHES, rounds // SHORTEST) + 1).astype(np.int64)
    caption = (
        f"Of each {_length(edges)} rounds: arrivals are the most that came in one round; in flight is the mean, and "
        "its band is from the least to the most."
    )
    curves = (_most(arrived, edges), _means(missing, edges))
    return Curves(name, title, Axis("Round"), Axis("Feedbacks"), curves, caption, from_zero=True)


def counts(delays: Integers) -> tuple[Integers, Integers]:
    """Arrivals and feedbacks in flight of each round.

    >>> arrived, missing = counts(np.array([3, 1, 1, 7]))
    >>> arrived.tolist(), missing.tolist()
    ([0, 1, 2, 0], [1, 1, 0, 1])
    """
    rounds = len(delays)
    last = np.minimum(delays - 1, rounds) + np.arange(rounds)  # the sum with the longest delays would be too large
    arrived = np.bincount(last[last < rounds], minlength=rounds)
    return arrived, np.arange(1, rounds + 1) - arrived.cumsum()


def _most(arrived: Integers, edges: Integers) -> Curve:
    """The most that arrives in a round of each stretch, as a step from its first round on."""
    most = np.maximum.reduceat(arrived, edges[:-1])
    return Curve("arrivals", (edges[:-1] + 1).tolist(), most.tolist(), mark="step", look=ARRIVALS)


def _means(missing: Integers, edges: Integers) -> Curve:
    """The mean of each stretch of rounds, at its last round, with the least and the most in it."""
    begins = edges[:-1]
    means = np.add.reduceat(missing, begins) / np.diff(edges)
    low, high = np.minimum.reduceat(missing, begins), np.maximum.reduceat(missing, begins)
    return Curve("in flight", edges[1:].tolist(), means.tolist(), low.tolist(), high.tolist(), look=IN_FLIGHT)


def _length(edges: Integers) -> str:
    """How long stretches are, in words: of lengths that differ by one both."""
    shortest, longest = np.diff(edges).min(), np.diff(edges).max()
    return f"{shortest}" if shortest == longest else f"{shortest} or {longest}"
