"""A comparison has the numbers of direct simulations, and keeps what is finished when somebody interrupts it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import belated as bl
from belated.comparisons import Comparison, run
from belated.comparisons.running import CURVE_ROUNDS, curve_rounds
from belated.core.errors import InvalidArgument
from belated.sim import Result
from belated.sim.problems import Problem
from support.comparisons import BASIC, changed, setting

OWN = (
    BASIC
    + """
[learners.here]
name = "dogd-sc"
initial = [0.6, -0.8]

[learners.at-once]
name = "dogd-sc"
delays = { name = "fixed", delay = 1 }

[learners.again]
name = "dda"
delays = { name = "fixed", delay = 2 }
"""
)
BALL = bl.Ball(2)


def test_the_numbers_are_those_of_a_simulation() -> None:
    made = setting(OWN)
    result = run(made)
    at = range(1, 21)
    assert list(result.curves.learner.values) == ["dogd-sc", "dda", "here", "at-once", "again"]
    for label, learner, delay, initial in [
        ("dogd-sc", bl.dogd_sc(BALL, 2.0), 2, None),
        ("dda", bl.dda(BALL, made.facts.lipschitz), 2, None),
        ("here", bl.dogd_sc(BALL, 2.0), 2, [0.6, -0.8]),
        ("at-once", bl.dogd_sc(BALL, 2.0), 1, None),
        ("again", bl.dda(BALL, made.facts.lipschitz), 2, None),
    ]:
        direct = bl.simulate(
            {"x": learner},
            bl.problems.RandomQuadratic(2),
            bl.delays.Fixed(delay),
            20,
            range(3),
            initial=initial,
            regret_at=at,
        )
        own = result.curves.sel(learner=label)
        assert own.score.values.tobytes() == direct.regret.sel(learner="x").values.tobytes()
        assert own.cumulative_loss.values.tobytes() == direct.cumulative_loss.sel(learner="x").values.tobytes()
    assert not result.interrupted
    assert result.seeds == 3
    assert [standing.rank for standing in result.ranking] == [1, 2, 3, 4, 5]
    assert set(result.curves.coords) == {"learner", "seed", "round"}


def test_no_number_depends_on_who_else_runs_or_on_the_workers() -> None:
    whole = run(setting(OWN), workers=2).curves
    alone = run(setting(BASIC), workers=1).curves
    assert whole.sel(learner=["dogd-sc", "dda"]).equals(alone)


@given(st.integers(1, 2**31 - 1))
def test_the_rounds_of_curves(rounds: int) -> None:
    at = curve_rounds(rounds)
    assert at[0] == 1
    assert at[-1] == rounds
    assert len(at) == min(rounds, CURVE_ROUNDS + 1)
    assert (np.diff(at) >= 1).all()
    spread = at if rounds <= CURVE_ROUNDS else at[1:]
    assert np.ptp(np.diff(spread, prepend=0)) <= 1, "evenly spread"


@pytest.mark.parametrize("rounds", [1, 2, 25, 49, 51])
def test_short_runs(rounds: int) -> None:
    result = run(setting(changed(rounds=str(rounds))))
    assert result.curves.sizes["round"] == min(rounds, CURVE_ROUNDS + 1)


def test_progress_names_the_groups(capsys: pytest.CaptureFixture[str]) -> None:
    run(setting(OWN), progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "dogd-sc, dda, here, again under Fixed(delay=2)" in shown.err
    assert "at-once under Fixed(delay=1)" in shown.err
    run(setting(), progress=True)
    assert "under Fixed" not in capsys.readouterr().err
    run(setting())
    assert capsys.readouterr().err == ""


def test_without_a_best_decision_the_measure_is_refused() -> None:
    domain = bl.Halfspace([1.0, 0.0], 1.0)
    learners, problem = {"it": bl.dogd(domain, 0.1)}, bl.problems.SignFlips(2, period=7)
    wanted = r"^`compare\(measure='regret'\)`: needs a best fixed decision, .* on Halfspace.*; \"loss\" needs none$"
    with pytest.raises(InvalidArgument, match=wanted):
        bl.compare(learners, problem, bl.delays.Fixed(2), 30, 2)
    assert bl.compare(learners, problem, bl.delays.Fixed(2), 30, 2, measure="loss").ranking[0].learner == "it"


# --- interruptions ---


def cut(result: Result, **kept: Any) -> Result:
    """A result as it is after Ctrl-C: some of it."""
    arrays = {
        name: getattr(result, name).isel({key: at for key, at in kept.items() if key in getattr(result, name).dims})
        for name in result.__dataclass_fields__
        if name not in ("interrupted", "thinned")
    }
    return Result(**arrays, interrupted=True)


def interrupted(monkeypatch: pytest.MonkeyPatch, *ends: dict[str, Any] | BaseException | None) -> Comparison:
    """The groups of ``OWN`` are whole, cut, or end with an exception."""
    left, made = list(ends), setting(OWN)

    def simulate(*arguments: Any, **options: Any) -> Result:
        end = left.pop(0)
        if isinstance(end, BaseException):
            raise end
        result = bl.simulate(*arguments, **options)
        return result if end is None else cut(result, **end)

    monkeypatch.setattr("belated.comparisons.running.simulate", simulate)
    result = run(made)
    assert left == [], "nothing more is begun"
    return result


def whole() -> xr.Dataset:
    return run(setting(OWN)).curves


def test_finished_seeds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = whole().sel(learner=["dogd-sc", "dda", "here", "again"], seed=[0, 1])
    result = interrupted(monkeypatch, {"seed": [0, 1]})
    assert result.interrupted
    assert result.curves.equals(expected)
    assert len(result.ranking) == 4


def test_finished_learners_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = whole().sel(learner=["dda"])
    result = interrupted(monkeypatch, {"learner": [1]})
    assert result.interrupted
    assert result.curves.equals(expected)


def test_all_learners_have_the_seeds_that_all_of_them_have(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, labels = whole().sel(seed=[1]), list(setting(OWN).entries)
    result = interrupted(monkeypatch, None, {"seed": [1]})
    assert result.interrupted
    assert result.seeds == 1
    assert result.curves.equals(expected)
    assert list(result.curves.learner.values) == labels


def test_finished_groups_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = whole().drop_sel(learner="at-once")
    result = interrupted(monkeypatch, None, KeyboardInterrupt())
    assert result.interrupted
    assert result.curves.equals(expected)


def test_with_nothing_finished_the_interrupt_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(monkeypatch, KeyboardInterrupt())


def interrupted_in_the_measure(of_group: int) -> Comparison:
    """Somebody presses Ctrl-C while the measure of that group of ``OWN`` is computed."""
    made, calls = setting(OWN), list[Result]()

    def measured(result: Result, problem: Problem) -> xr.DataArray:
        calls.append(result)
        if len(calls) == of_group:
            raise KeyboardInterrupt
        return made.measure.of(result, problem)

    result = run(replace(made, measure=made.measure._replace(of=measured)))
    assert len(calls) == of_group, "nothing more is begun"
    return result


def test_groups_that_are_finished_are_kept_when_a_measure_is_interrupted() -> None:
    try:
        result = interrupted_in_the_measure(of_group=2)
    except KeyboardInterrupt:
        pytest.fail("what was finished is lost")  # rather than the end of all tests
    assert result.interrupted
    assert result.curves.equals(whole().drop_sel(learner="at-once"))
    assert len(result.ranking) == 4


def test_with_nothing_measured_the_interrupt_goes_on() -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted_in_the_measure(of_group=1)
