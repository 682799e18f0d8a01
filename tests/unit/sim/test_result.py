"""What is kept of a simulation that was interrupted, how results are joined, and what they say of themselves."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import belated as bl
from belated.core.errors import InvalidArgument
from belated.sim import plan
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
    bests = np.array([[-float(seed), 0.0]]) if first else np.empty((0, 2))
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


# Merging


BALL, PROBLEM, LAW = bl.Ball(2), bl.problems.RandomQuadratic(2), bl.delays.Never(bl.delays.Geometric(4.0), 0.2)
BOTH = {"a": bl.dogd_sc(BALL, 2.0), "b": bl.bdogd_sc_two_point(BALL, 2.0, 0.1)}


def run(seeds, learners=BOTH, rounds=20, **settings):
    return bl.simulate(learners, PROBLEM, LAW, rounds, seeds, **{"regret_at": [5, 20], **settings})


@pytest.mark.parametrize("parts", [[[3, 0], [7]], [[3], [0], [7]], [[3, 0, 7]]])
def test_merged_results_are_one_run_over_all_seeds(parts):
    first, *others = map(run, parts)
    merged = first.merge(*others)
    assert merged.to_dataset().identical(run([3, 0, 7]).to_dataset())
    assert merged.delays.identical(run([3, 0, 7]).delays), "whole numbers, also where feedback never comes"
    assert not merged.interrupted


def test_learners_may_stand_in_another_order():
    backwards = run([1], dict(reversed(BOTH.items())))
    assert run([0]).merge(backwards).to_dataset().identical(run([0, 1]).to_dataset())


def test_a_merged_result_is_as_interrupted_and_thinned_as_its_parts():
    parts = run([0]), replace(run([1]), interrupted=True), replace(run([2]), thinned=True)
    assert [parts[0].merge(other).interrupted for other in parts[1:]] == [True, False]
    assert [parts[0].merge(other).thinned for other in parts[1:]] == [False, True]
    assert not parts[0].merge().interrupted


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            lambda: run([2, 0]),
            r"^`merge\(others=\[0\]\)`: must have seeds that no other result has; these are there twice$",
        ),
        (
            lambda: run([1], {"a": BOTH["a"]}),
            r"must have the same learners in `regret` .*has \['a'\] and not \['a', 'b'\]$",
        ),
        (lambda: run([1], rounds=21), r"must have the same rounds in `cumulative_loss` \(`simulate\(record=...\)`\)"),
        (lambda: run([1], record=[5]), r"must have the same rounds in `cumulative_loss`"),
        (lambda: run([1], regret_at=[20]), r"must have the same rounds in `regret` .*has \[20\] and not \[5, 20\]$"),
        (lambda: run([1]).to_dataset(), r"^`merge\(others=.*must be results of `simulate`$"),
    ],
)
def test_results_that_do_not_fit_are_refused(other, message):
    with pytest.raises(InvalidArgument, match=message):
        run([0]).merge(other())


def test_two_of_the_others_must_not_share_a_seed():
    with pytest.raises(InvalidArgument, match=r"others=\[1, 4\]"):
        run([0]).merge(run([1, 4]), run([4, 2, 1]))


# What it says of itself


def test_a_result_that_was_thinned_unasked_says_so(monkeypatch):
    monkeypatch.setattr(plan, "MOST_RECORDED", 2 * 2 * 150 - 1)
    whole, thinned = run([0, 1], rounds=149), run([0, 1], rounds=150)
    assert (whole.thinned, thinned.thinned) == (False, True)
    assert repr(whole).startswith("<Result (learner: 2, seed: 2, round: 149) with")
    count = thinned.cumulative_loss.sizes["round"]
    assert repr(thinned).startswith(f"<Result (learner: 2, seed: 2, round: {count} of 150, thinned by default) with")
    assert (whole.to_dataset().attrs["thinned"], thinned.to_dataset().attrs["thinned"]) == (0, 1)


@pytest.mark.parametrize(("record", "shown"), [("all", "round: 150)"), ("log", "of 150)"), ([7], "round: 4 of 150)")])
def test_what_was_asked_for_is_not_called_thinned(record, shown, monkeypatch):
    monkeypatch.setattr(plan, "MOST_RECORDED", 1)
    result = run([0, 1], rounds=150, record=record)
    assert not result.thinned
    assert f"{shown} with" in repr(result)


# Labels on demand


def test_numbers_get_their_labels_when_they_are_looked_at():
    result = kept([done(LEARNERS, seed) for seed in SEEDS])
    copies = [copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))]
    assert "regret" not in vars(result)
    assert result.regret is result.regret
    assert result.regret.dims == result.cumulative_loss.dims == ("learner", "seed", "round")
    assert result.best_loss.dims == result.delays.dims == ("seed", "round")
    assert all(each.to_dataset().identical(result.to_dataset()) for each in copies)
    with pytest.raises(AttributeError, match="'Result' object has no attribute 'regrets'"):
        _ = result.regrets


LAZY = """
import sys
import belated as bl

learner = bl.dogd_sc(bl.Ball(2), 2.0)
player = learner.start()
player.tell_many([player.ask().point])
result = bl.simulate({"a": learner}, bl.problems.RandomQuadratic(2), bl.delays.Fixed(3), rounds=20, seeds=[0])
print(sorted({"numba", "pandas", "xarray"} & set(sys.modules)), "xarray" in [result.regret.__module__, *sys.modules])
"""


def test_a_short_run_loads_neither_the_compiler_nor_labels_that_nobody_looks_at():
    """Loading them takes a second, in which a short run could be done a hundred times."""
    ran = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[] True"
