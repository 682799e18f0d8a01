"""The forecaster with late labels against ridge regression in NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import errors
from belated.learners.algorithms import vaw as forecaster
from belated.learners.algorithms.vaw import Forecaster, vaw
from belated.learners.verbs import play
from support.compiler import needs_compiler
from support.naive import rounds_arriving
from support.strategies import delay_sequences, seeds

ROUNDS = 20


def data(seed, dim, rounds=ROUNDS, bound=np.inf):
    """Features of different scales; labels that are normal, or as large as they may be, so that forecasts overshoot."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(rounds, dim)) * 10.0 ** rng.uniform(-1, 1, dim)
    return features, rng.normal(size=rounds) if bound == np.inf else bound * np.sign(features @ np.ones(dim))


def witness(features, labels, delays, regulariser, bound):
    """The weights of every round from its definition: one linear system each, nothing carried over."""
    rounds, dim = features.shape
    result = []
    for t in range(1, rounds + 1):
        received = [k for i in range(1, t) for k in rounds_arriving(delays, i)]
        matrix = regulariser * np.eye(dim) + features[:t].T @ features[:t]
        total = sum((labels[k - 1] * features[k - 1] for k in received), np.zeros(dim))
        weights = np.linalg.solve(matrix, total)
        forecast = features[t - 1] @ weights
        if abs(forecast) > bound:
            weights = weights * (np.clip(forecast, -bound, bound) / forecast)
        result.append(weights)
    return np.array(result)


def played(learner, features, labels, delays, start=None):
    player, result = learner.start(start), []
    for t, row in enumerate(features, start=1):
        result.append(player.ask(context=row).point)
        for k in rounds_arriving(delays, t):
            player.tell([labels[k - 1]], round=k)
    return np.array(result)


def worst_error(dim, delays, seed, bound=np.inf):
    features, labels = data(seed, dim, len(delays), bound)
    learner = vaw(bl.Euclidean(dim), 0.5, None if bound == np.inf else bound)
    ours, theirs = played(learner, features, labels, delays), witness(features, labels, delays, 0.5, bound)
    return np.abs(ours - theirs).max()


@settings(max_examples=40)
@given(st.integers(1, 6), delay_sequences(ROUNDS), seeds, st.sampled_from([np.inf, 0.2]))
def test_it_is_ridge_regression_with_all_features_and_the_labels_that_came(dim, delays, seed, bound):
    assert worst_error(dim, delays, seed, bound) < 1e-11


def test_clipped_forecasts_are_within_the_bound_and_some_are_clipped():
    features, labels = data(0, 3, bound=0.2)
    delays = np.random.default_rng(1).integers(1, 6, ROUNDS)
    plain, clipped = (played(vaw(bl.Euclidean(3), 0.5, bound), features, labels, delays) for bound in (None, 0.2))
    before, after = np.sum(plain * features, axis=1), np.sum(clipped * features, axis=1)
    assert np.allclose(after, np.clip(before, -0.2, 0.2), rtol=0.0, atol=1e-14)
    assert (np.abs(before) > 0.2).any()


def test_without_delay_it_is_the_forecaster_of_vovk_azoury_and_warmuth():
    """Its forecast is that of ridge regression on the past and, with label 0, the present."""
    features, labels = data(3, 4)
    ours = played(vaw(bl.Euclidean(4), 1.0), features, labels, [1] * ROUNDS)
    for t in range(ROUNDS):
        rows = np.vstack([features[: t + 1], np.eye(4)])
        wanted = np.concatenate([labels[:t], np.zeros(5)])
        assert np.allclose(ours[t], np.linalg.lstsq(rows, wanted, rcond=None)[0], rtol=0.0, atol=1e-12)


def test_three_rounds_by_hand():
    """Lambda = 1, z = 1, 2, 1 and y_1 = 6: A = 2, 6, 7. The label of round 1 is there in round 3, that of 2 is not."""
    player = vaw(bl.Euclidean(1), regulariser=1.0).start()
    assert player.ask(context=[1.0]).point == [0.0]
    assert player.ask(context=[2.0]).point == [0.0]
    player.tell([6.0], round=1)
    assert player.ask(context=[1.0]).point == pytest.approx([6.0 / 7.0])
    player.tell([7.0], round=2)
    assert player.ask(context=[1.0]).point == pytest.approx([20.0 / 8.0])


def test_a_first_guess_shifts_the_labels():
    features, labels = data(5, 3)
    delays, guess = np.random.default_rng(2).integers(1, 6, ROUNDS), np.array([1.0, -2.0, 0.5])
    learner = vaw(bl.Euclidean(3), 1.0)
    shifted = played(learner, features, labels - features @ guess, delays)
    ours = played(learner, features, labels, delays, guess)
    assert np.array_equal(ours[0], guess)
    assert np.allclose(ours, guess + shifted, rtol=0.0, atol=1e-11)


def test_it_stays_exact_for_thousands_of_rounds_of_nearly_dependent_features():
    """Where an inverse that is corrected step by step drifts: features along one line but for one part in a million."""
    rng, dim, rounds = np.random.default_rng(0), 3, 2000
    features = 1e3 * rng.normal(size=(rounds, 1)) * np.ones(dim) + 1e-3 * rng.normal(size=(rounds, dim))
    labels = features @ np.array([1.0, -2.0, 3.0])
    player = vaw(bl.Euclidean(dim), 1e-6).start()
    for t, row in enumerate(features, start=1):
        point = player.ask(context=row).point
        player.tell([labels[t - 1]], round=t)
    matrix = 1e-6 * np.eye(dim) + features.T @ features
    residual = matrix @ point - features[:-1].T @ labels[:-1]
    assert np.linalg.norm(residual) < 1e-12 * np.linalg.norm(matrix) * np.linalg.norm(point)


def without_the_present(policy, state, ledger, desk):
    """A plausible mistake: the features of the round count only after it, as in ridge regression."""
    earlier = type(state)._make(array.copy() for array in state)
    nothing = np.zeros_like(desk.memo)
    forecaster.play_forecaster(policy, earlier, ledger, desk._replace(memo=nothing))
    forecaster.play_forecaster(policy, state, ledger, desk._replace(points=np.empty_like(desk.points)))


def only_labelled(policy, state, ledger, desk):
    """Another: features count when the label has come; here, never."""
    forecaster.play_forecaster(policy, state, ledger, desk._replace(memo=np.zeros_like(desk.memo)))


@pytest.mark.parametrize("mutant", [without_the_present, only_labelled])
def test_wrong_features_are_caught(mutant, monkeypatch):
    delays = np.random.default_rng(0).integers(1, 6, ROUNDS)
    assert worst_error(3, delays, 0) < 1e-11
    monkeypatch.setitem(play.implementations, Forecaster, mutant)
    assert worst_error(3, delays, 0) > 1e-3


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"regulariser": 0.0}, r"`vaw\(regulariser=0.0\)`: must be > 0"),
        ({"label_bound": -1.0}, r"`vaw\(label_bound=-1.0\)`: must be > 0"),
        ({"domain": bl.Ball(2)}, "whole space"),
        ({"domain": 3}, "whole space"),
    ],
)
def test_misuse_fails_at_construction(arguments, match):
    with pytest.raises(errors.InvalidArgument, match=match):
        vaw(**{"domain": bl.Euclidean(2), "regulariser": 1.0} | arguments)


def test_features_are_needed_and_so_is_the_round():
    player = vaw(bl.Euclidean(2), 1.0).start()
    with pytest.raises(errors.InvalidArgument, match="context"):
        player.ask()
    player.ask(context=[1.0, 2.0])
    with pytest.raises(errors.RoundRequired):
        player.tell([1.0])


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_compiler)])
def test_a_label_beyond_its_bound_is_refused_and_changes_nothing(compiled):
    player, twin = (vaw(bl.Euclidean(1), 1.0, 2.0).start() for _ in range(2))
    for each in (player, twin):
        each.ask([1.0])
    assert not compiled or player.compile()
    for label in (np.array([2.0000001]), [-3.0]):
        with pytest.raises(
            errors.InvalidArgument, match=r"`vaw\.tell\(label=.*\)`: must be of size at most 2, the lear"
        ):
            player.tell(label, round=1)
    for each in (player, twin):
        each.tell(np.array([-2.0]), round=1)
    assert player.ask([1.0]).point == twin.ask([1.0]).point


@pytest.mark.parametrize("bound", [0.5, None])
def test_simulate_refuses_labels_beyond_their_bound(bound):
    problem, learner = bl.problems.Regression(2, noise=0.5), vaw(bl.Euclidean(2), 1.0, bound)
    assert np.abs(problem.rows(0, 50)[:, -1]).max() > 0.5
    call = {"delays": bl.delays.Fixed(1), "rounds": 50, "seeds": [0]}
    if bound is None:
        assert np.isfinite(bl.simulate({"vaw": learner}, problem, **call).cumulative_loss).all()
        return
    with pytest.raises(
        errors.NumericalFailure, match=r"round \d+ of seed 0.* label is beyond the learner's label_bound 0.5"
    ):
        bl.simulate({"vaw": learner}, problem, **call)
