r"""What all descent has in common: x'_{t+1} = x_t - G_t / h_t, and x_{t+1} its projection.

G_t is the sum of the gradients that arrive in round t, and h_t one over the rate, computed here from the delays by the
definition of the algorithm. If nothing arrives, x_{t+1} = x_t.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.audit.arrivals import Arrivals
from belated.audit.certificate import Step
from belated.audit.evaluating import along_hull, projected
from belated.audit.run import Run
from belated.audit.stating import Label, equal, every, lengths
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain


class Descent(NamedTuple):
    """The quantities of the proof, with those of the virtual rounds.

    Args:
        domain: Where decisions lie.
        arrivals: The counts.
        x: x_1, x_2, ... up to the one after the last virtual round.
        g: g_1, ..., g_T along the hull of the domain: what lies across it moves nothing.
        total: G_t for every round, virtual ones included.
        h: h_t likewise, by the definition.
    """

    domain: Domain
    arrivals: Arrivals
    x: Matrix
    g: Matrix
    total: Matrix
    h: Vector

    @property
    def steps(self) -> Vector:
        r"""\|F_t\| / h_t, and 0 in rounds without arrivals."""
        share = np.zeros(self.h.size)
        busy = self.arrivals.number > 0
        share[busy] = self.arrivals.number[busy] / self.h[busy]
        return share

    @property
    def between(self) -> Vector:
        r"""For each round t, the sum of \|F_i\| / h_i over the rounds i = t, ..., t' - 1 in which it is awaited."""
        before = np.concatenate(([0.0], self.steps.cumsum()))
        return np.asarray(before[self.arrivals.of - 1] - before[: self.arrivals.rounds])

    @property
    def now(self) -> Matrix:
        """x_t for t = 1..T."""
        return self.x[: self.arrivals.rounds]

    @property
    def then(self) -> Matrix:
        """x_{t'} for t = 1..T: the decision of the round in which the feedback of round t arrives."""
        return self.x[self.arrivals.of - 1]


def descent(run: Run, domain: Domain, gradients: Matrix, seen: Arrivals, h: Vector) -> Descent:
    """The decisions of the run, and the virtual ones that follow from them by the definition."""
    g = along_hull(domain, gradients)
    total, last = seen.sums(g), seen.number.size
    x = np.empty((last + 1, domain.dim))
    x[: run.rounds + 1] = run.decisions
    for t in range(run.rounds, last):  # all of them have arrivals
        x[t + 1] = projected(domain, (x[t] - total[t] / h[t])[np.newaxis])[0]
    return Descent(domain, seen, x, g, total, h)


def definition(run: Run, proof: Descent, source: str, rate: str, onto: str = "X") -> list[Step]:
    """The steps that say that the run is one of the algorithm: what it does in each of the rounds 1 to T.

    ``onto`` is what the domain of the decisions is called.
    """
    busy = proof.arrivals.busy[proof.arrivals.busy <= run.rounds]
    quiet = np.setdiff1d(np.arange(1, run.rounds + 1), busy)
    x, after, h = run.decisions[busy - 1], run.decisions[busy], proof.h[busy - 1]
    told = proof.total[busy - 1]
    first = run.decisions[:1]
    found = [
        equal(
            Label("start", source, f"x_1 lies in {onto}"),
            first,
            projected(proof.domain, first),
            2.0 * lengths(first),
            np.array([1]),
        ),
        equal(
            Label("rest", source, "x_{t+1} = x_t if nothing arrives"),
            run.decisions[quiet - 1],
            run.decisions[quiet],
            lengths(run.decisions[quiet - 1]),
            quiet,
        ),
    ]
    if run.inverse_rates is not None:
        label = Label("rate", source, rate)
        found.append(equal(label, run.inverse_rates[busy - 1, np.newaxis], h[:, np.newaxis], h, busy))
    led = x - told / h[:, np.newaxis]
    if run.unprojected is not None:
        label = Label("step", source, "h_t (x_t - x'_{t+1}) = sum of g_k over F_t")
        free = along_hull(proof.domain, x - run.unprojected[busy - 1])
        size = h * (lengths(x) + lengths(run.unprojected[busy - 1])) + lengths(told) + _sizes(proof)[busy - 1]
        found.append(equal(label, h[:, np.newaxis] * free, told, size, busy))
        led = run.unprojected[busy - 1]
    label = Label("projection", source, f"x_{{t+1}} is the projection of x'_{{t+1}} onto {onto}")
    nearest = projected(proof.domain, led)
    found.append(equal(label, after, nearest, lengths(led) + lengths(x) + lengths(after), busy))
    return found


def _sizes(proof: Descent) -> Vector:
    """For each round, the sum of the lengths of the gradients that arrive in it."""
    return proof.arrivals.sums(lengths(proof.g)[:, np.newaxis])[:, 0]


def drift(proof: Descent, lipschitz: float, source: str, statement: str) -> Step:
    r"""\|x_{t'} - x_t\| is at most L times the sum of \|F_i\| / h_i over the rounds in between, for each t."""
    now, then = proof.now, proof.then
    size = lengths(now) + lengths(then) + lipschitz * proof.steps.cumsum()[proof.arrivals.of - 1]
    moved = lengths(then - now)
    label = Label("drift", source, statement)
    return every(label, moved, lipschitz * proof.between, size, np.arange(1, proof.arrivals.rounds + 1))
