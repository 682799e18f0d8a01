"""The names that may stand in a setting, and the objects that are made from them.

A thing is written as its name, or as a table with its name and arguments: ``"ogd-sc"``, ``{name = "geometric",
mean = 20}``. The arguments are those of the Python class or function of that name, and what may stand for an argument
follows from its annotation: a learner where a learner is wanted, a rate where a rate is. So nothing is listed here but
the registries that there are anyway.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, Signature, isclass, signature
from typing import Any, get_args

from belated import delays, domains, losses
from belated.comparisons.document import Document
from belated.comparisons.positions import Key
from belated.comparisons.recommending import Knowledge
from belated.comparisons.words import spelled, spoken, unknown
from belated.core.calling import call, missing
from belated.core.checks import shown
from belated.core.errors import BelatedError, InvalidArgument
from belated.delays import DelayLaw
from belated.domains.base import Domain
from belated.learners import Learner
from belated.learners.catalogue import NAMED
from belated.losses.base import Loss
from belated.models.model import Model
from belated.models.named import EVERY as MODELS
from belated.models.steps import EVERY as STEPS
from belated.models.verbs import Step
from belated.sim import problems
from belated.sim.problems import Problem, StreamedProblem

Maker = Callable[..., Any]


@cache
def named(kind: Any) -> Mapping[str, Maker]:
    """Every name of a kind of thing, with what makes it."""
    if kind is Learner:
        return {name.replace("_", "-"): function for name, function in NAMED.items()}
    registries: dict[Any, tuple[Maker, ...]] = {
        Domain: domains.EVERY,
        DelayLaw: delays.EVERY,
        Loss: losses.EVERY,
        Problem: (*problems.EVERY, problems.LocallyPermuted, problems.Recorded),
        Model: MODELS,
        Step: STEPS,
    }
    return {spelled(each.__name__): each for each in registries[kind]}


def choices(annotation: Any) -> Mapping[str, Maker]:
    """The names that may stand for an argument; none where it is a number, a text or the like."""
    if annotation in (Learner, Domain, DelayLaw, Loss, Problem, Model, Step):
        return named(annotation)
    if annotation is StreamedProblem:
        return named(Problem)
    if isclass(annotation) and issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
        return {spoken(annotation.__name__): annotation}
    found: dict[str, Maker] = {}
    for each in get_args(annotation):
        found |= choices(each)
    return found


def make(
    document: Document,
    key: Key,
    kind: type,
    knowledge: Knowledge | None = None,
    label: str = "",
    besides: tuple[str, ...] = (),
) -> Any:
    """The thing of that kind that stands there; ``label`` names it where the table does not.

    The table may have keys ``besides`` the arguments, which others read.
    """
    return _make(document, key, named(kind), document.at(key), knowledge, label, besides)


def _make(
    document: Document,
    key: Key,
    makers: Mapping[str, Maker],
    given: Any,
    knowledge: Knowledge | None,
    label: str = "",
    besides: tuple[str, ...] = (),
) -> Any:
    name, table = _split(document, key, given, label)
    known = spelled(name)
    if known not in makers:
        unknown(document, key, given, name, sorted(makers))
    maker = makers[known]
    form = signature(maker, eval_str=True)
    document.check_keys(key, table, ("name", *form.parameters, *besides), known)
    written = {each: value for each, value in table.items() if each not in ("name", *besides)}
    arguments = {
        each: _value(document, (*key, each), form.parameters[each], value, knowledge) for each, value in written.items()
    }
    advised = _advice(document, key, maker, arguments, knowledge)
    return called(document, key, maker, form, {**advised, **arguments}, written)


def _split(document: Document, key: Key, given: Any, label: str) -> tuple[str, Mapping[str, Any]]:
    """The name and the table of a thing."""
    if isinstance(given, str):
        return given, {}
    if not isinstance(given, Mapping):
        document.refuse(key, f"must be a name or a table with a name, not {shown(given)}")
    name = given.get("name", label)
    if not isinstance(name, str) or not name:
        document.refuse(key, "must have a name")
    return name, given


def _value(document: Document, key: Key, parameter: Parameter, value: Any, knowledge: Knowledge | None) -> Any:
    """What is handed over as an argument: the value itself, or what it names."""
    makers = choices(parameter.annotation)
    if value == "none" and parameter.default is None:
        return None  # TOML has no word for it
    if parameter.kind is Parameter.VAR_POSITIONAL and not isinstance(value, list):
        document.refuse(key, f"must be a list, not {shown(value)}")
    numbers = isinstance(value, list) and all(isinstance(each, int | float) for each in value)
    if numbers and Sequence[float] in get_args(parameter.annotation):
        return value
    if isinstance(value, list) and makers:
        return [_make(document, (*key, i), makers, each, knowledge) for i, each in enumerate(value)]
    if isinstance(value, str | Mapping) and makers:
        return _make(document, key, makers, value, knowledge)
    return value


def _advice(
    document: Document, key: Key, maker: Maker, arguments: Mapping[str, Any], knowledge: Knowledge | None
) -> dict[str, Any]:
    """Arguments of a learner that the setting does not write out, from what is known of its problem and delays."""
    name = next((name for name, function in NAMED.items() if function is maker), None)
    if name is None or knowledge is None:
        return {}
    try:
        advice = knowledge.arguments(name, arguments)
    except (BelatedError, ArithmeticError, ValueError) as problem:
        document.refuse(key, f"nothing can be recommended for what is not given: {problem}")
    knowledge.told[key] = {each: value for each, value in advice.items() if each != "domain"}
    return advice


def called(
    document: Document, key: Key, maker: Maker, form: Signature, arguments: dict[str, Any], written: Mapping[str, Any]
) -> Any:
    """What a maker makes of its arguments; an error names the one that is wrong, if it is one that was ``written``."""
    for each in missing(form, arguments):
        document.refuse(key, f"`{each}` is missing")
    try:
        return call(maker, form, arguments)
    except InvalidArgument as problem:
        where = problem.argument if problem.argument in written else None
        document.refuse((*key, where) if where else key, str(problem))
    except (BelatedError, TypeError, ValueError, OverflowError) as problem:
        document.refuse(key, f"cannot be made: {problem}")
