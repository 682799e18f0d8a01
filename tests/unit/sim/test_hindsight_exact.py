"""The certificate against minima in exact rational arithmetic, where problems are as badly conditioned as they get.

Numbers in a table are fractions, so a quadratic over R^n, a box or a half-space has a minimum that fractions can hold,
and over a ball one that they come as near to as one likes. No rounding excuses a certificate here: value - gap must
not exceed the true minimum at all, and the point must have the value that is given for it up to the gap.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument, NumericalFailure
from belated.domains import Ball, Box, Domain, Euclidean, Halfspace, L1Ball
from belated.losses import Linear, Logistic, Loss, Quadratic, SquaredError, SquaredHinge
from belated.sim.hindsight import (
    Adder,
    Objective,
    Rounding,
    RowsTotal,
    best_fixed,
    certificate,
    closed_forms,
    descend,
    prefix_bests,
    quadratics,
)
from belated.sim.hindsight.certificate import Gap
from belated.sim.tables import Given
from support.exact import ZERO, Numbers, assert_true, exact, least, least_in_space, solved
from support.sums import quadratic_sum

# What certificates rest on: bounds of the rounding of values and gradients.


def hinged(loss: SquaredHinge, rows: Matrix, x: Numbers) -> tuple[Fraction, Numbers]:
    """The sum of squared hinge losses and its gradient, from the definition."""
    squares, slope = sum((v * v for v in x), ZERO), [len(rows) * Fraction(loss.l2) * v for v in x]
    value = len(rows) * Fraction(loss.l2) * squares / 2
    for row in rows:
        *features, label = (Fraction(float(entry)) for entry in row)
        missing = max(ZERO, 1 - label * sum(map(Fraction.__mul__, features, x)))
        value += missing**2 / 2
        slope = [s - label * missing * z for s, z in zip(slope, features, strict=True)]
    return value, slope


def assert_rounded(objective: Objective, point: Vector, value: Fraction, slope: Numbers) -> None:
    rounding, computed = objective.rounding(point), objective.gradient(point)
    assert abs(value - Fraction(objective.value(point))) <= Fraction(rounding.value)
    for true, seen, off in zip(slope, computed.tolist(), rounding.gradient.tolist(), strict=True):
        assert abs(true - Fraction(seen)) <= Fraction(off)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=100, deadline=None)
def test_sums_are_rounded_by_no_more_than_they_say(seed: int, near_best: bool) -> None:
    rng = np.random.default_rng(seed)
    for form in ("diagonal", "dense", "squares"):
        loss, rows = problem(form, rng)
        assert isinstance(loss, (SquaredError, Quadratic))
        f = exact(loss, rows)
        x = solved(f.a, [-h for h in f.h]) if near_best else None
        point = np.array([float(v) for v in x]) if x else rng.normal(size=loss.dim) * scales(rng, loss.dim, 6.0)
        x = [Fraction(float(v)) for v in point]
        slope = [sum(map(Fraction.__mul__, row, x), ZERO) + h for row, h in zip(f.a, f.h, strict=True)]
        assert_rounded(quadratics.QuadraticTotal(quadratic_sum(loss, rows)), point, f.value(x), slope)
        if isinstance(loss, SquaredError):
            table = np.concatenate([rows, np.sqrt(len(rows) * loss.l2) * np.eye(loss.dim, loss.row_size)])
            squares = quadratics.LeastSquaresTotal(Given(table), len(table), quadratics.fold(table), len(table))
            assert_rounded(squares, point, f.value(x), slope)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_sums_over_rows_are_rounded_by_no_more_than_they_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    loss = SquaredHinge(3, l2=float(rng.choice([0.0, 1e-3])))
    rows = np.column_stack([rng.normal(size=(20, 3)) * scales(rng, 3, 4.0), rng.choice([-1.0, 1.0], 20)])
    point = rng.normal(size=3) * scales(rng, 3, 4.0)
    objective = RowsTotal(Adder(loss), Given(rows), len(rows), loss.constants(rows, Euclidean(3)))
    assert_rounded(objective, point, *hinged(loss, rows, [Fraction(float(v)) for v in point]))


# Quadratics and least squares, with curvatures and features up to twenty orders of magnitude apart.

SEEDS = st.integers(0, 2**32 - 1)
DOMAINS = st.sampled_from(["space", "box", "ball"])


def domain_of(kind: str, n: int, rng: np.random.Generator) -> Domain:
    if kind == "space":
        return Euclidean(n)
    if kind == "ball":
        return Ball(n, radius=float(10.0 ** rng.uniform(-3.0, 3.0)))
    lower = rng.normal(size=n) * 10.0 ** rng.uniform(-3.0, 3.0)
    return Box(lower, lower + 10.0 ** rng.uniform(-3.0, 4.0, n))


def scales(rng: np.random.Generator, n: int, orders: float) -> Vector:
    return 10.0 ** rng.uniform(-orders, orders, n)


def problem(form: str, rng: np.random.Generator) -> tuple[Loss, Matrix]:
    n, rounds = int(rng.integers(2, 4)), int(rng.integers(1, 6))
    if form == "squares":
        loss: Loss = SquaredError(n, l2=float(rng.choice([0.0, 1e-6])))
        return loss, rng.normal(size=(rounds + n, n + 1)) * scales(rng, n + 1, 8.0)
    if form == "diagonal":
        return Quadratic(n, scales(rng, n, 10.0)), rng.normal(size=(rounds, n)) * scales(rng, n, 6.0)
    units, axes = scales(rng, n, 6.0), np.linalg.qr(rng.normal(size=(n, n)))[0]
    matrix = units[:, None] * ((axes * scales(rng, n, 2.0)) @ axes.T) * units
    return Quadratic(n, 0.5 * (matrix + matrix.T)), rng.normal(size=(rounds, n)) * units * scales(rng, n, 3.0)


def checked(form: str, kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loss, rows = problem(form, rng)
    domain = domain_of(kind, loss.dim, rng)
    f = exact(loss, rows)
    minimum = least(f, domain)
    assert minimum is not None
    best = best_fixed(loss, rows, domain)
    assert math.isfinite(best.gap)
    assert_true(best, f, minimum)


@given(DOMAINS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_diagonal_quadratics(kind: str, seed: int) -> None:
    checked("diagonal", kind, seed)


@given(DOMAINS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_dense_quadratics(kind: str, seed: int) -> None:
    checked("dense", kind, seed)


@given(DOMAINS, SEEDS)
@settings(max_examples=60, deadline=None)
def test_least_squares(kind: str, seed: int) -> None:
    checked("squares", kind, seed)


STEEP = Quadratic(2, [1e20, 1.0]), np.array([[1e15, 20.0]])
STEEP_DENSE = Quadratic(2, np.diag([1e20, 1.0])), STEEP[1]


@pytest.mark.parametrize("loss", [STEEP[0], STEEP_DENSE[0]], ids=["diagonal", "dense"])
@pytest.mark.parametrize(
    "domain", [Euclidean(2), Ball(2, radius=100.0), Box([-100.0] * 2, [100.0] * 2), L1Ball(2, 1e3)]
)
def test_a_small_curvature_beside_a_large_one_is_not_nothing(loss: Quadratic, domain: Domain) -> None:
    best = best_fixed(loss, STEEP[1], domain)
    assert best.value == -5000000200.0
    assert best.gap < 1e-3
    assert_true(best, exact(loss, STEEP[1]), Fraction(-5000000200))


def badly_scaled() -> Matrix:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 2)) * [1e8, 1.0]
    return np.column_stack([features, features @ [1e-8, 1.0] + 0.1 * rng.normal(size=200)])


@pytest.mark.parametrize("domain", [Euclidean(2), Ball(2, radius=10.0), Box([-10.0] * 2, [10.0] * 2), L1Ball(2, 10.0)])
def test_least_squares_do_not_mind_the_units_of_their_features(domain: Domain) -> None:
    rows = badly_scaled()
    best, f = best_fixed(SquaredError(2), rows, domain), exact(SquaredError(2), rows)
    minimum = least_in_space(f)
    assert minimum is not None
    assert_true(best, f, minimum)
    assert best.gap <= 1e-9 * best.value


@pytest.mark.parametrize("domain", [Ball(2, radius=0.5), Box([-0.5] * 2, [0.5] * 2)])
def test_nor_do_they_when_a_bound_is_in_the_way(domain: Domain) -> None:
    rows = badly_scaled()
    best, f = best_fixed(SquaredError(2), rows, domain), exact(SquaredError(2), rows)
    minimum = least(f, domain)
    assert minimum is not None
    assert_true(best, f, minimum)
    assert best.gap <= 1e-8 * best.value


def test_prefixes_are_certified_too() -> None:
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(12, 4)) * [1e6, 1.0, 1e-6, 1e3]
    for loss, table in ((SquaredError(3), rows), (Quadratic(3, [1e12, 1.0, 1e-8]), rows[:, :3])):
        for length, best in enumerate(prefix_bests(loss, table, Euclidean(3), range(3, 13)), start=3):
            f = exact(loss, table[:length])
            minimum = least_in_space(f)
            assert minimum is not None
            assert math.isfinite(best.gap)
            assert_true(best, f, minimum)


def test_a_tiny_curvature_makes_a_minimum() -> None:
    best = best_fixed(Quadratic(2, [1.0, 1e-17]), [[1.0, 1e-13]], Euclidean(2))
    np.testing.assert_allclose(best.point, [-1.0, -1e4])
    assert best.gap < 1e-13


# Half-spaces, with slopes that are parallel to the normal but for a hair.


@given(SEEDS, st.floats(-20.0, -8.0))
@settings(max_examples=40, deadline=None)
def test_a_half_space_and_a_slope_that_is_almost_its_normal(seed: int, tilt: float) -> None:
    rng = np.random.default_rng(seed)
    curvature = scales(rng, 2, 10.0) * [1.0, 10.0**tilt]
    rows, offset = np.array([[-1.0, 10.0**tilt]]), float(rng.normal())
    f = exact(Quadratic(2, curvature), rows)
    x = [-h / f.a[i][i] for i, h in enumerate(f.h)]
    x[0] = min(x[0], Fraction(offset))
    assert_true(best_fixed(Quadratic(2, curvature), rows, Halfspace([1.0, 0.0], offset)), f, f.value(x))


@pytest.mark.parametrize("loss", [SquaredHinge(2), Logistic(2)])
@pytest.mark.parametrize("hair", [1e-9, 1e-15, 1e-16, 1e-20])
def test_margins_that_grow_along_a_half_space_leave_no_loss(loss: Loss, hair: float) -> None:
    best = best_fixed(loss, [[1.0, hair, 1.0]], Halfspace([1.0, 0.0], 0.5))
    assert best.value - best.gap <= 0.0


def test_a_linear_sum_that_clearly_falls_along_a_half_space_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="no minimum"):
        best_fixed(Linear(2), [[-1.0, 1e-9]], Halfspace([1.0, 0.0], 1.0))


@pytest.mark.parametrize("hair", [1e-15, 1e-20])
def test_a_linear_sum_that_falls_along_a_half_space_by_less_than_rounding_is_not_certified(hair: float) -> None:
    assert best_fixed(Linear(2), [[-1.0, hair]], Halfspace([1.0, 0.0], 1.0)).gap == math.inf


# The ends of the range: certified or refused, and without a warning (which would be an error here).

EXTREMES: list[tuple[Loss, list[list[float]], Domain]] = [
    (Linear(2, l2=1e-300), [[1e10, 1.0]], Ball(2)),
    (Quadratic(2, [1.0, 2.0]), [[1.0, 1.0]], Ball(2, radius=1e-100)),
    (Quadratic(2, [[2.0, 1.0], [1.0, 2.0]]), [[1.0, 1.0]], Ball(2, radius=1e-100)),
    (Quadratic(2, [0.0, 1.0]), [[1.0, 1.0]], Ball(2, radius=1e200)),
    (Quadratic(2, [0.0, 1.0]), [[1e160, 1e160]], Ball(2)),
    (Quadratic(2, [[2.0, 1.0], [1.0, 2.0]]), [[1e160, 1.0]], Box([-1.0] * 2, [1.0] * 2)),
    (SquaredError(2), [[1e-160, 1e-170, 1e-160]], Ball(2)),
]


@pytest.mark.parametrize(("loss", "rows", "domain"), EXTREMES)
def test_numbers_at_the_ends_of_the_range_are_certified(loss: Loss, rows: list[list[float]], domain: Domain) -> None:
    best = best_fixed(loss, rows, domain)
    assert domain.contains(best.point)
    assert best.gap <= 1e-9 * abs(best.value) + 1e-290


OVERFLOWS: list[tuple[Loss, list[list[float]], Domain]] = [
    (Linear(2), [[1.7e308, 1.7e308]], Ball(2)),
    (Linear(2), [[1.7e308, 1.7e308]] * 3, Ball(2)),
    (Linear(2), [[1e160, 1e160]], Ball(2, radius=1e200)),
    (SquaredError(2), [[1e160, 1e160, 1e160]], Ball(2)),
    (Logistic(2), [[1e160, 1e160, 1.0]], Ball(2)),
    (SquaredHinge(2), [[1e160, 1e160, -1.0]], Ball(2)),
]


@pytest.mark.parametrize(("loss", "rows", "domain"), OVERFLOWS)
def test_overflow_is_called_by_its_name(loss: Loss, rows: list[list[float]], domain: Domain) -> None:
    with pytest.raises(NumericalFailure, match="overflows"):
        best_fixed(loss, rows, domain)


# Certificates that are wrong, to show that the tests above would notice.


def test_a_certificate_that_takes_small_curvatures_for_zero_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eigenvalues small against the largest are dropped, with the slopes along them."""
    divided, unconstrained = quadratics._divided, certificate._unconstrained

    def cut(curvatures: Vector) -> Vector:
        return np.where(curvatures > 1e-15 * curvatures.max(), curvatures, 0.0)

    def kept(slope: Vector, error: Vector, floors: Vector) -> Gap:
        large = cut(floors) > 0.0
        return unconstrained(slope[large], error[large], floors[large])

    monkeypatch.setattr(quadratics, "_divided", lambda s, c, b: divided(s, cut(c), np.full(s.size, np.inf)))
    monkeypatch.setattr(certificate, "_unconstrained", kept)
    with pytest.raises(AssertionError):
        assert_true(best_fixed(*STEEP, Euclidean(2)), exact(*STEEP), Fraction(-5000000200))


def test_a_frank_wolfe_gap_on_a_half_space_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Halfspace, "diameter", property(lambda self: 1.0))
    with pytest.raises(AssertionError):
        test_margins_that_grow_along_a_half_space_leave_no_loss(SquaredHinge(2), 1e-15)


def test_a_certificate_that_forgets_rounding_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (quadratics.QuadraticTotal, quadratics.LeastSquaresTotal):
        monkeypatch.setattr(kind, "rounding", lambda self, point: Rounding(0.0, np.zeros(point.size)))
    wrong = 0
    for seed in range(20):
        try:
            checked("squares", "space", seed)
        except AssertionError:
            wrong += 1
    assert wrong > 0


def test_squares_multiplied_out_know_that_they_have_lost_digits() -> None:
    """The sum as one quadratic is a poor way to see a small minimum, and its certificate says so."""
    for seed in range(20):
        loss, rows = problem("squares", np.random.default_rng(seed))
        assert isinstance(loss, SquaredError)
        f = exact(loss, rows)
        minimum = least_in_space(f)
        assert minimum is not None
        objective = quadratics.QuadraticTotal(quadratic_sum(loss, rows))
        domain = Euclidean(loss.dim)
        start = closed_forms.closed_form("test", objective, domain)
        assert_true(descend(objective, domain, domain.centre if start is None else start, 1e-9), f, minimum)
