"""``belated log``: what a log of late answers is like, which model is best on it, and what delay costs there."""

import argparse
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from warnings import catch_warnings, simplefilter

from belated.cli.command import LONGEST_SHOWN, Command, CommandFailed, group, needing_figures
from belated.cli.layout import WIDEST, listed, table, wrapped
from belated.cli.log_model import add_model, features_nobody_has, in_words, model_of
from belated.cli.log_options import (
    FLIGHTS,
    add_log,
    again,
    chosen,
    log_of,
    name_of,
    numbers,
    readable,
)
from belated.cli.terminal import complain, is_watched, say
from belated.core.errors import LopsidedLabels

if TYPE_CHECKING:
    from belated.logs import Log, LogSummary
    from belated.models import Model
    from belated.replays.tables import Table

Found = TypeVar("Found")

KNOWN_AT_ONCE = (
    "No --answered-at: each label counts as known when its question was asked, and a column with the time of the label "
    "as a feature"
)
"""What a log without late answers may be a mistake of."""


def add_compare(parser: argparse.ArgumentParser) -> None:
    """The log, the model, and where settings are chosen."""
    add_log(parser)
    add_model(parser)
    parser.add_argument(
        "--tune-until",
        type=_share,
        metavar="SHARE",
        help="choose settings on this share of the time, and score the rest (default: 0.2)",
    )
    parser.add_argument(
        "--hindsight",
        type=_parts,
        metavar="N,...",
        help="measure regret against the best fixed weights (1), or the best of N parts of the time (default: 1,16)",
    )


def add_cost(parser: argparse.ArgumentParser) -> None:
    """The log, the model, and the factors."""
    add_log(parser)
    add_model(parser)
    parser.add_argument(
        "--factors",
        type=numbers,
        metavar="X,...",
        help="what delays are multiplied by (default: 0,0.25,0.5,1,2,4,8)",
    )


def describe(options: argparse.Namespace) -> int:
    """Summarise the log, write the report, print what is in it."""
    log = log_of(options)
    with needing_figures():
        from belated.replays import log_tables, report
    out, title = _place(options, "describe"), f"How late answers are: {Path(options.log).name}"
    files, before = _checked(out, report.NAMES["describe"])
    summary = _summary(options, log)
    warnings = _warn(options, log, summary)
    _write(out, lambda: report.describe_files(summary, title, again(options), warnings))
    width = _width()
    say(f"""\
{wrapped(title, width)}

{listed(log_tables.facts(summary).items(), width)}

{table(*log_tables.delays(summary), width)}

{wrapped(log_tables.verdict(summary), width)}
{_ending(out, files, options, before)}""")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Rank models on the log, write the report, print the ranking."""
    log, model = _log_and_model(options)
    with needing_figures():
        from belated.replays import compare_models, report
    out, title = _place(options, "compare"), f"Which model is best: {Path(options.log).name}"
    files, before = _checked(out, report.NAMES["compare"])
    warnings = _warn(options, log, _summary(options, log, model.labels))
    facts = {"Model": in_words(model), **chosen(options)}
    share = 0.2 if options.tune_until is None else options.tune_until
    parts = (1, 16) if options.hindsight is None else options.hindsight
    with readable(options.log):
        found = _enough(lambda: compare_models(log, model, tune_until=share, hindsight=parts, progress=is_watched()))
    if found.interrupted:
        warnings += ("Interrupted: these are the questions that were reached.",)
        complain(f"interrupted: this has {found.scored} questions of the log")
    _write(out, lambda: report.compare_files(found, title, again(options), facts, warnings))
    marks = found.table_of_marks()
    _tell(
        title,
        found.sentence,
        (found.table(), *([] if marks is None else [marks])),
        _ending(out, files, options, before),
    )
    return 130 if found.interrupted else 0


def cost_of_delay(options: argparse.Namespace) -> int:
    """Multiply the delays of the log, write the report, print what that changes."""
    log, model = _log_and_model(options)
    with needing_figures():
        from belated.replays import cost_of_delay, report
        from belated.replays.delay_cost import FACTORS
    out, title = _place(options, "cost-of-delay"), f"What delay costs: {Path(options.log).name}"
    files, before = _checked(out, report.NAMES["cost-of-delay"])
    warnings = _warn(options, log, _summary(options, log, model.labels))
    facts = {"Model": in_words(model), **chosen(options)}
    factors = options.factors or FACTORS
    with readable(options.log):
        found = _enough(lambda: cost_of_delay(log, model, factors, progress=is_watched()))
    if found.interrupted:
        warnings += ("Interrupted: not all factors were finished.",)
        complain(f"interrupted: this has {len(found.points)} factors")
    _write(out, lambda: report.cost_files(found, title, again(options), facts, warnings))
    _tell(title, found.sentence, (found.table(),), _ending(out, files, options, before))
    return 130 if found.interrupted else 0


def _log_and_model(options: argparse.Namespace) -> "tuple[Log, Model]":
    log = log_of(options)
    return log, model_of(options, log)


def _place(options: argparse.Namespace, command: str) -> Path:
    out: Path | None = options.out
    return out or Path("out", "log", name_of(options), command)


def _checked(out: Path, names: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The names of the files, if they can be written, and whether there is an earlier report."""
    from belated.output import files

    try:
        files.check_place(out, names)  # before the run rather than after it
        return names, (out / names[-1]).exists()
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error


def _write(out: Path, contents: Callable[[], Mapping[str, bytes]]) -> None:
    from belated.output import files

    made = contents()
    try:
        files.place(out, made)
    except OSError as error:
        raise CommandFailed(f"cannot write into {out}: {error.strerror or error}") from error


def _summary(options: argparse.Namespace, log: "Log", labels: str | None = None) -> "LogSummary":
    from belated.logs.describe import summary_of
    from belated.sim.watching import bar_of

    if is_watched():
        complain(f"reading {log.name}")
    with readable(options.log), bar_of(None, is_watched(), "event") as bar:
        return _enough(lambda: summary_of(log, labels, bar.update))


def _enough(run: Callable[[], Found]) -> Found:
    """What a run finds; that labels mislead, the command says in its own words."""
    try:
        with catch_warnings():
            simplefilter("ignore", LopsidedLabels)
            return run()
    except MemoryError:
        raise CommandFailed("not enough memory for this log") from None


def _warn(options: argparse.Namespace, log: "Log", summary: "LogSummary") -> tuple[str, ...]:
    """Say what a reader of the results must know of the log, and return it for the page."""
    from belated.replays.log_tables import advice, skipped

    found = []
    if options.log != FLIGHTS and options.answered_at is None:
        found.append(KNOWN_AT_ONCE)
    found += features_nobody_has(options, log)
    if summary.counts.bad_rows:
        found.append(skipped(summary.counts))
    uneven = summary.lopsidedness
    has_deadline = options.horizon is not None or options.deadline is not None
    way = getattr(options, "while_waiting", "hold")
    learns_early_ones = way != "assume" and not (has_deadline and way == "hold")
    if uneven is not None and uneven.misleading and learns_early_ones:
        found.append(advice(summary))
    for each in found:
        complain(f"warning: {each}")
    return tuple(f"{each}." for each in found)


def _tell(title: str, sentence: str, tables: "Sequence[Table]", ending: str) -> None:
    width = _width()
    shown = "\n\n".join(table(*each, width) for each in tables)
    say(f"{wrapped(title, width)}\n{wrapped(sentence, width)}\n\n{shown}\n\n{ending}")


def _ending(out: Path, names: tuple[str, ...], options: argparse.Namespace, before: bool) -> str:
    """Where everything is, and how to do it again."""
    tables = [name for name in names if name.endswith(".csv")]
    replaced = f"\nReplaced: an earlier report in {out}; --out names another place" if before else ""
    return f"""\
Report:   {out / "report.html"}
Figure:   {out / "figure.png"} (and .svg)
Tables:   {out / tables[0]}{f" (and {', '.join(tables[1:])})" if tables[1:] else ""}
Again:    {again(options)}{replaced}"""


def _width() -> int:
    return min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < 1.0:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to below 1, not {text[:LONGEST_SHOWN]!r}")
    return number


def _parts(text: str) -> list[int]:
    from belated.core.errors import InvalidArgument
    from belated.replays.hindsight import checked_parts

    try:
        return list(checked_parts("compare", [int(each) for each in text.split(",")]))
    except (ValueError, InvalidArgument):
        allowed = "must be whole numbers with commas between them, each a multiple of the one before"
        raise argparse.ArgumentTypeError(f"{allowed}, not {text[:LONGEST_SHOWN]!r}") from None


COMMAND = group(
    "log",
    "look into a log of late answers, and replay models on it",
    (
        Command("describe", "say how late answers are, and whether early ones mislead", add_log, describe),
        Command("compare", "rank models on a log", add_compare, compare),
        Command("cost-of-delay", "say what faster or slower labels would change", add_cost, cost_of_delay),
    ),
)
