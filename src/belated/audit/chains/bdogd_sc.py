r"""The proof of Theorem 2 of Wan, Tu and Zhang, for BDOGD-SC: it is DOGD-SC on other losses.

With the estimate e_t of the gradient of f_t at x_t, BDOGD-SC is DOGD-SC on l_t(x) = f_t(x) + <e_t - grad f_t(x_t), x>
over X_delta. So the steps of Theorem 1 are checked for the estimates, and the others say what the estimates, probing
and shrinking cost. L bounds how steep f_t is, and M = L + sqrt(n) alpha delta / 2 how steep l_t is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.audit.arrivals import arrivals
from belated.audit.certificate import TOLERANCE, Step
from belated.audit.chain import Chain, Constants, unlike
from belated.audit.chains.dogd_sc import RATE, bound, finite, lemmas, proof_of, radius_step, strong_convexity, told_beta
from belated.audit.descent import definition
from belated.audit.evaluating import along_hull, basis, gradients, losses_at
from belated.audit.losing import longest_delay_step, regret_step, rounds_of
from belated.audit.run import Run
from belated.audit.stating import Label, equal, every, lengths, products
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain
from belated.learners import Learner

CLAIMS = {
    "strong_convexity": "beta, which every loss has; default: what the learner was told",
    "lipschitz": "L, a bound on how steep losses are; default: what the losses say of the run's rows on the domain",
    "smoothness": "alpha, a bound on the curvature of losses; default: likewise",
    "radius": "R, the radius of the domain about its centre; default: ``domain.outer_radius``",
    "inner_radius": "r, the radius of a ball about it inside the domain; default: ``domain.inner_radius``",
    "longest_delay": "d; default: the longest delay of the run",
}

PROOF = "proof of Theorem 2"

ROUNDED = 64.0 * float(np.finfo(np.float64).eps) / TOLERANCE
"""An estimate is a difference of values, divided by delta. Of values of size v it allows for an error of 64 eps v."""


def _probe_radius(learner: Learner) -> float:
    delta = getattr(getattr(learner.policy, "estimator", None), "probe_radius", None)
    if delta is None:
        unlike(learner, "a learner behind the coordinate estimator")
    return float(delta)


def _constants(run: Run, claimed: Constants) -> Constants:
    learner, domain = run.learner, run.learner.domain
    finite(learner, domain)
    steep, _, smooth = run.loss.constants(run.rows, domain)
    known = {
        "strong_convexity": told_beta(learner),
        "probe_radius": _probe_radius(learner),
        "lipschitz": steep,
        "smoothness": smooth,
        "radius": domain.outer_radius,
        "inner_radius": domain.inner_radius,
        "longest_delay": float(arrivals(run.delays).longest),
    }
    return known | claimed


class _Probing(NamedTuple):
    """What several steps need: the run, f_t at its decisions, the estimates and how far they are off, and constants."""

    run: Run
    domain: Domain
    centre: Vector
    estimates: Matrix
    errors: Matrix
    known: Constants

    @property
    def roughness(self) -> float:
        """sqrt(n) alpha delta / 2, by which an estimate may be off."""
        directions = math.sqrt(self.domain.hull_dim)
        return directions * self.known["smoothness"] * self.known["probe_radius"] / 2.0

    @property
    def shrunk_best(self) -> Vector:
        """The best fixed decision, moved towards the centre p of the domain as all of X is for X_delta."""
        share, middle = self.known["probe_radius"] / self.domain.inner_radius, self.domain.centre
        return np.asarray(middle + (1.0 - share) * (self.run.comparator.point - middle))


def _probing(run: Run, known: Constants) -> _Probing:
    domain, delta = run.learner.domain, known["probe_radius"]
    estimates = (run.feedback[:, 1:] - run.feedback[:, :1]) / delta @ basis(domain)
    errors = estimates - along_hull(domain, gradients(run))
    return _Probing(run, domain, losses_at(run, run.decisions[:-1]), estimates, errors, known)


def _values(probing: _Probing) -> Step:
    run, delta = probing.run, probing.known["probe_radius"]
    ways = np.vstack((np.zeros(run.loss.dim), delta * basis(probing.domain)))
    own = np.stack([losses_at(run, run.decisions[:-1] + way) for way in ways], axis=1)
    label = Label("values", "Algorithm 2", "what is told of round t is f_t at x_t and at x_t + delta e_i")
    size = np.abs(own).max(axis=1) + np.abs(run.feedback).max(axis=1)
    return equal(label, run.feedback, own, size + size.max(), rounds_of(run))


def _lemma_1(probing: _Probing) -> Step:
    off = lengths(probing.errors)
    rounded = ROUNDED * np.abs(probing.run.feedback).max(axis=1) / probing.known["probe_radius"]
    size = lengths(probing.estimates) + probing.roughness + rounded
    label = Label("Lemma 1", "Lemma 1", "|e_t - grad f_t(x_t)| <= sqrt(n) alpha delta / 2, e_t the estimate")
    return every(label, off, np.full(off.size, probing.roughness), size, rounds_of(probing.run))


def _bias(probing: _Probing) -> Step:
    away = probing.run.decisions[:-1] - probing.shrunk_best
    left, right = products(probing.errors, away), 2.0 * probing.roughness * probing.known["radius"]
    size = lengths(probing.errors) * lengths(away) + right
    label = Label("bias", PROOF, "(e_t - grad f_t(x_t)).(x_t - u) <= sqrt(n) alpha delta R, u = x* shrunk")
    return every(label, left, np.full(left.size, right), size, rounds_of(probing.run))


def _probes(probing: _Probing) -> Step:
    played, n = probing.run.feedback.mean(axis=1), probing.domain.hull_dim
    right = n / (n + 1.0) * probing.known["lipschitz"] * probing.known["probe_radius"]
    label = Label("probing", PROOF, "mean of f_t over the n + 1 points <= f_t(x_t) + n L delta / (n + 1)")
    size = np.abs(played) + np.abs(probing.centre) + right
    return every(label, played - probing.centre, np.full(played.size, right), size, rounds_of(probing.run))


def _shrinking(probing: _Probing) -> Step:
    run, known = probing.run, probing.known
    right = known["lipschitz"] * known["radius"] * known["probe_radius"] / known["inner_radius"]
    shrunk = losses_at(run, probing.shrunk_best[np.newaxis])
    best = losses_at(run, run.comparator.point[np.newaxis])
    label = Label("shrinking", PROOF, "f_t(u) - f_t(x*) <= L R delta / r, u = x* shrunk")
    size = np.abs(shrunk) + np.abs(best) + right
    return every(label, shrunk - best, np.full(best.size, right), size, rounds_of(run))


def _steps(run: Run, known: Constants) -> list[Step]:
    probing = _probing(run, known)
    beta, radius, longest = known["strong_convexity"], known["radius"], known["longest_delay"]
    steep, delta = known["lipschitz"] + probing.roughness, known["probe_radius"]
    proof = proof_of(run, run.learner.decision_domain, probing.estimates)
    start, *rest = definition(run, proof, "Algorithm 2", RATE, onto="X_delta")
    extra = 2.0 * probing.roughness * radius + known["lipschitz"] * (1.0 + radius / known["inner_radius"]) * delta
    allowed = bound(proof.arrivals, beta, steep, radius, longest) + extra * run.rounds
    statement = "average regret <= Theorem 1 with M for L, and (sqrt(n) alpha R + L R / r + L) delta T"
    return [
        start,
        _values(probing),
        *rest,
        _lemma_1(probing),
        strong_convexity(run, gradients(run), beta),
        *lemmas(proof, beta, steep, radius, longest),
        _bias(probing),
        _probes(probing),
        _shrinking(probing),
        longest_delay_step(proof.arrivals, longest, "Theorem 2"),
        radius_step("|x - p| <= R for every x in X, p its centre", run.learner.domain.outer_radius, radius),
        regret_step(Label("Theorem 2", "Theorem 2", statement), run, run.feedback.mean(axis=1), allowed),
    ]


CHAIN = Chain("bdogd_sc", "Theorem 2 of Wan, Tu and Zhang", CLAIMS, _constants, _steps)
