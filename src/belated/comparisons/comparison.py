"""Running a setting: every learner on every seed, on the same losses, and the ranking of what comes out."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import xarray as xr
from tqdm import tqdm

from belated.comparisons.ranking import Standing, ranked
from belated.comparisons.setting import Entry, Setting
from belated.core.arrays import Integers
from belated.delays import DelayLaw
from belated.sim import Result, simulate

CURVE_ROUNDS = 50
"""In how many rounds, evenly spread, curves are known."""


@dataclass(frozen=True)
class Comparison:
    """What came out.

    ``curves`` has the dimensions learner, seed and round, and the variables ``score``, which is the setting's measure,
    and ``cumulative_loss``. ``interrupted`` says that somebody pressed Ctrl-C, so that seeds or learners are missing.
    """

    setting: Setting
    curves: xr.Dataset
    ranking: tuple[Standing, ...]
    interrupted: bool

    @property
    def seeds(self) -> int:
        """How many every learner was run on."""
        return self.curves.sizes["seed"]


def run(setting: Setting, *, progress: bool = False, workers: int | None = None) -> Comparison:
    """Run the setting; ``progress`` shows bars on the standard error.

    Ctrl-C ends it early, with what is finished. If nothing is, the interrupt goes on to the caller.
    """
    groups = _by_delays(setting.entries)
    finished: list[xr.Dataset] = []
    interrupted = False
    for law, labels in groups:
        if progress and len(groups) > 1:
            tqdm.write(f"{', '.join(labels)} under {law!r}", file=sys.stderr)
        try:
            result = _simulated(setting, law, labels, progress, workers)
            finished.append(_curves(setting, result))
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
    return Comparison(setting, curves, ranked(curves), interrupted)


def curve_rounds(rounds: int) -> Integers:
    """The rounds of the curves, the last one included."""
    return np.unique(-(-rounds * np.arange(1, CURVE_ROUNDS + 1) // CURVE_ROUNDS))


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
        prefixes=at if setting.measure.against_best else [],
        record=at,
        workers=workers,
        progress=progress,
    )


def _curves(setting: Setting, result: Result) -> xr.Dataset:
    score = setting.measure.of(result, setting.problem)
    curves = xr.Dataset({"score": score, "cumulative_loss": result.cumulative_loss})
    return curves.drop_vars(set(curves.coords) - {"learner", "seed", "round"})
