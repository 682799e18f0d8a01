"""Independent streams of random numbers from one seed.

Losses, delays and learners must not share random bits: a learner whose perturbations came from the generator that
drew the losses would be correlated with them, which voids every guarantee in expectation. The losses of a seed come
from ``numpy.random.default_rng(seed)``, so that anybody can regenerate them; the others from children of that seed,
``default_rng(SeedSequence(seed, spawn_key=(number,)))``, which NumPy keeps apart from every other seed and child.
"""

import numpy as np


def losses(seed: int) -> np.random.Generator:
    """The stream from which a problem draws its losses: that of the seed itself."""
    return np.random.default_rng(seed)


def delays(seed: int) -> np.random.Generator:
    """The stream from which a law draws its delays: child 0."""
    return _child(seed, 0)


def learner(seed: int) -> np.random.Generator:
    """The stream from which a learner draws its perturbations: child 1."""
    return _child(seed, 1)


def _child(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
