"""Estimators against what they estimate: exact on affine losses, within Lemma 1 on smooth ones, unbiased."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.learners.parts import estimators
from belated.learners.verbs import interface, probe
from support.estimates import estimated
from support.strategies import domains, seeds

DIM, DELTA = 4, 0.03
NO_MEMO = np.empty(0)


def probed(estimator, centre, seed=0):
    size = interface(estimator)
    points, memo = np.empty((size.queries, DIM)), np.empty(size.memo_size)
    probe(estimator, centre, np.random.default_rng(seed), np.empty(size.scratch_size), points, memo)
    return points, memo


def within_hull(domain, vector):
    """The part of a vector that lies along the affine hull."""
    basis = np.array([domain.embed(e) for e in np.eye(domain.hull_dim)])
    return basis.T @ (basis @ vector)


@given(domains(DIM), seeds)
def test_p12_coordinates_are_exact_on_affine_losses(domain, seed):
    rng = np.random.default_rng(seed)
    slope, offset = rng.normal(size=DIM), rng.normal()
    estimator = estimators.coordinates(domain, DELTA)
    points, _ = probed(estimator, domain.centre)
    found = estimated(estimator, points @ slope + offset, NO_MEMO)
    assert np.allclose(found, within_hull(domain, slope), atol=1e-11)


@pytest.mark.parametrize(("make", "sides"), [(estimators.two_point, (1,)), (estimators.one_point, (1, -1))])
@given(domain=domains(DIM), seed=seeds)
def test_p12_random_directions_average_to_the_gradient_of_an_affine_loss(make, sides, domain, seed):
    """Averaged over an orthonormal basis, and for one point over both signs, which cancels the offset."""
    rng = np.random.default_rng(seed)
    slope, offset, x = rng.normal(size=DIM), rng.normal(), domain.centre
    estimator, found = make(domain, DELTA), []
    for e in np.eye(domain.hull_dim):
        for side in sides:
            u = domain.embed(side * e)
            points = np.array([x + DELTA * u, x - DELTA * u])[: interface(estimator).queries]
            found.append(estimated(estimator, points @ slope + offset, u))
    assert np.allclose(np.mean(found, axis=0), within_hull(domain, slope), atol=1e-10)


@pytest.mark.parametrize("make", [estimators.two_point, estimators.one_point])
@given(domain=domains(DIM), seed=seeds)
def test_directions_are_unit_vectors_of_the_hull_and_points_lie_along_them(make, domain, seed):
    points, direction = probed(make(domain, DELTA), domain.centre, seed)
    assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(within_hull(domain, direction), direction, atol=1e-12)
    expected = [domain.centre + DELTA * direction, domain.centre - DELTA * direction][: len(points)]
    assert np.array_equal(points, expected)


def test_directions_are_uniform_on_the_sphere():
    """Mean 0 and second moment I/n, each within five standard errors of 4000 draws."""
    ball, rng = bl.Ball(3), np.random.default_rng(1)
    drawn = np.empty((4000, 3))
    for row in drawn:
        estimators.draw_direction(ball, 3, rng, np.empty(3), row)
    assert np.abs(drawn.mean(axis=0)).max() < 5 * math.sqrt(1 / 3 / 4000)
    assert np.abs(drawn.T @ drawn / 4000 - np.eye(3) / 3).max() < 5 * math.sqrt(0.1 / 4000)


def test_in_one_dimension_a_direction_is_a_sign():
    rng, seen = np.random.default_rng(0), set()
    for _ in range(20):
        out = np.empty(1)
        estimators.draw_direction(bl.Ball(1), 1, rng, np.empty(1), out)
        seen.add(float(out[0]))
    assert seen == {-1.0, 1.0}


class ZeroFirst:
    """A generator whose first vector is zero, which no direction can be made of."""

    def __init__(self):
        self.draws = iter([0.0, 0.0, 3.0, 4.0])

    def standard_normal(self):
        return next(self.draws)


def test_a_zero_draw_is_drawn_again():
    out = np.empty(2)
    estimators.draw_direction(bl.Ball(2), 2, ZeroFirst(), np.empty(2), out)
    assert np.allclose(out, [0.6, 0.8])


@given(domains(DIM, bounded=True), seeds, st.floats(0.2, 5.0))
def test_lemma_1_bounds_the_coordinate_estimate(domain, seed, alpha):
    r"""\|g~ - g\| <= sqrt(n) alpha delta / 2 and \|g~\| <= sqrt(n) L, inside the hull."""
    loss, rng = bl.losses.Quadratic(DIM, curvature=alpha), np.random.default_rng(seed)
    delta = min(DELTA, domain.inner_radius / 4)
    x, row = domain.shrink(delta).project(rng.normal(size=DIM)), rng.normal(size=DIM)
    estimator = estimators.coordinates(domain, delta)
    points, _ = probed(estimator, x)
    found = estimated(estimator, np.array([loss.value(row, p) for p in points]), NO_MEMO)
    error = np.linalg.norm(found - within_hull(domain, loss.gradient(row, x)))
    assert error <= math.sqrt(domain.hull_dim) * alpha * delta / 2 + 1e-9
    assert np.linalg.norm(found) <= math.sqrt(domain.hull_dim) * loss.constants([row], domain).lipschitz + 1e-9


def test_the_radius_of_the_theorems():
    assert bl.log_probe_radius(1000) == math.log(1000) / 1000
    assert bl.log_probe_radius(1000, scale=0.5) == 0.5 * math.log(1000) / 1000
    for rounds in (1, 0, -3, 2.5, "9"):
        with pytest.raises(bl.errors.InvalidArgument, match="rounds"):
            bl.log_probe_radius(rounds)
    with pytest.raises(bl.errors.InvalidArgument, match="ln T / T is 0"):
        bl.log_probe_radius(1)
    with pytest.raises(bl.errors.InvalidArgument, match="scale"):
        bl.log_probe_radius(10, scale=0.0)
