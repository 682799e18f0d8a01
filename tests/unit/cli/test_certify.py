"""``belated certify`` from outside: what it prints, and that it fails loudly where a step does not hold."""

import re

import pytest

import belated as bl
from belated.cli import main
from belated.papers import wan2021
from support.mutants import MUTANTS

QUICK = ["--rounds", "30"]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


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
    assert shown.err.startswith("belated certify: dogd-sc, low delays: BROKEN: the step 'rate' of dogd_sc")
    assert "in round 2" in shown.err
    assert "FAILS  rate" in shown.out
    assert titles(shown.out) == ["dogd-sc, low delays", "dogd, low delays"], "the others are checked all the same"
    assert "every step holds" not in shown.out


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
