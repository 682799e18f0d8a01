"""``belated scaling``: regret against the rounds, the delay and the dimension, beside what theory says."""

import argparse
import shlex
import shutil
from pathlib import Path

from belated.cli.command import Command, CommandFailed, directory, needing_figures, whole_number
from belated.cli.layout import WIDEST, table
from belated.cli.terminal import is_watched, say


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many rounds and seeds, and where to."""
    parser.add_argument(
        "--rounds",
        type=whole_number(36_000, ": with fewer there are too few sizes to read a law from"),
        default=1_000_000,
        metavar="T",
        help="the largest number of rounds, at least 20000 (default: 1000000); delays go up to a hundredth of it",
    )
    parser.add_argument(
        "--seeds",
        type=whole_number(2, ": intervals need two seeds at least"),
        default=20,
        metavar="N",
        help="run everything on the losses of seeds 0 to N-1, N at least 2 (default: 20)",
    )
    parser.add_argument(
        "--out",
        type=directory,
        default=Path("out", "scaling"),
        metavar="DIR",
        help="directory for report.html, the figure and the tables (default: out/scaling)",
    )


def run(options: argparse.Namespace) -> int:
    """Run all simulations, write the files, print the laws and where to look."""
    with needing_figures():
        from belated.audit import scaling, scaling_report
        from belated.output import files

    out: Path = options.out
    command = f"belated scaling --rounds {options.rounds} --seeds {options.seeds}"
    try:
        files.check_place(out, scaling_report.NAMES)  # before the runs rather than after them
        panels = list(scaling.scaled(options.rounds, options.seeds, progress=is_watched()))
        files.place(out, scaling_report.contents(panels, command))
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error
    except MemoryError:
        raise CommandFailed(f"not enough memory for {options.seeds} x {options.rounds} rounds") from None
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    say(f"""\
{table(scaling_report.HEADER, scaling_report.cells(panels), width)}

Report:   {out / "report.html"}
Figure:   {out / "figure.png"} (and .svg)
Tables:   {out / "growth.csv"}, {out / "laws.csv"}, {out / "laws.md"}
Again:    {command} --out {shlex.quote(str(out))}""")
    return 0


COMMAND = Command("scaling", "draw regret against rounds, delay and dimension beside theory", add_options, run)
