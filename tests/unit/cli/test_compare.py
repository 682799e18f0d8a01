"""``belated compare`` from outside: what it prints, what it leaves, and how it ends when something is wrong."""

import csv
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated import comparisons
from belated.cli import main
from belated.comparisons import running
from belated.comparisons.report import NAMES
from belated.comparisons.tables import decimals
from support.comparisons import BASIC
from support.processes import hear_ctrl_c

QUICK = ["--rounds", "20", "--seeds", "2"]


@pytest.fixture
def quick_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures, which take most of the time."""
    monkeypatch.setattr("belated.output.drawing._saved", lambda figure, file_format, metadata: file_format.encode())


quickly = pytest.mark.usefixtures("quick_drawing")


def ranking(out: Path) -> list[dict[str, str]]:
    with (out / "ranking.csv").open() as file:
        return list(csv.DictReader(file))


def ran(out: Path, *arguments: str) -> list[str]:
    """The learners, by rank, of a run that goes well."""
    assert main(["compare", *arguments, *QUICK, "--out", str(out)]) == 0
    return [row["learner"] for row in ranking(out)]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a wrong command line."""
    assert main(["compare", *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err.removeprefix("belated compare: ").rstrip("\n")


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_without_arguments_the_settings_are_listed(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["compare"]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[0] for line in shown.splitlines() if line[:3].startswith("  ") and line[2:3].strip()] == [
        *comparisons.names()
    ]
    assert "The paper's experiment, low delays" in " ".join(shown.split())


def test_it_writes_the_files_and_prints_the_ranking(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # a line each
    out = tmp_path / "some" / "where"
    assert main(["compare", "experts", *QUICK, "--out", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES)
    shown = capsys.readouterr()
    assert shown.err == ""  # no bar where there is no terminal
    assert shown.out.splitlines()[:2] == [
        "Combining forecasters",
        "forecast experts, n = 20; delays geometric, mean 10; 20 rounds, 2 seeds",
    ]
    for row in ranking(out):
        tie = "=" if row["tied_with_first"] == "1" else ""
        begin = f"{tie}{row['rank']}".ljust(4) + "  " + row["learner"]
        line = next(line for line in shown.out.splitlines() if line.startswith(begin))
        digits = decimals([float(each["score_mean"]) for each in ranking(out)])
        assert f"{float(row['score_mean']):.{digits}f}" in line.split()
    for name in ("figure.png", "ranking.csv", "runs.nc", "setting.toml"):
        assert str(out / name) in shown.out
    assert "Less is better, and ranks go by the mean" in shown.out
    assert "Replaced" not in shown.out
    assert (out / "figure.png").read_bytes().startswith(b"\x89PNG")


@quickly
def test_a_learner_is_tuned_on_a_domain_without_end(tmp_path: Path) -> None:
    words = ["--problem", "random-quadratic:dim=2", "--domain", "box:lower=[0,0],upper=[inf,inf]"]
    assert ran(tmp_path, *words, "--delays", "fixed:delay=2", "--learner", "dogd-sc") == ["dogd-sc"]


@quickly
def test_the_setting_that_was_run_runs_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = ["--learner", 'x=bold:base="ogd"', "--delays", "uniform:least=1,most=4", "--measure", "loss"]
    ran(tmp_path / "one ü", "bursts", "--only", "dogd-sc,dda", *changes)
    (again,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Again:"))
    _, command, *arguments = shlex.split(again)
    assert command == "belated"
    assert main([*arguments, "--out", str(tmp_path / "two")]) == 0
    for name in ("ranking.csv", "setting.toml"):
        assert (tmp_path / "one ü" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@quickly
def test_what_is_replaced_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("stays")
    ran(tmp_path, "experts", "--only", "hedge")
    assert "Replaced" not in capsys.readouterr().out
    ran(tmp_path, "experts", "--only", "dda")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"Replaced: an earlier comparison in {tmp_path}; --out names another place"
    assert (tmp_path / "mine.txt").exists()


@quickly
def test_it_is_said_that_nothing_has_arrived(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran(tmp_path, "bursts", "--only", "dogd-sc,dda")
    note = "No feedback reached any learner within 20 rounds: nobody has learnt anything."
    assert note in capsys.readouterr().out
    assert note in (tmp_path / "ranking.md").read_text()


@quickly
def test_the_default_place_is_named_after_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my own.toml").write_text(BASIC)
    assert main(["compare", "my own.toml"]) == 0
    assert main(["compare", "experts", "--only", "hedge", *QUICK]) == 0
    options = ["--problem", "pricing:noise=0.1", "--delays", "fixed:delay=1", "--learner", "dda"]
    assert main(["compare", *options, *QUICK]) == 0
    for name in ("my own", "experts", "own"):
        assert (tmp_path / "out" / "compare" / name / "ranking.csv").exists()
    assert str(Path("out", "compare", "own", "ranking.csv")) in capsys.readouterr().out


@quickly
@pytest.mark.parametrize(
    ("only", "labels"),
    [
        ("dogd-sc", ["dogd-sc"]),
        ("dogd-sc,dda", ["dda", "dogd-sc"]),
        (" dda , dogd-sc,dda", ["dda", "dogd-sc"]),
        ("ogd-sc, no delay", ["ogd-sc, no delay"]),
        ("dogd,dogd, count-adaptive,ogd-sc, no delay", ["dogd", "dogd, count-adaptive", "ogd-sc, no delay"]),
        ("dogd_sc", ["dogd-sc"]),
        ("DOGD-SC,DDA", ["dda", "dogd-sc"]),
        ("ogd_sc", ["ogd-sc, no delay"]),
        ("composite-ftrl", ["composite-ftrl"]),
    ],
)
def test_only_some_learners(only: str, labels: list[str], tmp_path: Path) -> None:
    assert sorted(ran(tmp_path, "paper-low", "--only", only)) == labels


@quickly
def test_learners_by_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--learner",
        "dda",
        "--learner",
        "dogd:rate=0.5",
        "--learner",
        "own= dogd : rate = 0.1",
        "--learner",
        "dogd-sc=ftdl",
    ]
    assert sorted(ran(tmp_path, "paper-low", "--only", "dogd-sc", *options)) == [
        "dda",
        "dogd rate=0.5",
        "dogd-sc",
        "own",
    ]
    tables = tomllib.loads((tmp_path / "setting.toml").read_text())
    assert tables["learners"] == {
        "dogd-sc": {"name": "ftdl"},
        "dda": {"name": "dda"},
        "dogd rate=0.5": {"name": "dogd", "rate": 0.5},
        "own": {"name": "dogd", "rate": 0.1},
    }
    assert "own" in capsys.readouterr().out


@quickly
def test_everything_by_options_is_a_direct_simulation(tmp_path: Path) -> None:
    options = [
        "--problem",
        "random-quadratic:dim=3",
        "--domain",
        "ball:dim=3,radius=2.0",
        "--delays",
        "geometric:mean=4",
    ]
    ran(tmp_path, *options, "--learner", "dogd:rate=0.25")
    learner = bl.dogd(bl.Ball(3, radius=2.0), 0.25)
    result = bl.simulate({"x": learner}, bl.problems.RandomQuadratic(3), bl.delays.Geometric(4.0), 20, range(2))
    row = ranking(tmp_path)[0]
    assert float(row["score_mean"]) == result.regret.sel(learner="x").isel(round=-1).values.mean()


@quickly
@pytest.mark.parametrize("start", [0.5, 0.0, -0.25])
def test_the_first_decision_by_an_option(start: float, tmp_path: Path) -> None:
    options = ["--problem", "random-quadratic:dim=3", "--delays", "fixed:delay=4", "--learner", "dogd:rate=0.25"]
    ran(tmp_path, *options, f"--initial={start}")
    result = bl.simulate(
        {"x": bl.dogd(bl.Ball(3), 0.25)},
        bl.problems.RandomQuadratic(3),
        bl.delays.Fixed(4),
        20,
        range(2),
        initial=[start] * 3,
    )
    assert float(ranking(tmp_path)[0]["score_mean"]) == result.regret.sel(learner="x").isel(round=-1).values.mean()
    assert tomllib.loads((tmp_path / "setting.toml").read_text())["initial"] == start


@quickly
@pytest.mark.parametrize("rounds", ["1e1", "10.0", "1_0", " 10 "])
def test_whole_numbers_may_look_like_real_ones(rounds: str, tmp_path: Path) -> None:
    options = ["--problem", "random-quadratic:dim=3", "--delays", "fixed:delay=4", "--learner", "dda"]
    assert main(["compare", *options, "--rounds", rounds, "--seeds", "2e0", "--out", str(tmp_path)]) == 0
    tables = tomllib.loads((tmp_path / "setting.toml").read_text())
    assert (repr(tables["rounds"]), repr(tables["seeds"])) == ("10", "2")


@quickly
def test_one_is_not_many(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    options = ["--problem", "random-quadratic:dim=3", "--delays", "fixed:delay=4", "--learner", "dda"]
    assert main(["compare", *options, "--rounds", "1", "--seeds", "1", "--out", str(tmp_path)]) == 0
    title = "Learners on random-quadratic under fixed"
    assert capsys.readouterr().out.splitlines()[:2] == [
        title,
        "random quadratic, n = 3; delays fixed, delay 4; 1 round, 1 seed",
    ]
    assert tomllib.loads((tmp_path / "setting.toml").read_text())["title"] == title


@quickly
def test_a_setting_that_a_run_has_left_goes_to_the_same_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", "experts", "--only", "hedge", *QUICK]) == 0
    left = Path("out", "compare", "experts")
    before = {path: path.read_bytes() for path in left.iterdir() if path.suffix in (".toml", ".csv")}
    assert main(["compare", str(left / "setting.toml")]) == 0
    assert [path.name for path in Path("out", "compare").iterdir()] == ["experts"]
    assert {path: path.read_bytes() for path in before} == before


@quickly
@pytest.mark.parametrize("columns", ["30", "60", "80", "120", "300"])
def test_the_table_fits_the_terminal(
    columns: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["compare", "drift", "--only", "dogd-sc,dda,dogd, rate 0.01", *QUICK, "--out", str(tmp_path)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if str(tmp_path) not in line]
    assert max(len(line) for line in lines) <= min(120, int(columns))
    assert sum("dogd-sc" in line for line in lines) == 1
    if int(columns) >= 80:
        begin = next(place for place, line in enumerate(lines) if line.startswith("----"))
        assert [line.lstrip("=")[0] for line in lines[begin + 1 : begin + 4]] == ["1", "2", "3"], "a line for each"
        assert lines[begin + 4] == ""


@quickly
def test_a_terminal_shows_bars(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("belated.cli.compare.is_watched", lambda: True)
    ran(tmp_path, "paper-low", "--only", "ogd-sc, no delay,dogd-sc")
    shown = capsys.readouterr()
    assert "ogd-sc, no delay under Fixed(delay=1)" in shown.err
    assert shown.err.count("100%") >= 2
    assert "100%" not in shown.out


# --- what is wrong ---

OWN = ["--problem", "pricing:noise=0.1", "--delays", "fixed:delay=1", "--learner", "dda"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["burst"], "there is no setting 'burst'; did you mean bursts?"),
        (["zebra"], "there is no setting 'zebra'; there are bursts, "),
        (["nowhere.toml"], "cannot read 'nowhere.toml': No such file or directory"),
        (["--learner", "dda"], "the options: `problem` is missing"),
        (["--rounds", "5"], "the options: `problem` is missing"),
        (OWN[:2], "the options: `delays` is missing"),
        (OWN[:4], "the options: `learners` is missing"),
        ([*OWN, "--learner", "dogd:rate=-1"], "--learner dogd rate=-1, rate: `dogd(rate=-1)`: must be > 0"),
        ([*OWN, "--learner", "x=dogd:rates=1"], "--learner x, rates: dogd has no such key; did you mean rate?"),
        ([*OWN, "--learner", "dogs"], "--learner dogs, name: there is no 'dogs' here; did you mean dogd or "),
        ([*OWN, "--learner", "xyz"], "--learner xyz, name: there is no 'xyz' here; there are adagrad,"),
        ([*OWN, "--problem", "pricings"], "--problem, name: there is no 'pricings' here; did you mean pricing?"),
        ([*OWN, "--delays", "geometrical"], "--delays, name: there is no 'geometrical' here; did you mean geometric?"),
        ([*OWN, "--domain", "bal"], "--domain, name: there is no 'bal' here; did you mean ball"),
        ([*OWN, "--learner", "dda"], "--learner dda: two learners have this label; give each a label of its own"),
        ([*OWN, "--learner", "a=dda", "--learner", "a=dogd"], "--learner a: two learners have this label; give each"),
        ([*OWN, "--learner", "dda:lipschitz=1", "--learner", "dda: lipschitz=1 "], "--learner dda lipschitz=1: two l"),
        (
            [*OWN, "--learner", "bold:base=ogd"],
            "--learner: cannot read 'base=ogd' of bold; values as in TOML, texts in",
        ),
        ([*OWN, "--learner", "dogd:rate"], "--learner: cannot read 'rate' of dogd; values as in TOML"),
        ([*OWN, "--learner", f"x:a={'[' * 5000}"], "--learner: cannot read 'a=[[["),
        ([*OWN, "--learner", f"x:a={'9' * 5000}"], "--learner: cannot read 'a=999"),
        ([*OWN, "--learner", "dogd:rate=1 }, { rate=2"], "--learner: cannot read 'rate=1 }, { rate=2' of dogd; values"),
        ([*OWN, "--learner", "dogd:rate=1 } ] #"], "--learner: cannot read 'rate=1 } ] #' of dogd; values as in TOML"),
        ([*OWN, "--learner", 'x=dogd:name="dda"'], "--learner: the name stands before the colon, and only there: "),
        ([*OWN, "--learner", "=dogd"], "--learner: must be NAME[:KEY=VALUE,...], not '=dogd'"),
        ([*OWN, "--learner", ""], "--learner: must be NAME[:KEY=VALUE,...], not ''"),
        ([*OWN, "--learner", "x=dogd:rate=1 }\ny = { a=1"], "--learner: must be NAME[:KEY=VALUE,...], not 'x=dogd"),
        ([*OWN, "--learner", "\udcff=dogd"], "--learner: must be NAME[:KEY=VALUE,...], not '\\udcff=dogd'"),
        ([*OWN, "--domain", "ball:dim=3"], "--domain: must have the dimension of the problem, 1, and has 3"),
        ([*OWN, "--delays", "fixed:delay=0"], "--delays, delay: `Fixed(delay=0)`: must be >= 1"),
        ([*OWN, "--delays", "trace:delays=[1]", "--rounds", "9"], "--delays: must have delays for 9 rounds, and has 1"),
        ([*OWN, "--problem", "pricing"], "--problem: `noise` is missing"),
        ([*OWN, "--problem", ":noise=1"], "--problem: must be NAME[:KEY=VALUE,...], not ':noise=1'"),
        ([*OWN, "--initial", "9"], "--initial: `setting(initial=9.0)`: must lie in "),
        ([*OWN, "--initial", "nan"], "--initial: `setting(initial=array([nan]))`: must be finite"),
        (["--initial", "0"], "the options: `problem` is missing"),
        (
            [*OWN, "--measure", "regrets"],
            "--measure: must be one of regret, dynamic-regret, loss, not 'regrets'; did you m",
        ),
        ([*OWN, "--measure", "speed"], "--measure: must be one of regret, dynamic-regret, loss, not 'speed'"),
        ([*OWN, "--measure", "dynamic-regret"], "--measure: dynamic regret needs a problem whose optimum moves"),
        ([*OWN, "--rounds", "9" * 30], "--rounds: must be a whole number from 1 to 2147483647, not 9999"),
        ([*OWN, "--seeds", "100001"], "--seeds: must be a whole number from 1 to 100000, or"),
        (["bursts", "--only", "dogs"], "--only: there is no learner 'dogs'; did you mean dogd"),
        (["bursts", "--only", "zebra"], "--only: there is no learner 'zebra'; there are 'dogd-sc', 'dogd',"),
        (["bursts", "--only", "dogd,"], "--only: there is no learner ''; there are 'dogd-sc', 'dogd',"),
        (["bursts", "--only", ""], "--only: there is no learner ''; there are 'dogd-sc', 'dogd',"),
        (["--only", "dogd"], "--only: there is no learner 'dogd'; there are none"),
    ],
)
def test_a_wrong_command_line_is_explained_and_nothing_is_written(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, *arguments).startswith(message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "0"], "--seeds: must be >= 1, not 0"),
        (["--rounds", "-3"], "--rounds: must be >= 1, not -3"),
        *(
            (["--rounds", given], f"--rounds: must be a whole number, not '{given}'")
            for given in ("1.5", "1e-1", "inf", "1e400", "nan", "1e", "", "ten")
        ),
        (["--rounds", "0.0"], "--rounds: must be >= 1, not 0"),
        (["--seeds=-1e3"], "--seeds: must be >= 1, not -1000"),
        (["--initial", "x" * 500], "--initial: must be a number, not 'xxx"),
        (["--initial", "[1]"], "--initial: must be a number, not '[1]'"),
        (["--initial", ""], "--initial: must be a number, not ''"),
        (["--out", ""], "--out: must not be empty"),
        (["--speed", "9"], "unrecognized arguments: --speed 9"),
    ],
)
def test_a_bad_option_is_explained(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["compare", "bursts", *options])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_a_wrong_file_is_told_with_line_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my.toml").write_text(f"{BASIC}[learners.dogd]\nrate = -1\n")
    message = "my.toml, line 10, learners.dogd.rate: `dogd(rate=-1)`: must be > 0"
    assert refused(capsys, "my.toml") == message
    assert refused(capsys, "my.toml", "--only", "dogd", "--rounds", "3") == message
    Path("my.toml").write_text("learners = 5\nproblem = 'x'\ndelays = 'fixed'")
    assert refused(capsys, "my.toml", "--only", "5").startswith("my.toml, line 2, problem: there is no 'x' here")
    assert [path.name for path in tmp_path.iterdir()] == ["my.toml"]


def test_a_place_that_cannot_be_written_is_told_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object, **options: object) -> None:
        pytest.fail("the comparison was run although its result cannot be stored")

    monkeypatch.setattr("belated.comparisons.running._simulated", never)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "ranking.csv").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    for place, reason in [
        ("file", "Not a directory"),
        ("file/below", "Not a directory"),
        ("taken", "ranking.csv is a directory"),
        ("x" * 300, "File name too long"),
    ]:
        out = tmp_path / place
        assert main(["compare", "experts", "--out", str(out)]) == 1
        assert capsys.readouterr().err == f"belated compare: cannot write into {out}: {reason}\n"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_missing_permission_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr("belated.output.files.TemporaryDirectory", refuse)  # as root one meets no real one
    assert main(["compare", "experts", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"belated compare: cannot write into {tmp_path}: Permission denied\n"


@quickly
def test_a_disk_that_is_full_leaves_the_old_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    ran(tmp_path, "experts", "--only", "hedge")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    capsys.readouterr()
    monkeypatch.setattr("os.fsync", full)
    assert main(["compare", "experts", "--only", "dda", *QUICK, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"belated compare: cannot write into {tmp_path}: No space left on device\n"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_too_little_memory_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("belated.comparisons.running._simulated", too_large)
    assert main(["compare", "experts", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "belated compare: not enough memory for 20 x 2000 rounds\n"


@quickly
def test_a_closed_output_is_told_and_the_files_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it then
    assert main(["compare", "experts", "--only", "hedge", *QUICK, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "belated compare: cannot print: the standard output is closed\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)


def test_a_missing_package_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    for name in ("figure", "report"):
        monkeypatch.delitem(sys.modules, f"belated.comparisons.{name}", raising=False)
        monkeypatch.delattr(f"belated.comparisons.{name}", raising=False)
    assert main(["compare", "experts", *QUICK, "--out", str(tmp_path / "new")]) == 1
    assert capsys.readouterr().err == "belated compare: matplotlib is missing; install belated[figures]\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["compare", "--help"], ["compare", "bursts", "--rounds", "0"]])
def test_the_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = """
import sys
from belated.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    print(sorted({"numpy", "numba", "scipy", "xarray", "matplotlib", "tqdm"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


# --- interruptions ---


@quickly
def test_what_is_finished_is_written_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def simulated(*arguments: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        return whole(*arguments)

    whole = running._simulated
    monkeypatch.setattr(running, "_simulated", simulated)
    only = ["--only", "ogd-sc, no delay,dogd-sc"]
    assert main(["compare", "paper-low", *only, *QUICK, "--out", str(tmp_path)]) == 130
    shown = capsys.readouterr()
    assert shown.err == "interrupted: this has 2 seeds of 1 learners\n"
    assert "ogd-sc, no delay" in shown.out
    assert [row["learner"] for row in ranking(tmp_path)] == ["ogd-sc, no delay"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)


SLOW = """
import sys, time
from belated import problems
from belated.cli import main
from belated.comparisons import makers
from belated.sim import plan

plan.LEAST_ROUNDS_PER_CHUNK = plan.MOST_ROUNDS_PER_CHUNK = 10

class Slow(problems.RandomQuadratic):
    def sampler(self, seed):
        given = super().sampler(seed)
        if seed < 2:
            return given

        class Sampler:
            taken = 0

            def take(self, rounds):
                self.taken += 1
                time.sleep(0.1)
                if seed == 2 and self.taken == 10:  # the quick ones have long been finished
                    print("here", flush=True)
                return given.take(rounds)

        return Sampler()

makers.problems.EVERY = (Slow,)
options = ["--problem", "slow:dim=2", "--delays", "fixed:delay=2", "--learner", "dogd-sc"]
sys.exit(main(["compare", *options, *sys.argv[1:]]))
"""


def stopped(command: list[str]) -> tuple[int, str, str]:
    """Run until it says that it is there, and press Ctrl-C."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        shown, err = process.communicate(timeout=60)
    return process.returncode, shown, err


def test_ctrl_c_keeps_the_seeds_that_are_finished(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW, "--rounds", "600", "--seeds", "4", "--out", str(tmp_path)]
    code, shown, err = stopped(command)
    assert (code, err) == (130, "interrupted: this has 2 seeds of 1 learners\n")
    assert "2 seeds" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    assert ranking(tmp_path)[0]["seeds"] == "2"
    learner = bl.dogd_sc(bl.Ball(2), 2.0)
    result = bl.simulate({"x": learner}, bl.problems.RandomQuadratic(2), bl.delays.Fixed(2), 600, range(2))
    assert float(ranking(tmp_path)[0]["score_mean"]) == pytest.approx(result.regret.values.mean(), rel=1e-12), (
        "added up in chunks"
    )


def test_ctrl_c_while_writing_leaves_nothing_that_is_not_whole(tmp_path: Path) -> None:
    script = """
import os, sys, time
from belated.cli import main

def stop(descriptor):
    print("here", flush=True)
    time.sleep(60)

os.fsync = stop
sys.exit(main(["compare", "experts", "--only", "hedge", *sys.argv[1:]]))
"""
    code, _, err = stopped([sys.executable, "-c", script, *QUICK, "--out", str(tmp_path / "new")])
    assert (code, err) == (130, "belated compare: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_is_finished_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("belated.comparisons.running._simulated", stop)
    assert main(["compare", "experts", "--out", str(tmp_path / "new")]) == 130
    assert capsys.readouterr().err == "belated compare: interrupted\n"
    assert list(tmp_path.iterdir()) == []
