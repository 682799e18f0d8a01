"""``bl.compare``: the numbers of a simulation, with anybody's own learners, losses, problems and laws."""

import csv
import re
import sys
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import xarray as xr

import belated as bl
from belated import comparisons
from belated.comparisons import Comparison, comparing, running
from belated.comparisons.report import NAMES
from belated.core.arrays import Matrix, Vector
from belated.core.errors import InvalidArgument
from belated.delays.base import DelayLaw
from belated.learners.learner import from_arrivals
from belated.learners.parts.policies.arrivals import Batch
from belated.learners.parts.rates import ConstantRate
from belated.learners.parts.steps.descent import Descent
from support.comparisons import BASIC, setting
from support.own_parts import Bowl, Cube

BALL = bl.Ball(2)
PROBLEM = bl.problems.RandomQuadratic(2)
LAW = bl.delays.Fixed(2)
LEARNERS = {"sc": bl.dogd_sc(BALL, 2.0), "slow": bl.dogd(BALL, 0.01), "dual": bl.dda(BALL, 5.0)}


def compared(**changes: Any) -> Comparison:
    arguments: dict[str, Any] = {
        "learners": LEARNERS,
        "problem": PROBLEM,
        "delays": LAW,
        "rounds": 12,
        "seeds": 3,
        "workers": 1,
    }
    return bl.compare(**(arguments | changes))


def test_the_numbers_are_those_of_a_simulation() -> None:
    result = compared()
    direct = bl.simulate(LEARNERS, PROBLEM, LAW, 12, range(3), regret_at=range(1, 13))
    assert result.curves.score.values.tobytes() == direct.regret.values.tobytes()
    assert result.curves.cumulative_loss.values.tobytes() == direct.cumulative_loss.values.tobytes()
    means = direct.regret.isel(round=-1).mean("seed")
    assert {each.learner: each.score.mean for each in result.ranking} == pytest.approx(means.to_series().to_dict())
    assert (result.setting.rounds, result.setting.seeds, result.seeds) == (12, (0, 1, 2), 3)
    assert result.setting.domain == BALL
    assert result.setting.title == "Regret of 3 learners"
    assert result.summary == "random quadratic, n = 2; delays fixed, delay 2; 12 rounds, 3 seeds"


def test_the_defaults_are_those_of_settings_in_words() -> None:
    made = setting("\n".join(line for line in BASIC.splitlines() if not line.startswith(("rounds", "seeds"))))
    form = {name: each.default for name, each in signature(bl.compare).parameters.items()}
    assert (form["rounds"], form["seeds"], form["measure"]) == (made.rounds, len(made.seeds), made.measure.name)


def test_words_and_objects_give_the_same_bits() -> None:
    made = comparisons.read("paper-low", rounds=15, seeds=2)
    labels = ["ogd-sc, no delay", "dogd", "dogd-sc", "bdogd-sc"]
    ours = bl.compare(
        {label: made.entries[label].learner for label in labels},
        made.problem,
        {label: made.entries[label].delays for label in labels},
        15,
        2,
        initial={label: np.array(made.entries[label].initial) for label in labels},
    )
    theirs = comparisons.run(made).curves.sel(learner=labels)
    assert ours.curves.equals(theirs)
    assert ours.setting.delays == made.delays, "that of most learners"
    assert "; ogd-sc, no delay: delays fixed, delay 1; " in ours.summary


def test_algorithms_have_what_is_recommended_under_their_own_delays() -> None:
    laws = {"a": LAW, "b": bl.delays.Fixed(5), "c": LAW}
    result = compared(learners={"a": bl.langford, "b": bl.langford, "c": LEARNERS["sc"]}, delays=laws, seeds=[4, 2])
    entries = result.setting.entries
    for name, law in (("a", LAW), ("b", bl.delays.Fixed(5))):
        assert entries[name].learner == bl.recommended(bl.langford, PROBLEM, law, 12, BALL, seed=4)
        assert entries[name].delays == law
    assert entries["a"].learner != entries["b"].learner


class ListedFields(NamedTuple):
    tables: Any


class Listed(DelayLaw, ListedFields):
    """A law of somebody's own that has its delays in a list of arrays."""

    __slots__ = ()

    def _begin(self, rng: Any) -> Any:
        return lambda first, rounds: self.tables[0][1000 + first : 1000 + first + rounds]

    @classmethod
    def example(cls) -> "Listed":
        return cls([np.ones(3000, dtype=np.int64)])


def test_laws_that_look_the_same_are_not_taken_for_one() -> None:
    """NumPy shows the ends of a long array only."""
    soon, late = np.ones((2, 3000), dtype=np.int64)
    late[1000:2000] = 5
    laws = {"sc": Listed([soon]), "dual": Listed([late])}
    assert repr(laws["sc"]) == repr(laws["dual"])
    same = dict.fromkeys(laws, LEARNERS["sc"])
    curves = compared(learners=same, delays=laws).curves
    expected = compared(learners=same, delays={"sc": bl.delays.Fixed(1), "dual": bl.delays.Fixed(5)}).curves
    assert curves.identical(expected)


def test_a_domain_may_be_given_for_algorithms() -> None:
    wide = bl.Ball(2, radius=3.0)
    result = compared(learners={"a": bl.dda}, domain=wide)
    assert result.setting.entries["a"].learner.domain == wide == result.setting.domain
    assert compared(learners={"a": bl.dda}).setting.domain == BALL
    assert compared(learners={"a": bl.dda, "b": bl.dogd(wide, 0.1)}).setting.domain == wide


def test_first_decisions() -> None:
    prober = bl.bdogd_sc(BALL, 2.0, probe_radius=0.25)
    learners = {"x": LEARNERS["sc"], "y": prober}
    entries = compared(learners=learners, initial=[0.6, 0.8]).setting.entries
    assert np.array(entries["x"].initial).tolist() == [0.6, 0.8]
    assert np.array(entries["y"].initial) == pytest.approx([0.45, 0.6]), "where there is room"
    entries = compared(learners=learners, initial={"y": 0.1}).setting.entries
    assert entries["x"].initial is None
    assert np.array(entries["y"].initial).tolist() == [0.1, 0.1]


@pytest.mark.parametrize("measure", ["regret", "dynamic-regret", "loss"])
def test_measures(measure: str) -> None:
    problem = bl.problems.DriftingQuadratic(dim=2, speed=0.05, noise=0.1)
    result = compared(problem=problem, measure=measure)
    assert result.setting.measure.name == measure
    assert result.setting.title == f"{result.setting.measure.title} of 3 learners"
    assert compared(learners={"a": LEARNERS["sc"]}, title="Mine").setting.title == "Mine"


@pytest.mark.parametrize(
    ("delay", "slow", "unheard"), [(12, 12, ()), (13, 13, ("sc", "slow", "dual")), (1, 13, ("slow",))]
)
def test_it_is_told_if_no_feedback_arrives_at_all(delay: int, slow: int, unheard: tuple[str, ...]) -> None:
    """Of 12 rounds, feedback that takes 12 arrives once, and feedback that takes 13 never."""
    law, other = bl.delays.Fixed(delay), bl.delays.Fixed(slow)
    result = compared(delays={"sc": law, "slow": other, "dual": law})
    assert result.unheard == unheard
    assert bool(result.notes) == bool(unheard)


# --- everything of one's own ---


class Bowls:
    """A problem with a loss and rows, and with neither constants nor a domain."""

    loss = Bowl(2)

    def rows(self, seed: int, rounds: int) -> Matrix:
        return np.random.default_rng(seed).uniform(-1.0, 1.0, (rounds, 2))


def test_losses_problems_domains_and_learners_of_ones_own() -> None:
    cube = Cube(2, 0.5)
    own = from_arrivals("own", cube, Batch(Descent(cube, ConstantRate(4.0))))
    result = compared(learners={"own": own, "dogd": bl.dogd(cube, 0.1)}, problem=Bowls(), rounds=6, seeds=[5, 1])
    assert {each.learner for each in result.ranking} == {"own", "dogd"}
    assert np.isfinite(result.curves.score).all()
    assert result.summary == "bowls, n = 2; delays fixed, delay 2; 6 rounds, 2 seeds"


def test_nothing_is_asked_of_a_problem_that_nobody_needs() -> None:
    class Shy(Bowls):
        @property
        def constants(self) -> Any:
            pytest.fail("only algorithms that are to be tuned need them")

        @property
        def domain(self) -> Any:
            pytest.fail("learners have one")

    assert compared(learners={"a": bl.dogd(BALL, 0.1)}, problem=Shy(), rounds=3, seeds=1, measure="loss").ranking


# --- what comes out ---


def test_everything_is_saved_but_words_that_nobody_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("belated.output.drawing._saved", lambda figure, file_format, metadata: file_format.encode())
    result = compared(seeds=2)
    result.save(tmp_path / "new")
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(NAMES) - {"setting.toml"}
    with (tmp_path / "new" / "ranking.csv").open() as file:
        assert [row["learner"] for row in csv.DictReader(file)] == [each.learner for each in result.ranking]
    assert (tmp_path / "new" / "ranking.md").read_text() == f"{result.to_markdown()}\n"
    assert (tmp_path / "new" / "ranking.tex").read_text() == f"{result.to_latex()}\n"
    with xr.open_dataset(tmp_path / "new" / "runs.nc", engine="scipy") as runs:
        assert runs.score.values.tobytes() == result.curves.score.values.tobytes()
        assert runs.attrs["summary"] == result.summary
    for nowhere in ("", None, 5, "a\0b", "\ud800"):
        shown = re.escape(repr(nowhere))
        with pytest.raises(InvalidArgument, match=rf"^`save\(folder={shown}\)`: must be the path of a folder"):
            result.save(nowhere)  # type: ignore[arg-type]
    comparisons.run(comparisons.read("experts", rounds=5, seeds=1)).save(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == set(NAMES)


@pytest.mark.parametrize(
    ("terminal", "asked", "shown"),
    [(True, None, True), (False, None, False), (None, None, False), (True, False, False), (False, True, True)],
)
def test_bars_are_shown_on_a_terminal(
    terminal: bool | None, asked: bool | None, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    class Stream:
        def isatty(self) -> bool:
            return bool(terminal)

    def watched(setting: object, *, progress: bool, workers: int | None) -> object:
        seen.append((progress, workers))
        return None

    monkeypatch.setattr("belated.comparisons.comparing.run", watched)
    with monkeypatch.context() as stream:
        stream.setattr(sys, "stderr", None if terminal is None else Stream())
        compared(progress=asked, rounds=2, seeds=1, workers=3)
    assert seen == [(shown, 3)]


# --- what is wrong ---

WIDE = SimpleNamespace(loss=Bowl(2), rows=lambda seed, rounds: np.zeros((rounds, 3)))
"""A problem whose rows have a number too many."""


def test_a_problem_that_is_wrong_by_itself_is_not_taken_for_a_learner_that_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = r"^`compare\(problem=.*: has rows that its loss cannot take: .*must have shape \(rows, 2\), got"
    with pytest.raises(InvalidArgument, match=message):
        compared(problem=WIDE)
    monkeypatch.setattr(comparing, "_check_rows", lambda problem, seed: None)  # the mutant
    with pytest.raises(InvalidArgument, match=r"^`compare\(learners='sc'\)`: does not fit the problem"):
        compared(problem=WIDE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learners": {}}, "`compare(learners={})`: must map one or more names to learners"),
        ({"learners": [LEARNERS["sc"]]}, "`compare(learners=[Learner("),
        ({"learners": {"a": 5}}, "`compare(learners={'a': 5})`: must map one or more names to learners"),
        ({"learners": {1: LEARNERS["sc"]}}, "`compare(learners={1: Learner("),
        ({"learners": {" ": LEARNERS["sc"]}}, "`compare(learners={' ': Learner("),
        ({"learners": {"a\n": LEARNERS["sc"]}}, "`compare(learners={'a\\n': Learner("),
        ({"learners": {"a": len}}, "`compare(learners=<built-in function len>)`: must be one of the named algorithms"),
        ({"learners": {"a": bl.bold}}, "`compare(learners='bold')`: needs `base`, which neither its theory nor"),
        (
            {"learners": {"a": bl.dogd(BALL, 1.0), "b": bl.dogd(bl.Ball(2, radius=2.0), 1.0)}},
            "`compare(learners='b')`: must have the domain of the comparison, Ball(",
        ),
        ({"domain": bl.Ball(2, radius=2.0)}, "`compare(learners='sc')`: must have the domain of the comparison, Ball("),
        ({"learners": {"a": bl.dogd(bl.Ball(3), 1.0)}}, "`compare(domain=Ball(centre="),
        ({"learners": {"v": bl.perceptron(bl.Simplex(2), 5)}}, "`compare(learners='v')`: does not fit the problem: "),
        ({"problem": 5}, "`compare(problem=5)`: must be a problem"),
        ({"problem": WIDE}, "`compare(problem=namespace(loss="),
        ({"problem": WIDE, "learners": {"a": bl.dda}, "domain": BALL}, "`compare(problem=namespace(loss="),
        ({"problem": SimpleNamespace(loss=Bowl(2)), "learners": {"a": bl.dda}}, "`compare(problem=namespace(loss="),
        ({"delays": 5}, "`compare(delays=5)`: must be a law of delay"),
        ({"delays": {"sc": LAW}}, "`compare(delays={'sc': Fixed(delay=2)})`: must have a law for each learner"),
        ({"delays": dict.fromkeys([*LEARNERS, "x"], LAW)}, "`compare(delays={'sc': Fixed(delay=2)"),
        ({"delays": {1: LAW}}, "`compare(delays={1: Fixed(delay=2)})`: must have a law for each learner and no others"),
        ({"delays": {**dict.fromkeys(LEARNERS, LAW), "dual": 5}}, "`compare(delays=5)`: must be a law of delay"),
        ({"delays": bl.delays.Trace([1, 2, 3])}, "`compare(rounds=12)`: must be <= 3, the rounds that Trace("),
        ({"rounds": 0}, "`compare(rounds=0)`: must be >= 1"),
        ({"rounds": 1e4}, "`compare(rounds=10000.0)`: must be a whole number"),
        ({"rounds": 2**31}, "`compare(rounds=2147483648)`: must be <= 2147483647"),
        ({"seeds": 0}, "`compare(seeds=0)`: must be >= 1"),
        ({"seeds": []}, "`compare(seeds=())`: must be one or more different seeds"),
        ({"seeds": [1, 1]}, "`compare(seeds=(1, 1))`: must be one or more different seeds"),
        ({"seeds": [-1]}, "`compare(seeds=-1)`: must be >= 0"),
        ({"seeds": "20"}, "`compare(seeds='20')`: must be a whole number"),
        ({"measure": "speed"}, "`compare(measure='speed')`: must be one of regret, dynamic-regret, loss"),
        ({"measure": "dynamic-regret"}, "`compare(measure='dynamic-regret')`: needs a problem whose optimum moves"),
        ({"initial": [2.0, 0.0]}, "`compare(initial=[2.0, 0.0])`: must lie in Ball("),
        (
            {"initial": {"x": [0.0, 0.0]}},
            "`compare(initial={'x': [0.0, 0.0]})`: must name learners, which are sc",
        ),
        ({"title": ""}, "`compare(title='')`: must be a text in one line that can be printed"),
        ({"title": "a\nb"}, "`compare(title='a\\nb')`: must be a text in one line"),
        ({"title": 5}, "`compare(title=5)`: must be a text in one line"),
        ({"workers": 0}, "`compare(workers=0)`: must be >= 1"),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(
    changes: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> None:
        pytest.fail("it was run")

    monkeypatch.setattr(running, "_simulated", never)
    with pytest.raises(InvalidArgument) as error:
        compared(**changes)
    assert str(error.value).startswith(message)


def test_a_loss_that_is_not_finite_is_told() -> None:
    class Broken(Bowls):
        def rows(self, seed: int, rounds: int) -> Matrix:
            table: Vector = super().rows(seed, rounds)
            table[0, 0] = np.nan
            return table

    with pytest.raises(
        InvalidArgument, match=r"^`compare\(problem=.*: has rows that its loss cannot take: .*must be fini"
    ):
        compared(learners={"a": bl.dogd(BALL, 0.1)}, problem=Broken())
