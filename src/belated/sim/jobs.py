"""The jobs of a simulation: some learners on one seed, in one pass over its losses.

A job draws the losses chunk by chunk and hands every chunk to its runs and, in the first job of a seed, to the search
for the best fixed decision; nothing but the record and the feedback under way is ever held.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.losses.base import Loss
from belated.sim.hindsight import Best, begin_search
from belated.sim.plan import Plan
from belated.sim.problems import Problem
from belated.sim.round_loop import Record
from belated.sim.run import Loop, Run
from belated.sim.seed_stream import SeedStream
from belated.sim.tables import Watched
from belated.sim.workers import Tick


class Contender(NamedTuple):
    """A learner, where it starts, and the loop that runs it."""

    learner: Learner
    initial: ArrayLike | None
    loop: Loop


class Job(NamedTuple):
    """One job; the first of a seed also looks for its best fixed decisions."""

    seed: int
    learners: Sequence[str]
    first: bool


class Done(NamedTuple):
    """What a job has found: a record for each learner and, from the first of a seed, delays and best decisions."""

    job: Job
    records: Mapping[str, Record]
    delays: Integers
    bests: Sequence[Best]


class Simulation(NamedTuple):
    """What all jobs of a simulation share; ``prefixes`` are the rounds for which a best decision is wanted."""

    problem: Problem
    loss: Loss
    law: DelayLaw
    domain: Domain
    plan: Plan
    prefixes: Integers
    contenders: Mapping[str, Contender]

    def jobs(self, seeds: Sequence[int], workers: int) -> list[Job]:
        """A job a seed, so that its losses are drawn once; with fewer seeds than workers, a job a learner."""
        names = list(self.contenders)
        groups = [names] if len(seeds) >= workers else [[name] for name in names]
        return [Job(seed, group, group is groups[0]) for seed in seeds for group in groups]

    def run(self, job: Job, tick: Tick) -> Done:
        """One pass over the losses of the job's seed, and a second one where the best decision needs it."""
        loss, source = self.loss, SeedStream(self.problem, self.loss, self.law, job.seed, self.plan)
        chosen = {name: self.contenders[name] for name in job.learners}
        runs = {name: Run(name, each.learner, loss, self.plan, each.initial, job.seed) for name, each in chosen.items()}
        search = None
        if job.first:
            search = begin_search("simulate", loss, self.domain, self.prefixes.tolist(), look=lambda: tick(0))
        delays = np.empty(self.plan.recorded.size if job.first else 0, dtype=np.int64)
        played = recorded = 0
        for rows, late in source.with_delays():
            for name, run in runs.items():
                run.take(chosen[name].loop, rows, late)
                tick(len(rows))
            if search is not None:
                search.take(rows)
                end = int(np.searchsorted(self.plan.recorded, played + len(rows), side="right"))
                delays[recorded:end] = late[self.plan.recorded[recorded:end] - played - 1]
                recorded = end
            played += len(rows)
        records = {name: run.record for name, run in runs.items()}
        bests = search.bests(Watched(source, lambda: tick(0))) if search is not None else []
        return Done(job, records, delays, bests)
