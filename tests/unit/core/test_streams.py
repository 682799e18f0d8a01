from itertools import combinations

import numpy as np
from scipy import stats

from belated.core import streams


def test_losses_can_be_regenerated_from_the_bare_seed() -> None:
    np.testing.assert_array_equal(streams.losses(5).random(9), np.random.default_rng(5).random(9))


def test_the_other_streams_are_children_of_the_seed() -> None:
    children = [np.random.default_rng(child) for child in np.random.SeedSequence(5).spawn(2)]
    for stream, child in zip((streams.delays, streams.learner), children, strict=True):
        np.testing.assert_array_equal(stream(5).random(9), child.random(9))


def test_the_streams_of_one_seed_share_nothing() -> None:
    for seed in (0, 1, 2):
        drawn = [stream(seed).random(4000) for stream in (streams.losses, streams.delays, streams.learner)]
        for one, other in combinations(drawn, 2):
            assert not np.isin(one, other).any()
            assert stats.pearsonr(one, other).pvalue > 0.001
