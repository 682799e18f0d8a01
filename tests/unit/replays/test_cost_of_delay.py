"""What delay costs: the replay of the log for factor 1, the same questions for all factors, and the tables."""

import csv
import io

import numpy as np
import pytest

from belated import models
from belated.core.errors import InvalidArgument
from belated.logs import read_log
from belated.output.drawing import Drawing
from belated.replays import cost_of_delay, delay_cost, delay_figure, replay
from belated.replays.stretching import held, stretched
from belated.replays.tables import span
from support.late_logs import COLUMNS, break_replays, late_log, late_rows

MODEL = models.logistic(bits=8)


@pytest.mark.parametrize("deadline", [None, 15.0, 40.0])
@pytest.mark.parametrize("way", ["nothing", "hold"])
def test_a_factor_of_one_is_the_replay_of_the_log(deadline, way):
    log = late_log(300, deadline=deadline)
    model = models.logistic(bits=8, while_waiting=way)
    plain = replay({"model": model}, log)
    run = delay_cost.Stretched({"model": model}, log, None)
    for event in stretched(held(log), 1.0):
        run.take(event)
    found = run.result(interrupted=False)
    assert found.losses.tobytes() == plain.losses.tobytes()
    assert found.scored.tobytes() == plain.scored.tobytes()
    assert (found.asked, found.told, found.too_late) == (plain.asked, plain.told, plain.too_late)
    cost = cost_of_delay(log, model, (0, 1, 3))
    assert cost.point(1).mean_loss == plain.mean_loss("model")
    assert cost.point(1).auc == plain.quality["model"].auc
    assert cost.point(1).change == (0.0, 0.0, 0.0)
    assert cost.scored == plain.scored.sum()
    assert cost.constant == plain.mean_loss("constant")


def naive_losses(rows, factor, deadline=None):
    """The mean loss over the questions that have a label in the log, with a list of all that happens, sorted."""
    happens, end = [], max(max(row["at"], row["known"] or 0) for row in rows)
    scored = {}
    for place, row in enumerate(rows):
        happens.append(((row["at"], 1, place, 0), "ask", place))
        delay = None if row["known"] is None else row["known"] - row["at"]
        if delay is not None and (deadline is None or delay <= deadline):
            scored[place] = row["y"]
            late = factor * delay > 0
            order = (row["at"] + factor * delay, 0, row["known"], place) if late else (row["at"], 1, place, 1)
            happens.append((order, "tell", place))
        elif deadline is not None and row["at"] + deadline < end:
            scored[place] = 0
    waits = None if deadline is None else factor * deadline
    predictor, values = MODEL.start(), {}
    for (at, *_), what, place in sorted(happens):
        if what == "ask":
            example = {"word": rows[place]["word"], "x": rows[place]["x"]}
            last = None if waits is None else at + waits
            values[place] = predictor.predict(example, place, at=float(at), deadline=last).value
        else:
            predictor.learn(place, rows[place]["y"], at=float(at))
    chances = np.array([values[place] if y else 1.0 - values[place] for place, y in scored.items()])
    return -np.log(chances).mean(), len(scored)


def costs_are_those_of_naive_code():
    rows = late_rows(160)
    for row in rows:  # even times, so that half of a delay is whole
        row["at"], row["known"] = 2 * row["at"], None if row["known"] is None else 2 * row["known"]
    for deadline in (None, 40, 100):
        log = read_log(rows, **COLUMNS, deadline=deadline)
        cost = cost_of_delay(log, MODEL, (0, 0.5, 1, 2, 4))
        for point in cost.points:
            mean, number = naive_losses(rows, point.factor, deadline)
            assert cost.scored == number
            assert point.mean_loss == pytest.approx(mean, rel=1e-12)
            assert point.change.mean == pytest.approx(mean - naive_losses(rows, 1, deadline)[0], abs=1e-12)


def test_costs_are_those_of_naive_code():
    costs_are_those_of_naive_code()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("elif owed.number not in self._only:\n            return", "elif False:\n            return"),
        ("            run.finish()", "            pass"),
        ("stretched(memory, factor)", "stretched(memory, 1.0)"),
        ("each.losses[0] - as_it_is.losses[0]", "as_it_is.losses[0] - each.losses[0]"),
    ],
)
def test_broken_costs_are_noticed(old, new, monkeypatch):
    break_replays(monkeypatch, delay_cost, old, new)
    monkeypatch.setitem(globals(), "cost_of_delay", delay_cost.cost_of_delay)
    with pytest.raises((AssertionError, ValueError)):
        costs_are_those_of_naive_code()


def test_tables_say_the_same():
    cost = cost_of_delay(late_log(), MODEL, (2, 0, 1, 2))
    assert [point.factor for point in cost.points] == [0.0, 1.0, 2.0]
    read = list(csv.DictReader(io.StringIO(cost.to_csv())))
    assert [float(row["mean_loss"]) for row in read] == [point.mean_loss for point in cost.points]
    assert [float(row["change_lower"]) for row in read] == [point.change.lower for point in cost.points]
    assert {row["squared_error"] for row in read} == {""}
    lines = cost.to_markdown().splitlines()
    assert lines[0].startswith("| delays times | median delay | mean log-loss | change |")
    assert len(lines) == 2 + 3
    assert f"{cost.point(0).mean_loss:.5f}" in lines[2]
    assert cost.sentence.startswith("If labels came at once, the mean log-loss would be ")
    assert "DelayCost of '<list>'" in repr(cost)
    with pytest.raises(LookupError, match="must be one of 0, 1, 2"):
        cost.point(5)


def test_other_kinds_of_labels():
    rows = [{**row, "y": 3.0 * row["y"] + row["x"]} for row in late_rows(120)]
    cost = cost_of_delay(read_log(rows, **COLUMNS), models.squared(bits=6), (1, 2))
    assert cost.loss == "squared error"
    assert "absolute error" in cost.to_markdown()
    assert cost.sentence.startswith("With the delays of the log, the mean squared error is ")


def test_the_figure_is_drawn_whatever_the_factors_are():
    for factors in ((0, 0.5, 1, 2), (1,), (0,), (3, 1)):
        drawing = delay_figure.draw(cost_of_delay(late_log(80), MODEL, factors))
        assert isinstance(drawing, Drawing)
        assert drawing.png.startswith(b"\x89PNG")
        assert b"<svg" in drawing.svg
    places = delay_figure.positions([0.0, 0.25, 1.0, 8.0])
    assert places == [-2.0 - delay_figure.GAP, -2.0, 0.0, 3.0]
    figure = cost_of_delay(late_log(80), MODEL, (0, 1)).figure()
    labels = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert labels[0] == "at once"
    assert labels[1].startswith("\N{MULTIPLICATION SIGN} 1\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factors": ()}, "must be a list of numbers"),
        ({"factors": "12"}, "must be a list of numbers"),
        ({"factors": [1, -2]}, r"`cost_of_delay\(factors=-2\)`: must be >= 0"),
        ({"factors": [float("inf")]}, "must be finite"),
        ({"factors": [1e7]}, "must be at most 1e\\+06"),
        ({"model": models.logistic(horizon=3.0)}, "the log has the deadlines here"),
        ({"model": "logistic"}, "must be a model"),
        ({"model": models.logistic(models.Sparse(4))}, "must have named features"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        cost_of_delay(late_log(20), **arguments)


def test_a_log_without_answers():
    with pytest.raises(InvalidArgument, match="must have answers"):
        cost_of_delay(late_log(20, never=1.0), MODEL)


def test_ctrl_c_keeps_finished_factors(monkeypatch):
    calls = []

    def stopping(*arguments):
        calls.append(arguments)
        return len(calls) == 3 or whole(*arguments)

    whole = delay_cost.live
    monkeypatch.setattr(delay_cost, "live", stopping)
    cost = cost_of_delay(late_log(60), MODEL, (0, 1, 2))
    assert cost.interrupted
    assert [point.factor for point in cost.points] == [0.0, 1.0]
    calls.append(None)
    monkeypatch.setattr(delay_cost, "live", lambda *arguments: True)
    with pytest.raises(KeyboardInterrupt):
        cost_of_delay(late_log(60), MODEL, (0, 1, 2))


@pytest.mark.parametrize(
    ("length", "unit", "words"),
    [(999.7 * 86_400, "seconds", "1,000 d"), (0.9997, "seconds", "1,000 ms"), (9999.7, "ticks", "10,000 ticks")],
)
def test_lengths_of_time_have_no_exponents(length, unit, words):
    assert span(length, unit) == words
