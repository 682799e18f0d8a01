"""The names that may stand in JSON for a learner, a domain or another part, and what makes it.

Which names may stand for an argument follows from its annotation: those of the classes in it, and of the public
functions that return one of them. So nothing is listed here but the registries that there are anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import Signature, isclass, signature
from typing import Annotated, Any, ForwardRef, get_args, get_origin, get_type_hints

from belated import domains, models
from belated.core.spelling import spelled
from belated.domains.base import Domain
from belated.learners.catalogue import NAMED
from belated.learners.learner import Learner
from belated.learners.parts import rates
from belated.learners.parts.policies import hints
from belated.learners.parts.rates import tunings, weights
from belated.models import steps
from belated.models.features import Recipe
from belated.models.named import EVERY as MODELS
from belated.models.verbs import Step

Maker = Callable[..., Any]

ALGORITHMS: Mapping[str, Maker] = {**NAMED, **{model.__name__: model for model in MODELS}}
"""Every learner and model that has a name."""

DOMAINS: Mapping[str, Maker] = {family.__name__: family for family in domains.EVERY}


def _public(prefix: str, names: Any, module: Any) -> dict[str, Maker]:
    return {f"{prefix}.{name}": getattr(module, name) for name in names}


STEPS = _public("models", (step.__name__ for step in steps.EVERY), models)
"""The steps of models."""

PARTS: Mapping[str, Maker] = {
    **_public("rates", rates.__all__, rates),
    **_public("tunings", tunings.__all__, tunings),
    **_public("hints", hints.__all__, hints),
    **_public("weights", (each.__name__ for each in get_args(weights.Weight)), weights),
    **_public("models", (each.__name__ for each in get_args(Recipe)), models),
}
"""The other parts that arguments may be, behind the name of their module."""


@cache
def form(maker: Maker) -> Signature:
    """The signature of a maker, with annotations that are types and no texts."""
    found = signature(maker, eval_str=True)
    if isclass(maker) and any(isinstance(each.annotation, ForwardRef) for each in found.parameters.values()):
        known = get_type_hints(maker)  # a NamedTuple keeps its annotations as texts
        pairs = found.parameters.items()
        found = found.replace(parameters=[each.replace(annotation=known[name]) for name, each in pairs])
    return found


def makes(maker: Maker) -> Any:
    """What a maker returns: a class of things."""
    return maker if isclass(maker) else form(maker).return_annotation


def choices(annotation: Any) -> Mapping[str, Maker]:
    """The names that may stand for an argument; none where it is a number, a text or the like."""
    if annotation is Learner:
        return NAMED
    if annotation is Domain:
        return DOMAINS
    if annotation == Step:
        return STEPS
    found: dict[str, Maker] = {}
    if isclass(annotation) and issubclass(annotation, tuple):
        found |= {name: maker for name, maker in PARTS.items() if makes(maker) is annotation}
    if is_function(annotation):
        return {name: maker for name, maker in PARTS.items() if takes_function(maker)}
    for each in () if get_origin(annotation) is Annotated else get_args(annotation):
        found |= choices(each)
    return found


def is_function(annotation: Any) -> bool:
    """Whether an argument is a function."""
    return get_origin(annotation) is Callable


def takes_function(maker: Maker) -> bool:
    """Whether a maker needs a function, which JSON cannot hold: it has a name here so that it can be refused by it."""
    return any(is_function(parameter.annotation) for parameter in form(maker).parameters.values())


def named(name: str, makers: Mapping[str, Maker]) -> str | None:
    """The name among those of ``makers`` that somebody means, whatever its spelling; ``None`` if there is none.

    Hyphens may stand for underscores, and the module may be left out. A function comes before a class that is spelled
    like it: it is what people call.
    """
    if name in makers:
        return name
    order = sorted(makers, key=lambda each: isclass(makers[each]))
    return next((each for each in order if spelled(name) in set(_spellings(each))), None)


def _spellings(name: str) -> Iterator[str]:
    yield spelled(name)
    yield spelled(name.rpartition(".")[2])
