"""Random streams: all come from one seed, and no two of them share numbers."""

from itertools import combinations

import numpy as np
from scipy import stats

from belated.core import streams

OURS = (streams.losses, streams.delays, streams.learner, streams.order)


def test_losses_can_be_regenerated_from_the_bare_seed() -> None:
    np.testing.assert_array_equal(streams.losses(5).random(9), np.random.default_rng(5).random(9))


def test_the_other_streams_are_children_of_the_seed() -> None:
    for stream, number in ((streams.order, 2**32 - 3), (streams.delays, 2**32 - 2), (streams.learner, 2**32 - 1)):
        child = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(number,)))
        np.testing.assert_array_equal(stream(5).random(9), child.random(9))


def test_no_child_that_somebody_spawns_is_one_of_ours() -> None:
    ours = {float(stream(5).random()) for stream in OURS}
    assert ours.isdisjoint(float(child.random()) for child in np.random.default_rng(5).spawn(1000))


def test_the_streams_of_one_seed_share_nothing() -> None:
    for seed in (0, 1, 2):
        drawn = [stream(seed).random(4000) for stream in OURS]
        for one, other in combinations(drawn, 2):
            assert not np.isin(one, other).any()
            assert stats.pearsonr(one, other).pvalue > 0.001
