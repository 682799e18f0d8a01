"""The jobs of a simulation: some learners on one seed, in one pass over its losses.

A job draws the losses chunk by chunk and hands every chunk to its runs and, in the first job of a seed, to the search
for the best fixed decision; nothing but the record and the feedback under way is ever held.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core.arrays import Integers, Matrix
from belated.core.errors import InvalidArgument
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
    """A learner and where it starts."""

    learner: Learner
    initial: ArrayLike | None


class Job(NamedTuple):
    """Some learners on one seed; one job per seed is the ``first``, which also looks for its best fixed decisions."""

    seed: int
    learners: Sequence[str]
    first: bool


class Done(NamedTuple):
    """What a job has found: a record for each learner and, from the first of a seed, delays and best decisions.

    ``bests`` has a row for each round of ``regret_at``: the loss of the best fixed decision, and its certified gap.
    """

    job: Job
    records: Mapping[str, Record]
    delays: Integers
    bests: Matrix


class Simulation(NamedTuple):
    """What all jobs of a simulation share; ``regret_at`` are the rounds for which a best decision is wanted."""

    problem: Problem
    loss: Loss
    law: DelayLaw
    domain: Domain
    plan: Plan
    regret_at: Integers
    contenders: Mapping[str, Contender]

    def jobs(self, seeds: Sequence[int], workers: int, found: Sequence[Done] = ()) -> list[Job]:
        """What is left to do for ``seeds`` when ``found`` is done already.

        There is one job per seed, so that its losses are drawn once; with fewer seeds than workers, one per learner.
        """
        known = {(done.job.seed, name) for done in found for name in done.records}
        searched = {done.job.seed for done in found if done.job.first}
        left = {seed: [name for name in self.contenders if (seed, name) not in known] for seed in seeds}
        left = {seed: names for seed, names in left.items() if names or seed not in searched}
        jobs = []
        for seed, names in left.items():
            groups = [names] if len(left) >= workers or not names else [[name] for name in names]
            jobs += [Job(seed, group, group is groups[0] and seed not in searched) for group in groups]
        return jobs

    def stream(self, seed: int) -> SeedStream:
        """The losses and delays of a seed."""
        return SeedStream(self.problem, self.loss, self.law, seed, self.plan)

    def run(
        self,
        job: Job,
        loops: Mapping[str, Loop],
        tick: Tick,
        played: Callable[[Job, Mapping[str, Record]], Any] = lambda job, records: None,
    ) -> Done:
        """One pass over the losses of the job's seed, and a second one where the best decision needs it.

        Args:
            job: Who plays on which seed.
            loops: The loop of each learner.
            tick: What counts the rounds, and may end the job.
            played: Is given the records before the search ends, which may take long and may find no best decision.
        """
        loss, stream = self.loss, self.stream(job.seed)
        chosen = {name: self.contenders[name] for name in job.learners}
        runs = {name: Run(name, each.learner, loss, self.plan, each.initial, job.seed) for name, each in chosen.items()}
        search = None
        if job.first:
            search = begin_search("simulate", loss, self.domain, self.regret_at.tolist(), look=lambda: tick(0))
        delays = np.empty(self.plan.recorded.size if job.first else 0, dtype=np.int64)
        records, seen, recorded = {}, 0, 0
        for rows, late in stream.with_delays():
            for name, run in runs.items():
                run.take(loops[name], rows, late)
                tick(len(rows))
            end = int(np.searchsorted(self.plan.recorded, seen + len(rows), side="right"))
            if job.first:
                delays[recorded:end] = late[self.plan.recorded[recorded:end] - seen - 1]
            seen, recorded = seen + len(rows), end
            if seen == self.plan.rounds:
                records = {name: run.record for name, run in runs.items()}
                played(job, records)
            if search is not None:
                with _hinting():
                    search.take(rows)
            tick(0)
        bests: list[Best] = []
        if search is not None:
            with _hinting():
                bests = search.bests(Watched(stream, lambda: tick(0)))
        return Done(job, records, delays, np.array([(best.value, best.gap) for best in bests]).reshape(-1, 2))


@contextmanager
def _hinting() -> Iterator[None]:
    """Say with an error of the search how to do without it."""
    try:
        yield
    except InvalidArgument as problem:
        raise InvalidArgument(f"{problem}; `regret_at=[]` runs without this comparison", problem.argument) from None
