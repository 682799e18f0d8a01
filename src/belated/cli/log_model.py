"""The options of ``belated log`` that say which model is meant, and what it does while labels have not come."""

import argparse
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from belated.cli.command import whole_number
from belated.cli.log_options import FLIGHTS, names, not_negative, readable
from belated.core.errors import InvalidArgument
from belated.core.spelling import suggestion

if TYPE_CHECKING:
    from belated.logs import Log
    from belated.models import Model

KINDS = ("logistic", "squared", "poisson")

MOST_NAMED = 30
"""Features are listed in a message if there are no more of them."""

FIRST_FEW = 1000
"""So many questions are looked at to find the features that are words."""


def add_model(parser: argparse.ArgumentParser) -> None:
    """The model, and how it takes features and labels."""
    group = parser.add_argument_group("the model")
    group.add_argument("--kind", choices=KINDS, help="logistic (default), squared or poisson")
    group.add_argument("--bits", type=whole_number(1), metavar="N", help="2^N slots for features (default: 20)")
    group.add_argument("--categorical", metavar="COLUMN,...", type=names, help="columns whose numbers are categories")
    group.add_argument(
        "--crosses", metavar="COLUMN,...", type=names, help="columns of words to take in pairs, too, or: all"
    )
    group.add_argument(
        "--while-waiting",
        choices=("nothing", "hold", "assume"),
        help="learn labels as they come (nothing, the default), all at the deadline (hold), or the label 0 soon, which "
        "another one corrects (assume)",
    )
    group.add_argument(
        "--wait",
        metavar="SECONDS",
        type=not_negative,
        help="of --while-waiting assume: how long after a question the label 0 is assumed (default: 0)",
    )


def model_of(options: argparse.Namespace, log: "Log") -> "Model":
    """The model that the options describe, for a log."""
    kind = "squared" if options.log == FLIGHTS and options.task == "minutes" else options.kind or "logistic"
    _check_waiting(options)
    for name in ("categorical", "crosses"):
        _check_features(name, getattr(options, name) or [], log)
    from belated import models

    crosses = options.crosses or []
    if crosses == ["all"]:
        with readable(options.log):
            crosses = _words_of(log, options.categorical or [])
    recipe = models.Named(20 if options.bits is None else options.bits, options.categorical or (), crosses)
    made: Model = getattr(models, kind)(recipe, while_waiting=options.while_waiting or "nothing", wait=options.wait)
    return made


def _check_waiting(options: argparse.Namespace) -> None:
    """Refuse what does not go together: holding, assuming, deadlines and weights."""
    has_deadline, assumes = (
        options.horizon is not None or options.deadline is not None,
        options.while_waiting == "assume",
    )
    if options.while_waiting == "hold" and not has_deadline:
        raise InvalidArgument("--while-waiting hold: needs --horizon or --deadline, until which labels are held")
    if options.wait is not None and not assumes:
        raise InvalidArgument("--wait: needs --while-waiting assume, which it is a part of")
    if options.wait is not None and options.horizon is not None and options.wait >= options.horizon:
        raise InvalidArgument("--wait: must be less than --horizon: nothing is assumed after that")
    if options.weight is not None and (has_deadline or assumes):
        why = "what a model learns without being told, it learns with the weight 1"
        other = "--horizon or --deadline" if has_deadline else "--while-waiting assume"
        raise InvalidArgument(f"--weight: must not be given together with {other}: {why}")


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
