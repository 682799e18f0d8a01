"""What a simulation returns: labelled arrays.

Everything has the dimensions it depends on, by name: ``result.regret.sel(learner="dogd-sc").mean("seed")``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from belated.core.arrays import Integers
from belated.delays import NEVER
from belated.sim.jobs import Done
from belated.sim.round_loop import CENTER, PLAYED

CURVES = ("cumulative_loss", "center_cumulative_loss", "delays", "arrivals", "in_flight")
"""The fields that have the rounds that were recorded."""

MEASURES = ("regret", "center_regret", "best_loss", "best_gap")
"""The fields that have the rounds for which a best fixed decision was asked."""


@dataclass(frozen=True, eq=False)
class Result:
    """Labelled curves of a simulation.

    =============================  ========================  ========================================================
    field                          dimensions                meaning
    =============================  ========================  ========================================================
    ``cumulative_loss``            learner, seed, round      sum of the losses suffered, each averaged over the
                                                             round's points
    ``center_cumulative_loss``     learner, seed, round      the same at the decision that the points surround
    ``regret``                     learner, seed, round      ``cumulative_loss - best_loss`` at the rounds asked for
    ``center_regret``              learner, seed, round      the same at the decisions
    ``best_loss``                  seed, round               loss of the best fixed decision of the rounds so far
    ``best_gap``                   seed, round               by how much it may at most be too large, certified
    ``delays``                     seed, round               d_t, as drawn; ``delays.NEVER`` where feedback never comes
    ``arrivals``                   seed, round               |F_t|, feedbacks that arrive at the end of the round
    ``in_flight``                  seed, round               o_t, feedbacks still missing then
    =============================  ========================  ========================================================

    ``regret``, ``center_regret``, ``best_loss`` and ``best_gap`` have only those rounds for which a best fixed decision
    was asked; the others have those that were recorded. ``interrupted`` says that somebody pressed Ctrl-C, so that
    seeds or learners which were asked for are missing.
    """

    cumulative_loss: xr.DataArray
    center_cumulative_loss: xr.DataArray
    regret: xr.DataArray
    center_regret: xr.DataArray
    best_loss: xr.DataArray
    best_gap: xr.DataArray
    delays: xr.DataArray
    arrivals: xr.DataArray
    in_flight: xr.DataArray
    interrupted: bool = False

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {size}" for name, size in self.cumulative_loss.sizes.items())
        cut = ", interrupted" if self.interrupted else ""
        return f"<Result ({sizes}{cut}) with {', '.join(CURVES + MEASURES)}>"

    def to_dataset(self) -> xr.Dataset:
        """All of it in one dataset, ready for ``to_netcdf``.

        The rounds of regret and best decisions become the dimension ``prefix``. Delays become real numbers, infinite
        where feedback never comes: most file formats have no whole numbers as large as ``delays.NEVER``.
        """
        arrays = {name: getattr(self, name) for name in CURVES}
        arrays["delays"] = self.delays.where(self.delays != NEVER, float("inf")).astype(float)
        arrays |= {name: getattr(self, name).rename(round="prefix") for name in MEASURES}
        return xr.Dataset(arrays, attrs={"interrupted": int(self.interrupted)})


def labelled(
    recorded: Integers,
    prefixes: Integers,
    learners: Sequence[str],
    seeds: Sequence[int],
    done: Sequence[Done],
) -> Result:
    """The result of the jobs that are ``done``: of all of them, unless the simulation was interrupted."""
    records = {(name, each.job.seed): record for each in done for name, record in each.records.items()}
    firsts = {each.job.seed: each for each in done if each.job.first}
    asked = len(learners) * len(seeds)
    learners, seeds = _finished(learners, seeds, set(records), set(firsts))
    curves = np.array([[records[name, seed].losses for seed in seeds] for name in learners])
    any_record = [records[learners[0], seed] for seed in seeds]
    bests = np.array([[(best.value, best.gap) for best in firsts[seed].bests] for seed in seeds])
    bests = bests.reshape(len(seeds), prefixes.size, 2)
    regrets = curves[:, :, np.searchsorted(recorded, prefixes)] - bests[..., :1]
    many, few, own = ("learner", "seed", "round"), ("seed", "round"), {"learner": learners, "seed": seeds}
    measured = xr.Dataset(
        {
            "regret": (many, regrets[..., PLAYED]),
            "center_regret": (many, regrets[..., CENTER]),
            "best_loss": (few, bests[..., 0]),
            "best_gap": (few, bests[..., 1]),
        },
        coords=own | {"round": prefixes},
    )
    followed = xr.Dataset(
        {
            "cumulative_loss": (many, curves[..., PLAYED]),
            "center_cumulative_loss": (many, curves[..., CENTER]),
            "delays": (few, np.array([firsts[seed].delays for seed in seeds])),
            "arrivals": (few, np.array([record.arrived for record in any_record])),
            "in_flight": (few, np.array([record.in_flight for record in any_record])),
        },
        coords=own | {"round": recorded},
    )
    arrays = {str(name): array for dataset in (followed, measured) for name, array in dataset.data_vars.items()}
    return Result(**arrays, interrupted=len(learners) * len(seeds) < asked)


def _finished(
    learners: Sequence[str], seeds: Sequence[int], records: set[tuple[str, int]], firsts: set[int]
) -> tuple[list[str], list[int]]:
    """The seeds on which all learners are finished or, if there are none, the learners finished on all seeds."""
    whole = [seed for seed in seeds if seed in firsts and all((name, seed) in records for name in learners)]
    if whole:
        return list(learners), whole
    some = [name for name in learners if firsts.issuperset(seeds) and all((name, seed) in records for seed in seeds)]
    if not some:
        raise KeyboardInterrupt
    return some, list(seeds)
