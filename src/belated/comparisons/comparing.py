"""``compare``: learners, a problem and laws of delay that somebody has as objects of Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from belated.comparisons.comparison import Comparison
from belated.comparisons.measures import MEASURES, Measure
from belated.comparisons.recommending import Knowledge, check_length, chosen_domain, facts_of, tuned
from belated.comparisons.running import check_fit, run
from belated.comparisons.setting import MOST_ROUNDS, MOST_SEEDS, Entry, Setting, first_decision, is_label
from belated.core import checks
from belated.core.errors import InvalidArgument, MissingVerb
from belated.delays import DelayLaw, Fixed
from belated.domains.base import Domain
from belated.learners import Learner
from belated.sim.plan import chosen_seeds, plan_of
from belated.sim.problems import Problem
from belated.sim.seed_stream import SeedStream
from belated.sim.simulation import check_problem
from belated.sim.watching import is_shown

Contender = Learner | Callable[..., Learner]
"""A learner, or a named algorithm that is to have what its theory recommends."""


def compare(
    learners: Mapping[str, Contender],
    problem: Problem,
    delays: DelayLaw | Mapping[str, DelayLaw],
    rounds: int = 1000,
    seeds: int | Iterable[int] = 20,
    *,
    domain: Domain | None = None,
    measure: str = "regret",
    initial: ArrayLike | Mapping[str, ArrayLike] | None = None,
    title: str | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Run learners beside each other, on the same losses and delays, and rank them with confidence intervals.

    Losses, problems, laws of delay and learners may be your own. Ctrl-C ends a comparison early, with the seeds that
    are finished.

    Args:
        learners: Learners by the names that they have in the results. In place of a learner there may stand a named
            algorithm, such as ``bl.gold``: it is made by :func:`recommended` for this problem, with the delays and
            losses of the first seed.
        problem: What is to be learned: anything with a ``loss`` and ``rows(seed, rounds)`` or ``sampler(seed)``.
        delays: The law of delay, or a mapping with a law for each learner.
        rounds: How many rounds each run has.
        seeds: How many seeds, counted from 0, or the seeds themselves.
        domain: Where decisions lie. The default is the domain of the learners that are given or, if only algorithms
            are given, the problem's own.
        measure: What is ranked by: ``"regret"`` against the best fixed decision, ``"dynamic-regret"`` for a problem
            with ``comparators``, or ``"loss"``. Less is better.
        initial: The first decision, or a mapping from names of learners to theirs; a number stands for every entry.
            The default is the centre of the domain. A learner that looks around starts as near to it as it can.
        title: A line for the head of the figure. The default says what is ranked.
        workers: How many threads run side by side. The default is one for each core. No bit depends on it.
        progress: Whether to show bars on the standard error. The default is to do so on a terminal.

    Returns:
        The ranking, the curves, and ways to show, write and save them.

    Raises:
        InvalidArgument: An argument is wrong, the problem's rows are not what its loss takes, or a learner does not fit
            the problem. Nothing has been run then. Or no decision is the best fixed one, because the losses of a seed
            fall without end on an unbounded domain, which is found after the last round; ``measure="loss"`` needs none.
        NumericalFailure: A number was not finite, or too large, as for :func:`simulate`.
        OutsideDomain: A learner has played a point that is not in its domain, as for :func:`simulate`.
        KeyboardInterrupt: Somebody pressed Ctrl-C before anything was finished.

    Example:
        >>> import belated as bl
        >>> learners = {"DOGD-SC": bl.dogd_sc(bl.Ball(2), strong_convexity=2.0), "DDA": bl.dda}
        >>> result = bl.compare(learners, bl.problems.RandomQuadratic(2), bl.delays.Fixed(3), rounds=40, seeds=3)
        >>> [(standing.rank, standing.learner) for standing in result.ranking]
        [(1, 'DDA'), (2, 'DOGD-SC')]
    """
    where = "compare"
    number = checks.count(where, "rounds", rounds, most=MOST_ROUNDS)
    numbers = chosen_seeds(where, seeds, MOST_SEEDS, MOST_ROUNDS)
    _check_names(learners)
    given = next((each.domain for each in learners.values() if isinstance(each, Learner)), None)
    check_problem(where, problem)
    common = chosen_domain(where, problem, given if domain is None else domain)
    check_length(where, problem, number)
    _check_rows(problem, numbers[0])
    laws, usual = _laws(delays, learners, number)
    chosen_measure = _measure(measure, problem)
    made = _made(learners, problem, common, laws, number, numbers[0])
    starts = _starts(initial, made)
    for name, learner in made.items():
        _check_fit(name, learner, problem, common, numbers[0])
    entries = {name: Entry(learner, starts[name], laws[name]) for name, learner in made.items()}
    line = _title(title, f"{chosen_measure.title} of {len(made)} learner{'s' if len(made) > 1 else ''}")
    setting = Setting(line, number, numbers, chosen_measure, problem, common, usual, entries)
    threads = None if workers is None else checks.count(where, "workers", workers)
    return run(setting, progress=is_shown(progress), workers=threads)


def _check_names(learners: Any) -> None:
    wanted = "must map one or more names to learners, such as dogd_sc(...), or to named algorithms, such as dogd_sc"
    if not isinstance(learners, Mapping) or not learners:
        checks.refuse("compare", "learners", learners, wanted)
    for name, learner in learners.items():
        if not is_label(name):
            checks.refuse("compare", "learners", {name: learner}, "must have names that can be printed")
        if not (isinstance(learner, Learner) or callable(learner)):
            checks.refuse("compare", "learners", {name: learner}, wanted)


def _made(
    learners: Mapping[str, Contender],
    problem: Problem,
    domain: Domain,
    laws: Mapping[str, DelayLaw],
    rounds: int,
    seed: int,
) -> dict[str, Learner]:
    """The learners, those that are algorithms made as theory recommends; only then need the facts be known."""
    made = {name: each for name, each in learners.items() if isinstance(each, Learner)}
    algorithms = {name: each for name, each in learners.items() if name not in made}
    if algorithms:
        knowledge = Knowledge(problem, domain, facts_of(problem, domain, laws[next(iter(algorithms))], rounds, seed))
        for name, algorithm in algorithms.items():
            made[name] = tuned("compare", "learners", algorithm, knowledge.under(laws[name], seed), {})
    return {name: made[name] for name in learners}


def _check_rows(problem: Problem, seed: int) -> None:
    """Draw one row, so that a problem which is wrong by itself is not taken for a learner that does not fit it."""
    plan = plan_of(1, problem.loss.row_size, np.array([1]))
    next(SeedStream(problem, problem.loss, Fixed(1), seed, plan, "compare").chunks(1))


def _check_fit(name: str, learner: Learner, problem: Problem, domain: Domain, seed: int) -> None:
    if learner.domain != domain:
        checks.refuse("compare", "learners", name, f"must have the domain of the comparison, {domain!r}")
    try:
        check_fit(name, learner, problem, seed)
    except (InvalidArgument, MissingVerb) as error:  # others say themselves which part has failed
        checks.refuse("compare", "learners", name, f"does not fit the problem: {error}")


def _laws(
    delays: DelayLaw | Mapping[str, DelayLaw], learners: Mapping[str, Any], rounds: int
) -> tuple[dict[str, DelayLaw], DelayLaw]:
    """The law of each learner, and the one that most of them have."""
    laws = dict(delays) if isinstance(delays, Mapping) else dict.fromkeys(learners, delays)
    if set(laws) != set(learners):
        odd = next(name for name in [*laws, *learners] if (name in laws) != (name in learners))
        checks.refuse(
            "compare", "delays", delays, f"must have a law for each learner and no others, which is not so of {odd!r}"
        )
    for law in laws.values():
        if not isinstance(law, DelayLaw):
            checks.refuse("compare", "delays", law, "must be a law of delay, such as Geometric(5)")
        check_length("compare", law, rounds)
    return laws, Counter(laws[name] for name in learners).most_common(1)[0][0]


def _measure(name: Any, problem: Problem) -> Measure:
    if not isinstance(name, str) or name not in MEASURES:
        checks.refuse("compare", "measure", name, f"must be one of {', '.join(MEASURES)}")
    if not MEASURES[name].fits(problem):
        checks.refuse("compare", "measure", name, "needs a problem whose optimum moves, with `comparators`")
    return MEASURES[name]


def _starts(initial: Any, learners: Mapping[str, Learner]) -> dict[str, Any]:
    own = initial if isinstance(initial, Mapping) else dict.fromkeys(learners, initial)
    for name in own:
        if name not in learners:
            checks.refuse(
                "compare", "initial", {name: own[name]}, f"must name learners, which are {', '.join(learners)}"
            )
    return {name: first_decision("compare", own.get(name), learner) for name, learner in learners.items()}


def _title(title: Any, usual: str) -> str:
    if title is not None and not is_label(title):
        checks.refuse("compare", "title", title, "must be a text in one line that can be printed")
    return usual if title is None else str(title)
