"""Simulation: problems, the round loop, and the best fixed decision that regret is measured against."""

from belated.sim.dynamic import dynamic_regret
from belated.sim.result import Result
from belated.sim.simulation import simulate

__all__ = ["Result", "dynamic_regret", "simulate"]
