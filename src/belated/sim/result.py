"""What a simulation returns: labelled arrays.

Everything has the dimensions it depends on, by name: ``result.regret.sel(learner="dogd-sc").mean("seed")``.
"""

from dataclasses import dataclass, fields

import xarray as xr

from belated.delays import NEVER


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
    was asked.
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

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).name = field.name

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}: {size}" for name, size in self.cumulative_loss.sizes.items())
        return f"<Result ({sizes}) with {', '.join(field.name for field in fields(self))}>"

    def to_dataset(self) -> xr.Dataset:
        """All of it in one dataset, ready for ``to_netcdf``.

        The rounds of regret and best decisions become the dimension ``prefix``. Delays become real numbers, infinite
        where feedback never comes: most file formats have no whole numbers as large as ``delays.NEVER``.
        """
        whole = ("cumulative_loss", "center_cumulative_loss", "delays", "arrivals", "in_flight")
        partial = ("regret", "center_regret", "best_loss", "best_gap")
        arrays = {name: getattr(self, name) for name in whole}
        arrays["delays"] = self.delays.where(self.delays != NEVER, float("inf")).astype(float)
        arrays |= {name: getattr(self, name).rename(round="prefix") for name in partial}
        return xr.Dataset(arrays)
