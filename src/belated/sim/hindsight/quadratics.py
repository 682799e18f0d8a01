"""Sums of losses that are quadratics: one quadratic 1/2 x'A x + h'x + c, or half a sum of squared errors.

Both know, up to rounding, where their minimum over R^n is and what the axes of their curvature are; searches begin
there. What they promise to a certificate (``rounding``, ``curvature_floors``) holds whatever rounding did.

A sum of squares is not multiplied out: Z'Z has the square of the condition of Z and a sum of large terms for a small
minimum, where neither gradient nor value would have a digit left.
"""

from abc import abstractmethod

import numpy as np

from belated.core.arrays import Matrix, Vector
from belated.losses.forms import DenseForm, Form
from belated.sim.compensated import EPSILON, missing_at_most, two_sum
from belated.sim.hindsight.objectives import Look, Looking, Objective, Rounding
from belated.sim.hindsight.sums import QuadraticSum
from belated.sim.tables import Table, reading

TINY = 1e-300
"""More than underflow can take away; one over it is less than what overflows."""


class Bowl(Objective):
    """A quadratic, with the axes of its curvature: column i of ``axes`` has the curvature ``curvatures[i]``.

    ``units`` are the curvatures along the coordinates, and A <= ``smoothness_in_units`` diag(units).
    """

    curvatures: Vector
    axes: Matrix | None
    floors: Vector
    units: Vector
    smoothness_in_units: float

    @property
    def curvature_floors(self) -> Vector:
        """A bound for each coordinate."""
        return self.floors

    def along_axes(self, vector: Vector) -> Vector:
        """The coordinates of ``vector`` along the axes of A."""
        return vector if self.axes is None else self.axes.T @ vector

    def from_axes(self, coordinates: Vector) -> Vector:
        """The point whose coordinates :meth:`along_axes` are these."""
        return coordinates if self.axes is None else self.axes @ coordinates

    @abstractmethod
    def bottom(self, start: Vector) -> Vector | None:
        """The shortest step from ``start`` to a minimiser over R^n, up to rounding; ``None`` if there is none."""


class QuadraticTotal(Bowl):
    """A sum of losses that has been added up to 1/2 x'A x + h'x + c."""

    def __init__(self, total: QuadraticSum) -> None:
        self.total = total
        size = total.linear.size
        self.curvatures, self.axes = total.form.spectrum(size)
        self._sizes = _sizes(total.form)
        if isinstance(total.form, DenseForm):
            self.floors, self._scales, self._scaled_spectrum = _scaled_floors(total.form.matrix, total.roundings)
            self.curvatures = np.maximum(self.curvatures, 0.0)
            self.units, self.smoothness_in_units = self._scales**2, float(self._scaled_spectrum[0][-1])
        else:
            self.floors = (1.0 - 2.0 * total.roundings * EPSILON) * self.curvatures
            self.units, self.smoothness_in_units = np.where(self.curvatures > 0.0, self.curvatures, 1.0), 1.0
        self.strong_convexity = max(0.0, float(self.floors.min()))
        self.smoothness = float(self.curvatures.max())

    def value(self, point: Vector) -> float:
        """1/2 x'A x + h'x + c."""
        return float((0.5 * self.total.form.image(point) + self.total.linear) @ point) + self.total.constant

    def gradient(self, point: Vector) -> Vector:
        """The gradient A x + h of the quadratic."""
        return self.total.form.image(point) + self.total.linear

    def rounding(self, point: Vector) -> Rounding:
        """That of sums of n terms, that of A and h, and a little for the last operations."""
        total = self.total
        sizes, few = np.abs(point), (point.size + total.roundings + 8) * EPSILON
        image = self._sizes.image(sizes)
        value = few * float((image + np.abs(total.linear)) @ sizes) + float(total.blur @ sizes)
        value += total.roundings * EPSILON * abs(total.constant) + (TINY if point.any() else 0.0)
        moved = few * image + (EPSILON * np.abs(total.linear) if point.any() else 0.0) + total.blur
        return Rounding(value, moved)

    def bottom(self, start: Vector) -> Vector | None:
        """Solved in units in which all curvatures along the coordinates are 1, unless it is then still singular."""
        slope, blur = self.gradient(start), self.rounding(start).gradient
        if not isinstance(self.total.form, DenseForm):
            return _divided(slope, self.curvatures, blur)
        values, axes = self._scaled_spectrum
        if values[0] > 8.0 * values.size**2 * EPSILON:
            return axes @ (-(axes.T @ (slope / self._scales)) / values) / self._scales
        noise = 8.0 * values.size * EPSILON * float(self.curvatures.max())
        unsure = 64.0 * values.size * float(np.linalg.norm(blur + EPSILON * np.abs(self.total.linear)))
        cut = np.where(self.curvatures > noise, self.curvatures, 0.0)
        along = _divided(self.along_axes(slope), cut, np.full(values.size, unsure))
        return None if along is None else self.from_axes(along)


class LeastSquaresTotal(Looking, Bowl):
    """1/2 |Z x - y|^2 for the first ``rows`` rows (z, y) of a ``table``.

    ``folded`` is a table with at most n + 1 rows, whose sum is the same up to rounding: the curvature is read off that.
    ``foldings`` is how many rows have gone into making it.
    """

    floor = 0.0

    def __init__(self, table: Table, rows: int, folded: Matrix, foldings: int) -> None:
        self._table, self._rows = table, rows
        short = folded[:, :-1]
        size = short.shape[1]
        _, lengths, axes = np.linalg.svd(short, full_matrices=True)
        self.axes = axes.T
        self.curvatures = np.zeros(size)
        self.curvatures[: lengths.size] = lengths * lengths
        # The columns of the folded table are off by their length times this; so are singular values of scaled columns.
        scales = np.linalg.norm(short, axis=0)
        scales[scales == 0.0] = 1.0
        unsure = 8.0 * (foldings + size) * size * EPSILON * np.sqrt(size)
        scaled = np.linalg.svd(short / scales, compute_uv=False)
        least = float(scaled[-1]) if scaled.size == size else 0.0
        self.floors = np.minimum((max(0.0, least - unsure) * scales) ** 2 * (1.0 - unsure), 1.0 / TINY)
        self._folded, self._scales = folded, scales
        self.units, self.smoothness_in_units = scales * scales, float(scaled[0]) ** 2
        self.strong_convexity = float(self.floors.min())
        self.smoothness = float(self.curvatures.max())

    def look(self, point: Vector) -> Look:
        """Half the sum of the squared errors, Z'(Z x - y), and what the errors of the errors do to these."""
        few = (point.size + 8) * EPSILON
        weights = np.append(np.abs(point), 1.0)
        sums, missing, lost, off = np.zeros((4, point.size + 1))
        chunks = 0
        for rows in reading(self._table, self._rows):
            many = (len(rows) + 8) * EPSILON
            features, entries = rows[:, :-1], np.abs(rows)
            errors = features @ point - rows[:, -1]
            unsure = few * (entries @ weights) + TINY
            square = float(errors @ errors)
            terms = np.append(features.T @ errors, 0.5 * square)
            sums, here = two_sum(sums, terms)
            missing += here
            lost += np.abs(here)
            errors = np.abs(errors)
            off[:-1] += 2.0 * entries[:, :-1].T @ (unsure + many * errors)
            off[-1] += 2.0 * float(errors @ unsure + unsure @ unsure) + many * square + TINY
            chunks += 1
        sums = np.where(np.isfinite(sums), sums + missing, sums)
        off += EPSILON * np.abs(sums) + missing_at_most(chunks, lost)
        return Look(float(sums[-1]), sums[:-1], Rounding(float(off[-1]), off[:-1]))

    def bottom(self, start: Vector) -> Vector | None:
        """Least squares always have a minimum."""
        features = self._folded[:, :-1]
        errors = self._folded[:, -1] - features @ start
        step, _, rank, _ = np.linalg.lstsq(features / self._scales, errors)
        solution = step / self._scales if rank == start.size else np.linalg.lstsq(features, errors)[0]
        return np.asarray(solution, dtype=np.float64)


def fold(table: Matrix) -> Matrix:
    """The triangular factor: a table of at most n + 1 rows with the same sum of squares."""
    return np.asarray(np.linalg.qr(table, mode="r"), dtype=np.float64)


def _sizes(form: Form) -> Form:
    """What the rounding of the entries of A is relative to: |A_ij| <= sqrt(A_ii A_jj), in a sum also for its terms."""
    if not isinstance(form, DenseForm):
        return form
    scales = np.sqrt(np.maximum(np.diag(form.matrix), 0.0))
    return DenseForm._make((np.maximum(np.abs(form.matrix), np.outer(scales, scales)),))


def _divided(slope: Vector, curvatures: Vector, blur: Vector) -> Vector | None:
    """-slope / curvatures; where these are zero so must be the slope, up to its ``blur``."""
    curved = curvatures > 0.0
    if (np.abs(slope) > blur)[~curved].any():
        return None
    return np.divide(-slope, curvatures, out=np.zeros_like(slope), where=curved)


def _scaled_floors(matrix: Matrix, roundings: int) -> tuple[Vector, Vector, tuple[Vector, Matrix]]:
    """Floors of the curvature: with s_i^2 = A_ii and l the least eigenvalue of A_ij / (s_i s_j), A >= l diag(s^2).

    That matrix has ones on its diagonal, so that its eigenvalues are at most n and known up to some n^2 roundings,
    whatever the units of the coordinates. Also returned are s and the spectrum.
    """
    scales = np.sqrt(np.maximum(np.diag(matrix), 0.0))
    divisors = np.where(scales > 0.0, scales, 1.0)
    values, axes = np.linalg.eigh(matrix / divisors[:, None] / divisors)
    size = len(matrix)
    least = float(values[0]) - size * EPSILON * (roundings + 4.0 + 4.0 * max(1.0, float(values[-1])))
    return least * divisors**2, divisors, (values, axes)
