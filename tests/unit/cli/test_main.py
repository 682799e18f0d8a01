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

IMPORTED = f"""
import sys
from belated.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["paper", "--help"], ["paper", "--seeds", "0"]])
def test_no_heavy_import_before_a_command_runs(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out.startswith("belated ")


def test_without_a_command_help_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "reproduce the experiment of the paper" in capsys.readouterr().err


def test_an_unknown_command_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        cli.main(["papr"])
    assert exit_.value.code == 2
    assert "papr" in capsys.readouterr().err


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
