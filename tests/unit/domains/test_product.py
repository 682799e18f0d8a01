"""Products of domains: every operation acts on each factor by itself."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from belated.core.arrays import Vector
from belated.core.errors import InvalidArgument
from belated.domains import Ball, Box, Domain, Euclidean, Halfspace, L1Ball, Product, Simplex
from support.domains import same_bits, vectors

FACTORS: tuple[Domain, ...] = (Ball.example(2), Simplex.example(3), Box.example(1))
PRODUCT = Product(*FACTORS)


@given(vectors(6))
def test_every_part_is_projected_by_itself(point: Vector) -> None:
    parts = (point[:2], point[2:5], point[5:])
    apart = [factor.project(part) for factor, part in zip(FACTORS, parts, strict=True)]
    assert same_bits(PRODUCT.project(point), np.concatenate(apart))
    least = [factor.minimise(part) for factor, part in zip(FACTORS, parts, strict=True)]
    assert same_bits(PRODUCT.minimise(point), np.concatenate(least))
    embedded = [FACTORS[0].embed(point[:2]), FACTORS[1].embed(point[2:4]), FACTORS[2].embed(point[4:5])]
    assert same_bits(PRODUCT.embed(point[:5]), np.concatenate(embedded))


def test_the_members_of_a_product() -> None:
    assert (PRODUCT.dim, PRODUCT.hull_dim) == (6, 5)
    assert PRODUCT.inner_radius == min(factor.inner_radius for factor in FACTORS)
    assert PRODUCT.outer_radius == pytest.approx(math.hypot(*(factor.outer_radius for factor in FACTORS)), rel=1e-15)
    assert PRODUCT.diameter == pytest.approx(math.hypot(*(factor.diameter for factor in FACTORS)), rel=1e-15)
    assert same_bits(PRODUCT.centre, np.concatenate([factor.centre for factor in FACTORS]))


def test_three_factors_are_nested_pairs() -> None:
    assert PRODUCT.first == FACTORS[0]
    assert PRODUCT.rest == Product(*FACTORS[1:])
    assert Product(FACTORS[0], Product(*FACTORS[1:])) == PRODUCT
    assert Product(Product(*FACTORS[:2]), FACTORS[2]) != PRODUCT


def test_many_factors_are_a_shallow_tree_in_their_order() -> None:
    boxes = [Box([float(k)], [k + 0.5]) for k in range(400)]
    product = Product(*boxes)
    assert product.dim == product.hull_dim == 400
    assert product.centre.tolist() == [k + 0.25 for k in range(400)]
    assert product.project(np.full(400, -1.0)).tolist() == list(range(400))
    assert product.contains(product.shrink(0.1).project(np.zeros(400)))
    assert hash(product) == hash(Product(*boxes))
    five = Product(*boxes[:5])
    assert five == Product(Product(*boxes[:2]), Product(boxes[2], Product(*boxes[3:5])))


def test_pairs_nested_too_deep_are_refused() -> None:
    chain: Domain = Ball(1)
    for _ in range(32):
        chain = Product(Ball(1), chain)
    assert chain.project(np.full(33, 2.0)).tolist() == [1.0] * 33
    with pytest.raises(InvalidArgument, match="nested at most 32 deep: give one Product all the factors"):
        Product(Ball(1), chain)


def test_every_factor_shrinks_by_the_same_probe() -> None:
    assert PRODUCT.shrink(0.2) == Product(*(factor.shrink(0.2) for factor in FACTORS))


def test_a_part_outside_is_outside() -> None:
    for place in range(PRODUCT.dim):
        point = PRODUCT.centre.copy()
        point[place] += 10.0
        assert not PRODUCT.contains(point)


def test_a_product_with_an_unbounded_factor_is_unbounded() -> None:
    product = Product(L1Ball(2), Euclidean(1), Halfspace([1.0, 0.0], 0.5))
    assert product.outer_radius == product.diameter == math.inf
    assert product.minimise([1.0, 2.0, 0.0, -1.0, 0.0]).tolist() == [0.0, -1.0, 0.0, 0.5, 0.0]
    with pytest.raises(InvalidArgument, match="no minimum"):
        product.minimise([1.0, 2.0, 1.0, -1.0, 0.0])


@pytest.mark.parametrize(
    ("factors", "named"),
    [
        ((Ball(2),), "at least one more"),
        ((1.0, Ball(2)), r"`Product\(first=1.0\)`: must be a domain"),
        ((Ball(2), Ball(1), (1.0, 2.0)), r"`Product\(others\[1\]=\(1.0, 2.0\)\)`: must be a domain"),
        ((Euclidean(10**9), Ball(1)), r"`Product\(dim=1000000001\)`: must be <= 1000000000"),
        ((Ball(2), Ball), "must be a domain"),
    ],
)
def test_what_is_no_product_is_refused(factors: Any, named: str) -> None:
    with pytest.raises(InvalidArgument, match=named):
        Product(*factors)


def test_one_dimension_is_too_few_for_an_example() -> None:
    with pytest.raises(InvalidArgument, match="must be >= 2"):
        Product.example(1)
