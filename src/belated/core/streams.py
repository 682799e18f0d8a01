"""Independent streams of random numbers from one seed.

Losses, delays and learners must not share random bits: a learner whose perturbations came from the generator that
drew the losses would be correlated with them, which voids every guarantee in expectation.

The losses of a seed come from ``numpy.random.default_rng(seed)``, so that anybody can regenerate them. The others
come from children of that seed, ``default_rng(SeedSequence(seed, spawn_key=(number,)))``, numbered from the far end
so that a problem or a law that spawns children of its own, which NumPy numbers from 0, never meets them.
"""

import numpy as np

LEARNER = 2**32 - 1
DELAYS = 2**32 - 2
ORDER = 2**32 - 3


def losses(seed: int) -> np.random.Generator:
    """The stream from which a problem draws its losses: that of the seed itself."""
    return np.random.default_rng(seed)


def delays(seed: int) -> np.random.Generator:
    """The stream from which a law draws its delays: child ``DELAYS``."""
    return _child(seed, DELAYS)


def learner(seed: int) -> np.random.Generator:
    """The stream from which a learner draws its perturbations: child ``LEARNER``."""
    return _child(seed, LEARNER)


def order(seed: int) -> np.random.Generator:
    """The stream from which the order of losses is drawn, where a learner may choose it: child ``ORDER``."""
    return _child(seed, ORDER)


def _child(seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
