"""What is kept of a simulation that was interrupted: whole seeds, else whole learners, else nothing."""

import numpy as np
import pytest

from belated.sim.hindsight import Best
from belated.sim.jobs import Done, Job
from belated.sim.result import labelled
from belated.sim.round_loop import Record

LEARNERS, SEEDS = ["a", "b"], [3, 5, 7]
AT = np.array([2])


def done(names, seed, first=True):
    """A job whose losses say who it was."""
    records = {
        name: Record(
            np.array([2, 0]), np.full((1, 2), 10.0 * seed + LEARNERS.index(name)), np.array([1]), np.array([0])
        )
        for name in names
    }
    bests = [Best(np.zeros(1), -float(seed), 0.0)] if first else ()
    return Done(Job(seed, names, first), records, np.array([seed]) if first else np.empty(0, dtype=np.int64), bests)


def kept(jobs):
    return labelled(AT, AT, LEARNERS, SEEDS, jobs)


def found(result):
    losses = result.cumulative_loss
    return losses["learner"].values.tolist(), losses["seed"].values.tolist(), losses.values[..., 0].tolist()


def test_everything_is_there_in_the_order_asked_for_whatever_the_order_of_the_jobs():
    result = kept([done(LEARNERS, seed) for seed in (7, 3, 5)])
    assert found(result) == (LEARNERS, SEEDS, [[30.0, 50.0, 70.0], [31.0, 51.0, 71.0]])
    assert result.regret.values[..., 0].tolist() == [[33.0, 55.0, 77.0], [34.0, 56.0, 78.0]]
    assert result.delays.values[:, 0].tolist() == SEEDS
    assert not result.interrupted


def test_jobs_of_single_learners_are_put_together():
    jobs = [done([name], seed, first=name == "a") for seed in SEEDS for name in LEARNERS]
    assert found(kept(jobs)) == found(kept([done(LEARNERS, seed) for seed in SEEDS]))


def test_seeds_that_are_finished_are_kept():
    assert found(kept([done(LEARNERS, 3), done(LEARNERS, 7)]))[1] == [3, 7]
    partly = [done(["a"], 3), done(["b"], 3, first=False), done(["a"], 5), done(["b"], 7, first=False)]
    assert found(kept(partly)) == (LEARNERS, [3], [[30.0], [31.0]])
    assert "interrupted" in repr(kept(partly))


def test_without_a_finished_seed_learners_that_are_finished_on_all_are_kept():
    assert found(kept([done(["a"], seed) for seed in SEEDS])) == (["a"], SEEDS, [[30.0, 50.0, 70.0]])


@pytest.mark.parametrize(
    "jobs",
    [
        [],
        [done(["a"], 3), done(["a"], 5)],
        [done(["b"], seed, first=False) for seed in SEEDS],
        [done(["a"], 3), done(["b"], 5, first=False)],
    ],
)
def test_with_neither_the_interrupt_goes_on(jobs):
    with pytest.raises(KeyboardInterrupt):
        kept(jobs)
