"""The command ``belated`` itself: what it imports, prints and returns, whichever subcommand is called."""

import argparse
import os
import subprocess
import sys

import pytest

from belated import cli
from belated.cli.command import Command, CommandFailed
from belated.core.errors import InvalidArgument, NumericalFailure

HEAVY = ("numpy", "numba", "scipy", "xarray", "pandas", "matplotlib", "jinja2", "tqdm")

LOADED = f"print(*(name for name in {HEAVY!r} if name in sys.modules))"

IMPORTED = f"""
import sys
from belated.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
{LOADED}
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["paper", "--help"], ["paper", "--seeds", "0"]])
def test_no_heavy_import_before_a_command_runs(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


WRONG = [
    ["compare", "burst"],
    ["compare", "bursts", "--only", "dogs"],
    ["compare", "bursts", "--measure", "los"],
    ["compare", "bursts", "--learner", "dogs"],
    ["compare", "bursts", "--learner", "bold:base=ogd"],
    ["compare", "bursts", "--delays", "geometrik:mean=3"],
    ["learners", "dogs"],
    ["compare"],  # which is not wrong: it lists the settings
]


@pytest.mark.parametrize("arguments", [WRONG[:1], WRONG[1:4], WRONG[4:]])
def test_a_wrong_word_is_told_before_what_takes_seconds_is_imported(arguments: list[list[str]]) -> None:
    """All of it is heavy but NumPy, which takes a tenth of a second."""
    code = f"import sys\nfrom belated.cli import main\nprint([main(each) for each in {arguments!r}])\n{LOADED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    codes, loaded = done.stdout.splitlines()[-2:]
    assert codes == str([0 if each == ["compare"] else 2 for each in arguments])
    assert loaded in ("", "numpy")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out.startswith("belated ")


def test_without_a_command_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "reproduce the experiment of the paper" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "usage", "message"),
    [
        (["papr"], "belated", "belated: error: there is no command 'papr'; did you mean paper?"),
        (
            ["simulate"],
            "belated",
            "belated: error: there is no command 'simulate'; "
            "there are certify, compare, learners, log, paper, scaling, serve, store, sweep",
        ),
        (["--sersion"], "belated", "belated: error: unrecognized arguments: --sersion; did you mean --version?"),
        (
            ["compare", "bursts", "--mesure", "loss"],
            "belated compare",
            "belated compare: error: unrecognized arguments: --mesure loss; did you mean --measure?",
        ),
        (
            ["paper", "--seedz=3"],
            "belated paper",
            "belated paper: error: unrecognized arguments: --seedz=3; did you mean --seeds?",
        ),
        (["learners", "a", "b"], "belated learners", "belated learners: error: unrecognized arguments: b"),
        (["compare", "--zip", "9"], "belated compare", "belated compare: error: unrecognized arguments: --zip"),
    ],
)
def test_an_unknown_word_is_an_error_with_a_hint_and_the_usage_of_its_command(
    arguments: list[str], usage: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(arguments)
    assert exit_.value.code == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"usage: {usage} [-h]")
    assert last == message


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CommandFailed("no room"), 1),
        (NumericalFailure("not finite"), 1),
        (InvalidArgument("too small"), 2),
        (KeyboardInterrupt(), 130),
    ],
)
def test_a_command_is_one_entry_of_the_table_and_its_errors_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    def run(options: argparse.Namespace) -> int:
        assert options.loud
        raise error

    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--loud", action="store_true")

    monkeypatch.setattr(cli, "COMMANDS", (*cli.COMMANDS, Command("fail", "fail always", add_options, run)))
    assert cli.main(["fail", "--loud"]) == code
    assert capsys.readouterr().err == f"belated fail: {str(error) or 'interrupted'}\n"


def test_a_reader_who_has_gone_is_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    script = """
import sys
from belated import cli
from belated.cli.command import Command
from belated.cli.terminal import say
def run(options):
    say("nobody reads this")
    return 0
cli.COMMANDS = (Command("say", "say something", lambda parser: None, run),)
sys.exit(cli.main(["say"]))
"""
    done = subprocess.run([sys.executable, "-c", script], stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.fixture
def without_dask(monkeypatch):
    """As if nobody had imported Dask yet; afterwards all is as it was."""
    monkeypatch.setitem(sys.modules, "dask", None)
    del sys.modules["dask"]


@pytest.mark.usefixtures("without_dask")
@pytest.mark.parametrize(("argv", "left_out"), [(["belated", "learners"], True), (["belated", "sweep", "none"], False)])
def test_a_process_of_its_own_does_without_dask_unless_it_may_need_it(monkeypatch, argv, left_out):
    monkeypatch.setattr(sys, "argv", argv)
    cli.main()
    assert ("dask" in sys.modules) == left_out


@pytest.mark.usefixtures("without_dask")
def test_a_caller_in_the_same_process_keeps_dask():
    cli.main(["learners"])
    assert "dask" not in sys.modules
