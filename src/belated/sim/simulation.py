"""``simulate``: learners on a problem under a law of delay, over seeds, with the regret of each.

All learners of a seed meet the same losses and the same delays. Losses, delays and the learners' own perturbations come
from separate streams of the seed (:mod:`belated.core.streams`).
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from numpy.typing import ArrayLike
from tqdm import tqdm

from belated.core import checks
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.player import first_decision
from belated.losses.base import Loss, features, gradient, label, value
from belated.sim.jobs import Contender, Simulation
from belated.sim.plain_or_compiled import loop_for
from belated.sim.plan import chosen_rounds, growing_rounds, plan_of
from belated.sim.problems import Problem
from belated.sim.result import Result, labelled
from belated.sim.workers import cores, run_jobs

Initial = ArrayLike | Mapping[str, ArrayLike] | None


def simulate(
    learners: Mapping[str, Learner],
    problem: Problem,
    delays: DelayLaw,
    rounds: int,
    seeds: Iterable[int],
    *,
    initial: Initial = None,
    prefixes: ArrayLike | None = None,
    record: ArrayLike | str | None = None,
    workers: int | None = None,
    progress: bool = False,
) -> Result:
    """Run every learner on every seed and measure its regret against the best fixed decision.

    =============  =====================================================================================================
    argument       meaning
    =============  =====================================================================================================
    ``initial``    the first decision of all learners, or a mapping from a learner's name to its own; default: the
                   centre of its domain
    ``prefixes``   the rounds after which regret is measured, each against the best fixed decision of the rounds up to
                   it; default: after the last round only. ``[]`` measures none, which for losses that do not sum to a
                   quadratic saves most of the time
    ``record``     the rounds that the curves have: ``"all"``, ``"log"`` (a hundred a decade) or some rounds; default:
                   all of them in runs of up to 100 000 rounds, and ``"log"`` in longer ones. The last round and
                   ``prefixes`` are always among them
    ``workers``    how many threads run side by side; default: one a core. No bit of the result depends on it
    ``progress``   whether to show a bar on the standard error, with rounds a second and the time left
    =============  =====================================================================================================

    Memory does not grow with ``rounds`` if the problem gives its losses in chunks, as those of this library do.

    Ctrl-C ends a simulation early: the result then has the seeds that were finished or, if none was, the learners that
    were finished on all of them, and is marked as ``interrupted``. If there is no such learner either, the interrupt
    goes on to the caller.
    """
    number = checks.count("simulate", "rounds", rounds)
    named_seeds = _checked_seeds(seeds)
    domain = _common_domain(learners, problem)
    loss = problem.loss  # read once: who computes it anew each time may mean another one
    _check_law(delays, number)
    _check_length(problem, number)
    at = growing_rounds("simulate", "prefixes", number if prefixes is None else prefixes, number)
    plan = plan_of(number, loss.row_size, chosen_rounds("simulate", record, number, at))
    start = _starts(initial, learners)
    threads = cores() if workers is None else checks.count("simulate", "workers", workers)

    total = number * len(named_seeds) * len(learners)
    with tqdm(total=total, unit="round", disable=not progress, unit_scale=True) as bar:
        contenders = {}
        for name, learner in learners.items():
            bar.set_description(f"preparing {name}")
            loop = loop_for(name, learner, loss, plan, len(named_seeds))
            contenders[name] = Contender(learner, start(name), loop)
        bar.set_description("running")
        bar.unpause()
        simulation = Simulation(problem, loss, delays, domain, plan, at, contenders)
        jobs = simulation.jobs(named_seeds, threads)

        def progressed(rounds: int) -> None:
            bar.update(rounds)
            if bar.n == total:
                bar.set_description("searching the best fixed decision")

        outcomes = run_jobs([partial(simulation.run, job) for job in jobs], threads, progressed)
    done = [outcome for outcome in outcomes if outcome is not None]
    return labelled(plan.recorded, at, list(learners), named_seeds, done)


def _checked_seeds(seeds: Iterable[int]) -> list[int]:
    try:
        given = list(seeds)
    except TypeError:
        checks.refuse("simulate", "seeds", seeds, "must be several seeds, such as range(20)")
    numbers = [checks.count("simulate", "seeds", seed, least=0) for seed in given]
    if not numbers or len(set(numbers)) < len(numbers):
        checks.refuse("simulate", "seeds", given, "must be one or more different seeds")
    return numbers


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
    if not isinstance(getattr(problem, "loss", None), Loss):
        checks.refuse("simulate", "problem", problem, "must be a problem, such as RandomQuadratic(10), with a `loss`")
    if not (hasattr(problem, "rows") or hasattr(problem, "sampler")):
        checks.refuse("simulate", "problem", problem, "must have a method `rows` or `sampler`")
    value.require(problem.loss)
    gradient.require(problem.loss)
    if first.domain.dim != problem.loss.dim:
        checks.refuse("simulate", "problem", problem, f"must have dimension {first.domain.dim}, as the learners do")
    for name, learner in learners.items():
        if learner.shape.feedback == "label" or learner.shape.context_size:
            _check_context(name, learner, problem)
    return first.domain


def _check_context(name: str, learner: Learner, problem: Problem) -> None:
    """A learner that forecasts needs losses that have features and labels."""
    loss, size = problem.loss, learner.shape.context_size
    if not (features.knows(loss) and label.knows(loss) and size in (0, loss.row_size - 1)):
        known = f"{size} features and labels" if size else "labels"
        wanted = f"must have {known}, as SquaredError({size or learner.domain.dim}) does, for {name!r}"
        checks.refuse("simulate", "problem", problem, wanted)
    classes = learner.shape.classes
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


def _starts(initial: Initial, learners: Mapping[str, Learner]) -> Callable[[str], ArrayLike | None]:
    """The first decision of each learner, every one of them tried before a long run begins."""
    own = initial if isinstance(initial, Mapping) else dict.fromkeys(learners, initial)
    for name in own:
        if name not in learners:
            checks.refuse(
                "simulate", "initial", {name: own[name]}, f"must name learners, which are {', '.join(learners)}"
            )
    for name, learner in learners.items():
        first_decision(learner, own.get(name))
    return own.get
