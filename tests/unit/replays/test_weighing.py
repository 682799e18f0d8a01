"""Weights of a log: learned and scored as naive code does it, the same as repeated rows in sums, and 1 is nothing."""

import math

import numpy as np
import pytest

import belated as bl
from belated.losses import Logistic, SquaredError
from belated.models.links import PoissonCount
from belated.models.rows import NO_VALUES, Row
from belated.replays import compare_models, cost_of_delay, replaying, result, run, tally
from belated.replays.hindsight import Fits, summed_loss
from belated.replays.result import CONSTANT, difference_of
from belated.replays.scored_rows import ScoredRows
from belated.replays.scores import Histogram
from belated.replays.tally import RunningMean, Tally
from support.late_logs import COLUMNS, break_replays, late_rows
from support.players import as_bytes

MODEL = bl.models.logistic(bits=6, step=bl.models.adagrad(0.3))


def weighted_rows(number=200, seed=0, weights=(0.0, 0.25, 1.0, 3.0)):
    rng = np.random.default_rng(seed)
    return [{**row, "w": float(rng.choice(weights))} for row in late_rows(number, seed)]


def log_of(rows, **options):
    return bl.read_log(rows, **COLUMNS, weight="w", **options)


def a_replay_is_that_of_naive_code():
    rows = weighted_rows()
    predictor, said, constant = MODEL.start(), {}, [0.5, 1.0]  # half a one among one label
    sums = {"m": 0.0, CONSTANT: 0.0, "brier": 0.0, "weight": 0.0}
    scored = 0
    for event in log_of(rows).events():
        at = float(event.time)
        if isinstance(event, bl.logs.Asked):
            value = predictor.predict(event.example, event.key, at=at).value
            said[event.key] = value, constant[0] / constant[1], event.weight
            continue
        value, share, weight = said[event.key]
        if weight == 0.0:
            predictor.give_up(event.key)
            continue
        scored += 1
        sums["weight"] += weight
        sums["m"] -= weight * math.log(value if event.label else 1.0 - value)
        sums[CONSTANT] -= weight * math.log(share if event.label else 1.0 - share)
        sums["brier"] += weight * (value - event.label) ** 2
        constant = [constant[0] + weight * event.label, constant[1] + weight]
        predictor.learn(event.key, event.label, at=at, weight=weight)
    found = bl.replay({"m": MODEL}, log_of(rows))
    assert found.scored.sum() == scored
    assert found.weights.sum() == pytest.approx(sums["weight"])
    assert found.mean_loss("m") == pytest.approx(sums["m"] / sums["weight"], rel=1e-12)
    assert found.mean_loss(CONSTANT) == pytest.approx(sums[CONSTANT] / sums["weight"], rel=1e-12)
    assert found.quality["m"].brier == pytest.approx(sums["brier"] / sums["weight"], rel=1e-12)
    assert as_bytes(found.predictors["m"].state()) == as_bytes(predictor.state())


def test_a_replay_is_that_of_naive_code():
    a_replay_is_that_of_naive_code()


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (run, "self._unit, weight=owed.weight)", "self._unit)"),
        (run, "self._constant.learn(label, owed.weight)", "self._constant.learn(label)"),
        (run, "owed.values, label, owed.weight)", "owed.values, label)"),
        (tally, "weight * loss_of(", "loss_of("),
        (tally, "weight * (value - truth) ** 2", "(value - truth) ** 2"),
        (result, "total = float(self.weights.sum())", "total = float(self.scored.sum())"),
    ],
)
def test_a_weight_that_is_forgotten_is_noticed(monkeypatch, module, old, new):
    break_replays(monkeypatch, module, old, new)
    monkeypatch.setattr(bl, "replay", replaying.replay)
    with pytest.raises(AssertionError):
        a_replay_is_that_of_naive_code()


@pytest.mark.parametrize("kind", ["logistic", "squared", "squared_hinge", "poisson"])
def test_weights_of_1_change_no_bit(kind):
    model, rows = getattr(bl.models, kind)(bits=5), weighted_rows(120, weights=(1.0,))
    plain = bl.read_log([{name: row[name] for name in row if name != "w"} for row in rows], **COLUMNS)
    one, two = compare_models(log_of(rows), model), compare_models(plain, model)
    for table in ("to_csv", "marks_to_csv", "choices_to_csv", "calibration_to_csv"):
        assert getattr(one, table)() == getattr(two, table)()
    assert one.replay.losses.tobytes() == two.replay.losses.tobytes()
    assert one.replay.weights.tobytes() == one.replay.scored.tobytes()
    factors = (0, 1, 2)
    assert cost_of_delay(log_of(rows), model, factors).to_csv() == cost_of_delay(plain, model, factors).to_csv()


@pytest.mark.parametrize("link", [Logistic(1), SquaredError(1), PoissonCount()])
def test_means_and_histograms_are_those_of_repeated_labels(link):
    rng, weighted, repeated = np.random.default_rng(1), RunningMean(link), RunningMean(link)
    tallies = Tally(["m"], link, False), Tally(["m"], link, False)
    for time in range(100):
        label, weight = float(rng.choice([-1.0, 1.0])) if isinstance(link, Logistic) else 2.0, int(rng.integers(1, 4))
        value = float(rng.uniform(0.1, 0.9))
        weighted.learn(label, float(weight))
        tallies[0].score(time, [value], label, float(weight))
        for _ in range(weight):
            repeated.learn(label)
            tallies[1].score(time, [value], label)
        assert weighted.prediction() == pytest.approx(repeated.prediction(), rel=1e-12)
    one, two = (each.quality()["m"][:4] for each in tallies)
    assert one == pytest.approx(two, rel=1e-12, nan_ok=True)
    assert tallies[0].table()[2].sum() == 100


def test_a_mean_of_light_labels_is_their_mean():
    mean = RunningMean(SquaredError(1))
    assert mean.prediction() == 0.0
    mean.learn(8.0, 0.25)
    assert mean.prediction() == 8.0


def test_groups_of_calibration_have_equally_many_predictions_whatever_they_weigh():
    histogram = Histogram()
    for place in range(100):
        histogram.add((place + 0.5) / 100.0, place % 2 == 0, 3.0 if place % 2 == 0 else 1.0)
    means, shares, counts = histogram.calibration(10)
    assert counts.tolist() == [10] * 10
    assert shares == pytest.approx([0.75] * 10)
    assert means[0] == pytest.approx((3.0 * (0.5 + 2.5 + 4.5 + 6.5 + 8.5) + 1.5 + 3.5 + 5.5 + 7.5 + 9.5) / 2000.0)


def test_intervals_draw_blocks_with_their_weights():
    gaps, weights = np.array([1.0, 4.0, 9.0]), np.array([0.5, 1.0, 3.0])
    found = difference_of(gaps, weights)
    drawn = np.random.default_rng(0).integers(0, 3, (result.DRAWS, 3))
    means = [sum(gaps[i] for i in each) / sum(weights[i] for i in each) for each in drawn.tolist()]
    assert found.mean == 14.0 / 4.5
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])))


def test_the_best_weights_in_hindsight_are_those_of_repeated_rows():
    """A row of weight 2 is a row that is there twice, in the sum and in its gradient, so it is in the fit."""
    rng = np.random.default_rng(2)
    weighted, repeated = ScoredRows(), ScoredRows()
    for time in range(60):
        row = Row(np.append(rng.choice(4, 2), 4).astype(np.uint32), NO_VALUES, "")
        label, weight = float(rng.choice([-1.0, 1.0])), int(rng.integers(1, 4))
        weighted.add(row, label, time, float(weight))
        for _ in range(weight):
            repeated.add(row, label, time)
    found, table = [], rng.normal(size=(5, 1))
    for kept in (weighted, repeated):
        rows, gradient = kept.recorded(), np.zeros(5)
        which = np.arange(len(rows.labels))
        total = summed_loss(Logistic(1), rows, which, table, gradient)
        fitted = Fits(Logistic(1), rows, 5).weights(which, np.zeros(5))
        found.append(np.concatenate([[total], gradient, fitted]))
        kept.close()
    assert found[0][:6] == pytest.approx(found[1][:6], rel=1e-10)
    assert found[0][6:] == pytest.approx(found[1][6:], abs=2e-3)


def test_a_ranking_and_the_cost_of_delay_are_weighted():
    rows = weighted_rows(300)
    plain = bl.replay({"m": MODEL}, log_of(rows))
    cost = cost_of_delay(log_of(rows), MODEL, (0, 1))
    assert cost.point(1.0).mean_loss == plain.mean_loss("m")
    assert cost.point(0.0).change.mean == pytest.approx(cost.point(0.0).mean_loss - plain.mean_loss("m"))
    found = compare_models(log_of(rows), {"m": MODEL}, tune_until=0.0)
    assert found.standings[0].mean_loss in (plain.mean_loss("m"), plain.mean_loss(CONSTANT))
    best, parts = (mark.mean_loss for mark in found.marks)
    assert parts < best < found.standings[0].mean_loss + 0.1
    data = plain.to_dataset()
    assert float((data.loss.sel(model="m") * data.weight).sum() / data.weight.sum()) == pytest.approx(
        plain.mean_loss("m")
    )


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (MODEL, {"deadline": 9}, r"weight=3.0\)`: must be 1 in the question 2, because it has a deadline"),
        (bl.models.logistic(bits=4, horizon=5), {}, r"in the question 2, because models\['m'\] has a horizon"),
        (bl.models.logistic(bits=4, while_waiting="assume"), {}, r"question 2, because models\['m'\] assumes labels"),
    ],
)
def test_weights_are_refused_where_something_is_learned_untold(model, options, message):
    rows = [{**row, "w": weight} for row, weight in zip(late_rows(3), (1.0, 3.0, 1.0), strict=True)]
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        bl.replay({"m": model}, log_of(rows, **options))


@pytest.mark.parametrize("weight", [1e-60, 1e60])
def test_weights_that_no_model_takes_are_refused(weight):
    with pytest.raises(bl.errors.InvalidArgument, match=r"must be 0 or lie in .*in the question 1"):
        bl.replay({"m": MODEL}, log_of([{**late_rows(1)[0], "w": weight}]))
