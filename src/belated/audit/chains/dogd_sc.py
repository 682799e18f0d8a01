r"""The proof of Theorem 1 of Wan, Tu and Zhang, for DOGD-SC.

Lemmas have the numbers that they have in print; in the LaTeX source Lemma 2 is called lemA, Lemma 3 lem2 and Lemma 4
lem3. Lemma 2 holds for every x in X. Its left side is largest at the projection of mean(x_t) - sum g_t / (beta T),
because it is a quadratic of the same curvature in all directions, so it is checked there.
"""

from __future__ import annotations

import math

import numpy as np

from belated.audit.arrivals import Arrivals, arrivals
from belated.audit.certificate import Step
from belated.audit.chain import Chain, Constants, unlike
from belated.audit.descent import Descent, definition, descent, drift
from belated.audit.evaluating import along_hull, losses_at, projected
from belated.audit.losing import convexity_step, gradient_step, longest_delay_step, norms_step, regret_step
from belated.audit.run import Run
from belated.audit.stating import Label, every, lengths, once, products, total
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain
from belated.learners import Learner

CLAIMS = {
    "strong_convexity": "beta, which every loss has; default: what the learner was told",
    "lipschitz": "L, a bound on the norms of the gradients; default: the longest that was told",
    "radius": "R, half the largest distance of two decisions; default: half the diameter of the domain",
    "longest_delay": "d; default: the longest delay of the run",
}

RATE = "h_t = (beta / 2) N_t, N_t received by the end of round t"


def told_beta(learner: Learner) -> float:
    """The beta that the learner was told, from its rate."""
    rate = getattr(getattr(getattr(learner.policy, "arrivals", None), "step", None), "rate", None)
    beta = getattr(rate, "strong_convexity", None)
    if beta is None:
        unlike(learner, "descent whose rate has a strong convexity")
    return float(beta)


def finite(learner: Learner, domain: Domain) -> float:
    """Half the diameter of a bounded domain."""
    if not math.isfinite(domain.diameter):
        unlike(learner, "a learner on a bounded domain: the proof needs R")
    return domain.diameter / 2.0


def _constants(run: Run, claimed: Constants) -> Constants:
    learner, domain = run.learner, run.learner.domain
    longest = float(lengths(along_hull(domain, run.feedback)).max())
    known = {
        "strong_convexity": told_beta(learner),
        "lipschitz": longest,
        "radius": finite(learner, domain),
        "longest_delay": float(arrivals(run.delays).longest),
    }
    return known | claimed


def proof_of(run: Run, domain: Domain, gradients: Matrix) -> Descent:
    """The quantities of the proof, for the gradients that the steps are made with."""
    seen = arrivals(run.delays)
    h: Vector = told_beta(run.learner) / 2.0 * seen.received.astype(np.float64)
    return descent(run, domain, gradients, seen, h)


def lemmas(proof: Descent, beta: float, lipschitz: float, radius: float, longest: float) -> list[Step]:
    """Lemma 2, the drift, the bound on gradients that both use, both parts of Lemma 3, and Lemma 4."""
    statement = "|x_{t'} - x_t| <= L sum of |F_i| / h_i over i = t, ..., t' - 1"
    return [
        _lemma_2(proof, beta, lipschitz, radius, longest),
        drift(proof, lipschitz, "proof of Theorem 1", statement),
        norms_step(proof.g, lipschitz, "Assumption 1"),
        _lemma_3_first(proof, longest),
        *_logarithm(proof, beta),
    ]


def _lemma_2(proof: Descent, beta: float, lipschitz: float, radius: float, longest: float) -> Step:
    statement = (
        "sum g_t.(x_{t'} - x) - (beta/2) |x_t - x|^2 <= "
        "sum beta R |x_t - x_{t'}| + sum d |F_t| L^2 / (2 h_t), for every x in X"
    )
    now, then = proof.now, proof.then
    centre = now.mean(axis=0) - proof.g.mean(axis=0) / beta
    worst = projected(proof.domain, centre[np.newaxis])[0]
    left = products(proof.g, then - worst) - beta / 2.0 * lengths(now - worst) ** 2
    share = longest * lipschitz**2 / (2.0 * proof.h[proof.arrivals.of - 1])
    return total(Label("Lemma 2", "Lemma 2", statement), left, beta * radius * lengths(now - then) + share)


def _lemma_3_first(proof: Descent, longest: float) -> Step:
    statement = "sum over t of sum of |F_i| / h_i over i = t, ..., t' - 1 <= 2 d sum |F_t| / h_t"
    share = 2.0 * longest / proof.h[proof.arrivals.of - 1]
    return total(Label("Lemma 3, first part", "Lemma 3", statement), proof.between, share)


def _logarithm(proof: Descent, beta: float) -> list[Step]:
    """The second part of Lemma 3, and Lemma 4 on which it rests, for f(x) = 1 / x and sums s_t = 2 h_t / beta."""
    busy = proof.arrivals.busy
    steps, sums = proof.steps[busy - 1], 2.0 / beta * proof.h[busy - 1]
    received = proof.arrivals.received[busy - 1]
    counted = np.concatenate(([1.0], np.log1p(np.diff(received) / received[:-1])))
    integral = np.concatenate(([1.0], np.log1p(np.diff(sums) / sums[:-1])))
    second = "sum |F_t| / (2 h_t) <= (1/beta) (1 + ln(T / |F_s|))"
    fourth = "|F_t| / s_t <= integral of 1/x from s_{t-1} to s_t = 2 h_t / beta, and <= 1 at first"
    left = proof.arrivals.number[busy - 1] / sums
    return [
        total(Label("Lemma 3, second part", "Lemma 3", second), steps / 2.0, counted / beta, busy),
        every(Label("Lemma 4", "Lemma 4", fourth), left, integral, left + integral, busy),
    ]


def bound(seen: Arrivals, beta: float, lipschitz: float, radius: float, longest: float) -> float:
    """The bound of Theorem 1."""
    logarithm = 1.0 + math.log(seen.rounds / int(seen.number[seen.busy[0] - 1]))
    return (4.0 * beta * radius * lipschitz + 5.0 * lipschitz**2) * longest / beta * logarithm


def radius_step(statement: str, true: float, radius: float) -> Step:
    """Assumption 2, with the R that is claimed: of the run alone no step needs all of it."""
    return once(Label("radius", "Assumption 2", statement), true, radius, radius, None)


def strong_convexity(run: Run, slope: Matrix, beta: float) -> Step:
    """The first inequality of the proof: strong convexity in each round."""
    statement = "f_t(x_t) - f_t(x*) <= g_t.(x_t - x*) - (beta/2) |x_t - x*|^2"
    return convexity_step(Label("strong convexity", "proof of Theorem 1", statement), run, slope, beta)


def _steps(run: Run, known: Constants) -> list[Step]:
    beta, numbers = known["strong_convexity"], (known["lipschitz"], known["radius"], known["longest_delay"])
    proof = proof_of(run, run.learner.domain, run.feedback)
    start, *rest = definition(run, proof, "Algorithm 1", RATE)
    statement = "R_T <= (4 beta R L + 5 L^2) (d/beta) (1 + ln(T / |F_s|))"
    suffered: Vector = losses_at(run, run.decisions[:-1])
    return [
        start,
        gradient_step(run, "Algorithm 1"),
        *rest,
        strong_convexity(run, run.feedback, beta),
        *lemmas(proof, beta, *numbers),
        longest_delay_step(proof.arrivals, known["longest_delay"], "Theorem 1"),
        radius_step("half the diameter of X <= R", run.learner.domain.diameter / 2.0, known["radius"]),
        regret_step(Label("Theorem 1", "Theorem 1", statement), run, suffered, bound(proof.arrivals, beta, *numbers)),
    ]


CHAIN = Chain("dogd_sc", "Theorem 1 of Wan, Tu and Zhang", CLAIMS, _constants, _steps)
