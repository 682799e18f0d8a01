r"""What all leaders have in common: x_t is the projection of an anchor, less the sum of what has arrived over a weight.

With Z_t the sum of the gradients received when x_t is chosen and K_t the weight, x_t minimises <Z_t, x> + (K_t / 2)
\|x - anchor\|^2 on X. The proofs compare it with v_t, which lacks only the gradient of its own round, and y_t, which
lacks none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belated.audit.arrivals import Arrivals
from belated.audit.certificate import Step
from belated.audit.evaluating import along_hull, projected
from belated.audit.run import Run
from belated.audit.stating import Label, equal, every, lengths, products
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain


class Leading(NamedTuple):
    """The quantities of the proof, for the rounds 1, ..., T.

    Args:
        domain: Where decisions lie.
        arrivals: The counts.
        anchor: What the leader is held at.
        weight: K_1, ..., K_{T+1}, one more than the others.
        g: g_1, ..., g_T along the hull of the domain.
        received: Z_1, ..., Z_{T+1}.
    """

    domain: Domain
    arrivals: Arrivals
    anchor: Vector
    weight: Vector
    g: Matrix
    received: Matrix

    @property
    def decided(self) -> Matrix:
        """x_1, ..., x_{T+1} by the formula."""
        return self._minimiser(self.received, self.weight)

    @property
    def without_own(self) -> Matrix:
        """v_1, ..., v_T: the leader that lacks the gradient of its own round only."""
        return self._minimiser(self.g.cumsum(axis=0) - self.g, self.weight[:-1])

    @property
    def with_all(self) -> Matrix:
        """y_1, ..., y_T: the leader that lacks nothing."""
        return self._minimiser(self.g.cumsum(axis=0), self.weight[:-1])

    def _minimiser(self, linear: Matrix, weight: Vector) -> Matrix:
        return projected(self.domain, self.anchor - linear / weight[:, np.newaxis])


def leading(run: Run, domain: Domain, seen: Arrivals, anchor: Vector, weight: Vector) -> Leading:
    """The quantities of a run whose leader has this anchor and these weights."""
    g = along_hull(domain, run.feedback)
    received = np.zeros((run.rounds + 1, domain.dim))
    received[1:] = seen.sums(g)[: run.rounds].cumsum(axis=0)
    return Leading(domain, seen, anchor, weight, g, received)


def definition(run: Run, proof: Leading, source: str, statement: str) -> list[Step]:
    """That x_1 lies in X, and that x_t is the first decision until something arrives and then that of the formula."""
    first = run.decisions[:1]
    waiting = int(min(proof.arrivals.busy[0], run.rounds + 1))
    wanted = proof.decided
    wanted[:waiting] = first
    led = lengths(proof.received) / proof.weight + float(np.linalg.norm(proof.anchor))
    return [
        equal(
            Label("start", source, "x_1 lies in X"),
            first,
            projected(proof.domain, first),
            2.0 * lengths(first),
            np.array([1]),
        ),
        equal(
            Label("leader", source, statement),
            run.decisions,
            wanted,
            lengths(run.decisions) + led,
            np.arange(1, run.rounds + 2),
        ),
    ]


def drift(proof: Leading, decided: Matrix, lipschitz: float, source: str, symbol: str) -> Step:
    r"""\|x_t - v_t\| <= L sigma_t / K_t in each round."""
    weight, missing = proof.weight[:-1], proof.arrivals.outstanding[:-1]
    led = lengths(proof.g).cumsum() / weight + 2.0 * float(np.linalg.norm(proof.anchor))
    label = Label("drift", source, f"|x_t - v_t| <= L sigma_t / {symbol}, v_t the leader with all earlier gradients")
    moved = lengths(decided - proof.without_own)
    return every(label, moved, lipschitz * missing / weight, led, np.arange(1, len(moved) + 1))


def one_gradient(proof: Leading, lipschitz: float, source: str, symbol: str) -> Step:
    r"""What one gradient can do: Phi_t(v_t) - min Phi_t <= L^2 / (2 K_t) in each round.

    Phi_t(x) is <g_1 + ... + g_t, x> + (K_t/2) \|x - anchor\|^2.
    """
    weight, linear = proof.weight[:-1], proof.g.cumsum(axis=0)
    ours, least = proof.without_own, proof.with_all
    far, near = lengths(ours - proof.anchor) ** 2, lengths(least - proof.anchor) ** 2
    left = products(linear, ours - least) + weight / 2.0 * (far - near)
    size = lengths(linear) * (lengths(ours) + lengths(least)) + weight / 2.0 * (far + near)
    label = Label("one gradient", source, f"Phi_t(v_t) - min Phi_t <= L^2 / (2 {symbol})")
    return every(label, left, lipschitz**2 / (2.0 * weight), size, np.arange(1, len(left) + 1))
