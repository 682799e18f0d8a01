"""What a simulation returns: labelled arrays.

Everything has the dimensions it depends on, by name: ``result.regret.sel(learner="dogd-sc").mean("seed")``.

Labels take half a second to import, as long as a million rounds. So a simulation returns numbers, and they get their
labels when one of them is first looked at: all curves together, and all measures together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Integers
from belated.delays import NEVER
from belated.sim.jobs import Done
from belated.sim.round_loop import CENTRE, PLAYED

if TYPE_CHECKING:
    import xarray as xr

CURVES = ("cumulative_loss", "centre_cumulative_loss", "delays", "arrivals", "in_flight")
"""The fields that have the rounds that were recorded."""

MEASURES = ("regret", "centre_regret", "best_loss", "best_gap")
"""The fields that have the rounds for which a best fixed decision was asked."""


class Numbers(NamedTuple):
    """The fields of a result without labels: those of ``CURVES`` and ``MEASURES``, and what their places mean."""

    learners: list[str]
    seeds: list[int]
    recorded: Integers
    regret_at: Integers
    fields: dict[str, Any]

    def labelled(self, name: str) -> dict[str, xr.DataArray]:
        """A field and all that have the same rounds with labels: by learner, seed and round, or by the last two."""
        import xarray as xr  # here, because it takes half a second

        names, rounds = (CURVES, self.recorded) if name in CURVES else (MEASURES, self.regret_at)
        dimensions = {each: ("learner", "seed", "round")[3 - self.fields[each].ndim :] for each in names}
        variables = {each: (dimensions[each], self.fields[each]) for each in names}
        dataset = xr.Dataset(variables, coords={"learner": self.learners, "seed": self.seeds, "round": rounds})
        return {str(each): array for each, array in dataset.data_vars.items()}


@dataclass(frozen=True, eq=False)
class Result:
    """Labelled curves of a simulation.

    =============================  ========================  ========================================================
    field                          dimensions                meaning
    =============================  ========================  ========================================================
    ``cumulative_loss``            learner, seed, round      sum of the losses suffered, each averaged over the
                                                             round's points
    ``centre_cumulative_loss``     learner, seed, round      the same at the decision that the points surround
    ``regret``                     learner, seed, round      ``cumulative_loss - best_loss`` at the rounds asked for
    ``centre_regret``              learner, seed, round      the same at the decisions
    ``best_loss``                  seed, round               loss of the best fixed decision of the rounds so far
    ``best_gap``                   seed, round               by how much it may at most be too large, certified
    ``delays``                     seed, round               d_t, as drawn; ``delays.NEVER`` where feedback never comes
    ``arrivals``                   seed, round               |F_t|, feedbacks that arrive at the end of the round
    ``in_flight``                  seed, round               o_t, feedbacks still missing then
    =============================  ========================  ========================================================

    ``regret``, ``centre_regret``, ``best_loss`` and ``best_gap`` have the rounds of ``simulate(regret_at=...)``, the
    others those of ``simulate(record=...)``.

    ``interrupted`` is true if somebody pressed Ctrl-C, so that seeds or learners which were asked for are missing.
    ``thinned`` is true if nobody asked for certain rounds, and curves of every round would have been too many numbers:
    they have about a hundred rounds per decade then, and ``simulate(record="all")`` keeps every round.
    """

    cumulative_loss: xr.DataArray
    centre_cumulative_loss: xr.DataArray
    regret: xr.DataArray
    centre_regret: xr.DataArray
    best_loss: xr.DataArray
    best_gap: xr.DataArray
    delays: xr.DataArray
    arrivals: xr.DataArray
    in_flight: xr.DataArray
    interrupted: bool = False
    thinned: bool = False

    def __getattr__(self, name: str) -> Any:
        """Label curves, or measures, when the first of them is looked at; any other name is not there."""
        own = vars(self)
        if name not in CURVES + MEASURES or "_numbers" not in own:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        own.update(own["_numbers"].labelled(name))
        return own[name]

    def __repr__(self) -> str:
        played = int(self.cumulative_loss["round"][-1])
        sizes = ", ".join(f"{name}: {size}" for name, size in self.cumulative_loss.sizes.items())
        some = f" of {played}" if self.cumulative_loss.sizes["round"] < played else ""
        thinned = ", thinned by default" if self.thinned else ""
        cut = ", interrupted" if self.interrupted else ""
        return f"<Result ({sizes}{some}{thinned}{cut}) with {', '.join(CURVES + MEASURES)}>"

    def to_dataset(self) -> xr.Dataset:
        """All arrays in one dataset, ready for ``to_netcdf``.

        There is one dimension ``round``, that of the curves: regret and best decisions are ``nan`` in the rounds that
        ``regret_at`` did not name, so that ``dataset.regret.dropna("round")`` is ``result.regret``. Delays become real
        numbers, infinite where feedback never comes: most file formats have no whole numbers as large as
        ``delays.NEVER``.

        Returns:
            A dataset with the fields of this result as variables; ``interrupted`` and ``thinned`` are 0 or 1 among its
            attributes.
        """
        import xarray as xr  # here, because it takes half a second

        arrays = {name: getattr(self, name) for name in CURVES}
        arrays["delays"] = self.delays.where(self.delays != NEVER, float("inf")).astype(float)
        arrays |= {name: getattr(self, name).reindex(round=self.cumulative_loss["round"]) for name in MEASURES}
        return xr.Dataset(arrays, attrs={"interrupted": int(self.interrupted), "thinned": int(self.thinned)})

    def merge(self, *others: Result) -> Result:
        """Join this result with others of the same simulation over other seeds.

        Merging the results of some seeds gives the bits of one simulation over all of them. Whether problem, delays
        and learners were the same is for the caller to know: a result does not say what made it.

        Args:
            others: Results with the same learners, in any order, the same rounds, and seeds that no other has. Ask for
                ``simulate(record=...)``: which rounds are recorded by default depends on the number of seeds.

        Returns:
            A new result with the seeds of this one, then those of the others in their order. It is ``interrupted`` or
            ``thinned`` if any of them is.

        Raises:
            InvalidArgument: Learners or rounds differ, or two results have a seed in common.

        Example:
            >>> import belated as bl
            >>> learners = {"dogd-sc": bl.dogd_sc(bl.Ball(2), 2.0)}
            >>> setting = learners, bl.problems.RandomQuadratic(2), bl.delays.Fixed(3), 50
            >>> merged = bl.simulate(*setting, seeds=[0, 1]).merge(bl.simulate(*setting, seeds=[2]))
            >>> merged.to_dataset().identical(bl.simulate(*setting, seeds=[0, 1, 2]).to_dataset())
            True
        """
        import xarray as xr  # here, because it takes half a second

        for other in others:
            if not isinstance(other, Result):
                checks.refuse("merge", "others", other, "must be results of `simulate`")
            _check_same(self, other)
        all_results = (self, *others)
        seeds = np.concatenate([each.best_loss["seed"].values for each in all_results])
        twice = np.flatnonzero(np.bincount(np.unique(seeds, return_inverse=True)[1]) > 1)
        if twice.size:
            several = np.unique(seeds)[twice].tolist()
            checks.refuse("merge", "others", several, "must have seeds that no other result has; these are there twice")
        learners = self.regret["learner"].values
        joined = {
            name: xr.concat([_in_order(getattr(each, name), learners) for each in all_results], "seed", join="exact")
            for name in CURVES + MEASURES
        }
        interrupted = any(each.interrupted for each in all_results)
        return Result(**joined, interrupted=interrupted, thinned=any(each.thinned for each in all_results))


def _in_order(array: xr.DataArray, learners: Any) -> xr.DataArray:
    return array.sel(learner=learners) if "learner" in array.dims else array


def _check_same(one: Result, other: Result) -> None:
    """Refuse a result that cannot stand beside ``one`` in one array."""
    for field, name, call in (
        ("regret", "learner", "learners"),
        ("cumulative_loss", "round", "record"),
        ("regret", "round", "regret_at"),
    ):
        here, there = (getattr(each, field)[name].values.tolist() for each in (one, other))
        if sorted(here) != sorted(there):
            wanted = f"must have the same {name}s in `{field}` (`simulate({call}=...)`), has {checks.shown(there)} and "
            checks.refuse("merge", "others", other, f"{wanted}not {checks.shown(here)}")


def labelled(
    recorded: Integers,
    regret_at: Integers,
    learners: Sequence[str],
    seeds: Sequence[int],
    done: Sequence[Done],
    thinned: bool = False,
) -> Result:
    """The result of the jobs that are ``done``: of all of them, unless the simulation was interrupted."""
    numbers = numbers_of(recorded, regret_at, learners, seeds, done)
    interrupted = len(numbers.learners) * len(numbers.seeds) < len(learners) * len(seeds)
    result = Result.__new__(Result)  # whose arrays get their labels when one of them is looked at
    vars(result).update(interrupted=interrupted, thinned=thinned, _numbers=numbers)
    return result


def numbers_of(
    recorded: Integers, regret_at: Integers, learners: Sequence[str], seeds: Sequence[int], done: Sequence[Done]
) -> Numbers:
    """The same without labels, which a worker need not make if it wants to know a single number."""
    records = {(name, each.job.seed): record for each in done for name, record in each.records.items()}
    firsts = {each.job.seed: each for each in done if each.job.first}
    learners, seeds = _finished(learners, seeds, set(records), set(firsts))
    curves = np.array([[records[name, seed].losses for seed in seeds] for name in learners])
    any_record = [records[learners[0], seed] for seed in seeds]
    bests = np.array([firsts[seed].bests for seed in seeds])
    regrets = curves[:, :, np.searchsorted(recorded, regret_at)] - bests[..., :1]
    fields = {
        "cumulative_loss": curves[..., PLAYED],
        "centre_cumulative_loss": curves[..., CENTRE],
        "delays": np.array([firsts[seed].delays for seed in seeds]),
        "arrivals": np.array([record.arrived for record in any_record]),
        "in_flight": np.array([record.in_flight for record in any_record]),
        "regret": regrets[..., PLAYED],
        "centre_regret": regrets[..., CENTRE],
        "best_loss": bests[..., 0],
        "best_gap": bests[..., 1],
    }
    return Numbers(learners, seeds, recorded, regret_at, fields)


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
