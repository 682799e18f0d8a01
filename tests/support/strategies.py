"""What Hypothesis draws for delayed runs. Bursts are there by construction: without them most bugs hide."""

import numpy as np
from hypothesis import strategies as st

from belated.domains import EVERY


def delay_sequences(rounds: int):
    """Delays of all kinds: arbitrary, beyond the end, in bursts, all at once, none before the end."""
    anything = st.lists(st.integers(1, rounds + 3), min_size=rounds, max_size=rounds)
    short = st.lists(st.integers(1, 4), min_size=rounds, max_size=rounds)
    bursts = st.integers(2, max(2, rounds)).map(lambda m: [m - (t % m) for t in range(rounds)])
    together = st.just([rounds - t for t in range(rounds)])
    never = st.just([rounds + 1] * rounds)
    return st.one_of(anything, short, bursts, together, never)


def domains(dim: int = 3, bounded: bool = False):
    """A domain of every kind."""
    examples = [domain_class.example(dim) for domain_class in EVERY]
    return st.sampled_from([d for d in examples if not bounded or np.isfinite(d.diameter)])


seeds = st.integers(0, 2**32 - 1)
