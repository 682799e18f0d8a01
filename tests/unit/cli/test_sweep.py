"""The command ``belated sweep``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from belated import cli
from belated.sweeps import running

TOML = """\
title = "Small"
rounds = 20
seeds = 2
problem = { name = "random-quadratic", dim = 2 }
delays = { name = "geometric", mean = 3 }
domain = { name = "euclidean", dim = 2 }
measure = "loss"
[learners.dogd]
rate = 0.1
[grid]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(f'{TOML}"delays.mean" = [2, 5]\n', encoding="utf-8")
    return path


def test_a_sweep_is_run_and_goes_on(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sweep", str(file)]) == 0
    out = capsys.readouterr().out
    assert "2 points, 1 learner, 2 seeds: 4 runs of 2 settings, 0 found, 4 done" in out
    folder = Path("out", "sweep", "small")
    assert f"Figure:   {folder / 'figure.png'} (and .svg)" in out
    assert (folder / "best.md").exists()
    assert cli.main(["sweep", str(folder / "sweep.toml"), "--out", str(folder), "--workers", "1"]) == 0
    assert "4 found, 0 done" in capsys.readouterr().out


def test_failures_are_named_and_change_the_exit_code(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(f'{TOML}"learners.dogd.rate" = [0.1, 1e50]\n', encoding="utf-8")
    assert cli.main(["sweep", str(file)]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "2 runs failed, the first with NumericalFailure" in out
    assert "Failures:" in out
    assert cli.main(["sweep", str(file), "--retry-failed"]) == 1
    assert "2 found, 0 done, 2 failed" in capsys.readouterr().out


def test_an_interrupt_says_how_to_go_on(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(todo):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(running, "_passed", pressed)
    assert cli.main(["sweep", str(file)]) == 130
    said = capsys.readouterr()
    assert "the same command goes on" in said.err
    assert "4 runs missing" in said.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["small.toml", "--engine", "rai"], 2, "must be an engine; did you mean ray?"),
        (["smal.toml"], 2, "cannot read 'smal.toml': No such file"),
        (["bursts"], 2, "must have a table [grid] with lists of values"),
        (["burst"], 2, "there is no setting 'burst'; did you mean bursts?"),
        (["small.toml", "--out", "small.toml"], 1, "cannot write into small.toml"),
    ],
)
def test_what_is_wrong_is_told(
    arguments: list[str], code: int, message: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sweep", *arguments]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("package", "engine"), [("ray", "ray"), ("distributed", "dask"), ("pyarrow", "local")])
def test_a_missing_package_is_told_with_what_to_type(
    package: str, engine: str, file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"belated.sweeps.engines.{engine}_engine", raising=False)
    assert cli.main(["sweep", str(file), "--engine", engine]) == 1
    assert "pip install 'belated[" in capsys.readouterr().err
