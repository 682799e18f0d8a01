"""Plans: cells that points share, keys that tell runs apart, scores as a comparison has them, and errors in words."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import comparisons
from belated.comparisons.document import parsed
from belated.comparisons.reading import setting_of
from belated.comparisons.recommending import look_at
from belated.core.errors import InvalidArgument
from belated.sweeps import plan_reading, planning, setting_cells, stages
from belated.sweeps.axes import axes_of
from belated.sweeps.cells import at_point
from belated.sweeps.plan import SweepPlan
from belated.sweeps.plan_reading import plan_from
from belated.sweeps.planning import plan_of_sweep
from belated.sweeps.words import canonical
from support.sweeping import GRID, SETTING, written


def planned(**changes) -> SweepPlan:
    return plan_of_sweep(written(**changes), "my")[0]


def test_a_learner_that_is_not_varied_has_one_cell_for_each_circumstance() -> None:
    plan = planned()
    assert len(plan.places) == 4
    assert len(plan.cells) == 6
    assert [row[1] for row in plan.places] == [1, 1, 4, 4]
    assert plan.stages == [[0, 1, 2], [3, 4, 5]], "what has the same delays runs together"
    assert len({key for keys in plan.keys for key in keys}) == plan.runs == 30


def test_delays_of_its_own_make_a_learner_independent_of_those_of_the_setting() -> None:
    learners = {"dogd-sc": {}, "at once": {"name": "dogd-sc", "delays": {"name": "fixed", "delay": 1}}}
    plan = planned(learners=learners, grid={"delays.mean": [2, 5, 9]})
    assert len({row[1] for row in plan.places}) == 1
    assert len({row[0] for row in plan.places}) == 3


def test_two_labels_of_one_learner_share_their_runs() -> None:
    plan = planned(learners={"one": {"name": "dogd-sc"}, "other": {"name": "dogd-sc"}}, grid={"delays.mean": [2, 5]})
    assert plan.places == [[0, 0], [1, 1]]


LEARNERS = {
    "dogd-sc": {},
    "own": {"name": "dogd", "delays": {"name": "fixed", "delay": 4}, "initial": 0.1},
    "named": "dda",
}


@pytest.mark.parametrize("measure", ["regret", "loss", "dynamic-regret"])
def test_scores_are_those_of_a_comparison_at_every_point(measure: str, tmp_path: Path) -> None:
    """The witness: `belated compare` on the setting of each point, to the last bit."""
    problem = {"name": "drifting-quadratic", "dim": 2, "speed": 0.01, "noise": 0.1}
    setting = {**SETTING, "seeds": [3, 0], "problem": problem, "learners": LEARNERS, "measure": measure}
    grid = {"delays.mean": [2, 5], "problem.dim": [1, 3]}
    found = bl.sweep(setting, tmp_path, grid=grid)
    for mean, dim in product(*grid.values()):
        tables = {**setting, "delays": {"name": "geometric", "mean": mean}, "problem": {**problem, "dim": dim}}
        compared = comparisons.run(setting_of(written(**tables, grid=None), "point")).curves.isel(round=-1)
        mine = found.data.sel({"delays.mean": mean, "problem.dim": dim})
        for name in ("score", "cumulative_loss"):
            expected = compared[name].sel(learner=mine.learner, seed=mine.seed).to_numpy()
            np.testing.assert_array_equal(mine[name].transpose("learner", "seed"), expected)


def test_a_plan_is_read_back_as_it_was_written() -> None:
    plan = planned()
    again = plan_from(plan.text, "plan.json")
    assert again == plan
    assert again.digest == plan.digest
    other = plan.text.replace("plan 3", "plan 2"), plan.text.replace('"keys"', '"kays"')
    for text in ("", "[]", "{}", "[" * 10**5, b"\xff\xfe{", *other):
        with pytest.raises(InvalidArgument, match=r"plan\.json: is no plan of a sweep"):
            plan_from(text, "plan.json")


@pytest.mark.parametrize(
    "ranges", [None, {"samples": 4, "learners.dogd-sc.strong_convexity": {"from": 1.0, "to": 4.0}}]
)
def test_a_plan_with_any_wrong_value_is_refused(ranges: dict | None) -> None:
    """Whatever stands in place of a field or of something in it: no other error, and no plan."""
    plan = planned(**({} if ranges is None else {"grid": None, "random": ranges}))
    fields = json.loads(plan.text)
    wrong: dict[str, list[Any]] = {
        name: [None, 3, True, "text", [], {}, [None], [[]], {"a": 3}] for name in fields if name != "schema"
    }
    right: dict[str, list[Any]] = {"title": ["text"], "measure": ["text"], "setting": [{}, {"a": 3}]}
    wrong["axes"] += [dict.fromkeys(fields["axes"], 3), {key: [] for key in fields["axes"]}]
    wrong["owners"] += [dict.fromkeys(fields["owners"], "nobody")]
    wrong["labels"] += [["dogd-sc", "dogd-sc"], ["dogd-sc"], [1, 2]]
    wrong["seeds"] += [[-1, 0, 1, 2, 3], [0.5] * 5, [2**63] * 5, fields["seeds"][:4]]
    wrong["cells"] += [fields["cells"][:-1], [{**cell, "learner": "dogd"} for cell in fields["cells"]]]
    wrong["places"] += [fields["places"][:-1], [[0, 99]] * 4, [[0, -1]] * 4, [[0]] * 4, [[0, True]] * 4]
    wrong["keys"] += [fields["keys"][:-1], [["../../../../etc/some-file", *row[1:]] for row in fields["keys"]]]
    for name, values in wrong.items():
        for value in values:
            if value == fields[name] or value in right.get(name, []):
                continue
            with pytest.raises(InvalidArgument, match=r"plan\.json: was changed or damaged since it was written"):
                plan_from(json.dumps({**fields, name: value}), "plan.json")


def test_a_plan_that_is_not_looked_at_would_break_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken copy has no checks: what should be refused becomes an error of NumPy or worse."""
    bl.sweep(SETTING, tmp_path, grid=GRID)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "places": [[0, 99]] * 4}))
    with pytest.raises(InvalidArgument, match="`places` does not fit"):
        bl.sweeps.read(tmp_path)
    monkeypatch.setattr(plan_reading, "_FITS", {})
    with pytest.raises(IndexError):
        bl.sweeps.read(tmp_path)


CHANGES = [
    {"rounds": 21},
    {"initial": 0.2},
    {"measure": "loss"},
    {"seeds": [7, 1, 2, 3, 4]},
    {"problem": {"name": "random-quadratic", "dim": 3}},
    {"problem": {"name": "drifting-quadratic", "dim": 2, "speed": 0.01, "noise": 0.1}},
    {"domain": {"name": "ball", "dim": 2, "radius": 2.0}},
    {"grid": {"delays.mean": [3, 6]}},
    {"delays": {"name": "uniform", "least": 1, "most": 9}, "grid": {"delays.most": [9, 10]}},
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_numbers_changes_the_key(change: dict) -> None:
    first = [keys[0] for keys in planned(grid={"delays.mean": [2, 5]}).keys]
    other = [keys[0] for keys in planned(**{"grid": {"delays.mean": [2, 5]}, **change}).keys]
    assert not set(first) & set(other)


def test_what_changes_no_number_changes_no_key() -> None:
    keys = planned().keys
    assert planned(title="Another").keys == keys
    assert [row[:5] for row in planned(seeds=7).keys] == keys
    learners = {"two": "bdogd-sc-two-point", "dogd-sc": {"name": "dogd-sc"}}
    other = planned(learners=learners, problem={"dim": 2, "name": "random-quadratic"})
    assert {key for row in other.keys for key in row} == {key for row in keys for key in row}


def test_losses_are_looked_at_once_for_all_cells_that_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[int, int]] = []
    original = look_at

    def noted(problem: Any, domain: Any, rounds: int, seed: int) -> Any:
        looked.append((domain.dim, rounds))
        return original(problem, domain, rounds, seed)

    monkeypatch.setattr(setting_cells, "look_at", noted)
    grid = {"problem.dim": [2, 3], "rounds": [20, 30], "delays.mean": [2, 5]}
    found = planned(grid=grid)
    assert len(found.cells) == 16
    assert sorted(looked) == [(2, 20), (2, 30), (3, 20), (3, 30)]
    monkeypatch.setattr(setting_cells.Looks, "of", lambda looks, document: original)
    assert planned(grid=grid) == found, "what is known already is what one would see"


def test_a_look_that_is_remembered_for_too_much_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken copy takes all losses for the same: then learners get the constants of another problem."""
    grid = {"domain": [{"name": "ball", "dim": 2, "radius": each} for each in (1.0, 4.0)]}
    changes: dict[str, Any] = {"learners": {"dogd": {}}, "grid": grid}
    right = planned(**changes).keys
    original, same = setting_cells.Looks.of, written(grid=None)
    monkeypatch.setattr(setting_cells.Looks, "of", lambda looks, document: original(looks, same))
    assert planned(**changes).keys != right


def test_the_key_follows_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = planned().keys
    monkeypatch.setattr(stages, "SCHEMA", "another")
    assert planned().keys != before


TOML = """\
rounds = 20
seeds = 2
problem = { name = "random-quadratic", dim = 2 }
delays = "geometric"
[learners.dogd-sc]
[learners.slow]
name = "dogd"
[grid]
"""
REFUSED = [
    ('"delays.meen" = [5]', 'line 9, grid."delays.meen" = 5: geometric has no such key; did you mean mean?'),
    ('"delays.mean" = [5, "x"]', "line 9, grid.\"delays.mean\" = 'x': "),
    ('"delays.mean" = [5, 0.1]', 'grid."delays.mean" = 0.1: `Geometric(mean=0.1)`: must lie in'),
    ('"problem.dim" = [2, 2.5]', 'grid."problem.dim" = 2.5: '),
    (
        '"problem.name" = ["random-quadratic", "random-quadratics"]',
        "there is no 'random-quadratics' here; did you mean",
    ),
    ('"learners.slow.name" = ["dogd", "dog"]', "there is no 'dog' here; did you mean"),
    ('"learners.slow.rat" = [1.0]', 'grid."learners.slow.rat" = 1.0: dogd has no such key; did you mean rate?'),
    ("rounds = [10, 0]", "grid.rounds = 0: must be a whole number from 1"),
    ('measure = ["regret", "regrets"]', "grid.measure = 'regrets': must be one of"),
    ('"delays.mean" = [5, 1979-05-27]', "must be numbers, texts, lists and tables"),
]


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_is_wrong_at_one_point_is_refused_before_anything_runs(line: str, message: str, tmp_path: Path) -> None:
    more = "" if "delays" in line else '\n"delays.mean" = [5]'
    file = tmp_path / "my.toml"
    file.write_text(f"{TOML}{line}{more}\n", encoding="utf-8")
    with pytest.raises(InvalidArgument) as error:
        bl.sweep(file, tmp_path / "new")
    assert message in str(error.value), error.value
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gird": {}}, "a sweep has no such key; did you mean grid?"),
        ({"learners": None}, "must be tables, one or more"),
        ({"learners": "dogd"}, "must be tables, one or more"),
        ({"problem": None}, "`problem` is missing"),
        ({"title": {1}}, "must be numbers, texts, lists and tables"),
        (
            {"delays": {"name": "mixture", "laws": ["fixed"]}, "grid": {"delays.laws.0": [1]}},
            "must not lead into a list",
        ),
    ],
)
def test_a_setting_that_cannot_be_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        planned(**{"grid": {"delays.mean": [2]}, **changes})
    assert message in str(error.value), error.value


def test_more_runs_than_anybody_can_keep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MOST_RUNS", 29)
    with pytest.raises(InvalidArgument, match="must have at most 29 runs"):
        planned()
    monkeypatch.setattr(planning, "MOST_RUNS", 30)
    assert planned().runs == 30


def test_a_name_on_the_way_of_a_path_becomes_a_table() -> None:
    document = parsed("my.toml", f"{TOML}'delays.mean' = [5]")
    (axis,) = axes_of(document).axes
    point = at_point(document, (axis,), (5,))
    assert point.tables["delays"] == {"name": "geometric", "mean": 5}
    assert document.tables["delays"] == "geometric"


@pytest.mark.parametrize("setting", [3, None, ["bursts"]])
def test_what_is_no_setting_is_refused(setting: object, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="must be the name of a setting"):
        bl.sweep(setting, tmp_path, grid=GRID)  # type: ignore[arg-type]


@pytest.mark.parametrize("forgotten", ["learner", "measure", "delays", "problem"])
def test_a_cell_that_forgets_something_is_noticed(forgotten: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken copy takes cells for one that differ in what it forgets, so that places or scores go wrong."""
    grids = {
        "learner": {"learners.dogd-sc.strong_convexity": [1.0, 2.0]},
        "measure": {"measure": ["regret", "loss"]},
        "delays": {"delays.mean": [2, 5]},
        "problem": {"problem.dim": [1, 3]},
    }
    original = canonical

    def careless(value):
        return original({key: each for key, each in value.items() if key not in (forgotten, f"{forgotten}s")})

    whole = planned(grid=grids[forgotten])
    assert whole.places[0][0] != whole.places[1][0]
    monkeypatch.setattr(planning, "canonical", careless)
    broken = planned(grid=grids[forgotten])
    assert broken.places[0][0] == broken.places[1][0]
