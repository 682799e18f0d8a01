"""``worst_case``: delays and losses that bring the regret of a learner as near to its bound as a search can.

A regret bound holds for the worst losses and the worst delays, and ordinary runs lie far below it. Whether it can be
improved, and whether a learner is what its proof is about, is seen only near the bound. So this searches for a run
there, and what it finds can be run, drawn and kept like any other problem.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from belated.audit.adversaries import Adversary
from belated.audit.climbing import courses_of, search_of
from belated.audit.defaults import losses_of, losses_under
from belated.audit.found import WorstCase, found_case
from belated.audit.run_bounds import promise_of
from belated.audit.stage import checked_learner, contest_of, press_for
from belated.core import checks
from belated.learners import Learner
from belated.sim.plan import chosen_seeds
from belated.sim.watching import bar_of
from belated.sim.workers import cores, run_jobs
from belated.theory.bounds import Bound

__all__ = ["WorstCase", "worst_case"]

LONGEST = 10_000
"""The most rounds of a course: the search is quick for some dozens, and hopeless for so many."""

ROUNDING = 1e-9
"""By so much of it, L may be exceeded."""


def worst_case(
    learner: Learner,
    bound: Any,
    rounds: int,
    *,
    losses: Adversary | None = None,
    lipschitz: float | None = None,
    any_start: bool = False,
    steps: int = 2000,
    tries: int = 128,
    seeds: int | Iterable[int] = 4,
    workers: int | None = None,
    progress: bool | None = None,
) -> WorstCase:
    """Search for the delays and losses that bring the learner's regret nearest to its bound.

    All gradients have the norm L and lie on one line through the centre of the domain. For up to six rounds all delays
    and signs are tried. For more, climbs change a course at random, again and again, and keep what is worse for the
    learner. A ratio above 1 proves that the bound does not hold for this learner; a ratio below 1 proves nothing.

    The search is compiled if it is long, and its climbs run side by side. What it finds depends on ``seeds``,
    ``steps`` and ``tries``, and on nothing else.

    Args:
        learner: The learner, with all of its constants. It is told gradients, does not play at random, and has a
            bounded domain.
        bound: What regret is compared with: a bound of :func:`~belated.theory.bounds.of`; a function of the delays,
            such as ``functools.partial(bl.bounds.dda, radius=1.0, lipschitz=1.0)``; an object with a method
            ``value(delays)``, or one with ``of_run(run)`` for bounds that need more than the delays, such as
            :class:`~belated.adversaries.AfterRun`. It must hold for gradients of norm L and, for climbs, for fewer
            rounds as well. Where it is infinite nothing is promised, and the ratio is 0.
        rounds: How many rounds the run has.
        losses: The family of losses, from :mod:`belated.adversaries`. Default: with a bound of ``bl.bounds.of``, the
            worst with the constants that it was made for; otherwise the worst that the learner's card allows, with the
            constants of the learner and ``lipschitz``.
        lipschitz: L, the norm of every gradient, for the default of ``losses``. Default: that of the bound, or 1. A
            bound of ``bl.bounds.of`` is about one L, and no other is taken with it.
        any_start: Whether the learner may start anywhere on the line. By default it starts at the centre, as some
            bounds assume, and as ``bl.bounds.of`` does without ``initial``. A bound of ``bl.bounds.of`` is then
            computed anew for each start; any other must hold for all of them.
        steps: How many lists of delays a climb tries at each of its lengths.
        tries: How many changes of signs are tried for each list of delays.
        seeds: How many climbs, or the seeds of them. Not used for up to six rounds.
        workers: How many threads run side by side. Default: one per core. The result does not depend on it.
        progress: Whether to show a bar on the standard error. Default: if that is a terminal.

    Returns:
        The run with the largest ratio of regret to bound: see :class:`WorstCase`.

    Raises:
        InvalidArgument: An argument cannot be used, the bound is no number above 0, or it promises nothing for any of
            the delays that were tried.
        NumericalFailure: A regret is not a finite number.
        KeyboardInterrupt: Ctrl-C.

    Example:
        >>> import belated as bl
        >>> learner = bl.dogd(bl.Ball(1), rate=0.5)
        >>> case = bl.worst_case(
        ...     learner, lambda d: bl.bounds.dogd(d, rate=0.5, diameter=2.0, lipschitz=1.0), rounds=4, any_start=True
        ... )
        >>> round(case.ratio, 6), case.signs.tolist(), case.initial.tolist()
        (1.0, [1, 1, 1, 1], [1.0])
        >>> bound = bl.bounds.of(learner, bl.losses.Constants(lipschitz=3.0, strong_convexity=0.0, smoothness=0.0))
        >>> bl.worst_case(learner, bound, rounds=4).losses
        Convex(lipschitz=3.0)
    """
    home, number = checked_learner("worst_case", learner), checks.count("worst_case", "rounds", rounds, most=LONGEST)
    size = checks.count("worst_case", "steps", steps), checks.count("worst_case", "tries", tries, least=0)
    named_seeds = list(chosen_seeds("worst_case", seeds))
    slope = None if lipschitz is None else checks.moderate("worst_case", "lipschitz", lipschitz)
    family = _default_losses(home, bound, slope) if losses is None else losses
    if not isinstance(family, Adversary):
        checks.refuse("worst_case", "losses", losses, "must be a family of bl.adversaries, such as Convex(1.0)")
    _check_steepness(bound, family)
    threads = cores() if workers is None else checks.count("worst_case", "workers", workers)
    contest = contest_of(home, family, promise_of(bound, anywhere=bool(any_start)), bool(any_start))
    courses = courses_of(contest, number, *size, named_seeds)
    with bar_of(courses, progress, unit="course") as bar:
        bar.set_description("preparing")
        loop = press_for(contest, number, courses)
        bar.set_description("searching")
        outcomes = run_jobs(search_of(contest, number, *size, named_seeds, loop), threads, bar.update)
    done = [outcome for outcome in outcomes if outcome is not None]
    if len(done) < len(outcomes):
        raise KeyboardInterrupt
    best = max(done, key=lambda found: found.ratio)
    if best.bound == math.inf:
        checks.refuse("worst_case", "bound", best.bound, "must promise something for some of the delays that are tried")
    return found_case(contest, best, courses, loop)


def _default_losses(learner: Learner, bound: Any, lipschitz: float | None) -> Adversary:
    """Those that the bound was made for, or those of the learner's card."""
    known = bound.losses if isinstance(bound, Bound) else None
    if known is None:
        return losses_of(learner, lipschitz or 1.0)
    if lipschitz is not None and lipschitz != known.lipschitz:
        wanted = f"must be that of the bound, {known.lipschitz:g}; for another L make another bound by bl.bounds.of"
        checks.refuse("worst_case", "lipschitz", lipschitz, wanted)
    return losses_under(learner, known)


def _check_steepness(bound: Any, family: Adversary) -> None:
    """Refuse gradients that are longer than those which a bound is about: a ratio above 1 would prove nothing."""
    known = bound.losses if isinstance(bound, Bound) else None
    if known is not None and family.lipschitz > known.lipschitz * (1.0 + ROUNDING):
        wanted = f"must have gradients of at most the norm that the bound is about, {known.lipschitz:g}"
        checks.refuse("worst_case", "losses", family, wanted)
