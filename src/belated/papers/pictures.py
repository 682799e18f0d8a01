"""The pictures on the page of a reproduction, as blocks of numbers: losses, regrets with bounds, delays, step sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import xarray as xr

from belated.output.page.blocks import Axis, Curve, Curves, Look
from belated.output.page.delays import counts, law, traffic
from belated.papers.allowed import THEOREMS, lowest, stated
from belated.papers.wan2021 import CONSTANTS, LABELS, SETTINGS, Reproduction, Setup

LOOKS = {
    "ogd-sc": Look("ink", "dotted"),
    "dogd": Look("vermilion", "dashed"),
    "dogd-sc": Look("blue"),
    "dbgd": Look("ochre", "dashed"),
    "bdogd-sc": Look("sky"),
    "bdogd-sc-two-point": Look("green", "mixed"),
}
"""How each learner looks, in all pictures of the page."""

ROUND = Axis("Round")

LOWEST = "lower bound, worst losses"


def losses(reproduction: Reproduction, name: str, learners: Sequence[str]) -> tuple[Curves, ...]:
    """The cumulative losses of some learners: their mean over the seeds, and one standard deviation either way.

    Args:
        reproduction: What was run.
        name: The beginning of the names of the files of numbers.
        learners: Whose losses.

    Returns:
        A picture for each setting.
    """
    runs = reproduction.runs.cumulative_loss
    y = Axis("Cumulative loss")
    return tuple(
        Curves(
            f"{name}_{setting}",
            _titled(setting),
            ROUND,
            y,
            tuple(_mean(runs.sel(setting=setting, learner=each), each) for each in learners),
        )
        for setting in SETTINGS
    )


def regrets(reproduction: Reproduction, name: str, learners: Sequence[str]) -> tuple[Curves, ...]:
    """Regret beside what theory allows, a picture for each setting; both axes are logarithmic at first.

    Args:
        reproduction: What was run.
        name: The beginning of the names of the files of numbers.
        learners: Whose regrets and bounds; OGD-SC has none, since it meets no delay.

    Returns:
        A picture for each setting.
    """
    runs = reproduction.runs.regret_by_round
    found = []
    for each in reproduction.setups:
        curves = [_mean(runs.sel(setting=each.name, learner=learner), learner, "prefix") for learner in learners]
        curves += _allowed(each, runs.prefix.to_numpy().tolist(), learners)
        x, y = ROUND._replace(log=True), Axis("Regret", log=True)
        found.append(Curves(f"{name}_{each.name}", _titled(each.name), x, y, tuple(curves)))
    return tuple(found)


def delays(reproduction: Reproduction) -> tuple[Curves, ...]:
    """For each setting, how delays are spread; then for each what arrives and is in flight; then the step sizes."""
    setups = reproduction.setups
    traffics = [traffic(f"traffic_{each.name}", each.delays, f", {each.name} delays") for each in setups]
    return (
        *(law(f"delays_{each.name}", f"How long feedback takes, {each.name} delays", each.delays) for each in setups),
        *(each for both in zip_longest(*traffics) for each in both if each is not None),
        *(_step_sizes(each) for each in setups),
    )


def _step_sizes(each: Setup) -> Curves:
    """The step sizes of the learners with gradients by round; DOGD-SC makes no step before something arrives."""
    beta, rounds = CONSTANTS.strong_convexity, np.arange(1, len(each.delays) + 1)
    received = counts(each.delays)[0].cumsum()
    sizes = {
        "ogd-sc": 1.0 / (beta * rounds),
        "dogd": np.full(len(rounds), each.rate),
        "dogd-sc": np.where(received > 0, 2.0 / (beta * np.maximum(received, 1)), np.nan),
    }
    curves = [Curve(LABELS[name], rounds.tolist(), size.tolist(), look=LOOKS[name]) for name, size in sizes.items()]
    x, y = ROUND._replace(log=True), Axis("Step size", log=True)
    return Curves(f"step_sizes_{each.name}", f"Step sizes, {each.name} delays", x, y, tuple(curves))


def _mean(values: xr.DataArray, learner: str, over: str = "round") -> Curve:
    """The mean over the seeds, and one standard deviation either way if there are several."""
    mean = values.mean("seed").to_numpy()
    low: list[float] = []
    high: list[float] = []
    if values.sizes["seed"] > 1:
        sd = values.std("seed", ddof=1).to_numpy()
        low, high = (mean - sd).tolist(), (mean + sd).tolist()
    return Curve(LABELS[learner], values[over].to_numpy().tolist(), mean.tolist(), low, high, look=LOOKS[learner])


def _allowed(each: Setup, prefixes: Sequence[int], learners: Sequence[str]) -> list[Curve]:
    """What theory allows as regret after some rounds, in the colours of the learners, and the least possible."""
    found = []
    for name in learners:
        if name not in each.learners():
            continue
        colour = LOOKS[name].colour
        bounds = {f"sharpest bound, {LABELS[name]}": (stated(each, name), "dotted")}
        if name in THEOREMS:
            number = THEOREMS[name]
            bounds[f"Theorem {number}, {LABELS[name]}"] = stated(each, name, f"theorem_{number}"), "dashed"
        for label, (bound, dash) in bounds.items():
            curve = bound.curve(each.delays, prefixes).tolist()
            found.append(Curve(label, prefixes, curve, look=Look(colour, dash)))
    least = lowest().curve(each.delays, prefixes).tolist()
    return [*found, Curve(LOWEST, prefixes, least, look=Look("grey", "mixed"))]


def _titled(setting: str) -> str:
    return f"{setting.capitalize()} delays: {', '.join(map(str, SETTINGS[setting]))}, repeated"
