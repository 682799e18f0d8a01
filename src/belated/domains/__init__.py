"""Domains: the closed convex sets from which decisions are taken.

Each is a short file that says how to project onto it, to test for membership, to minimise a linear form over it and to
move within its affine hull. ``EVERY`` lists the families; the contract that all of them must keep is tested over it.
"""

from belated.domains.ball import Ball
from belated.domains.base import SLACK, Domain
from belated.domains.box import Box
from belated.domains.ellipsoid import Ellipsoid
from belated.domains.euclidean import Euclidean
from belated.domains.halfspace import Halfspace
from belated.domains.l1_ball import L1Ball
from belated.domains.product import Product
from belated.domains.simplex import Simplex

EVERY: tuple[type[Domain], ...] = (Ball, Box, Simplex, L1Ball, Ellipsoid, Halfspace, Product, Euclidean)
"""Every family of domains."""

__all__ = [
    "EVERY",
    "SLACK",
    "Ball",
    "Box",
    "Domain",
    "Ellipsoid",
    "Euclidean",
    "Halfspace",
    "L1Ball",
    "Product",
    "Simplex",
]
