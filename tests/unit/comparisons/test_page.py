"""The page of a comparison says what the ranking says, and its delays are those that were met."""

import math
from dataclasses import replace

import numpy as np
import pytest

from belated import simulate
from belated.comparisons import run
from belated.comparisons.measures import MEASURES
from belated.comparisons.page import report_page
from belated.comparisons.promises import delays_of
from belated.theory import bounds
from support.comparisons import changed, invented, setting
from support.reports import Report, reaching_out

SCORES = {"first": [3.0, 4.0, 5.0], "<second> & co": [40.0, 50.0, 45.0], "third": [4.0, 3.0, 6.0]}


@pytest.fixture(scope="module")
def comparison():
    own = "[learners.late]\nname = 'dda'\ndelays = { name = 'geometric', mean = 4 }\n"
    return run(setting(changed(delays='{ name = "uniform", least = 1, most = 6 }', seeds="[7, 3]", rounds="40") + own))


@pytest.fixture(scope="module")
def page(comparison):
    return Report(report_page(comparison, ("runs.nc", "ranking.csv")))


def test_it_needs_nothing_beside_itself_and_names_what_lies_there(comparison, page):
    assert reaching_out(page) == []
    assert "runs.nc; ranking.csv" in page.words
    assert "belated compare setting.toml" in page.words
    assert report_page(comparison, ("runs.nc", "ranking.csv")) == page.source.encode()


def test_the_ranking_and_the_curves_are_those_of_the_comparison(comparison, page):
    assert f"{comparison.ranking[0].learner} is first with a regret of " in page.words
    rows = page.numbers("ranking_figure")["rows"]
    assert [row[0] for row in rows] == [each.learner for each in comparison.ranking]
    full = page.numbers("ranking")
    for row, known, each in zip(rows, full["rows"], comparison.ranking, strict=True):
        assert row[1:] == pytest.approx(list(each.score))
        assert known[3:6] == list(each.score), "with all digits"
        for variable in ("score", "cumulative_loss"):
            rounds, means = page.curve(variable, each.learner)
            curves = comparison.curves[variable].sel(learner=each.learner).mean("seed")
            assert rounds == curves["round"].to_numpy().tolist()
            assert means == pytest.approx(curves.to_numpy().tolist(), rel=1e-6)


def test_delays_are_those_of_the_first_seed(comparison, page):
    made = comparison.setting
    for place, label in (("", "dda"), ("_2", "late")):
        entry = made.entries[label]
        met = simulate({label: entry.learner}, made.problem, entry.delays, 40, [7], record="all")
        drawn = delays_of(entry.delays, 7, 40)
        assert drawn.tolist() == met.delays.isel(seed=0).to_numpy().tolist()
        assert page.curve(f"traffic{place}", "in flight")[1] == met.in_flight.isel(seed=0).to_numpy().tolist()
        assert page.curve(f"traffic{place}", "arrivals")[1] == met.arrivals.isel(seed=0).to_numpy().tolist()
    assert (
        delays_of(made.entries["dda"].delays, 3, 40).tolist() != delays_of(made.entries["dda"].delays, 7, 40).tolist()
    )
    assert "met by dogd-sc, dda." in page.words


def test_bounds_are_those_of_the_delays_of_the_first_seed(comparison, page):
    made = comparison.setting
    rows = {row[0]: row[1:] for row in page.numbers("bounds")["rows"]}
    assert list(rows) == [each.learner for each in comparison.ranking if each.learner in rows]
    assert {"dogd-sc", "late"} <= rows.keys()
    for label, (statement, certainty, regret, bound) in rows.items():
        entry = made.entries[label]
        wanted = bounds.of(entry.learner, made.problem, initial=entry.initial)
        met = simulate({label: entry.learner}, made.problem, entry.delays, 40, [7], record="all", regret_at=[40])
        assert (statement, certainty) == (wanted.name, wanted.certainty)
        assert bound == pytest.approx(wanted.value(met.delays.isel(seed=0).to_numpy()))
        assert regret == comparison.curves["score"].sel(learner=label, seed=7).isel(round=-1)
        assert regret <= bound
    assert not any(data["file"] == "bounds" for data in Report(report_page(other_measure(comparison), ())).data)


def other_measure(comparison):
    """The same comparison as if its scores were cumulative losses, which have no bounds."""
    return replace(comparison, setting=replace(comparison.setting, measure=MEASURES["loss"]))


def test_what_was_known_and_told_is_there(comparison, page):
    assert "strong convexity 2" in page.words
    told = dict(page.numbers("told")["rows"])
    assert told["dogd-sc"] == "strong_convexity = 2.0"
    assert str(comparison.setting.problem) in page.words


def test_ties_one_seed_and_interruptions_are_said():
    words = Report(report_page(invented(SCORES, interrupted=True), ())).words
    assert "first is first with a regret of 4.00, and cannot be told from third." in words
    assert "Interrupted: seeds or learners are missing." in words
    assert "<second> & co" in words
    alone = Report(report_page(invented({"a": [1.0], "b": [2.0]}), ()))
    assert "one seed says nothing of chance" in alone.words
    assert "low" not in alone.numbers("score")["curves"][0]


def test_scores_that_are_far_apart_are_on_a_logarithmic_scale_at_first():
    def shown(scores):
        found = Report(report_page(invented(scores), ()))
        return {
            attrs["data-x"] for attrs in found.classed("drawing") if "data-y" not in attrs and "hidden" not in attrs
        }

    assert shown(SCORES) == {"log"}
    assert shown({"a": [3.0, 4.0], "b": [5.0, 6.0]}) == {"linear"}
    assert shown({"a": [-3.0, -4.0], "b": [5.0, 60.0]}) == {"linear"}


def test_feedback_that_never_comes_is_told():
    made = setting(changed(delays='{ name = "never", probability = 1.0, law = { name = "fixed", delay = 1 } }'))
    found = Report(report_page(run(made), ()))
    assert "nobody has learnt anything" in found.words
    assert "Longer than the run, or never: 100 %." in found.words
    assert found.curve("traffic", "in flight")[1] == list(np.arange(1, 21))
    assert not math.isnan(found.numbers("ranking")["rows"][0][3])


def test_what_learners_are_told_is_explained(page):
    assert "What the learners may be told An argument that a setting does not give" in page.words
    assert "Here: rounds 40, lipschitz" in page.words
    assert "Mean over the seeds. The band is the 95 % interval of this mean." in page.words
