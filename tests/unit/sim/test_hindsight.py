"""The best fixed decision: closed forms, the search, and above all the certificate."""

import math

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, lsq_linear, minimize

from belated.core.arrays import Matrix, Vector
from belated.core.compiling import compiled
from belated.core.errors import InvalidArgument, NumericalFailure
from belated.domains import EVERY, Ball, Box, Domain, Euclidean, Halfspace, Simplex
from belated.losses import Linear, Logistic, LogWealth, Loss, Quadratic, SquaredError, SquaredHinge
from belated.losses.base import value
from belated.sim.hindsight import (
    Adder,
    Best,
    Objective,
    Rounding,
    RowsTotal,
    accelerated,
    best_fixed,
    descend,
    prefix_bests,
)
from belated.sim.hindsight.certificate import certify
from belated.sim.hindsight.closed_forms import closed_form
from belated.sim.hindsight.objectives import add_losses
from belated.sim.hindsight.quadratics import QuadraticTotal
from belated.sim.tables import Given
from support.compiler import needs_compiler
from support.losses import described, members, random_semidefinite
from support.sums import quadratic_sum

DIM = 4
RNG = np.random.default_rng(41)
BOUNDED = [d for d in (family.example(DIM) for family in EVERY) if math.isfinite(d.diameter)]
QUADRATICS: list[Loss] = [
    Quadratic(DIM, 2.0),
    Quadratic(DIM, 0.0),
    Quadratic(DIM, np.array([0.0, 0.01, 1.0, 5.0])),
    Quadratic(DIM, random_semidefinite(RNG, DIM, DIM)),
    Quadratic(DIM, random_semidefinite(RNG, DIM, 2)),
    Quadratic(DIM, random_semidefinite(RNG, DIM, 2), l2=0.05),
    SquaredError(DIM),
    Linear(DIM, l2=0.3),
]
OTHERS: list[Loss] = [Logistic(DIM, l2=0.01), Logistic(DIM), SquaredHinge(DIM)]


def rows_of(loss: Loss, rounds: int = 30) -> Matrix:
    return loss.example_rows(np.random.default_rng(6), rounds)


def rows_total(loss: Loss, rows: Matrix, domain: Domain) -> RowsTotal:
    return RowsTotal(Adder(loss), Given(rows), len(rows), loss.constants(rows, domain))


def summed(loss: Loss, rows: Matrix, point: Vector) -> float:
    return math.fsum(value(loss, row, point) for row in rows)


def slsqp_minimum(loss: Loss, rows: Matrix, domain: Domain) -> float:
    """The minimum as another solver finds it: an upper bound of the true one, and close to it."""
    constraints: list[object] = []
    bounds = None
    if isinstance(domain, Ball):
        constraints = [{"type": "ineq", "fun": lambda x: domain.radius**2 - np.sum((x - domain.centre) ** 2)}]
    elif isinstance(domain, Box):
        bounds = list(zip(domain.lower, domain.upper, strict=True))
    elif isinstance(domain, Simplex):
        constraints = [LinearConstraint(np.ones((1, domain.dim)), domain.total, domain.total)]
        bounds = [(domain.floor, None)] * domain.dim
    found = minimize(
        lambda x: sum(value(loss, row, x) for row in rows),
        np.array(domain.centre),
        jac=lambda x: sum(loss.gradient(row, x) for row in rows),
        method="SLSQP",
        constraints=constraints,
        bounds=bounds,
        options={"ftol": 1e-13, "maxiter": 500},
    )
    return summed(loss, rows, domain.project(found.x))


def assert_certified(best: Best, loss: Loss, rows: Matrix, domain: Domain) -> None:
    """What is promised of any answer: an element, its sum, and a gap that no element undercuts."""
    scale = abs(summed(loss, rows, np.array(domain.centre))) + abs(best.value)
    noise = 1e-13 * scale
    assert domain.contains(best.point)
    assert best.value == pytest.approx(summed(loss, rows, best.point), abs=noise)
    assert best.gap >= 0.0
    rng = np.random.default_rng(77)
    for size in (1e-3, 1e-1, 1.0, 10.0):
        for _ in range(10):
            rival = domain.project(best.point + size * rng.normal(size=domain.dim))
            assert best.value - best.gap <= summed(loss, rows, rival) + noise


@pytest.mark.parametrize("domain", BOUNDED, ids=described)
@pytest.mark.parametrize("loss", QUADRATICS + OTHERS, ids=described)
def test_every_loss_over_every_bounded_domain_is_solved_and_certified(loss: Loss, domain: Domain) -> None:
    rows = rows_of(loss)
    best = best_fixed(loss, rows, domain)
    assert_certified(best, loss, rows, domain)
    at_centre = summed(loss, rows, np.array(domain.centre))
    assert best.gap <= 1e-9 * (abs(at_centre) + abs(at_centre - best.value)) + 1e-11


@pytest.mark.parametrize("domain", [Ball.example(DIM), Box.example(DIM), Simplex.example(DIM)], ids=described)
@pytest.mark.parametrize("loss", [*QUADRATICS, *OTHERS, LogWealth(DIM)], ids=described)
def test_another_solver_finds_the_same_minimum(loss: Loss, domain: Domain) -> None:
    if isinstance(loss, LogWealth) and not isinstance(domain, Simplex):
        domain = Box(np.full(DIM, 0.1), np.linspace(0.5, 1.0, DIM))
    rows = rows_of(loss)
    best, other = best_fixed(loss, rows, domain), slsqp_minimum(loss, rows, domain)
    noise = 1e-13 * (abs(best.value) + abs(other))
    assert best.value - best.gap <= other + noise
    assert other == pytest.approx(best.value, rel=1e-6, abs=1e-6)


def test_least_squares_in_a_box_as_solved_by_an_active_set_method() -> None:
    loss, box = SquaredError(DIM), Box(np.full(DIM, -0.6), np.full(DIM, 0.8))
    rows = rows_of(loss)
    exact = lsq_linear(rows[:, :-1], rows[:, -1], bounds=(box.lower, box.upper), method="bvls", tol=1e-14)
    best = best_fixed(loss, rows, box, tolerance=1e-16)
    assert best.value == pytest.approx(exact.cost, rel=1e-12)
    np.testing.assert_allclose(best.point, exact.x, atol=1e-7)


def test_a_portfolio_of_two_assets_by_brute_force() -> None:
    loss, simplex = LogWealth(2), Simplex(2)
    rows = np.array([[2.0, 0.5], [0.5, 2.0], [2.0, 0.9]])
    best = best_fixed(loss, rows, simplex)
    grid = np.linspace(0.0, 1.0, 100_001)
    sums = -np.log(np.outer(rows[:, 0], grid) + np.outer(rows[:, 1], 1.0 - grid)).sum(axis=0)
    assert best.value <= sums.min() + 1e-12
    assert best.value - best.gap <= sums.min()
    assert best.point[0] == pytest.approx(grid[sums.argmin()], abs=1e-5)


@pytest.mark.parametrize("domain", [*BOUNDED, Euclidean(DIM), Halfspace.example(DIM)], ids=described)
@pytest.mark.parametrize("loss", QUADRATICS, ids=described)
def test_closed_forms_agree_with_the_search(loss: Loss, domain: Domain) -> None:
    assert isinstance(loss, Linear | Quadratic | SquaredError)
    objective = QuadraticTotal(quadratic_sum(loss, rows_of(loss)))
    try:
        formula = closed_form("test", objective, domain)
    except InvalidArgument:
        assert math.isinf(domain.diameter)
        return
    if formula is None:
        return
    exact = descend(objective, domain, formula, tolerance=1e-9)
    searched = descend(objective, domain, domain.centre, tolerance=1e-12)
    size = 1.0 + abs(exact.value) + abs(objective.total.constant)
    assert exact.gap <= 1e-12 * size
    np.testing.assert_array_equal(exact.point, domain.project(formula))
    assert exact.value <= searched.value + 1e-13 * size
    assert searched.value - searched.gap <= exact.value + 1e-13 * size


def test_which_quadratics_have_closed_forms() -> None:
    rows = 10.0 * rows_of(Linear(DIM))
    closed = {
        (name, type(domain).__name__)
        for name, curvature in [
            ("scaled", 2.0),
            ("diagonal", np.arange(1.0, DIM + 1.0)),
            ("dense", random_semidefinite(np.random.default_rng(1), DIM, DIM)),
        ]
        for domain in BOUNDED
        if closed_form("test", QuadraticTotal(quadratic_sum(Quadratic(DIM, curvature), rows)), domain) is not None
    }
    every = {type(domain).__name__ for domain in BOUNDED}
    wanted = {("scaled", name) for name in every} | {("diagonal", "Ball"), ("dense", "Ball"), ("diagonal", "Box")}
    assert closed == wanted


@pytest.mark.parametrize("rank", [1, 2, DIM])
@pytest.mark.parametrize("radius", [1e-3, 0.5, 10.0, 1e4])
def test_on_a_ball_the_gradient_points_to_the_centre_or_vanishes(radius: float, rank: int) -> None:
    rng = np.random.default_rng(rank)
    loss = Quadratic(DIM, random_semidefinite(rng, DIM, rank))
    ball = Ball(DIM, radius=radius, centre=rng.normal(size=DIM))
    rows = rows_of(loss)
    best = best_fixed(loss, rows, ball)
    slope = quadratic_sum(loss, rows).form.image(best.point) + rows.sum(axis=0)
    inward = ball.centre - best.point
    pressure = float(slope @ inward) / float(inward @ inward)
    total = quadratic_sum(loss, rows)
    scale = float(np.linalg.norm(total.form.image(best.point)) + np.linalg.norm(total.linear))
    assert pressure >= -1e-12 * scale
    np.testing.assert_allclose(slope, pressure * inward, atol=1e-10 * scale)
    if np.linalg.norm(inward) < radius * (1.0 - 1e-9):
        assert np.linalg.norm(slope) <= 1e-10 * scale


# The certificate, at points that are far from best.


@pytest.mark.parametrize("loss", [*QUADRATICS, *OTHERS], ids=described)
def test_the_certificate_holds_at_any_point(loss: Loss) -> None:
    rows = rows_of(loss)
    rng = np.random.default_rng(12)
    for domain in BOUNDED:
        objective = rows_total(loss, rows, domain)
        minimum = best_fixed(loss, rows, domain).value
        for _ in range(5):
            point = domain.project(domain.centre + rng.normal(size=DIM))
            gap = certify(objective, domain, point, objective.gradient(point))
            excess = objective.value(point) - minimum
            assert gap.bound >= excess - 1e-12 * abs(objective.value(point))


def test_for_the_papers_problem_the_certificate_is_exact_at_any_point() -> None:
    loss, ball = Quadratic(DIM, 2.0), Ball(DIM)
    rows = 5.0 * rows_of(loss)
    objective = rows_total(loss, rows, ball)
    point = ball.project(np.ones(DIM))
    gap = certify(objective, ball, point, objective.gradient(point))
    excess = objective.value(point) - best_fixed(loss, rows, ball).value
    assert excess > 1.0
    assert gap.bound == pytest.approx(excess, rel=1e-12)


@pytest.mark.parametrize("inflated", ["strong_convexity", "gradient"])
def test_a_certificate_from_wrong_premises_is_noticed(inflated: str) -> None:
    loss, ball = Quadratic(DIM, 2.0), Ball(DIM)
    rows = 5.0 * rows_of(loss)
    objective = rows_total(loss, rows, ball)
    point = ball.project(np.ones(DIM))
    slope = objective.gradient(point)
    excess = objective.value(point) - best_fixed(loss, rows, ball).value
    if inflated == "strong_convexity":
        objective.strong_convexity *= 1.01
    else:
        slope = 0.99 * slope
    assert certify(objective, ball, point, slope).bound < excess * (1.0 - 1e-6)


def test_a_gradient_that_is_not_finite_is_an_error_and_not_an_answer() -> None:
    class Broken(Chunked):
        def gradient(self, point: Vector) -> Vector:
            return np.full(point.size, np.nan)

    loss = Logistic(DIM)
    with pytest.raises(NumericalFailure, match="not finite"):
        descend(Broken(loss, rows_of(loss), Ball(DIM)), Ball(DIM), np.zeros(DIM), 1e-9)


def test_a_search_that_is_cut_short_says_how_far_it_got(monkeypatch: pytest.MonkeyPatch) -> None:
    loss, ball = Logistic(DIM), Ball(DIM, radius=5.0)
    rows = rows_of(loss)
    good = best_fixed(loss, rows, ball)
    monkeypatch.setattr(accelerated, "STEPS", 3)
    poor = best_fixed(loss, rows, ball)
    assert poor.gap > 1e3 * good.gap
    assert poor.value - poor.gap <= good.value <= poor.value


# Domains without bounds.


def test_a_linear_sum_has_no_minimum_on_an_unbounded_domain() -> None:
    for loss in (Linear(2), Quadratic(2, 0.0), Quadratic(2, [1.0, 0.0]), Quadratic(2, [[1.0, 1.0], [1.0, 1.0]])):
        with pytest.raises(InvalidArgument, match=r"`best_fixed\(domain=.*the total loss has no minimum"):
            best_fixed(loss, [[1.0, 2.0]], Euclidean(2))


def test_a_box_with_pinned_and_infinite_sides_is_solved_coordinate_by_coordinate() -> None:
    """Each coordinate for itself: where there is curvature no end is needed, without it the slope must point to one."""
    loss, rows = Quadratic(4, [2.0, 2.0, 0.0, 2.0]), np.array([[4.0, -4.0, 1.0, 6.0]])
    box = Box([-math.inf, -1.0, 3.0, 0.5], [math.inf, 1.0, math.inf, 0.5])
    best = best_fixed(loss, rows, box)
    assert best.point.tolist() == [-2.0, 1.0, 3.0, 0.5]
    assert best.value == (4.0 - 8.0) + (1.0 - 4.0) + 3.0 + (0.25 + 3.0)
    with pytest.raises(InvalidArgument, match=r"`best_fixed\(domain=.*the total loss has no minimum"):
        best_fixed(loss, -rows, box)


def test_linear_losses_that_cancel_have_their_minimum_everywhere() -> None:
    assert best_fixed(Linear(2), [[1.0, 2.0], [-1.0, -2.0]], Euclidean(2))[1:] == (0.0, 0.0)


def test_strong_convexity_certifies_without_bounds() -> None:
    for domain in (Euclidean(DIM), Halfspace.example(DIM)):
        for loss in (Quadratic(DIM, 2.0), Logistic(DIM, l2=0.1), SquaredError(DIM), SquaredHinge(DIM, l2=1e-3)):
            rows = rows_of(loss)
            best = best_fixed(loss, rows, domain)
            assert best.gap <= 1e-8 * summed(loss, rows, np.array(domain.centre)) + 1e-11
            assert_certified(best, loss, rows, domain)


def test_least_squares_with_fewer_rows_than_unknowns_is_certified_too() -> None:
    loss = SquaredError(6)
    rows = rows_of(loss, rounds=3)
    best = best_fixed(loss, rows, Euclidean(6))
    np.testing.assert_allclose(best.point, np.linalg.pinv(rows[:, :-1]) @ rows[:, -1], atol=1e-12)
    assert best.value == pytest.approx(0.0, abs=1e-13)
    assert best.gap < 1e-20


def test_without_bounds_and_strong_convexity_the_gap_is_infinite_and_the_gradient_small() -> None:
    loss = Logistic(2)
    rows = rows_of(loss, rounds=60)
    best = best_fixed(loss, rows, Euclidean(2))
    slope = sum(loss.gradient(row, best.point) for row in rows)
    assert best.gap == math.inf
    assert np.linalg.norm(slope) <= 1e-9 * np.linalg.norm(sum(loss.gradient(row, [0.0, 0.0]) for row in rows))


def test_a_sum_whose_infimum_is_not_attained_ends_with_an_infinite_gap() -> None:
    best = best_fixed(Logistic(1), [[1.0, 1.0], [2.0, 1.0]], Euclidean(1), tolerance=1e-3)
    assert best.gap == math.inf
    assert best.value < 0.01


# Prefixes.


@pytest.mark.parametrize("domain", [Ball(DIM), Simplex(DIM), Euclidean(DIM)], ids=described)
@pytest.mark.parametrize("loss", [Quadratic(DIM, 2.0), SquaredError(DIM), Logistic(DIM, l2=0.1)], ids=described)
def test_prefixes_are_solved_like_tables_of_their_own(loss: Loss, domain: Domain) -> None:
    rows = rows_of(loss)
    prefixes = [1, 2, 3, 7, 29, 30]
    bests = prefix_bests(loss, rows, domain, prefixes)
    assert len(bests) == len(prefixes)
    for length, best in zip(prefixes, bests, strict=True):
        alone = best_fixed(loss, rows[:length], domain)
        slack = 1e-12 * (1.0 + abs(alone.value))
        assert_certified(best, loss, rows[:length], domain)
        assert abs(best.value - alone.value) <= max(best.gap, alone.gap) + slack


def test_no_prefix_gives_no_answer() -> None:
    assert prefix_bests(Quadratic(2), np.ones((3, 2)), Ball(2), []) == []


# Sums over rows, and other sources of them.


@needs_compiler
@pytest.mark.parametrize("loss", members(DIM), ids=described)
def test_compiled_sums_have_the_bits_of_plain_ones(loss: Loss) -> None:
    rows, point = rows_of(loss), np.linspace(0.1, 0.9, DIM)
    plain, machine = np.zeros((2, 3, DIM + 1))
    add_losses(loss, rows, point, np.empty(DIM), *plain)
    compiled(add_losses, loss, rows, point, point, *plain)(loss, rows, point, np.empty(DIM), *machine)
    assert machine.tobytes() == plain.tobytes()
    np.testing.assert_allclose(plain[0, :-1], sum(loss.gradient(row, point) for row in rows), rtol=1e-12)
    assert plain[0, -1] == pytest.approx(summed(loss, rows, point), rel=1e-12)


class Chunked(Objective):
    """A sum that is read in chunks, as from a file: all that a search needs."""

    def __init__(self, loss: Loss, rows: Matrix, domain: Domain) -> None:
        self._chunks = [rows_total(loss, chunk, domain) for chunk in np.array_split(rows, 4)]
        self.strong_convexity = sum(chunk.strong_convexity for chunk in self._chunks)
        self.smoothness = sum(chunk.smoothness for chunk in self._chunks)

    def value(self, point: Vector) -> float:
        return sum(chunk.value(point) for chunk in self._chunks)

    def gradient(self, point: Vector) -> Vector:
        total: Vector = sum((chunk.gradient(point) for chunk in self._chunks), np.zeros(point.size))
        return total

    def rounding(self, point: Vector) -> Rounding:
        values, gradients = zip(*(chunk.rounding(point) for chunk in self._chunks), strict=True)
        return Rounding(2.0 * sum(values), 2.0 * sum(gradients))


def test_another_source_of_the_sum_can_be_plugged_in() -> None:
    loss, ball = Logistic(DIM, l2=0.01), Ball(DIM)
    rows = rows_of(loss)
    best = descend(Chunked(loss, rows, ball), ball, np.zeros(DIM), 1e-9)
    assert_certified(best, loss, rows, ball)
    assert best.value == pytest.approx(best_fixed(loss, rows, ball).value, rel=1e-9)


# Arguments.


def test_bad_arguments_are_refused_by_name() -> None:
    loss, rows, ball = Quadratic(2), np.ones((3, 2)), Ball(2)
    with pytest.raises(InvalidArgument, match=r"`best_fixed\(rows=.*must have shape"):
        best_fixed(loss, np.ones((3, 3)), ball)
    with pytest.raises(InvalidArgument, match=r"`best_fixed\(domain=.*must have dimension 2, got 3"):
        best_fixed(loss, rows, Ball(3))
    with pytest.raises(InvalidArgument, match=r"`best_fixed\(tolerance=0\)`: must be > 0"):
        best_fixed(loss, rows, ball, tolerance=0)
    with pytest.raises(InvalidArgument, match=r"`prefix_bests\(prefixes=\[2, 2\]\)`: must grow"):
        prefix_bests(loss, rows, ball, [2, 2])
    with pytest.raises(InvalidArgument, match=r"`prefix_bests\(prefixes=0\)`: must be >= 1"):
        prefix_bests(loss, rows, ball, [0, 1])
    with pytest.raises(InvalidArgument, match=r"`prefix_bests\(prefixes=\[1, 4\]\)`: must be <= 3, the number of rows"):
        prefix_bests(loss, rows, ball, [1, 4])
    with pytest.raises(InvalidArgument, match=r"`LogWealth\.constants\(domain=.*wealth"):
        best_fixed(LogWealth(2), rows, ball)
