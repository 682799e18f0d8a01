"""A stage of settings: all cells that meet the same losses and delays, so that they run together, and their keys.

A key is what the numbers of a run depend on: that of :mod:`belated.sim.store_keys`, which looks into code, rows and
versions, with the words of the cell, which stand beside the numbers in its file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from belated.comparisons.setting import Setting
from belated.core.parts import fingerprint
from belated.sim.jobs import Contender, Job, Simulation
from belated.sim.plain_or_compiled import loop_for
from belated.sim.plan import plan_of
from belated.sim.result import numbers_of
from belated.sim.run import Loop
from belated.sim.store_keys import Keys
from belated.sim.workers import Tick
from belated.sweeps.cells import Cell
from belated.sweeps.scores import Score
from belated.sweeps.words import canonical

SCHEMA = "belated sweep run 1"
"""What the file of a run holds, and how; another number is another kind of file."""


class Stage:
    """Cells that run together, by their numbers in the plan.

    Args:
        settings: The settings of the cells, with one learner each; they have the same problem, delays and rounds.
        cells: The words of the cells.
        runs: For how many runs like that of each cell its loop is made. It decides whether the loop is compiled, and
            no bit depends on it.
    """

    def __init__(self, settings: Mapping[int, Setting], cells: Sequence[Cell], runs: Mapping[int, int]) -> None:
        self._setting = next(iter(settings.values()))
        self._words = {number: canonical(cells[number]) for number in settings}
        self._runs = runs
        self._names = {number: f"{next(iter(each.entries))} (cell {number})" for number, each in settings.items()}
        entries = {number: next(iter(each.entries.values())) for number, each in settings.items()}
        problem, rounds = self._setting.problem, self._setting.rounds
        last = np.array([rounds])
        self._simulation = Simulation(
            problem,
            problem.loss,
            next(iter(entries.values())).delays,
            self._setting.domain,
            plan_of(rounds, problem.loss.row_size, last),
            last if self._setting.measure.against_best else last[:0],
            {
                self._names[number]: Contender(each.learner, each.learner.first_decision(each.initial))
                for number, each in entries.items()
            },
        )
        self._keys = Keys(self._simulation)
        self._loops: dict[str, Loop] = {}

    def keys(self, seed: int) -> dict[int, str]:
        """The key of every cell on one seed."""
        found, measure = self._keys.of_seed(seed), self._setting.measure.name
        return {
            number: fingerprint((SCHEMA, found.learners[name], found.search, measure, self._words[number]))
            for number, name in self._names.items()
        }

    def run(self, numbers: Sequence[int], seed: int) -> dict[int, Score]:
        """Run some of the cells on one seed, in one pass over its losses."""
        for number in numbers:
            self.prepare(number)
        return dict(zip(numbers, self._scores([self._names[number] for number in numbers], seed), strict=True))

    def prepare(self, number: int) -> None:
        """Compile the loop of a cell, or find it compiled, if that is not done yet."""
        name = self._names[number]
        if name not in self._loops:
            learner, loss = self._simulation.contenders[name].learner, self._simulation.loss
            self._loops[name] = loop_for(name, learner, loss, self._simulation.plan, self._runs[number])

    def _scores(self, names: Sequence[str], seed: int) -> Iterator[Score]:
        simulation, measure = self._simulation, self._setting.measure
        done = simulation.run(Job(seed, names, first=True), self._loops, Tick())
        numbers = numbers_of(simulation.plan.recorded, simulation.regret_at, names, [seed], [done])
        scores = measure.plain(numbers, simulation.problem)[:, 0, -1]
        losses = numbers.fields["cumulative_loss"][:, 0, -1]
        return map(Score, scores.tolist(), losses.tolist())
