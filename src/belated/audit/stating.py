"""The ways to state a step: for every round, as a sum over rounds, or as an equation in every round.

Each takes the two sides and the sizes of the numbers that they are made of, from which the allowance for rounding is
computed (:mod:`belated.audit.certificate`). A side that is not a number, or not finite, fails.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from belated.audit.certificate import TOLERANCE, Step
from belated.core.arrays import Integers, Matrix, Vector


class Label(NamedTuple):
    """The name of a step, where it stands and what it says."""

    name: str
    source: str
    statement: str


def every(label: Label, left: Vector, right: Vector, size: Vector, rounds: Integers) -> Step:
    """``left`` <= ``right`` in each of ``rounds``.

    The step has the first round in which it fails, or else the round that is nearest to failing. A round in which both
    sides are 0, but for rounding, says nothing, and is chosen only if all rounds are like that.
    """
    if len(rounds) == 0:
        return Step(*label, 0.0, 0.0, 0.0, None, 0.0, True)
    slack, allowance = right - left, TOLERANCE * size
    room, fails = slack + allowance, ~((slack >= -allowance) & np.isfinite(allowance))
    empty = (right == 0.0) & (left <= allowance)
    worst = int(fails.argmax() if fails.any() else np.argmin(room if empty.all() else np.where(empty, np.inf, room)))
    return _step(label, left[worst], right[worst], int(rounds[worst]), allowance[worst])


def equal(label: Label, ours: Matrix, theirs: Matrix, size: Vector, rounds: Integers) -> Step:
    """Two vectors are equal in each of ``rounds``; the left side is their distance."""
    distance = lengths(ours - theirs)
    return every(label, distance, np.zeros(len(distance)), size, rounds)


def total(label: Label, left: Vector, right: Vector, rounds: Integers | None = None) -> Step:
    """The sum of ``left`` is at most that of ``right``, term by term of the rounds 1, 2, ... or of ``rounds``."""
    size = float(np.abs(left).sum() + np.abs(right).sum())
    least = int(np.argmin(right - left))
    where = least + 1 if rounds is None else int(rounds[least])
    return _step(label, left.sum(), right.sum(), where, TOLERANCE * size)


def once(label: Label, left: float, right: float, size: float, where: int | None, more: float = 0.0) -> Step:
    """``left`` <= ``right``, a single statement; ``more`` is added to the allowance for rounding."""
    return _step(label, left, right, where, TOLERANCE * size + more)


def lengths(vectors: Matrix) -> Vector:
    """The Euclidean norm of each row."""
    found: Vector = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return found


def products(one: Matrix, other: Matrix) -> Vector:
    """The inner product of each row of one with the same row of the other."""
    found: Vector = np.einsum("ij,ij->i", one, other)
    return found


def _step(label: Label, left: float, right: float, where: int | None, allowance: float) -> Step:
    slack = float(right) - float(left)
    holds = bool(slack >= -allowance) and math.isfinite(allowance)
    return Step(*label, float(left), float(right), slack, where, float(allowance), holds)
