"""Sums of quadratic losses and their minima in exact rational arithmetic."""

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from belated.core.arrays import Matrix
from belated.domains import Ball, Box, Domain
from belated.losses import Loss, Quadratic, SquaredError
from belated.sim.hindsight import Best

Numbers = list[Fraction]
ZERO = Fraction(0)


class Exact(NamedTuple):
    """1/2 x'A x + h'x + c in fractions."""

    a: list[Numbers]
    h: Numbers
    c: Fraction

    def value(self, x: Numbers) -> Fraction:
        energy = sum((xi * sum(map(Fraction.__mul__, row, x)) for xi, row in zip(x, self.a, strict=True)), ZERO)
        return energy / 2 + sum(map(Fraction.__mul__, self.h, x)) + self.c


def exact(loss: Loss, rows: Matrix) -> Exact:
    """The sum of the losses, from their definition."""
    n, t = loss.dim, len(rows)
    table = [[Fraction(float(entry)) for entry in row] for row in rows]
    eye = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    if isinstance(loss, SquaredError):
        a = [
            [sum((r[i] * r[j] for r in table), ZERO) + t * Fraction(loss.l2) * eye[i][j] for j in range(n)]
            for i in range(n)
        ]
        return Exact(
            a, [-sum((r[i] * r[n] for r in table), ZERO) for i in range(n)], sum(r[n] ** 2 for r in table) / Fraction(2)
        )
    assert isinstance(loss, Quadratic)
    form = np.array([loss.form.image(unit) for unit in np.eye(n)])
    a = [[t * (Fraction(float(form[i, j])) + Fraction(loss.l2) * eye[i][j]) for j in range(n)] for i in range(n)]
    return Exact(a, [sum((r[i] for r in table), ZERO) for i in range(n)], Fraction(0))


def solved(a: list[Numbers], b: Numbers) -> Numbers | None:
    """x with A x = b, by elimination; ``None`` if A is singular."""
    rows = [[*row, right] for row, right in zip(a, b, strict=True)]
    for i in range(len(b)):
        pivot = next((r for r in range(i, len(b)) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(b)):
            if r != i and rows[r][i] != 0:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [rows[i][-1] / rows[i][i] for i in range(len(b))]


def least_in_space(f: Exact) -> Fraction | None:
    bottom = solved(f.a, [-h for h in f.h])
    return None if bottom is None else f.value(bottom)


def least_in_box(f: Exact, box: Box) -> Fraction:
    """The least value at stationary points of faces that lie in the box: one of them is the minimum."""
    n = len(f.h)
    ends = [[Fraction(float(end)) for end in pair] for pair in zip(box.lower, box.upper, strict=True)]
    values = []
    for face in itertools.product((0, 1, None), repeat=n):
        x = [ends[i][0 if side is None else side] for i, side in enumerate(face)]
        free = [i for i, side in enumerate(face) if side is None]
        fixed = [i for i in range(n) if i not in free]
        right = [-f.h[i] - sum(f.a[i][j] * x[j] for j in fixed) for i in free]
        inner = solved([[f.a[i][j] for j in free] for i in free], right)
        if inner is not None and all(ends[i][0] <= v <= ends[i][1] for i, v in zip(free, inner, strict=True)):
            for i, v in zip(free, inner, strict=True):
                x[i] = v
            values.append(f.value(x))
    return min(values)


def low_in_ball(f: Exact, ball: Ball) -> Fraction:
    """The value at an element of a ball about the origin that is within 1e-30 or so of being the best."""
    room = Fraction(ball.radius) ** 2

    def element(multiplier: Fraction) -> Numbers | None:
        shifted = [[x + multiplier * (i == j) for j, x in enumerate(row)] for i, row in enumerate(f.a)]
        x = solved(shifted, [-h for h in f.h])
        return x if x is not None and sum(v * v for v in x) <= room else None

    inside = element(Fraction(0))
    if inside is not None:
        return f.value(inside)
    low, high = -700, 700
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if element(Fraction(2) ** middle) is not None else (middle, high)
    few, many = Fraction(2) ** low, Fraction(2) ** high
    for _ in range(100):
        middle_one = (few + many) / 2
        few, many = (few, middle_one) if element(middle_one) is not None else (middle_one, many)
    x = element(many)
    assert x is not None
    return f.value(x)


def least(f: Exact, domain: Domain) -> Fraction | None:
    if isinstance(domain, Box):
        return least_in_box(f, domain)
    return low_in_ball(f, domain) if isinstance(domain, Ball) else least_in_space(f)


def assert_true(best: Best, f: Exact, minimum: Fraction) -> None:
    if math.isinf(best.gap):
        return
    at_point = f.value([Fraction(float(v)) for v in best.point])
    assert abs(at_point - Fraction(best.value)) <= Fraction(best.gap)
    assert Fraction(best.value) - Fraction(best.gap) <= minimum
