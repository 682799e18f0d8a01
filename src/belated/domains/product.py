"""Products of domains: decisions that consist of several independent ones."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from belated.core import checks
from belated.core.arrays import Vector, frozen
from belated.domains import limits
from belated.domains.ball import Ball
from belated.domains.base import Domain, contains, embed, minimise, project
from belated.domains.box import Box
from belated.domains.simplex import Simplex

DEEPEST = 32
"""How deep pairs may be nested. Python limits recursion, and a product of 2^32 factors would not fit anyway."""


class _ProductFields(NamedTuple):
    """What a :class:`Product` stores: a pair of domains, and where the first one's share of a vector ends."""

    first: Domain
    rest: Domain
    split: int
    hull_split: int


class Product(Domain, _ProductFields):
    """All vectors whose first entries are an element of ``first``, the next ones of the next domain, and so on.

    More than two factors are stored as a pair of two halves, each a product if it has several of them; the first of
    three is alone. Compiled code follows the nesting and is specialised through it, which takes the compiler
    the better part of a second for each factor.

    Shrinking shrinks every factor by the same probe radius, each about its own centre. That keeps probes inside: a
    direction of length at most one has parts of length at most one, and each part stays in its factor. The result
    contains p + (1 - delta / r)(X - p), where the whole is shrunk as its smallest factor must be, and it exists also
    for factors without bounds.

    Args:
        first: The domain of the first entries.
        others: The domains of the next entries, one or more.
    """

    __slots__ = ()

    def __new__(cls, first: Domain, *others: Domain) -> Product:
        """Check the arguments and make the domain."""
        for position, factor in enumerate((first, *others)):
            if not isinstance(factor, Domain):
                checks.refuse(
                    "Product", "first" if position == 0 else f"others[{position - 1}]", factor, "must be a domain"
                )
        if not others:
            checks.refuse("Product", "others", others, "must be at least one more domain")
        factors = (first, *others)
        depth = max(_depth(factor) for factor in factors) + (len(factors) - 1).bit_length()
        if depth > DEEPEST:
            checks.refuse(
                "Product", "others", others, f"must be nested at most {DEEPEST} deep: give one Product all the factors"
            )
        limits.dimension("Product", sum(factor.dim for factor in factors))
        return _paired(factors)

    @property
    def dim(self) -> int:
        """n, the dimension of the space."""
        return self.split + self.rest.dim

    @property
    def hull_dim(self) -> int:
        """The dimensions of the factors' hulls, added up."""
        return self.hull_split + self.rest.hull_dim

    @property
    def centre(self) -> Vector:
        """The centres of the factors, one after the other."""
        return frozen(np.concatenate((self.first.centre, self.rest.centre)))

    @property
    def inner_radius(self) -> float:
        """The smallest of the factors' radii. With a half-space among them it limits probes, but has no ball."""
        return min(self.first.inner_radius, self.rest.inner_radius)

    @property
    def outer_radius(self) -> float:
        """The root of the sum of the squares of the factors' radii."""
        return math.hypot(self.first.outer_radius, self.rest.outer_radius)

    @property
    def diameter(self) -> float:
        """The root of the sum of the squares of the factors' diameters."""
        return math.hypot(self.first.diameter, self.rest.diameter)

    @property
    def longest_side(self) -> float:
        """The longest side of all factors."""
        return max(self.first.longest_side, self.rest.longest_side)

    def _scaled(self, probe_radius: float) -> Product:
        first, rest = self.first.shrink(probe_radius), self.rest.shrink(probe_radius)
        return Product._make((first, rest, self.split, self.hull_split))

    @classmethod
    def example(cls, dim: int) -> Product:
        """A ball and a simplex, or in two dimensions, where these do not fit, a ball and a box."""
        size = checks.count("Product.example", "dim", dim, least=2)
        if size == 2:
            return cls(Ball.example(1), Box.example(1))
        return cls(Ball.example(size - 2), Simplex.example(2))


def _depth(domain: Domain) -> int:
    return 1 + max(_depth(domain.first), _depth(domain.rest)) if isinstance(domain, Product) else 0


def _paired(factors: tuple[Domain, ...]) -> Product:
    """The product as a tree of pairs, as shallow as can be."""
    half = len(factors) // 2
    first = factors[0] if half == 1 else _paired(factors[:half])
    rest = factors[-1] if len(factors) == 2 else _paired(factors[half:])
    return Product._make((first, rest, first.dim, first.hull_dim))


@project.on(Product)
def project_product(product: Any, point: Vector, out: Vector) -> None:
    """Project every part onto its factor."""
    project(product.first, point[: product.split], out[: product.split])
    project(product.rest, point[product.split :], out[product.split :])


@contains.on(Product)
def product_contains(product: Any, point: Vector, slack: float) -> bool:
    """Look at every part; the slack is relative to the size of its factor."""
    if not contains(product.first, point[: product.split], slack):
        return False
    return contains(product.rest, point[product.split :], slack)


@minimise.on(Product)
def minimise_on_product(product: Any, direction: Vector, out: Vector) -> None:
    """Minimise over every factor by itself."""
    minimise(product.first, direction[: product.split], out[: product.split])
    minimise(product.rest, direction[product.split :], out[product.split :])


@embed.on(Product)
def embed_in_product(product: Any, coordinates: Vector, out: Vector) -> None:
    """Embed every part in its factor's hull."""
    embed(product.first, coordinates[: product.hull_split], out[: product.split])
    embed(product.rest, coordinates[product.hull_split :], out[product.split :])
