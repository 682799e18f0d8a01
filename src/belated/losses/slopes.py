"""Arithmetic that the constants of all losses share, and that is right on unbounded sets, too."""

import numpy as np

from belated.core.region import Region


def product(first: float, second: float) -> float:
    """The product of two numbers, in which zero times infinity is zero: a term with factor 0 is absent on any set."""
    return 0.0 if first == 0.0 or second == 0.0 else first * second


def regulariser_slope(l2: float, domain: Region) -> float:
    """The largest norm that the gradient ``l2`` x of the regulariser (l2/2)|x|^2 has over ``domain``."""
    return product(l2, float(np.linalg.norm(domain.centre)) + domain.outer_radius)
