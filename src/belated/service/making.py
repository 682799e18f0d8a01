"""Learners and models from plain JSON values, as people write them in any language.

A learner is written as ``{"algorithm": "dogd_sc", "arguments": {"domain": {"Ball": {"dim": 2}}, ...}}``. The arguments
are those of the Python function of that name. One that is a part itself, such as a domain, a rate or the base of a
wrapper, is a mapping with one name and its arguments. What may stand where follows from annotations
(:mod:`belated.service.words`), and how large it may be from :mod:`belated.service.limits`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, NamedTuple, NoReturn

import numpy as np

from belated.core import checks
from belated.core.calling import call, missing
from belated.core.errors import BelatedError, InvalidArgument
from belated.core.spelling import spelled, suggestion
from belated.domains.base import Domain
from belated.learners.learner import Learner
from belated.models.model import Model
from belated.service.descriptions import Description, written
from belated.service.given import read_given
from belated.service.limits import MOST_ESTIMATED, check_size, check_values, is_square, state_size
from belated.service.ranges import chosen, read_ranges
from belated.service.runs import MOST_NUMBERS
from belated.service.units import begun
from belated.service.words import ALGORITHMS, Maker, choices, form, is_function, makes, named

DEEPEST = 24
"""How deep a specification may be nested."""

MOST_PARTS = 64
"""So many parts a specification may have."""

MOST_ENTRIES = 4 * MOST_NUMBERS
"""All domains of a specification together have at most so many dimensions."""

LENGTH = "rounds"
"""How long a learner plays. No state grows by that, or only with its logarithm."""

WAYS = ("make", "description", "ranges")
"""How a learner may be said; one of them."""


class Order(NamedTuple):
    """What is to be created: the learner or model, and the ``start`` of its first event."""

    description: Description
    start: dict[str, Any]


class _Spending:
    """What the parts of one specification have taken so far."""

    def __init__(self) -> None:
        self.parts, self.entries = 0, 0


def made(spec: Any) -> Description:
    """The learner or model that JSON values say.

    Args:
        spec: ``{"algorithm": name, "arguments": {...}}``.

    Returns:
        What the function of that name returns.

    Raises:
        InvalidArgument: There is no such name, or an argument is not what it must be. ``argument`` says where it
            stands, such as ``"domain.radius"``.

    Example:
        >>> made({"algorithm": "dogd-sc", "arguments": {"domain": {"Ball": {"dim": 2}}, "strong_convexity": 2.0}}).name
        'dogd_sc'
    """
    check_values("make", "make", spec, DEEPEST)
    if not isinstance(spec, Mapping) or not isinstance(spec.get("algorithm"), str):
        checks.refuse("make", "algorithm", spec, "must be given, with `arguments`, such as 'dogd_sc'")
    for name in spec:
        if name not in ("algorithm", "arguments"):
            checks.refuse("make", name, spec[name], "there is no such argument; there are algorithm, arguments")
    with np.errstate(all="ignore"):  # what is not finite is refused by those who check it
        found = _made(spec["algorithm"], spec.get("arguments", {}), ALGORITHMS, "", _Spending(), "algorithm")
        check_size("make", "arguments", found)
    try:
        written(found)
    except InvalidArgument as problem:
        raise InvalidArgument(str(problem), "arguments") from problem
    return found  # type: ignore[no-any-return]  # what the makers of algorithms make


def ordered(create: Mapping[str, Any]) -> Order:
    """What is to be created by the fields ``make``, ``description`` or ``ranges``, ``seed`` and ``initial``.

    Args:
        create: The fields by name; others are not looked at.

    Returns:
        The learner or model, and how it starts.

    Raises:
        InvalidArgument: Not exactly one of the three is given, or a field is not what it must be.
    """
    if not isinstance(create, Mapping):
        checks.refuse("create", "make", create, "must be a mapping with `make`, `description` or `ranges`")
    ways = [way for way in WAYS if create.get(way) is not None]
    if len(ways) != 1:
        _refuse("create", ways[1] if ways else "make", ..., f"exactly one of {', '.join(WAYS)} must be given")
    (way,) = ways
    readers: dict[str, Callable[[Any], Any]] = {"make": made, "description": read_given, "ranges": read_ranges}
    said, start = readers[way](create[way]), {name: create[name] for name in ("seed", "initial") if name in create}
    description, given = chosen(said, {name: value for name, value in start.items() if value is not None})
    if isinstance(description, Model):
        for name in given:
            checks.refuse("create", name, given[name], "is for learners; a model has no first decision and no chance")
    else:
        given = {**given, "seed": checks.count("create", "seed", given.get("seed", 0), least=0)}
        _try_start(description, given)
    return Order(description, given)


def _try_start(learner: Learner, start: Mapping[str, Any]) -> None:
    """Begin a run that is thrown away, so that a first decision is refused which cannot be one."""
    check_values("create", "initial", start.get("initial"), 1)
    try:
        begun(learner, start)
    except InvalidArgument as problem:
        raise InvalidArgument(str(problem), "initial") from problem


def _made(name: Any, given: Any, makers: Mapping[str, Maker], where: str, spent: _Spending, argument: str) -> Any:
    """What one name and its arguments stand for; ``where`` is the way to it, and ``argument`` what the name is."""
    spent.parts += 1
    if spent.parts > MOST_PARTS:
        _refuse("make", where or argument, ..., f"must have at most {MOST_PARTS} parts")
    known = named(name, makers)
    if known is None:
        _refuse(
            "make", where or argument, name, f"is not known here; {suggestion(spelled(name), map(spelled, makers))}"
        )
    maker, table = makers[known], {} if given is None else given
    if not isinstance(table, Mapping):
        _refuse("make", where or "arguments", given, f"must be the arguments of {known}, by name")
    parameters = form(maker).parameters
    arguments = {}
    for each, value in table.items():
        if each not in parameters:
            hint = suggestion(each, parameters) if parameters else "it takes none"
            _refuse("make", _below(where, each), value, f"{known} has no such argument; {hint}")
        arguments[each] = _value(known, parameters[each], value, _below(where, each), spent)
    for each in missing(form(maker), arguments):
        _refuse("make", _below(where, each), None, f"must be given: {known} needs it")
    _check_sizes(known, maker, arguments, where, spent)
    return _called(known, maker, arguments, where)


def _value(call_of: str, parameter: Parameter, value: Any, where: str, spent: _Spending) -> Any:
    """What is handed over as an argument: the value itself, or what it names."""
    makers = choices(parameter.annotation)
    if is_function(parameter.annotation):
        _refuse(call_of, where, value, "is a function, and JSON has none")
    _check_truth(call_of, where, value)
    if parameter.kind is Parameter.VAR_POSITIONAL and not isinstance(value, list | tuple):
        _refuse(call_of, where, value, "must be a list")
    if not makers or value is None:
        return value
    if isinstance(value, list | tuple) and not all(isinstance(each, int | float) for each in value):
        return [_part(makers, each, f"{where}[{place}]", spent) for place, each in enumerate(value)]
    return _part(makers, value, where, spent) if isinstance(value, str | Mapping) else value


def _part(makers: Mapping[str, Maker], value: Any, where: str, spent: _Spending) -> Any:
    """A part, which is written as a name, or as a mapping with one name and its arguments."""
    if isinstance(value, str):
        return _made(value, {}, makers, where, spent, where)
    if not isinstance(value, Mapping) or len(value) != 1:
        example = next(iter(makers))
        _refuse("make", where, value, f'must be a mapping with one name and its arguments: {{"{example}": {{}}}}')
    ((name, given),) = value.items()
    return _made(name, given, makers, where, spent, where)


def _check_truth(call_of: str, where: str, value: Any) -> None:
    """Refuse truth values among numbers, which would be taken for 0 and 1."""
    level = [value]
    while level:
        each = level.pop()
        if isinstance(each, list | tuple):
            if any(isinstance(inner, bool) for inner in each):
                _refuse(call_of, where, value, "must not have truth values in a list")
            level += [inner for inner in each if isinstance(inner, list | tuple)]


def _check_sizes(name: str, maker: Maker, arguments: Mapping[str, Any], where: str, spent: _Spending) -> None:
    """Refuse a domain or a learner that would be too large, before it is made."""
    parameters, product = form(maker).parameters, makes(maker)
    whole = {
        each: value
        for each, value in arguments.items()
        if parameters[each].annotation is int and isinstance(value, int) and value > 0
    }
    if isinstance(product, type) and issubclass(product, Domain):
        for each, value in whole.items():
            spent.entries += value
            if value > MOST_NUMBERS or spent.entries > MOST_ENTRIES:
                _refuse(name, _below(where, each), value, f"must be at most {MOST_NUMBERS}")
    if product is not Learner:
        return
    size = sum(_size(name, value) for value in arguments.values()) or 1
    if size > MOST_ESTIMATED:
        _refuse("make", where or "arguments", name, f"would keep more than {MOST_ESTIMATED} numbers")
    for each, value in whole.items():
        larger = size * (value.bit_length() if each == LENGTH else value)
        if larger > MOST_ESTIMATED and _grows(maker, arguments, whole, each):
            _refuse(name, _below(where, each), value, f"would let it keep more than {MOST_ESTIMATED} numbers")
        size = min(larger, MOST_ESTIMATED)


def _grows(maker: Maker, arguments: Mapping[str, Any], whole: Mapping[str, int], each: str) -> bool:
    """Whether a state becomes larger with a whole number; what that number is in earnest does not matter for it."""
    few = {**arguments, **dict.fromkeys(whole, 3)}
    try:
        few_numbers, more = (state_size(call(maker, form(maker), {**few, each: some})) for some in (3, 8))
    except Exception:  # numbers that must go together with others
        return True
    return more > few_numbers


def _size(name: str, value: Any) -> int:
    """What an argument amounts to in the state of a learner, without constant factors."""
    if isinstance(value, Learner):
        return state_size(value)
    if isinstance(value, Domain):
        return int(value.dim) ** (2 if is_square(name) else 1)
    return sum(_size(name, each) for each in value if isinstance(each, Learner)) if isinstance(value, list) else 0


def _called(name: str, maker: Maker, arguments: Mapping[str, Any], where: str) -> Any:
    try:
        return call(maker, form(maker), arguments)
    except InvalidArgument as problem:
        place = where or "arguments" if problem.argument is None else _below(where, problem.argument)
        raise InvalidArgument(str(problem), place) from problem
    except Exception as problem:  # what the functions do not expect from Python code may come from JSON
        known = str(problem) if isinstance(problem, BelatedError) else f"{type(problem).__name__}: {problem}"
        raise InvalidArgument(f"`{name}` cannot be made of this: {known[:200]}", where or "arguments") from problem


def _refuse(call_of: str, where: str, value: Any, allowed: str) -> NoReturn:
    """Refuse an argument. The message names it as its function does, and the error the whole way to it."""
    shown = "..." if value is ... else checks.shown(value)
    raise InvalidArgument(f"`{call_of}({where.rpartition('.')[2]}={shown})`: {allowed}", where)


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
