"""What a simulation returns: labelled arrays.

Everything has the dimensions it depends on, by name: ``result.regret.sel(learner="dogd-sc").mean("seed")``.
"""

from dataclasses import dataclass

import xarray as xr


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
    ``arrivals``                   seed, round               |F_t|, feedbacks that arrive at the end of the round
    ``in_flight``                  seed, round               o_t, feedbacks still missing then
    =============================  ========================  ========================================================

    ``regret``, ``center_regret``, ``best_loss`` and ``best_gap`` have only those rounds for which a best fixed decision
    was asked.
    """

    cumulative_loss: xr.DataArray
    center_cumulative_loss: xr.DataArray
    regret: xr.DataArray
    center_regret: xr.DataArray
    best_loss: xr.DataArray
    best_gap: xr.DataArray
    arrivals: xr.DataArray
    in_flight: xr.DataArray

    def to_dataset(self) -> xr.Dataset:
        """All of it in one dataset; the rounds of regret and best decisions become the dimension ``prefix``."""
        whole = ("cumulative_loss", "center_cumulative_loss", "arrivals", "in_flight")
        partial = ("regret", "center_regret", "best_loss", "best_gap")
        arrays = {name: getattr(self, name) for name in whole}
        arrays |= {name: getattr(self, name).rename(round="prefix") for name in partial}
        return xr.Dataset(arrays)
