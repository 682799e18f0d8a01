"""Sweeps over a log: scores of direct replays, keys that follow the files, runs that are done once, and failures."""

from __future__ import annotations

import inspect
import math
import os
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.comparisons.document import Document
from belated.core.errors import WorkersDiffer
from belated.logs.log import Log
from belated.replays import stretched_replay
from belated.replays.delay_cost import cost_of_delay
from belated.replays.result import difference_of
from belated.replays.run import Run
from belated.sweeps import kinds, log_stages, running, work
from belated.sweeps.engines import local
from belated.sweeps.folder import SweepFolder
from belated.sweeps.log_stages import LogStage
from belated.sweeps.plan import SweepPlan
from belated.sweeps.planning import plan_of_sweep
from support.late_logs import COLUMNS, late_rows, write_csv
from support.sweeping import LATE_RUNS, files_of, on_a_log

SCALE = "models.slow.step.scale"
BAD = "200,a,0.5,201,2\n"
"""A row whose label is no class."""


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    return tmp_path / "log.csv"


def swept(csv: Path, **changes: Any) -> bl.Sweep:
    return bl.sweep(on_a_log(csv, **changes), csv.parent / "sweep", workers=1)


def planned(csv: Path, **changes: Any) -> SweepPlan:
    return plan_of_sweep(Document("my.toml", "", on_a_log(csv, **changes)), "my")[0]


def counted(monkeypatch: pytest.MonkeyPatch, kind: type, name: str) -> list[str]:
    """A list that grows with every call of a method."""
    calls: list[str] = []
    original = getattr(kind, name)

    def noted(*arguments: Any) -> Any:
        calls.append(name)
        return original(*arguments)

    monkeypatch.setattr(kind, name, noted)
    return calls


def differences(csv: Path, more: dict[str, Any]) -> list[str]:
    """Where a sweep differs from direct replays of the same models, by as little as a bit."""
    found = swept(csv, log={"source": str(csv), **COLUMNS, **more}, grid={"log.stretch": [0, 1, 3], SCALE: [0.1, 1.0]})
    log = bl.read_log(csv, **COLUMNS, **more)
    adagrad = [bl.models.logistic(bits=6, step=bl.models.adagrad(scale)) for scale in (0.1, 1.0)]
    models = [("default", 0.1, bl.models.logistic(bits=6)), *zip(["slow"] * 2, (0.1, 1.0), adagrad, strict=True)]
    wrong = []
    for label, scale, model in models:
        mine = found.data.sel({"model": label, SCALE: scale})
        cost, direct = cost_of_delay(log, model, (0, 1, 3)), bl.replay({"m": model}, log)
        interval = difference_of(direct.losses[0], direct.weights)
        expected = {
            **{f"score {point.factor:g}": point.mean_loss for point in cost.points},
            "replay": direct.mean_loss("m"),
            "low": interval.lower,
            "high": interval.upper,
            "cumulative_loss": float(direct.losses[0].sum()),
            "constant": direct.mean_loss("constant"),
        }
        as_it_is = mine.sel({"log.stretch": 1})
        got = {
            **{f"score {each}": float(mine.score.sel({"log.stretch": each})) for each in (0, 1, 3)},
            "replay": float(as_it_is.score),
            **{name: float(as_it_is[name]) for name in ("low", "high", "cumulative_loss", "constant")},
        }
        wrong += [f"{label} {scale} {name}" for name in expected if got[name] != expected[name]]
    return wrong


@pytest.mark.parametrize("more", [{}, {"deadline": 60}, {"weight": "x"}])
def test_scores_are_those_of_direct_replays_to_the_last_bit(more: dict[str, Any], csv: Path) -> None:
    """The witnesses: `replay` of the log as it is, and `cost_of_delay` of stretched ones."""
    write_csv(csv, [{**row, "x": abs(row["x"])} for row in late_rows(120)])
    assert differences(csv, more) == []


def test_a_replay_that_scores_what_the_log_itself_does_not_is_noticed(
    csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broken copy scores every question whose deadline the factor has brought within the time of the log."""
    write_csv(csv, late_rows(120))
    careless = inspect.getsource(stretched_replay.replay_stretched).replace("scored = as_it_is.numbers", "pass")
    copy = dict(vars(stretched_replay))
    exec(f"from __future__ import annotations\n{careless}", copy)
    monkeypatch.setattr(log_stages, "replay_stretched", copy["replay_stretched"])
    assert {words.rpartition(" ")[2] for words in differences(csv, {"deadline": 60})} == {"0", "3"}


def test_a_log_is_read_once_for_all_models_of_a_stage(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(csv)
    assert plan.stages == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert plan.seeds == [None]
    passes = counted(monkeypatch, LogStage, "run")
    assert swept(csv).done == LATE_RUNS
    assert len(passes) == 2


def test_tasks_are_as_many_as_it_takes_to_have_work_for_all(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(csv)
    left = {key for keys in plan.keys for key in keys}

    def sizes(workers: int) -> list[int]:
        return [len(task.keys) for task in running.tasks(plan, SweepFolder(csv), left, workers)]

    assert sizes(1) == sizes(2) == [4, 4]
    assert sizes(3) == sizes(4) == [2, 2, 2, 2]
    assert sizes(5) == [2, 1, 1] * 2
    assert sizes(50) == [1] * 8
    object.__setattr__(kinds.LOG, "most_together", 3)
    try:
        assert sizes(1) == [2, 2, 2, 2], "no pass has more models than memory has room for"
    finally:
        object.__setattr__(kinds.LOG, "most_together", 16)
    tasks = running.tasks(plan, SweepFolder(csv), left, 3)
    assert {key for task in tasks for key in task.keys.values()} == left


def test_models_are_plain_python_and_run_in_processes(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(csv)
    for forks, way in ((True, local.forked), (False, local.processes)):
        monkeypatch.setattr(local, "may_fork", lambda forks=forks: forks)
        assert local.way_for(plan, workers=2) is way
    assert local.way_for(plan, workers=1) is local.threads
    one = planned(csv, models={"default": "logistic"}, grid={"log.stretch": [1]})
    assert local.way_for(one, workers=8) is local.threads


def test_nothing_is_done_twice_and_more_values_run_only_what_is_new(csv: Path) -> None:
    first = swept(csv)
    assert (first.found, first.done) == (0, LATE_RUNS)
    again = swept(csv)
    assert (again.found, again.done) == (LATE_RUNS, 0)
    assert again.data.identical(first.data)
    more = swept(csv, grid={"log.stretch": [0, 1, 2], SCALE: [0.01, 0.1, 1.0]})
    assert (more.found, more.done) == (LATE_RUNS, 4)


def test_a_changed_file_gives_new_runs_and_one_that_was_only_touched_does_not(csv: Path) -> None:
    before = planned(csv).keys
    os.utime(csv, (1, 1))
    assert planned(csv).keys == before
    write_csv(csv, late_rows(120, seed=1))
    after = planned(csv).keys
    assert not {key for keys in before for key in keys} & {key for keys in after for key in keys}


def test_a_key_without_the_bytes_of_the_files_is_noticed(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken copy takes the numbers of one file for those of another."""
    monkeypatch.setattr(log_stages, "_digest_now", lambda path: "all the same")
    first = swept(csv)
    write_csv(csv, late_rows(120, seed=1))
    again = swept(csv)
    assert (again.found, again.done) == (LATE_RUNS, 0)
    monkeypatch.undo()
    right = swept(csv)
    assert (right.found, right.done) == (0, LATE_RUNS)
    assert not right.data.score.equals(first.data.score)


CHANGES: list[dict[str, Any]] = [
    {"log": {"stretch": 2}, "grid": {"models.default.bits": [6]}},
    {"log": {"features": ["word"]}, "grid": {"models.default.bits": [6]}},
    {"models": {"default": {"name": "logistic", "bits": 6, "slopes": "decision"}}},
    {"models": {"default": {"name": "logistic", "bits": 6, "step": {"name": "two-speeds", "fast": 0.0}}}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_numbers_changes_the_key(change: dict[str, Any], csv: Path) -> None:
    one: dict[str, Any] = {"models": {"default": {"name": "logistic", "bits": 6}}, "grid": {"log.stretch": [1]}}
    first = planned(csv, **one).keys
    log = {"source": str(csv), **COLUMNS, **change.get("log", {})}
    assert planned(csv, **{**one, **change, "log": log}).keys != first


def test_what_changes_no_number_changes_no_key(csv: Path) -> None:
    keys = planned(csv).keys
    assert planned(csv, title="Another").keys == keys
    models = {
        "slow": {"step": {"name": "adagrad"}, "bits": 6, "name": "logistic"},
        "default": {"name": "logistic", "bits": 6},
    }
    other = planned(csv, models=models)
    assert {key for row in other.keys for key in row} == {key for row in keys for key in row}


def test_a_worker_that_sees_another_file_does_nothing(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the worker makes its stages after the file was replaced."""
    monkeypatch.setattr(work, "_planned", lambda task: None)
    work._made_stage.cache_clear()
    assert swept(csv).done == LATE_RUNS, "the same file is no other one"
    original = running._passed

    def replaced(todo: Any) -> Any:
        write_csv(csv, late_rows(120, seed=2))
        return original(todo)

    work._made_stage.cache_clear()
    monkeypatch.setattr(running, "_passed", replaced)
    with pytest.raises(WorkersDiffer, match="other files under the same names"):
        bl.sweep(on_a_log(csv), csv.parent / "new", workers=1)
    assert files_of(csv.parent / "new") == {}
    work._made_stage.cache_clear()


@pytest.mark.parametrize("change", ["replaced", "removed", "cut"])
def test_a_file_that_changes_while_it_is_read_leaves_no_runs(
    change: str, csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, ways = (
        stretched_replay.replay_stretched,
        {
            "replaced": lambda: write_csv(csv, late_rows(120, seed=1)),
            "removed": csv.unlink,
            "cut": lambda: csv.write_bytes(csv.read_bytes()[:-3]),
        },
    )

    def meanwhile(*arguments: Any) -> Any:
        found = original(*arguments)
        if arguments[-1] == 1.0:
            ways[change]()
        return found

    monkeypatch.setattr(log_stages, "replay_stretched", meanwhile)
    with pytest.raises(WorkersDiffer, match=r"a file of Log\(.*\) was changed while the sweep ran"):
        swept(csv)
    assert len(files_of(csv.parent / "sweep")) == 4, "the stage before is kept, and nothing of this one"
    assert not (csv.parent / "sweep" / "failures").exists()


def test_a_model_that_fails_is_recorded_and_the_others_go_on(csv: Path, tmp_path: Path) -> None:
    """Who assumes labels cannot take weights, which is known at the first question that has one."""
    write_csv(csv, [{**row, "x": abs(row["x"])} for row in late_rows(60)])
    models = {"default": {"name": "logistic", "bits": 6}, "assuming": {"name": "logistic", "while_waiting": "assume"}}
    log = {"source": str(csv), **COLUMNS, "weight": "x"}
    found = swept(csv, log=log, models=models, grid={"models.default.bits": [4, 5, 6]})
    assert (found.done, len(found.failures), found.missing) == (3, 1, 0)
    (failure,) = found.failures
    assert (failure.error, failure.name, failure.seed) == ("InvalidArgument", "logistic", None)
    assert failure.cell["model"] == {"name": "logistic", "while_waiting": "assume"}
    assert "Traceback" in failure.traceback
    assert set(found.data.state.sel(model="assuming").to_numpy().tolist()) == {"failed"}
    assert "assumes labels: what a model learns without being told" in repr(found)
    assert "No setting of assuming was finished." in repr(found)
    alone = tmp_path / "alone"
    bl.sweep(
        on_a_log(csv, log=log, models={"default": models["default"]}, grid={"models.default.bits": [4, 5, 6]}),
        alone,
        workers=1,
    )
    assert files_of(alone) == files_of(csv.parent / "sweep"), "who runs beside a failing one has the same bytes"


def test_a_log_with_a_bad_row_fails_all_its_models_in_one_pass(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_a_log(csv)
    with csv.open("a") as file:
        file.write(BAD)
    passes = counted(monkeypatch, Log, "events")
    found = swept(csv)
    assert (found.done, len(found.failures)) == (0, LATE_RUNS)
    assert {failure.error for failure in found.failures} == {"BadRow"}
    assert "line 122, column 'y': '2' must be 0 or 1" in found.failures[0].message
    assert len(passes) == 1 + 2, "its beginning is looked at once, and it is read once for each stretch"


def test_a_log_of_which_nothing_is_known_fails_with_a_reason(csv: Path) -> None:
    write_csv(csv, [{**row, "known": None} for row in late_rows(20)])
    found = swept(csv)
    assert {failure.message.partition(": ")[2] for failure in found.failures} == {
        "must have answers: no question can be scored"
    }


def test_a_loss_that_is_not_finite_is_a_failure(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file could tell it from a number that is missing."""
    monkeypatch.setattr(log_stages, "difference_of", lambda losses, weights: (math.inf, math.nan, math.nan))
    found = swept(csv, grid={"log.stretch": [1]})
    assert [failure.error for failure in found.failures] == ["NumericalFailure"] * 2


def test_ctrl_c_in_the_middle_of_a_log_leaves_no_half_run(csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay ends with what it has; a sweep must not keep that."""
    original, taken = Run.take, []

    def pressed(self: Run, event: Any) -> None:
        taken.append(event)
        if len(taken) == 300:
            raise KeyboardInterrupt
        original(self, event)

    with monkeypatch.context() as patched:
        patched.setattr(Run, "take", pressed)
        found = swept(csv)
    assert found.interrupted
    assert (found.done, found.missing, len(found.failures)) == (4, 4, 0)
    assert swept(csv).done == 4


def test_two_files_are_two_circumstances(csv: Path) -> None:
    other = write_csv(csv.parent / "other.csv", late_rows(120, seed=1))
    grid = {"log.source": [str(csv), str(other)], "models.default.bits": [4, 6]}
    found = swept(csv, models={"default": {"name": "logistic"}}, grid=grid)
    assert found.plan.stages == [[0, 1], [2, 3]]
    for place, path in enumerate((csv, other)):
        log = bl.read_log(path, **COLUMNS)
        expected = [bl.replay({"m": bl.models.logistic(bits=bits)}, log).mean_loss("m") for bits in (4, 6)]
        assert found.data.score.to_numpy()[0, place].tolist() == expected
    assert len(found.best) == 2


def test_answers_of_a_second_file_count_in_the_key(csv: Path) -> None:
    rows = [{**row, "id": place} for place, row in enumerate(late_rows(60, never=0.0))]
    asked = write_csv(csv, [{name: row[name] for name in ("id", "at", "word")} for row in rows])
    later = sorted(rows, key=lambda row: row["known"])
    told = write_csv(csv.parent / "told.csv", [{name: row[name] for name in ("id", "known", "y")} for row in later])
    log = {"source": str(asked), **COLUMNS, "key": "id", "answers": str(told)}
    first = swept(csv, log=log)
    direct = bl.read_log(asked, **COLUMNS, key="id", answers=told)
    expected = bl.replay({"m": bl.models.logistic(bits=6)}, direct).mean_loss("m")
    assert float(first.data.score.sel({"model": "default", "log.stretch": 1})[0]) == expected
    write_csv(told, [{name: row[name] for name in ("id", "known", "y")} for row in later[:-1]])
    assert swept(csv, log=log).done == LATE_RUNS


def test_a_file_of_the_same_name_size_and_date_is_another_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in another folder, to which the process has gone meanwhile, nor in the place of the first."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        write_csv(folder / "log.csv", late_rows(120))
    header, rows = (two / "log.csv").read_text().split("\n", 1)
    (two / "log.csv").write_text(f"{header}\n{rows.replace('a', 'c')}")
    for file in (one / "log.csv", two / "log.csv"):
        os.utime(file, (1e9, 1e9))

    def runs_of(folder: Path) -> tuple[int, int]:
        monkeypatch.chdir(folder)
        found = bl.sweep(on_a_log(Path("log.csv")), tmp_path / "out", workers=2)
        return found.found, found.done

    assert runs_of(one) == (0, LATE_RUNS)
    assert runs_of(two) == (0, LATE_RUNS)
    (two / "log.csv").replace(one / "log.csv")
    assert runs_of(one) == (0, LATE_RUNS)
