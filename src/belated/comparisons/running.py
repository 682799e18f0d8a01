"""Running a setting: every learner on every seed, on the same losses. Nothing else in this room calls ``simulate``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import xarray as xr

from belated.comparisons.comparison import Comparison
from belated.comparisons.ranking import ranked
from belated.comparisons.setting import Entry, Setting
from belated.core import checks
from belated.core.arrays import Integers
from belated.core.errors import InvalidArgument
from belated.delays import DelayLaw, Fixed
from belated.learners import Learner
from belated.sim import Result, simulate
from belated.sim.problems import Problem
from belated.sim.watching import announce

CURVE_ROUNDS = 50
"""In how many rounds, evenly spread, curves are known besides the first."""


def run(setting: Setting, *, progress: bool = False, workers: int | None = None) -> Comparison:
    """Run every learner of a setting on every seed, and rank them.

    Ctrl-C ends it early, with what is finished. If nothing is, the interrupt goes on to the caller.

    Args:
        setting: What is compared on what, as :func:`~belated.comparisons.shipped.read` returns it.
        progress: Whether to show bars on the standard error.
        workers: How many threads run side by side. The default is one for each core. No bit depends on it.

    Returns:
        Curves and ranking, marked as ``interrupted`` if seeds or learners are missing.

    Raises:
        InvalidArgument: The measure needs a best fixed decision, and the losses have none on an unbounded domain.
    """
    groups = _by_delays(setting.entries)
    finished: list[xr.Dataset] = []
    unheard: list[str] = []
    interrupted = False
    for law, labels in groups:
        if progress and len(groups) > 1:
            announce(f"{', '.join(labels)} under {law!r}")
        try:
            with _measured(setting):
                result = _simulated(setting, law, labels, progress, workers)
            finished.append(_curves(setting, result))
            if bool((result.in_flight.isel(round=-1) == setting.rounds).all()):
                unheard += result.cumulative_loss["learner"].to_numpy().tolist()
        except KeyboardInterrupt:
            if not finished:
                raise
            interrupted = True
            break
        if result.interrupted:
            interrupted = True
            break
    curves = xr.concat(finished, dim="learner", join="inner")
    present = [label for label in setting.entries if label in curves.learner]
    curves = curves.sel(learner=present)
    unheard = [label for label in present if label in unheard]
    return Comparison(setting, curves, ranked(curves), interrupted, tuple(unheard))


def check_fit(label: str, learner: Learner, problem: Problem, seed: int) -> None:
    """Play one round, so that a learner and a problem that do not fit are refused before a long run begins."""
    simulate({label: learner}, problem, Fixed(1), 1, [seed], regret_at=[], workers=1, progress=False)


def curve_rounds(rounds: int) -> Integers:
    """The rounds of the curves: the first, and up to fifty that are evenly spread, the last one included."""
    return np.unique(np.append(1, -(-rounds * np.arange(1, CURVE_ROUNDS + 1) // CURVE_ROUNDS)))


def _by_delays(entries: Mapping[str, Entry]) -> list[tuple[DelayLaw, list[str]]]:
    """Learners that meet the same delays run together."""
    groups: list[tuple[DelayLaw, list[str]]] = []
    for label, entry in entries.items():
        for law, labels in groups:
            if law == entry.delays:
                labels.append(label)
                break
        else:
            groups.append((entry.delays, [label]))
    return groups


def _simulated(setting: Setting, law: DelayLaw, labels: list[str], progress: bool, workers: int | None) -> Result:
    at = curve_rounds(setting.rounds)
    entries = {label: setting.entries[label] for label in labels}
    return simulate(
        {label: entry.learner for label, entry in entries.items()},
        setting.problem,
        law,
        setting.rounds,
        setting.seeds,
        initial={label: entry.initial for label, entry in entries.items() if entry.initial is not None},
        regret_at=at if setting.measure.against_best else [],
        record=at,
        workers=workers,
        progress=progress,
    )


@contextmanager
def _measured(setting: Setting) -> Iterator[None]:
    """Who compares has not asked for a best fixed decision but for a measure; so an error about it names that."""
    try:
        yield
    except InvalidArgument as problem:
        if problem.argument != "domain":
            raise
        reason = f"needs a best fixed decision, and the losses fall without end on {setting.domain!r}"
        checks.refuse("compare", "measure", setting.measure.name, f'{reason}; "loss" needs none')


def _curves(setting: Setting, result: Result) -> xr.Dataset:
    score = setting.measure.of(result, setting.problem)
    curves = xr.Dataset({"score": score, "cumulative_loss": result.cumulative_loss})
    return curves.drop_vars(set(curves.coords) - {"learner", "seed", "round"})
