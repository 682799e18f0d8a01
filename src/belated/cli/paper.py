"""``belated paper``: reproduce the experiment of the paper and write its report."""

import argparse
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from belated.cli.command import Command, CommandFailed, directory, needing_figures, whole_number
from belated.cli.layout import WIDEST, wrapped
from belated.cli.terminal import is_watched, say

if TYPE_CHECKING:
    from belated.papers.wan2021 import Reproduction


def add_options(parser: argparse.ArgumentParser) -> None:
    """How many seeds and rounds, and where to."""
    parser.add_argument(
        "--seeds",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="run every learner on the losses of seeds 0 to N-1 (default: 20)",
    )
    parser.add_argument(
        "--rounds",
        type=whole_number(2, ": the probe radius ln T / T is 0 for T = 1 round"),
        default=1000,
        metavar="T",
        help="rounds of each run (default: 1000, as in the paper)",
    )
    parser.add_argument(
        "--out",
        type=directory,
        default=Path("out", "paper"),
        metavar="DIR",
        help="directory for figures, summary.csv, runs.nc and report.html (default: out/paper)",
    )


def run(options: argparse.Namespace) -> int:
    """Run the experiment, write all files, print the table and where to look."""
    with needing_figures():
        from belated.output import files
        from belated.papers import report, summary, wan2021

    out: Path = options.out
    try:
        files.check_place(out, report.NAMES)  # before the run rather than after it
        reproduction = wan2021.reproduce(range(options.seeds), options.rounds, progress=is_watched())
        wan2021.write(reproduction, out)
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error
    except MemoryError:
        raise CommandFailed(f"not enough memory for {options.seeds} x {options.rounds} rounds") from None

    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    table = summary.as_text(summary.rows(reproduction))
    verdicts = "\n".join(wrapped(each, width, later="  ") for each in _verdicts(reproduction))
    say(f"""\
{table}

{verdicts}
Report:   {out / "report.html"}
Figures:  {out / "figure1.png"}, {out / "figure2.png"} (and .svg)
Data:     {out / "summary.csv"}, {out / "runs.nc"}""")
    return 0


def _verdicts(reproduction: "Reproduction") -> list[str]:
    """How many statements held, each that did not, and what has to be known of a run of another length."""
    from belated.papers import claims, wan2021

    checked = claims.claims(reproduction)
    numbers = Counter(claim.verdict for claim in checked)
    found = ", ".join(f"{number} {verdict}" for verdict, number in numbers.most_common())
    return [
        f"The paper's {len(checked)} statements about these curves: {found}.",
        *(
            f'- {claim.verdict}: "{claim.statement}" Judged by: {claim.criterion}'
            for claim in checked
            if claim.verdict != "held"
        ),
        *[claims.other_rounds(reproduction)] * (reproduction.rounds != wan2021.ROUNDS),
    ]


COMMAND = Command("paper", "reproduce the experiment of the paper, with figures and a report", add_options, run)
