"""What every loss must keep. The tests run over the registry, so that a new loss is tested by being in it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball, Euclidean
from belated.losses import EVERY, Constants, LogWealth, Loss, Misclassification, Quadratic, SquaredError
from belated.losses.base import gradient, value, value_and_gradient
from support.losses import DEFINITIONS, described, laws_broken, members, regions, spread_points

every_loss = pytest.mark.parametrize("loss", members(), ids=described)


def separately(loss: Loss, row: Vector, point: Vector, out: Vector) -> float:
    gradient(loss, row, point, out)
    return value(loss, row, point)


def together(loss: Loss, row: Vector, point: Vector, out: Vector) -> float:
    return value_and_gradient(loss, row, point, out)


ALL_WAYS: dict[str, Any] = {
    "together": together,
    "separately, compiled": njit(separately),
    "together, compiled": njit(together),
}


def rows_of(loss: Loss, rounds: int = 4) -> Matrix:
    return loss.example_rows(np.random.default_rng(11), rounds)


def test_every_family_has_an_independent_definition_to_be_tested_against() -> None:
    assert set(DEFINITIONS) == set(EVERY)


@every_loss
def test_the_laws_hold_over_every_domain_where_the_loss_has_constants(loss: Loss) -> None:
    rows = rows_of(loss)
    domains = list(regions(loss, rows))
    assert domains
    for domain in domains:
        points = spread_points(loss, rows, domain, np.random.default_rng(5), 8)
        assert laws_broken(loss.value, loss.gradient, loss.constants(rows, domain), rows, points) == set(), domain


@every_loss
def test_the_gradient_is_the_slope_of_the_value(loss: Loss) -> None:
    rng = np.random.default_rng(17)
    step = 1e-6
    for row in rows_of(loss):
        point = rng.uniform(0.1, 0.9, loss.dim)
        slopes = [
            (loss.value(row, point + step * axis) - loss.value(row, point - step * axis)) / (2 * step)
            for axis in np.eye(loss.dim)
        ]
        np.testing.assert_allclose(loss.gradient(row, point), slopes, rtol=1e-6, atol=1e-8)


def ways_that_differ(loss: Loss, ways: dict[str, Any]) -> set[str]:
    rng = np.random.default_rng(23)
    expected, found, differ = np.empty(loss.dim), np.empty(loss.dim), set()
    for row in rows_of(loss, rounds=40):
        point = rng.uniform(0.01, 3.0, loss.dim) * rng.choice([1e-3, 1.0, 30.0])
        height = separately(loss, row, point, expected)
        for name, way in ways.items():
            if way(loss, row, point, found) != height or found.tobytes() != expected.tobytes():
                differ.add(name)
    return differ


@every_loss
def test_all_ways_to_value_and_gradient_give_the_same_bits(loss: Loss) -> None:
    assert ways_that_differ(loss, ALL_WAYS) == set()


@every_loss
def test_the_bits_test_would_notice_a_loss_that_is_wrong_in_company(loss: Loss) -> None:
    def rounded_once_more(loss: Loss, row: Vector, point: Vector, out: Vector) -> float:
        return float(np.nextafter(together(loss, row, point, out), np.inf))

    def one_bit_off(loss: Loss, row: Vector, point: Vector, out: Vector) -> float:
        height = together(loss, row, point, out)
        out[-1] = np.nextafter(out[-1], np.inf)
        return height

    wrong = {"value": rounded_once_more, "gradient": one_bit_off}
    assert ways_that_differ(loss, wrong) == set(wrong)


@every_loss
def test_value_and_gradient_leave_their_arguments_alone(loss: Loss) -> None:
    row, point = rows_of(loss)[0], np.full(loss.dim, 0.3)
    row_before, point_before = row.copy(), point.copy()
    loss.value(row, point)
    gradient(loss, row, point, np.empty(loss.dim))
    assert row.tobytes() == row_before.tobytes()
    assert point.tobytes() == point_before.tobytes()


@every_loss
def test_constants_are_never_nan_and_unbounded_domains_give_infinity_only_where_due(loss: Loss) -> None:
    rows = rows_of(loss)
    if isinstance(loss, LogWealth):
        with pytest.raises(InvalidArgument, match="on all of it"):  # it is not defined on the whole space, and says so
            loss.constants(rows, Euclidean(loss.dim))
        return
    constants = loss.constants(rows, Euclidean(loss.dim))
    assert not np.isnan(constants).any()
    assert np.isfinite([constants.strong_convexity, constants.smoothness]).all()
    far = np.full(loss.dim, 1e8)
    grows = max(np.linalg.norm(loss.gradient(row, far)) for row in rows) > 1e6
    assert np.isinf(constants.lipschitz) == grows


@every_loss
def test_one_row_has_constants_no_worse_than_those_of_all_rows(loss: Loss) -> None:
    rows = rows_of(loss)
    for domain in regions(loss, rows):
        together = loss.constants(rows, domain)
        alone = [loss.constants(row, domain) for row in rows]
        assert together.lipschitz == pytest.approx(max(each.lipschitz for each in alone), rel=1e-12)
        assert together.strong_convexity == pytest.approx(min(each.strong_convexity for each in alone), rel=1e-12)
        assert together.smoothness == pytest.approx(max(each.smoothness for each in alone), rel=1e-12)


@every_loss
def test_bad_arguments_are_refused_by_name(loss: Loss) -> None:
    name, rows = type(loss).__name__, rows_of(loss)
    point = np.full(loss.dim, 0.5)
    for wrong in (np.ones(loss.row_size + 1), rows[:2], [[1.0], [2.0, 3.0]]):
        with pytest.raises(InvalidArgument, match=rf"`{name}\.value\(row="):
            loss.value(wrong, point)
    with pytest.raises(InvalidArgument, match=rf"`{name}\.gradient\(point=.*must have shape"):
        loss.gradient(rows[0], np.ones(loss.dim + 1))
    with pytest.raises(InvalidArgument, match=rf"`{name}\.constants\(rows=.*must be finite"):
        loss.constants(np.full_like(rows, np.nan), Ball(loss.dim))
    with pytest.raises(InvalidArgument, match=rf"`{name}\.constants\(domain=.*must have dimension {loss.dim}, got"):
        loss.constants(rows, Ball(loss.dim + 1))


@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize(("arguments", "allowed"), [((0,), "must be >= 1"), ((2, 1.0, -0.1), "must be >= 0")])
def test_constructors_check_dimension_and_regulariser(
    family: type[Loss], arguments: tuple[float, ...], allowed: str
) -> None:
    if family is not Quadratic and len(arguments) == 3:
        # what the one that has no regulariser has instead is a number of features
        arguments = (arguments[0], -1 if family is Misclassification else arguments[2])
    with pytest.raises(InvalidArgument, match=rf"`{family.__name__}\(.*{allowed}"):
        family(*arguments)


@every_loss
def test_losses_are_values(loss: Loss) -> None:
    for twin in (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss))):
        assert twin == loss
        assert hash(twin) == hash(loss)
    assert loss != Quadratic(loss.dim, curvature=123.0)


# The laws would be worth nothing if they did not notice a wrong loss.


@pytest.mark.parametrize("loss", [Quadratic(3, 2.0, l2=0.5), SquaredError(3, l2=0.5)], ids=described)
def test_wrong_values_and_gradients_are_noticed(loss: Quadratic | SquaredError) -> None:
    rows = rows_of(loss)
    domain = Ball(3)
    points = spread_points(loss, rows, domain, np.random.default_rng(5), 8)
    constants = loss.constants(rows, domain)

    def broken_by(
        value: Callable[[Vector, Vector], float] = loss.value,
        gradient: Callable[[Vector, Vector], Vector] = loss.gradient,
    ) -> set[str]:
        return laws_broken(value, gradient, constants, rows, points)

    assert broken_by() == set()
    assert "convexity" in broken_by(gradient=lambda row, x: -loss.gradient(row, x))
    assert broken_by(gradient=lambda row, x: loss.gradient(row, x) - loss.l2 * x)
    assert broken_by(value=lambda row, x: loss.value(row, x) - 0.5 * loss.l2 * float(x @ x))
    assert broken_by(gradient=lambda row, x: 0.9 * loss.gradient(row, x))


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda c: c._replace(lipschitz=0.99 * c.lipschitz), "lipschitz"),
        (lambda c: c._replace(strong_convexity=1.01 * c.strong_convexity), "strong convexity"),
        (lambda c: c._replace(smoothness=0.99 * c.smoothness), "smoothness"),
    ],
)
def test_constants_that_are_one_percent_too_good_are_noticed(wrong: Callable[[Constants], Constants], law: str) -> None:
    loss, domain = Quadratic(3, 2.0, l2=0.5), Ball(3, radius=2.0, centre=[1.0, 0.0, -1.0])
    rows = rows_of(loss)
    points = spread_points(loss, rows, domain, np.random.default_rng(5), 8)
    constants = loss.constants(rows, domain)
    assert laws_broken(loss.value, loss.gradient, constants, rows, points) == set()
    assert law in laws_broken(loss.value, loss.gradient, wrong(constants), rows, points)


def test_the_bits_test_would_notice_another_order_of_summation() -> None:
    loss = SquaredError(30)
    rows = loss.example_rows(np.random.default_rng(1), 40)
    point = np.random.default_rng(2).uniform(0.01, 3.0, 30)
    shuffled = [0.5 * float(row[:-1] @ point - row[-1]) ** 2 for row in rows]
    assert shuffled != [value(loss, row, point) for row in rows]
