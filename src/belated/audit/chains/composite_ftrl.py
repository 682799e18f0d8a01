r"""The proof of ``docs/derivations/composite_ftrl.md``, statement 1 with its term for other starts; statements 2 and 3.

Losses are f_t(x) = l_t(x) + (lambda/2) \|x\|^2, and g_t is the gradient of l_t. The anchor is the origin and the weight
K_t = lambda t + a_t, where a_t is the positive solution of a_t P = A_{t-1} + c_t / (lambda t + a_t), A_t being the sum
of c_i / K_i; without ``lipschitz`` it is 0. h_t(x) is <g_t, x> + (lambda/2) \|x\|^2, and z the element of X nearest to
the origin, which formula (1) of the page plays until something arrives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.audit.arrivals import Arrivals, arrivals
from belated.audit.certificate import Step
from belated.audit.chain import Chain, Constants, unlike
from belated.audit.evaluating import along_hull, losses_at
from belated.audit.leading import Leading, definition, drift, leading, one_gradient
from belated.audit.losing import convexity_step, gradient_step, norms_step, regret_step, rounds_of
from belated.audit.run import Run
from belated.audit.stating import Label, every, lengths, products, total
from belated.core.arrays import Matrix, Vector
from belated.learners import Learner

CLAIMS = {
    "lipschitz": "L, a bound on the gradients of l_t; default: what the learner was told, or the longest that it was",
    "radius": "R, a bound on the norms of decisions; default: the norm of the centre plus the outer radius",
}


class Weighting(NamedTuple):
    """The weight of the learner: lambda, and P, L and kappa, of which P is 0 if nothing holds it."""

    regulariser: float
    reach: float
    lipschitz: float
    caution: float


def _weighting(learner: Learner) -> Weighting:
    step = getattr(getattr(learner.policy, "arrivals", None), "step", None)
    mu = getattr(getattr(step, "bowl", None), "curvature", None)
    if mu is None:
        unlike(learner, "a leader that knows its regulariser")
    own, reach = getattr(step.weight, "own", 0.0), getattr(step.weight, "reach", 0.0)  # type: ignore[union-attr]
    if reach == 0.0:
        return Weighting(float(mu), 0.0, 0.0, 0.0)
    lipschitz, radius = math.sqrt(2.0 * own), math.sqrt(2.0 * reach)
    return Weighting(float(mu), reach, lipschitz, step.weight.late / ((lipschitz + mu * radius) * lipschitz))  # type: ignore[union-attr]


def _constants(run: Run, claimed: Constants) -> Constants:
    held, domain = _weighting(run.learner), run.learner.domain
    seen = float(lengths(along_hull(domain, run.feedback)).max())
    lipschitz = claimed.get("lipschitz", held.lipschitz or seen)
    nearest = float(np.linalg.norm(domain.project(np.zeros(domain.dim))))
    bounded = float(np.linalg.norm(domain.centre)) + domain.outer_radius
    radius = bounded if math.isfinite(bounded) else nearest + lipschitz / held.regulariser
    known = {"regulariser": held.regulariser, "caution": held.caution, "lipschitz": lipschitz, "radius": radius}
    return known | claimed


def _weights(held: Weighting, seen: Arrivals) -> Vector:
    """a_1, ..., a_{T+1}, each solved for from its definition."""
    found = np.zeros(seen.rounds + 1)
    if held.reach == 0.0:
        return found
    own, radius = held.lipschitz**2 / 2.0, math.sqrt(2.0 * held.reach)
    late = held.caution * (held.lipschitz + held.regulariser * radius) * held.lipschitz
    spent = 0.0
    for t, missing in enumerate(seen.outstanding.tolist(), start=1):
        certain, charge = held.regulariser * t, own + late * missing
        found[t - 1] = _positive_root(held.reach, held.reach * certain - spent, spent * certain + charge)
        spent += charge / (certain + found[t - 1])
    return found


def _positive_root(square: float, linear: float, constant: float) -> float:
    """The positive a with square a^2 + linear a = constant, in the form that does not cancel."""
    root = math.sqrt(linear**2 + 4.0 * square * constant)
    return 2.0 * constant / (linear + root) if linear > 0.0 else (root - linear) / (2.0 * square)


class _Sides(NamedTuple):
    """What several steps need: the proof, the decisions of formula (1), and lambda, L and R."""

    run: Run
    proof: Leading
    decided: Matrix
    mu: float
    lipschitz: float
    radius: float

    def surrogate(self, points: Matrix) -> Vector:
        """h_t at the t-th point."""
        return np.asarray(products(self.proof.g, points) + self.mu / 2.0 * lengths(points) ** 2)

    @property
    def start_costs(self) -> Vector:
        """What each of the rounds until the first arrival may cost more than at z."""
        first, nearest = self.run.decisions[0], self.decided[0]
        apart = self.lipschitz * float(np.linalg.norm(first - nearest))
        more = self.mu / 2.0 * (float(first @ first) - float(nearest @ nearest))
        return np.full(min(int(self.proof.arrivals.busy[0]), self.run.rounds), apart + more)


def _first_decision(sides: _Sides) -> Step:
    statement = "h_t(x_1) - h_t(z) <= L |x_1 - z| + (lambda/2) (|x_1|^2 - |z|^2) until something arrives"
    played, instead = sides.surrogate(sides.run.decisions[:-1]), sides.surrogate(sides.decided)
    allowed, size = sides.start_costs, np.abs(played) + np.abs(instead)
    first = allowed.size
    label = Label("first decision", "step 7", statement)
    return every(label, (played - instead)[:first], allowed, size[:first] + allowed, rounds_of(sides.run)[:first])


def _cost_of_drift(sides: _Sides) -> Step:
    statement = "h_t(x_t) - h_t(v_t) <= (L + lambda R) |x_t - v_t|"
    lacking, decided = sides.proof.without_own, sides.decided
    left = sides.surrogate(decided) - sides.surrogate(lacking)
    right = (sides.lipschitz + sides.mu * sides.radius) * lengths(decided - lacking)
    size = np.abs(sides.surrogate(decided)) + np.abs(sides.surrogate(lacking)) + right
    return every(Label("cost of drift", "step 4", statement), left, right, size, rounds_of(sides.run))


def _decision_norms(sides: _Sides) -> Step:
    label = Label("decision norms", "setting", "|x_t| <= R and |v_t| <= R")
    found = np.maximum(lengths(sides.decided), lengths(sides.proof.without_own))
    return every(label, found, np.full(found.size, sides.radius), found + sides.radius, rounds_of(sides.run))


def _balance(costs: Vector, weights: Vector, held: Weighting) -> list[Step]:
    """Only of a weight that charges for what is missing."""
    if held.reach == 0.0 or held.caution == 0.0:
        return []
    shares = np.diff(np.concatenate(([0.0], weights[:-1]))) * held.reach / held.caution
    label = Label("balance", "step 6", "sum of c_t / (lambda t + a_t) <= a_T P / kappa")
    return [total(label, costs, shares)]


def _steps(run: Run, known: Constants) -> list[Step]:
    held, mu, lipschitz, radius = _weighting(run.learner), known["regulariser"], known["lipschitz"], known["radius"]
    seen, best, domain = arrivals(run.delays), run.comparator, run.learner.domain
    weights = _weights(held, seen)
    curved = mu * np.arange(1, run.rounds + 2) + weights
    proof = leading(run, domain, seen, np.zeros(domain.dim), curved)
    sides = _Sides(run, proof, proof.decided[:-1], mu, lipschitz, radius)
    charges = lipschitz**2 / 2.0 + (lipschitz + mu * radius) * lipschitz * seen.outstanding[:-1]
    costs = charges / curved[:-1]
    formula = "x_t minimises <sum of g received, x> + ((lambda t + a_t) / 2) |x|^2 on X"
    convex = "f_t(x_t) - f_t(u) <= h_t(x_t) - h_t(u) = g_t.(x_t - u) + (lambda/2) (|x_t|^2 - |u|^2)"
    statement = "R_T <= (a_T/2) |u|^2 + sum of c_t / (lambda t + a_t), and what the first decision costs"
    bound = weights[-2] / 2.0 * float(best.point @ best.point) + float(costs.sum() + sides.start_costs.sum())
    slope = run.feedback + mu * run.decisions[:-1]
    start, leader = definition(run, proof, "setting", formula)
    return [
        start,
        gradient_step(run, "setting", mu),
        leader,
        convexity_step(Label("convexity", "step 1", convex), run, slope, mu),
        _first_decision(sides),
        drift(proof, sides.decided, lipschitz, "step 4", "K_t"),
        _cost_of_drift(sides),
        _decision_norms(sides),
        one_gradient(proof, lipschitz, "step 3", "K_t"),
        norms_step(proof.g, lipschitz, "setting"),
        *_balance(costs, weights, held),
        # See dogd: the bound is that of the decision found.
        regret_step(Label("bound", "statement 1", statement), run, losses_at(run, run.decisions[:-1]), bound, best.gap),
    ]


CHAIN = Chain("composite_ftrl", "Statement 1 of docs/derivations/composite_ftrl.md", CLAIMS, _constants, _steps)
