"""The page of a reproduction: complete in one file, accessible, and true to its numbers."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from belated.papers import report
from belated.papers.allowed import allowed
from belated.papers.summary import rows
from belated.papers.wan2021 import LABELS, LEARNERS, SETTINGS, Reproduction, reproduce, setup
from belated.theory import bounds
from support.reports import Report, reaching_out
from support.reproductions import invented


@pytest.fixture(scope="module")
def contents(small: Reproduction) -> dict[str, bytes]:
    return report.contents(small)


@pytest.fixture(scope="module")
def page(contents: dict[str, bytes]) -> Report:
    return Report(contents["report.html"])


def test_the_page_needs_nothing_beside_itself(page: Report) -> None:
    assert reaching_out(page) == []
    assert not page.all("img")


def test_the_curves_on_the_page_are_those_of_the_runs(small: Reproduction, page: Report) -> None:
    for setting in SETTINGS:
        runs = small.runs.sel(setting=setting)
        for figure, learners in report.FIGURES.items():
            for name in learners:
                rounds, losses = page.curve(f"{figure}_{setting}", LABELS[name])
                assert rounds == list(range(1, small.rounds + 1))
                np.testing.assert_allclose(losses, runs.cumulative_loss.sel(learner=name).mean("seed"), rtol=1e-6)
        for name in report.FIGURES["figure1"]:
            rounds, regrets = page.curve(f"regret_{setting}", LABELS[name])
            assert (rounds[0], rounds[-1]) == (1, small.rounds)
            np.testing.assert_allclose(regrets, runs.regret_by_round.sel(learner=name).mean("seed"), rtol=1e-6)
            assert regrets[-1] == pytest.approx(float(runs.regret.sel(learner=name).mean()), rel=1e-6)


def test_bounds_on_the_page_are_those_of_the_rounds_so_far(small: Reproduction, page: Report) -> None:
    known = {"strong_convexity": 2.0, "radius": 1.0, "lipschitz": 2.0 + 10.0**0.5}
    for each in small.setups:
        rounds, theorem = page.curve(f"regret_{each.name}", "Theorem 1, DOGD-SC")
        _, sharpest = page.curve(f"regret_{each.name}", "sharpest bound, DOGD-SC")
        _, constant = page.curve(f"regret_{each.name}", "sharpest bound, DOGD")
        assert theorem[-1] == pytest.approx(each.bounds()["dogd-sc"], rel=1e-6)
        for place in (0, len(rounds) // 2, -1):
            prefix = each.delays[: rounds[place]]
            assert theorem[place] == pytest.approx(bounds.theorem_1(prefix, **known), rel=1e-6)
            assert sharpest[place] <= bounds.certificate(prefix, **known) * (1 + 1e-6)
            wanted = bounds.dogd(prefix, rate=each.rate, diameter=2.0, lipschitz=known["lipschitz"])
            assert constant[place] == pytest.approx(wanted, rel=1e-6)
        for number, name in ((2, "bdogd-sc"), (3, "bdogd-sc-two-point")):
            _, printed = page.curve(f"regret_values_{each.name}", f"Theorem {number}, {LABELS[name]}")
            assert printed[-1] == pytest.approx(each.bounds()[name], rel=1e-6)
            _, sharper = page.curve(f"regret_values_{each.name}", f"sharpest bound, {LABELS[name]}")
            assert sharper[-1] < printed[-1]
        _, least = page.curve(f"regret_{each.name}", "lower bound, worst losses")
        assert all(0.0 < one <= other for one, other in zip(least, sharpest, strict=True))


@pytest.mark.parametrize(
    ("setting", "theorem_2", "theorem_3"), [("low", 2896.14, 217337.49), ("high", 27926.36, 2172733.02)]
)
def test_corrected_bounds_of_the_paper(setting: str, theorem_2: float, theorem_3: float) -> None:
    found = {name: allowed(setup(setting, 1000), name) for name in LEARNERS[1:]}
    assert round(found["bdogd-sc"].corrected or 0.0, 2) == theorem_2
    assert round(found["bdogd-sc-two-point"].corrected or 0.0, 2) == theorem_3
    assert found["dogd-sc"].corrected is None
    assert all(each.printed is None or each.sharpest < each.printed for each in found.values())


def test_delays_arrivals_and_step_sizes_are_those_of_the_runs(small: Reproduction, page: Report) -> None:
    for setting, period in SETTINGS.items():
        runs = small.runs.sel(setting=setting)
        for name, field in (("arrivals", "arrivals"), ("in flight", "in_flight")):
            assert page.curve(f"traffic_{setting}", name)[1] == runs[field].to_numpy().tolist()
        values, shares = page.curve(f"delays_{setting}", "share of rounds, %")
        assert values == sorted(set(period))
        assert sum(shares) == pytest.approx(100.0, rel=1e-5)
        received, (_, sizes) = 0, page.curve(f"step_sizes_{setting}", "DOGD-SC")
        for arrived, size in zip(runs.arrivals.to_numpy().tolist(), sizes, strict=True):
            received += arrived  # h_t = (beta / 2) times what has been received
            assert size == (None if received == 0 else pytest.approx(1.0 / received, rel=1e-6))
        assert page.curve(f"step_sizes_{setting}", "DOGD")[1][-1] == pytest.approx(float(runs.rate), rel=1e-6)


def test_the_table_to_take_along_has_all_digits(small: Reproduction, contents: dict[str, bytes], page: Report) -> None:
    table = page.numbers("summary")
    beside = list(csv.reader(io.StringIO(contents["summary.csv"].decode())))
    assert table["header"] == beside[0]
    assert [[str(cell) for cell in row] for row in table["rows"]] == beside[1:]
    known = {(row[0], row[1]): row[3:] for row in page.numbers("bounds")["rows"]}
    for each in small.setups:
        for name in LEARNERS[1:]:
            assert known.pop((each.name, name)) == list(allowed(each, name))
    assert not known


def test_the_page_is_put_into_place_last() -> None:
    assert report.NAMES[-1] == "report.html"


def test_the_page_can_be_read_aloud(page: Report) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert all(cell["scope"] in ("col", "row", "rowgroup") for cell in page.all("th"))
    headings = [tag for tag, _ in page.elements if tag in ("h1", "h2", "h3")]
    assert headings[0] == "h1"
    assert headings.count("h2") == 7
    assert headings.count("h3") == len(page.all("figure")) == 14
    ids = {attrs.get("id") for _, attrs in page.elements}
    for name in ("aria-labelledby", "aria-describedby"):
        assert {attrs[name] for _, attrs in page.elements if name in attrs} <= ids
    assert all(each["aria-label"] and each["aria-describedby"] for each in page.classed("drawing"))
    assert "DOGD-SC: " in page.words, "curves are described, from where to where they go"


def test_the_page_tells_the_numbers_the_parameters_and_the_verdicts(small: Reproduction, page: Report) -> None:
    text = page.words
    for setting in ("low", "high"):
        for name in LEARNERS:
            regret = small.runs.regret.sel(setting=setting, learner=name)
            assert f"{float(regret.mean()):.2f} ± {float(regret.std(ddof=1)):.2f}" in text
        assert f"{float(small.runs.rate.sel(setting=setting)):.7f}" in text
    assert (
        f"Theorem 1 certificate_squares {float(small.runs.regret.sel(setting='low', learner='dogd-sc').mean()):.2f}"
        in text
    )
    assert "belated paper --seeds 3 --rounds 60" in text
    assert "0 to 2" in text
    assert f"NumPy {np.__version__}" in text
    verdicts = [attrs for attrs in page.all("p") if attrs.get("class", "").startswith("verdict")]
    assert len(verdicts) == 6


def test_a_claim_that_fails_is_said_to_fail() -> None:
    ends = {name: [10.0, 12.0] for name in LEARNERS} | {"dogd": [1.0, 2.0]}
    text = Report(report.contents(invented(ends))["report.html"]).words
    assert "did not hold" in text
    assert "all held" not in text


def test_a_run_of_another_length_is_said_to_be_one(small: Reproduction, page: Report) -> None:
    assert "The paper has 1,000 rounds and this run 60." in page.words
    same = report.report_page(replace(small, rounds=1000), rows(small))
    assert "The paper has 1,000 rounds" not in Report(same).words


def test_no_cell_of_the_bounds_is_blank(page: Report) -> None:
    assert page.words.count("none; derived here") == 4, "DOGD and DBGD in two settings"


def test_one_seed_and_a_seed_that_no_command_starts_with() -> None:
    text = Report(report.contents(reproduce(seeds=[5], rounds=5))["report.html"]).words
    assert "over 1 seed and 5 rounds" in text
    assert "cannot be judged" in text
    assert "standard deviation either way" not in text
    assert "belated paper --seeds" not in text
    assert "Seeds 5;" in text
