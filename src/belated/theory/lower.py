r"""What no learner can do better: lower bounds on the regret under given delays, to be drawn beside upper bounds.

Rounds are cut into blocks such that no feedback of a block comes before the block ends: from its first round on, a
block is as long as that allows. In all rounds of a block an adversary plays the same loss, which is drawn at random. So
whatever the learner does, it knows nothing of the block's loss until the block is over.

============================  ==================================================  =====================================
function                      losses                                              expected regret of any learner
============================  ==================================================  =====================================
``lower_convex``              <g, x>, g or -g along the diameter, \|g\| = L       at least Dm L / sqrt(8) sqrt(sum b^2)
``lower_strongly_convex``     (beta / 2) \|x - b\|^2, b one of two points at a    beta l^2 / 12 times the sum of
                              distance l, the first with a chance that is         b_j / (j + 1) + b_j^2 / T
                              itself drawn
============================  ==================================================  =====================================

b_j is the length of block j. For a fixed delay d the blocks have d rounds, so that the two are Dm L sqrt(d T / 8) and
of order d log(T / d). Learners may know the delays in advance, be told whole losses, and play at random. These are
bounds for the worst losses with the given constants. On the losses of one problem, a learner may have less regret.
Proved in ``docs/derivations/lower.md``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from belated.core import checks
from belated.core.arrays import Vector
from belated.domains.base import Domain
from belated.losses.base import Constants
from belated.theory.counts import positive
from belated.theory.finding import check_problem, constants_over
from belated.theory.prefixes import Prefixes, whole
from belated.theory.statement import PROVED_HERE, Bound, Statement


def lower(problem: Any, domain: Domain | None = None) -> Bound:
    """A lower bound on the regret of every learner, for the worst losses with the constants of a problem.

    Losses are strongly convex if those of the problem are, and linear otherwise.

    Args:
        problem: What has a method ``constants(domain)``, or the constants L, beta and alpha themselves.
        domain: The set that decisions come from; by default the problem's own. It must be bounded.

    Returns:
        A bound whose ``value(delays)`` and ``curve(delays)`` no learner can promise to stay below in expectation.

    Raises:
        InvalidArgument: The problem has no constants or no domain, the domain is unbounded or a single point, or L is
            infinite.

    Example:
        >>> import belated as bl
        >>> late = lower(bl.problems.RandomQuadratic(10))
        >>> late.name, round(late.value([4] * 1000), 2)
        ('lower_strongly_convex', 16.28)
    """
    check_problem("bounds.lower", problem)
    home = getattr(problem, "domain", None) if domain is None else domain
    if domain is None and home is None and not isinstance(problem, Constants):
        checks.refuse("bounds.lower", "problem", problem, "must be a problem with a domain, or domain must be given")
    if not isinstance(home, Domain) or not 0.0 < home.diameter < math.inf:
        checks.refuse("bounds.lower", "domain", domain, "must be a bounded domain with more than one element")
    losses = constants_over("bounds.lower", problem, home)
    if not math.isfinite(losses.lipschitz) or losses.lipschitz <= 0.0:
        checks.refuse("bounds.lower", "problem", problem, "must have losses with a finite L > 0 over the domain")
    length = _room(home, losses)
    if length > 0.0:
        known = {"strong_convexity": losses.strong_convexity, "length": length}
        return Bound(_STRONGLY_CONVEX, known, None, type(losses) is not Constants, losses)
    known = {"diameter": home.diameter, "lipschitz": losses.lipschitz}
    return Bound(_CONVEX, known, None, type(losses) is not Constants, losses)


def lower_convex(delays: ArrayLike, *, diameter: float, lipschitz: float) -> float:
    """The number Dm L sqrt(sum of b_j^2 / 8), below which no learner can keep its expected regret on convex losses.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        diameter: Dm, the diameter of the domain.
        lipschitz: L, the norm of the gradients of the losses, which are linear.

    Returns:
        The lower bound after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> lower_convex([2] * 8, diameter=2.0, lipschitz=1.0)              # four blocks of two rounds: 2 sqrt(16 / 8)
        2.8284271247461903
    """
    across, slope = positive("lower_convex", diameter=diameter, lipschitz=lipschitz)
    return float(_convex_curve(whole("lower_convex", delays), across, slope)[0])


def lower_strongly_convex(delays: ArrayLike, *, strong_convexity: float, length: float) -> float:
    """The number beta l^2 / 12 sum_j (b_j / (j + 1) + b_j^2 / T), a lower bound for strongly convex losses.

    Args:
        delays: The delays of all rounds of the run, in order of play, each at least 1.
        strong_convexity: beta: the losses are beta / 2 times a squared distance.
        length: l, the distance of the two points from which the losses measure it. Both lie in the domain, so l is at
            most its diameter; gradients are as long as beta times the largest distance from one of the points.

    Returns:
        The lower bound after the last of these rounds.

    Raises:
        InvalidArgument: A delay is not a whole number of at least 1, or a constant is not positive and moderate.

    Example:
        >>> round(lower_strongly_convex([1, 1], strong_convexity=12.0, length=1.0), 6)     # 1 + 1/2 + 1/3
        1.833333
    """
    where = "lower_strongly_convex"
    beta, apart = positive(where, strong_convexity=strong_convexity, length=length)
    return float(_strongly_convex_curve(whole(where, delays), beta, apart)[0])


def _room(domain: Domain, losses: Constants) -> float:
    """How far apart two points can be so that (beta / 2) |x - b|^2 has gradients of at most L; 0 without curvature.

    If L is large enough the points are the ends of the diameter. Otherwise they lie on both sides of the centre.
    """
    if losses.strong_convexity <= 0.0:
        return 0.0
    reach = losses.lipschitz / losses.strong_convexity
    if reach >= domain.diameter:
        return float(domain.diameter)
    return 2.0 * max(0.0, min(domain.inner_radius, reach - domain.outer_radius))


class _Blocks(NamedTuple):
    """For each prefix the number of its last block, that block's length up to there, and two sums over those before."""

    number: Vector
    length: Vector
    shares: Vector
    squares: Vector


def _blocks(seen: Prefixes) -> _Blocks:
    """Cut the rounds into blocks; entries of ``shares`` are sums of b_j / (j + 1), of ``squares`` sums of b_j^2."""
    starts, soonest = [], 0
    for t, end in enumerate(seen.ends.tolist(), start=1):
        if t > soonest:
            starts.append(t)
            soonest = end
        elif end < soonest:
            soonest = end
    first = np.array(starts)
    number = np.searchsorted(first, seen.rounds, side="right")
    lengths = np.diff(first).astype(np.float64)
    shares = np.concatenate((np.zeros(1), np.cumsum(lengths / np.arange(2, lengths.size + 2))))
    squares = np.concatenate((np.zeros(1), np.cumsum(lengths * lengths)))
    last = seen.rounds - first[number - 1] + 1.0
    return _Blocks(number.astype(np.float64), last, shares[number - 1], squares[number - 1])


def _convex_curve(seen: Prefixes, diameter: float, lipschitz: float) -> Vector:
    cut = _blocks(seen)
    curve: Vector = diameter * lipschitz * np.sqrt((cut.squares + cut.length**2) / 8.0)
    return curve


def _strongly_convex_curve(seen: Prefixes, strong_convexity: float, length: float) -> Vector:
    cut = _blocks(seen)
    late = cut.shares + cut.length / (cut.number + 1.0) + (cut.squares + cut.length**2) / seen.rounds
    curve: Vector = strong_convexity * length * length / 12.0 * late
    return curve


def _not_read(_: Any) -> None:
    """Lower bounds are about all learners, so that there is none to read constants off."""


_PAGE = "docs/derivations/lower.md"
_CONVEX = Statement(
    "lower_convex",
    r"\frac{D_m L}{\sqrt 8} \sqrt{\sum_j b_j^2},\quad b_j \text{ the lengths of blocks within which nothing is heard}",
    f"{_PAGE}, statement 1",
    PROVED_HERE,
    _not_read,
    _convex_curve,
)
_STRONGLY_CONVEX = Statement(
    "lower_strongly_convex",
    r"\frac{\beta l^2}{12} \sum_j \Bigl(\frac{b_j}{j + 1} + \frac{b_j^2}{T}\Bigr)",
    f"{_PAGE}, statement 2",
    PROVED_HERE,
    _not_read,
    _strongly_convex_curve,
)
