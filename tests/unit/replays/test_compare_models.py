"""Models ranked on a log: settings are chosen on the first part only, and all are scored on the same rest."""

import csv
import io
import math

import numpy as np
import pytest

from belated import models
from belated.core.errors import InvalidArgument, UsedUp
from belated.logs import read_log
from belated.replays import compare_models, cost_of_delay, pictures, ranking, ranking_figure, replay
from support.late_logs import COLUMNS, break_replays, late_log, late_rows

SCALES = (0.01, 0.3)


def field(bits=8):
    """Two candidates, one of them with settings."""
    return {
        "two": models.logistic(bits=bits),
        "one": [models.logistic(bits=bits, step=models.adagrad(scale)) for scale in SCALES],
    }


def naive_losses(rows, model):
    """The loss of each question that has a label, by its place."""
    happens = []
    for place, row in enumerate(rows):
        happens.append(((row["at"], 1, place, 0), "ask", place))
        if row["known"] is not None:
            late = row["known"] > row["at"]
            happens.append(((row["known"], 0, place, 0) if late else (row["at"], 1, place, 1), "tell", place))
    predictor, values, losses = model.start(), {}, {}
    for (at, *_), what, place in sorted(happens):
        row = rows[place]
        if what == "ask":
            values[place] = predictor.predict({"word": row["word"], "x": row["x"]}, place, at=float(at)).value
        else:
            predictor.learn(place, row["y"], at=float(at))
            losses[place] = -math.log(values[place] if row["y"] else 1.0 - values[place])
    return losses


def the_ranking_is_that_of_naive_code():
    rows = late_rows(240, seed=3)
    found = compare_models(read_log(rows, **COLUMNS), field(), tune_until=0.3)
    cut = math.ceil(0.3 * rows[-1]["at"])
    assert found.cut == cut
    losses = {
        name: [naive_losses(rows, each) for each in models_]
        for name, models_ in ranking.candidates(field(), 1.0).items()
    }
    chosen = {}
    for name, settings in losses.items():
        first = [np.mean([loss for place, loss in each.items() if rows[place]["at"] < cut]) for each in settings]
        rest = [np.mean([loss for place, loss in each.items() if rows[place]["at"] >= cut]) for each in settings]
        entries = [each for each in found.choices if each.name == name]
        assert [each.first_loss for each in entries] == pytest.approx(first, rel=1e-12)
        assert [each.rest_loss for each in entries] == pytest.approx(rest, rel=1e-12)
        best = int(np.argmin(first))
        assert [each.chosen for each in entries] == [place == best for place in range(len(entries))]
        chosen[name] = rest[best]
    assert found.scored == sum(rows[place]["at"] >= cut for place in losses["two"][0])
    standings = {each.name: each for each in found.standings}
    for name, loss in chosen.items():
        assert standings[name].mean_loss == pytest.approx(loss, rel=1e-12)
    order = [each.mean_loss for each in found.standings]
    assert order == sorted(order)
    assert [each.rank for each in found.standings] == [1, 2, 3]
    for each in found.standings:
        assert each.behind.mean == pytest.approx(each.mean_loss - order[0], abs=1e-12)
        assert each.behind == found.replay.difference(each.entry, found.standings[0].entry)
    assert {each.name for each in found.standings} == {"two", "one", "constant"}


def test_the_ranking_is_that_of_naive_code():
    the_ranking_is_that_of_naive_code()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("owed.time < self._cut", "owed.time <= self._cut"),
        ("math.ceil(share * (last - first))", "math.ceil(share * (last - first)) + 5"),
        ("math.inf if math.isnan(before[entry]) else before[entry]", "-before[entry]"),
        ("sorted(chosen, key=lambda name: found.mean_loss(chosen[name][0]))", "list(chosen)"),
        ("found.difference(entry, first)", "found.difference(first, entry)"),
        ("super()._score(self.first, owed, label)", "super()._score(tally, owed, label)"),
    ],
)
def test_a_broken_ranking_is_noticed(old, new, monkeypatch):
    break_replays(monkeypatch, ranking, old, new)
    monkeypatch.setitem(globals(), "compare_models", ranking.compare_models)
    with pytest.raises((AssertionError, InvalidArgument)):
        the_ranking_is_that_of_naive_code()


def test_without_a_first_part_it_is_a_replay():
    log, model = late_log(200), models.logistic(bits=8)
    found = compare_models(log, {"it": model}, tune_until=0.0)
    plain = replay({"it": model}, log)
    assert found.standings[0].mean_loss in (plain.mean_loss("it"), plain.mean_loss("constant"))
    by_name = {each.name: each for each in found.standings}
    assert by_name["it"].mean_loss == plain.mean_loss("it")
    assert by_name["constant"].brier == plain.quality["constant"].brier
    assert found.table_of_choices() is None
    assert math.isnan(found.choices[0].first_loss)


def test_the_default_field():
    found = compare_models(late_log(100), models.logistic(bits=6))
    assert {each.name for each in found.standings} == {"default", "adagrad", "constant"}
    assert [each.setting for each in found.choices] == [
        "two_speeds",
        "adagrad(0.01)",
        "adagrad(0.03)",
        "adagrad(0.1)",
        "adagrad(0.3)",
        "adagrad(1)",
    ]
    assert sum(each.chosen for each in found.choices) == 2
    rows = [{**row, "y": 1000.0 * row["y"]} for row in late_rows(100)]
    numbers = compare_models(read_log(rows, **COLUMNS), models.squared(bits=6))
    assert numbers.loss == "squared error"
    first = 0.2 * rows[-1]["at"]
    spread = np.std([row["y"] for row in rows if row["known"] is not None and row["at"] < first])
    scales = [model.step.scale for model in ranking.candidates(models.squared(bits=6), spread)["adagrad"]]
    assert [each.setting for each in numbers.choices[1:]] == [f"adagrad({scale:g})" for scale in scales]
    assert "absolute error" in numbers.to_markdown()


def test_tables_say_the_same():
    found = compare_models(late_log(200), field())
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["model"] for row in read] == [each.name for each in found.standings]
    assert [float(row["mean_loss"]) for row in read] == [each.mean_loss for each in found.standings]
    assert [float(row["auc"]) for row in read] == [each.auc for each in found.standings]
    choices = list(csv.DictReader(io.StringIO(found.choices_to_csv())))
    assert [(row["setting"], row["chosen"]) for row in choices] == [
        (each.setting, str(int(each.chosen))) for each in found.choices
    ]
    lines = found.to_markdown().splitlines()
    assert lines[0].startswith("| rank | model | setting | mean log-loss | behind | 95 % interval | Brier | AUC |")
    assert len(lines) == 2 + 3
    assert found.sentence.startswith(f"{found.standings[0].name} is first with a mean log-loss of ")
    assert "ModelRanking on '<list>'" in repr(found)
    tied = [each for each in found.standings if each.tied]
    assert all(each.behind.lower <= 0.0 for each in tied)


def test_the_figure_is_drawn():
    many = {f"model number {i} with a name": models.logistic(bits=4, step=models.adagrad(0.1 + i)) for i in range(8)}
    for found in (compare_models(late_log(90), field(4)), compare_models(late_log(90), many)):
        drawing = ranking_figure.draw(found)
        assert drawing.png.startswith(b"\x89PNG")
        assert len([axes for axes in found.figure().axes if axes.get_visible()]) == 2 + len(found.standings)
        for axes, standing in zip(found.figure().axes[2:], found.standings, strict=False):
            means, shares, _ = found.replay.quality[standing.entry].calibration
            diagonal, dots = axes.get_lines()
            assert diagonal.get_xydata().tolist() == [[0.0, 0.0], [axes.get_xlim()[1]] * 2]
            assert dots.get_xydata().tolist() == np.column_stack([means, shares]).tolist()
            assert max(means.max(), shares.max()) <= axes.get_xlim()[1] == axes.get_ylim()[1]
    starts, losses, scored = pictures.joined(found.replay)
    assert len(starts) <= pictures.MOST_POINTS
    assert scored.sum() == found.replay.scored.sum()
    assert losses.sum(axis=1) == pytest.approx(found.replay.losses.sum(axis=1))


def test_calibration_is_of_probabilities_only():
    found = compare_models(late_log(200), field(), hindsight=())
    rows = list(csv.DictReader(io.StringIO(found.calibration_to_csv())))
    assert list(dict.fromkeys(row["model"] for row in rows)) == [each.name for each in found.standings]
    for each in found.standings:
        own = [row for row in rows if row["model"] == each.name]
        assert sum(int(row["predictions"]) for row in own) == found.scored
        ones = sum(float(row["share_of_ones"]) * int(row["predictions"]) for row in own)
        assert ones == pytest.approx(round(ones))
    hinge = compare_models(late_log(200), models.squared_hinge(bits=4), hindsight=())
    for other in (hinge, compare_models(late_log(200), models.squared(bits=4), hindsight=())):
        assert other.calibration_to_csv() == "model,mean_prediction,share_of_ones,predictions\n"
        assert len(other.figure().axes) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"models": {}}, "must be a mapping from names to models"),
        ({"models": 3}, "must be a mapping from names to models"),
        ({"models": {"a": []}}, r"models\['a'\]=\[\]\)`: must be a model, or a list of models"),
        ({"models": {"a": [3]}}, "must be a model, such as"),
        ({"models": {"constant": models.logistic()}}, "must not be a name"),
        ({"models": {"a": models.logistic(), "b": models.squared()}}, "must have the kind of labels"),
        ({"tune_until": 1.0}, "must be below 1"),
        ({"tune_until": -0.1}, r"must lie in \[0, 1\]"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        compare_models(late_log(20), **arguments)


def test_logs_that_have_too_little():
    with pytest.raises(InvalidArgument, match="must have questions"):
        compare_models(read_log([], **COLUMNS), field())
    with pytest.raises(InvalidArgument, match="must have labels of questions behind"):
        compare_models(late_log(20, never=1.0), field())
    rows = late_rows(40, never=0.0)
    for row in rows[:20]:
        row["known"] = None
    with pytest.raises(InvalidArgument, match="by which the setting of 'one' is chosen"):
        compare_models(read_log(rows, **COLUMNS), field())
    with pytest.raises(UsedUp):
        compare_models(read_log(iter(late_rows(20)), **COLUMNS), field())


def test_ctrl_c_keeps_what_lies_behind_the_first_part(monkeypatch):
    def stopping(after):
        def live(run, events, total, progress):
            for _, event in zip(range(after), events, strict=False):
                run.take(event)
            return True

        return live

    monkeypatch.setattr(ranking, "live", stopping(300))
    found = compare_models(late_log(200), field())
    assert found.interrupted
    assert 0 < found.scored < 160
    monkeypatch.setattr(ranking, "live", stopping(30))
    with pytest.raises(KeyboardInterrupt):
        compare_models(late_log(200), field())


def test_labels_behind_the_first_part_have_no_say_in_settings():
    rows = late_rows(300, never=0.0)
    cut = 0.3 * rows[-1]["at"]
    others = [row | {"y": row["y"] if row["at"] < cut else 1000.0 + row["y"]} for row in rows]
    log, other = (read_log(each, **COLUMNS) for each in (rows, others))
    before, after = (compare_models(each, models.squared(bits=6), tune_until=0.3) for each in (log, other))
    assert [each.setting for each in before.choices] == [each.setting for each in after.choices]
    assert before.choices[1].setting != "adagrad(0.01)", "it is in units of the spread"


def test_questions_behind_the_first_part_have_no_say_in_the_choice():
    rows = late_rows(300, never=0.0)
    cut = 0.3 * rows[-1]["at"]
    others = [row | {"y": row["y"] if row["at"] < cut else 1 - row["y"]} for row in rows]
    log, other = (read_log(each, **COLUMNS) for each in (rows, others))
    before, after = (compare_models(each, models.logistic(bits=6), tune_until=0.3) for each in (log, other))
    assert [(each.first_loss, each.chosen) for each in before.choices] == [
        (each.first_loss, each.chosen) for each in after.choices
    ]


def test_a_log_whose_rows_are_all_bad_says_so():
    log = read_log([{"at": "noon", "y": 1}] * 3, decided_at="at", label="y", on_bad_rows="skip")
    for call in (compare_models, cost_of_delay):
        with pytest.raises(InvalidArgument, match=r"bad rows were skipped, 3, the first.*row 1, column 'at'"):
            call(log)


def test_sentences_have_no_exponents():
    rows = [{**row, "y": 300.0 * row["y"]} for row in late_rows(300, never=0.0)]
    found = compare_models(read_log(rows, **COLUMNS), {"blind": models.squared(bits=6, step=models.adagrad(1e-9))})
    assert found.standings[0].mean_loss > 1e4
    assert "e+" not in found.sentence
