"""``belated certify`` from outside: what it prints, and that it fails loudly where a step does not hold."""

import csv
import json
import re
import sys
from pathlib import Path

import pytest

import belated as bl
import belated.audit
from belated.cli import main
from belated.papers import wan2021
from support.mutants import MUTANTS
from support.reports import Report, reaching_out

QUICK = ["--rounds", "30"]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)  # the report goes into out/certify


def titles(text: str) -> list[str]:
    return re.findall(r"^(.*? delays): ", text, flags=re.MULTILINE)


def test_by_default_it_checks_the_runs_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", *QUICK]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    names = ("dogd", "dogd-sc", "bdogd-sc")
    assert titles(shown.out) == [f"{name}, {setting} delays" for setting in ("low", "high") for name in names]
    assert shown.out.count("steps hold.") == 6
    assert "FAILS" not in shown.out
    assert shown.out.splitlines()[-1] == "Runs of 30 rounds, seed 0, in which every step holds: 6 of 6."
    assert "lipschitz 5.16228" in shown.out, "the paper's own constant"


def test_it_has_a_line_for_each_step_and_with_verbose_what_they_say(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["certify", "--setting", "low", "--learner", "bdogd-sc", *QUICK]
    shown = []
    for more in ([], ["--verbose"]):
        assert main([*words, *more]) == 0
        shown.append(capsys.readouterr().out)
        assert max(map(len, shown[-1].splitlines())) <= 80
        assert len(re.findall(r"^ok ", shown[-1], flags=re.MULTILINE)) == 20
    assert ["x_1 lies in X_delta" in each for each in shown] == [False, True]


def test_a_learner_of_the_paper_and_one_that_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--setting", "high", "--learner", "dogd-sc", "--learner", "dda", *QUICK]) == 0
    assert titles(capsys.readouterr().out) == ["dogd-sc, high delays", "dda, high delays"]


def test_a_problem_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--problem", "random-quadratic:dim=2", "--delays", "geometric:mean=4", "--seed", "3"]
    learners = ["--learner", "calm=composite-ftrl:caution=0.5", "--learner", "dogd-sc"]
    assert main(["certify", *words, *learners, "--domain", "box:lower=[0,0],upper=[1,2]", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("calm: Statement 1 of docs/derivations/composite_ftrl.md")
    assert "caution 0.5" in shown
    assert shown.splitlines()[-1] == "Runs of 30 rounds, seed 3, in which every step holds: 2 of 2."


def test_a_run_that_breaks_a_step_fails_loudly_and_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {"dogd-sc": MUTANTS["beta/4"](wan2021.DOMAIN, 2.0), "dogd": bl.dogd(wan2021.DOMAIN, 0.1)}
    monkeypatch.setattr(wan2021.Setup, "learners", lambda setup: wrong)
    assert main(["certify", "--setting", "low", *QUICK]) == 1
    shown = capsys.readouterr()
    broken = "belated certify: dogd-sc, low delays: BROKEN: the step 'rate' does not hold in round 2"
    assert shown.err.startswith(broken)
    assert shown.err.count("\n") == 1
    assert "BROKEN" not in shown.out, "it is said once"
    assert "FAILS  rate" in shown.out
    assert titles(shown.out) == ["dogd-sc, low delays", "dogd, low delays"], "the others are checked all the same"
    assert "every step holds" not in shown.out
    page = Report(Path("out/certify/report.html").read_bytes())
    warnings = [attrs for attrs in page.all("p") if attrs.get("class") == "warning"]
    assert len(warnings) == 2, "at the top of the page, and at the run"
    assert "On 1 of 2 runs a step does not hold." in page.words
    assert page.words.count("does not hold in round 2") == 3
    assert "did not hold" in page.words
    assert "FAILS" in [row[1] for row in cells(page, "steps_1")]
    assert not json.loads(Path("out/certify/certificates.json").read_text())["dogd-sc, low delays"]["holds"]


def cells(page: Report, name: str) -> list[list[str]]:
    """The cells of a table as they are shown, by the file that it offers."""
    place = [data["file"] for data in page.data].index(name)
    rows = re.findall(r"<tbody>(.*?)</tbody>", page.source, flags=re.DOTALL)[place]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows.strip().splitlines()]


def test_the_report_has_every_step_with_all_digits_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["certify", "--setting", "low", "--learner", "dogd-sc", *QUICK]
    assert main([*words, "--out", "here it is"]) == 0
    assert "Report:   here it is/report.html" in capsys.readouterr().out
    out = Path("here it is")
    assert sorted(path.name for path in out.iterdir()) == ["certificates.json", "report.html", "steps.csv"]
    page = Report((out / "report.html").read_bytes())
    assert reaching_out(page) == []
    setup = wan2021.setup("low", 30)
    run = bl.record_run(
        setup.learners()["dogd-sc"], wan2021.PROBLEM, setup.law, 30, 0, initial=setup.initial()["dogd-sc"]
    )
    steps = bl.certify(run, lipschitz=wan2021.CONSTANTS.lipschitz).steps
    assert [tuple(row) for row in page.numbers("steps_1")["rows"]] == [(*step[:-1], 1) for step in steps]
    shown = cells(page, "steps_1")
    rounds = ["-" if step.round is None else str(step.round) for step in steps]
    assert [row[-1] for row in shown] == rounds
    assert [(row[0], row[1]) for row in shown] == [(step.name, "ok") for step in steps]
    with (out / "steps.csv").open() as file:
        assert [(row["name"], float(row["slack"])) for row in csv.DictReader(file)] == [
            (step.name, step.slack) for step in steps
        ]
    assert json.loads((out / "certificates.json").read_text())["dogd-sc, low delays"]["rounds"] == 30
    assert f"belated {' '.join(words)} --seed 0" in page.words


def test_without_the_packages_of_pages_the_steps_are_printed_all_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("belated.audit.certify_report", "belated.output.page.page"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    if hasattr(belated.audit, "certify_report"):
        monkeypatch.delattr(belated.audit, "certify_report")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert main(["certify", "--setting", "low", "--learner", "dogd-sc", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "All 16 steps hold." in shown
    assert "Report:   none, since jinja2 is missing; install belated[figures]" in shown
    assert not Path("out").exists()


def test_a_place_that_cannot_be_written_is_told_before_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    assert main(["certify", "--out", "file", *QUICK]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("belated certify: cannot write into file: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--learner", "ogd-sc"], "must be a run of a learner whose proof can be checked: bdogd_sc, composite_ftrl"),
        (["--learner", "dogs"], "did you mean dogd"),
        (["--problem", "random-quadratic:dim=2"], "--problem and --delays belong together"),
        (["--delays", "fixed:delay=2"], "--problem and --delays belong together"),
        (["--domain", "ball:dim=2"], "--domain belongs to --problem"),
        (["--problem", "random-quadratic:dim=2", "--delays", "fixed:delay=2"], "--learner is missing"),
        (
            ["--problem", "random-quadratic:dim=2", "--delays", "fixed:delay=2", "--setting", "low"],
            "--setting is one of the paper's",
        ),
    ],
)
def test_a_wrong_command_line_is_told(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", *words, *QUICK]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert shown.err.startswith("belated certify: ")
