"""What everything that is exported must do with a bad argument: an error of belated's that names it, and nothing else.

The tests run over the exports, and find the parameters and what they may be in the signatures.
"""

import math
import os
from inspect import Parameter, signature
from types import UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np
import pytest
from numpy.typing import ArrayLike

import belated as bl
from belated import extend
from belated.core.errors import BelatedError, InvalidArgument, MissingVerb
from belated.core.verbs import Verb
from support.uses import call, exports, uses

EXPORTS, USES = exports(), uses()

NEGATIVE = -1.0
NUMBERS: list[Any] = [math.nan, math.inf, -math.inf, True, "x", NEGATIVE]
THINGS: list[Any] = [7, "x", object(), bl.Ball, bl.ogd]
KINDS = ["a number", "a text", "an object", "a class", "a function"]

ALLOWED: dict[tuple[str, str], list[Any]] = {
    ("extend.checked_domain", "name"): [*THINGS, None],
    ("extend.checked_domain", "where"): [*THINGS, None],
    ("extend.checked_rate", "rate"): [7],
    ("extend.checked_rate", "where"): [*THINGS, None],
    ("Halfspace", "offset"): [NEGATIVE],
    ("flaxman", "baseline"): [NEGATIVE],
    ("losses.Quadratic", "curvature"): [7],
    ("models.poisson", "assumed"): [7],
    ("models.squared", "assumed"): [7],
    ("problems.LocallyPermuted", "order"): [bl.Ball, bl.ogd],
    ("read_log", "answers"): THINGS,  # which needs a key, as the message says
    ("recommended", "algorithm"): [bl.ogd],
    ("simulate", "record"): [7],
    ("simulate", "regret_at"): [7],
    ("worst_case", "bound"): [bl.Ball, bl.ogd],
}
"""What looks bad and is not."""

TEXTS = (str, os.PathLike)


def annotations(function: Any) -> dict[str, list[Any]]:
    """What each parameter may be: the members of a union one by one."""

    def members(annotation: Any) -> list[Any]:
        if annotation != ArrayLike and get_origin(annotation) in (Union, UnionType):
            return [member for each in get_args(annotation) for member in members(each)]
        return [annotation]

    parameters = signature(function, eval_str=True).parameters
    return {name: members(each.annotation) for name, each in parameters.items()}


def bad_values(kinds: list[Any], parameter: Parameter, given: Any) -> list[Any]:
    if bool in kinds:  # whatever is true is as good as True
        return []
    found = NUMBERS if float in kinds else [*NUMBERS, 0.5] if int in kinds else THINGS
    if ArrayLike in kinds and given is not None and np.asarray(given).dtype.kind in "if":
        spoilt = np.array(given, dtype=float)
        spoilt.flat[0] = math.nan
        found = [*found, spoilt]
    if any(kind in TEXTS or get_origin(kind) in TEXTS for kind in kinds):
        found = [each for each in found if not isinstance(each, str)]
    return found if type(None) in kinds or parameter.default is None else [*found, None]


def wrong_calls(name: str) -> list[tuple[str, Any, dict[str, Any]]]:
    """The calls of an export with one argument that is bad: its name, the bad value, and all arguments.

    Of arguments that exclude each other, the one that is given is made bad.
    """
    function, found = EXPORTS[name], list[tuple[str, Any, dict[str, Any]]]()
    kinds, parameters = annotations(function), signature(function).parameters
    given_somewhere = {each for use in USES[name] for each, value in use.items() if value is not None}
    for use in USES[name]:
        for each, value in use.items():
            if value is None and each in given_somewhere:
                continue
            fine = ALLOWED.get((name, each), [])
            bad = [one for one in bad_values(kinds[each], parameters[each], value) if not any(one is ok for ok in fine)]
            several = parameters[each].kind is Parameter.VAR_POSITIONAL
            found += [(each, one, {**use, each: [one] if several else one}) for one in bad]
    return found


def outcome(name: str, argument: str, arguments: dict[str, Any]) -> str:
    """What is wrong with how a bad argument is answered; nothing if it is refused by its name."""
    try:
        call(EXPORTS[name], arguments)
    except BelatedError as error:
        called, _, _ = str(error).partition(": ")
        named = argument in called or isinstance(error, MissingVerb)
        return "" if named else f"names something else: {error}"
    except Exception as error:
        return repr(error)
    return "is accepted"


@pytest.mark.parametrize("name", USES)
def test_a_bad_argument_is_refused_by_its_name(name: str) -> None:
    answers = [(argument, bad, outcome(name, argument, arguments)) for argument, bad, arguments in wrong_calls(name)]
    assert [answer for answer in answers if answer[-1]] == []


def test_the_outcome_tells_what_is_accepted_raw_or_named_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(number: Any, other: float = 1.0) -> None:
        if number == "x":
            raise InvalidArgument("`careless(other=1.0)`: must be > 0")
        if number is None:
            raise AttributeError("no number")

    monkeypatch.setitem(EXPORTS, "careless", careless)
    assert outcome("careless", "number", {"number": math.nan}) == "is accepted"
    assert outcome("careless", "number", {"number": "x"}).startswith("names something else")
    assert outcome("careless", "number", {"number": None}) == "AttributeError('no number')"


@pytest.mark.parametrize(
    "verb", [each for each in vars(extend).values() if isinstance(each, Verb) and not each.default]
)
@pytest.mark.parametrize("part", THINGS, ids=KINDS)
def test_what_is_no_part_is_refused_by_every_verb(verb: Any, part: Any) -> None:
    arguments = [part] + [None] * (len(signature(verb).parameters) - 1)
    with pytest.raises(MissingVerb, match=r"^`\w+` has no implementation for \w+; register one with @"):
        verb(*arguments)


def unchecked_parts() -> list[str]:
    """Rates and tunings whose constructor Python has written, so that any number gets into them."""
    found = [name for name in EXPORTS if name.startswith(("rates.", "tunings.")) and name not in USES]
    return [name for name in found if [float] in annotations(EXPORTS[name]).values()]


@pytest.mark.parametrize("number", [math.nan, "x", None, NEGATIVE])
@pytest.mark.parametrize("name", unchecked_parts())
def test_parts_that_are_not_checked_themselves_are_checked_by_the_learner(name: str, number: Any) -> None:
    part = EXPORTS[name](number)
    with pytest.raises(InvalidArgument, match=r"^`\w+\((rate|tuning)="):
        bl.odaftrl(bl.Simplex(3), part) if name.startswith("tunings") else bl.dogd(bl.Ball(3), part)


@pytest.mark.parametrize("bad", [math.nan, -1, "x", None, 0.5])
def test_recipes_are_checked_by_the_model(bad: Any) -> None:
    for recipe in (bl.models.Sparse(bad), bl.models.Dense(bad), bl.models.Dense(3, scale=bad)):
        with pytest.raises(InvalidArgument, match=r"^`logistic\((dim|scale)="):
            bl.models.logistic(recipe)


@pytest.mark.parametrize("bad", THINGS, ids=KINDS)
def test_methods_refuse_what_is_no_domain(bad: Any) -> None:
    loss = bl.losses.Linear(3)
    for call_with in (
        lambda: loss.constants(np.ones(3), bad),
        lambda: bl.problems.RandomQuadratic(3).constants(bad),
        lambda: bl.problems.Recorded(loss, np.ones((2, 3))).constants(bad),
    ):
        with pytest.raises(InvalidArgument, match=r"^`\w+\.constants\(domain=.*\)`: must be a domain"):
            call_with()


@pytest.mark.parametrize("bad", [math.nan, 2.0, -1, True, "x", None])
def test_recorded_and_permuted_problems_refuse_a_bad_number_of_rounds(bad: Any) -> None:
    permuted = bl.problems.LocallyPermuted(bl.problems.RandomQuadratic(3), window=2)
    for problem in (permuted, bl.problems.Recorded(bl.losses.Linear(3), np.ones((5, 3)))):
        with pytest.raises(InvalidArgument, match=rf"^`{type(problem).__name__}\.rows\(rounds="):
            problem.rows(0, bad)
