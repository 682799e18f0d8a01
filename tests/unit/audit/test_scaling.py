"""``belated scaling``: its losses, its files, and in the soak the laws that it shows."""

import argparse
import csv
from typing import ClassVar

import numpy as np
import pytest

import belated as bl
from belated.audit import growth as growing
from belated.audit import scaling, scaling_report
from belated.audit.random_signs import RandomSigns
from belated.audit.scaling_figure import painted
from belated.audit.scaling_page import BOUNDS
from belated.cli import main
from belated.cli.scaling import add_options
from belated.output.drawing import Drawing
from support.reports import Report, reaching_out
from unit.audit.test_growth import noisy, result


def test_random_signs_are_those_of_the_docstring_however_they_are_cut():
    problem, seed, rounds = RandomSigns(dim=3, period=4), 7, 41
    rng = np.random.default_rng(seed)
    blocks = np.where(rng.random((-(-rounds // 4), 3)) < 0.5, -1, 1) / np.sqrt(3)
    wanted = np.repeat(blocks, 4, axis=0)[:rounds]
    assert (problem.rows(seed, rounds) == wanted).all()
    sampler = problem.sampler(seed)
    assert (np.concatenate([sampler.take(n) for n in (1, 0, 6, 9, 25)]) == wanted).all()
    assert problem.constants(problem.domain) == pytest.approx((1.0, 0.0, 0.0))


def test_sizes_are_evenly_spread():
    assert scaling.steps(1, 1000, 1) == (1, 10, 100, 1000)
    assert scaling.steps(1000, 100_000, 2) == (1000, 3162, 10_000, 31_623, 100_000)


def test_the_fewest_rounds_have_enough_sizes_for_a_law_and_fewer_have_not():
    least = scaling.FEWEST_ROUNDS
    assert min(len(each.sizes) for each in scaling.series(least)) == growing.FEWEST
    assert min(len(each.sizes) for each in scaling.series(least - 1)) < growing.FEWEST
    for rounds in range(least, 40 * least, 997):
        assert min(len(each) for each in scaling.sizes(rounds)) >= growing.FEWEST
    with pytest.raises(bl.errors.InvalidArgument, match=f"must be >= {least}"):
        next(scaling.scaled(least - 1))


def test_the_command_asks_for_as_many_rounds_as_the_study(capsys):
    parser = argparse.ArgumentParser()
    add_options(parser)
    least = scaling.FEWEST_ROUNDS
    assert parser.parse_args(["--rounds", str(least)]).rounds == least
    with pytest.raises(SystemExit):
        parser.parse_args(["--rounds", str(least - 1)])
    assert str(least) in capsys.readouterr().err


class Simulated:
    """In place of simulate: regret is 3 + 2 ln T for DOGD-SC, and 5 times the root of the delay or period for DOGD."""

    calls: ClassVar[list[tuple[object, ...]]] = []

    def __call__(self, learners, problem, law, rounds, seeds, *, regret_at, record, progress):
        at = np.array(regret_at, dtype=float)
        (name,) = learners
        self.calls.append((name, problem, law, rounds, len(at)))
        late = float(law.draw(np.random.default_rng(0), 1)[0])
        curve = 3.0 + 2.0 * np.log(at) if name == "dogd-sc" else 5.0 * np.sqrt(late * at)
        return result({name: noisy(curve, seeds, 0.01)}, at)


@pytest.fixture
def panels(monkeypatch):
    Simulated.calls.clear()
    monkeypatch.setattr(scaling, "simulate", Simulated())
    return list(scaling.scaled(100_000, 6))


def test_every_learner_is_read_by_rounds_delay_and_dimension(panels):
    assert [(panel.learner, panel.by) for panel in panels] == [
        (learner, by) for learner in ("dogd-sc", "dogd") for by in ("rounds", "delay", "dim")
    ]
    laws = {(row["learner"], row["by"]): row for row in scaling.law_rows(panels)}
    assert laws["dogd-sc", "rounds"]["law"] == "log"
    for by in ("rounds", "delay"):
        assert laws["dogd", by]["exponent"] == pytest.approx(0.5, abs=0.05)
    prefixes = [call for call in Simulated.calls if call[-1] > 1]
    assert [call[0] for call in prefixes] == ["dogd-sc", "dogd"]


def test_bounds_are_those_of_the_delays_that_were_simulated(panels):
    by_rounds, by_delay = panels[0], panels[4]
    delays = np.tile([2, 3, 2, 1, 4, 1, 3], 20_000)[: int(by_rounds.growth.sizes[3])]
    known = {"strong_convexity": 2.0, "radius": 1.0, "lipschitz": 2.0 + 10**0.5}
    assert by_rounds.bound[3] == pytest.approx(bl.bounds.certificate(delays, **known))
    period = int(by_delay.growth.sizes[-1])
    late = [period - t % period for t in range(by_delay.rounds)]
    assert by_delay.bound[-1] == pytest.approx(bl.bounds.dogd_adaptive(late, diameter=2.0, lipschitz=1.0))
    assert by_delay.lowest[-1] == pytest.approx(bl.bounds.lower_convex(late, diameter=2.0, lipschitz=1.0))
    assert all((panel.lowest < panel.bound).all() for panel in panels)


def test_the_command_writes_tables_and_figures(panels, monkeypatch, tmp_path, capsys):
    given = []
    monkeypatch.setenv("COLUMNS", "120")  # so that no line of the table is broken
    monkeypatch.setattr(scaling_report, "draw", lambda drawn: Drawing(b"png", b"svg"))  # which takes seconds
    monkeypatch.setattr(scaling, "scaled", lambda *arguments, progress: given.append(arguments) or panels)
    assert main(["scaling", "--rounds", "1e5", "--seeds", "6", "--out", str(tmp_path / "out")]) == 0
    assert given == [(100_000, 6)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(scaling_report.NAMES)
    with (tmp_path / "out" / "growth.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(panel.growth.sizes.size for panel in panels)
    assert float(rows[0]["bound"]) == panels[0].bound[0]
    assert float(rows[0]["lower_bound"]) == panels[0].lowest[0]
    page = Report((tmp_path / "out" / "report.html").read_bytes())
    assert reaching_out(page) == []
    assert "belated scaling --rounds 100000 --seeds 6" in page.words
    for panel in panels:
        where = f"regret_{panel.learner}_{panel.by}"
        regret = [mean.value for mean in panel.growth.regret[panel.learner]]
        assert page.curve(where, f"regret of {panel.learner}")[1] == pytest.approx(regret, rel=1e-6)
        assert page.curve(where, BOUNDS[panel.learner])[1] == pytest.approx(panel.bound.tolist(), rel=1e-6)
        slopes = [slope.value for slope in panel.growth.laws[panel.learner].slopes]
        sizes, shown = page.curve(f"slope_{panel.learner}_{panel.by}", f"regret of {panel.learner}")
        assert (sizes, shown) == (panel.growth.sizes.tolist()[1:], pytest.approx(slopes, rel=1e-6))
    assert [row[:3] for row in page.numbers("laws")["rows"]] == [
        [row["learner"], row["by"], row["law"]] for row in scaling.law_rows(panels)
    ]
    printed = capsys.readouterr().out
    assert "| dogd-sc | T | log |" in (tmp_path / "out" / "laws.md").read_text()
    assert printed.splitlines()[2].split()[:3] == ["dogd-sc", "T", "log"]


def test_the_figure_has_a_panel_for_each_learner_and_size(panels):
    axes = painted(panels).axes
    assert [each.get_title(loc="left") for each in axes[:2]] == ["dogd-sc against T", "dogd-sc against d"]
    assert [each.get_yscale() for each in axes] == ["linear", *["log"] * 5]
    curve = axes[3].lines[0]
    assert curve.get_ydata().tolist() == [mean.value for mean in panels[3].growth.regret["dogd"]]


@pytest.mark.parametrize("arguments", [["--rounds", "100"], ["--seeds", "1"]])
def test_too_little_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        main(["scaling", *arguments])
    assert "must be >=" in capsys.readouterr().err


@pytest.mark.soak(sampled=False)
def test_the_laws_are_those_of_theory():
    laws = {(row["learner"], row["by"]): row for row in scaling.law_rows(list(scaling.scaled(1_000_000, 20)))}
    assert laws["dogd-sc", "rounds"]["law"] == "log"
    assert laws["dogd-sc", "rounds"]["straight"] > 0.99
    assert abs(laws["dogd", "rounds"]["exponent"] - 0.5) < 0.05
    assert abs(laws["dogd", "delay"]["exponent"] - 0.5) < 0.05
    assert abs(laws["dogd-sc", "delay"]["exponent"] - 1.0) < 0.05
