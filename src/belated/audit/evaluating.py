"""The losses of a run at points, its gradients, and projections, a row for each round."""

from __future__ import annotations

import numpy as np

from belated.audit.run import Run
from belated.core.arrays import Matrix, Vector
from belated.domains.base import Domain, embed, project
from belated.losses.base import gradient, value


def losses_at(run: Run, points: Matrix) -> Vector:
    """f_t at the t-th point, or all at one point."""
    each = np.broadcast_to(points, (run.rounds, run.loss.dim))
    return np.array([value(run.loss, row, point) for row, point in zip(run.rows, each, strict=True)])


def gradients(run: Run) -> Matrix:
    """The gradient of f_t at x_t."""
    found = np.empty((run.rounds, run.loss.dim))
    for row, point, out in zip(run.rows, run.decisions, found, strict=False):
        gradient(run.loss, row, point, out)
    return found


def projected(domain: Domain, points: Matrix) -> Matrix:
    """The nearest elements of the domain."""
    found = np.array(points)
    for point in found:
        project(domain, point, point)
    return found


def along_hull(domain: Domain, vectors: Matrix) -> Matrix:
    """The parts of vectors along the affine hull of the domain: what lies across it moves no decision."""
    if domain.hull_dim == domain.dim:
        return vectors
    axes = basis(domain)
    return vectors @ axes.T @ axes


def basis(domain: Domain) -> Matrix:
    """An orthonormal basis of the directions of the domain, a row for each."""
    found = np.empty((domain.hull_dim, domain.dim))
    for coordinates, out in zip(np.eye(domain.hull_dim), found, strict=True):
        embed(domain, coordinates, out)
    return found
