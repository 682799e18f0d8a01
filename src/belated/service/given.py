"""Descriptions that come from elsewhere: read, measured and tried before anybody relies on them.

What :func:`~belated.service.descriptions.written` has made is right by its making. What somebody sends may have been
changed on the way, or was never made by it. The fingerprint that comes with it is computed by the sender and proves
nothing. So only parts of this library are taken, nothing is made that would be too large, and a run that is thrown away
shows that the learner can decide and learn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from belated.core import checks
from belated.core.errors import BelatedError, InvalidArgument, StateMismatch
from belated.core.parts import fingerprint
from belated.domains.base import Domain
from belated.learners.learner import Learner
from belated.models.features import Dense, Named, Recipe, checked_recipe
from belated.models.model import Model
from belated.models.waiting import checked_waiting
from belated.service.descriptions import LEARNER, Description, read_back, read_field, written
from belated.service.limits import MOST_ESTIMATED, check_size, check_values, estimated, parts_in
from belated.service.names import checked_name
from belated.service.runs import MOST_NUMBERS

DEEPEST = 200
"""How deep a description may be nested: each part takes two levels, and products of domains have up to 32."""

MOST_GIVEN = 200_000
"""A description has at most so many values; its domain is in it several times."""

OURS = "belated:"
"""How the names of parts of this library begin."""

WIDEST = 8
"""A number in an array has at most so many bytes."""

SECOND = 1.0
"""The moment of the label in a trial run; the prediction is at 0."""


def read_given(values: Any) -> Description:
    """The learner or model that somebody describes, if it can decide and learn here.

    Args:
        values: What :func:`~belated.service.descriptions.written` returns, after a stay in JSON; or anything else.

    Returns:
        The learner or model.

    Raises:
        InvalidArgument: It is no description, is too large, has parts that are not of this library, or does not work.
    """
    check_values("create", "description", values, DEEPEST, MOST_GIVEN)
    if not isinstance(values, Mapping):
        checks.refuse("create", "description", values, "must be a mapping, as `descriptions.written` makes it")
    _check_pieces(values)
    try:
        with np.errstate(all="ignore"):  # what is not finite is refused below
            if values.get("kind") == "learner":
                _check_estimate(values)
            found = read_back(values)
            check_size("create", "description", found)
            if isinstance(found, Learner):
                _try_learner(found)
            else:
                _try_model(found)
            checked_name("create", "description", found.name)
            written(found)
    except InvalidArgument as problem:
        raise InvalidArgument(str(problem), "description") from problem
    except StateMismatch as problem:
        raise InvalidArgument(f"`create(description=...)`: {problem}", "description") from problem
    except Exception as problem:  # parts that do not belong together may fail in any way
        known = str(problem) if isinstance(problem, BelatedError) else f"{type(problem).__name__}: {problem}"
        raise InvalidArgument(
            f"`create(description=...)`: this learner does not work: {known[:200]}", "description"
        ) from problem
    return found


def _check_pieces(value: Any) -> None:
    """Refuse parts of others, and arrays of anything but numbers of usual size."""
    if isinstance(value, Mapping):
        if "part" in value and not str(value["part"]).startswith(OURS):
            checks.refuse("create", "description", value["part"], "has parts of this library only")
        if "array" in value:
            _check_array(value)
        for each in value.values():
            _check_pieces(each)
    elif isinstance(value, list | tuple):
        for each in value:
            _check_pieces(each)


def _check_array(value: Mapping[str, Any]) -> None:
    try:
        kind = np.dtype(value["type"])
        works = kind.kind in "fiub" and kind.itemsize <= WIDEST and isinstance(value["type"], str)
        works = works and math.prod(value["shape"]) == len(value["array"])
    except Exception:  # a text that names no kind of number, or no texts and lists at all
        works = False
    if not works:
        checks.refuse("create", "description", value, "has an array whose numbers, type and shape do not fit")


def _check_estimate(values: Mapping[str, Any]) -> None:
    """Refuse a learner whose domain or state would be too large, before its state is made."""
    pieces = [read_field(values[name]) for name in LEARNER[1:]]
    for part in parts_in(tuple(pieces)):
        if isinstance(part, Domain) and not 0 < part.dim <= MOST_NUMBERS:
            checks.refuse("create", "description", part.dim, f"must have a dimension of at most {MOST_NUMBERS}")
    domain, decisions = pieces[:2]
    if domain.dim != decisions.dim:
        checks.refuse("create", "description", decisions.dim, f"must have decisions of {domain.dim} numbers, too")
    size = estimated(tuple(pieces), domain.dim)
    if size > MOST_ESTIMATED:
        checks.refuse("create", "description", size, f"is too large: at most about {MOST_ESTIMATED} numbers are kept")


def _try_learner(learner: Learner) -> None:
    player, shown = learner.start(), learner.interface
    play = player.ask(np.zeros(shown.context_size) if shown.context_size else None)
    if not learner.domain.contains(play.points[0]):
        checks.refuse("create", "description", learner.name, "must play points of its domain")
    player.tell(np.zeros(shown.feedback_size), round=play.round)
    player.ask(np.zeros(shown.context_size) if shown.context_size else None)


def _try_model(model: Model) -> None:
    """Try a model of one feature, which takes no memory; what it says of features and of waiting is looked at."""
    recipe, waiting = model.features, model.waiting
    if isinstance(recipe, Named):
        again: Recipe = Named(recipe.bits, recipe.categorical, recipe.crosses)
    else:
        again = checked_recipe("create", recipe)
    assumed = checks.number("create", "assumed", waiting.assumed)
    pause = waiting.wait if waiting.way == "assume" else None
    waits = checked_waiting("create", waiting.way, waiting.horizon or None, assumed, waiting.outcomes, pause)
    if fingerprint((again, waits)) != fingerprint((recipe, waiting)):
        checks.refuse("create", "description", model.name, "has features or a waiting that no model has")
    predictor = replace(model, features=Dense(1)).start()
    predictor.predict([0.5], "trial", at=0.0)
    predictor.learn("trial", 1, at=SECOND)
    predictor.look([0.5])
