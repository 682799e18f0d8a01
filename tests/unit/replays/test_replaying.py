"""A replay is what the models would have done live, and its scores are those of a plain loop over all events."""

import math
import warnings

import numpy as np
import pytest

import belated as bl
from belated.models import Named, Sparse, adagrad
from belated.replays import run, tally
from belated.replays.result import CONSTANT, Replay
from support.late_logs import late_log
from support.players import as_bytes

STEP = adagrad(0.3)


def rows_of(number=200, seed=0, never=0.1, spread=40):
    """Questions at whole moments, with answers that overtake each other and some that never come."""
    rng, rows = np.random.default_rng(seed), []
    for at in range(number):
        word, size = f"w{rng.integers(6)}", float(rng.normal(5, 3))
        known = None if rng.random() < never else at + int(rng.integers(0, spread))
        rows.append({"at": at, "word": word, "size": size, "known": known, "y": int(rng.random() < 0.3)})
    return rows


def log_of(rows, **options):
    return bl.read_log(rows, decided_at="at", answered_at="known", label="y", **options)


def live(model, log):
    """The events of a log by hand: predictions by key, and the predictor."""
    predictor, found = model.start(), {}
    for event in log.events():
        if isinstance(event, bl.logs.Asked):
            found[event.key] = predictor.predict(event.example, event.key, at=float(event.time)).value
        else:
            predictor.learn(event.key, event.label, at=float(event.time))
    return found, predictor


def test_a_replay_is_what_a_live_model_does_bit_for_bit():
    model, log = bl.models.logistic(Named(8), step=STEP), log_of(rows_of())
    found, predictor = live(model, log)
    result = bl.replay({"one": model}, log)
    assert as_bytes(result.predictors["one"].state()) == as_bytes(predictor.state())
    losses = [
        -math.log(found[row + 1] if each["y"] else 1 - found[row + 1])
        for row, each in enumerate(rows_of())
        if each["known"] is not None
    ]
    assert result.mean_loss("one") == pytest.approx(np.mean(losses), rel=1e-12)
    assert result.scored.sum() == result.told == len(losses)
    assert result.asked == 200
    assert result.quality["one"].auc > 0.3
    assert result.quality["one"].brier == pytest.approx(
        np.mean([(found[r + 1] - e["y"]) ** 2 for r, e in enumerate(rows_of()) if e["known"] is not None])
    )


def test_the_constant_is_the_mean_of_the_labels_that_had_come():
    rows = [{"at": t, "word": "a", "known": t + 2, "y": y} for t, y in enumerate([1, 1, 0, 1, 0, 0])]
    result = bl.replay({"one": bl.models.logistic(Named(4), step=STEP)}, log_of(rows))
    said = [0.5, 0.5, 1.5 / 2, 2.5 / 3, 2.5 / 4, 3.5 / 5]  # answers of a moment come before its question
    expected = np.mean([-math.log(p if row["y"] else 1 - p) for p, row in zip(said, rows, strict=True)])
    assert result.mean_loss(CONSTANT) == pytest.approx(expected)


def test_blocks_add_up_and_the_dataset_is_labelled():
    result = bl.replay({"one": bl.models.logistic(Named(8), step=STEP)}, log_of(rows_of(600)))
    data = result.to_dataset()
    assert data.loss.dims == ("model", "time")
    assert float((data.loss.sel(model="one") * data.scored).sum() / data.scored.sum()) == pytest.approx(
        result.mean_loss("one")
    )
    assert len(result.starts) >= tally.LEAST_BLOCKS
    assert result.to_dict()["models"]["one"]["mean_loss"] == result.mean_loss("one")
    assert repr(result).startswith("<Replay: mean log-loss of ")


def test_differences_have_intervals_and_of_itself_there_is_none():
    models = {"good": bl.models.logistic(Named(8), step=STEP), "blind": bl.models.logistic(Named(1), step=STEP)}
    rows = [{"at": t, "word": f"w{t % 2}", "known": t + 3, "y": t % 2} for t in range(1500)]
    result = bl.replay(models, log_of(rows))
    found = result.difference("good", CONSTANT)
    assert found.mean == pytest.approx(result.mean_loss("good") - result.mean_loss(CONSTANT))
    assert found.lower <= found.mean <= found.upper < 0.0
    assert result.difference("good", "good") == (0.0, 0.0, 0.0)
    with pytest.raises(bl.errors.InvalidArgument, match="must be one of 'good', 'blind', 'constant'"):
        result.mean_loss("other")


def test_with_deadlines_no_answer_is_the_assumed_label_and_a_later_one_is_too_late():
    rows = [
        {"at": 0, "word": "a", "known": 3, "y": 1},
        {"at": 1, "word": "a", "known": None, "y": None},
        {"at": 2, "word": "a", "known": 9, "y": 1},
        {"at": 20, "word": "a", "known": None, "y": None},
    ]
    result = bl.replay({"one": bl.models.logistic(Named(4), step=STEP)}, log_of(rows, deadline=5))
    assert (result.asked, result.told, result.too_late) == (4, 2, 1)
    assert result.scored.sum() == 3, "the last deadline is after the end of the log"
    assert result.predictors["one"].waiting == (4,)


def test_held_labels_are_scored_like_others():
    rows = rows_of(100, never=0.5, spread=5)
    models = {
        "at once": bl.models.logistic(Named(6), step=STEP),
        "held": bl.models.logistic(Named(6), step=STEP, while_waiting="hold"),
    }
    result = bl.replay(models, log_of(rows, deadline=10))
    assert result.mean_loss("held") != result.mean_loss("at once")
    assert result.scored.sum() == 100 - len(result.predictors["at once"].waiting)


def test_the_horizon_of_a_model_may_be_shorter_than_the_log():
    result = bl.replay({"one": bl.models.logistic(Named(4), step=STEP, horizon=3)}, log_of(rows_of(50, never=0.0)))
    assert result.scored.sum() == result.told == 50


def test_moments_are_seconds_on_the_calendar(monkeypatch):
    rows = [
        {"at": f"2024-01-01T00:00:{s:02d}Z", "w": "a", "known": f"2024-01-01T00:01:{s:02d}Z", "y": 1} for s in (1, 4)
    ]
    moments = []
    original = bl.models.Predictor.predict

    def noted(self, *arguments, **options):
        moments.append(options["at"])
        return original(self, *arguments, **options)

    monkeypatch.setattr(bl.models.Predictor, "predict", noted)
    bl.replay({"one": bl.models.logistic(Named(4), step=STEP)}, log_of(rows))
    assert moments[1] - moments[0] == 3.0


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    original, calls = run.Run.take, []

    def pressed(self, event):
        calls.append(event)
        if len(calls) == 100:
            raise KeyboardInterrupt
        original(self, event)

    monkeypatch.setattr(run.Run, "take", pressed)
    result = bl.replay({"one": bl.models.logistic(Named(6), step=STEP)}, log_of(rows_of()))
    assert result.interrupted
    assert 0 < result.asked < 100
    assert ", interrupted>" in repr(result)


def test_an_empty_log_is_an_empty_replay():
    result = bl.replay({"one": bl.models.logistic(Named(6), step=STEP)}, log_of([]))
    assert isinstance(result, Replay)
    assert math.isnan(result.mean_loss("one"))
    assert math.isnan(result.difference("one", CONSTANT).mean)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "must be a mapping from names to models"),
        ([bl.models.logistic()], "must be a mapping from names to models"),
        ({"a": 3}, "must be a model"),
        ({"a": bl.models.logistic(Sparse(3))}, "must have named features"),
        ({"a": bl.models.logistic(), "b": bl.models.squared()}, "must have the kind of labels"),
        ({"a": bl.models.logistic(), "b": bl.models.logistic(assumed=1)}, "and the assumed label of the others"),
    ],
)
def test_models_that_do_not_go_together_are_refused(models, message):
    with pytest.raises(bl.errors.InvalidArgument, match=message):
        bl.replay(models, log_of([]))


@pytest.mark.parametrize(
    ("labels", "wrong", "allowed"),
    [
        ("0/1", 7, "must be 0 or 1, or a truth value"),
        ("0/1", "yes", "must be 0 or 1, or a truth value"),
        ("-1/1", 0, "must be -1 or 1"),
        ("number", "late", "must be a number"),
        ("count", -1, "must be a number from 0 to"),
    ],
)
def test_a_label_that_the_models_cannot_take_is_a_bad_row(labels, wrong, allowed):
    rows = [{"at": at, "word": "a", "known": at, "y": y} for at, y in enumerate([1, wrong, 1])]
    kinds = {"number": bl.models.squared, "count": bl.models.poisson}
    model = kinds[labels](Named(4)) if labels in kinds else bl.models.logistic(Named(4), labels=labels)
    with pytest.raises(bl.errors.BadRow, match=f"row 2, column 'y': {wrong!r} {allowed}"):
        bl.replay({"one": model}, log_of(rows))
    skipped = bl.replay({"one": model}, log_of(rows, on_bad_rows="skip"))
    assert (skipped.asked, skipped.told, skipped.counts.bad_rows) == (2, 2, 1)
    log = log_of(rows, on_bad_rows="skip")
    assert log.describe().decisions == 3
    assert log.describe(labels).decisions == 2
    with pytest.raises(bl.errors.InvalidArgument, match="must be one of '0/1'"):
        log.events("yes/no")


def test_features_that_a_model_cannot_take_are_named_by_their_key():
    rows = [{"at": 0, "word": "a", "known": 1, "y": 1, "id": "x"}]
    with pytest.raises(bl.errors.InvalidArgument, match="in the question 'x'"):
        bl.replay(
            {"one": bl.models.logistic(Named(4, crosses=["n", "word"]))}, log_of([{**rows[0], "n": 3.0}], key="id")
        )


def clicks(rng, at, early):
    """A purchase that is known within hours, and its absence after 300; or both at any time."""
    bought = int(rng.random() < 0.2)
    return {"at": at, "word": "a", "known": at + (int(rng.integers(1, 9)) if bought or not early else 300), "y": bought}


@pytest.mark.parametrize("early", [True, False])
def test_a_replay_warns_once_if_labels_of_one_kind_come_first(early):
    rng = np.random.default_rng(0)
    rows = [clicks(rng, at, early) for at in range(1500)]
    models = {name: bl.models.logistic(Named(4), step=STEP) for name in ("one", "two")}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        bl.replay(models, log_of(rows))
        bl.replay({"held": bl.models.logistic(Named(4), step=STEP, horizon=400.0, while_waiting="hold")}, log_of(rows))
        bl.replay({"horizon": bl.models.logistic(Named(4), step=STEP, horizon=280.0)}, log_of(rows))
    assert [each.category for each in heard] == [bl.errors.LopsidedLabels] * (2 * early)
    for each, name in zip(heard, ("one", "horizon"), strict=False):
        assert str(each.message).startswith(f"models[{name!r}]: labels of one kind come first")
        assert each.filename == __file__


@pytest.mark.parametrize("run", [bl.replay, bl.replays.compare_models, bl.replays.cost_of_delay])
def test_the_name_of_a_file_is_no_log(run):
    given = ({"one": bl.models.logistic(bits=4)}, "clicks.csv") if run is bl.replay else ("clicks.csv",)
    with pytest.raises(bl.errors.InvalidArgument, match=r"log='clicks.csv'.*must be a log, such as read_log"):
        run(*given)


def test_the_constant_has_its_name_for_itself():
    with pytest.raises(bl.errors.InvalidArgument, match="must not be a name"):
        bl.replay({"constant": bl.models.logistic(bits=4)}, late_log(20))
