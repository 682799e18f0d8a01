r"""A positive definite matrix A that grows by outer products, kept as its factor: A = U' U, U upper triangular.

In place of the inverse, whose formula for A + v v' subtracts and drifts, the factor is rotated: nothing is ever
subtracted from the diagonal, so it stays positive for as long as anybody likes. Every function is O(n^2) and runs along
the rows of U; what lies below its diagonal is never looked at.
"""

import math

from belated.core.arrays import Matrix, Vector
from belated.core.verbs import compilable


@compilable
def add_outer(factor: Matrix, vector: Vector) -> None:
    """Update the factor of A in place to that of A + v v'. ``vector`` is used as scratch space and overwritten."""
    size = vector.size
    for k in range(size):
        old, entry = float(factor[k, k]), float(vector[k])
        if entry != 0.0:
            new = math.sqrt(old * old + entry * entry)
            cosine, sine = old / new, entry / new
            factor[k, k] = new
            for i in range(k + 1, size):
                above, below = float(factor[k, i]), float(vector[i])
                factor[k, i] = cosine * above + sine * below
                vector[i] = cosine * below - sine * above


@compilable
def solve(factor: Matrix, vector: Vector) -> None:
    """Replace ``vector`` by A^{-1} times it."""
    size = vector.size
    for k in range(size):
        vector[k] = float(vector[k]) / float(factor[k, k])
        for i in range(k + 1, size):
            vector[i] -= float(factor[k, i]) * float(vector[k])
    for k in range(size - 1, -1, -1):
        total = float(vector[k])
        for i in range(k + 1, size):
            total -= float(factor[k, i]) * float(vector[i])
        vector[k] = total / float(factor[k, k])


@compilable
def multiply(factor: Matrix, vector: Vector, half: Vector, out: Vector) -> None:
    """Write U times ``vector`` into ``half``, whose squares sum to v' A v, and A times it into ``out``."""
    size = vector.size
    for i in range(size):
        out[i] = 0.0
    for k in range(size):
        total = 0.0
        for i in range(k, size):
            total += float(factor[k, i]) * float(vector[i])
        half[k] = total
        for i in range(k, size):
            out[i] += float(factor[k, i]) * total


@compilable
def trace(factor: Matrix) -> float:
    """The sum of the eigenvalues of A, which is at least the largest of them and at most n times it."""
    total = 0.0
    for k in range(factor.shape[0]):
        for i in range(k, factor.shape[0]):
            total += float(factor[k, i]) * float(factor[k, i])
    return total
