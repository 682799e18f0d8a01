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

SEEN = 10
"""How many long delays, one after the other, are as many rounds as are drawn in detail: enough to see a rhythm."""

BAND = "the mean, and its band is from the least to the most."

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


def traffic(name: str, delays: Integers, of: str = "") -> tuple[Curves, ...]:
    """What arrives in each round, and what is still missing after it.

    Arrivals are drawn for as many rounds only as ten long delays take, longer than nine in ten of those that end:
    over a longer run a rhythm, such as that of bursts, would be too dense to be seen.

    Args:
        name: The name of the picture's file of numbers.
        delays: The delays of a run, in order of play, at least one.
        of: What is added to the titles, such as ``", low delays"``.

    Returns:
        Arrivals and what is in flight in the first rounds and, if there are more, what is in flight in the whole run.
        More than 60 rounds are drawn as at most 100 stretches: of arrivals the most in one round, since a mean would
        hide bursts, and of what is in flight the mean, with the least and the most as a band. Captions say so.
    """
    arrived, missing = counts(delays)
    rounds, long = len(delays), _long(delays)
    shown = min(rounds, max(MOST_ROUNDS, SEEN * long))
    edges = _edges(shown, SHORTEST)
    some = [f"Rounds 1 to {shown:,} of {rounds:,}."] * (shown < rounds)
    words = f"Of each {_length(edges)} rounds: arrivals are the most that came in one round; in flight is {BAND}"
    first = Curves(
        name,
        f"Arrivals and in flight{of}",
        Axis("Round"),
        Axis("Feedbacks"),
        (_most(arrived[:shown], edges), _means(missing[:shown], edges)),
        " ".join([*some, *[words] * (shown > MOST_ROUNDS)]),
        from_zero=True,
    )
    if shown == rounds:
        return (first,)
    edges = _edges(rounds, max(SHORTEST, long))
    caption = f"Of each {_length(edges)} rounds {BAND}"
    whole = (_means(missing, edges),)
    title = f"In flight, whole run{of}"
    return first, Curves(f"{name}_whole", title, Axis("Round"), Axis("Feedbacks"), whole, caption, from_zero=True)


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


def _long(delays: Integers) -> int:
    """The delay that nine in ten of those that end within the run do not exceed; the whole run if none does."""
    ending = delays[delays <= len(delays)]
    return int(np.quantile(ending, 0.9, method="higher")) if len(ending) else len(delays)


def _edges(rounds: int, shortest: int) -> Integers:
    """Where stretches begin and end; each is one round if these are few."""
    stretches = rounds if rounds <= MOST_ROUNDS else max(1, min(STRETCHES, rounds // shortest))
    return np.linspace(0, rounds, stretches + 1).astype(np.int64)


def _most(arrived: Integers, edges: Integers) -> Curve:
    """The most that arrives in a round of each stretch, as a step from its first round on."""
    most = np.maximum.reduceat(arrived, edges[:-1])
    return Curve("arrivals", (edges[:-1] + 1).tolist(), most.tolist(), mark="step", look=ARRIVALS)


def _means(missing: Integers, edges: Integers) -> Curve:
    """The mean of each stretch, at its last round, with the least and the most in it; a single round has no band."""
    begins = edges[:-1]
    means = (np.add.reduceat(missing, begins) / np.diff(edges)).tolist()
    several = len(begins) < len(missing)
    low, high = (each.reduceat(missing, begins).tolist() if several else [] for each in (np.minimum, np.maximum))
    return Curve("in flight", edges[1:].tolist(), means, low, high, look=IN_FLIGHT)


def _length(edges: Integers) -> str:
    """How long stretches are, in words: of lengths that differ by one both."""
    shortest, longest = np.diff(edges).min(), np.diff(edges).max()
    return f"{shortest}" if shortest == longest else f"{shortest} or {longest}"
