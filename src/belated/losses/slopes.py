"""The little arithmetic of bounds that all losses share, safe where a set has no bound."""

import numpy as np

from belated.core.region import Region


def product(first: float, second: float) -> float:
    """Their product, where zero times infinity is zero: a term that is absent is absent on unbounded sets too."""
    return 0.0 if first == 0.0 or second == 0.0 else first * second


def regulariser_slope(l2: float, domain: Region) -> float:
    """The largest norm that the gradient ``l2`` x of the regulariser (l2/2)|x|^2 has over ``domain``."""
    return product(l2, float(np.linalg.norm(domain.centre)) + domain.outer_radius)
