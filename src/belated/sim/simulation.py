"""``simulate``: learners on a problem under a law of delay, over seeds, with the regret of each.

All learners of a seed meet the same losses and the same delays. Losses, delays and the learners' own perturbations come
from separate streams of the seed (:mod:`belated.core.streams`).
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument, NotKept
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.losses.base import Loss, features, gradient, label, value
from belated.sim.jobs import Contender, Done, Job, Simulation
from belated.sim.plain_or_compiled import loop_for
from belated.sim.plan import chosen_rounds, chosen_seeds, growing_rounds, plan_of
from belated.sim.problems import Problem
from belated.sim.result import Result, labelled
from belated.sim.store import Folder, Store
from belated.sim.watching import bar_of
from belated.sim.workers import Tick, cores, run_jobs

Initial = ArrayLike | Mapping[str, ArrayLike] | None


def simulate(
    learners: Mapping[str, Learner],
    problem: Problem,
    delays: DelayLaw,
    rounds: int,
    seeds: int | Iterable[int],
    *,
    initial: Initial = None,
    regret_at: ArrayLike | None = None,
    record: ArrayLike | str | None = None,
    store: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Result:
    """Run every learner on every seed and measure its regret against the best fixed decision.

    All learners of a seed meet the same losses and the same delays. Memory does not grow with ``rounds`` if the problem
    gives its losses in chunks, as those of this library do, and if not every round is recorded.

    Ctrl-C ends a simulation early: the result then has the seeds that were finished or, if none was, the learners that
    were finished on all of them, and is marked as ``interrupted``. If there is no such learner either, the interrupt
    goes on to the caller.

    Args:
        learners: The learners by the names that they have in the result; all have the same domain.
        problem: The losses, such as ``problems.RandomQuadratic(10)``: anything with ``loss`` and ``rows(seed, rounds)``
            or ``sampler(seed)``.
        delays: A law of delay, such as ``delays.Geometric(mean=5)``.
        rounds: How many rounds are played.
        seeds: How many seeds, counted from 0, or the seeds themselves: different whole numbers from 0 on. Each has
            losses and delays of its own.
        initial: The first decision of all learners, or a mapping from a learner's name to its own; a number stands for
            every entry. Default: the centre of the learner's domain.
        regret_at: The rounds after which regret is measured, each against the best fixed decision of the rounds up to
            it. Default: the last round only. ``[]`` measures no regret, which for losses that do not sum to a quadratic
            saves most of the time.
        record: The rounds that the curves have: ``"all"``, ``"log"`` (about a hundred per decade) or some rounds. The
            last round and those of ``regret_at`` are always among them. Default: all rounds if learners times seeds
            times rounds are at most 5 million, which is a result of at most 200 MB, and ``"log"`` otherwise; the
            result then says ``thinned``.
        store: A folder that keeps every seed that is finished. The same call goes on where an earlier one was stopped,
            and one with other learners or seeds runs only what is not there; the result has the same bits as without.
            :mod:`belated.sim.store` says what is in the folder. If it becomes full, the run goes on without it, and
            there is a warning, ``errors.NotKept``.
        workers: How many threads run side by side. Default: one per core. No bit of the result depends on it.
        progress: Whether to show a bar on the standard error, with rounds per second and the time left. Default: if
            that is a terminal.

    Returns:
        Labelled curves and regrets: see :class:`~belated.sim.result.Result`.

    Raises:
        InvalidArgument: An argument cannot be used, or learners and problem do not fit together; nothing was run. Or
            no decision is the best fixed one, because the losses of a seed fall without end on an unbounded domain.
            Only the search after the last round can tell this; ``store`` then has the runs that were finished, and a
            call with ``regret_at=[]`` that records the same rounds finds them there.
        NumericalFailure: A number was not finite, or too large, or could not be computed. The message names learner,
            round and seed, and which part it was: the loss, or a rate, a step or another part of the learner.
        OutsideDomain: A learner has played a point that is not in its domain. The message names learner, round, seed
            and distance. Points are looked at in the rounds that are recorded, or in about a thousand of them, evenly
            spread, and always in the last.
        KeyboardInterrupt: Ctrl-C, and nothing was finished.

    Example:
        >>> import belated as bl
        >>> learners = {"dogd-sc": bl.dogd_sc(bl.Ball(2), strong_convexity=2.0)}
        >>> problem = bl.problems.RandomQuadratic(dim=2)
        >>> result = bl.simulate(learners, problem, bl.delays.Fixed(3), rounds=100, seeds=range(4), regret_at=[10, 100])
        >>> result.regret.sizes
        Frozen({'learner': 1, 'seed': 4, 'round': 2})
    """
    number = checks.count("simulate", "rounds", rounds)
    named_seeds = list(chosen_seeds("simulate", seeds))
    domain = _common_domain(learners, problem)
    loss = problem.loss  # read once: who computes it anew each time may mean another one
    _check_law(delays, number)
    _check_length(problem, number)
    at = growing_rounds("simulate", "regret_at", number if regret_at is None else regret_at, number)
    curves = len(learners) * len(named_seeds)
    plan = plan_of(number, loss.row_size, chosen_rounds("simulate", record, number, at, curves))
    starts = _starts(initial, learners)
    threads = cores() if workers is None else checks.count("simulate", "workers", workers)

    contenders = {name: Contender(learner, starts[name]) for name, learner in learners.items()}
    simulation = Simulation(problem, loss, delays, domain, plan, at, contenders)
    kept = None if store is None else Store(Folder("simulate", store), simulation)
    with bar_of(number * curves, progress) as bar:
        done = _run(simulation, named_seeds, threads, kept, bar)
    if kept is not None and kept.problem is not None:
        warnings.warn(
            f"`simulate(store={str(store)!r})`: some finished runs could not be written: {kept.problem}. The result "
            "has them; the same call would run them again",
            NotKept,
            stacklevel=2,
        )
    thinned = record is None and plan.recorded.size < number
    return labelled(plan.recorded, at, list(learners), named_seeds, done, thinned)


def _run(simulation: Simulation, seeds: list[int], threads: int, kept: Store | None, bar: Any) -> list[Done]:
    """What is found in the store and by all jobs that are left, or by those that were finished before Ctrl-C."""
    found = []
    if kept is not None:
        bar.set_description("looking into the store")
        found = [kept.found(seed) for seed in seeds]
    rounds, total = simulation.plan.rounds, simulation.plan.rounds * len(simulation.contenders) * len(seeds)
    bar.initial = bar.n = rounds * sum(len(each.records) for each in found)
    jobs = simulation.jobs(seeds, threads, found)
    loops = {}
    for name, (learner, _) in simulation.contenders.items():
        number = sum(name in job.learners for job in jobs)
        if number:
            bar.set_description(f"preparing {name}")
            loops[name] = loop_for(name, learner, simulation.loss, simulation.plan, number)
    bar.set_description("running")
    bar.unpause()

    def progressed(rounds: int) -> None:
        bar.update(rounds)
        if bar.n == total:
            bar.set_description("searching the best fixed decision")

    def work(job: Job, tick: Tick) -> Done:
        if kept is None:
            return simulation.run(job, loops, tick)
        return kept.keep(simulation.run(job, loops, tick, kept.keep_records))

    outcomes = run_jobs([partial(work, job) for job in jobs], threads, progressed)
    return found + [outcome for outcome in outcomes if outcome is not None]


def _common_domain(learners: Mapping[str, Learner], problem: Problem) -> Domain:
    if not isinstance(learners, Mapping) or not learners:
        checks.refuse("simulate", "learners", learners, "must map one or more names to learners")
    for name, learner in learners.items():
        if not (isinstance(name, str) and isinstance(learner, Learner)):
            checks.refuse("simulate", "learners", {name: learner}, "must map names to learners, such as dogd_sc(...)")
    first_name, first = next(iter(learners.items()))
    for name, learner in learners.items():
        if learner.domain != first.domain:
            checks.refuse("simulate", "learners", name, f"must have the same domain as {first_name!r} to be compared")
    check_problem("simulate", problem)
    if first.domain.dim != problem.loss.dim:
        checks.refuse("simulate", "problem", problem, f"must have dimension {first.domain.dim}, as the learners do")
    for name, learner in learners.items():
        if learner.interface.feedback == "label" or learner.interface.context_size:
            _check_context(name, learner, problem)
    return first.domain


def check_problem(where: str, problem: Any) -> None:
    """Refuse what is no problem: it needs a loss that has value and gradient, and rows.

    Args:
        where: The call that it was given to, for errors.
        problem: What may be a problem.

    Raises:
        InvalidArgument: It has no loss, or neither ``rows`` nor ``sampler``.
        MissingVerb: Its loss has not registered ``value`` or ``gradient``.
    """
    if not isinstance(getattr(problem, "loss", None), Loss):
        checks.refuse(where, "problem", problem, "must be a problem, such as RandomQuadratic(10), with a `loss`")
    if not (hasattr(problem, "rows") or hasattr(problem, "sampler")):
        checks.refuse(where, "problem", problem, "must have a method `rows` or `sampler`")
    value.require(problem.loss)
    gradient.require(problem.loss)


def _check_context(name: str, learner: Learner, problem: Problem) -> None:
    """A learner that forecasts needs losses that have features and labels."""
    loss, size = problem.loss, learner.interface.context_size
    if not (features.knows(loss) and label.knows(loss) and size in (0, loss.row_size - 1)):
        known = f"{size} features and labels" if size else "labels"
        wanted = f"must have {known}, as SquaredError({size or learner.domain.dim}) does, for {name!r}"
        checks.refuse("simulate", "problem", problem, wanted)
    classes = learner.interface.classes
    if classes not in (0, getattr(loss, "classes", 0)):
        wanted = f"must have {classes} classes as labels, as Misclassification({classes}, {size}) does, for {name!r}"
        checks.refuse("simulate", "problem", problem, wanted)


def _check_law(delays: DelayLaw, rounds: int) -> None:
    if not isinstance(delays, DelayLaw):
        checks.refuse("simulate", "delays", delays, "must be a law of delay, such as Periodic([2, 3, 1])")
    _check_length(delays, rounds)


def _check_length(source: object, rounds: int) -> None:
    longest = getattr(source, "longest_run", math.inf)
    if rounds > longest:
        checks.refuse("simulate", "rounds", rounds, f"must be <= {int(longest)}, the rounds that {source!r} has")


def _starts(initial: Initial, learners: Mapping[str, Learner]) -> dict[str, Vector]:
    """The first decision of each learner, every one of them checked before a long run begins."""
    own = initial if isinstance(initial, Mapping) else dict.fromkeys(learners, initial)
    for name in own:
        if name not in learners:
            checks.refuse(
                "simulate", "initial", {name: own[name]}, f"must name learners, which are {', '.join(learners)}"
            )
    found = {}
    for name, learner in learners.items():
        given = own.get(name)
        try:
            dim = learner.domain.dim
            point = None if given is None else checks.spread_vector("simulate", "initial", given, dim)
            found[name] = learner.first_decision(point, where="simulate")
        except InvalidArgument as problem:
            raise InvalidArgument(f"{problem}, for the learner {name!r}", problem.argument) from None
    return found
