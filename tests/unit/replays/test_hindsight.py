"""The best models in hindsight: those of dense code that knows nothing of slots, parts or files."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import belated as bl
from belated.core import compiling
from belated.core.compiling import compiled
from belated.core.errors import CannotCompile, InvalidArgument
from belated.losses.prediction import link_slope, link_value
from belated.models.links import mean
from belated.models.rows import NO_VALUES, Row
from belated.replays import hindsight as module
from belated.replays import run
from belated.replays.scored_rows import ScoredRows
from belated.replays.scores import loss_of

LINKS = {name: getattr(bl.models, name)(bits=4).link for name in ("logistic", "squared", "squared_hinge", "poisson")}
DIM = 6


def label_of(kind, rng, margin):
    """A label that depends on a margin, as the link has it."""
    if kind == "squared":
        return float(2.0 * margin + rng.normal())
    if kind == "poisson":
        return float(rng.poisson(np.exp(0.5 * margin)))
    return 1.0 if rng.random() < 1.0 / (1.0 + np.exp(-margin)) else -1.0


def stream(kind, number, seed):
    """Rows with their labels and times, whose best weights change half way; the last slot is always there."""
    rng, kept, dense = np.random.default_rng(seed), ScoredRows(), []
    for time in range(number):
        slots = np.append(rng.choice(DIM - 1, 3), DIM - 1).astype(np.uint32)
        values = NO_VALUES if rng.random() < 0.5 else np.append(rng.normal(size=3), 1.0)
        plain = np.zeros(DIM)
        np.add.at(plain, slots, values if values.size else np.ones(4))
        margin = float(plain[0] - plain[1]) * (1.0 if time < number / 2 else -1.0)
        label = label_of(kind, rng, margin)
        kept.add(Row(slots, values, ""), label, 10 * time)
        dense.append((plain, label))
    rows, times = kept.recorded(), kept.times()
    kept.close()
    return rows, times, np.array([each[0] for each in dense]), np.array([each[1] for each in dense])


def objective(link, features, labels, weights, centre):
    """The sum of losses with the penalty, and its gradient, in dense code."""
    margins = features @ weights
    loss = sum(link_value(link, m, y) for m, y in zip(margins, labels, strict=True))
    slopes = np.array([link_slope(link, m, y) for m, y in zip(margins, labels, strict=True)])
    return loss + 0.5 * float((weights - centre) @ (weights - centre)), features.T @ slopes + weights - centre


def naive_weights(link, features, labels, centre):
    """The best weights by steps down the gradient, halved until they help; the curvature is at least 1."""
    weights, step = centre.copy(), 1.0
    value, gradient = objective(link, features, labels, weights, centre)
    while gradient @ gradient > 1e-9 * len(labels):
        tried = weights - step * gradient
        then, slope = objective(link, features, labels, tried, centre)
        if then <= value - 0.3 * step * float(gradient @ gradient):
            weights, value, gradient, step = tried, then, slope, 1.5 * step
        else:
            step *= 0.5
    return weights


def naive_predictions(link, features, labels, times, parts):
    """What the best weights predict, part by part, each held at the weights of the longer part."""
    found, span = [], int(times[-1] - times[0] + 1)
    centres = {0: np.zeros(features.shape[1])}
    for before, count in zip((1, *parts), parts, strict=False):
        column, weights = np.empty(len(labels)), {}
        for part in range(count):
            inside = np.array([(int(time - times[0]) * count) // span == part for time in times])
            if inside.any():
                centre = centres[part * before // count]
                weights[part] = naive_weights(link, features[inside], labels[inside], centre)
                column[inside] = [mean(link, m) for m in features[inside] @ weights[part]]
        centres = weights
        found.append(column)
    return np.array(found).T


def mean_losses(link, predictions, labels):
    return [np.mean([loss_of(link, v, y) for v, y in zip(each, labels, strict=True)]) for each in predictions.T]


def predictions_are_those_of_naive_code(kind="logistic", number=120, seed=0, parts=(1, 4, 8)):
    link = LINKS[kind]
    rows, times, features, labels = stream(kind, number, seed)
    found = module.foreseen(link, DIM, rows, times, parts)
    wanted = naive_predictions(link, features, labels, times, parts)
    np.testing.assert_allclose(found, wanted, atol=0.02, rtol=0.01)
    assert mean_losses(link, found, labels) == pytest.approx(mean_losses(link, wanted, labels), abs=1e-4)


@pytest.mark.parametrize("kind", LINKS)
def test_predictions_are_those_of_naive_code(kind):
    predictions_are_those_of_naive_code(kind)


def unpenalised(original):
    def weights(self, which, centre):
        return original(self, which, np.zeros(len(centre)))

    return weights


@pytest.mark.parametrize(
    ("owner", "name", "wrong"),
    [
        (module.Fits, "weights", unpenalised(module.Fits.weights)),
        (module, "PRECISION", 1.0),
        (module, "part_of", lambda times, parts: np.zeros(len(times), dtype=np.int64)),
    ],
    ids=["held at 0", "not exact", "no parts"],
)
def test_the_check_catches_mutants(monkeypatch, owner, name, wrong):
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(AssertionError):
        predictions_are_those_of_naive_code()


@given(st.integers(1, 30), st.integers(0, 99), st.sampled_from([(1,), (2, 4), (1, 3, 12), (5,)]))
@settings(deadline=None, max_examples=12)
def test_more_parts_never_lose_more_than_the_precision(number, seed, parts):
    rows, times, _, labels = stream("squared", number, seed)
    losses = mean_losses(LINKS["squared"], module.foreseen(LINKS["squared"], DIM, rows, times, parts), labels)
    assert all(two <= one + 4 * module.PRECISION for one, two in pairwise(losses))


def test_the_sum_is_the_same_compiled():
    rows, _, _, _ = stream("logistic", 50, 3)
    which, table = np.arange(50), np.random.default_rng(0).normal(size=(DIM, 1))
    plain, fast = np.zeros(DIM), np.zeros(DIM)
    call = LINKS["logistic"], rows, which, table
    try:
        code = compiled(module.summed_loss, *call, fast)
    except CannotCompile:
        pytest.skip("the compiler is switched off")
    lean = {function.__name__: outcome.lean for (function, _), outcome in compiling._outcomes.items()}
    assert lean["summed_loss"]
    assert code(*call, fast) == module.summed_loss(*call, plain)
    assert fast.tobytes() == plain.tobytes()


def test_parts_have_equal_length_of_time():
    times = np.array([0, 9, 10, 24, 25, 30, 39, 3, 39])
    assert module.part_of(times, 4).tolist() == [0, 0, 1, 2, 2, 3, 3, 0, 3]
    assert module.part_of(np.array([7, 7]), 16).tolist() == [0, 0]


def log_of(number=300, **options):
    rng = np.random.default_rng(1)
    rows = [
        {"at": at, "w": f"w{rng.integers(4)}", "known": at + 30 if at % 5 else None, "y": int(rng.random() < 0.3)}
        for at in range(number)
    ]
    return bl.read_log(rows, decided_at="at", answered_at="known", label="y", **options), rows


def the_best_fixed_words_are_their_shares(from_time=0):
    """With one word in each row and no penalty worth the name, the best prediction is the share of the word."""
    log, rows = log_of(3000)
    if from_time:
        result = bl.replays.compare_models(log, {"m": bl.models.logistic(bits=8)}, tune_until=from_time / 2999).replay
    else:
        result = bl.replay({"m": bl.models.logistic(bits=8)}, log, hindsight=(1, 16))
    scored = [row for row in rows if row["known"] is not None and row["at"] >= from_time]
    loss = 0.0
    for word in {row["w"] for row in scored}:
        labels = [row["y"] for row in scored if row["w"] == word]
        share = np.mean(labels)
        loss -= len(labels) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    assert result.scored.sum() == len(scored)
    assert result.mean_loss("best fixed") == pytest.approx(loss / len(scored), abs=2e-4)
    assert result.mean_loss("best of 16 parts") < result.mean_loss("best fixed")
    assert result.quality["best fixed"].brier < 0.25
    assert result.losses.shape == (4, len(result.scored))


@pytest.mark.parametrize("from_time", [0, 1500])
def test_the_best_fixed_model_is_fitted_to_what_is_scored(from_time):
    the_best_fixed_words_are_their_shares(from_time)


def test_a_fit_to_the_first_part_would_be_noticed(monkeypatch):
    def score(self, tally, owed, label):
        tally.score(owed.time, owed.values, label)
        self._hindsight.keep(owed.row, label, owed.time, owed.weight)

    monkeypatch.setattr(run.Run, "_score", score)
    with pytest.raises(ValueError, match="dimensions"):  # there are blocks of time that no model was scored in
        the_best_fixed_words_are_their_shares(1500)


def test_a_deadline_that_passes_counts_as_its_label():
    log, _ = log_of(400, deadline=20)
    result = bl.replay({"m": bl.models.logistic(bits=8)}, log, hindsight=(1,))
    assert result.scored.sum() > 350
    assert result.mean_loss("best fixed") < 1e-2  # nobody answers in time, so every label is 0


def test_marks_change_nothing_else():
    log, _ = log_of()
    models = {"m": bl.models.logistic(bits=8)}
    with_marks, without = bl.replay(models, log, hindsight=[2]), bl.replay(models, log)
    assert with_marks.names == (*without.names, "best of 2 parts")
    assert with_marks.losses[:-1].tobytes() == without.losses.tobytes()
    assert bl.replays.compare_models(log, models, hindsight=()).marks == ()


def test_an_empty_log_has_marks_without_a_loss():
    log = bl.read_log([], decided_at="at", answered_at="known", label="y")
    result = bl.replay({"m": bl.models.logistic(bits=8)}, log, hindsight=(1, 2))
    assert np.isnan(result.mean_loss("best fixed"))


def test_a_full_disk_costs_the_marks_only(monkeypatch):
    def full(self, *_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ScoredRows, "add", full)
    log, _ = log_of()
    with pytest.warns(UserWarning, match=r"left out.*No space left on device"):
        result = bl.replay({"m": bl.models.logistic(bits=8)}, log, hindsight=(1,))
    assert result.names == ("m", "constant")
    assert result.mean_loss("m") > 0


def test_an_interrupted_fit_costs_the_marks_only(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "foreseen", interrupted)
    log, _ = log_of()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = bl.replay({"m": bl.models.logistic(bits=8)}, log, hindsight=(1,))
    assert result.interrupted
    assert result.names == ("m", "constant")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ("1", "must be a list of whole numbers"),
        (4, "must be a list of whole numbers"),
        ([0], "must be"),
        ([1.5], "must be"),
        ([2, 3], "multiple of the one before"),
        ([4, 4], "multiple of the one before"),
        ([20_000], "at most 10000 parts"),
    ],
)
def test_wrong_parts_are_refused(parts, words):
    with pytest.raises(InvalidArgument, match=words):
        bl.replay({"m": bl.models.logistic()}, log_of()[0], hindsight=parts)


def test_a_model_may_not_be_called_like_a_mark():
    with pytest.raises(InvalidArgument, match="it is a mark in the result"):
        bl.replay({"best fixed": bl.models.logistic()}, log_of()[0], hindsight=(1,))
