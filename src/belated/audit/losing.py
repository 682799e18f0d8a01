"""What all proofs have in common: gradients that are the losses' own, convexity, and regret."""

from __future__ import annotations

import numpy as np

from belated.audit.arrivals import Arrivals
from belated.audit.certificate import Step
from belated.audit.evaluating import gradients, losses_at
from belated.audit.run import Run
from belated.audit.stating import Label, equal, every, lengths, once, products
from belated.core.arrays import Integers, Matrix, Vector


def rounds_of(run: Run) -> Integers:
    """The numbers of all rounds, 1 to T."""
    return np.arange(1, run.rounds + 1)


def gradient_step(run: Run, source: str, regulariser: float = 0.0) -> Step:
    """What was told of round t is the gradient of f_t at x_t, without that of a known regulariser."""
    own = gradients(run) - regulariser * run.decisions[:-1]
    statement = "g_t is the gradient of f_t at x_t" if regulariser == 0.0 else "g_t is the gradient of l_t at x_t"
    size = lengths(own) + lengths(run.feedback)
    label = Label("gradient", source, statement)
    return equal(label, run.feedback, own, size + size.max(), rounds_of(run))


def norms_step(gradients: Matrix, lipschitz: float, source: str, statement: str = "|g_t| <= L") -> Step:
    """No gradient is longer than L: an assumption of the proof, which holds with equality if L was measured."""
    found = lengths(gradients)
    label = Label("gradient norms", source, statement)
    return every(label, found, np.full(found.size, lipschitz), found + lipschitz, np.arange(1, found.size + 1))


def longest_delay_step(seen: Arrivals, longest: float, source: str) -> Step:
    """No delay is longer than d: what the other steps need of it has slack, and may miss a false d."""
    ages = seen.of - np.arange(seen.rounds)
    label = Label("longest delay", source, "d_t <= d")
    return once(label, float(ages.max()), longest, longest, int(ages.argmax()) + 1)


def convexity_step(label: Label, run: Run, slope: Matrix, curvature: float) -> Step:
    r"""f_t(x_t) - f_t(u) <= <g_t, x_t - u> - (curvature / 2) \|x_t - u\|^2 in each round, u the best fixed decision."""
    x, best = run.decisions[:-1], run.comparator.point
    played, other = losses_at(run, x), losses_at(run, best[np.newaxis])
    linear, bowl = products(slope, x - best), curvature / 2.0 * lengths(x - best) ** 2
    size = np.abs(played) + np.abs(other) + lengths(slope) * lengths(x - best) + bowl
    return every(label, played - other, linear - bowl, size, rounds_of(run))


def regret_step(label: Label, run: Run, suffered: Vector, bound: float, more: float = 0.0) -> Step:
    """The regret is at most ``bound``. The loss of the best decision counts as small as its gap leaves possible.

    ``more`` is added to what is allowed for rounding.
    """
    best = run.comparator
    own = losses_at(run, best.point[np.newaxis])
    size = float(np.abs(suffered).sum() + np.abs(own).sum() + abs(bound))
    regret = float(suffered.sum()) - (best.value - best.gap)
    return once(label, regret, bound, size, int(np.argmax(suffered - own)) + 1, more)
