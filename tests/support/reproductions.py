"""Reproductions with made-up numbers, to test what is computed from a reproduction."""

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from belated.papers.wan2021 import LEARNERS, SETTINGS, Reproduction, prefixes, setup

ROUNDS = 4


def invented(ends: Mapping[str, Sequence[float]]) -> Reproduction:
    """Learners whose cumulative loss ends, seed by seed, at the given values in both settings; regret is one more."""
    seeds = tuple(range(len(ends["ogd-sc"])))
    final = np.array([[ends[name] for name in LEARNERS] for _ in SETTINGS], dtype=float)
    straight = final[..., None] * np.linspace(0.0, 1.0, ROUNDS)
    runs = xr.Dataset(
        {
            "cumulative_loss": (("setting", "learner", "seed", "round"), straight),
            "regret_by_round": (("setting", "learner", "seed", "prefix"), straight[..., prefixes(ROUNDS) - 1] + 1.0),
            "regret": (("setting", "learner", "seed"), final + 1.0),
            "bound": (
                ("setting", "learner"),
                [[1e3 if name == "dogd-sc" else np.nan for name in LEARNERS] for _ in SETTINGS],
            ),
        },
        coords={
            "setting": list(SETTINGS),
            "learner": list(LEARNERS),
            "seed": list(seeds),
            "round": range(1, ROUNDS + 1),
            "prefix": prefixes(ROUNDS),
        },
    )
    return Reproduction(ROUNDS, seeds, tuple(setup(name, ROUNDS) for name in SETTINGS), runs)
